"""What the index was last told about a row, so that a comparison need not segment it again."""

from django.db import models

from .memory import Memory
from .turn import Turn


class Stamp(models.Model):
    """`analyser` is the version that segmented, `said` a hash of the texts that it read, `words`
    of the columns that it wrote. Derived: written with the index's rows and made anew with them.
    """

    analyser = models.CharField(max_length=64)
    said = models.CharField(max_length=32)
    words = models.CharField(max_length=32)

    class Meta:
        abstract = True


class MemoryStamp(Stamp):
    memory = models.OneToOneField(Memory, models.CASCADE, primary_key=True, related_name="stamp")

    def __str__(self) -> str:
        return f"{self.memory_id} by {self.analyser}"


class TurnStamp(Stamp):
    turn = models.OneToOneField(Turn, models.CASCADE, primary_key=True, related_name="stamp")

    def __str__(self) -> str:
        return f"{self.turn_id} by {self.analyser}"
