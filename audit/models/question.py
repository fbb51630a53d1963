"""Acceptance questions and what their runs gave."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from memory.models import Workspace
from memory.models.ids import new_id
from memory.models.scope import ScopedManager


class QuestionKind(models.TextChoices):
    PLAIN = "plain", _("plain")
    PREFERENCE = "preference", _("present words against an old preference")
    EXPIRED = "expired", _("expired information")
    CONFUSION = "confusion", _("one thing taken for another")
    NEGATION = "negation", _("negation")


class Question(models.Model):
    """An acceptance question: what a recall for it must bring up, and what it must not.

    `expected` and `forbidden` are values; every expected one must be in the context, none of the
    forbidden ones. `now_said` are the user's present words, which win over what is remembered.
    """

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    user_id = models.CharField(_("user"), max_length=200)
    agent_id = models.CharField(_("agent"), max_length=200, blank=True)
    session_id = models.CharField(_("session"), max_length=200, blank=True)
    text = models.CharField(_("question"), max_length=2000)
    kind = models.CharField(
        _("kind"), max_length=16, choices=QuestionKind.choices, default=QuestionKind.PLAIN
    )
    expected = models.JSONField(_("expected values"), default=list, blank=True)
    forbidden = models.JSONField(_("forbidden values"), default=list, blank=True)
    now_said = models.CharField(_("said just now"), max_length=2000, blank=True)
    note = models.CharField(_("note"), max_length=500, blank=True)
    # Where it was made from: a recall's or a correction's public id.
    from_recall = models.UUIDField(null=True, blank=True)
    from_correction = models.UUIDField(null=True, blank=True)
    at = models.DateTimeField(_("created"))
    actor = models.CharField(_("by"), max_length=200)
    archived_at = models.DateTimeField(_("archived"), null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("acceptance question")
        verbose_name_plural = _("acceptance questions")
        constraints = [
            models.CheckConstraint(
                condition=models.Q(kind__in=QuestionKind.values), name="question_known_kind"
            ),
        ]
        indexes = [models.Index(fields=["workspace", "archived_at", "id"], name="question_by_id")]

    def __str__(self) -> str:
        return self.text[:80]


class QuestionRun(models.Model):
    """The questions asked once, all or some. It passed if there were any and none failed."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.CASCADE, related_name="+")
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    total = models.PositiveIntegerField(_("questions"))
    failed = models.PositiveIntegerField(_("failed"))
    took_ms = models.FloatField(_("took, ms"))

    class Meta:
        verbose_name = _("run of the questions")
        verbose_name_plural = _("runs of the questions")
        indexes = [models.Index(fields=["workspace", "id"], name="question_run_by_id")]

    def __str__(self) -> str:
        return f"{self.total - self.failed} of {self.total} at {self.at:%Y-%m-%d %H:%M}"

    @property
    def passed(self) -> bool:
        return self.total > 0 and self.failed == 0


class QuestionResult(models.Model):
    """One question in one run. `missing` are the expected values that the context lacked,
    `present` the forbidden ones that it had; `recall_id` is the record of the recall."""

    run = models.ForeignKey(QuestionRun, models.CASCADE, related_name="results")
    question = models.ForeignKey(Question, models.CASCADE, related_name="results")
    passed = models.BooleanField(_("passed"))
    missing = models.JSONField(default=list)
    present = models.JSONField(default=list)
    recall_id = models.UUIDField(null=True)

    class Meta:
        ordering = ["id"]
        constraints = [models.UniqueConstraint(fields=["run", "question"], name="one_result_a_run")]

    def __str__(self) -> str:
        return f"{self.question_id} in {self.run_id}: {'passed' if self.passed else 'failed'}"
