"""Triggers by which the database itself notes that the catalogue changed (`backend.catalog.models.CatalogVersion`).

Whoever writes, by whatever way, is noted: a service, an import, a person with a database client. On SQLite a revision
that changes a watched table by copying it (`batch_alter_table`) loses the table's triggers and watches it again.
"""

from collections.abc import Sequence

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


def watch(table: str, *counters: str, columns: Sequence[str] = ()) -> None:
    """Let every change of the table's rows change these numbers of the catalogue's version.

    `catalog` unless told otherwise; `stock`, or `lists`; or `catalog` and `lists`. With `columns`, of the updates those
    that write one of them, beside what watches the table otherwise.
    """
    counters = counters or ("catalog",)
    watcher = f"watch_{'_'.join(counters)}_of_{table}" if columns else f"watch_{table}"
    update = f"UPDATE OF {', '.join(columns)}" if columns else "UPDATE"
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_NOTE_CHANGE)
        op.execute(f"DROP TRIGGER IF EXISTS {watcher} ON {table}")
        arguments = ", ".join(f"'{counter}'" for counter in counters)
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {watcher} AFTER INSERT OR {update} OR DELETE ON {table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_catalog_change({arguments})"
        )
        return
    raised = ", ".join(f"{counter} = {counter} + 1" for counter in counters)
    for event in ("INSERT", update, "DELETE"):
        name = f"{watcher}_{event.partition(' ')[0].lower()}"
        op.execute(f"DROP TRIGGER IF EXISTS {name}")
        note = f"UPDATE catalog_version SET {raised}"  # noqa: S608 - names of our own
        op.execute(f"CREATE TRIGGER {name} AFTER {event} ON {table} BEGIN {note}; END")


_SELLS_OUT = {
    "INSERT": "NEW.stocked > NEW.reserved",
    "UPDATE": (
        "(OLD.stocked > OLD.reserved) <> (NEW.stocked > NEW.reserved) OR OLD.variant_id <> NEW.variant_id"
    ),
    "DELETE": "OLD.stocked > OLD.reserved",
}
"""When a change of a level may sell a variant out, or bring it back. No level has less than nothing, so a variant that
has units at several locations cannot be sold out while none of its levels is."""


def watch_sold_out() -> None:
    """Let `sold_out` of the catalogue's version change when a level of the stock is sold out or has units again."""
    is_postgresql = op.get_bind().dialect.name == "postgresql"
    if is_postgresql:
        op.execute(_NOTE_CHANGE)
    note = "UPDATE catalog_version SET sold_out = sold_out + 1"
    for event, condition in _SELLS_OUT.items():
        name = f"watch_sold_out_{event.lower()}"
        if is_postgresql:
            op.execute(
                f"CREATE CONSTRAINT TRIGGER {name} AFTER {event} ON inventory_level DEFERRABLE INITIALLY DEFERRED "
                f"FOR EACH ROW WHEN ({condition}) EXECUTE FUNCTION note_catalog_change('sold_out')"
            )
        else:
            op.execute(
                f"CREATE TRIGGER {name} AFTER {event} ON inventory_level WHEN {condition} BEGIN {note}; END"
            )


def forget_sold_out() -> None:
    """Take the triggers of `watch_sold_out` away."""
    of_table = " ON inventory_level" if op.get_bind().dialect.name == "postgresql" else ""
    for event in _SELLS_OUT:
        op.execute(f"DROP TRIGGER watch_sold_out_{event.lower()}{of_table}")
