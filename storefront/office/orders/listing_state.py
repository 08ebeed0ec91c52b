"""What the screen of all orders knows, and what can be done with several of them at once."""

from dataclasses import dataclass
from typing import Any, ClassVar
from urllib.parse import urlencode

import reflex as rx

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.fulfillment.bulk_fulfillment import MOST_AT_ONCE, Outcome, send_several, ship_several
from backend.fulfillment.printing import without_label
from backend.news.topics import Topic
from backend.office.orders.listing import (
    DAYS,
    FIELDS,
    LONGEST_TEXT,
    OrderRow,
    OrdersView,
    count_newer,
    orders_view,
    rows_again,
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
    """What came of one order of several."""

    order_id: str
    title: str
    text: str
    tone: str


class OrdersState(OfficeList, KnownClientState):
    """The orders that the address asks for."""

    content: rx.Field[OrdersView | None] = rx.field(None)
    results: rx.Field[list[ResultView]] = rx.field(default_factory=list)
    """What came of the last thing that was done with several."""
    printable: rx.Field[str] = rx.field("")
    """The address of the labels that were made with it; empty without any."""

    _right: ClassVar[Right] = Right.READ_ORDERS
    _fields: ClassVar[tuple[str, ...]] = FIELDS
    _longest: ClassVar[int] = LONGEST_TEXT
    _place: ClassVar[str] = ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS})

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> OrdersView:
        async with current_shop().database.read() as session:
            return await orders_view(session, actor, asked, cursor)

    async def _rows_again(self, actor: Actor, shown: OrdersView) -> tuple[dict[str, OrderRow], int]:
        async with current_shop().database.read() as session:
            rows = await rows_again(session, actor, [row.id for row in shown.rows])
            return rows, await count_newer(session, actor, shown.asked, shown.newest)

    def _asked_now(self, form: dict[str, Any]) -> dict[str, str]:
        asked = super()._asked_now(form)
        return asked | {"desde": "", "hasta": ""} if asked["fecha"] in DAYS else asked

    @office_event(Right.FULFILL)
    async def act(self, actor: Actor, action: str, order_ids: list[str]) -> None:
        """Make the labels of these orders, or record that they have left."""
        shop, chosen = current_shop(), checked_texts(order_ids, MOST_AT_ONCE)
        action = checked_text(action, 20)
        if action == LABELS:
            effective = await shop.effective_settings.now()
            outcomes = await send_several(shop.database, actor, effective, shop.fulfillment_providers, chosen)
        elif action == SHIPPED:
            outcomes = await ship_several(shop.database, actor, chosen)
        else:
            raise InvalidData("nothing of that name can be done")
        done = [outcome for outcome in outcomes if outcome.is_done]
        self.results = [_result(outcome) for outcome in outcomes]
        self.printable = _labels_of(done) if action == LABELS else ""
        if len(done) == len(outcomes):
            self._tell(_("Listo."))
        else:
            said = _("{done} de {all} listos. Mira qué pasó con los otros.")
            self._tell(said.format(done=len(done), all=len(outcomes)), "problem")
        await self._refresh(actor)

    @office_event(Right.READ_ORDERS)
    async def printing(self, actor: Actor, order_ids: list[str]) -> None:
        """Say which of these orders are missing in what is printed, as they have no label."""
        chosen = checked_texts(order_ids, MOST_AT_ONCE)
        async with current_shop().database.read() as session:
            missing = await without_label(session, actor, chosen)
        if missing:
            said = _("Sin guía para imprimir: {numbers}.")
            self._tell(said.format(numbers=", ".join(map(str, missing))), "problem")

    @office_event(Right.READ_ORDERS, is_press=False)
    async def close_results(self, _actor: Actor) -> None:
        """Show no more what came of it."""
        self.results, self.printable = [], ""


def _result(outcome: Outcome) -> ResultView:
    title = _("Pedido {number}").format(number=outcome.number) if outcome.number else _("Un pedido")
    tone = "good" if outcome.is_done else "wait" if outcome.waits else "bad"
    return ResultView(outcome.order_id, title, outcome.text, tone)


def _labels_of(outcomes: list[Outcome]) -> str:
    query = urlencode([("id", outcome.order_id) for outcome in outcomes])
    return f"{DOCUMENTS}/order-labels?{query}" if outcomes else ""
