"""Which tables live in which file."""

CACHE = "cache"


class CacheApart:
    """The cache's table in the file "cache", everything else in the store."""

    def db_for_read(self, model, **hints):
        return CACHE if model._meta.app_label == "django_cache" else None

    db_for_write = db_for_read

    def allow_migrate(self, db, app_label, **hints):
        # Its connection makes the table; nothing else goes there.
        return False if db == CACHE or app_label == "django_cache" else None
