"""The procedure against this shop's own Admin API, with the demo shop and its data file."""

from collections.abc import AsyncIterator

import httpx
import pytest
from sqlalchemy import delete, select

from backend.app import Shop, create_api
from backend.catalog.assignment import procedure
from backend.catalog.assignment.admin_api import Aborted, AdminApi
from backend.catalog.assignment.data import AssignmentData, CollectionToCreate, Existing, read_data
from backend.catalog.models import Collection, Product, ProductCategory
from backend.core.config.settings import Settings
from backend.operations.demo.seed import seed
from backend.outbox.models import OutboxEvent
from backend.staff.rights import COMMAND_LINE
from backend.staff.service import create_staff

EMAIL, PASSWORD = "catalogo@trompo.example", "una clave larga de verdad"


@pytest.fixture
async def shop(database_url: str, settings: Settings) -> AsyncIterator[Shop]:
    shop = Shop(settings.model_copy(update={"database_url": database_url}))
    await seed(shop.database, settings)
    await create_staff(shop.database, COMMAND_LINE, EMAIL, PASSWORD)
    yield shop
    await shop.stop()


@pytest.fixture
async def admin(shop: Shop) -> AsyncIterator[AdminApi]:
    transport = httpx.ASGITransport(create_api(shop))
    async with httpx.AsyncClient(transport=transport, base_url="http://shop") as client:
        answer = await client.post("/auth/user/emailpass", json={"email": EMAIL, "password": PASSWORD})
    async with AdminApi("http://shop", answer.json()["token"], transport=transport) as api:
        yield api


async def state(shop: Shop) -> list[list[tuple[object, ...]]]:
    async with shop.database.read() as session:
        queries = (
            select(Collection.id, Collection.title, Collection.handle).order_by(Collection.id),
            select(Product.id, Product.collection_id, Product.updated_at).order_by(Product.id),
            select(ProductCategory.product_id, ProductCategory.category_id).order_by(
                ProductCategory.product_id, ProductCategory.category_id
            ),
            select(OutboxEvent.id, OutboxEvent.product_id).order_by(OutboxEvent.id),
        )
        return [[tuple(row) for row in (await session.execute(query)).all()] for query in queries]


async def test_the_demo_plan_is_done_once_and_changes_nothing_again(
    shop: Shop, admin: AdminApi, capsys: pytest.CaptureFixture[str]
) -> None:
    data = read_data(None)
    before = await state(shop)
    await procedure.dry_run(data, admin)
    assert "actions planned, none was run." in capsys.readouterr().out
    assert await state(shop) == before
    await procedure.apply(data, admin)
    async with shop.database.read() as session:
        found = await session.execute(
            select(Product.handle)
            .join(Collection, Collection.id == Product.collection_id)
            .where(Collection.handle == "patio-parque")
            .order_by(Product.handle)
        )
        assert list(found.scalars()) == sorted(data.create[1].products)
    after = await state(shop)
    assert len(after[3]) > len(before[3])  # open pages are told of what moved
    capsys.readouterr()
    await procedure.apply(data, admin)
    assert capsys.readouterr().out.count("skip-create-collection") == 2
    assert await state(shop) == after  # not even a product's time of change, and nobody is told


async def test_collections_with_accents_and_signs_are_created_with_handles_that_the_shop_takes(
    shop: Shop, admin: AdminApi
) -> None:
    handles = {
        "Niños y niñas": "ninos-y-ninas",
        "¡Llegó la Navidad!": "llego-la-navidad",
        "Cubos, aros y lazos": "cubos-aros-y-lazos",
        "Sol & Luna 2.0": "sol-luna-2.0",
    }
    async with shop.database.read() as session:
        toys = list(
            (await session.execute(select(Product.handle).order_by(Product.handle).limit(4))).scalars()
        )
    data = AssignmentData(
        create=[
            CollectionToCreate(title=title, products=[toy]) for title, toy in zip(handles, toys, strict=True)
        ]
    )
    await procedure.apply(data, admin)
    placed = (
        select(Collection.title, Collection.handle, Product.handle)
        .join(Product, Product.collection_id == Collection.id)
        .where(Product.handle.in_(toys))
        .order_by(Product.handle)
    )
    async with shop.database.read() as session:
        found = [tuple(row) for row in await session.execute(placed)]
    assert found == [(title, handle, toy) for (title, handle), toy in zip(handles.items(), toys, strict=True)]


async def test_prices_and_words_are_left_alone(shop: Shop, admin: AdminApi) -> None:
    columns = (
        Product.id,
        Product.title,
        Product.description,
        Product.brand,
        Product.age_range,
        Product.thumbnail,
    )
    query = select(*columns).order_by(Product.id)
    async with shop.database.read() as session:
        before = (await session.execute(query)).all()
    await procedure.apply(read_data(None), admin)
    async with shop.database.read() as session:
        assert (await session.execute(query)).all() == before
        assert before


async def test_a_wrong_token_aborts(shop: Shop) -> None:
    async with AdminApi("http://shop", "nobody", transport=httpx.ASGITransport(create_api(shop))) as api:
        with pytest.raises(Aborted, match="HTTP 401"):
            await procedure.apply(read_data(None), api)


async def test_an_unknown_collection_aborts_with_the_shops_answer(shop: Shop, admin: AdminApi) -> None:
    async with shop.database.transaction() as session:
        await session.execute(delete(OutboxEvent))
    data = AssignmentData(existing=[Existing(id="pcol_nosuch", products=["carro-de-madera"])])
    with pytest.raises(Aborted, match=r"HTTP 404: .*pcol_nosuch"):
        await procedure.apply(data, admin)
