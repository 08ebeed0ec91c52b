"""What the screen of all orders knows, and what can be done with several of them at once."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode

import reflex as rx

from backend.app import current_shop
from backend.errors import InvalidData
from backend.fulfillment.printing import without_label
from backend.fulfillment.several import MOST_AT_ONCE, Outcome, send_several, ship_several
from backend.news import Topic
from backend.office.orders import (
    DAYS,
    FIELDS,
    LONGEST_TEXT,
    OrdersView,
    address_with,
    count_newer,
    orders_view,
    rows_again,
)
from backend.staff.rights import Actor, Right
from backend.texts import _
from storefront.live.state_loss import KnownClientState
from storefront.office.places import ORDERS
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_fields, checked_text, checked_texts

MOST_PARAMETERS = 20
LABELS, SHIPPED = "labels", "shipped"
DOCUMENTS = "/admin"


@dataclass(frozen=True, slots=True)
class ResultView:
    """What came of one order of several."""

    order_id: str
    title: str
    text: str
    tone: str


class OrdersState(OfficeScreen, KnownClientState):
    """The orders that the address asks for."""

    content: rx.Field[OrdersView | None] = rx.field(None)
    results: rx.Field[list[ResultView]] = rx.field(default_factory=list)
    """What came of the last thing that was done with several."""
    printable: rx.Field[str] = rx.field("")
    """The address of the labels that were made with it; empty without any."""

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.ORDERS})

    async def _content(self, actor: Actor) -> OrdersView:
        asked = dict(parse_qsl(str(self.router.url.query), max_num_fields=MOST_PARAMETERS))
        async with current_shop().database.read() as session:
            return await orders_view(session, actor, asked)

    async def _refresh(self, actor: Actor) -> None:
        """No row moves: those that are there show how they stand now, and how many are new is said."""
        shown = self.content
        if shown is None:
            return
        async with current_shop().database.read() as session:
            again = await rows_again(session, actor, [row.id for row in shown.rows])
            self.fresh = await count_newer(session, actor, shown.asked, shown.newest)
        standing = [again.get(row.id, row) for row in shown.rows]
        if standing != shown.rows:
            self.content = replace(shown, rows=standing)

    @office_event(Right.READ_ORDERS)
    async def show_fresh(self, actor: Actor) -> None:
        """Show what is new."""
        await self._show(actor)

    @office_event(Right.READ_ORDERS)
    async def more(self, actor: Actor) -> None:
        """Show the next rows too."""
        shown = self.content
        if shown is None or not shown.cursor:
            return
        async with current_shop().database.read() as session:
            following = await orders_view(session, actor, shown.asked, shown.cursor)
        self.content = replace(shown, rows=[*shown.rows, *following.rows], cursor=following.cursor)

    @office_event(Right.READ_ORDERS)
    async def ask(self, _actor: Actor, form: dict[str, Any]) -> Any:
        """Ask for other orders: the address says which."""
        typed = checked_fields(form, *FIELDS, longest=LONGEST_TEXT)
        kept = self.content.asked if self.content else {}
        asked = {name: typed[name] if name in form else kept.get(name, "") for name in FIELDS}
        if asked["fecha"] in DAYS:
            asked |= {"desde": "", "hasta": ""}
        return rx.redirect(address_with(asked, ORDERS))

    @office_event(Right.FULFILL)
    async def act(self, actor: Actor, action: str, order_ids: list[str]) -> None:
        """Make the labels of these orders, or record that they have left."""
        shop, chosen = current_shop(), checked_texts(order_ids, MOST_AT_ONCE)
        action = checked_text(action, 20)
        if action == LABELS:
            standing = await shop.standing.now()
            outcomes = await send_several(shop.database, actor, standing, shop.fulfillment_providers, chosen)
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

    @office_event(Right.READ_ORDERS)
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
