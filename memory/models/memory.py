"""The memory: one statement, what it says, whose it is, where it came from, how long it holds."""

from django.core.validators import MaxValueValidator, MinValueValidator
from django.db import models
from django.db.models import F, Q
from django.utils.translation import gettext_lazy as _

from .ids import new_id
from .scope import ScopedManager, Workspace
from .states import Status
from .turn import Turn


class Kind(models.TextChoices):
    PREFERENCE = "preference", _("preference")
    IDENTITY = "identity", _("identity")
    FACT = "fact", _("fact")
    RULE = "rule", _("rule")
    TASK_STATE = "task_state", _("task state")
    EVENT = "event", _("event")
    PROCEDURE = "procedure", _("procedure")
    INVENTORY = "inventory", _("inventory")
    OTHER = "other", _("other")


class Layer(models.TextChoices):
    WORKING = "working", _("working")
    EPISODIC = "episodic", _("episodic")
    SEMANTIC = "semantic", _("semantic")
    PROCEDURAL = "procedural", _("procedural")


class Source(models.TextChoices):
    USER_SAID = "user_said", _("user said")
    INFERRED = "inferred", _("inferred")
    EXTERNAL_SYNC = "external_sync", _("external sync")
    IMPORTED = "imported", _("imported")


LAYER_OF = {Kind.EVENT: Layer.EPISODIC, Kind.PROCEDURE: Layer.PROCEDURAL}


def layer_of(kind: str) -> Layer:
    return LAYER_OF.get(Kind(kind), Layer.SEMANTIC)


# What a row says and whose it is never changes in place: another value is another row.
FIXED = frozenset(
    {
        "public_id", "workspace_id", "user_id", "entity", "attribute", "value", "entity_key",
        "attribute_key", "value_key", "fingerprint", "text", "created_at",
    }
)  # fmt: skip


class Memory(models.Model):
    """One version of one memory. A change of value makes a new row; rows of one fact share
    `fact` and are linked by `supersedes`. Only `memory.write.apply` saves these rows."""

    public_id = models.UUIDField(_("id"), unique=True, default=new_id, editable=False)
    workspace = models.ForeignKey(Workspace, models.PROTECT, related_name="+")
    user_id = models.CharField(_("user"), max_length=200, blank=True)
    agent_id = models.CharField(_("agent"), max_length=200, blank=True)
    session_id = models.CharField(_("session"), max_length=200, blank=True)

    entity = models.CharField(_("entity"), max_length=300, blank=True)
    attribute = models.CharField(_("attribute"), max_length=300, blank=True)
    value = models.TextField(_("value"), blank=True)
    # The same three after the one normaliser: what is compared and held unique.
    entity_key = models.CharField(max_length=600, blank=True, editable=False)
    attribute_key = models.CharField(max_length=600, blank=True, editable=False)
    value_key = models.TextField(blank=True, editable=False)
    fingerprint = models.CharField(max_length=32, editable=False)

    text = models.TextField(_("text"))
    summary = models.CharField(_("summary"), max_length=500, blank=True)
    kind = models.CharField(_("kind"), max_length=16, choices=Kind.choices, default=Kind.OTHER)
    layer = models.CharField(_("layer"), max_length=16, choices=Layer.choices)
    domain = models.CharField(_("domain"), max_length=100, blank=True)
    tags = models.JSONField(_("tags"), default=list, blank=True)
    links = models.JSONField(_("linked entities"), default=list, blank=True)
    source = models.CharField(_("source"), max_length=16, choices=Source.choices, blank=True)
    importance = models.PositiveSmallIntegerField(
        _("importance"), default=3, validators=[MinValueValidator(1), MaxValueValidator(5)]
    )
    confidence = models.FloatField(
        _("confidence"), null=True, blank=True,
        validators=[MinValueValidator(0), MaxValueValidator(1)],
    )  # fmt: skip
    single_valued = models.BooleanField(default=False, editable=False)

    status = models.CharField(_("state"), max_length=16, choices=Status.choices)
    fact = models.UUIDField(editable=False)
    version = models.PositiveIntegerField(_("version"), default=1)
    revision = models.PositiveIntegerField(default=1, editable=False)
    confirmations = models.PositiveIntegerField(_("confirmations"), default=0)
    # The constraint's name for "one successor a row" is what keeps a history unbroken.
    supersedes = models.OneToOneField(
        "self", models.PROTECT, to_field="public_id", related_name="+", null=True, blank=True
    )
    superseded_by = models.ForeignKey(
        "self", models.PROTECT, to_field="public_id", related_name="+", null=True, blank=True
    )

    occurred_at = models.DateTimeField(_("occurred"), null=True, blank=True)
    created_at = models.DateTimeField(_("first remembered"))
    updated_at = models.DateTimeField(_("updated"))
    confirmed_at = models.DateTimeField(_("last confirmed"), null=True, blank=True)
    valid_from = models.DateTimeField(_("valid from"), null=True, blank=True)
    valid_to = models.DateTimeField(_("valid to"), null=True, blank=True)
    expires_at = models.DateTimeField(_("expires"), null=True, blank=True)
    # The policy's limit that made `expires_at`, so that a confirmation or another policy moves
    # it; null beside a time: the writer said when.
    ttl_hours = models.PositiveIntegerField(null=True, blank=True, editable=False)

    turn = models.ForeignKey(
        Turn, models.PROTECT, to_field="public_id", related_name="+", null=True, blank=True
    )
    evidence_start = models.PositiveIntegerField(null=True, blank=True)
    evidence_end = models.PositiveIntegerField(null=True, blank=True)
    quote = models.TextField(_("quote"), blank=True)
    # Why it is a candidate or held: [{"code": …, …}]; empty for what nobody need look at.
    held_for = models.JSONField(default=list, editable=False)
    # The current value that a less trusted source spoke against.
    conflicts_with = models.UUIDField(null=True, blank=True, editable=False)
    external_id = models.CharField(_("id at the source"), max_length=300, blank=True)
    metadata = models.JSONField(_("metadata"), default=dict, blank=True)

    objects = ScopedManager()
    # For the engine itself (apply, reindex, maintenance), which works across scopes.
    everywhere = models.Manager()

    class Meta:
        default_manager_name = "everywhere"
        base_manager_name = "everywhere"
        verbose_name = _("memory")
        verbose_name_plural = _("memories")
        constraints = [
            models.UniqueConstraint(
                fields=["workspace", "user_id", "agent_id", "entity_key", "attribute_key"],
                condition=Q(status=Status.ACTIVE, single_valued=True),
                name="one_current_value",
            ),
            models.CheckConstraint(
                condition=Q(status__in=Status.values), name="memory_known_status"
            ),
            models.CheckConstraint(condition=Q(kind__in=Kind.values), name="memory_known_kind"),
            models.CheckConstraint(condition=Q(layer__in=Layer.values), name="memory_known_layer"),
            models.CheckConstraint(
                condition=Q(source__in=[*Source.values, ""]), name="memory_known_source"
            ),
            models.CheckConstraint(
                condition=Q(importance__gte=1, importance__lte=5), name="memory_importance_1_5"
            ),
            models.CheckConstraint(
                condition=Q(confidence__isnull=True) | Q(confidence__gte=0, confidence__lte=1),
                name="memory_confidence_0_1",
            ),
            models.CheckConstraint(
                condition=Q(single_valued=False) | ~Q(entity_key="", attribute_key=""),
                name="memory_single_value_has_a_key",
            ),
            models.CheckConstraint(
                condition=Q(evidence_end__isnull=True) | Q(evidence_end__gte=F("evidence_start")),
                name="memory_evidence_span",
            ),
        ]
        indexes = [
            # Wide, so that a list is filtered and counted without its rows: of a million memories
            # none below a confidence took 1,660 ms to find, and takes 160.
            models.Index(
                fields=[
                    "workspace",
                    "status",
                    "id",
                    "kind",
                    "source",
                    "domain",
                    "agent_id",
                    "user_id",
                    "session_id",
                    "attribute_key",
                    "tags",
                    "confidence",
                    "importance",
                ],
                name="memory_by_status",
            ),
            models.Index(
                fields=["workspace", "status", "updated_at", "id"], name="memory_by_update"
            ),
            models.Index(fields=["workspace", "user_id", "status", "id"], name="memory_by_user"),
            models.Index(
                fields=["workspace", "user_id", "session_id", "id"],
                condition=Q(status=Status.ACTIVE),
                name="memory_by_session",
            ),
            models.Index(fields=["workspace", "kind", "status", "id"], name="memory_by_kind"),
            models.Index(fields=["workspace", "domain", "status", "id"], name="memory_by_domain"),
            models.Index(
                fields=["workspace", "user_id", "entity_key", "attribute_key"],
                name="memory_by_key",
            ),
            models.Index(fields=["fact", "version"], name="memory_by_fact"),
            models.Index(
                fields=["workspace", "user_id", "fingerprint"],
                condition=Q(status=Status.ACTIVE),
                name="memory_by_print",
            ),
            models.Index(
                fields=["workspace", "user_id", "external_id"],
                condition=~Q(external_id=""),
                name="memory_by_external_id",
            ),
            models.Index(
                fields=["expires_at"],
                condition=Q(status=Status.ACTIVE, expires_at__isnull=False),
                name="memory_by_expiry",
            ),
        ]

    def __str__(self) -> str:
        return self.summary or self.text[:80]

    @property
    def has_key(self) -> bool:
        return bool(self.entity_key or self.attribute_key)
