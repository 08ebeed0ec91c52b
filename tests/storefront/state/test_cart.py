"""The cart of a browser: made when it is needed, healed when it is lost, never shared."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import select, update

from backend.app import Shop
from backend.cart import lines
from backend.cart.lines import FULL, MAX_QUANTITY, TOO_MANY_UNITS
from backend.cart.models import Cart
from backend.cart.views import cart_view
from backend.core.clock import now
from backend.customers.auth.sessions import COOKIE, open_session
from backend.customers.models import Customer
from backend.inventory.models import InventoryLevel
from storefront.state.cart import EMPTY_CART, CartState, refresh
from storefront.state.frame import COMING_BACK, FrameState
from tests.statements import statements_of
from tests.store_defaults import Defaults, make_toy
from tests.storefront.outage import without_database

Shopper = Callable[[], rx.State]


@pytest.fixture
async def toy(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await make_toy(session, defaults, "trompo", title="Trompo", stock=5, price=18_900)


async def test_the_first_toy_makes_the_cart(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 2)
    assert cart.cart_id.startswith("cart_")
    assert (cart.cart.count, cart.cart.total) == (2, 37_800)
    assert cart.added.number > 0
    assert cart.added.title == "Trompo"
    assert cart.answers > 0


async def test_a_known_cart_is_added_to(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    first = cart.cart_id
    await cart.add(toy, 1)
    assert cart.cart_id == first
    assert cart.cart.count == 2


async def test_another_state_with_the_same_id_shows_the_same_cart(shopper: Shopper, toy: str) -> None:
    one, other = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await one.add(toy, 1)
    other.cart_id = one.cart_id
    await other.load_cart()
    assert other.cart.count == 1
    assert other.answers == 0


async def test_the_cart_of_a_browser_is_read_once(shop: Shop, shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    with statements_of(shop.database) as asked:
        await cart.load_cart()
    assert cart.cart.count == 1
    assert len(asked) == 2, "\n".join(asked)  # the cart, and whether it can be wrapped


async def test_shoppers_share_nothing(shopper: Shopper, toy: str) -> None:
    one, other = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await one.add(toy, 1)
    await other.load_cart()
    assert other.cart == EMPTY_CART
    await other.add(toy, 3)
    assert other.cart_id != one.cart_id
    await one.load_cart()
    assert one.cart.count == 1


@pytest.mark.parametrize("lost", ["cart_01J00000000000000000000000", "x" * 5000, "'; DROP TABLE cart; --"])
async def test_an_id_that_leads_nowhere_is_forgotten(shopper: Shopper, toy: str, lost: str) -> None:
    cart = await shopper().get_state(CartState)
    cart.cart_id = lost
    await cart.load_cart()
    assert (cart.cart_id, cart.cart) == ("", EMPTY_CART)


async def test_an_ordered_cart_makes_room_for_a_new_one(shop: Shop, shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    ordered = cart.cart_id
    async with shop.database.transaction() as session:
        (await session.get_one(Cart, ordered)).completed_at = now()
    await cart.add(toy, 2)
    assert cart.cart_id != ordered
    assert cart.cart.count == 2


async def test_more_than_there_is_changes_nothing(shopper: Shopper, toy: str) -> None:
    state = shopper()
    cart = await state.get_state(CartState)
    await cart.add(toy, 5)
    answers, added = cart.answers, cart.added
    await cart.add(toy, 1)
    assert cart.cart.count == 5
    assert cart.answers > answers  # the browser's guess ends with a bad answer too
    assert cart.added == added
    assert (await state.get_state(FrameState)).notice.tone == "problem"


async def test_a_cart_that_takes_no_more_says_so(
    shop: Shop, shopper: Shopper, toy: str, defaults: Defaults, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        beads = await make_toy(session, defaults, "canicas", stock=500)
    state = shopper()
    cart, told = await state.get_state(CartState), await state.get_state(FrameState)
    await cart.add(beads, MAX_QUANTITY)
    await cart.add(beads, 1)
    assert told.notice.text == TOO_MANY_UNITS.format(most=MAX_QUANTITY)
    monkeypatch.setattr(lines, "MAX_LINES", 1)
    await cart.add(toy, 1)
    assert told.notice.text == FULL.format(most=1)
    assert cart.cart.count == MAX_QUANTITY


@pytest.mark.parametrize(
    ("variant", "quantity"), [(None, 1), ("x" * 65, 1), ("real", 0), ("real", "2"), ("real", 100)]
)
async def test_arguments_no_page_sends_are_refused(
    shopper: Shopper, toy: str, variant: Any, quantity: Any
) -> None:
    state = shopper()
    cart = await state.get_state(CartState)
    await cart.add(toy if variant == "real" else variant, quantity)
    assert cart.cart == EMPTY_CART
    assert (await state.get_state(FrameState)).notice.tone == "problem"


async def test_quantities_change_and_lines_go(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    line = cart.cart.lines[0].id
    await cart.set_quantity(line, 4)
    assert cart.cart.total == 4 * 18_900
    await cart.remove(line)
    assert cart.cart.count == 0


async def test_a_line_that_is_taken_out_twice_is_no_problem(shopper: Shopper, toy: str) -> None:
    state = shopper()
    cart = await state.get_state(CartState)
    await cart.add(toy, 1)
    line = cart.cart.lines[0].id
    await cart.remove(line)
    answers = cart.answers
    await cart.remove(line)  # pressed twice, or in another tab
    assert (cart.cart.count, (await state.get_state(FrameState)).notice.text) == (0, "")
    assert cart.answers > answers


async def test_a_line_of_another_cart_is_out_of_reach(shop: Shop, shopper: Shopper, toy: str) -> None:
    mine, theirs = await shopper().get_state(CartState), await shopper().get_state(CartState)
    await mine.add(toy, 1)
    await theirs.add(toy, 1)
    await theirs.set_quantity(mine.cart.lines[0].id, 3)
    await theirs.remove(mine.cart.lines[0].id)
    async with shop.database.read() as session:
        assert (await cart_view(session, mine.cart_id)).count == 1


async def test_what_cannot_be_had_any_more_is_said(shop: Shop, shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 4)
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=2))
    await cart.load_cart()
    assert cart.has_problem
    assert cart.cart.lines[0].problem == "short"


async def _signed_in(shop: Shop, shopper: Shopper, email: str) -> CartState:
    """The cart's state of a browser at which this customer is signed in."""
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


async def test_an_account_has_one_cart_on_every_device(shop: Shop, shopper: Shopper, toy: str) -> None:
    phone = await _signed_in(shop, shopper, "ana@example.com")
    await phone.add(toy, 2)
    desktop = await _signed_in(shop, shopper, "ana@example.com")
    await desktop.load_cart()
    assert (desktop.cart_id, desktop.cart.count) == (phone.cart_id, 2)
    guest = await shopper().get_state(CartState)
    await guest.add(toy, 1)
    tablet = await _signed_in(shop, shopper, "ana@example.com")
    tablet.cart_id = guest.cart_id  # what the browser kept
    await tablet.load_cart()
    assert (tablet.cart_id, tablet.cart.count) == (phone.cart_id, 3)


async def test_anothers_cart_is_not_taken_over(shop: Shop, shopper: Shopper, toy: str) -> None:
    ana = await _signed_in(shop, shopper, "ana@example.com")
    await ana.add(toy, 2)
    mallory = await _signed_in(shop, shopper, "mallory@example.com")
    for browser in (mallory, await shopper().get_state(CartState)):
        browser.cart_id = ana.cart_id
        await browser.load_cart()
        assert (browser.cart_id, browser.cart) == ("", EMPTY_CART)
        browser.cart_id = ana.cart_id
        await browser.add(toy, 1)
        assert browser.cart_id != ana.cart_id
    await ana.load_cart()
    assert ana.cart.count == 2


async def test_a_customers_cart_does_nothing_for_whoever_has_its_id(
    shop: Shop, shopper: Shopper, toy: str
) -> None:
    ana = await _signed_in(shop, shopper, "ana@example.com")
    await ana.add(toy, 2)
    line = ana.cart.lines[0].id
    mallory = await _signed_in(shop, shopper, "mallory@example.com")
    for browser in (mallory, await shopper().get_state(CartState)):
        for change in (browser.set_quantity(line, 4), browser.remove(line), refresh(browser)):
            browser.cart_id = ana.cart_id
            await change
            assert (browser.cart_id, browser.cart) == ("", EMPTY_CART)
    await ana.load_cart()
    assert ana.cart.count == 2


async def test_without_the_database_a_notice_says_that_the_shop_comes_back(
    shop: Shop, shopper: Shopper, toy: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    root = shopper()
    cart, frame = await root.get_state(CartState), await root.get_state(FrameState)
    await cart.add(toy, 1)
    line, answers = cart.cart.lines[0], cart.answers
    with without_database(shop, monkeypatch):
        await cart.set_quantity(line.id, 3)
        assert frame.notice.text == COMING_BACK
        assert cart.answers > answers  # the browser shows what it knows for sure
        await cart.load_cart()
        await cart.remove(line.id)
    await cart.load_cart()
    assert cart.cart.count == 1


async def test_news_are_dismissed_by_their_own_shopper_alone(
    shop: Shop, shopper: Shopper, toy: str, defaults: Defaults
) -> None:
    """Test who dismisses news of a signed-in customer's cart.

    | caller | news id | outcome |
    |---|---|---|
    | another shopper | the real one | it stays |
    | another shopper who names the cart of a customer | the real one | it stays |
    | their own shopper | nonsense | a notice; it stays |
    | their own shopper | the real one | gone, in a reload and on another device too |
    """
    async with shop.database.transaction() as session:
        yoyo = await make_toy(session, defaults, "yoyo", title="Yoyo")
    ana = await _signed_in(shop, shopper, "ana@example.com")
    await ana.add(toy, 1)
    guest = await shopper().get_state(CartState)
    await guest.add(yoyo, 2)
    tablet = await _signed_in(shop, shopper, "ana@example.com")
    tablet.cart_id = guest.cart_id
    await tablet.load_cart()
    await ana.load_cart()
    assert ana.cart.news == tablet.cart.news
    (news,) = ana.cart.news
    assert "Se agregó: 2 × Yoyo" in news.text
    mallory = await shopper().get_state(CartState)
    await mallory.add(toy, 1)
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
