from django.apps import AppConfig
from django.utils.translation import gettext_lazy as _


class MemoryConfig(AppConfig):
    name = "memory"
    verbose_name = _("Memory")

    def ready(self) -> None:
        from memory import checks  # noqa: F401
        from memory.exchange import work as _imports  # noqa: F401
        from memory.index import upkeep, vector_files
        from memory.jobs import erasing as _jobs  # noqa: F401
        from memory.recall import erasing as _recall  # noqa: F401
        from memory.write.erase import answers as _answers  # noqa: F401
        from memory.write.erase import images as _images  # noqa: F401
        from memory.write.erase import working as _working  # noqa: F401

        upkeep.connect()
        vector_files.connect()
