"""Tests of a browser's cart: it is created when needed, replaced when lost, and never shared."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart import lines
from backend.cart.lines import MAX_QUANTITY, TOO_MANY_LINES, TOO_MANY_UNITS
from backend.cart.models import Cart
from backend.cart.views import read_cart_view
from backend.core.clock import now
from backend.customers.auth.sessions import COOKIE, open_session
from backend.customers.models import Customer
from backend.inventory.models import InventoryLevel
from storefront.state.cart import EMPTY_CART, CartState, refresh_cart
from storefront.state.frame import SHOP_UNAVAILABLE, FrameState
from tests.statements import record_statements
from tests.store_defaults import Defaults, add_product
from tests.storefront.outage import without_database

Shopper = Callable[[], rx.State]


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    """Return the variant of a product with five units."""
    async with shop.database.transaction() as session:
        return await add_product(session, defaults, "trompo", title="Trompo", stock=5, price=18_900)


async def test_first_product_creates_the_cart(shopper: Shopper, variant_id: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 2)
    assert cart.cart_id.startswith("cart_")
    assert (cart.cart.count, cart.cart.total) == (2, 37_800)
    assert cart.last_added.number > 0
    assert (cart.last_added.title, cart.last_added.variant_id) == ("Trompo", variant_id)
    assert cart.answers > 0


async def test_second_product_is_added_to_the_same_cart(shopper: Shopper, variant_id: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    first = cart.cart_id
    await cart.add(variant_id, 1)
    assert cart.cart_id == first
    assert cart.cart.count == 2


async def test_two_tabs_with_the_same_cart_id_show_the_same_cart(shopper: Shopper, variant_id: str) -> None:
    one, other = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await one.add(variant_id, 1)
    other.cart_id = one.cart_id
    await other.load_cart()
    assert other.cart.count == 1
    assert other.answers == 0


async def test_load_cart_reads_the_cart_once(shop: Shop, shopper: Shopper, variant_id: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    with record_statements(shop.database) as asked:
        await cart.load_cart()
    assert cart.cart.count == 1
    assert len(asked) == 2, "\n".join(asked)  # the cart, and whether it can be wrapped


async def test_carts_of_two_customers_are_separate(shopper: Shopper, variant_id: str) -> None:
    one, other = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await one.add(variant_id, 1)
    await other.load_cart()
    assert other.cart == EMPTY_CART
    await other.add(variant_id, 3)
    assert other.cart_id != one.cart_id
    await one.load_cart()
    assert one.cart.count == 1


@pytest.mark.parametrize("lost", ["cart_01J00000000000000000000000", "x" * 5000, "'; DROP TABLE cart; --"])
async def test_unknown_cart_id_is_forgotten(shopper: Shopper, variant_id: str, lost: str) -> None:
    cart = await shopper().get_state(CartState)
    cart.cart_id = lost
    await cart.load_cart()
    assert (cart.cart_id, cart.cart) == ("", EMPTY_CART)


async def test_adding_to_an_ordered_cart_creates_a_new_one(
    shop: Shop, shopper: Shopper, variant_id: str
) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    ordered = cart.cart_id
    async with shop.database.transaction() as session:
        (await session.get_one(Cart, ordered)).completed_at = now()
    await cart.add(variant_id, 2)
    assert cart.cart_id != ordered
    assert cart.cart.count == 2


async def test_adding_more_than_the_stock_changes_nothing(shopper: Shopper, variant_id: str) -> None:
    state = shopper()
    cart = await state.get_state(CartState)
    await cart.add(variant_id, 5)
    answers, added = cart.answers, cart.last_added
    await cart.add(variant_id, 1)
    assert cart.cart.count == 5
    assert cart.answers > answers  # a refusal is an answer too, so the browser drops its expected result
    assert cart.last_added == added
    assert (await state.get_state(FrameState)).notice.tone == "problem"


async def test_full_cart_shows_a_notice(
    shop: Shop, shopper: Shopper, variant_id: str, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        beads = await add_product(session, defaults, "canicas", stock=500)
    state = shopper()
    cart, frame = await state.get_state(CartState), await state.get_state(FrameState)
    await cart.add(beads, MAX_QUANTITY)
    await cart.add(beads, 1)
    assert frame.notice.text == TOO_MANY_UNITS.format(most=MAX_QUANTITY)
    monkeypatch.setattr(lines, "MAX_LINES", 1)
    await cart.add(variant_id, 1)
    assert frame.notice.text == TOO_MANY_LINES.format(most=1)
    assert cart.cart.count == MAX_QUANTITY


@pytest.mark.parametrize(
    ("variant", "quantity"), [(None, 1), ("x" * 65, 1), ("real", 0), ("real", "2"), ("real", 100)]
)
async def test_invalid_arguments_of_cart_events_are_refused(
    shopper: Shopper, variant_id: str, variant: Any, quantity: Any
) -> None:
    state = shopper()
    cart = await state.get_state(CartState)
    await cart.add(variant_id if variant == "real" else variant, quantity)
    assert cart.cart == EMPTY_CART
    assert (await state.get_state(FrameState)).notice.tone == "problem"


async def test_set_quantity_and_remove_events_change_the_cart(shopper: Shopper, variant_id: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    line = cart.cart.lines[0].id
    await cart.set_quantity(line, 4)
    assert cart.cart.total == 4 * 18_900
    await cart.remove(line)
    assert cart.cart.count == 0


async def test_removing_a_line_twice_shows_no_notice(shopper: Shopper, variant_id: str) -> None:
    state = shopper()
    cart = await state.get_state(CartState)
    await cart.add(variant_id, 1)
    line = cart.cart.lines[0].id
    await cart.remove(line)
    answers = cart.answers
    await cart.remove(line)  # a second click, or a click in another tab
    assert (cart.cart.count, (await state.get_state(FrameState)).notice.text) == (0, "")
    assert cart.answers > answers


async def test_line_of_another_cart_cannot_be_changed(shop: Shop, shopper: Shopper, variant_id: str) -> None:
    mine, theirs = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await mine.add(variant_id, 1)
    await theirs.add(variant_id, 1)
    await theirs.set_quantity(mine.cart.lines[0].id, 3)
    await theirs.remove(mine.cart.lines[0].id)
    async with shop.database.read() as session:
        assert (await read_cart_view(session, mine.cart_id)).count == 1


async def test_line_with_too_little_stock_has_a_problem(
    shop: Shop, shopper: Shopper, variant_id: str
) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 4)
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=2))
    await cart.load_cart()
    assert cart.has_problem
    assert cart.cart.lines[0].problem == "short"


async def _sign_in(shop: Shop, shopper: Shopper, email: str) -> CartState:
    """Return the cart state of a browser in which this customer is signed in."""
    async with shop.database.transaction() as session:
        person = (await session.execute(select(Customer).where(Customer.email == email))).scalar_one_or_none()
        if person is None:
            person = Customer(email=email)
            session.add(person)
            await session.flush()
        token = await open_session(session, person.id)
    root = shopper()
    root.router = RouterData.from_router_data({"headers": {"cookie": f"{COOKIE}={token}"}, "pathname": "/"})
    return await root.get_state(CartState)


async def test_customer_has_one_cart_on_all_devices(shop: Shop, shopper: Shopper, variant_id: str) -> None:
    phone = await _sign_in(shop, shopper, "ana@example.com")
    await phone.add(variant_id, 2)
    desktop = await _sign_in(shop, shopper, "ana@example.com")
    await desktop.load_cart()
    assert (desktop.cart_id, desktop.cart.count) == (phone.cart_id, 2)
    guest = await shopper().get_state(CartState)
    await guest.add(variant_id, 1)
    tablet = await _sign_in(shop, shopper, "ana@example.com")
    tablet.cart_id = guest.cart_id  # the id stored in that browser
    await tablet.load_cart()
    assert (tablet.cart_id, tablet.cart.count) == (phone.cart_id, 3)


async def test_cart_of_another_customer_is_not_used(shop: Shop, shopper: Shopper, variant_id: str) -> None:
    ana = await _sign_in(shop, shopper, "ana@example.com")
    await ana.add(variant_id, 2)
    mallory = await _sign_in(shop, shopper, "mallory@example.com")
    for browser in (mallory, await shopper().get_state(CartState)):
        browser.cart_id = ana.cart_id
        await browser.load_cart()
        assert (browser.cart_id, browser.cart) == ("", EMPTY_CART)
        browser.cart_id = ana.cart_id
        await browser.add(variant_id, 1)
        assert browser.cart_id != ana.cart_id
    await ana.load_cart()
    assert ana.cart.count == 2


async def test_cart_of_a_customer_cannot_be_read_or_changed_with_its_id_by_others(
    shop: Shop, shopper: Shopper, variant_id: str
) -> None:
    ana = await _sign_in(shop, shopper, "ana@example.com")
    await ana.add(variant_id, 2)
    line = ana.cart.lines[0].id
    mallory = await _sign_in(shop, shopper, "mallory@example.com")
    for browser in (mallory, await shopper().get_state(CartState)):
        for change in (browser.set_quantity(line, 4), browser.remove(line), refresh_cart(browser)):
            browser.cart_id = ana.cart_id
            await change
            assert (browser.cart_id, browser.cart) == ("", EMPTY_CART)
    await ana.load_cart()
    assert ana.cart.count == 2


async def test_cart_event_during_a_database_outage_shows_a_notice(
    shop: Shop, shopper: Shopper, variant_id: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = shopper()
    cart, frame = await root.get_state(CartState), await root.get_state(FrameState)
    await cart.add(variant_id, 1)
    line, answers = cart.cart.lines[0], cart.answers
    with without_database(shop, monkeypatch):
        await cart.set_quantity(line.id, 3)
        assert frame.notice.text == SHOP_UNAVAILABLE
        assert cart.answers > answers  # the browser shows the confirmed quantity again
        await cart.load_cart()
        await cart.remove(line.id)
    await cart.load_cart()
    assert cart.cart.count == 1


async def test_only_the_owner_of_a_cart_dismisses_its_notices(
    shop: Shop, shopper: Shopper, variant_id: str, defaults: Defaults
) -> None:
    """Test who may dismiss a notice of a signed-in customer's cart.

    | caller | notice id | result |
    |---|---|---|
    | another customer | valid | the notice stays |
    | another customer who uses the owner's cart id | valid | the notice stays |
    | the owner | invalid | an error notice; the notice stays |
    | the owner | valid | removed, also after a reload and on another device |
    """
    async with shop.database.transaction() as session:
        yoyo = await add_product(session, defaults, "yoyo", title="Yoyo")
    ana = await _sign_in(shop, shopper, "ana@example.com")
    await ana.add(variant_id, 1)
    guest = await shopper().get_state(CartState)
    await guest.add(yoyo, 2)
    tablet = await _sign_in(shop, shopper, "ana@example.com")
    tablet.cart_id = guest.cart_id
    await tablet.load_cart()
    await ana.load_cart()
    assert ana.cart.news == tablet.cart.news
    (news,) = ana.cart.news
    assert "Se agregó: 2 × Yoyo" in news.text
    mallory = await shopper().get_state(CartState)
    await mallory.add(variant_id, 1)
    assert mallory.cart.news == []
    await mallory.dismiss_news(news.id)
    mallory.cart_id = ana.cart_id
    await mallory.dismiss_news(news.id)
    assert mallory.cart == EMPTY_CART
    nonsense: Any = ["", "x" * 65, None, {"id": news.id}]
    for one in nonsense:
        await ana.dismiss_news(one)
    assert ana.cart.news == [news]
    answers = ana.answers
    await ana.dismiss_news(news.id)
    assert (ana.cart.news, ana.answers > answers) == ([], True)
    await tablet.load_cart()
    assert tablet.cart.news == []
