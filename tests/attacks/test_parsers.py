"""Bombs for every file parser of a running shop: it refuses them, answers others and limits its memory.

| path | bombs | outcome |
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
"""Memory growth of the serving processes in bytes: pages, caches and a request of 10 MiB."""
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
async def staff(attacked_shop: ShopServer) -> AsyncIterator[httpx.AsyncClient]:
    async with httpx.AsyncClient(base_url=attacked_shop.url, timeout=300) as client:
        answer = await client.post("/auth/user/emailpass", json={"email": STAFF[0], "password": STAFF[1]})
        client.headers["Authorization"] = f"Bearer {answer.json()['token']}"
        yield client


def measure_memory(shop: ShopServer) -> dict[int, int]:
    """Return the memory of the shop's processes in bytes, by process id, without the child processes that parse."""
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
    """Send a file. Check that other requests are answered while it is read, and that no process ends or grows."""
    before = measure_memory(shop)
    field = "files" if path == "/admin/uploads" else "file"
    sending = asyncio.create_task(client.post(path, files={field: (name, content)}))
    answered = 0
    while not sending.done():
        assert (await client.get("/health")).status_code == 200
        answered += 1
        await asyncio.wait([sending], timeout=0.05)
    after = measure_memory(shop)
    assert answered
    assert before.keys() <= after.keys()
    assert sum(after[pid] - before[pid] for pid in before) < MAX_GROWTH
    return await sending


@pytest.mark.parametrize("build", SPREADSHEETS)
async def test_spreadsheet_bomb_is_refused(
    build: Callable[[], bytes], attacked_shop: ShopServer, staff: httpx.AsyncClient
) -> None:
    answer = await send(attacked_shop, staff, "/admin/imports", "lista.xlsx", build())
    assert answer.status_code == 400
    assert answer.json()["type"] == "invalid_data"


@pytest.mark.parametrize("path", ["/admin/products/import", "/admin/uploads"])
async def test_spreadsheet_bomb_is_refused_by_admin_import_and_upload_routes(
    path: str, attacked_shop: ShopServer, staff: httpx.AsyncClient
) -> None:
    answer = await send(attacked_shop, staff, path, "lista.xlsx", bombs.cells_without_reference())
    assert answer.status_code == 400


async def test_zip_bomb_is_refused(attacked_shop: ShopServer, staff: httpx.AsyncClient) -> None:
    spreadsheet = {"file": ("lista.csv", b"Nombre;Precio;Fotos\nTrompo;5;a.jpg\n")}
    import_id = (await staff.post("/admin/imports", files=spreadsheet)).json()["product_import"]["id"]
    path = f"/admin/import-pictures?id={import_id}"
    answer = await send(attacked_shop, staff, path, "fotos.zip", bombs.many_members(2_001))
    assert answer.status_code == 400
    answer_to_bomb = await send(attacked_shop, staff, path, "fotos.zip", bombs.pack_large("a.jpg"))
    assert (answer_to_bomb.status_code, answer_to_bomb.json()["taken"]) == (200, 0)


@pytest.mark.parametrize(("name", "build"), MEDIA)
async def test_media_bomb_is_refused(
    name: str, build: Callable[[], bytes], attacked_shop: ShopServer, staff: httpx.AsyncClient
) -> None:
    answer = await send(attacked_shop, staff, "/admin/uploads", name, build())
    assert answer.status_code == 400
