"""Fixtures: a shop with a few products, and its pages' documents without a browser or a server."""

import asyncio
import shutil
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from html import escape
from pathlib import Path

import httpx
import pytest
from sqlalchemy import select
from starlette.responses import PlainTextResponse

from backend.app import Shop, set_current_shop
from backend.catalog.models import Category, Picture, Product, ProductCategory
from backend.core.config.settings import Settings
from backend.core.db.database import Database
from storefront.documents.app import Documents
from storefront.documents.render_cache import RenderCache
from storefront.renderer.process import NotRendered
from tests.shared_results import SharedResults
from tests.store_defaults import add_product, set_up_defaults

TITLE = "Oso <b>Tomás</b> & Cía"
BROWSER = {
    "user-agent": "Mozilla/5.0 (X11; Linux x86_64) AppleWebKit/537.36 (KHTML, like Gecko) Chrome/126.0"
}
DESCRIPTION = "Un oso\u2028</script><script>alert(1)</script> de peluche."
SHELL = """<!DOCTYPE html><html lang="es-CO"><head><meta charSet="utf-8"/><script>theme()</script></head>\
<body><script type="module" async="">import "/assets/entry.js"</script></body></html>"""


@pytest.fixture
def build(tmp_path: Path) -> Path:
    """Return a folder like the build's: the shell, prerendered pages, files and their compressed copies."""
    folder = tmp_path / "client"
    for name, content in {
        "__spa-fallback.html": SHELL,
        "index.html": "prerendered",
        "catalog/index.html": "prerendered",
        "catalog/index.html.gz": "prerendered",
        "assets/entry.js": "run()",
        "assets/entry.js.gz": "run()",
        "demo/Trompo (frente)-320.webp": "picture",
        "favicon.ico": "icon",
    }.items():
        file = folder / name
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(content)
    return folder


@pytest.fixture(scope="session")
def toyshop_file(shared_results: SharedResults, sqlite_defaults: Path) -> Path:
    """Create an SQLite file with two departments and three products, closed and ready to be copied."""
    return shared_results.create_copy("toyshop.db", sqlite_defaults, _add_toys)


async def _add_toys(url: str) -> None:
    database = Database(url)
    defaults = await set_up_defaults(database, Settings())
    async with database.transaction() as session:
        root = Category(name="Juguetes", handle="juguetes")
        session.add(root)
        await session.flush()
        plush = Category(name="Peluches", handle="peluches", description="Para abrazar.", parent_id=root.id)
        session.add_all([plush, Category(name="Música", handle="musica", parent_id=root.id)])
        await session.flush()
        await add_product(session, defaults, "oso", title=TITLE, description=DESCRIPTION, featured=True)
        await add_product(session, defaults, "trompo", title="Trompo de madera", stock=0)
        await add_product(session, defaults, "pingüino-ñandú", title="Pingüino")
        oso = (await session.execute(select(Product.id).where(Product.handle == "oso"))).scalar_one()
        session.add(ProductCategory(product_id=oso, category_id=plush.id))
        session.add(
            Picture(
                product_id=oso,
                url="/demo/Oso (1)-960.webp",
                alt="Un oso",
                sources=[{"url": f"/demo/Oso (1)-{width}.webp", "width": width} for width in (320, 960)],
            )
        )
    await database.close()


@pytest.fixture
async def toyshop(toyshop_file: Path, tmp_path: Path) -> AsyncIterator[Shop]:
    """Return an open shop with two departments and three products."""
    data = tmp_path / "data"
    data.mkdir()
    shutil.copyfile(toyshop_file, data / "trompo.db")
    shop = Shop(Settings(data_dir=data, public_url="https://trompo.example"))
    set_current_shop(shop)
    yield shop
    set_current_shop(None)
    await shop.stop()


@dataclass
class FakeRenderer:
    """A renderer that returns the shell with the page's address in its body, and fails until `may_render` is set."""

    may_render: bool = False
    rendered: list[str] = field(default_factory=list)
    seconds: float = 0
    patient: list[bool] = field(default_factory=list)
    is_waking: bool = False
    woken: int = 0

    def wake(self) -> None:
        self.woken += 1

    async def render(self, url: str, initial_state: bytes, *, is_patient: bool = False) -> str:
        if not self.may_render:
            raise NotRendered("not now")
        if initial_state != b"{}":
            self.rendered.append(url)
            self.patient.append(is_patient)
            await asyncio.sleep(self.seconds)
        return SHELL.replace("<body>", f"<body><main>{escape(url)}</main>")


@pytest.fixture
def renderer() -> FakeRenderer:
    """Return the renderer of `browser`'s documents."""
    return FakeRenderer()


@pytest.fixture
async def browser(toyshop: Shop, build: Path, renderer: FakeRenderer) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client that requests documents like a browser with scripts.

    Paths that are no documents are passed on, and answered with the text "reflex".
    """
    renders = RenderCache(renderer, toyshop.settings, b"build", build)
    documents = Documents(PlainTextResponse("reflex"), build, renders)
    transport = httpx.ASGITransport(documents)
    async with httpx.AsyncClient(
        transport=transport, base_url="https://trompo.example", headers=BROWSER
    ) as client:
        yield client
