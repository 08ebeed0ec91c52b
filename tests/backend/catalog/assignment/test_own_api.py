"""The procedure against this shop's own Admin API, with the demo shop and its data file."""

from collections.abc import AsyncIterator

import httpx
import pytest
from sqlalchemy import delete, select

from backend.app import Shop, create_api
from backend.catalog.assignment import procedure
from backend.catalog.assignment.admin_api import AdminApi, ProcedureAborted
from backend.catalog.assignment.data import AssignmentData, CollectionToCreate, ExistingTarget, read_data
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


async def test_second_run_of_the_demo_plan_changes_nothing(
    shop: Shop, admin: AdminApi, capsys: pytest.CaptureFixture[str]
) -> None:
    data = read_data(None)
    before = await state(shop)
    await procedure.dry_run(data, admin)
    assert "actions planned, none was run." in capsys.readouterr().out
    assert await state(shop) == before
    await procedure.run_procedure(data, admin)
    async with shop.database.read() as session:
        found = await session.execute(
            select(Product.handle)
            .join(Collection, Collection.id == Product.collection_id)
            .where(Collection.handle == "patio-parque")
            .order_by(Product.handle)
        )
        assert list(found.scalars()) == sorted(data.create[1].products)
    after = await state(shop)
    assert len(after[3]) > len(before[3])  # open pages are notified of the moved products
    capsys.readouterr()
    await procedure.run_procedure(data, admin)
    assert capsys.readouterr().out.count("skip-create-collection") == 2
    assert await state(shop) == after  # not even a product's time of change, and no notification is sent


async def test_collection_with_accents_and_signs_gets_a_valid_handle(shop: Shop, admin: AdminApi) -> None:
    handles = {
        "Niños y niñas": "ninos-y-ninas",
        "¡Llegó la Navidad!": "llego-la-navidad",
        "Cubos, aros y lazos": "cubos-aros-y-lazos",
        "Sol & Luna 2.0": "sol-luna-2.0",
    }
    async with shop.database.read() as session:
        product_handles = list(
            (await session.execute(select(Product.handle).order_by(Product.handle).limit(4))).scalars()
        )
    data = AssignmentData(
        create=[
            CollectionToCreate(title=title, products=[handle_])
            for title, handle_ in zip(handles, product_handles, strict=True)
        ]
    )
    await procedure.run_procedure(data, admin)
    placed = (
        select(Collection.title, Collection.handle, Product.handle)
        .join(Product, Product.collection_id == Collection.id)
        .where(Product.handle.in_(product_handles))
        .order_by(Product.handle)
    )
    async with shop.database.read() as session:
        found = [tuple(row) for row in await session.execute(placed)]
    assert found == [
        (title, handle, handle_)
        for (title, handle), handle_ in zip(handles.items(), product_handles, strict=True)
    ]


async def test_assignment_does_not_change_prices_and_texts(shop: Shop, admin: AdminApi) -> None:
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
    await procedure.run_procedure(read_data(None), admin)
    async with shop.database.read() as session:
        assert (await session.execute(query)).all() == before
        assert before


async def test_run_with_a_wrong_token_aborts(shop: Shop) -> None:
    async with AdminApi("http://shop", "nobody", transport=httpx.ASGITransport(create_api(shop))) as api:
        with pytest.raises(ProcedureAborted, match="HTTP 401"):
            await procedure.run_procedure(read_data(None), api)


async def test_run_with_an_unknown_collection_aborts_with_the_response_of_the_shop(
    shop: Shop, admin: AdminApi
) -> None:
    async with shop.database.transaction() as session:
        await session.execute(delete(OutboxEvent))
    data = AssignmentData(existing=[ExistingTarget(id="pcol_nosuch", products=["carro-de-madera"])])
    with pytest.raises(ProcedureAborted, match=r"HTTP 404: .*pcol_nosuch"):
        await procedure.run_procedure(data, admin)
