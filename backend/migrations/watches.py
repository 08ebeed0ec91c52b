"""Triggers by which the database itself notes that the catalogue changed (`backend.catalog.models.CatalogVersion`).

Whoever writes, by whatever way, is noted: a service, an import, a person with a database client. On SQLite a revision
that changes a watched table by copying it (`batch_alter_table`) loses the table's triggers and watches it again.
"""

from alembic import op

EVENTS = ("INSERT", "UPDATE", "DELETE")

# The version is the id of the transaction that wrote it. A deferred trigger runs at the commit: the one row that all
# writers share is locked last and for no longer than the commit takes, so nobody can deadlock on it or wait long.
_NOTE_CHANGE = """
CREATE OR REPLACE FUNCTION note_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE version bigint := pg_current_xact_id()::text::bigint;
BEGIN
  IF TG_ARGV[0] = 'stock' THEN
    UPDATE catalog_version SET stock = version WHERE stock <> version;
  ELSE
    UPDATE catalog_version SET catalog = version WHERE catalog <> version;
  END IF;
  RETURN NULL;
END $$
"""


def watch(table: str, counter: str = "catalog") -> None:
    """Let every change of the table's rows change this number of the catalogue's version."""
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_NOTE_CHANGE)
        op.execute(f"DROP TRIGGER IF EXISTS watch_{table} ON {table}")
        op.execute(
            f"CREATE CONSTRAINT TRIGGER watch_{table} AFTER INSERT OR UPDATE OR DELETE ON {table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_catalog_change('{counter}')"
        )
        return
    for event in EVENTS:
        name = f"watch_{table}_{event.lower()}"
        op.execute(f"DROP TRIGGER IF EXISTS {name}")
        note = f"UPDATE catalog_version SET {counter} = {counter} + 1"  # noqa: S608 - names of our own
        op.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {note}; END")
