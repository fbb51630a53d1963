"""Making, changing and archiving acceptance questions."""

from collections.abc import Iterable
from dataclasses import dataclass, fields
from uuid import UUID

from django.utils.translation import gettext_noop

from audit.models import Question, QuestionKind
from memory import clock
from memory.models import Scope
from memory.recall.mentions import compact
from memory.recall.trigger import should_recall
from memory.text.normalise import UnstorableText, clean, key
from memory.write.held import SecretRefused, secrets_in
from memory.write.proposal import NAME_LIMIT, InvalidInput
from memory.write.transaction import write_transaction

TEXT_LIMIT, NOTE_LIMIT = 2000, 500
VALUES, VALUE_LIMIT = 20, 500
# Asked one after another: a thousand take some twenty seconds.
MOST = 1000

_LIMITS = {
    "user_id": NAME_LIMIT, "agent_id": NAME_LIMIT, "session_id": NAME_LIMIT,
    "text": TEXT_LIMIT, "now_said": TEXT_LIMIT, "note": NOTE_LIMIT,
}  # fmt: skip
EMPTY = gettext_noop("must not be empty")
ONE_USER = gettext_noop("name one user")
UNKNOWN_KIND = gettext_noop("is not a kind of question")
TOO_MANY_VALUES = gettext_noop("takes at most 20 values")
VALUE_TOO_LONG = gettext_noop("a value has at most 500 characters")
NO_VALUE = gettext_noop("give at least one expected or forbidden value")
NO_WORDS = gettext_noop("a value needs at least one letter or digit")
BOTH = gettext_noop("the same value is expected and forbidden")
SMALL_TALK = gettext_noop("is small talk, for which nothing is recalled")
NO_PRESENT_WORDS = gettext_noop("say what the user says now, against the old preference")
ONLY_OF_PREFERENCE = gettext_noop("only a question of present words has it")
NO_OLD_PREFERENCE = gettext_noop("name the old preference, which the present words are against")
NO_EXPIRED = gettext_noop("name the value that no longer holds")
NO_OTHER = gettext_noop("name the value of the other thing, for which it may be taken")
NO_OWN = gettext_noop("name the value of the thing that is asked about")
FULL = gettext_noop("a workspace has at most 1,000 questions; archive some first")
# What a kind needs beside a value of either sort: (field, what is wrong without it).
_NEEDS = {
    QuestionKind.PREFERENCE: (("now_said", NO_PRESENT_WORDS), ("forbidden", NO_OLD_PREFERENCE)),
    QuestionKind.EXPIRED: (("forbidden", NO_EXPIRED),),
    QuestionKind.CONFUSION: (("expected", NO_OWN), ("forbidden", NO_OTHER)),
}


@dataclass(frozen=True)
class Draft:
    """A question as somebody offers it."""

    user_id: str = ""
    text: str = ""
    kind: str = QuestionKind.PLAIN.value
    expected: tuple[str, ...] = ()
    forbidden: tuple[str, ...] = ()
    agent_id: str = ""
    session_id: str = ""
    now_said: str = ""
    note: str = ""

    @classmethod
    def of(cls, question: Question) -> "Draft":
        said = {field.name: getattr(question, field.name) for field in fields(cls)}
        return cls(**said | {name: tuple(said[name]) for name in ("expected", "forbidden")})

    def checked(self) -> "Draft":
        """Itself, cleaned; or `InvalidInput` naming every wrong field, `SecretRefused` where one
        holds a secret: questions are kept and shown."""
        errors: list[tuple[str, str]] = []
        texts = {name: self._text(name, errors) for name in _LIMITS}
        lists = {name: self._values(name, errors) for name in ("expected", "forbidden")}
        found = Draft(kind=self.kind, **texts, **lists)
        errors += found._objections()
        if errors:
            raise InvalidInput(list(dict.fromkeys(errors)))
        plain = {**texts, "expected": "\n".join(found.expected)}
        if secrets := secrets_in({**plain, "forbidden": "\n".join(found.forbidden)}):
            raise SecretRefused(secrets)
        return found

    def _text(self, name: str, errors: list[tuple[str, str]]) -> str:
        try:
            return clean(getattr(self, name), _LIMITS[name]).strip()
        except UnstorableText as error:
            errors.append((name, str(error)))
            return ""

    def _values(self, name: str, errors: list[tuple[str, str]]) -> tuple[str, ...]:
        """Each value once; of several spellings of one the first."""
        given, kept = getattr(self, name), {}
        if len(given) > VALUES:
            errors.append((name, TOO_MANY_VALUES))
            return ()
        for value in given:
            try:
                text = " ".join(clean(value, VALUE_LIMIT).split())
            except UnstorableText as error:
                errors.append((name, VALUE_TOO_LONG if error.code == "too_long" else str(error)))
                continue
            if not any(map(str.isalnum, text)):
                errors.append((name, NO_WORDS))
            kept.setdefault(_same(text), text)
        return tuple(kept.values())

    def _objections(self) -> Iterable[tuple[str, str]]:
        if not self.user_id:
            yield "user_id", EMPTY
        elif self.user_id == "*":
            yield "user_id", ONE_USER
        if not self.text:
            yield "text", EMPTY
        elif self.expected and not should_recall(self.text).triggered:
            yield "text", SMALL_TALK
        if self.kind not in QuestionKind.values:
            yield "kind", UNKNOWN_KIND
        needed = _NEEDS.get(self.kind, ())
        yield from ((name, told) for name, told in needed if not getattr(self, name))
        if self.now_said and self.kind != QuestionKind.PREFERENCE:
            yield "now_said", ONLY_OF_PREFERENCE
        if not needed and not self.expected and not self.forbidden:
            yield "expected", NO_VALUE
        if set(map(_same, self.expected)) & set(map(_same, self.forbidden)):
            yield "forbidden", BOTH


def create(
    scope: Scope,
    draft: Draft,
    *,
    from_recall: UUID | None = None,
    from_correction: UUID | None = None,
) -> Question:
    """Raises `InvalidInput`, and `ScopeError` for a user outside the scope."""
    draft = draft.checked()
    scope.narrow(draft.user_id)
    question = Question(
        workspace_id=scope.workspace_id,
        at=clock.now(),
        actor=scope.actor,
        from_recall=from_recall,
        from_correction=from_correction,
    )
    _take(question, draft)
    with write_transaction():
        _check_room(scope)
        question.save()
    return question


def edit(scope: Scope, question: Question, draft: Draft) -> Question:
    """Change what it asks; its results stay. Raises as `create`."""
    draft = draft.checked()
    scope.narrow(draft.user_id)
    _take(question, draft)
    with write_transaction():
        question.save(update_fields=[field.name for field in fields(Draft)])
    return question


def archive(question: Question) -> Question:
    """Ask it no more; its results stay."""
    if question.archived_at is None:
        question.archived_at = clock.now()
        with write_transaction():
            question.save(update_fields=["archived_at"])
    return question


def unarchive(scope: Scope, question: Question) -> Question:
    """Ask it again. Raises `InvalidInput` where the workspace has no room."""
    if question.archived_at is not None:
        with write_transaction():
            _check_room(scope)
            question.archived_at = None
            question.save(update_fields=["archived_at"])
    return question


def _same(value: str) -> str:
    """What two spellings of one value have in common: 640 元 and ６４０元."""
    return compact(key(value))


def _take(question: Question, draft: Draft) -> None:
    for field in fields(Draft):
        value = getattr(draft, field.name)
        setattr(question, field.name, list(value) if isinstance(value, tuple) else value)


def _check_room(scope: Scope) -> None:
    whole = Scope(scope.workspace_id, scope.actor, scope.surface)
    if Question.objects.within(whole).filter(archived_at=None).count() >= MOST:
        raise InvalidInput([("", FULL)])
