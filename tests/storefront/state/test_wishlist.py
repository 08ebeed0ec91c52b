"""Tests of the wishlist's state: the products that the browser names (spec: Storefront view rules 7)."""

from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
import reflex as rx
from reflex.istate.data import RouterData
from sqlalchemy import delete, func, select, update

from backend.app import Shop
from backend.catalog.models import Product, Variant
from backend.core.clock import now
from backend.customers.auth.sessions import COOKIE, open_session
from backend.customers.models import Customer, CustomerSession
from backend.wishlist.models import WishlistEntry
from backend.wishlist.service import MAX_CHANGES, REMOVAL_RETENTION
from storefront.state.frame import FrameState
from storefront.state.wishlist import (
    AccountWishlistState,
    WishlistState,
    parse_changes,
    show_account_wishes,
)
from tests.store_defaults import Defaults, add_product
from tests.storefront.outage import without_database


async def test_wishes_are_shown_in_the_browsers_sequence_without_unknown_handles(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo"):
            await add_product(session, defaults, handle)
    wishes = await shopper().get_state(WishlistState)
    await wishes.show_wishes(["trompo", "nave", "oso", "trompo"])
    assert [card.handle for card in wishes.cards] == ["trompo", "oso"]
    assert wishes.is_loaded


async def test_renamed_product_is_found_and_deleted_product_is_reported(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo", "yoyo"):
            await add_product(session, defaults, handle)
    wishes = await shopper().get_state(WishlistState)
    await wishes.show_wishes(["trompo", "oso", "yoyo", "nave"])
    assert (wishes.moved_handles, wishes.gone_handles) == ({}, ["nave"])
    async with shop.database.transaction() as session:
        products = {one.handle: one for one in (await session.execute(select(Product))).scalars()}
        products["trompo"].handle = "peonza"
        products["oso"].deleted_at = now()
    await wishes.show_wishes(["trompo", "oso", "peonza", "nave"])
    assert [card.handle for card in wishes.cards] == ["peonza"]  # once
    assert (wishes.moved_handles, wishes.gone_handles) == ({"trompo": "peonza"}, ["oso", "nave"])
    async with shop.database.transaction() as session:
        await session.execute(update(Product).values(deleted_at=None))
    await wishes.refresh()  # a deleted product may be restored
    assert [card.handle for card in wishes.cards] == ["peonza", "oso"]
    assert (wishes.moved_handles, wishes.gone_handles) == ({}, ["nave"])


@pytest.mark.parametrize("sent", [None, "trompo", [7], ["x" * 201]])
async def test_invalid_list_of_wishes_shows_no_products(
    shop: Shop, shopper: Callable[[], rx.State], sent: Any
) -> None:
    wishes = await shopper().get_state(WishlistState)
    await wishes.show_wishes(sent)
    assert wishes.cards == []


async def test_wishlist_is_refreshed_only_after_the_browser_sent_its_products(
    shop: Shop, defaults: Defaults, shopper: Callable[[], rx.State]
) -> None:
    wishes = await shopper().get_state(WishlistState)
    await wishes.refresh()
    assert not wishes.is_loaded  # the browser has not sent its wishlist yet
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "oso")
    await wishes.show_wishes(["oso"])
    async with shop.database.transaction() as session:
        await session.execute(update(Variant).values(price=12_000))
    await wishes.refresh()
    assert [card.price for card in wishes.cards] == [12_000]


Shopper = Callable[[], rx.State]


async def open_account_wishlist(shop: Shop, shopper: Shopper, email: str = "") -> AccountWishlistState:
    """Return the wishlist state of a guest's browser, or of a new customer's if there is an `email`."""
    root, token = shopper(), ""
    if email:
        async with shop.database.transaction() as session:
            customer = Customer(email=email)
            session.add(customer)
            await session.flush()
            token = await open_session(session, customer.id)
    root.router = RouterData.from_router_data({"headers": {"cookie": f"{COOKIE}={token}"}, "pathname": "/"})
    return await root.get_state(AccountWishlistState)


@pytest.fixture
async def products(shop: Shop, defaults: Defaults) -> None:
    async with shop.database.transaction() as session:
        for handle in ("oso", "trompo"):
            await add_product(session, defaults, handle)


@pytest.mark.usefixtures("products")
async def test_changes_of_two_browsers_of_a_customer_are_merged(shop: Shop, shopper: Shopper) -> None:
    phone = await open_account_wishlist(shop, shopper, "ana@example.com")
    await phone.merge([["oso", True, 60_000], ["trompo", True, 0]], "batch-1")
    assert (phone.handles, phone.batch, phone.is_known) == (["trompo", "oso"], "batch-1", True)
    laptop = await shopper().get_state(AccountWishlistState)
    laptop.router = phone.router
    await show_account_wishes(laptop)
    assert (laptop.handles, laptop.account) == (["trompo", "oso"], phone.account)
    number = phone.number
    await laptop.merge([["oso", False, 0]], "batch-2")
    await show_account_wishes(phone)
    assert phone.handles == laptop.handles == ["trompo"]
    assert phone.number > number


@pytest.mark.usefixtures("products")
async def test_guest_and_other_customers_do_not_get_an_accounts_wishlist(
    shop: Shop, shopper: Shopper
) -> None:
    ana = await open_account_wishlist(shop, shopper, "ana@example.com")
    await ana.merge([["oso", True, 0]], "batch")
    for email in ("", "beto@example.com"):
        other = await open_account_wishlist(shop, shopper, email)
        await show_account_wishes(other)
        assert (other.handles, other.is_known, bool(other.account)) == ([], True, bool(email))
        assert other.account != ana.account
        await other.merge([["trompo", True, 0]], "batch")
    await show_account_wishes(ana)
    assert ana.handles == ["oso"]


@pytest.mark.usefixtures("products")
async def test_wishlist_of_an_ended_session_is_removed_from_the_state(shop: Shop, shopper: Shopper) -> None:
    state = await open_account_wishlist(shop, shopper, "ana@example.com")
    await state.merge([["oso", True, 0]], "batch")
    async with shop.database.transaction() as session:
        await session.execute(delete(CustomerSession))
    await state.merge([["trompo", True, 0]], "batch")
    assert (state.account, state.handles) == ("", [])
    async with shop.database.read() as session:
        assert (await session.execute(select(func.count()).select_from(WishlistEntry))).scalar_one() == 1


async def test_wishlist_of_a_guest_is_not_read_from_the_database(
    shop: Shop, shopper: Shopper, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = await shopper().get_state(AccountWishlistState)
    with without_database(shop, monkeypatch):
        await show_account_wishes(state)
    assert (state.is_known, state.account, state.number) == (True, "", 0)


@pytest.mark.parametrize(
    "changes",
    [
        None,
        "oso",
        [["oso"]],
        [["oso", True]],
        [["oso", 1, 0]],
        [["oso", True, True]],
        [["oso", True, 1.5]],
        [["oso", True, None]],
        [[7, True, 0]],
        [["x" * 201, True, 0]],
        [["oso", True, 0]] * (MAX_CHANGES + 1),
    ],
)
@pytest.mark.usefixtures("products")
async def test_invalid_wishlist_changes_are_refused(shop: Shop, shopper: Shopper, changes: Any) -> None:
    state = await open_account_wishlist(shop, shopper, "ana@example.com")
    await state.merge(changes, "batch")
    assert (state.handles, state.number) == ([], 0)
    assert (await state.get_state(FrameState)).notice.text


def test_age_of_a_wishlist_change_is_limited_to_the_retention_of_removals() -> None:
    ages = [change.age for change in parse_changes([["oso", True, age] for age in (-5, 1500, 10**30)])]
    assert ages == [timedelta(), timedelta(seconds=1.5), REMOVAL_RETENTION]
