"""WSGI entry. One blocking thread a worker is the measured best for SQLite's single writer."""

import os

from django.core.wsgi import get_wsgi_application

os.environ.setdefault("DJANGO_SETTINGS_MODULE", "mase_site.settings")
application = get_wsgi_application()

from memory import checks  # noqa: E402  (needs settings)
from memory.recall.asker import warm_meaning  # noqa: E402
from memory.text import segment  # noqa: E402
from memory.write.embed_thread import embed_thread  # noqa: E402

checks.tell_at_start()
# The dictionary takes 1-2 s to load; nobody's first question should pay for it.
segment.warm()
warm_meaning()
embed_thread.wake()
