"""The wishlist: the products of its page, and its merge with the wishlist of the signed-in customer's account.

The browser stores the list of handles (spec: Storefront view rules 7).
"""

from collections.abc import Mapping
from datetime import timedelta
from typing import Any

import reflex as rx

from backend.app import current_shop
from backend.catalog.storefront.page_content import MAX_WISHES, read_cards_by_handle
from backend.catalog.views import ProductCard
from backend.core.errors import InvalidData
from backend.core.web.passwords import hash_token
from backend.wishlist.service import MAX_CHANGES, REMOVAL_RETENTION, WishChange, merge_wishlist, read_wishlist
from storefront.live.open_pages import watch
from storefront.state.frame import errors_as_notices
from storefront.state.handlers import MAX_ID_LENGTH, checked_text, checked_texts, event, next_number
from storefront.state.session import get_shopper

MAX_HANDLE_LENGTH = 200
ACCOUNT_KEY_LENGTH = 16


class WishlistState(rx.State):
    """The products of the browser's wishlist.

    Attributes:
        moved_handles: current handles by former handle.
        gone_handles: handles of products that are no longer sold.
    """

    cards: rx.Field[list[ProductCard]] = rx.field(default_factory=list)
    moved_handles: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    gone_handles: rx.Field[list[str]] = rx.field(default_factory=list)
    is_loaded: rx.Field[bool] = rx.field(False)

    @event(supersedes=True)
    async def show_wishes(self, handles: list[str]) -> None:
        """Display the products with these handles, with their current data."""
        async with errors_as_notices(self):
            checked_handles = checked_texts(handles, MAX_WISHES, MAX_HANDLE_LENGTH)
            await self._load(checked_handles)
        self.is_loaded = True

    @event()
    async def refresh(self) -> None:
        """Reload the products after the browser has reconnected, because they may have changed in the meantime."""
        if not self.is_loaded:
            return
        async with errors_as_notices(self):
            await self._update()
        # writing it again keeps this state in Redis as long as the states that are written when a page connects
        self.is_loaded = True

    async def _update(self) -> None:
        await self._load([*(card.handle for card in self.cards), *self.gone_handles])

    async def _load(self, handles: list[str]) -> None:
        async with current_shop().database.read() as session:
            found = await read_cards_by_handle(session, handles)
        shown = unique_cards(found)
        if shown != self.cards:
            self.cards = shown
        self.moved_handles = {handle: card.handle for handle, card in found.items() if handle != card.handle}
        self.gone_handles = [handle for handle in handles if handle not in found]
        watch(self, shown)


def unique_cards(found: Mapping[str, ProductCard]) -> list[ProductCard]:
    """Return the cards without duplicates of a product."""
    return list({card.id: card for card in found.values()}.values())


class AccountWishlistState(rx.State):
    """The wishlist of the signed-in customer's account.

    Attributes:
        is_known: True once it is known whether a customer is signed in.
        account: key of the account, from which its id cannot be derived; empty for a guest. The browser stores it
            with the list, so that it does not merge the products of one account into another.
        handles: handles of the products, the latest addition first.
        batch: id that the browser gave its latest changes. `handles` already contains them.
        number: a number that increases with every answer.
    """

    is_known: rx.Field[bool] = rx.field(False)
    account: rx.Field[str] = rx.field("")
    handles: rx.Field[list[str]] = rx.field(default_factory=list)
    batch: rx.Field[str] = rx.field("")
    number: rx.Field[int] = rx.field(0)

    @event()
    async def merge(self, changes: list[list[Any]], batch: str) -> None:
        """Merge the browser's changes into the wishlist of the account, and display the result.

        A repeated event has no second effect. A change is a list: the product's handle, True if it was added or
        False if it was removed, and the milliseconds since then.
        """
        async with errors_as_notices(self):
            await show_account_wishes(self, parse_changes(changes), checked_text(batch, MAX_ID_LENGTH))


async def show_account_wishes(
    state: AccountWishlistState, changes: list[WishChange] | None = None, batch: str = ""
) -> None:
    """Apply these changes to the account's wishlist and display the result. For a guest, display no wishlist."""
    shopper, database = await get_shopper(state), current_shop().database
    account, handles = "", list[str]()
    if shopper is not None:
        account = hash_token(shopper.id)[:ACCOUNT_KEY_LENGTH]
        if changes:
            async with database.transaction() as session:
                handles = await merge_wishlist(session, shopper.id, changes)
        else:
            async with database.read() as session:
                handles = await read_wishlist(session, shopper.id)
    if (account, handles) != (state.account, state.handles):
        state.account, state.handles = account, handles
    if account:
        state.batch, state.number = batch, next_number(state.number)
    if not state.is_known:
        state.is_known = True


def parse_changes(value: object) -> list[WishChange]:
    """Parse the changes that a browser reports.

    Raises:
        InvalidData: the value is not a list of wishlist changes, or has too many of them.
    """
    if not isinstance(value, list) or len(value) > MAX_CHANGES:
        raise InvalidData("not a list of changes")
    return [_parse_change(item) for item in value]


def _parse_change(item: object) -> WishChange:
    match item:
        case [str() as handle, bool() as is_saved, int() as age_ms] if not isinstance(age_ms, bool):
            age = min(max(age_ms, 0), REMOVAL_RETENTION // timedelta(milliseconds=1))
            return WishChange(checked_text(handle, MAX_HANDLE_LENGTH), is_saved, timedelta(milliseconds=age))
    raise InvalidData("not a change of the wishlist")
