"""Open pages that show a changed product are refreshed, once each, and browsers do not wait for each other."""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Collection
from typing import Any, NoReturn

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from reflex.istate.manager.token import BaseStateToken
from reflex.state import BaseState, StateUpdate
from reflex_base.event import Event
from reflex_base.registry import RegistrationContext

from backend.app import Shop
from backend.catalog.events import ProductChanged
from backend.catalog.models import Product, Variant
from backend.core.events import publish
from backend.inventory.service import set_stock
from storefront.live import open_pages as pages_module
from storefront.live import refresh
from storefront.live.open_pages import OpenPages
from storefront.live.refresh import Refresher
from storefront.pages import home
from storefront.pages.catalog import CatalogState
from storefront.pages.home import HomeState
from storefront.pages.page_loader import PageParams
from storefront.pages.product import ProductState
from storefront.reflex_ext.state_loss import HYDRATE, KnownClientState, StateLossMiddleware, start_over_event
from storefront.state.cart import CartState
from storefront.state.frame import FrameState, show_frame
from storefront.state.wishlist import WishlistState
from tests.store_defaults import Defaults, add_product

Load = Callable[[Any], Awaitable[Any]]


class Browsers:
    """A real app with simulated browsers. They only record the updates that the app sends to them."""

    def __init__(self, pages: OpenPages) -> None:
        with RegistrationContext.get().fork():  # a separate registry of states for this app
            self.app = rx.App()
        assert self.app.event_namespace is not None
        self.namespace = self.app.event_namespace
        self.received: list[tuple[str, StateUpdate]] = []
        self.heard = asyncio.Event()
        self.refresher = Refresher(self.app, pages)
        self.is_changed = False
        self.reading = 0
        self.rounds = 0
        pages.connected = lambda: self.namespace.token_to_sid
        self.namespace.emit = self._note

    async def _note(self, _event: str, update: StateUpdate, to: str) -> None:
        self.received.append((to, update))
        self.heard.set()

    async def connect(self, token: str) -> None:
        await self.namespace.link_token_to_sid(token, token, update_state=False)

    async def disconnect(self, token: str) -> None:
        cleaning = self.namespace.on_disconnect(token)
        assert cleaning is not None
        await cleaning

    async def open(
        self, token: str, address: str, state: type[Any], load: Load = lambda state: state.load()
    ) -> None:
        """Open this address in a browser and load this state."""
        await self.connect(token)
        place = {"pathname": address, "asPath": address, "token": token, "headers": {"origin": "http://shop"}}
        async with self.app.modify_state(BaseStateToken(ident=token, cls=state)) as root:
            root.router = RouterData.from_router_data(place)
            await StateLossMiddleware(()).preprocess(self.app, root, Event(name=HYDRATE))
            await load(await root.get_state(state))
        self.received.clear()
        self.heard.clear()

    async def state(self, token: str, state: type[Any]) -> Any:
        root = await self.app.state_manager.get_state(BaseStateToken(ident=token, cls=state))
        return await root.get_state(state)

    async def wait_until_settled(self) -> None:
        """Wait until all notifications are processed."""
        async with asyncio.timeout(20):
            while self.is_changed or self.reading or self.list_refreshing():
                await asyncio.gather(*self.list_refreshing(), asyncio.sleep(0))

    @staticmethod
    def list_refreshing() -> list["asyncio.Task[Any]"]:
        """Return the tasks that refresh a page."""
        return [task for task in asyncio.all_tasks() if task.get_name() == "refresh an open page"]

    def list_notified(self) -> list[str]:
        return sorted(to for to, _ in self.received)


@pytest.fixture
def pages(monkeypatch: pytest.MonkeyPatch) -> OpenPages:
    pages = OpenPages()
    monkeypatch.setattr(pages_module, "open_pages", pages)
    return pages


@pytest.fixture
async def browsers(shop: Shop, pages: OpenPages, monkeypatch: pytest.MonkeyPatch) -> AsyncIterator[Browsers]:
    monkeypatch.setattr(refresh, "PAUSE_S", 0.0)
    browsers = Browsers(pages)
    notify, refresh_pages = browsers.refresher.notify, browsers.refresher.refresh_pages

    def record_change(product_ids: Collection[str] | None) -> None:
        browsers.is_changed = True
        notify(product_ids)

    async def count_call(changed: Collection[str] | None) -> None:
        browsers.is_changed = False
        browsers.reading += 1
        await refresh_pages(changed)
        browsers.reading -= 1
        browsers.rounds += 1

    monkeypatch.setattr(browsers.refresher, "notify", record_change)
    monkeypatch.setattr(browsers.refresher, "refresh_pages", count_call)
    browsers.refresher.start()
    yield browsers
    await browsers.refresher.stop()
    await browsers.app.state_manager.close()


class ProductFactory:
    def __init__(self, shop: Shop, defaults: Defaults) -> None:
        self.shop, self.defaults = shop, defaults
        self.variants: dict[str, str] = {}
        self.ids: dict[str, str] = {}

    async def make(self, handle: str, **toy: Any) -> str:
        async with self.shop.database.transaction() as session:
            self.variants[handle] = await add_product(session, self.defaults, handle, **toy)
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
def factory(shop: Shop, defaults: Defaults) -> ProductFactory:
    return ProductFactory(shop, defaults)


async def test_change_is_sent_only_to_pages_that_show_the_product(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo = await factory.make("trompo")
    await factory.make("yoyo", age_range="9-12")
    for token, address in (("ana", "/product/trompo"), ("luis", "/product/trompo"), ("eva", "/product/yoyo")):
        await browsers.open(token, address, ProductState)
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.list_notified() == ["ana", "luis"]
    for token in ("ana", "luis"):
        assert (await browsers.state(token, ProductState)).content.detail.card.price == 12_300
    (_, update), *_ = browsers.received
    assert [name for name in update.delta if "product_state" in name]
    assert update.events == []


async def test_unchanged_values_are_not_sent_to_open_pages(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.received == []


async def test_unaffected_pages_are_not_refreshed(
    browsers: Browsers, factory: ProductFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    """One unit less changes the product's page, but not the home page."""
    trompo = await factory.make("trompo", stock=40)
    for number in range(12):
        await browsers.open(f"tab_{number}", "/", HomeState)
    await browsers.open("list", "/catalog", CatalogState)
    await browsers.open("ana", "/product/trompo", ProductState)
    touched: list[str] = []
    modify_state = browsers.app.modify_state

    def record_call(token: BaseStateToken, **more: Any) -> Any:
        touched.append(token.ident)
        return modify_state(token, **more)

    monkeypatch.setattr(browsers.app, "modify_state", record_call)
    await factory.stock("trompo", 39)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert touched == browsers.list_notified() == ["ana"]
    await factory.stock("trompo", 0)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert len(browsers.list_notified()) == 1 + 14


async def test_filtered_list_is_refreshed_only_if_its_shown_values_changed(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo = await factory.make("trompo", brand="Uno", stock=40)
    choices = {
        "categories": [], "brands": ["Uno"], "ages": [], "on_sale": False, "sort": "title", "shown": 24,
    }  # fmt: skip
    await browsers.open("ana", "/catalog", CatalogState, lambda state: state.browse(choices))
    await factory.stock("trompo", 39)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.list_notified() == []
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.list_notified() == ["ana"]
    content = (await browsers.state("ana", CatalogState)).content
    assert (content.is_custom, [card.price for card in content.page.cards]) == (True, [12_300])


async def test_open_pages_with_the_same_content_are_loaded_once_for_a_change(
    browsers: Browsers, factory: ProductFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    trompo = await factory.make("trompo")
    await factory.make("yoyo")
    reads: list[str] = []
    read = home.load

    async def count_call(params: PageParams) -> Any:
        reads.append(params.path)
        return await read(params)

    monkeypatch.setattr(home, "load", count_call)
    for number in range(12):
        await browsers.open(f"tab_{number}", "/", HomeState)
    await browsers.open("ana", "/product/trompo", ProductState)
    reads.clear()
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert reads == ["/"]
    assert len(browsers.list_notified()) == 13


async def test_sold_out_product_is_removed_from_the_banner(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo = await factory.make("trompo", featured=True)
    await factory.make("yoyo", featured=True)
    await browsers.open("ana", "/", HomeState)
    await factory.stock("trompo", 0)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    slides = (await browsers.state("ana", HomeState)).content.slides
    assert [slide.handle for slide in slides] == ["yoyo"]


async def test_page_of_a_deleted_product_shows_a_notice(
    browsers: Browsers, factory: ProductFactory, shop: Shop
) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    async with shop.database.transaction() as session:
        (await session.get_one(Product, trompo)).status = "draft"
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    state = await browsers.state("ana", ProductState)
    assert state.content.detail is None
    assert state.meta.status == 404


async def test_open_page_of_a_product_with_a_new_handle_redirects_without_a_message(
    browsers: Browsers, factory: ProductFactory, shop: Shop
) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    async with shop.database.transaction() as session:
        (await session.get_one(Product, trompo)).handle = "peonza"
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    ((_, update),) = [(to, update) for to, update in browsers.received if update.events]
    assert update.events == Event.from_event_type(rx.redirect("/product/peonza", replace=True))
    state = await browsers.state("ana", ProductState)
    assert state.content.detail.card.handle == "trompo"


async def test_refreshed_list_keeps_its_filters(browsers: Browsers, factory: ProductFactory) -> None:
    trompo = await factory.make("trompo", brand="Uno")
    await factory.make("yoyo", brand="Dos")
    for token in ("ana", "luis"):
        await browsers.open(token, "/catalog", CatalogState)
    choices = {
        "categories": [], "brands": ["Uno"], "ages": [], "on_sale": False, "sort": "title", "shown": 24,
    }  # fmt: skip
    async with browsers.app.modify_state(BaseStateToken(ident="ana", cls=CatalogState)) as root:
        await (await root.get_state(CatalogState)).browse(choices)
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    narrowed, whole = [(await browsers.state(token, CatalogState)).content for token in ("ana", "luis")]
    assert [(card.handle, card.price) for card in narrowed.page.cards] == [("trompo", 12_300)]
    assert narrowed.is_custom
    assert {card.handle for card in whole.page.cards} == {"trompo", "yoyo"}
    assert not whole.is_custom
    number = narrowed.number
    browsers.received.clear()
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.received == []  # no update, although responses are numbered
    assert (await browsers.state("ana", CatalogState)).content.number == number


async def test_carts_and_wishlists_are_refreshed(browsers: Browsers, factory: ProductFactory) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/cart", CartState, lambda cart: cart.add(factory.variants["trompo"], 2))
    await browsers.open(
        "luis", "/wishlist", WishlistState, lambda wishes: wishes.show_wishes(["trompo", "yoyo"])
    )
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert (await browsers.state("ana", CartState)).cart.item_total == 24_600
    assert [card.price for card in (await browsers.state("luis", WishlistState)).cards] == [12_300]


async def test_page_that_the_browser_has_left_is_not_refreshed(
    browsers: Browsers, factory: ProductFactory, pages: OpenPages
) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    await browsers.open("ana", "/cart", CartState, lambda cart: cart.load_frame())
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.received == []
    assert [one.state for one in pages.showing(None)["ana"]] == [FrameState]


async def test_page_that_navigates_during_a_change_is_refreshed_at_its_next_address(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo, yoyo = await factory.make("trompo"), await factory.make("yoyo")
    await browsers.open("ana", "/product/trompo", ProductState)
    await factory.cost("trompo", 12_300)
    await browsers.refresher.refresh_pages([trompo])  # process the waiting changes now
    await browsers.open("ana", "/product/yoyo", ProductState)
    await browsers.wait_until_settled()
    await factory.cost("yoyo", 12_300)
    browsers.refresher.notify([yoyo])
    await browsers.wait_until_settled()
    assert browsers.list_notified() == ["ana"]


async def test_page_whose_url_has_a_fragment_is_refreshed(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    await browsers.open("ana", "/product/trompo#fotos", ProductState, lambda _product: asyncio.sleep(0))
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.list_notified() == ["ana"]


async def test_closed_pages_are_not_refreshed(
    browsers: Browsers, factory: ProductFactory, pages: OpenPages
) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    await browsers.disconnect("ana")
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.received == []
    assert len(pages) == 0


async def test_all_pages_are_refreshed_when_the_changes_are_unknown(
    browsers: Browsers, factory: ProductFactory
) -> None:
    for handle in ("trompo", "yoyo"):
        await factory.make(handle)
        await browsers.open(handle, f"/product/{handle}", ProductState)
        await factory.cost(handle, 12_300)
    browsers.refresher.notify(None)
    await browsers.wait_until_settled()
    assert browsers.list_notified() == ["trompo", "yoyo"]


async def test_slow_event_of_one_browser_does_not_delay_others(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo = await factory.make("trompo")
    for token in ("ana", "luis"):
        await browsers.open(token, "/product/trompo", ProductState)
    for price in (11_100, 12_200):  # the second round does not wait for the first
        async with browsers.app.modify_state(BaseStateToken(ident="ana", cls=ProductState)):
            await factory.cost("trompo", price)
            browsers.heard.clear()
            browsers.refresher.notify([trompo])
            async with asyncio.timeout(20):
                await browsers.heard.wait()
            assert browsers.list_notified()[-1] == "luis"
            assert (await browsers.state("luis", ProductState)).content.detail.card.price == price
    await browsers.wait_until_settled()
    assert (await browsers.state("ana", ProductState)).content.detail.card.price == 12_200


async def test_page_that_fails_to_refresh_does_not_affect_other_pages(
    browsers: Browsers,
    factory: ProductFactory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    trompo = await factory.make("trompo")
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
    await factory.cost("trompo", 12_300)
    with caplog.at_level(logging.ERROR, "storefront"):
        browsers.refresher.notify([trompo])
        await browsers.wait_until_settled()
    assert browsers.list_notified() == ["luis"]
    assert "ZeroDivisionError" in caplog.text
    failing = False
    browsers.refresher.notify([trompo])  # and the next round finds it again
    await browsers.wait_until_settled()
    assert browsers.list_notified() == ["ana", "luis"]


async def test_product_change_during_a_failed_refresh_is_shown_on_the_page(
    browsers: Browsers, factory: ProductFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    trompo = await factory.make("trompo")
    read, at_work, may_fail = refresh.update_state, asyncio.Event(), asyncio.Event()

    async def fail_once(state: BaseState) -> list[Event]:
        if at_work.is_set():
            return await read(state)
        at_work.set()
        await may_fail.wait()
        raise ZeroDivisionError

    await browsers.open("ana", "/product/trompo", ProductState)
    monkeypatch.setattr(refresh, "update_state", fail_once)
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await at_work.wait()
    rounds = browsers.rounds
    await factory.cost("trompo", 12_400)
    browsers.refresher.notify([trompo])
    async with asyncio.timeout(20):
        while browsers.rounds == rounds:  # noqa: ASYNC110 - it is another task we wait for
            await asyncio.sleep(0)
    may_fail.set()
    await browsers.wait_until_settled()
    assert (await browsers.state("ana", ProductState)).content.detail.card.price == 12_400


async def test_state_that_fails_to_refresh_does_not_affect_others_of_its_page(
    browsers: Browsers,
    factory: ProductFactory,
    monkeypatch: pytest.MonkeyPatch,
    caplog: pytest.LogCaptureFixture,
) -> None:
    await factory.make("trompo")
    asked: list[str] = []

    async def fail(state: BaseState) -> NoReturn:
        asked.append(state.get_name())
        raise ZeroDivisionError

    monkeypatch.setattr(refresh, "update_state", fail)
    await browsers.open("ana", "/product/trompo", ProductState)
    await browsers.open("ana", "/product/trompo", FrameState, show_frame)
    with caplog.at_level(logging.ERROR, "storefront"):
        browsers.refresher.notify(None)
        await browsers.wait_until_settled()
    assert asked == [ProductState.get_name(), FrameState.get_name()]
    assert caplog.text.count("could not be refreshed") == 2


async def test_failed_load_shared_by_pages_is_retried_by_each_page(
    browsers: Browsers, factory: ProductFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    trompo = await factory.make("trompo")
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
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert browsers.list_notified() == ["ana", "luis"]


async def test_idle_page_that_lost_its_state_receives_the_event_to_start_over(
    browsers: Browsers, factory: ProductFactory
) -> None:
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    browsers.app.state_manager.states.clear()  # type: ignore[attr-defined]
    await factory.cost("trompo", 12_300)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    ((_, update),) = [(to, update) for to, update in browsers.received if update.events]
    assert update.events == [start_over_event()]


async def test_page_whose_browser_data_were_lost_starts_over_instead_of_refreshing(
    browsers: Browsers, factory: ProductFactory
) -> None:
    """Reset the state with the browser's data, as if Redis had dropped it as the least recently used state."""
    trompo = await factory.make("trompo")
    await browsers.open("ana", "/product/trompo", ProductState)
    (await browsers.state("ana", KnownClientState)).reset()
    await factory.cost("trompo", 21_000)
    browsers.refresher.notify([trompo])
    await browsers.wait_until_settled()
    assert [update.events for _, update in browsers.received] == [[start_over_event()]]
