"""Engine SQL that migrations run: FTS5 tables, write-ahead log, the ledger's guard.

Three indexes. `memory_fts_recall` serves agents: active rows only, every term starts with its
owner's number, so cost follows the owner's rows and not the table (0.25 ms at 10 k and at 1 M
rows, where a filter after bm25 costs 481 ms) and a query cannot reach another owner's terms.
`memory_fts_browse` serves people and questions about the past: every row of every state, terms
start with the workspace's number, read newest first and never ranked by the engine.
`memory_fts_turns` holds the dialogue log, each turn beside the turn before it in its session
(with it hit@5 on LoCoMo rose from 0.586 to 0.667), behind its owner's number.

Both keep their own content: SQLite 3.40 has no contentless delete, and a delete that names
other text than was indexed leaves ghosts. No triggers feed them: Django drops triggers silently
when it rebuilds a table; the rows are written in the transaction of the change itself.
"""

import string

RECALL, BROWSE, TURNS = "memory_fts_recall", "memory_fts_browse", "memory_fts_turns"
TERMS = {table: f"{table}_terms" for table in (RECALL, BROWSE, TURNS)}

# The analyser decides what a token is; the engine only splits on spaces.
_TOKENCHARS = string.punctuation.replace('"', "").replace("'", "''")

# Automatic merging off and many small merges after commits instead: with the defaults one write
# in 240 took 0.85 s at 100 k rows, with these the worst was 25 ms.
_CONFIG = (("automerge", 0), ("crisismerge", 1900), ("usermerge", 2))


def _install(table: str, columns: str = "words, bigrams", weights: str = "1.0, 0.5") -> list[str]:
    made = [
        f"CREATE VIRTUAL TABLE {table} USING fts5("
        f"""{columns}, tokenize="ascii tokenchars '{_TOKENCHARS}'")""",
        f"CREATE VIRTUAL TABLE {TERMS[table]} USING fts5vocab({table}, 'col')",
        f"INSERT INTO {table}({table}, rank) VALUES ('rank', 'bm25({weights})')",
    ]
    return made + [
        f"INSERT INTO {table}({table}, rank) VALUES ('{name}', {value})" for name, value in _CONFIG
    ]


INSTALL = [
    *_install(RECALL),
    *_install(BROWSE),
    *_install(TURNS, "words, bigrams, before_words, before_bigrams", "1.0, 0.5, 0.5, 0.25"),
]
UNINSTALL = [f"DROP TABLE {name}" for t in (RECALL, BROWSE, TURNS) for name in (TERMS[t], t)]

# The only updates that the ledger allows are an erasure's: a payload or a reason taken away.
GUARD = [
    "CREATE TRIGGER IF NOT EXISTS memory_change_no_delete BEFORE DELETE ON memory_change "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS memory_change_no_update BEFORE UPDATE ON memory_change "
    "WHEN NEW.payload IS NOT NULL OR OLD.hash IS NOT NEW.hash "
    "OR OLD.previous_hash IS NOT NEW.previous_hash OR OLD.payload_digest IS NOT NEW.payload_digest "
    "OR OLD.memory_id IS NOT NEW.memory_id OR OLD.fact IS NOT NEW.fact OR OLD.at IS NOT NEW.at "
    "OR OLD.action IS NOT NEW.action OR OLD.batch_id IS NOT NEW.batch_id "
    "OR OLD.status_before IS NOT NEW.status_before OR OLD.status_after IS NOT NEW.status_after "
    "OR OLD.revision_before IS NOT NEW.revision_before "
    "OR OLD.revision_after IS NOT NEW.revision_after OR OLD.id IS NOT NEW.id "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS memory_batch_no_delete BEFORE DELETE ON memory_batch "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
    "CREATE TRIGGER IF NOT EXISTS memory_batch_no_update BEFORE UPDATE ON memory_batch "
    "WHEN NEW.reason IS NOT '' OR OLD.reason_digest IS NOT NEW.reason_digest "
    "OR OLD.public_id IS NOT NEW.public_id OR OLD.workspace_id IS NOT NEW.workspace_id "
    "OR OLD.user_id IS NOT NEW.user_id OR OLD.at IS NOT NEW.at OR OLD.actor IS NOT NEW.actor "
    "OR OLD.surface IS NOT NEW.surface OR OLD.verb IS NOT NEW.verb "
    "OR OLD.undoes_id IS NOT NEW.undoes_id OR OLD.id IS NOT NEW.id "
    "BEGIN SELECT RAISE(ABORT, 'the ledger is append-only'); END",
]
UNGUARD = [
    "DROP TRIGGER IF EXISTS memory_change_no_delete",
    "DROP TRIGGER IF EXISTS memory_change_no_update",
    "DROP TRIGGER IF EXISTS memory_batch_no_delete",
    "DROP TRIGGER IF EXISTS memory_batch_no_update",
]


def set_write_ahead_log(apps, schema_editor) -> None:
    """Once, here: as a pragma of every connection the switch itself answers "busy"."""
    connection = schema_editor.connection
    if connection.vendor != "sqlite" or connection.is_in_memory_db():
        return
    with connection.cursor() as cursor:
        answer = cursor.execute("PRAGMA journal_mode=WAL").fetchone()[0]
    if answer != "wal":
        raise RuntimeError(
            f"SQLite did not switch to its write-ahead log (it says {answer!r}). "
            "The data folder must be on a local disk that supports shared memory."
        )
