"""How much may be uploaded: checked before anything of it is written to a disk."""

from django.conf import settings
from django.core.exceptions import RequestDataTooBig
from django.core.files.uploadhandler import FileUploadHandler

_MB = 1_000_000
# What a form has beside its file.
_BESIDE = 100_000


class Bounded(FileUploadHandler):
    """Stands first among the handlers and refuses what says, or turns out, to be too large."""

    def handle_raw_input(self, input_data, meta, content_length, boundary, encoding=None):
        self._left = settings.IMPORT_MAX_MB * _MB + _BESIDE
        self._take(content_length)
        self._left = settings.IMPORT_MAX_MB * _MB + _BESIDE

    def receive_data_chunk(self, raw_data, start):
        self._take(len(raw_data))
        return raw_data

    def file_complete(self, file_size):
        return None

    def _take(self, size: int) -> None:
        self._left -= size
        if self._left < 0:
            raise RequestDataTooBig("the file is too large")
