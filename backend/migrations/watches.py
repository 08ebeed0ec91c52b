"""Triggers by which the database itself notes that the catalogue changed (`backend.catalog.models.CatalogVersion`).

Whoever writes, by whatever way, is noted: a service, an import, a person with a database client. On SQLite a revision
that changes a watched table by copying it (`batch_alter_table`) loses the table's triggers and watches it again.
"""

from collections.abc import Mapping, Sequence

from alembic import op

# The version is the id of the transaction that wrote it. A deferred trigger runs at the commit: the one row that all
# writers share is locked last and for no longer than the commit takes, so nobody can deadlock on it or wait long.
_NOTE_CHANGE = """
CREATE OR REPLACE FUNCTION note_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE version bigint := pg_current_xact_id()::text::bigint;
BEGIN
  IF TG_ARGV[0] = 'stock' THEN
    UPDATE catalog_version SET stock = version WHERE stock <> version;
  ELSIF TG_ARGV[0] = 'sold_out' THEN
    UPDATE catalog_version SET sold_out = version WHERE sold_out <> version;
  ELSIF TG_ARGV[0] = 'lists' THEN
    UPDATE catalog_version SET lists = version WHERE lists <> version;
  ELSIF TG_NARGS > 1 THEN
    UPDATE catalog_version SET catalog = version, lists = version WHERE catalog <> version OR lists <> version;
  ELSE
    UPDATE catalog_version SET catalog = version WHERE catalog <> version;
  END IF;
  RETURN NULL;
END $$
"""


def watch(
    table: str, *counters: str, columns: Sequence[str] = (), when: Mapping[str, str] | None = None
) -> None:
    """Let every change of the table's rows change these numbers of the catalogue's version.

    Args:
        table: its name.
        counters: `catalog` unless told otherwise; `stock`, `lists` or `sold_out`; or `catalog` and `lists`.
        columns: of the updates those that write one of them, beside what watches the table otherwise.
        when: the same of the changes for which a condition holds: by `INSERT`, `UPDATE` and `DELETE`.
    """
    counters = counters or ("catalog",)
    watcher = f"watch_{'_'.join(counters)}_of_{table}" if columns or when else f"watch_{table}"
    update = f"UPDATE OF {', '.join(columns)}" if columns else "UPDATE"
    conditions = {event: f"WHEN ({condition})" for event, condition in (when or {}).items()}
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_NOTE_CHANGE)
        arguments = ", ".join(f"'{counter}'" for counter in counters)
        whole = {f"INSERT OR {update} OR DELETE": ""}
        for event, condition in (conditions or whole).items():
            name = f"{watcher}_{event.lower()}" if conditions else watcher
            op.execute(f"DROP TRIGGER IF EXISTS {name} ON {table}")
            op.execute(
                f"CREATE CONSTRAINT TRIGGER {name} AFTER {event} ON {table} DEFERRABLE INITIALLY DEFERRED "
                f"FOR EACH ROW {condition} EXECUTE FUNCTION note_catalog_change({arguments})"
            )
        return
    raised = ", ".join(f"{counter} = {counter} + 1" for counter in counters)
    for event in ("INSERT", update, "DELETE"):
        name = f"{watcher}_{event.partition(' ')[0].lower()}"
        op.execute(f"DROP TRIGGER IF EXISTS {name}")
        note = f"UPDATE catalog_version SET {raised}"  # noqa: S608 - names of our own
        condition = conditions.get(event, "")
        op.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} {condition} BEGIN {note}; END")
