"""Contents of audit entries, and protection against later changes."""

from collections.abc import Sequence
from contextlib import suppress
from typing import Any

import pytest
from sqlalchemy import delete, func, select, text, update
from sqlalchemy.exc import DBAPIError, IntegrityError

from backend.audit import AuditEntry, AuditPersonalValue, Subject, SubjectType, forget_personal_values, record
from backend.audit.values import NON_PERSONAL, SECRET_COLUMNS
from backend.catalog.models import Collection, Product, Variant
from backend.core.db.database import Database, database_now
from backend.operations.table_registry import all_tables
from backend.staff.models import Staff
from backend.staff.rights import COMMAND_LINE, SHOP

TOP = Subject(SubjectType.PRODUCT, "prod_top")


async def read_entries(database: Database) -> Sequence[AuditEntry]:
    async with database.read() as session:
        return (await session.execute(select(AuditEntry).order_by(AuditEntry.id))).scalars().all()


def changes_by_field(entry: AuditEntry) -> dict[str, Any]:
    return {
        " ".join(filter(None, (one.get("on"), one["field"]))): (one.get("before"), one.get("after"))
        for one in entry.changes
    }


@pytest.fixture
async def product_row(database: Database) -> None:
    """Create a product with one variant."""
    async with database.transaction() as session:
        session.add(Product(id="prod_top", handle="trompo", title="Trompo", brand="Roble"))
        await session.flush()
        session.add(Variant(id="variant_top", product_id="prod_top", price=20_000))


@pytest.mark.usefixtures("product_row")
class TestChanges:
    async def test_audit_entry_has_the_changed_fields_with_their_old_and_new_values(
        self, database: Database
    ) -> None:
        async with database.transaction() as session:
            before = await database_now(session)
            product = await session.get_one(Product, "prod_top")
            variant = await session.get_one(Variant, "variant_top")
            await record(session, COMMAND_LINE, "changed", TOP)
            product.title, variant.price = "Trompo de palo", 18_000
        (entry,) = await read_entries(database)
        assert (entry.actor_id, entry.action) == ("command line", "changed")
        assert (entry.subject_type, entry.subject_id) == ("product", "prod_top")
        assert entry.created_at >= before
        assert changes_by_field(entry) == {
            "title": ("Trompo", "Trompo de palo"),
            "variant:variant_top price": (20_000, 18_000),
        }

    async def test_change_reverted_in_the_same_transaction_is_not_recorded(self, database: Database) -> None:
        async with database.transaction() as session:
            product = await session.get_one(Product, "prod_top")
            await record(session, COMMAND_LINE, "changed", TOP)
            product.title, product.brand = "Trompito", "Cedro"
            await session.flush()
            product.title, product.brand = "Trompo", "Pino"
        (entry,) = await read_entries(database)
        assert changes_by_field(entry) == {"brand": ("Roble", "Pino")}

    async def test_each_audit_entry_has_only_its_own_changes(self, database: Database) -> None:
        async with database.transaction() as session:
            product = await session.get_one(Product, "prod_top")
            await record(session, COMMAND_LINE, "changed", TOP)
            product.title = "Trompito"
            await record(session, SHOP, "changed", TOP, {"stocked": (1, 2)})
            product.brand = "Pino"
        first, second = await read_entries(database)
        assert changes_by_field(first) == {"title": ("Trompo", "Trompito")}
        assert changes_by_field(second) == {"stocked": (1, 2), "brand": ("Roble", "Pino")}

    async def test_rolled_back_action_leaves_no_audit_entry(self, database: Database) -> None:
        with suppress(RuntimeError):
            async with database.transaction() as session:
                await record(session, COMMAND_LINE, "changed", TOP)
                raise RuntimeError
        assert await read_entries(database) == []

    @pytest.mark.parametrize("ended_by", [RuntimeError, IntegrityError])
    async def test_rolled_back_savepoint_leaves_no_audit_entry(
        self, database: Database, ended_by: type[Exception]
    ) -> None:
        async with database.transaction() as session:
            product = await session.get_one(Product, "prod_top")
            await record(session, COMMAND_LINE, "changed", TOP)
            with suppress(ended_by):
                async with session.begin_nested():
                    product.title = "Trompito"
                    await session.flush()
                    await record(session, SHOP, "changed", TOP)
                    if ended_by is IntegrityError:
                        session.add(Product(handle=product.handle, title="Otro"))
                        await session.flush()
                    raise RuntimeError
            await session.refresh(product)
            async with session.begin_nested():
                product.brand = "Pino"
        (entry,) = await read_entries(database)
        assert changes_by_field(entry) == {"brand": ("Roble", "Pino")}

    async def test_created_and_deleted_rows_are_recorded(self, database: Database) -> None:
        async with database.transaction() as session:
            await record(session, COMMAND_LINE, "created", Subject(SubjectType.COLLECTION, "pcol_1"))
            collection = Collection(id="pcol_1", title="Madera", handle="madera")
            session.add(collection)
            await session.flush()
            await record(session, COMMAND_LINE, "deleted", Subject(SubjectType.COLLECTION, "pcol_1"))
            await session.delete(collection)
        made, gone = await read_entries(database)
        assert changes_by_field(made) == {
            "title": (None, "Madera"),
            "handle": (None, "madera"),
            "is_active": (None, True),
        }
        assert changes_by_field(gone) == {
            "title": ("Madera", None),
            "handle": ("madera", None),
            "is_active": (True, None),
        }


class TestPersonalValues:
    async def test_personal_values_are_stored_separately_and_secrets_are_not_stored(
        self, database: Database
    ) -> None:
        async with database.transaction() as session:
            await record(session, COMMAND_LINE, "created", Subject(SubjectType.STAFF, "user_1"))
            session.add(Staff(id="user_1", email="ana@trompo.example", password_hash="argon2", role="shop"))
        (entry,) = await read_entries(database)
        fields = changes_by_field(entry)
        assert fields["role"] == (None, "shop")
        assert fields["email"] == fields["password_hash"] == (None, None)
        async with database.read() as session:
            (value,) = (await session.execute(select(AuditPersonalValue))).scalars()
        assert entry.changes[value.place]["field"] == "email"
        assert (value.before, value.after) == (None, "ana@trompo.example")

    async def test_deletion_of_personal_values_is_recorded(self, database: Database) -> None:
        subject = Subject(SubjectType.CUSTOMER, "cus_1")
        async with database.transaction() as session:
            await record(session, SHOP, "changed", subject, personal={"phone": ("300", "301")})
            await record(session, SHOP, "changed", TOP, personal={"phone": ("300", "302")})
        async with database.transaction() as session:
            assert await forget_personal_values(session, COMMAND_LINE, subject) == 1
        async with database.read() as session:
            (left,) = (await session.execute(select(AuditPersonalValue.after))).scalars()
        assert left == "302"
        actions = [(one.action, one.actor_id, one.subject_id) for one in await read_entries(database)]
        assert actions[-1] == ("personal values deleted", "command line", "cus_1")
        assert len(actions) == 3

    @pytest.mark.parametrize("value", [5, 1.5, True, None, "5", "", [5], {"a": None}])
    async def test_personal_value_can_be_any_json_value(self, database: Database, value: Any) -> None:
        async with database.transaction() as session:
            await record(session, SHOP, "changed", TOP, personal={"was": (value, "x"), "is": ("x", value)})
        async with database.read() as session:
            stored = (
                await session.execute(select(AuditPersonalValue.before, AuditPersonalValue.after))
            ).all()
        assert sorted(map(repr, stored)) == sorted(map(repr, [(value, "x"), ("x", value)]))

    def test_list_of_non_personal_columns_contains_only_existing_columns(self) -> None:
        tables = all_tables().tables
        unknown = {
            f"{table}.{column}"
            for table, columns in NON_PERSONAL.items()
            for column in columns or ()
            if column not in tables[table].columns
        }
        assert unknown == set()
        assert set(NON_PERSONAL) <= set(tables)
        assert {column.name for table in tables.values() for column in table.columns} >= SECRET_COLUMNS


class TestAppendOnly:
    @pytest.fixture
    async def entry(self, database: Database) -> None:
        async with database.transaction() as session:
            await record(session, SHOP, "changed", TOP, personal={"note": ("a", "b")})

    @pytest.mark.parametrize(
        "statement",
        [
            update(AuditEntry).values(actor_id="nobody"),
            delete(AuditEntry),
            update(AuditPersonalValue).values(place=7),
        ],
        ids=["change an entry", "delete an entry", "change a personal value"],
    )
    @pytest.mark.usefixtures("entry")
    async def test_change_or_deletion_of_audit_rows_is_refused(
        self, database: Database, statement: Any
    ) -> None:
        with pytest.raises(DBAPIError, match="append-only"):
            async with database.transaction() as session:
                await session.execute(statement)
        async with database.read() as session:
            assert (await session.execute(select(func.count()).select_from(AuditEntry))).scalar_one() == 1

    @pytest.mark.usefixtures("entry")
    async def test_truncate_of_the_audit_table_is_refused(self, database: Database) -> None:
        if not database.is_sqlite:
            with pytest.raises(DBAPIError, match="append-only"):
                async with database.transaction() as session:
                    await session.execute(text("TRUNCATE audit_entry CASCADE"))
        assert len(await read_entries(database)) == 1
