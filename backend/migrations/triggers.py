"""Triggers that record changes of the catalogue in the database itself (`CatalogVersion`).

They record the changes of every writer: a service, an import, or a person with a database client. On SQLite, a
revision that changes a watched table by copying it (`batch_alter_table`) drops the table's triggers and must call
`watch` again.
"""

from collections.abc import Mapping, Sequence

from alembic import op

_COUNTERS = ("catalog", "stock", "lists", "sold_out", "shared")
# The version is the id of the transaction that wrote it. A deferred trigger runs at the commit: the one row that all
# writers share is locked at the end and only during the commit, so no writer can deadlock on it or wait long.
# PostgreSQL compiles a branch when it is first reached, so earlier revisions may lack some of the columns.
_RAISE_COUNTERS = "\n".join(
    f"  IF '{counter}' = ANY(TG_ARGV) THEN"  # noqa: S608 - names of our own
    f" UPDATE catalog_version SET {counter} = version WHERE {counter} <> version; END IF;"
    for counter in _COUNTERS
)
_NOTE_CHANGE = f"""
CREATE OR REPLACE FUNCTION note_catalog_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE version bigint := pg_current_xact_id()::text::bigint;
BEGIN
{_RAISE_COUNTERS}
  RETURN NULL;
END $$
"""
# This number is a counter, so that a reader can query newer changes: the writer that raises it locks the row until
# its commit, so the number rises in the order of the commits.
_NOTE_PRODUCT_CHANGE = """
CREATE OR REPLACE FUNCTION note_product_change() RETURNS trigger LANGUAGE plpgsql AS $$
DECLARE
  writer bigint := pg_current_xact_id()::text::bigint;
  latest bigint;
  before text;
  after text;
BEGIN
  UPDATE catalog_version SET product_changes = product_changes + 1, product_changes_by = writer
    WHERE product_changes_by <> writer;
  SELECT product_changes INTO latest FROM catalog_version;
  IF TG_TABLE_NAME = 'product' THEN
    before := OLD.id;
    after := NEW.id;
  ELSE
    before := OLD.product_id;
    after := NEW.product_id;
  END IF;
  IF after IS NOT NULL THEN
    INSERT INTO product_change (product_id, number) VALUES (after, latest)
      ON CONFLICT (product_id) DO UPDATE SET number = latest WHERE product_change.number <> latest;
  END IF;
  IF before <> after OR after IS NULL THEN
    INSERT INTO product_change (product_id, number) VALUES (before, latest)
      ON CONFLICT (product_id) DO UPDATE SET number = latest WHERE product_change.number <> latest;
  END IF;
  RETURN NULL;
END $$
"""


def watch(
    table: str, *counters: str, columns: Sequence[str] = (), when: Mapping[str, str] | None = None
) -> None:
    """Create triggers that change these counters of `CatalogVersion` when rows of the table change.

    The triggers of earlier calls for the table stay, except those whose names the new triggers have.

    Args:
        table: the table's name.
        counters: some of `catalog`, `stock`, `lists`, `sold_out` and `shared`; `catalog` by default.
        columns: react only to updates of these columns; empty for all columns.
        when: SQL conditions by `INSERT`, `UPDATE` and `DELETE`: react only to changes that meet the condition.
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


def watch_emptying(table: str) -> None:
    """Create a PostgreSQL trigger that changes all counters when the table is truncated. SQLite has no TRUNCATE.

    Row triggers ignore TRUNCATE. This trigger cannot be deferred, so it locks the one row of `CatalogVersion` until
    the commit. This harms no request of the shop, because only a person truncates a table.
    """
    if op.get_bind().dialect.name == "postgresql":
        counters = ", ".join(f"'{counter}'" for counter in _COUNTERS)
        op.execute(
            f"CREATE TRIGGER watch_emptying_of_{table} AFTER TRUNCATE ON {table} "
            f"FOR EACH STATEMENT EXECUTE FUNCTION note_catalog_change({counters})"
        )


def watch_products(table: str) -> None:
    """Create triggers that record every change of the table's rows as a change of its product (`ProductChange`).

    The table is `product`, or has a column `product_id`.
    """
    name = f"watch_product_of_{table}"
    if op.get_bind().dialect.name == "postgresql":
        op.execute(_NOTE_PRODUCT_CHANGE)
        op.execute(
            f"CREATE CONSTRAINT TRIGGER {name} AFTER INSERT OR UPDATE OR DELETE ON {table} "
            f"DEFERRABLE INITIALLY DEFERRED FOR EACH ROW EXECUTE FUNCTION note_product_change()"
        )
        return
    column = "id" if table == "product" else "product_id"
    for event, rows in {"INSERT": ["NEW"], "UPDATE": ["OLD", "NEW"], "DELETE": ["OLD"]}.items():
        notes = "; ".join(
            f"INSERT INTO product_change (product_id, number) "  # noqa: S608 - names of our own
            f"SELECT {row}.{column}, product_changes FROM catalog_version WHERE true "
            f"ON CONFLICT (product_id) DO UPDATE SET number = excluded.number"
            for row in rows
        )
        raised = "UPDATE catalog_version SET product_changes = product_changes + 1"
        op.execute(
            f"CREATE TRIGGER {name}_{event.lower()} AFTER {event} ON {table} BEGIN {raised}; {notes}; END"
        )
