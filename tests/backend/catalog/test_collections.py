"""Services that create, change, move, fill and delete collections, their audit entries, and concurrent moves."""

import pytest
from sqlalchemy import select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import AuditEntry
from backend.catalog.collections import (
    assign_to_collection,
    change_collection,
    create_collection,
    delete_collection,
    move_collection,
    ordered_collections,
    set_collection_display,
)
from backend.catalog.models import Collection, Product
from backend.catalog.redirects.group_addresses import find_moved_group, read_group_addresses
from backend.catalog.schemas.admin import CollectionChange
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from backend.core.errors import Forbidden, InvalidData
from backend.staff.rights import Actor, Role
from tests.backend.rivals import run_against_rival
from tests.store_defaults import add_product, set_up_defaults

ANA = Actor("user_ana", Role.SHOP)
PICTURE = "/pictures/0123456789abcdef/foto-960x640-960.webp"


@pytest.fixture
async def ids(database: Database, settings: Settings) -> dict[str, str]:
    """Create three collections and a product. Return the ids of the collections by title."""
    defaults = await set_up_defaults(database, settings)
    async with database.transaction() as session:
        await add_product(session, defaults, "la-voragine", stock=3)
        return {
            title: (await create_collection(session, ANA, title=title)).id
            for title in ("Clásicos", "Poesía", "Cuentos")
        }


async def read_titles(database: Database) -> list[str]:
    async with database.read() as session:
        return [one.title for one in (await session.execute(ordered_collections())).scalars()]


async def test_each_change_of_a_collection_is_stored_with_an_audit_entry(
    database: Database, ids: dict[str, str]
) -> None:
    own = ids["Poesía"]
    async with database.transaction() as session:
        product_id = (await session.execute(select(Product.id))).scalar_one()
        await change_collection(session, ANA, own, CollectionChange(title="Versos", handle="versos"))
        await set_collection_display(
            session, ANA, own, description="Para leer despacio.", picture=PICTURE, is_active=False
        )
        await move_collection(session, ANA, own, ids["Clásicos"], is_after=False)
        await assign_to_collection(session, ANA, own, [product_id], [])
    assert await read_titles(database) == ["Versos", "Clásicos", "Cuentos"]
    async with database.read() as session:
        stored = await session.get_one(Collection, own)
        assert (stored.handle, stored.description, stored.picture, stored.is_active) == (
            "versos",
            "Para leer despacio.",
            PICTURE,
            False,
        )
        assert (await session.get_one(Product, product_id)).collection_id == own
    async with database.transaction() as session:
        await delete_collection(session, ANA, own)
    async with database.read() as session:
        assert (await session.get_one(Product, product_id)).collection_id is None
        query = select(AuditEntry.action).where(AuditEntry.subject_id == own).order_by(AuditEntry.id)
        assert list((await session.execute(query)).scalars()) == [
            "created",
            "changed",
            "changed",
            "changed",
            "products assigned",
            "deleted",
        ]
    assert await read_titles(database) == ["Clásicos", "Cuentos"]


async def test_handle_of_another_collection_is_refused(database: Database, ids: dict[str, str]) -> None:
    with pytest.raises(InvalidData):
        async with database.transaction() as session:
            await change_collection(session, ANA, ids["Poesía"], CollectionChange(handle="cuentos"))


async def test_role_without_the_right_cannot_change_collections(
    database: Database, ids: dict[str, str]
) -> None:
    accountant = Actor("user_luz", Role.ACCOUNTANT)
    async with database.transaction() as session:
        for attempt in (
            create_collection(session, accountant, title="Otra"),
            set_collection_display(session, accountant, ids["Poesía"], is_active=False),
            move_collection(session, accountant, ids["Poesía"], ids["Cuentos"], is_after=True),
            assign_to_collection(session, accountant, ids["Poesía"], [], []),
            delete_collection(session, accountant, ids["Poesía"]),
        ):
            with pytest.raises(Forbidden):
                await attempt
    assert await read_titles(database) == ["Clásicos", "Poesía", "Cuentos"]


async def test_concurrent_moves_of_two_collections_are_both_kept(
    database: Database, ids: dict[str, str]
) -> None:
    async def rival(session: AsyncSession) -> None:
        await move_collection(session, ANA, ids["Cuentos"], ids["Clásicos"], is_after=False)

    async def act() -> None:
        async with database.transaction() as session:
            await move_collection(session, ANA, ids["Clásicos"], ids["Poesía"], is_after=True)

    await run_against_rival(database, rival, act)
    assert await read_titles(database) == ["Cuentos", "Poesía", "Clásicos"]


async def find_moved(database: Database, handle: str) -> str:
    async with database.read() as session:
        return await find_moved_group(session, Collection, handle)


async def rename(database: Database, collection_id: str, handle: str) -> None:
    async with database.transaction() as session:
        await change_collection(session, ANA, collection_id, CollectionChange(handle=handle))


async def test_former_address_of_a_collection_leads_to_it(database: Database, ids: dict[str, str]) -> None:
    """Rename a collection twice and back. Then hide it, give a former address to another one, and delete it."""
    own = ids["Poesía"]
    await rename(database, own, "versos")
    await rename(database, own, "rimas")
    assert [await find_moved(database, handle) for handle in ("poesia", "versos", "rimas")] == [
        "rimas",
        "rimas",
        "",
    ]
    await rename(database, own, "poesia")
    assert [await find_moved(database, handle) for handle in ("poesia", "versos", "rimas")] == [
        "",
        "poesia",
        "poesia",
    ]
    async with database.transaction() as session:
        await set_collection_display(session, ANA, own, is_active=False)
    assert await find_moved(database, "versos") == ""
    async with database.transaction() as session:
        await set_collection_display(session, ANA, own, is_active=True)
        await create_collection(session, ANA, title="Versos")
    assert [await find_moved(database, handle) for handle in ("versos", "rimas")] == ["", "poesia"]
    async with database.transaction() as session:
        await delete_collection(session, ANA, own)
    assert await find_moved(database, "rimas") == ""


async def test_two_collections_can_exchange_their_addresses(database: Database, ids: dict[str, str]) -> None:
    await rename(database, ids["Poesía"], "otra")
    await rename(database, ids["Cuentos"], "poesia")
    await rename(database, ids["Poesía"], "cuentos")
    async with database.read() as session:
        handles = dict((await session.execute(select(Collection.title, Collection.handle))).all())
        assert await read_group_addresses(session, Collection, ids["Poesía"]) == ["/collection/otra"]
        assert await read_group_addresses(session, Collection, ids["Cuentos"]) == []
    assert (handles["Poesía"], handles["Cuentos"]) == ("cuentos", "poesia")
