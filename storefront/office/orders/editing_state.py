"""State of the screen «Cambiar el pedido». The database stores the edit; this state only displays it."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.errors import InsufficientStock, InvalidData, NotAllowed, TotalChanged
from backend.core.money import parse_pesos
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.orders.editing import EditView, edit_view
from backend.order_edits.confirmation import confirm_edit
from backend.order_edits.editing import (
    MAX_REASON_LENGTH,
    add_variant,
    cancel_edit,
    change_action,
    change_variant,
    open_edit,
    set_line_quantity,
)
from backend.order_edits.shipping_choice import (
    choose_edit_shipping,
    list_edit_shipping,
    remove_edit_shipping,
)
from backend.staff.rights import Actor, Right
from storefront.office.components.sale import SaleScreen
from storefront.office.navigation import ORDERS
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id, checked_number

MAX_UNITS = 99
MAX_TOTAL = 10**12


class EditOrderState(SaleScreen, KnownClientState):
    """State of the screen on which a staff member edits the order whose id is in the URL."""

    content: rx.Field[EditView | None] = rx.field(None)
    replaced_id: rx.Field[str] = rx.field("")
    """Id of the line that the next chosen variant replaces; empty if the variant is added."""
    replaced_title: rx.Field[str] = rx.field("")

    _right: ClassVar[Right] = Right.EDIT_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.STOCK, Topic.ORDERS})

    async def _read_content(self, actor: Actor) -> EditView:
        async with current_shop().database.read() as session:
            return await edit_view(session, actor, self._order_in_query())

    def _set_content(self, content: EditView | None) -> None:
        super()._set_content(content)
        if content is None or self.replaced_id not in {line.id for line in content.lines}:
            self.replaced_id, self.replaced_title = "", ""  # it was a line of another order
        if content is None or content.order_id != self._order_in_query():
            self.options = []

    @office_event(is_press=False)
    async def replace_line(self, _actor: Actor, line_id: str) -> None:
        """Let the next chosen variant replace this line. If `line_id` is empty, the variant will be added."""
        checked_id(line_id or "-")
        lines = self.content.lines if self.content is not None else []
        titles = {line.id: line.title for line in lines if not line.is_new}
        self.replaced_title = titles.get(line_id, "")
        self.replaced_id = line_id if line_id in titles else ""

    @office_event()
    async def set_quantity(self, actor: Actor, line_id: str, quantity: int) -> None:
        """Set the quantity of a line of the order or of an added line; 0 removes the line."""
        checked_id(line_id)
        checked_number(quantity, 0, MAX_UNITS)
        self.problems = {}
        is_added = self.content is not None and any(
            line.id == line_id and line.is_new for line in self.content.lines
        )
        try:
            async with current_shop().database.transaction() as session:
                edit = await open_edit(session, actor, self._order_in_query())
                if is_added:
                    await change_action(session, actor, edit.id, line_id, quantity)
                else:
                    await set_line_quantity(session, actor, edit.id, line_id, quantity)
        finally:
            await self._show(actor)

    @office_event()
    async def list_shipping(self, actor: Actor) -> None:
        """List the shipping options of the order, with their live prices."""
        offer = await list_edit_shipping(current_shop().checkout, actor, self._order_in_query())
        await self._show(actor)
        self._show_offer(offer)

    @office_event()
    async def choose_shipping(self, actor: Actor, option_id: str) -> None:
        """Choose another shipping option for the order."""
        checked_id(option_id)
        shop, order_id = current_shop(), self._order_in_query()
        async with shop.database.transaction() as session:
            edit = await open_edit(session, actor, order_id)
        await choose_edit_shipping(shop.checkout, actor, edit.id, option_id)
        self.options = []
        await self._show(actor)

    @office_event()
    async def keep_shipping(self, actor: Actor, edit_id: str) -> None:
        """Discard the choice of another shipping option: the order keeps its current one."""
        async with current_shop().database.transaction() as session:
            await remove_edit_shipping(session, actor, checked_id(edit_id))
        self.options = []
        await self._show(actor)

    @office_event()
    async def save(self, actor: Actor, form_data: dict[str, str]) -> Any:
        """Confirm the edit if its total is the one that the staff member saw, and return a redirect to the order."""
        typed = checked_fields(form_data, "edit", "total", "reason", max_length=MAX_REASON_LENGTH)
        self.problems = {}
        if not typed["reason"]:
            raise InvalidData("no reason", fields={"reason": _("Escribe por qué.")})
        total = checked_number(parse_pesos(typed["total"]), 0, MAX_TOTAL)
        try:
            async with current_shop().database.transaction() as session:
                await confirm_edit(
                    session,
                    actor,
                    checked_id(typed["edit"]),
                    expected_total=total,
                    reason=typed["reason"],
                )
        except (InsufficientStock, NotAllowed, TotalChanged) as error:
            await self._announce_problem(actor, error.staff_text or _("No se pudo. Mira el pedido."))
            return None
        self._announce(_("Pedido cambiado."))
        return rx.redirect(f"{ORDERS}/{self._order_in_query()}")

    @office_event()
    async def discard(self, actor: Actor, edit_id: str) -> Any:
        """Cancel the edit. Return a redirect to the order."""
        async with current_shop().database.transaction() as session:
            await cancel_edit(session, actor, checked_id(edit_id))
        return rx.redirect(f"{ORDERS}/{self._order_in_query()}")

    async def _add(self, actor: Actor, variant_id: str) -> None:
        """Add the variant to the edit, or put it in place of the line `replaced_id`."""
        replaced, self.replaced_id, self.replaced_title = self.replaced_id, "", ""
        try:
            async with current_shop().database.transaction() as session:
                edit = await open_edit(session, actor, self._order_in_query())
                if replaced:
                    await change_variant(session, actor, edit.id, replaced, variant_id)
                else:
                    await add_variant(session, actor, edit.id, variant_id)
        except InvalidData as error:
            self.problems = {"code": error.staff_text or _("No está a la venta.")}
        await self._show(actor)
