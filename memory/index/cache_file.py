"""The cache in a file of its own, which the processes of one machine share.

It holds what may be lost: counters, working memory, progress. Hence no waiting for the disk, and
nothing of it in the store. The file may be removed while no server runs; it is made again.
"""

from django.core.cache.backends.db import DatabaseCache
from django.db import connections, router

from memory import clock

TABLE = "mase_cache"
# Run with each connection, so that a file that was removed needs no command to come back.
MADE = (
    "PRAGMA journal_mode=WAL;"
    "PRAGMA synchronous=OFF;"
    "PRAGMA secure_delete=ON;"
    f"CREATE TABLE IF NOT EXISTS {TABLE} (cache_key varchar(255) NOT NULL PRIMARY KEY,"
    " value text NOT NULL, expires datetime NOT NULL);"
    f"CREATE INDEX IF NOT EXISTS {TABLE}_expires ON {TABLE} (expires);"
    "CREATE TABLE IF NOT EXISTS mase_tally (name varchar(255) NOT NULL PRIMARY KEY,"
    " used integer NOT NULL, until integer NOT NULL) WITHOUT ROWID;"
)


class FileCache(DatabaseCache):
    """Django's database cache, and a count that no process can lose."""

    def tally(self, name: str, seconds: int) -> int:
        """Count one more under `name`, kept for `seconds` from the first, and give the count.

        Django's own `incr` reads and then writes: two processes count as one. Raises
        `DatabaseError`.
        """
        connection = connections[router.db_for_write(self.cache_model_class)]
        now = int(clock.now().timestamp())
        with connection.cursor() as cursor:
            cursor.execute(
                "INSERT INTO mase_tally (name, used, until) VALUES (%s, 1, %s) ON CONFLICT (name)"
                " DO UPDATE SET used = CASE WHEN until <= %s THEN 1 ELSE used + 1 END,"
                " until = CASE WHEN until <= %s THEN excluded.until ELSE until END"
                " RETURNING used",
                [self.make_and_validate_key(name), now + seconds, now, now],
            )
            used = cursor.fetchone()[0]
            if used == 1:
                cursor.execute("DELETE FROM mase_tally WHERE until <= %s", [now])
        return used

    def clear(self):
        super().clear()
        connection = connections[router.db_for_write(self.cache_model_class)]
        with connection.cursor() as cursor:
            cursor.execute("DELETE FROM mase_tally")
