"""Pictures of an import on hosts that do not answer, or answer late."""

import asyncio
import threading
from collections.abc import Sequence
from datetime import timedelta

import pytest
from sqlalchemy import select

from backend.catalog.models import Picture, Product, Variant
from backend.core.web.outside_fetch import FetchError
from backend.imports import import_job
from backend.imports.confirmation import JOB, start_import
from backend.imports.import_job import FETCH_CONCURRENCY, ProductImports
from backend.imports.models import ProductImportPicture
from backend.imports.refused_rows import build_refused_file
from backend.imports.spreadsheet_parsing import read_product_file
from backend.jobs import JobRun, RunAgain
from tests.backend.imports.sender import OWNER, Sender, list_problems
from tests.backend.imports.test_imports import HEAD, picture

NAMES = [f"http://{host}.example/x.jpg" for host in "abcdef"]
ROWS = [f"Juguete {n};J-{n};1000;1;;{name}\n" for n, name in enumerate(NAMES)]


async def read_picture_problems(sender: Sender) -> dict[str, str]:
    """Return the problem of each picture of the imports, by address; empty if there is none."""
    query = select(ProductImportPicture.name, ProductImportPicture.problem)
    async with sender.shop.database.read() as session:
        return dict((await session.execute(query.order_by(ProductImportPicture.name))).all())


async def begin_import(sender: Sender, rows: Sequence[str]) -> ProductImports:
    await sender.send_spreadsheet(HEAD + "".join(rows))
    await start_import(sender.shop.database, OWNER, sender.id)
    return ProductImports(sender.shop.database, sender.shop.uploads)


async def test_next_run_of_an_import_continues_with_the_pictures_stored_so_far(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[str] = []

    def fetch(address: str, **_how: object) -> bytes:
        requested.append(address)
        raise FetchError("does not answer")

    monkeypatch.setattr(import_job, "fetch", fetch)
    monkeypatch.setattr(import_job, "RUN_TIME_S", -1.0)
    monkeypatch.setattr(import_job, "FETCH_TIME_S", -1.0)
    imports = await begin_import(sender, ROWS)
    run = JobRun(1, JOB, sender.id, {"import_id": sender.id}, 1)
    assert await imports.run(run) == RunAgain(timedelta(0), reset=True)
    assert await read_picture_problems(sender) == dict.fromkeys(NAMES[:FETCH_CONCURRENCY], "not fetched")
    assert (await sender.report()).counts.settled == 0
    while await imports.run(run) is not None:
        pass
    assert await read_picture_problems(sender) == dict.fromkeys(NAMES, "not fetched")
    assert sorted(requested) == NAMES
    done = await sender.report()
    assert (done.status, done.counts.partial, done.counts.refused) == ("done", 6, 0)


async def test_interrupted_run_of_an_import_keeps_the_pictures_stored_so_far(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    hangs, gives_up = asyncio.Event(), threading.Event()
    loop = asyncio.get_running_loop()

    def fetch(address: str, **_how: object) -> bytes:
        if "//f." in address:
            loop.call_soon_threadsafe(hangs.set)
            gives_up.wait(60)
        raise FetchError("does not answer")

    monkeypatch.setattr(import_job, "fetch", fetch)
    imports = await begin_import(sender, ROWS)
    ended = asyncio.create_task(imports.run(JobRun(1, JOB, sender.id, {"import_id": sender.id}, 1)))
    await hangs.wait()
    ended.cancel()
    gives_up.set()
    with pytest.raises(asyncio.CancelledError):
        await ended
    assert len(await read_picture_problems(sender)) == FETCH_CONCURRENCY


async def test_picture_host_is_not_called_again_after_three_slow_failures(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[str] = []

    def fetch(address: str, **_how: object) -> bytes:
        requested.append(address.split("/")[2])
        if "dead" in address:
            raise FetchError("does not answer")
        return picture()

    monkeypatch.setattr(import_job, "fetch", fetch)
    monkeypatch.setattr(import_job, "SLOW_FETCH_S", 0.0)
    monkeypatch.setattr(import_job, "FETCH_CONCURRENCY", 1)
    rows = [
        f"Juguete {host} {n};{host}-{n};1000;1;;http://{host}.example/{n}.jpg\n"
        for host in ("dead", "good")
        for n in range(5)
    ]
    await begin_import(sender, rows)
    await sender.run_one_batch()
    assert requested == 3 * ["dead.example"] + 5 * ["good.example"]
    assert sorted((await read_picture_problems(sender)).values()) == 5 * [""] + 5 * ["not fetched"]
    assert (await sender.report()).counts.partial == 5


async def test_picture_host_that_fails_quickly_is_still_called_for_every_picture(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[str] = []

    def fetch(address: str, **_how: object) -> bytes:
        requested.append(address)
        raise FetchError("answers with 404")

    monkeypatch.setattr(import_job, "fetch", fetch)
    rows = [f"Juguete {n};J-{n};1000;1;;http://a.example/{n}.jpg\n" for n in range(9)]
    await begin_import(sender, rows)
    await sender.run_one_batch()
    assert len(requested) == 9


PUBLISHED_HEAD = "Nombre;SKU;Precio;Estado;Fotos\n"


def answer_unless_dead(address: str, **_how: object) -> bytes:
    if "dead" in address:
        raise FetchError("answers with 404")
    return picture(address.rpartition("/")[2])


async def test_new_product_with_an_unreachable_picture_is_imported_as_a_draft(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "fetch", answer_unless_dead)
    dead = "http://dead.example/red"
    trompo = f"Trompo;T-1;1000;publicado;{dead} http://a.example/blue\n"
    await sender.send_spreadsheet(
        f"{PUBLISHED_HEAD}{trompo}Yoyo;Y-1;2000;publicado;http://a.example/green\nBalón;B-1;3000;publicado;{dead}\n"
    )
    done = await sender.run_import()
    assert (done.counts.settled, done.counts.partial, done.counts.refused) == (3, 2, 0)
    assert list_problems(done) == [
        (2, "pictures", "picture not fetched"), (2, "", "without picture"),
        (4, "pictures", "picture not fetched"), (4, "", "without picture"),
    ]  # fmt: skip
    assert dead in done.problems[0].text
    assert await read_shop_values(sender) == {
        "T-1": ("draft", 1_000, ["http://a.example/blue"]),
        "Y-1": ("published", 2_000, ["http://a.example/green"]),
        "B-1": ("draft", 3_000, []),
    }
    async with sender.shop.database.read() as session:
        refused = await build_refused_file(session, OWNER, sender.id)
    table = read_product_file(refused)
    assert [row.line for row in table.rows] == [2, 3]
    await sender.send_spreadsheet(PUBLISHED_HEAD + trompo.replace(dead, "http://a.example/red"))
    assert (await sender.run_import()).counts.partial == 0
    assert (await read_shop_values(sender))["T-1"] == (
        "published", 1_000, ["http://a.example/red", "http://a.example/blue"],
    )  # fmt: skip


async def test_existing_product_keeps_its_pictures_if_a_new_one_is_unreachable(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "fetch", answer_unless_dead)
    await sender.send_spreadsheet(f"{PUBLISHED_HEAD}Trompo;T-1;1000;publicado;http://a.example/red\n")
    await sender.run_import()
    for _time in range(2):  # the second import has no other change
        await sender.send_spreadsheet(
            f"{PUBLISHED_HEAD}Trompo;T-1;1500;publicado;http://a.example/red http://dead.example/blue\n"
        )
        done = await sender.run_import()
        assert (done.counts.settled, done.counts.partial) == (1, 1)
        assert list_problems(done) == [(2, "pictures", "picture not fetched"), (2, "", "pictures kept")]
        assert await read_shop_values(sender) == {"T-1": ("published", 1_500, ["http://a.example/red"])}


async def test_new_product_with_variants_is_imported_as_a_draft_without_an_unreachable_picture(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "fetch", answer_unless_dead)
    await sender.send_spreadsheet(
        "Nombre;SKU;Precio;Estado;Fotos;Opción 1;Valor 1\n"
        "Carro;C-P;5000;publicado;;Talla;Chico\n"
        "Carro;C-G;9000;publicado;http://dead.example/red http://a.example/blue;Talla;Grande\n"
    )
    done = await sender.run_import()
    assert (done.counts.settled, done.counts.partial, done.counts.refused) == (2, 1, 0)
    assert await read_shop_values(sender) == {
        "C-P": ("draft", 5_000, ["http://a.example/blue"]), "C-G": ("draft", 9_000, ["http://a.example/blue"]),
    }  # fmt: skip


async def read_shop_values(sender: Sender) -> dict[str | None, tuple[str, int, list[str]]]:
    """Return the status, the price and the addresses of the pictures, by SKU."""
    async with sender.shop.database.read() as session:
        pictures = (
            await session.execute(select(Picture.product_id, Picture.source_url).order_by(Picture.rank))
        ).all()
        products = await session.execute(
            select(Product, Variant).join(Variant, Variant.product_id == Product.id)
        )
        return {
            variant.sku: (
                product.status,
                variant.price,
                [url for product_id, url in pictures if product_id == product.id],
            )
            for product, variant in products
        }


async def test_next_import_of_the_same_picture_addresses_changes_nothing(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    requested: list[str] = []

    def fetch(address: str, **_how: object) -> bytes:
        requested.append(address)
        return picture(address.rpartition("/")[2])

    async def read_stored() -> list[tuple[str, int, str]]:
        query = select(Picture.url, Picture.rank, Picture.source_url).order_by(Picture.source_url)
        async with sender.shop.database.read() as session:
            return [(url, rank, source) for url, rank, source in await session.execute(query)]

    monkeypatch.setattr(import_job, "fetch", fetch)
    row = "Trompo;T-1;1000;1;;http://a.example/red, http://a.example/blue\n"
    await sender.send_spreadsheet(HEAD + row)
    await sender.run_import()
    stored = await read_stored()
    assert [one[1:] for one in stored] == [(1, "http://a.example/blue"), (0, "http://a.example/red")]
    again = await sender.send_spreadsheet(HEAD + row)
    assert (again.counts.same, again.counts.changed, again.loss_count) == (1, 0, 0)
    added = await sender.send_spreadsheet(
        f"{HEAD}Trompo;T-1;1000;1;;http://a.example/red, http://a.example/blue http://a.example/green\n"
        "Yoyo;Y-1;1000;1;;http://a.example/red\n"
    )
    assert (added.counts.changed, added.counts.new, added.loss_count) == (1, 1, 0)
    assert (await sender.run_import()).counts.refused == 0
    assert requested == [f"http://a.example/{colour}" for colour in ("blue", "red", "green")]
    now = await read_stored()
    assert {one[0] for one in stored} < {one[0] for one in now}
    assert len(now) == 4
    less = await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;1000;1;;http://a.example/red\n")
    assert (less.counts.changed, dict(less.losses)) == (1, {"pictures": 1})


async def test_picture_address_of_the_shop_with_another_host_keeps_the_stored_picture(
    sender: Sender, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(import_job, "fetch", answer_unless_dead)
    await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;1000;1;;http://a.example/red\n")
    await sender.run_import()
    async with sender.shop.database.read() as session:
        url = (await session.execute(select(Picture.url))).scalar_one()
    again = await sender.send_spreadsheet(f"{HEAD}Trompo;T-1;1000;1;;https://tienda.example{url}?v=1\n")
    assert (again.counts.same, again.loss_count) == (1, 0)
