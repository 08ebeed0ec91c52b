"""Edit a draft order step by step through the Admin API, and confirm the edit (platform: draft order edits).

The edit is prepared in a copy of the draft's cart. So its lines, codes and shipping have the prices, the stock and the
limits of every cart, and the draft itself does not change. The confirmation applies the differences between the copy
and the draft in one transaction. The platform's actions are computed from these differences and are not stored.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from sqlalchemy import bindparam, select
from sqlalchemy.ext.asyncio import AsyncSession

from backend.audit import Subject, SubjectType, record
from backend.cart.access import create_empty_cart, lock_cart
from backend.cart.contents import read_contents
from backend.cart.lines import add_units as add_cart_units
from backend.cart.lines import change_line
from backend.cart.models import Cart, CartShippingMethod, LineItem
from backend.cart.promotion_codes import add_codes, copy_codes, list_codes, remove_codes
from backend.cart.shipping_method import find_shipping_method, mark_cart_changed, set_shipping_method
from backend.catalog.models import Variant
from backend.core.db.database import database_now, lock_rows
from backend.core.db.tables import JsonObject
from backend.core.errors import Conflict, InvalidData, NotAllowed, NotFound
from backend.core.money import Cop
from backend.draft_orders.drafts import LockedDraft, delete_edit, lock_draft
from backend.draft_orders.models import DraftOrder, DraftOrderEdit
from backend.edge.wire import derive_sibling_id
from backend.shipping.addresses import get_place_key
from backend.staff.rights import Actor

AUDIT_ACTION = "edit written"
ACTION = "ordchact"
"""Prefix of the ids of actions."""
EDIT_EXISTS = "Order {draft_id} already has an existing active order change"
OTHER_PRICE = (
    "The price of variant {variant_id} is {price}. Prices come from the catalogue: use a promotion instead"
)
COPIED_FIELDS = (
    "customer_id", "guest_id", "email", "locale", "shipping_address", "billing_address", "meta", "origin",
    "staff_discount", "staff_discount_terms",
)  # fmt: skip
_EDIT = select(DraftOrderEdit).where(DraftOrderEdit.draft_order_id == bindparam("draft_id"))


@dataclass(frozen=True, slots=True)
class NewUnits:
    """Units of a variant to add. `unit_price` is the price that the caller expects; None to accept any."""

    variant_id: str
    quantity: int
    unit_price: Cop | None = None
    meta: JsonObject | None = None


@dataclass(frozen=True, slots=True)
class EditedOption:
    """The id of a shipping option of an edit, and the id of the edit's cart."""

    cart_id: str
    id: str


@dataclass(frozen=True, slots=True)
class CartContent:
    """The lines, the promotion codes and the shipping method of a cart."""

    lines: list[LineItem]
    codes: list[str]
    method: CartShippingMethod | None


async def begin_edit(session: AsyncSession, actor: Actor, draft_id: str) -> DraftOrderEdit:
    """Begin an edit of the draft, with a copy of its cart.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
        NotAllowed: the draft already has an edit.
    """
    locked = await lock_draft(session, actor, draft_id)
    if await find_edit(session, draft_id) is not None:
        raise NotAllowed(EDIT_EXISTS.format(draft_id=draft_id))
    draft, content = locked.cart, await read_content(session, locked.cart.id)
    copy_id = await create_empty_cart(
        session, region_id=draft.region_id, sales_channel_id=draft.sales_channel_id
    )
    copy = await lock_cart(session, copy_id)
    for name in COPIED_FIELDS:
        setattr(copy, name, getattr(draft, name))
    for line in content.lines:  # not checked: a sold-out product may be the reason for the edit
        session.add(
            LineItem(cart_id=copy_id, variant_id=line.variant_id, quantity=line.quantity, meta=line.meta)
        )
    await copy_codes(session, draft.id, copy_id)
    if content.method is not None:
        await _copy_method(session, copy, content.method)
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.DRAFT_ORDER, draft_id))
    edit = DraftOrderEdit(
        draft_order_id=draft_id, cart_id=copy_id, base=describe_content(content), created_by=actor.id
    )
    session.add(edit)
    await session.flush()
    return edit


async def add_items(session: AsyncSession, actor: Actor, draft_id: str, items: list[NewUnits]) -> None:
    """Add units of variants to the edit of a draft order.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
        InvalidData, InsufficientStock: see `backend.cart.lines.add_to_cart` and `require_price`.
    """
    edit = await lock_edit(session, actor, draft_id)
    for item in items:
        await add_cart_units(session, edit.cart_id, item.variant_id, item.quantity, item.meta)
        await require_price(session, item.variant_id, item.unit_price)
    await mark_cart_changed(session, await lock_cart(session, edit.cart_id))


async def set_item_units(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    draft_id: str,
    item_id: str,
    quantity: int,
    unit_price: Cop | None = None,
) -> None:
    """Set the new number of units of a draft order's line, in the edit of the draft; 0 removes the line.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
        NotFound: the draft has no such line.
        InvalidData, InsufficientStock: see `backend.cart.lines.change_line` and `require_price`.
    """
    edit = await lock_edit(session, actor, draft_id)
    line = await session.get(LineItem, item_id)
    draft = await session.get_one(DraftOrder, draft_id)
    if line is None or line.cart_id not in (draft.cart_id, edit.cart_id):
        raise NotFound(f"Line item with id: {item_id} was not found")
    await require_price(session, line.variant_id, unit_price)
    await _set_units(session, edit, line, quantity)


async def change_action_item(  # noqa: PLR0917
    session: AsyncSession,
    actor: Actor,
    draft_id: str,
    action_id: str,
    quantity: int,
    unit_price: Cop | None = None,
) -> None:
    """Set the new number of units of the line that an action of the edit changes; 0 removes the line.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
        NotFound: there is no such action in the edit.
        InvalidData, InsufficientStock: see `set_item_units`.
    """
    edit = await lock_edit(session, actor, draft_id)
    line = await _find_action_line(session, edit, action_id)
    await require_price(session, line.variant_id, unit_price)
    await _set_units(session, edit, line, quantity)


async def remove_action_item(session: AsyncSession, actor: Actor, draft_id: str, action_id: str) -> None:
    """Undo the change of a line in the edit of a draft order.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
        NotFound: there is no such action in the edit.
        InsufficientStock: the draft's number of units is no longer in stock.
    """
    edit = await lock_edit(session, actor, draft_id)
    line = await _find_action_line(session, edit, action_id)
    draft = await session.get_one(DraftOrder, draft_id)
    original = find_same_line((await read_content(session, draft.cart_id)).lines, line)
    await _set_units(session, edit, line, original.quantity if original else 0)


async def add_edit_codes(session: AsyncSession, actor: Actor, draft_id: str, codes: list[str]) -> None:
    """Add promotion codes to the edit of a draft order.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
        InvalidData: see `backend.cart.promotion_codes.add_codes`.
    """
    edit = await lock_edit(session, actor, draft_id)
    await add_codes(session, await lock_cart(session, edit.cart_id), codes)


async def remove_edit_codes(session: AsyncSession, actor: Actor, draft_id: str, codes: list[str]) -> None:
    """Remove promotion codes from the edit of a draft order.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
    """
    edit = await lock_edit(session, actor, draft_id)
    await remove_codes(session, await lock_cart(session, edit.cart_id), codes)


async def find_cart_of_edit(session: AsyncSession, actor: Actor, draft_id: str) -> str:
    """Return the id of the edit's cart, so that the checkout's services can choose its shipping.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
    """
    return (await lock_edit(session, actor, draft_id)).cart_id


async def find_option_of_edit(
    session: AsyncSession, actor: Actor, draft_id: str, method_id: str
) -> EditedOption:
    """Return the id of the shipping option of this shipping method, and the id of the edit's cart.

    `method_id` is the id of the shipping method or of the action that added it.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
        NotFound: there is no such shipping method in the edit.
    """
    edit = await lock_edit(session, actor, draft_id)
    method = await _require_method(session, draft_id, edit, method_id)
    return EditedOption(edit.cart_id, method.shipping_option_id)


async def remove_shipping(session: AsyncSession, actor: Actor, draft_id: str, method_id: str) -> None:
    """Remove the shipping method with this id from the edit of a draft order.

    Raises:
        NotFound, NotAllowed, Conflict: see `find_option_of_edit`.
    """
    edit = await lock_edit(session, actor, draft_id)
    await _require_method(session, draft_id, edit, method_id)
    await mark_cart_changed(session, await lock_cart(session, edit.cart_id))


async def remove_action_shipping(session: AsyncSession, actor: Actor, draft_id: str, action_id: str) -> None:
    """Undo the change of the shipping method in the edit of a draft order.

    The edit gets the draft's shipping method again. If the edit also changes lines, it gets none, because the price
    of the draft's method is not valid for the changed lines.

    Raises:
        NotFound, NotAllowed, Conflict: see `find_option_of_edit`.
    """
    edit = await lock_edit(session, actor, draft_id)
    draft = await session.get_one(DraftOrder, draft_id)
    await _require_method(session, draft_id, edit, action_id)
    copy = await lock_cart(session, edit.cart_id)
    content, original = await read_content(session, copy.id), await read_content(session, draft.cart_id)
    await mark_cart_changed(session, copy)
    if original.method is not None and _units(content) == _units(original):
        await _copy_method(session, copy, original.method)


async def request_edit(session: AsyncSession, actor: Actor, draft_id: str) -> DraftOrderEdit:
    """Mark the edit of a draft order as requested. It can still be changed.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
    """
    edit = await lock_edit(session, actor, draft_id)
    edit.requested_at = edit.requested_at or await database_now(session)
    await session.flush()
    return edit


async def confirm_edit(session: AsyncSession, actor: Actor, draft_id: str) -> None:
    """Apply the edit to its draft order, and delete the edit.

    The shipping method is not applied if the draft now has another delivery address than the edit.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
        Conflict: the draft has changed since the edit began.
        InvalidData, InsufficientStock: a product is no longer for sale or is sold out, or a code gives no discount.
    """
    locked, edit = await _lock_both(session, actor, draft_id)
    before, after = await read_content(session, locked.cart.id), await read_content(session, edit.cart_id)
    if describe_content(before) != edit.base:
        raise Conflict(
            f"Draft order {draft_id} has changed since its edit began: cancel the edit, and begin again"
        )
    units = {"units": (sum(_units(before).values()), sum(_units(after).values()))}
    await record(session, actor, "changed", Subject(SubjectType.DRAFT_ORDER, draft_id), units)
    for line in before.lines:
        same = find_same_line(after.lines, line)
        if same is None or same.quantity != line.quantity:
            await change_line(session, locked.cart.id, line.id, same.quantity if same else 0)
    for line in after.lines:
        if find_same_line(before.lines, line) is None:
            await add_cart_units(session, locked.cart.id, line.variant_id, line.quantity, line.meta)
    await session.flush()
    await remove_codes(session, locked.cart, [code for code in before.codes if code not in after.codes])
    await add_codes(session, locked.cart, [code for code in after.codes if code not in before.codes])
    copy = await lock_cart(session, edit.cart_id)
    await mark_cart_changed(session, locked.cart)
    is_same_place = get_place_key(copy.shipping_address) == get_place_key(locked.cart.shipping_address)
    if after.method is not None and is_same_place:
        await _copy_method(session, locked.cart, after.method)
    await delete_edit(session, draft_id)


async def cancel_edit(session: AsyncSession, actor: Actor, draft_id: str) -> None:
    """Delete the edit of a draft order. The draft does not change.

    Raises:
        NotFound, NotAllowed, Conflict: see `lock_edit`.
    """
    await lock_edit(session, actor, draft_id)
    await delete_edit(session, draft_id)


async def lock_edit(session: AsyncSession, actor: Actor, draft_id: str) -> DraftOrderEdit:
    """Lock the draft order, and return its edit.

    Raises:
        NotFound, NotAllowed, Conflict: see `backend.draft_orders.drafts.lock_draft`.
        NotFound: the draft has no edit.
    """
    return (await _lock_both(session, actor, draft_id))[1]


async def find_edit(session: AsyncSession, draft_id: str) -> DraftOrderEdit | None:
    """Return the draft's edit; None if there is none."""
    return (await session.execute(_EDIT, {"draft_id": draft_id})).scalar_one_or_none()


async def read_content(session: AsyncSession, cart_id: str) -> CartContent:
    """Return the lines, the codes and the shipping method of a cart."""
    contents = await read_contents(session, cart_id)
    return CartContent(
        [line.item for line in contents.lines],
        await list_codes(session, cart_id),
        await find_shipping_method(session, cart_id),
    )


def describe_content(content: CartContent) -> JsonObject:
    """Return the content as JSON that can be compared with a later state of the same cart."""
    method = content.method
    return {
        "lines": sorted([line.id, line.quantity] for line in content.lines),
        "codes": sorted(content.codes),
        "method": [method.shipping_option_id, method.amount] if method else None,
    }


async def _lock_both(
    session: AsyncSession, actor: Actor, draft_id: str
) -> tuple[LockedDraft, DraftOrderEdit]:
    locked = await lock_draft(session, actor, draft_id)
    found = await session.execute(lock_rows(_EDIT), {"draft_id": draft_id})
    edit = found.scalar_one_or_none()
    if edit is None:
        raise NotFound(f"Draft order {draft_id} has no edit: begin one first")
    await record(session, actor, AUDIT_ACTION, Subject(SubjectType.DRAFT_ORDER, draft_id))
    return locked, edit


async def _copy_method(session: AsyncSession, cart: Cart, method: CartShippingMethod) -> None:
    await set_shipping_method(
        session,
        cart,
        option_id=method.shipping_option_id,
        name=method.name,
        amount=method.amount,
        data=method.data,
    )


async def require_price(session: AsyncSession, variant_id: str, unit_price: Cop | None) -> None:
    """Check that the price that the caller expects is the catalogue's price of the variant.

    Raises:
        InvalidData: the prices differ.
    """
    if unit_price is None:
        return
    price = (
        await session.execute(select(Variant.price).where(Variant.id == variant_id))
    ).scalar_one_or_none()
    if price != unit_price:
        raise InvalidData(OTHER_PRICE.format(variant_id=variant_id, price=price))


async def _find_action_line(session: AsyncSession, edit: DraftOrderEdit, action_id: str) -> LineItem:
    """Return the line of the edit that an action changes, or the line of the draft that it removes.

    Raises:
        NotFound: there is no such action.
    """
    draft = await session.get_one(DraftOrder, edit.draft_order_id)
    after = (await read_content(session, edit.cart_id)).lines
    before = (await read_content(session, draft.cart_id)).lines
    removed = [line for line in before if find_same_line(after, line) is None]
    for line in (*after, *removed):
        if derive_sibling_id(ACTION, line.id) == action_id:
            return line
    raise NotFound(f"Action with id: {action_id} was not found in the edit")


async def _set_units(session: AsyncSession, edit: DraftOrderEdit, line: LineItem, quantity: int) -> None:
    """Set the units of this line in the edit; 0 removes it. `line` is a line of the edit or of the draft."""
    copy = find_same_line((await read_content(session, edit.cart_id)).lines, line)
    if copy is not None:
        await change_line(session, edit.cart_id, copy.id, quantity)
    elif quantity:
        await add_cart_units(session, edit.cart_id, line.variant_id, quantity, line.meta)
        await mark_cart_changed(session, await lock_cart(session, edit.cart_id))


async def _require_method(
    session: AsyncSession, draft_id: str, edit: DraftOrderEdit, method_id: str
) -> CartShippingMethod:
    """Return the shipping method of the edit or of the draft. `method_id` is its id, or the id of its action.

    Raises:
        NotFound: neither has this shipping method.
    """
    draft = await session.get_one(DraftOrder, draft_id)
    for cart_id in (edit.cart_id, draft.cart_id):
        method = await find_shipping_method(session, cart_id)
        if method is not None and method_id in (method.id, derive_sibling_id(ACTION, method.id)):
            return method
    raise NotFound(f"Shipping method with id: {method_id} was not found")


def find_same_line(lines: list[LineItem], line: LineItem) -> LineItem | None:
    """Return the line of `lines` that has the same variant and metadata as `line`; None if there is none."""
    return next((one for one in lines if one.variant_id == line.variant_id and one.meta == line.meta), None)


def _units(content: CartContent) -> Mapping[str, Any]:
    """Return the quantity of each line. The key combines the line's variant id and metadata."""
    return {f"{line.variant_id} {sorted(line.meta.items())}": line.quantity for line in content.lines}
