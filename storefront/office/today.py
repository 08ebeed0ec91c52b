"""Hoy: what waits, what is running out, and what was sold."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.today import LowToy, Step, TodayView, today
from backend.staff.rights import Actor, Right
from storefront.components.placeholders import bar
from storefront.office.components.feedback import chip, empty, screen
from storefront.office.icons import icon
from storefront.office.layout import office
from storefront.office.navigation import (
    ATTENTION,
    ENROL,
    NEW_PRODUCT,
    OFFICE,
    ORDERS,
    PACK,
    REVIEWS,
    STOCK,
    known,
)
from storefront.office.state import OfficeScreen
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Hoy")
WHERE = {"code": ENROL, "toy": NEW_PRODUCT, "purchase": "/catalog"}
"""Where a step of the checklist is done."""


class TodayState(OfficeScreen, KnownClientState):
    """What waits today. Its numbers change by themselves: nothing under a finger moves by it."""

    content: rx.Field[TodayView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset(Topic)

    async def _content(self, actor: Actor) -> TodayView:
        shop = current_shop()
        async with shop.database.read() as session:
            return await today(session, actor, await shop.effective_settings.now())


SHOWN = TodayState.content


def page() -> rx.Component:
    """What waits today."""
    waiting = rx.el.div(
        tile(ATTENTION, "bell", SHOWN.attention, _("Por resolver"), late(), tone="bad"),
        tile(PACK, "box", SHOWN.to_pack, _("Por empacar"), since(), tone="wait"),
        tile(
            ORDERS,
            "bank",
            SHOWN.awaiting_bank,
            _("Esperando al banco"),
            _("El banco aún no decide."),
            query="?pago=esperando",
        ),
        tile(STOCK, "shelves", SHOWN.low_stock, _("Pocas unidades"), _("Según el aviso de cada juguete.")),
        rx.cond(
            SHOWN.reviews > 0,
            tile(REVIEWS, "star", SHOWN.reviews, _("Reseñas por leer"), _("Salen cuando las publicas.")),
        ),
        class_name="o-tiles",
    )
    quiet = empty("check", _("Todo al día"), _("Nada espera. Lo nuevo aparece aquí apenas llegue."))
    content = rx.fragment(
        rx.el.p(SHOWN.day, class_name="o-day"),
        rx.cond(
            SHOWN.is_quiet, rx.el.div(quiet, class_name="o-panel o-quiet", data_testid="all-done"), waiting
        ),
        rx.el.div(sales(), rx.cond(SHOWN.low_stock > 0, low_toys()), class_name="o-columns"),
        rx.cond(SHOWN.steps.length() > 0, checklist()),
    )
    return office(TodayState, OFFICE, TITLE, screen(TodayState, content, skeleton()))


def tile(
    path: str, shape: str, number: Any, label: str, detail: Any, *, query: str = "", tone: str = "plain"
) -> rx.Component:
    """A number, what it counts, and the way there where that place exists."""
    parts = (
        icon(shape),
        rx.el.span(number, class_name="o-tile__number"),
        rx.el.span(label, class_name="o-tile__label"),
        rx.el.span(detail, class_name="o-tile__detail"),
    )
    marks = {"data_tone": rx.cond(number > 0, tone, "none"), "data_row": "", "data_testid": "today-tile"}
    if known(path):
        return rx.el.a(*parts, href=f"{path}{query}", class_name="o-tile", **marks)
    return rx.el.div(*parts, class_name="o-tile", **marks)


def late() -> Any:
    """How many deadlines are over."""
    over = rx.cond(
        SHOWN.attention_late == 1,
        _("1 pasó su plazo."),
        _("{n} pasaron su plazo.").format(n=SHOWN.attention_late),
    )
    within = rx.cond(SHOWN.attention > 0, _("Dentro del plazo."), _("Nada por resolver."))
    return rx.cond(SHOWN.attention_late > 0, over, within)


def since() -> Any:
    """Since when the oldest order waits."""
    return rx.cond(
        SHOWN.waits_since != "",
        _("El más viejo espera desde el {day}.").format(day=SHOWN.waits_since),
        _("Nada por empacar."),
    )


def sales() -> rx.Component:
    """Today's sales beside those until the same time a week ago."""
    orders = rx.cond(SHOWN.orders == 1, _("1 pedido"), _("{n} pedidos").format(n=SHOWN.orders))
    before = _("Hace una semana a esta hora: {amount} ({n})").format(
        amount=SHOWN.sold_last_week_label, n=SHOWN.orders_last_week
    )
    change = SHOWN.change.to(int)
    percent = rx.cond(change > 0, f"+{change} %", f"{change} %")
    return rx.el.section(
        rx.el.h2(_("Ventas de hoy"), class_name="o-section__title"),
        rx.el.p(
            rx.el.span(SHOWN.sold_label, class_name="o-sales__amount", data_testid="sold-today"),
            rx.el.span(orders, class_name="o-row__detail"),
            rx.cond(SHOWN.change.is_not_none(), chip(percent, rx.cond(change < 0, "wait", "good"))),
            class_name="o-sales",
        ),
        rx.el.p(before, class_name="o-row__detail"),
        class_name="o-panel",
    )


def low_toys() -> rx.Component:
    """The toys of which the fewest units are left."""

    def row(toy: ObjectVar[LowToy]) -> rx.Component:
        left = rx.cond(
            toy.units == 0,
            _("agotado"),
            rx.cond(toy.units == 1, _("queda 1"), _("quedan {n}").format(n=toy.units)),
        )
        return rx.el.li(
            rx.el.span(toy.title, class_name="o-low__title"),
            chip(left, rx.cond(toy.units == 0, "bad", "wait")),
            class_name="o-low",
            key=toy.product_id,
        )

    return rx.el.section(
        rx.el.h2(_("Se están acabando"), class_name="o-section__title"),
        rx.el.ul(rx.foreach(SHOWN.low, row)),
        class_name="o-panel",
    )


def checklist() -> rx.Component:
    """What is to be done before the shop opens."""

    def row(step: ObjectVar[Step]) -> rx.Component:
        place: Any = rx.match(step.name, *WHERE.items(), "")
        return rx.el.li(
            rx.el.span(
                rx.cond(step.is_done, icon("check", size=18), ""),
                class_name="o-step__mark",
                data_done=rx.cond(step.is_done, "true", "false"),
                aria_hidden="true",
            ),
            rx.el.span(
                rx.cond(
                    (place != "") & ~step.is_done,
                    rx.el.a(step.title, href=place, class_name="o-step__link"),
                    rx.el.b(step.title),
                ),
                rx.el.span(rx.cond(step.is_done, _(" (listo)"), _(" (falta)")), class_name="sr-only"),
                rx.el.span(step.text, class_name="o-row__detail"),
                class_name="o-step__words",
            ),
            class_name="o-step",
            key=step.name,
        )

    return rx.el.section(
        rx.el.h2(_("Para abrir la tienda"), class_name="o-section__title"),
        rx.el.ol(rx.foreach(SHOWN.steps, row), class_name="o-steps"),
        class_name="o-panel",
        data_testid="checklist",
    )


def skeleton() -> rx.Component:
    """What holds the place of all this."""
    waiting_tile = rx.el.div(
        bar("2rem", "1.5rem"), bar("70%"), bar("50%", "0.8em"), class_name="o-tile o-tile--waiting"
    )
    return rx.el.div(
        rx.el.p(bar("12rem"), class_name="o-day"),
        rx.el.div(*(waiting_tile for _place in range(4)), class_name="o-tiles"),
        rx.el.div(
            rx.el.div(bar("40%"), bar("60%", "2rem"), bar("70%"), class_name="o-panel o-panel--waiting"),
            class_name="o-columns",
        ),
        aria_hidden="true",
    )
