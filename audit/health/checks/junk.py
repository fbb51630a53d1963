import json
import re

from django.utils.translation import gettext_lazy

from audit.health.check import Severity
from audit.health.texts import Detail, Text, TextCheck
from memory.models import TurnRole
from memory.recall.trigger import should_recall

# What is told to a model about itself stands at the beginning of a text; in the middle it is
# somebody's remark about one.
_PROMPT = re.compile(
    r"\s*(?:<\|?(?:system|im_start|begin_of_text)|\[(?:inst|system)\]|<<sys>>|"
    r"(?:#+ *)?(?:system|assistant)(?: (?:prompt|message|instructions?))? *:|"
    r"you are (?:an?|the|my) (?:[\w-]+ ){0,4}?(?:assistant|agent|chatbot|bot|model|ai)\b|"
    r"you(?:'re| are) (?:chatgpt|claude|gemini|gpt)|"
    r"(?:as|i(?:'m| am)) an? (?:ai|large) (?:language )?model\b|"
    r"your (?:task|role|job|goal) is to\b|"
    r"(?:#+ *)?(?:系统提示词?|系统消息|角色设定|人设) *:|"
    r"(?:你|您)(?:现在)?(?:是|扮演|将扮演)(?:一[个名位款])?[^,。;]{0,20}?"
    r"(?:助手|助理|智能体|机器人|大?模型|ai|客服|专家)|"
    r"作为一[个名款]?(?:ai|人工智能|大?语言模型|智能助手)|"
    r"(?:你的)?(?:任务|职责|角色|目标)(?:是|:) *(?:根据|帮助|回答|扮演|从))"
)
_TOOL = re.compile(
    r"traceback \(most recent call last\)|^\s+at [\w.$<>]+\([\w.]+:\d+\)|"
    r"^\s*file \"[^\"]+\", line \d+|^(?:error|exception in thread)\b.*\n\s+at |"
    r"</?(?:tool_call|tool_result|tool_response|function_calls?|invoke|tool_use)\b|"
    r"\"(?:tool_call_id|tool_calls|function_call|tool_use_id)\" *:|"
    r"^\s*<(?:!doctype html|html|\?xml)\b|^(?:exit code|退出码) *[:=]? *-?\d+|"
    r"^diff --git |^@@ -\d+(?:,\d+)? \+\d+|^\[?\d{4}-\d\d-\d\d[t ]\d\d:\d\d:\d\d[^ ]*\]? *\[?"
    r"(?:debug|info|warn(?:ing)?|error|trace)\b|"
    r"^\s*(?:get|post|put|delete) /\S* http/[12]|^http/[12](?:\.\d)? \d{3}|"
    r"data:[\w/+.-]+;base64,",
    re.MULTILINE,
)
# The first thousands tell what a text is; a longer JSON is no statement either way.
_READ = 4000


class Junk(TextCheck):
    """Small talk counts only where no value was given with it: a word may be a value."""

    title = gettext_lazy("Junk")
    why = gettext_lazy(
        "System prompts, tool output, greetings and acknowledgements were stored as memories. "
        "They match many questions and answer none."
    )
    advice = gettext_lazy(
        "Retract the rows. Send what was said as messages with their roles, so that the gate "
        "decides what is kept."
    )
    severity = Severity.WARNING
    labels = {
        "prompt": gettext_lazy("system prompt"),
        "tool": gettext_lazy("tool output"),
        "greeting": gettext_lazy("greeting"),
        "thanks": gettext_lazy("thanks"),
        "farewell": gettext_lazy("farewell"),
        "acknowledgement": gettext_lazy("acknowledgement"),
        "laughter": gettext_lazy("laughter"),
        "symbols": gettext_lazy("signs only"),
    }

    def find(self, text: Text) -> Detail | None:
        what = _what(text)
        return {"what": what} if what else None


def _what(text: Text) -> str:
    said = text.memory.text
    if _PROMPT.match(text.normal[:_READ]) or _is_of_the_system(text):
        return "prompt"
    if _TOOL.search(said[:_READ].lower()) or _is_data(said):
        return "tool"
    if text.memory.value:
        return ""
    trigger = should_recall(said)
    return "" if trigger.triggered else trigger.reason


def _is_of_the_system(text: Text) -> bool:
    return text.memory.turn_id is not None and text.memory.turn.role == TurnRole.SYSTEM


def _is_data(said: str) -> bool:
    """Whether a text is a JSON object or list from end to end."""
    said = said.strip()
    if len(said) < 2 or said[0] + said[-1] not in ("{}", "[]"):
        return False
    if len(said) > _READ:
        return True
    try:
        return bool(json.loads(said))
    except ValueError:
        return False


CHECK = Junk()
