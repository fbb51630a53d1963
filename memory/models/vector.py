"""What a memory means, as a model of embeddings sees it."""

from django.db import models

from .memory import Memory


class Vector(models.Model):
    """One memory's embedding, made by `model` (its name and version) of the text that `print`
    fingerprints. Derived: `reindex` makes it anew, and it goes with its memory."""

    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True, related_name="vector")
    model = models.CharField(max_length=200)
    print = models.CharField(max_length=32)
    # Unit length, little-endian float16: half the bytes of float32, cosines equal to 0.001.
    data = models.BinaryField()

    class Meta:
        indexes = [models.Index(fields=["model"], name="vector_by_model")]

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.model}"
