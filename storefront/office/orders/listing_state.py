"""State of the order list, and actions on several orders at once."""

from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode

import reflex as rx

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.fulfillment.bulk_fulfillment import MAX_ORDERS_PER_CALL, Outcome, send_orders, ship_orders
from backend.fulfillment.printing import list_numbers_without_label
from backend.news.topics import Topic
from backend.office.orders.listing import (
    DAYS,
    FIELDS,
    MAX_TEXT_LENGTH,
    OrderRow,
    OrdersView,
    count_newer_orders,
    orders_view,
    read_order_rows,
)
from backend.staff.rights import Actor, Right
from storefront.office.list_state import OfficeList
from storefront.office.navigation import ORDERS
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_text, checked_texts

LABELS, SHIPPED = "labels", "shipped"
DOCUMENTS = "/admin"


@dataclass(frozen=True, slots=True)
class ResultView:
    """Result of an action for one of several orders."""

    order_id: str
    title: str
    text: str
    tone: str


class OrdersState(OfficeList, KnownClientState):
    """The orders that match the filters in the URL."""

    content: rx.Field[OrdersView | None] = rx.field(None)
    results: rx.Field[list[ResultView]] = rx.field(default_factory=list)
    """Results of the latest action on several orders."""
    labels_path: rx.Field[str] = rx.field("")
    """URL of a PDF with the labels that the latest action created; empty without labels."""

    _right: ClassVar[Right] = Right.READ_ORDERS
    _filter_fields: ClassVar[tuple[str, ...]] = FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS})

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> OrdersView:
        async with current_shop().database.read() as session:
            return await orders_view(session, actor, filters, cursor)

    async def _read_current_rows(self, actor: Actor, shown: OrdersView) -> tuple[dict[str, OrderRow], int]:
        async with current_shop().database.read() as session:
            rows = await read_order_rows(session, actor, [row.id for row in shown.rows])
            return rows, await count_newer_orders(session, actor, shown.filters, shown.newest)

    def _filters_from_form(self, form: dict[str, Any]) -> dict[str, str]:
        filters = super()._filters_from_form(form)
        return filters | {"desde": "", "hasta": ""} if filters["fecha"] in DAYS else filters

    @office_event(Right.FULFILL)
    async def run_action(self, actor: Actor, action: str, order_ids: list[str]) -> None:
        """Run an action on these orders: create their labels, or record that they were shipped."""
        shop, chosen = current_shop(), checked_texts(order_ids, MAX_ORDERS_PER_CALL)
        action = checked_text(action, 20)
        if action == LABELS:
            effective = await shop.effective_settings.now()
            outcomes = await send_orders(shop.database, actor, effective, shop.fulfillment_providers, chosen)
        elif action == SHIPPED:
            outcomes = await ship_orders(shop.database, actor, chosen)
        else:
            raise InvalidData("not an action on orders")
        done = [outcome for outcome in outcomes if outcome.is_done]
        self.results = [_result_view(outcome) for outcome in outcomes]
        self.labels_path = _labels_path(done) if action == LABELS else ""
        if len(done) == len(outcomes):
            self._announce(_("Listo."))
        else:
            text = _("{done} de {all} listos. Mira qué pasó con los otros.")
            self._announce(text.format(done=len(done), all=len(outcomes)), "problem")
        await self._refresh(actor)

    @office_event(Right.READ_ORDERS)
    async def announce_unprinted(self, actor: Actor, order_ids: list[str]) -> None:
        """Announce the numbers of those orders whose labels cannot be printed because they have none."""
        chosen = checked_texts(order_ids, MAX_ORDERS_PER_CALL)
        async with current_shop().database.read() as session:
            missing = await list_numbers_without_label(session, actor, chosen)
        if missing:
            text = _("Sin guía para imprimir: {numbers}.")
            self._announce(text.format(numbers=", ".join(map(str, missing))), "problem")

    @office_event(Right.READ_ORDERS, is_press=False)
    async def close_results(self, _actor: Actor) -> None:
        """Hide the results."""
        self.results, self.labels_path = [], ""


def _result_view(outcome: Outcome) -> ResultView:
    title = _("Pedido {number}").format(number=outcome.number) if outcome.number else _("Un pedido")
    tone = "good" if outcome.is_done else "wait" if outcome.waits else "bad"
    return ResultView(outcome.order_id, title, outcome.text, tone)


def _labels_path(outcomes: list[Outcome]) -> str:
    query = urlencode([("id", outcome.order_id) for outcome in outcomes])
    return f"{DOCUMENTS}/order-labels?{query}" if outcomes else ""
