"""Unknown addresses: which are stored, how visits are counted, and how many rows there may be."""

import asyncio
from collections import Counter
from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.catalog.redirects import unknown_addresses as module
from backend.catalog.redirects.addresses import OldAddress, parse_request_address
from backend.catalog.redirects.models import UnknownAddress
from backend.catalog.redirects.unknown_addresses import UnknownAddresses, select_kept_address, store_visits
from backend.core.clock import now
from backend.operations.tidy.tidy import Tidy

IP = "190.24.1.1"


def parse(address: str) -> OldAddress:
    path, _mark, query = address.partition("?")
    found = parse_request_address(path.encode(), query.encode())
    assert found is not None
    return found


async def read_visits(shop: Shop) -> dict[str, int]:
    async with shop.database.read() as session:
        rows = await session.execute(select(UnknownAddress.former_address, UnknownAddress.visits))
        return dict(rows.all())


@pytest.mark.parametrize(
    ("address", "kept"),
    [
        ("/productos/balero.html", "/productos/balero.html"),
        (
            "/index.php?id_product=12&controller=product&token=abc&email=ana",
            "/index.php?controller=product&id_product=12",
        ),
        ("/?product=balero&utm_source=x", "/?product=balero"),
        ("/muñecas/ñandú", "/muñecas/ñandú"),
        ("/producto.aspx?id=7", "/producto.aspx?id=7"),
        ("/?s=mi+nombre", None),
        ("/x?ref=ana@example.com", "/x"),
        ("/x?id=3f2a9c1b7d5e4f60a1b2c3d4", "/x"),
        ("/baja/ana@example.com", None),
        ("/recuperar/3f2a9c1b7d5e4f60a1b2c3d4", None),
        ("/r/123e4567-e89b-12d3-a456-426614174000", None),
        ("/mi-cuenta/direcciones", None),
        ("/es/pedidos/1234", None),
        ("/order/order_x?token=y", None),
        ("/wp-login.php", None),
        ("/wp-admin/setup-config.php?id=1", None),
        ("/.env", None),
        ("/.git/config", None),
        ("/blog/.well-known/x", None),
        ("/xmlrpc.php", None),
        ("/tienda.php", None),
        ("/vendor/phpunit/x", None),
        ("/copia.zip", None),
        ("/foto.jpg", None),
        ("/feed.xml", None),
        ("/oficina/nada", None),
        ("/a/b/c/d/e/f/g/h/i", None),
        ("/" + "a" * 250, None),
        ("/", None),
    ],
)
def test_only_addresses_of_public_pages_are_stored(address: str, kept: str | None) -> None:
    found = select_kept_address(parse(address))
    assert (str(found) if found else None) == kept


async def test_visits_are_stored_in_batches_and_added_up(shop: Shop) -> None:
    counter = UnknownAddresses(shop.database, interval_s=0.01)
    for _visit in range(3):
        counter.count_visit(parse("/balero"), IP)
    counter.count_visit(parse("/yoyo"), "190.24.1.2")
    counter.count_visit(parse("/yoyo"), IP, "Mozilla/5.0 (compatible; Googlebot/2.1)")
    assert await read_visits(shop) == {}
    await counter.stop()
    assert await read_visits(shop) == {"/balero": 3, "/yoyo": 1}
    again = UnknownAddresses(shop.database, interval_s=60)
    again.count_visit(parse("/balero"), IP)
    await again.stop()
    assert (await read_visits(shop))["/balero"] == 4


async def test_visits_on_several_replicas_are_all_counted(shop: Shop) -> None:
    replicas = [UnknownAddresses(shop.database, interval_s=60) for _number in range(4)]
    for number, replica in enumerate(replicas):
        replica.count_visit(parse("/balero"), IP)
        replica.count_visit(parse(f"/toy-{number}"), IP)
    await asyncio.gather(*(replica.stop() for replica in replicas))
    assert await read_visits(shop) == {"/balero": 4, **{f"/toy-{number}": 1 for number in range(4)}}


async def test_flood_of_unknown_addresses_is_bounded_in_memory_and_in_the_table(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    counter = UnknownAddresses(shop.database, interval_s=60)
    for number in range(1_000):
        counter.count_visit(parse(f"/flood-{number}"), IP)
        counter.count_visit(parse("/flood-0"), IP)
    for number in range(1_000):
        counter.count_visit(parse(f"/more-{number}"), f"190.24.{number // 250}.{number % 250}")
    await counter.flush()
    visits = await read_visits(shop)
    assert len(visits) == module.MAX_PENDING
    assert visits["/flood-0"] == module.MAX_COUNTED_VISITS
    assert len([one for one in visits if one.startswith("/flood")]) == module.MAX_PENDING_PER_NETWORK
    await counter.stop()


async def test_least_visited_addresses_are_deleted_beyond_the_limit(
    shop: Shop, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(module, "MAX_ROWS", 3)

    async def store(**visits: int) -> None:
        async with shop.database.transaction() as session:
            await store_visits(session, Counter({f"/{name}": count for name, count in visits.items()}))

    await store(a=5, b=2, c=1)
    await store(d=1, e=1)
    assert set(await read_visits(shop)) >= {"/a", "/b"}
    assert len(await read_visits(shop)) == 3
    await store(f=9)
    assert sorted(await read_visits(shop))[:2] == ["/a", "/b"]
    assert "/f" in await read_visits(shop)


async def test_unknown_address_without_recent_visits_is_deleted(shop: Shop) -> None:
    async with shop.database.transaction() as session:
        await store_visits(session, Counter({"/old": 9, "/new": 1}))
        old = (
            await session.execute(select(UnknownAddress).where(UnknownAddress.former_address == "/old"))
        ).scalar_one()
        old.seen_at = now() - timedelta(days=91)
    await Tidy(shop.database, shop.pictures).tidy()
    assert await read_visits(shop) == {"/new": 1}


async def test_visits_that_cannot_be_stored_are_dropped_with_one_log_entry(
    shop: Shop, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    async def fail(*_arguments: Any) -> None:
        raise ValueError("broken")

    monkeypatch.setattr(module, "store_visits", fail)
    counter = UnknownAddresses(shop.database, interval_s=60)
    counter.count_visit(parse("/balero"), IP)
    await counter.stop()
    assert [record.message for record in caplog.records] == ["visits of unknown addresses were not stored"]
    assert await read_visits(shop) == {}
