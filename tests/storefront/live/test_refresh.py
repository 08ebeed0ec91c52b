"""Open pages are refreshed: those that show the product, all of them, once, and no shopper waits for another."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from reflex.istate.manager.token import BaseStateToken
from reflex.state import StateUpdate
from reflex.utils.token_manager import SocketRecord
from reflex_base.event import Event
from reflex_base.registry import RegistrationContext

from backend.app import Shop
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product, Variant
from backend.core.events import publish
from backend.inventory.service import set_stock
from storefront.live import open_pages as pages_module
from storefront.live import refresh
from storefront.live.open_pages import OpenPages, Showing
from storefront.live.refresh import Refresher
from storefront.pages import home
from storefront.pages.catalog import CatalogState
from storefront.pages.home import HomeState
from storefront.pages.page_loader import PageParams
from storefront.pages.product import ProductState
from storefront.reflex_ext.state_loss import KnownClientState, start_over_event
from storefront.state.cart import CartState
from storefront.state.frame import FrameState, show_frame
from storefront.state.wishlist import WishlistState
from tests.store_defaults import Defaults, make_toy

Load = Callable[[Any], Awaitable[Any]]


class Browsers:
    """A real app, and browsers whose ends of the websocket only note what arrives."""

    def __init__(self, pages: OpenPages) -> None:
        with RegistrationContext.get().fork():  # the states, for an app of their own
            self.app = rx.App()
        assert self.app.event_namespace is not None
        self.namespace = self.app.event_namespace
        self.sockets = self.namespace._token_manager
        self.received: list[tuple[str, StateUpdate]] = []
        self.heard = asyncio.Event()
        self.refresher = Refresher(self.app, pages)
        self.reading = 0
        pages.connected = lambda: self.namespace.token_to_sid
        self.namespace.emit = self._note

    async def _note(self, _event: str, update: StateUpdate, to: str) -> None:
        self.received.append((to, update))
        self.heard.set()

    def connect(self, token: str) -> None:
        self.sockets.token_to_socket[token] = SocketRecord(instance_id=self.sockets.instance_id, sid=token)

    async def open(
        self, token: str, address: str, state: type[Any], load: Load = lambda state: state.load()
    ) -> None:
        """Have a browser at this address load this state."""
        self.sockets.token_to_socket[token] = SocketRecord(instance_id=self.sockets.instance_id, sid=token)
        place = {"pathname": address, "asPath": address, "token": token, "headers": {"origin": "http://shop"}}
        async with self.app.modify_state(BaseStateToken(ident=token, cls=state)) as root:
            root.router = RouterData.from_router_data(place)
            (await root.get_state(KnownClientState))._is_known = True
            await load(await root.get_state(state))
        self.received.clear()
        self.heard.clear()

    async def state(self, token: str, state: type[Any]) -> Any:
        root = await self.app.state_manager.get_state(BaseStateToken(ident=token, cls=state))
        return await root.get_state(state)

    async def settled(self) -> None:
        """Wait until everything that was told is done."""
        async with asyncio.timeout(20):
            while self.refresher._changes_arrived.is_set() or self.reading or self.refresher._tasks:
                await asyncio.gather(*self.refresher._tasks.values(), asyncio.sleep(0))

    def told(self) -> list[str]:
        return sorted(to for to, _ in self.received)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> OpenPages:
    pages = OpenPages()
    monkeypatch.setattr(pages_module, "open_pages", pages)
    return pages


@pytest.fixture
async def browsers(shop: Shop, pages: OpenPages, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Browsers]:
    monkeypatch.setattr(refresh, "PAUSE", 0.0)
    browsers = Browsers(pages)
    begin_round = browsers.refresher._round

    async def counted(changed: Collection[str] | None) -> None:
        browsers.reading += 1
        await begin_round(changed)
        browsers.reading -= 1

    monkeypatch.setattr(browsers.refresher, "_round", counted)
    browsers.refresher.start()
    yield browsers
    await browsers.refresher.stop()
    await browsers.app.state_manager.close()


class Toys:
    def __init__(self, shop: Shop, defaults: Defaults) -> None:
        self.shop, self.defaults = shop, defaults
        self.variants: dict[str, str] = {}
        self.ids: dict[str, str] = {}

    async def make(self, handle: str, **toy: Any) -> str:
        async with self.shop.database.transaction() as session:
            self.variants[handle] = await make_toy(session, self.defaults, handle, **toy)
            self.ids[handle] = (await session.get_one(Variant, self.variants[handle])).product_id
        return self.ids[handle]

    async def cost(self, handle: str, price: int) -> None:
        async with self.shop.database.transaction() as session:
            (await session.get_one(Variant, self.variants[handle])).price = price

    async def stock(self, handle: str, units: int) -> None:
        async with self.shop.database.transaction() as session:
            await set_stock(session, self.variants[handle], self.defaults.location_id, units)

    async def name(self, handle: str, title: str) -> None:
        async with self.shop.database.transaction() as session:
            (await session.get_one(Product, self.ids[handle])).title = title
            await publish(session, ProductChanged(self.ids[handle]))


@pytest.fixture
def toys(shop: Shop, defaults: Defaults) -> Toys:
    return Toys(shop, defaults)


async def test_whoever_looks_at_the_product_sees_it_change_and_nobody_else_is_told(
    browsers: Browsers, toys: Toys
) -> None:
    trompo = await toys.make("trompo")
    await toys.make("yoyo", age_range="9-12")
    for token, address in (("ana", "/product/trompo"), ("luis", "/product/trompo"), ("eva", "/product/yoyo")):
        await browsers.open(token, address, ProductState)
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.told() == ["ana", "luis"]
    for token in ("ana", "luis"):
        assert (await browsers.state(token, ProductState)).content.detail.card.price == 12_300
    (_, update), *_ = browsers.received
    assert [name for name in update.delta if "product_state" in name]
    assert update.events == []


async def test_what_did_not_change_is_not_sent(browsers: Browsers, toys: Toys) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.received == []


async def test_pages_that_show_the_same_are_left_alone(
    browsers: Browsers, toys: Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One unit fewer: a product's own page shows it, the home page does not."""
    trompo = await toys.make("trompo", stock=40)
    for number in range(12):
        await browsers.open(f"tab_{number}", "/", HomeState)
    await browsers.open("list", "/catalog", CatalogState)
    await browsers.open("ana", "/product/trompo", ProductState)
    touched: list[str] = []
    modify_state = browsers.app.modify_state

    def noted(token: BaseStateToken, **more: Any) -> Any:
        touched.append(token.ident)
        return modify_state(token, **more)

    monkeypatch.setattr(browsers.app, "modify_state", noted)
    await toys.stock("trompo", 39)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert touched == browsers.told() == ["ana"]
    await toys.stock("trompo", 0)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert len(browsers.told()) == 1 + 14


async def test_a_list_that_was_narrowed_is_compared_with_what_it_shows(
    browsers: Browsers, toys: Toys
) -> None:
    trompo = await toys.make("trompo", brand="Uno", stock=40)
    choices = {
        "categories": [], "brands": ["Uno"], "ages": [], "on_sale": False, "sort": "title", "shown": 24,
    }  # fmt: skip
    await browsers.open("ana", "/catalog", CatalogState, lambda state: state.browse(choices))
    await toys.stock("trompo", 39)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.told() == []
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.told() == ["ana"]
    content = (await browsers.state("ana", CatalogState)).content
    assert (content.is_custom, [card.price for card in content.page.cards]) == (True, [12_300])


async def test_pages_alike_are_read_once(
    browsers: Browsers, toys: Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    trompo = await toys.make("trompo")
    await toys.make("yoyo")
    reads: list[str] = []
    read = home.load

    async def counted(params: PageParams) -> Any:
        reads.append(params.path)
        return await read(params)

    monkeypatch.setattr(home, "load", counted)
    for number in range(12):
        await browsers.open(f"tab_{number}", "/", HomeState)
    await browsers.open("ana", "/product/trompo", ProductState)
    reads.clear()
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert reads == ["/"]
    assert len(browsers.told()) == 13


async def test_the_banner_drops_what_sold_out(browsers: Browsers, toys: Toys) -> None:
    trompo = await toys.make("trompo", featured=True)
    await toys.make("yoyo", featured=True)
    await browsers.open("ana", "/", HomeState)
    await toys.stock("trompo", 0)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    slides = (await browsers.state("ana", HomeState)).content.slides
    assert [slide.handle for slide in slides] == ["yoyo"]


async def test_a_product_that_is_gone_says_so(browsers: Browsers, toys: Toys, shop: Shop) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    async with shop.database.transaction() as session:
        (await session.get_one(Product, trompo)).status = "draft"
    browsers.refresher.notify([trompo])
    await browsers.settled()
    state = await browsers.state("ana", ProductState)
    assert state.content.detail is None
    assert state.meta.status == 404


async def test_a_product_of_another_address_by_now_is_led_to_and_stays_until_then(
    browsers: Browsers, toys: Toys, shop: Shop
) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    async with shop.database.transaction() as session:
        (await session.get_one(Product, trompo)).handle = "peonza"
    browsers.refresher.notify([trompo])
    await browsers.settled()
    ((_, update),) = [(to, update) for to, update in browsers.received if update.events]
    assert update.events == Event.from_event_type(rx.redirect("/product/peonza", replace=True))
    state = await browsers.state("ana", ProductState)
    assert state.content.detail.card.handle == "trompo"


async def test_a_list_keeps_what_it_was_narrowed_by(browsers: Browsers, toys: Toys) -> None:
    trompo = await toys.make("trompo", brand="Uno")
    await toys.make("yoyo", brand="Dos")
    for token in ("ana", "luis"):
        await browsers.open(token, "/catalog", CatalogState)
    choices = {
        "categories": [], "brands": ["Uno"], "ages": [], "on_sale": False, "sort": "title", "shown": 24,
    }  # fmt: skip
    async with browsers.app.modify_state(BaseStateToken(ident="ana", cls=CatalogState)) as root:
        await (await root.get_state(CatalogState)).browse(choices)
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    narrowed, whole = [(await browsers.state(token, CatalogState)).content for token in ("ana", "luis")]
    assert [(card.handle, card.price) for card in narrowed.page.cards] == [("trompo", 12_300)]
    assert narrowed.is_custom
    assert {card.handle for card in whole.page.cards} == {"trompo", "yoyo"}
    assert not whole.is_custom
    number = narrowed.number
    browsers.received.clear()
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.received == []  # nothing differs, although answers are numbered
    assert (await browsers.state("ana", CatalogState)).content.number == number


async def test_carts_and_wishlists_follow(browsers: Browsers, toys: Toys) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/cart", CartState, lambda cart: cart.add(toys.variants["trompo"], 2))
    await browsers.open("luis", "/wishlist", WishlistState, lambda wishes: wishes.show(["trompo", "yoyo"]))
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert (await browsers.state("ana", CartState)).cart.item_total == 24_600
    assert [card.price for card in (await browsers.state("luis", WishlistState)).cards] == [12_300]


async def test_a_page_that_was_left_is_not_refreshed(
    browsers: Browsers, toys: Toys, pages: OpenPages
) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    await browsers.open("ana", "/cart", CartState, lambda cart: cart.load_frame())
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.received == []
    assert [one.state for one in pages.showing(None)["ana"]] == [FrameState]


async def test_a_page_that_went_on_while_a_change_came_follows_at_its_next_address(
    browsers: Browsers, toys: Toys
) -> None:
    trompo, yoyo = await toys.make("trompo"), await toys.make("yoyo")
    await browsers.open("ana", "/product/trompo", ProductState)
    await toys.cost("trompo", 12_300)
    await browsers.refresher._round([trompo])  # what waits for its turn now
    await browsers.open("ana", "/product/yoyo", ProductState)
    await browsers.settled()
    await toys.cost("yoyo", 12_300)
    browsers.refresher.notify([yoyo])
    await browsers.settled()
    assert browsers.told() == ["ana"]


async def test_a_fragment_of_the_address_is_no_other_page(browsers: Browsers, toys: Toys) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    await browsers.open("ana", "/product/trompo#fotos", ProductState, lambda _product: asyncio.sleep(0))
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.told() == ["ana"]


async def test_closed_pages_are_left_alone(browsers: Browsers, toys: Toys, pages: OpenPages) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    del browsers.sockets.token_to_socket["ana"]
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.received == []
    assert len(pages) == 0


async def test_everything_is_refreshed_when_nobody_knows_what_changed(browsers: Browsers, toys: Toys) -> None:
    for handle in ("trompo", "yoyo"):
        await toys.make(handle)
        await browsers.open(handle, f"/product/{handle}", ProductState)
        await toys.cost(handle, 12_300)
    browsers.refresher.notify(None)
    await browsers.settled()
    assert browsers.told() == ["trompo", "yoyo"]


async def test_a_shopper_whose_own_event_takes_long_keeps_nobody_waiting(
    browsers: Browsers, toys: Toys
) -> None:
    trompo = await toys.make("trompo")
    for token in ("ana", "luis"):
        await browsers.open(token, "/product/trompo", ProductState)
    for price in (11_100, 12_200):  # the second round does not wait for the first
        async with browsers.app.modify_state(BaseStateToken(ident="ana", cls=ProductState)):
            await toys.cost("trompo", price)
            browsers.heard.clear()
            browsers.refresher.notify([trompo])
            async with asyncio.timeout(20):
                await browsers.heard.wait()
            assert browsers.told()[-1] == "luis"
            assert (await browsers.state("luis", ProductState)).content.detail.card.price == price
    await browsers.settled()
    assert (await browsers.state("ana", ProductState)).content.detail.card.price == 12_200


async def test_one_page_that_fails_takes_no_other_with_it(
    browsers: Browsers, toys: Toys, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    trompo = await toys.make("trompo")
    failing = False
    read = home.load

    async def load(params: PageParams) -> Any:
        if failing:
            raise ZeroDivisionError
        return await read(params)

    monkeypatch.setattr(home, "load", load)
    await browsers.open("ana", "/", HomeState)
    await browsers.open("luis", "/product/trompo", ProductState)
    failing = True
    await toys.cost("trompo", 12_300)
    with caplog.at_level(logging.ERROR, "storefront"):
        browsers.refresher.notify([trompo])
        await browsers.settled()
    assert browsers.told() == ["luis"]
    assert "ZeroDivisionError" in caplog.text
    failing = False
    browsers.refresher.notify([trompo])  # and the next round finds it again
    await browsers.settled()
    assert browsers.told() == ["ana", "luis"]


async def test_a_change_that_came_while_a_refresh_failed_is_shown(
    browsers: Browsers, toys: Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    trompo = await toys.make("trompo")
    read, at_work, may_fail = ProductState._update, asyncio.Event(), asyncio.Event()

    async def fail_once(state: ProductState) -> None:
        if at_work.is_set():
            await read(state)
            return
        at_work.set()
        await may_fail.wait()
        raise ZeroDivisionError

    await browsers.open("ana", "/product/trompo", ProductState)
    monkeypatch.setattr(ProductState, "_update", fail_once)
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await at_work.wait()
    refresh_soon, is_waiting = browsers.refresher._refresh_soon, asyncio.Event()

    def noted(token: str, showing: Showing) -> None:
        refresh_soon(token, showing)
        is_waiting.set()

    monkeypatch.setattr(browsers.refresher, "_refresh_soon", noted)
    await toys.cost("trompo", 12_400)
    browsers.refresher.notify([trompo])
    await is_waiting.wait()
    may_fail.set()
    await browsers.settled()
    assert (await browsers.state("ana", ProductState)).content.detail.card.price == 12_400


async def test_a_state_that_fails_takes_no_other_of_its_page_with_it(
    browsers: Browsers, toys: Toys, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    await toys.make("trompo")
    asked: list[str] = []

    async def fail(state: rx.State) -> None:
        asked.append(state.get_name())
        raise ZeroDivisionError

    for state in (ProductState, FrameState):
        monkeypatch.setattr(state, "_update", fail)
    await browsers.open("ana", "/product/trompo", ProductState)
    await browsers.open("ana", "/product/trompo", FrameState, show_frame)
    with caplog.at_level(logging.ERROR, "storefront"):
        browsers.refresher.notify(None)
        await browsers.settled()
    assert asked == [ProductState.get_name(), FrameState.get_name()]
    assert caplog.text.count("could not be refreshed") == 2


async def test_what_could_not_be_read_for_all_is_tried_again_by_each(
    browsers: Browsers, toys: Toys, monkeypatch: pytest.MonkeyPatch
) -> None:
    trompo = await toys.make("trompo")
    failures = 0
    read = home.load

    async def load(params: PageParams) -> Any:
        nonlocal failures
        if failures:
            failures -= 1
            raise ZeroDivisionError
        return await read(params)

    monkeypatch.setattr(home, "load", load)
    for token in ("ana", "luis"):
        await browsers.open(token, "/", HomeState)
    failures = 1
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert browsers.told() == ["ana", "luis"]


async def test_an_idle_page_whose_state_was_dropped_is_asked_to_start_over(
    browsers: Browsers, toys: Toys
) -> None:
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    browsers.app.state_manager.states.clear()  # type: ignore[attr-defined]
    await toys.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    ((_, update),) = [(to, update) for to, update in browsers.received if update.events]
    assert update.events == [start_over_event()]


async def test_a_state_that_does_not_know_its_browser_is_not_shown(browsers: Browsers, toys: Toys) -> None:
    """Redis drops states one by one: the one that was told goes first."""
    trompo = await toys.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    (await browsers.state("ana", KnownClientState))._is_known = False
    await toys.cost("trompo", 21_000)
    browsers.refresher.notify([trompo])
    await browsers.settled()
    assert [update.events for _, update in browsers.received] == [[start_over_event()]]
