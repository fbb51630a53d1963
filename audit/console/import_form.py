"""What a person says about a file that is to be brought in."""

from django import forms
from django.conf import settings
from django.utils.translation import gettext as _
from django.utils.translation import gettext_lazy

from memory.exchange.formats import AUTO, Options, formats
from memory.write.proposal import NAME_LIMIT

from .correction import REASON_LIMIT

_CONTROL = {"class": "form-control"}


def _choices() -> list[tuple[str, str]]:
    return [(AUTO, _("Detect automatically"))] + [(f.name, f.title) for f in formats().values()]


class ImportForm(forms.Form):
    """A file, how it is to be read, and whose it is."""

    file = forms.FileField(
        label=gettext_lazy("File"), widget=forms.FileInput(attrs=_CONTROL), max_length=255
    )
    format = forms.ChoiceField(
        label=gettext_lazy("Format"),
        choices=_choices,
        initial=AUTO,
        widget=forms.Select(attrs={"class": "form-select"}),
    )
    user_id = forms.CharField(
        label=gettext_lazy("User"),
        max_length=NAME_LIMIT,
        widget=forms.TextInput(attrs=_CONTROL),
        help_text=gettext_lazy(
            "Rows that name no user, and files of one person, are kept under this name."
        ),
    )
    agent_id = forms.CharField(
        label=gettext_lazy("Agent"),
        required=False,
        max_length=NAME_LIMIT,
        widget=forms.TextInput(attrs=_CONTROL),
    )
    columns = forms.CharField(
        label=gettext_lazy("Columns of a table"),
        required=False,
        max_length=5000,
        widget=forms.Textarea(
            attrs=_CONTROL | {"rows": 2, "placeholder": gettext_lazy("model=entity")}
        ),
        help_text=gettext_lazy("One a line, column=field, where a heading is not known by itself."),
    )
    reason = forms.CharField(
        label=gettext_lazy("Reason"),
        required=False,
        max_length=REASON_LIMIT,
        widget=forms.TextInput(attrs=_CONTROL),
    )

    def __init__(self, *args, **kwargs):
        super().__init__(*args, **kwargs)
        self.fields["file"].help_text = _(
            "Up to %(most)s MB: mem0, OpenMemory, MASE, MCP memory, Claude, ChatGPT, Letta, MemOS, "
            "JSON lines, CSV or Excel."
        ) % {"most": settings.IMPORT_MAX_MB}

    def clean_columns(self) -> dict[str, str]:
        found = {}
        for line in filter(str.strip, self.cleaned_data["columns"].splitlines()):
            column, _sign, field = line.strip().rpartition("=")
            if not (column and field):
                raise forms.ValidationError(_("Write column=field, one a line."))
            found[column] = field
        return found

    def options(self) -> Options:
        said = self.cleaned_data
        return Options(said["user_id"].strip(), said["agent_id"].strip(), said["columns"])
