"""The recall record: all that an agent asked, was given and was not given, and why."""

from django.db import models
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .scope import ScopedManager, Workspace


class Recall(models.Model):
    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    agent_id = models.CharField(_("agent"), max_length=200, blank=True)
    session_id = models.CharField(_("session"), max_length=200, blank=True)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)
    surface = models.CharField(_("through"), max_length=32)
    query = models.TextField(_("query"))
    query_used = models.TextField(_("query as used"))
    terms = models.JSONField(default=dict)
    # How the question was rewritten, move by move; empty: it was used as given.
    moves = models.JSONField(default=list)
    triggered = models.BooleanField(_("triggered"), default=True)
    trigger_reason = models.CharField(max_length=32, blank=True)
    filters = models.JSONField(default=dict)
    as_of = models.DateTimeField(_("as of"), null=True, blank=True)
    profile = models.CharField(_("profile"), max_length=32)
    analyser = models.CharField(max_length=64)
    context = models.TextField(_("context"), blank=True)
    blocks = models.JSONField(default=dict)
    tokens = models.PositiveIntegerField(_("tokens"), default=0)
    served = models.PositiveIntegerField(_("served"), default=0)
    took_ms = models.FloatField(_("took, ms"))
    prompt = models.TextField(_("prompt"), blank=True)
    answer = models.TextField(_("answer"), blank=True)
    answered_at = models.DateTimeField(null=True, blank=True)
    # The turns that the search gave, as keys, best first: a replay starts from the same cut.
    turns_seen = models.JSONField(default=list)
    # Over all that was asked and given, keyed: a record that is changed afterwards shows.
    digest = models.CharField(max_length=64, blank=True)
    # An erasure took words out of it; the digest was then made anew.
    erased_at = models.DateTimeField(_("erased"), null=True, blank=True)

    objects = ScopedManager()
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("recall")
        verbose_name_plural = _("recalls")
        indexes = [
            models.Index(fields=["workspace", "id"], name="recall_by_workspace"),
            models.Index(fields=["workspace", "user_id", "id"], name="recall_by_user"),
            models.Index(fields=["workspace", "at", "id"], name="recall_by_time"),
            models.Index(fields=["workspace", "user_id", "at", "id"], name="recall_by_user_time"),
            models.Index(
                fields=["workspace", "answered_at"],
                condition=models.Q(answered_at__isnull=False),
                name="recall_by_answer",
            ),
        ]

    def __str__(self) -> str:
        return self.query[:80]


class RecallCandidate(models.Model):
    """One memory or turn that the search found: served with its rank, or dropped at a gate.

    `status` is the memory's state when it was handed out; `stale` says that it was then not
    active or already expired, so that health need not join a million rows to count those.
    """

    recall = models.ForeignKey(Recall, models.CASCADE, related_name="candidates")
    memory_id = models.UUIDField(_("memory"), null=True)
    turn_id = models.UUIDField(_("turn"), null=True)
    rank = models.PositiveIntegerField(null=True)
    score = models.FloatField(null=True)
    parts = models.JSONField(default=dict)
    matched = models.JSONField(default=list)
    gate = models.CharField(max_length=32, blank=True)
    reason = models.CharField(max_length=200, blank=True)
    status = models.CharField(max_length=16, blank=True)
    revision = models.PositiveIntegerField(default=1)
    stale = models.BooleanField(default=False)

    class Meta:
        ordering = ["recall_id", "id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(memory_id__isnull=True) ^ models.Q(turn_id__isnull=True),
                name="candidate_memory_or_turn",
            )
        ]
        indexes = [
            models.Index(fields=["memory_id", "-id"], name="candidate_by_memory"),
            models.Index(fields=["id"], condition=models.Q(stale=True), name="candidate_stale"),
        ]

    def __str__(self) -> str:
        return f"{self.memory_id or self.turn_id} at {self.rank or self.gate}"

    @property
    def was_served(self) -> bool:
        return self.rank is not None


class Verdict(models.TextChoices):
    GOOD = "good", _("good")
    WRONG = "wrong", _("wrong")
    STALE = "stale", _("stale")
    MISSING = "missing", _("missing")


class RecallFeedback(models.Model):
    """What somebody thought of an answer that rested on a recall."""

    recall = models.ForeignKey(Recall, models.CASCADE, related_name="feedback")
    verdict = models.CharField(_("verdict"), max_length=16, choices=Verdict.choices)
    text = models.TextField(_("text"), blank=True)
    at = models.DateTimeField(_("time"))
    actor = models.CharField(_("by"), max_length=200)

    class Meta:
        ordering = ["id"]
        constraints = [
            models.CheckConstraint(
                condition=models.Q(verdict__in=Verdict.values), name="feedback_verdict"
            )
        ]

    def __str__(self) -> str:
        return f"{self.verdict} by {self.actor}"
