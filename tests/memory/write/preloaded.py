"""What the server of forks has loaded; no database is opened here."""

import django

django.setup()

from memory.text.segment import warm  # noqa: E402
from tests.memory.jobs import work as _jobs  # noqa: E402, F401
from tests.memory.write import work as _writing  # noqa: E402, F401

warm()
