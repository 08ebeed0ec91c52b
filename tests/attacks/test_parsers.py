"""Bombs for every parser of files, sent to a running shop: refused, while it answers others and keeps its memory.

| way in | bombs | outcome |
|---|---|---|
| `/admin/imports`, `/admin/products/import`, `/admin/uploads` | spreadsheets | 400 |
| `/admin/import-pictures` | zips | 400, or the picture is refused |
| `/admin/uploads` | pictures, videos | 400 |
"""

import asyncio
from collections.abc import AsyncIterator, Callable

import httpx
import psutil
import pytest

from tests.attacks import bombs
from tests.attacks.conftest import STAFF
from tests.attacks.test_bodies import MIB
from tests.e2e.conftest import ShopServer

MAX_GROWTH = 128 * MIB
"""Of the serving processes: pages, caches and what a request of 10 MiB takes."""
SPREADSHEETS: tuple[Callable[[], bytes], ...] = (
    bombs.cells_without_reference,
    bombs.unfinished_cells,
    bombs.expanding_entities,
    bombs.large_part,
    bombs.ods_bomb,
    bombs.many_members,
    bombs.delimiters,
)
MEDIA: tuple[tuple[str, Callable[[], bytes]], ...] = (
    ("foto.jpg", bombs.progressive_scans),
    ("foto.png", lambda: bombs.large_picture("PNG")),
    ("video.mp4", lambda: bombs.many_boxes(1_000_000)),
)


@pytest.fixture
async def staff(attacked: ShopServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=attacked.url, timeout=300) as client:
        answer = await client.post("/auth/user/emailpass", json={"email": STAFF[0], "password": STAFF[1]})
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


def serving(shop: ShopServer) -> dict[int, int]:
    """Return the memory of the shop's processes by their ids, without the children that parse."""
    assert shop.process is not None
    parent = psutil.Process(shop.process.pid)
    found = {}
    for process in [parent, *parent.children(recursive=True)]:
        if "spreadsheet_reader" not in " ".join(process.cmdline()):
            found[process.pid] = process.memory_info().rss
    return found


async def send(
    shop: ShopServer, client: httpx.AsyncClient, path: str, name: str, content: bytes
) -> httpx.Response:
    """Send a file, and check that the same processes answer others meanwhile and take no memory."""
    before = serving(shop)
    field = "files" if path == "/admin/uploads" else "file"
    sending = asyncio.create_task(client.post(path, files={field: (name, content)}))
    answered = 0
    while not sending.done():
        assert (await client.get("/health")).status_code == 200
        answered += 1
        await asyncio.wait([sending], timeout=0.05)
    after = serving(shop)
    assert answered
    assert before.keys() <= after.keys()
    assert sum(after[pid] - before[pid] for pid in before) < MAX_GROWTH
    return await sending


@pytest.mark.parametrize("build", SPREADSHEETS)
async def test_spreadsheet_bomb_is_refused(
    build: Callable[[], bytes], attacked: ShopServer, staff: httpx.AsyncClient
) -> None:
    answer = await send(attacked, staff, "/admin/imports", "lista.xlsx", build())
    assert answer.status_code == 400
    assert answer.json()["type"] == "invalid_data"


@pytest.mark.parametrize("path", ["/admin/products/import", "/admin/uploads"])
async def test_spreadsheet_bomb_is_refused_at_the_other_doors(
    path: str, attacked: ShopServer, staff: httpx.AsyncClient
) -> None:
    answer = await send(attacked, staff, path, "lista.xlsx", bombs.cells_without_reference())
    assert answer.status_code == 400


async def test_zip_bomb_is_refused(attacked: ShopServer, staff: httpx.AsyncClient) -> None:
    sheet = {"file": ("lista.csv", b"Nombre;Precio;Fotos\nTrompo;5;a.jpg\n")}
    made = (await staff.post("/admin/imports", files=sheet)).json()["product_import"]["id"]
    path = f"/admin/import-pictures?id={made}"
    answer = await send(attacked, staff, path, "fotos.zip", bombs.many_members(2_001))
    assert answer.status_code == 400
    taken = await send(attacked, staff, path, "fotos.zip", bombs.pack_large("a.jpg"))
    assert (taken.status_code, taken.json()["taken"]) == (200, 0)


@pytest.mark.parametrize(("name", "build"), MEDIA)
async def test_media_bomb_is_refused(
    name: str, build: Callable[[], bytes], attacked: ShopServer, staff: httpx.AsyncClient
) -> None:
    answer = await send(attacked, staff, "/admin/uploads", name, build())
    assert answer.status_code == 400
