"""Pedidos: the orders, the newest first, with filters, and what is done with several of them at once."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import parse_qsl, urlencode

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.errors import InvalidData
from backend.fulfillment.printing import without_label
from backend.fulfillment.several import MOST_AT_ONCE, Outcome, send_several, ship_several
from backend.news import Topic
from backend.office.orders import (
    DAYS,
    DELIVERY,
    DISPATCH,
    FIELDS,
    LONGEST_TEXT,
    MOST_ROWS,
    PAYMENT,
    ActiveFilter,
    ChipView,
    OrderRow,
    OrdersView,
    address_with,
    count_newer,
    orders_view,
    rows_again,
)
from backend.staff.rights import Actor, Right
from backend.texts import _
from storefront.components.forms import select_field
from storefront.components.hooks import ABSENT
from storefront.components.placeholders import bar
from storefront.live.state_loss import KnownClientState
from storefront.office.browser import CHOSEN, Choosing
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.components.lists import fresh, more, rows
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.places import ORDERS
from storefront.office.state import OfficeScreen, answers, may, office_event
from storefront.state.handlers import checked_fields, checked_text, checked_texts

TITLE = _("Pedidos")
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


SHOWN: Any = OrdersState.content.to(ObjectVar, OrdersView)
ASKED: Any = SHOWN.asked.to(ObjectVar, dict[str, str])


def page() -> rx.Component:
    """The orders."""
    nothing = empty(
        "receipt",
        _("Ningún pedido"),
        _("Con estos filtros no hay ninguno. Quita alguno, o espera el siguiente."),
    )
    content = rx.fragment(
        filters(),
        results(),
        fresh(OrdersState.fresh, OrdersState.show_fresh),
        Choosing.create(
            rx.cond(SHOWN.rows.length() > 0, every()),
            rows(SHOWN.rows, order_row, rx.el.div(nothing, class_name="o-panel"), label=TITLE),
            chosen_bar(),
            class_name="o-choosing",
            answers=answers(OrdersState),
            on_act=OrdersState.act,
            on_print=OrdersState.printing,
        ),
        more(SHOWN.cursor != "", OrdersState.more),
    )
    return office(OrdersState, ORDERS, TITLE, screen(OrdersState, content, skeleton()), class_name="o-orders")


def filters() -> rx.Component:
    """The search, what is asked for most, everything else behind «Filtros», and what is on."""
    search = rx.el.form(
        rx.el.label(_("Buscar pedidos"), html_for="orders-q", class_name="sr-only"),
        icon("search", size=20),
        rx.el.input(
            id=rx.Var.create("orders-q"),
            name="q",
            type="search",
            default_value=ASKED["q"],
            placeholder=_("Número, nombre, teléfono, guía…"),
            max_length=LONGEST_TEXT,
            auto_complete="off",
            enter_key_hint="search",
            class_name="field__input o-find__input",
            data_screen_search="",
            data_testid="orders-search",
        ),
        class_name="o-find",
        role="search",
        key=ASKED["q"],
        on_submit=OrdersState.ask,
    )
    quick = rx.el.nav(
        *(
            rx.el.a(
                label,
                href=f"{ORDERS}{query}",
                class_name="o-quick",
                custom_attrs={"aria-current": rx.cond(is_on, "true", ABSENT)},
            )
            for label, query, is_on in (
                (_("Todos"), "", SHOWN.active.length() == 0),
                (_("Por empacar"), "?envio=por-empacar", ASKED["envio"] == "por-empacar"),
                (_("Esperando al banco"), "?pago=esperando", ASKED["pago"] == "esperando"),
                (_("Hoy"), "?fecha=hoy", ASKED["fecha"] == "hoy"),
            )
        ),
        aria_label=_("Filtros de siempre"),
        class_name="o-quicks",
    )
    return rx.el.div(
        search,
        quick,
        rx.el.details(
            rx.el.summary(icon("sliders", size=20), _("Filtros"), class_name="o-disclosure"),
            filter_form(),
        ),
        rx.cond(SHOWN.active.length() > 0, active_filters()),
        class_name="o-filters",
    )


def filter_form() -> rx.Component:
    """Every filter."""
    return rx.el.form(
        choice("fecha", _("Fecha"), _("Cualquier fecha"), DAYS),
        day("desde", _("Desde")),
        day("hasta", _("Hasta")),
        choice(
            "pago", _("Pago"), _("Cualquier pago"), {name: label for name, (label, _of) in PAYMENT.items()}
        ),
        choice(
            "envio",
            _("Despacho"),
            _("Cualquier despacho"),
            {name: label for name, (label, _of) in DISPATCH.items()},
        ),
        choice("entrega", _("Entrega"), _("Cualquier entrega"), DELIVERY),
        rx.el.button(_("Ver estos pedidos"), type="submit", class_name="button button--dark button--small"),
        class_name="o-filters__form",
        key=rx.Var.create(SHOWN.asked).to_string(),
        on_submit=OrdersState.ask,
    )


def choice(name: str, label: str, anything: str, choices: dict[str, str]) -> rx.Component:
    """One of a few, or any."""
    return select_field(
        label,
        [
            rx.el.option(anything, value=""),
            *(rx.el.option(text, value=value) for value, text in choices.items()),
        ],
        element_id=f"orders-{name}",
        problem=rx.Var.create(""),
        live="",
        name=name,
        default_value=ASKED[name],
    )


def day(name: str, label: str) -> rx.Component:
    """A day of the calendar, which the telephone draws itself."""
    return rx.el.div(
        rx.el.label(label, html_for=f"orders-{name}", class_name="field__label"),
        rx.el.input(
            id=rx.Var.create(f"orders-{name}"),
            type="date",
            name=name,
            default_value=ASKED[name],
            class_name="field__input",
        ),
        class_name="field",
    )


def active_filters() -> rx.Component:
    """What is on, each with a way to turn it off."""

    def one(active: ObjectVar[ActiveFilter]) -> rx.Component:
        return rx.el.li(
            rx.el.a(
                active.label,
                rx.el.span(_(" (quitar)"), class_name="sr-only"),
                icon("close", size=16),
                href=f"{ORDERS}{active.without}",
                class_name="o-active",
            ),
            key=active.label,
        )

    return rx.el.ul(rx.foreach(SHOWN.active, one), class_name="o-actives", aria_label=_("Filtros puestos"))


def every() -> rx.Component:
    """Chooses all rows that are shown."""
    return rx.el.label(
        rx.el.input(type="checkbox", special_props=[CHOSEN.every], class_name="o-box"),
        rx.el.span(_("Elegir todos los que se ven")),
        class_name="o-every",
    )


def order_row(order: ObjectVar[OrderRow]) -> rx.Component:
    """An order: who, what, how much, and how it stands; and a box to choose it."""
    return rx.el.li(
        rx.el.label(
            rx.el.input(
                type="checkbox",
                name="id",
                value=order.id,
                data_chooses="",
                class_name="o-box",
                aria_label=_("Elegir el pedido {number}").format(number=order.number),
            ),
            class_name="o-order__choose",
        ),
        rx.el.a(
            rx.el.span(
                rx.el.b(f"#{order.number}", class_name="o-order__number"),
                rx.el.span(order.buyer, class_name="o-order__buyer"),
                class_name="o-order__who",
            ),
            rx.el.span(order.total_label, class_name="o-order__total"),
            rx.el.span(order.toys, class_name="o-order__items"),
            rx.el.span(
                rx.cond(order.is_pickup, _("Recoge en tienda"), order.town),
                " · ",
                order.placed_label,
                class_name="o-order__when",
            ),
            rx.el.span(rx.foreach(order.chips, state_chip), class_name="o-order__chips"),
            href=f"{ORDERS}/{order.id}",
            class_name="o-order__link",
            data_opens_row="",
        ),
        id=rx.Var.create(order.id),
        key=order.id,
        data_row="",
        data_testid="order-row",
        class_name="o-order",
    )


def state_chip(state: ObjectVar[ChipView]) -> rx.Component:
    """How a thing stands."""
    return chip(state.text, state.tone)


@rx.memo
def chosen_bar() -> rx.Component:
    """What can be done with all that are chosen; there while any is."""

    def act(action: str, shape: str, label: str) -> rx.Component:
        return rx.cond(
            may(Right.FULFILL),
            rx.el.button(
                icon(shape, size=18),
                label,
                type="submit",
                data_act=action,
                disabled=CHOSEN.is_busy,
                class_name="button button--dark button--small",
            ),
        )

    def document(path: str, shape: str, label: str, **marks: str) -> rx.Component:
        attributes = {"formAction": f"{DOCUMENTS}/{path}", "formTarget": "_blank"}
        return rx.el.button(
            icon(shape, size=18),
            label,
            type="submit",
            custom_attrs=attributes,
            class_name="button button--quiet button--small",
            **marks,
        )

    return rx.el.div(
        rx.el.p(
            rx.cond(CHOSEN.is_busy, _("Trabajando…"), _("{n} elegidos").format(n=CHOSEN.count)),
            role="status",
            class_name="o-chosen__count",
        ),
        rx.el.button(
            icon("close", size=18),
            type="button",
            special_props=[CHOSEN.none],
            class_name="icon-button",
            aria_label=_("No elegir ninguno"),
        ),
        rx.el.div(
            act(LABELS, "tag", _("Hacer guías")),
            document("order-labels", "print", _("Imprimir guías"), data_prints=""),
            document("packing-slips", "receipt", _("Listas de empaque")),
            act(SHIPPED, "truck", _("Marcar enviados")),
            rx.cond(may(Right.EXPORT_PERSONAL_DATA), document("order-exports", "download", _("Exportar"))),
            class_name="o-chosen__actions",
        ),
        class_name="o-chosen",
        hidden=CHOSEN.count.to(int) == 0,
        data_testid="chosen",
    )


def results() -> rx.Component:
    """What came of each order of the last thing that was done."""

    def one(result: ObjectVar[ResultView]) -> rx.Component:
        return rx.el.li(
            rx.el.a(result.title, href=f"{ORDERS}/{result.order_id}", class_name="o-result__title"),
            chip(result.text, result.tone),
            class_name="o-result",
            key=result.order_id,
        )

    panel = rx.el.section(
        rx.el.div(
            rx.el.h2(_("Qué pasó"), class_name="o-section__title"),
            rx.el.button(
                icon("close", size=18),
                type="button",
                class_name="icon-button",
                aria_label=_("Cerrar"),
                on_click=OrdersState.close_results,
            ),
            class_name="o-section__head",
        ),
        rx.el.ul(rx.foreach(OrdersState.results, one)),
        rx.cond(
            OrdersState.printable != "",
            rx.el.a(
                icon("print", size=18),
                _("Imprimir estas guías"),
                href=OrdersState.printable,
                target="_blank",
                class_name="button button--primary button--small",
                custom_attrs={"reloadDocument": True},
            ),
        ),
        class_name="o-panel o-results",
        data_testid="results",
    )
    return rx.cond(OrdersState.results.length() > 0, panel)


def skeleton() -> rx.Component:
    """What holds the place of all this."""
    row = rx.el.li(
        bar("45%"), bar("70%", "0.85em"), bar("30%", "0.85em"), class_name="o-order o-order--waiting"
    )
    return rx.el.div(
        rx.el.div(
            bar("100%", "2.75rem"), bar("100%", "2.75rem"), bar("6rem", "2.75rem"), class_name="o-filters"
        ),
        rx.el.div(class_name="o-fresh"),
        rx.el.div(bar("12rem"), class_name="o-every"),
        rx.el.ul(*(row for _place in range(min(MOST_ROWS, 8))), class_name="o-list"),
        aria_hidden="true",
    )
