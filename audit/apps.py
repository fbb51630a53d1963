from django.apps import AppConfig

from memory.demo import played


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        from audit import erasing  # noqa: F401

        played.connect(_add_questions)


def _add_questions(workspace, **signal) -> None:
    # Read when it is wanted: it brings the road out with it, which not every command needs.
    from audit.questions.demo import add_questions

    add_questions(workspace)
