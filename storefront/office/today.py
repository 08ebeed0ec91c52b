"""The start screen (Hoy): waiting work, low stock and today's sales."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.texts import _
from backend.news.topics import Topic
from backend.office.opening_steps import Step
from backend.office.today import LowStockProduct, TodayView, today_view
from backend.staff.rights import Actor, Right
from backend.staff_notices.waiting_work import WorkWithDeadline
from storefront.components.placeholders import skeleton_bar
from storefront.office.components.feedback import chip, empty_state, screen
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.navigation import (
    ATTENTION,
    BRAND,
    CATEGORIES,
    CONTENT,
    ENROL,
    INVOICES,
    NEW_PRODUCT,
    OFFICE,
    ORDERS,
    OWN_ACCOUNT,
    PACK,
    PQRS,
    RETURNS,
    REVIEWS,
    SETTINGS,
    STOCK,
    is_place,
)
from storefront.office.state import OfficeScreen
from storefront.reflex_ext.numbers import grouped
from storefront.reflex_ext.state_loss import KnownClientState

TITLE = _("Hoy")
STEP_PATHS = {
    "code": ENROL,
    "data": SETTINGS,
    "legal": CONTENT,
    "brand": BRAND,
    "warehouse": SETTINGS,
    "product": NEW_PRODUCT,
    "category": CATEGORIES,
    "invoice": INVOICES,
    "notice": OWN_ACCOUNT,
    "purchase": "/catalog",
    "refund": ORDERS,
}
"""The address where each step of the checklist is done."""


class TodayState(OfficeScreen, KnownClientState):
    """State of the start screen: today's work and sales.

    Live updates change the numbers, but move nothing on the screen.
    """

    content: rx.Field[TodayView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_ORDERS
    _topics: ClassVar[frozenset[str]] = frozenset(Topic)

    async def _read_content(self, actor: Actor) -> TodayView:
        shop = current_shop()
        async with shop.database.read() as session:
            return await today_view(session, actor, await shop.effective_settings.now())


VIEW = TodayState.content


def page() -> rx.Component:
    """Render the start screen."""
    tiles = rx.el.div(
        tile(ATTENTION, "bell", VIEW.attention, _("Por resolver"), deadline_text(), tone="bad"),
        tile(PACK, "box", VIEW.to_pack, _("Por empacar"), oldest_order_text(), tone="wait"),
        deadline_tile(PQRS, "chat", VIEW.pqrs, _("PQRS por responder"), _("Nada por responder.")),
        deadline_tile(RETURNS, "undo", VIEW.returns, _("Devoluciones abiertas"), _("Nadie espera.")),
        tile(
            ORDERS,
            "bank",
            VIEW.awaiting_bank,
            _("Esperando al banco"),
            rx.cond(VIEW.awaiting_bank > 0, _("El banco aún no decide."), _("Ningún pago espera.")),
            query="?pago=esperando",
        ),
        tile(STOCK, "shelves", VIEW.low_stock, _("Pocas unidades"), _("Según el aviso de cada producto.")),
        rx.cond(
            VIEW.reviews > 0,
            tile(REVIEWS, "star", VIEW.reviews, _("Reseñas por leer"), _("Salen cuando las publicas.")),
        ),
        class_name="o-tiles",
    )
    nothing = rx.cond(
        VIEW.steps.length() > 0,
        empty_state("store", _("Nada espera todavía"), _("Termina lo que falta para abrir la tienda.")),
        empty_state(
            "check",
            _("Todo al día"),
            _("Nada espera. Lo nuevo aparece aquí apenas llegue."),
            data_testid="all-done",
        ),
    )
    quiet = rx.el.div(nothing, class_name="o-panel o-quiet")
    content = rx.fragment(
        rx.el.p(VIEW.day, class_name="o-day"),
        rx.cond(VIEW.is_quiet, quiet, tiles),
        rx.el.div(sales_panel(), rx.cond(VIEW.low_stock > 0, low_stock_panel()), class_name="o-columns"),
        rx.cond(VIEW.steps.length() > 0, checklist()),
    )
    return office_layout(TodayState, OFFICE, TITLE, screen(TodayState, content, skeleton()))


def tile(
    path: str, shape: str, number: Any, label: str, detail: Any, *, query: str = "", tone: Any = "plain"
) -> rx.Component:
    """Render a number with its label. It is a link if the office has a screen at the path."""
    parts = (
        icon(shape),
        rx.el.span(grouped(number), class_name="o-tile__number"),
        rx.el.span(label, class_name="o-tile__label"),
        rx.el.span(detail, class_name="o-tile__detail"),
    )
    marks = {"data_tone": rx.cond(number > 0, tone, "none"), "data_row": "", "data_testid": "waiting-tile"}
    if is_place(path):
        return rx.el.a(*parts, href=f"{path}{query}", class_name="o-tile", **marks)
    return rx.el.div(*parts, class_name="o-tile", **marks)


def deadline_tile(
    path: str, shape: str, work: ObjectVar[WorkWithDeadline], label: str, nothing: str
) -> rx.Component:
    """Render the number of requests that have a legal deadline.

    Below it is the number of missed deadlines or, if there is none, the days until the nearest deadline.
    """
    passed = rx.cond(
        work.late == 1,
        _("1 pasó su plazo legal."),
        _("{n} pasaron su plazo legal.").format(n=grouped(work.late)),
    )
    days = rx.cond(work.late > 0, passed, _("{days} para la más urgente.").format(days=work.deadline_label))
    return tile(
        path,
        shape,
        work.count,
        label,
        rx.cond(work.count > 0, days, nothing),
        tone=rx.cond(work.is_urgent, "bad", "wait"),
    )


def deadline_text() -> Any:
    """Return a text with the number of missed deadlines."""
    missed = rx.cond(
        VIEW.attention_late == 1,
        _("1 pasó su plazo."),
        _("{n} pasaron su plazo.").format(n=grouped(VIEW.attention_late)),
    )
    within = rx.cond(VIEW.attention > 0, _("Dentro del plazo."), _("Nada por resolver."))
    return rx.cond(VIEW.attention_late > 0, missed, within)


def oldest_order_text() -> Any:
    """Return a text with the date of the oldest order to pack."""
    return rx.cond(
        VIEW.waits_since != "",
        _("El más viejo espera desde el {day}.").format(day=VIEW.waits_since),
        _("Nada por empacar."),
    )


def sales_panel() -> rx.Component:
    """Render today's sales, compared with the sales a week ago until the same time of day."""
    orders = rx.cond(VIEW.orders == 1, _("1 pedido"), _("{n} pedidos").format(n=grouped(VIEW.orders)))
    before = _("Hace una semana a esta hora: {amount} ({n})").format(
        amount=VIEW.sold_last_week_label, n=grouped(VIEW.orders_last_week)
    )
    change = VIEW.change.to(int)
    percent = rx.cond(change > 0, f"+{change} %", f"{change} %")
    return rx.el.section(
        rx.el.h2(_("Ventas de hoy"), class_name="o-section__title"),
        rx.el.p(
            rx.el.span(VIEW.sold_label, class_name="o-sales__amount", data_testid="sold-today"),
            rx.el.span(orders, class_name="o-row__detail"),
            rx.cond(VIEW.change.is_not_none(), chip(percent, rx.cond(change < 0, "wait", "good"))),
            class_name="o-sales",
        ),
        rx.el.p(before, class_name="o-row__detail"),
        class_name="o-panel",
    )


def low_stock_panel() -> rx.Component:
    """Render the products with the fewest units left."""

    def row(product: ObjectVar[LowStockProduct]) -> rx.Component:
        units_text = rx.cond(
            product.units == 0,
            _("agotado"),
            rx.cond(product.units == 1, _("queda 1"), _("quedan {n}").format(n=grouped(product.units))),
        )
        return rx.el.li(
            rx.el.span(product.title, class_name="o-low__title"),
            chip(units_text, rx.cond(product.units == 0, "bad", "wait")),
            class_name="o-low",
            key=product.product_id,
        )

    return rx.el.section(
        rx.el.h2(_("Se están acabando"), class_name="o-section__title"),
        rx.el.ul(rx.foreach(VIEW.low_products, row)),
        class_name="o-panel",
    )


def checklist() -> rx.Component:
    """Render the steps that are required before the shop opens."""

    def row(step: ObjectVar[Step]) -> rx.Component:
        place: Any = rx.match(step.name, *STEP_PATHS.items(), "")
        return rx.el.li(
            rx.el.span(
                rx.cond(step.is_done, icon("check", size=18), ""),
                class_name="o-step__mark",
                data_done=rx.cond(step.is_done, "true", "false"),
                aria_hidden="true",
            ),
            rx.el.span(
                rx.el.b(step.title),
                rx.el.span(rx.cond(step.is_done, _(" (listo)"), _(" (falta)")), class_name="sr-only"),
                rx.el.span(step.text, class_name="o-row__detail"),
                rx.cond(
                    (place != "") & ~step.is_done,
                    rx.el.a(
                        _("Hacerlo ahora"),
                        rx.el.span(": ", step.title, class_name="sr-only"),
                        href=place,
                        class_name="button button--small button--quiet o-step__link",
                    ),
                ),
                rx.cond((step.server_lines.length() > 0) & ~step.is_done, server_step(step)),
                class_name="o-step__words",
            ),
            class_name="o-step",
            key=step.name,
        )

    return rx.el.section(
        rx.el.h2(_("Para abrir la tienda"), class_name="o-section__title"),
        rx.el.ol(rx.foreach(VIEW.steps, row), class_name="o-steps"),
        class_name="o-panel",
        data_testid="checklist",
    )


def server_step(step: ObjectVar[Step]) -> rx.Component:
    """Render a step that is done on the server, with the lines to send to the person who maintains it."""
    return rx.el.details(
        rx.el.summary(
            _("Hacerlo ahora"),
            rx.el.span(": ", step.title, class_name="sr-only"),
            class_name="button button--small button--quiet o-step__link",
        ),
        rx.el.p(
            _("Se hace una vez en el servidor. Pásale esto a quien lo mantiene:"), class_name="o-row__detail"
        ),
        rx.el.pre(step.server_lines.join("\n"), class_name="o-step__lines"),
    )


def skeleton() -> rx.Component:
    """Render placeholders while the screen loads."""
    waiting_tile = rx.el.div(
        skeleton_bar("2rem", "1.5rem"),
        skeleton_bar("70%"),
        skeleton_bar("50%", "0.8em"),
        class_name="o-tile o-tile--waiting",
    )
    return rx.el.div(
        rx.el.p(skeleton_bar("12rem"), class_name="o-day"),
        rx.el.div(*(waiting_tile for _number in range(4)), class_name="o-tiles"),
        rx.el.div(
            rx.el.div(
                skeleton_bar("40%"),
                skeleton_bar("60%", "2rem"),
                skeleton_bar("70%"),
                class_name="o-panel o-panel--waiting",
            ),
            class_name="o-columns",
        ),
        aria_hidden="true",
    )
