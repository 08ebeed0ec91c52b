"""Documents without a rendering contain their page's text and links, and links to every page."""

import shutil
from collections.abc import AsyncIterator
from html import unescape
from html.parser import HTMLParser
from pathlib import Path

import httpx
import pytest
from starlette.responses import PlainTextResponse

from backend.app import Shop, set_current_shop
from backend.core.config.settings import Settings
from storefront.documents import plain_page as plain_pages
from storefront.documents.app import Documents
from storefront.documents.render_cache import RenderCache
from storefront.pages.catalog_list import PAGE_SIZE
from tests.amounts import cop
from tests.store_defaults import add_product, set_up_defaults
from tests.storefront.documents.conftest import BROWSER, TITLE, FakeRenderer

STAND_IN = '<div class="contents plain" data-stand-in>'
FOR_SCRIPTS = "Para esta página tu navegador necesita JavaScript. Actívalo y vuelve a cargarla."
UNESCAPED = "<b>Tomás"


class PlainParser(HTMLParser):
    """A parser that collects the text of each element and the addresses of all links, in order."""

    def __init__(self, html: str) -> None:
        super().__init__()
        assert html.count(STAND_IN) == 1
        self.texts: list[tuple[str, str]] = []
        self.links: list[str] = []
        self._inside = ""
        self.html = html.partition(STAND_IN)[2]
        self.feed(self.html.partition("</main>")[0])

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self._inside = tag
        if tag == "a":
            self.links.append(dict(attrs)["href"] or "")

    def handle_data(self, data: str) -> None:
        if data.strip():
            self.texts.append((self._inside, data.strip()))

    def all(self, tag: str) -> list[str]:
        """Return the texts of the elements with this tag."""
        return [text for inside, text in self.texts if inside == tag]


async def fetch_plain(browser: httpx.AsyncClient, path: str) -> PlainParser:
    return PlainParser((await browser.get(path)).text)


@pytest.mark.parametrize(
    ("path", "heading"),
    [
        ("/", "Juguetes hechos con cuidado, para jugar de verdad"),
        ("/catalog", "Todos los juguetes"),
        ("/catalog?category=peluches", "Peluches"),
        ("/catalog?category=nada", "Esta categoría no existe"),
        ("/age/3-5", "Juguetes de 3 a 5 años"),
        ("/gift?age=99&budget=50000", "Encuentra un regalo"),
        ("/age/nada", "No tenemos nada para esta edad"),
        ("/brand/nada", "Esta marca no existe"),
        ("/collection/nada", "Esta colección no existe"),
        ("/catalog?q=%3Cb%3Eoso", "Resultados para «<b>oso»"),
        ("/product/oso", TITLE),
        ("/product/nada", "Este producto no existe"),
        ("/cart", "Tu carrito"),
        ("/checkout", "Pagar"),
        ("/wishlist", "Tus favoritos"),
        ("/order/order_x?token=t", "Tu pedido"),
        ("/order/find", "Encuentra tu pedido"),
        ("/notify?id=a&token=b", "Avísame cuando llegue"),
        ("/unsubscribe", "No quiero este aviso"),
        ("/unsubscribe?about=offers&id=a&token=b", "Noticias y ofertas"),
        ("/account", "Mi cuenta"),
        ("/account/login", "Entra a tu cuenta"),
        ("/account/register", "Crea tu cuenta"),
        ("/account/reset", "Cambia tu contraseña"),
        ("/account/open", "Abre tu cuenta"),
        ("/no-such-page", "Página no encontrada"),
    ],
)
async def test_every_page_without_scripts_has_a_heading_and_links(
    browser: httpx.AsyncClient, path: str, heading: str
) -> None:
    page = await fetch_plain(browser, path)
    assert page.all("h1") == [heading]
    assert {"/", "/account", "/wishlist", "/cart", "/catalog"} <= set(page.links)
    assert {"/catalog?category=musica", "/catalog?category=peluches"} <= set(page.links)
    assert UNESCAPED not in page.html
    assert "<script" not in page.html


async def test_product_page_without_scripts_has_the_price_and_breadcrumbs(browser: httpx.AsyncClient) -> None:
    page = await fetch_plain(browser, "/product/oso")
    assert "Un oso de peluche." in [" ".join(text.split()) for text in page.all("p")]
    assert page.all("span").count(cop("$ 50.000")) == 1
    assert "Disponible, listo para despachar" in page.all("p")
    assert page.links[-2:] == ["/", "/catalog?category=peluches"]
    assert 'src="/demo/Oso%20%281%29-960.webp"' in page.html
    assert FOR_SCRIPTS in page.all("p")
    assert "Agotado por ahora" in (await fetch_plain(browser, "/product/trompo")).all("p")


@pytest.mark.parametrize("path", ["/", "/catalog"])
async def test_list_page_without_scripts_links_to_its_products(browser: httpx.AsyncClient, path: str) -> None:
    page = await fetch_plain(browser, path)
    assert {"/product/oso", "/product/ping%C3%BCino-%C3%B1and%C3%BA"} <= set(page.links)
    assert TITLE in page.all("a")


@pytest.mark.parametrize("path", ["/cart", "/checkout", "/wishlist", "/order/o?token=t", "/account/login"])
async def test_page_that_needs_scripts_shows_a_notice_without_them(
    browser: httpx.AsyncClient, path: str
) -> None:
    page = await fetch_plain(browser, path)
    assert FOR_SCRIPTS in page.all("p")
    assert f'<noscript><p class="page-lead">{FOR_SCRIPTS}</p></noscript>' in page.html


async def test_search_page_without_scripts_shows_the_query(browser: httpx.AsyncClient) -> None:
    page = await fetch_plain(browser, "/catalog?q=%22oso%22%3E")
    assert 'value="&#34;oso&#34;&gt;"' in page.html


async def test_long_list_without_scripts_links_to_its_next_and_previous_page(
    browser: httpx.AsyncClient, toyshop: Shop
) -> None:
    defaults = await set_up_defaults(toyshop.database, toyshop.settings)
    async with toyshop.database.transaction() as session:
        for number in range(PAGE_SIZE):
            await add_product(session, defaults, f"carro-{number}", title=f"Carro {number}")
    first, second = await fetch_plain(browser, "/catalog"), await fetch_plain(browser, "/catalog?page=2")
    assert "/catalog?page=2" in first.links
    assert "/catalog?page=2" not in second.links
    assert "Ver los anteriores" in second.all("a")
    assert (
        len([link for link in [*first.links, *second.links] if link.startswith("/product/")]) == PAGE_SIZE + 3
    )


async def test_document_is_sent_even_if_its_content_without_scripts_fails(
    browser: httpx.AsyncClient, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    monkeypatch.setitem(plain_pages.OF_ROUTES, "/catalog", "product.html")  # it needs other values
    answer = await browser.get("/catalog")
    assert answer.status_code == 200
    assert "initial-state" in answer.text
    assert "could not be written" in caplog.text


async def test_office_document_has_no_content_for_browsers_without_scripts(
    browser: httpx.AsyncClient,
) -> None:
    assert STAND_IN not in (await browser.get("/oficina")).text


async def test_rendered_document_does_not_contain_the_content_without_scripts_too(
    browser: httpx.AsyncClient, renderer: FakeRenderer
) -> None:
    renderer.may_render = True
    assert STAND_IN not in (await browser.get("/product/oso")).text


@pytest.fixture
async def empty_shop(
    sqlite_template: Path, tmp_path: Path, build: Path, renderer: FakeRenderer
) -> AsyncIterator[httpx.AsyncClient]:
    """Return a client for a shop without products, whose name needs escaping."""
    shutil.copyfile(sqlite_template, tmp_path / "trompo.db")
    shop = Shop(Settings(data_dir=tmp_path, public_url="https://t.example", store_name="Casa <b>&</b>"))
    set_current_shop(shop)
    documents = Documents(
        PlainTextResponse("reflex"), build, RenderCache(renderer, shop.settings, b"build", build)
    )
    transport = httpx.ASGITransport(documents)
    async with httpx.AsyncClient(
        transport=transport, base_url="https://t.example", headers=BROWSER
    ) as client:
        yield client
    set_current_shop(None)
    await shop.stop()


@pytest.mark.parametrize(
    ("path", "said"),
    [
        ("/", "Estamos armando la vitrina. Muy pronto habrá novedades por aquí."),
        ("/catalog", "Estamos armando la vitrina. Muy pronto habrá novedades por aquí."),
        ("/product/oso", "Puede que se haya agotado para siempre o que la dirección esté mal escrita."),
    ],
)
async def test_page_of_an_empty_shop_without_scripts_shows_a_notice(
    empty_shop: httpx.AsyncClient, path: str, said: str
) -> None:
    page = await fetch_plain(empty_shop, path)
    assert said in [unescape(text) for text in page.all("p")]
    assert "Casa <b>&</b>" in page.all("span")
    assert "<b>&" not in page.html
