from django.apps import AppConfig

from memory.demo import played, two_weeks_played


class AuditConfig(AppConfig):
    name = "audit"

    def ready(self) -> None:
        from audit import erasing  # noqa: F401

        played.connect(_add_questions)
        # After the questions, of which one check tells.
        played.connect(_keep_report)
        two_weeks_played.connect(_keep_report)


def _add_questions(workspace, **signal) -> None:
    # Read when it is wanted: it brings the road out with it, which not every command needs.
    from audit.questions.demo import add_questions

    add_questions(workspace)


def _keep_report(workspace, **signal) -> None:
    from audit.health.demo import keep_report

    keep_report(workspace)
