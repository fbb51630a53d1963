"""What the people's side keeps."""

from .finding import Finding, FindingEvent, FindingState, Occurrence, ReviewMark, ScanMark
from .health import Counted, HealthReport, ReadHit, ReadMark, Threshold
from .preference import Preference
from .question import Question, QuestionKind, QuestionResult, QuestionRun
from .view import SavedView

__all__ = [
    "Counted",
    "Finding",
    "FindingEvent",
    "FindingState",
    "HealthReport",
    "Occurrence",
    "Preference",
    "Question",
    "QuestionKind",
    "QuestionResult",
    "QuestionRun",
    "ReadHit",
    "ReadMark",
    "ReviewMark",
    "SavedView",
    "ScanMark",
    "Threshold",
]
