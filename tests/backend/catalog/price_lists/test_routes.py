"""Price lists over the Admin API (wire: commerce-api, Admin), on both databases."""

from datetime import UTC, datetime, timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Variant
from backend.catalog.price_lists.sales_job import SalesJob
from backend.catalog.price_lists.service import JOB
from backend.core.clock import now
from backend.jobs import JobRun
from backend.office.offers.sales import sale_page
from backend.staff.rights import COMMAND_LINE
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post

LISTS = "/admin/price-lists"
DAY = timedelta(days=1)


@pytest.fixture
async def variant_ids(shop: Shop, shop_defaults: Defaults) -> list[str]:
    """Create three products for 10,000, 20,000 and 30,000 pesos. Return their variants' ids."""
    async with shop.database.transaction() as session:
        return [
            await add_product(session, shop_defaults, f"toy-{number}", price=10_000 * number)
            for number in range(1, 4)
        ]


def list_body(*amounts: tuple[str, int], begin: datetime | None = None, **other: Any) -> dict[str, Any]:
    prices = [{"variant_id": one, "amount": amount, "currency_code": "cop"} for one, amount in amounts]
    starts = {} if begin is None else {"starts_at": begin.isoformat()}
    return {"title": "Navidad", "status": "active", "prices": prices, **starts, **other}


async def create_list(admin: httpx.AsyncClient, *amounts: tuple[str, int], **other: Any) -> dict[str, Any]:
    answer: dict[str, Any] = (await post(admin, LISTS, list_body(*amounts, **other)))["price_list"]
    return answer


async def check_refused(admin: httpx.AsyncClient, path: str, body: dict[str, Any], status: int) -> str:
    answer = await admin.post(path, json=body)
    assert answer.status_code == status, answer.text
    return str(answer.json()["message"])


async def read_prices(shop: Shop, variant_ids: list[str]) -> list[tuple[int, int | None]]:
    async with shop.database.read() as session:
        rows = (await session.execute(select(Variant).where(Variant.id.in_(variant_ids)))).scalars()
        by_id = {row.id: (row.price, row.compare_at_price) for row in rows}
    return [by_id[one] for one in variant_ids]


async def run_job(shop: Shop) -> None:
    await SalesJob(shop.database).run(JobRun(1, JOB, "", {}, 1))


async def test_prices_of_a_list_apply_only_while_the_list_is_active(
    shop: Shop, admin: httpx.AsyncClient, variant_ids: list[str]
) -> None:
    row = await create_list(admin, (variant_ids[0], 9_000), (variant_ids[2], 1), description="Hasta Reyes")
    assert (row["type"], row["status"], row["description"], row["ends_at"]) == (
        "sale",
        "active",
        "Hasta Reyes",
        None,
    )
    assert {one["variant_id"]: one["amount"] for one in row["prices"]} == {
        variant_ids[0]: 9_000,
        variant_ids[2]: 1,
    }
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == [(9_000, 10_000), (20_000, None), (1, 30_000)]
    async with shop.database.read() as session:
        shown = await sale_page(session, COMMAND_LINE, row["id"])
    assert (shown.form, shown.can_end, len(shown.rows)) == (None, True, 2)
    gone = await admin.delete(f"{LISTS}/{row['id']}")
    assert gone.json() == {"id": row["id"], "object": "price_list", "deleted": True}
    await run_job(shop)
    assert await read_prices(shop, variant_ids) == [(10_000, None), (20_000, None), (30_000, None)]
    assert (await admin.get(f"{LISTS}/{row['id']}")).status_code == 404
    assert (await get(admin, LISTS))["count"] == 0
    async with shop.database.read() as session:
        done = select(AuditEntry.action).where(AuditEntry.subject_id == row["id"]).order_by(AuditEntry.id)
        assert (await session.execute(done)).scalars().all() == ["created", "ended"]


async def test_price_list_is_returned_as_sent(admin: httpx.AsyncClient, variant_ids: list[str]) -> None:
    begin = datetime(2099, 12, 1, 5, tzinfo=UTC)
    row = await create_list(admin, (variant_ids[0], 9_000), (variant_ids[1], 19_000), begin=begin)
    path = f"{LISTS}/{row['id']}"
    assert (await get(admin, path))["price_list"] == row
    assert row["starts_at"] == "2099-12-01T05:00:00.000Z"
    assert "prices" not in (await get(admin, LISTS))["price_lists"][0]
    whole = await get(admin, f"{LISTS}?fields=*prices&q=navi&order=-title")
    assert whole["price_lists"] == [row]
    changed = await post(admin, path, {"title": "Reyes", "ends_at": "2100-01-07T05:00:00Z"})
    assert changed["price_list"]["title"] == "Reyes"
    assert (await get(admin, path))["price_list"]["ends_at"] == "2100-01-07T05:00:00.000Z"
    await post(admin, path, {"starts_at": "2099-12-02T05:00:00Z", "ends_at": None})
    read = (await get(admin, path))["price_list"]
    assert (read["starts_at"], read["ends_at"], read["title"]) == ("2099-12-02T05:00:00.000Z", None, "Reyes")
    first, second = sorted(row["prices"], key=lambda one: one["amount"])
    batch = {
        "create": [
            {"variant_id": variant_ids[2], "amount": 29_000},
            {"variant_id": variant_ids[1], "amount": 18_000},
        ],
        "update": [{"id": first["id"], "amount": 8_000}],
        "delete": [second["id"]],
    }
    answer = await post(admin, f"{path}/prices/batch", batch)
    assert [one["amount"] for one in answer["created"]] == [29_000, 18_000]
    assert [one["amount"] for one in answer["updated"]] == [8_000]
    assert answer["deleted"] == {"ids": [second["id"]], "object": "price", "deleted": True}
    assert [one["amount"] for one in (await get(admin, f"{path}/prices?order=amount"))["prices"]] == [
        8_000,
        18_000,
        29_000,
    ]
    assert (await get(admin, f"{path}/prices?variant_id={variant_ids[2]}"))["count"] == 1
    product = (await get(admin, f"/admin/product-variants?id={variant_ids[2]}"))["variants"][0]["product_id"]
    left = await post(admin, f"{path}/products", {"remove": [product]})
    assert {one["variant_id"] for one in left["price_list"]["prices"]} == set(variant_ids[:2])


async def test_invalid_price_list_is_refused_and_changes_nothing(
    shop: Shop, admin: httpx.AsyncClient, variant_ids: list[str]
) -> None:
    soon = now() + DAY
    other = await create_list(admin, (variant_ids[0], 9_000), begin=soon, ends_at=(soon + DAY).isoformat())
    for body, status, words in (
        (list_body((variant_ids[1], 20_000)), 400, "does not cost more"),
        (list_body((variant_ids[1], 5), (variant_ids[1], 6)), 400, "two prices"),
        (list_body(("variant_1", 5)), 404, "variant_1"),
        (list_body((variant_ids[0], 5)), 400, "another price list"),
        (list_body((variant_ids[1], 5), ends_at="2020-01-01T00:00:00Z"), 400, "ends after"),
        (list_body((variant_ids[1], 5), status="draft"), 400, "status"),
        (list_body((variant_ids[1], 5), type="override"), 400, "type"),
        (
            list_body((variant_ids[1], 5), rules={"customer.groups.id": ["cusgroup_1"]}),
            400,
            "Prices with rules are not supported: leave 'customer.groups.id' out of the field 'rules'",
        ),
        (list_body(), 400, "prices"),
        (list_body((variant_ids[1], 0)), 400, "amount"),
    ):
        assert words in await check_refused(admin, LISTS, body, status)
    assert (await get(admin, LISTS))["count"] == 1
    price = other["prices"][0]["id"]
    path = f"{LISTS}/{other['id']}/prices/batch"
    for batch, status, words in (
        ({"update": [{"id": "price_1", "amount": 5}]}, 404, "price_1"),
        ({"update": [{"id": price, "amount": 10_000}]}, 400, "does not cost more"),
        ({"update": [{"id": price, "variant_id": variant_ids[1], "amount": 5}]}, 400, "another variant"),
        ({"create": [{"variant_id": variant_ids[0], "amount": 5}]}, 400, "two prices"),
        ({"delete": ["price_1"]}, 404, "price_1"),
    ):
        assert words in await check_refused(admin, path, batch, status)
    assert (await get(admin, f"{LISTS}/{other['id']}/prices"))["prices"] == other["prices"]


async def test_price_of_a_later_list_may_exceed_the_price_of_a_running_list(
    shop: Shop, admin: httpx.AsyncClient, variant_ids: list[str]
) -> None:
    begin = now() + DAY
    await create_list(admin, (variant_ids[0], 8_000), ends_at=begin.isoformat())
    await run_job(shop)
    async with shop.database.transaction() as session:
        variant = await session.get_one(Variant, variant_ids[0])
        variant.price, variant.compare_at_price = 8_800, 11_000
    row = await create_list(admin, (variant_ids[0], 10_500), begin=begin)
    assert [one["amount"] for one in row["prices"]] == [10_500]


async def test_only_the_end_of_a_started_price_list_can_be_changed(
    admin: httpx.AsyncClient, variant_ids: list[str]
) -> None:
    row = await create_list(admin, (variant_ids[0], 9_000))
    path = f"{LISTS}/{row['id']}"
    price = row["prices"][0]["id"]
    assert "has begun" in await check_refused(admin, f"{path}/prices/batch", {"delete": [price]}, 400)
    assert "has begun" in await check_refused(admin, f"{path}/products", {"remove": ["prod_1"]}, 400)
    later = (now() + DAY).isoformat()
    assert "has begun" in await check_refused(admin, path, {"starts_at": later}, 400)
    assert (await post(admin, path, {"ends_at": later}))["price_list"]["ends_at"] is not None
