"""A question to a model, what an answer to it is, and the key that goes with it."""

from pydantic import BaseModel, ConfigDict

KEY = "sk-own-5f1c-secret"
CHAT = [{"role": "user", "content": "茶 or coffee?"}]


class Drink(BaseModel):
    model_config = ConfigDict(strict=True)

    name: str
    cups: int


TEA = {"name": "茶", "cups": 2}
