"""The invoices screen (Facturas): the documents, their status, their retries, and the numbering."""

from typing import Any, ClassVar

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _, format_count
from backend.invoices.configuration import save_configuration
from backend.invoices.earlier_orders import (
    MAX_ORDERS_PER_CALL,
    invoice_earlier_orders,
    mark_invoiced_elsewhere,
)
from backend.invoices.retry import retry_invoice
from backend.news.topics import Topic
from backend.office.invoices import (
    FIELDS,
    KINDS,
    MAX_TEXT_LENGTH,
    STATES,
    Choice,
    EarlierOrder,
    InvoiceRow,
    InvoicesView,
    count_newer_invoices,
    invoices_view,
    read_invoice_rows,
)
from backend.office.listing import labels_of
from backend.office_settings.invoicing import Invoicing
from backend.staff.rights import Actor, Right
from storefront.components.forms import SubmitOnce
from storefront.office.components.feedback import (
    action_link,
    chip,
    empty_list,
    invitation,
    no_matches,
    screen,
)
from storefront.office.components.forms import edit_form, office_field, office_select
from storefront.office.components.invoice_files import file_links
from storefront.office.components.list_filters import ListFilters
from storefront.office.components.lists import fold_row, office_list
from storefront.office.icons import icon
from storefront.office.layout import office_layout
from storefront.office.list_state import OfficeList
from storefront.office.navigation import INVOICES, ORDERS, REPORTS
from storefront.office.state import answer_number, has_right, office_event
from storefront.reflex_ext.numbers import grouped
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields, checked_id

TITLE = _("Facturas")
SETTING_FIELDS = tuple(Invoicing.model_fields)
TICK = "order-"
"""Prefix of the checkbox of an order; its id follows."""
ISSUE, ELSEWHERE = "issue", "elsewhere"
"""The decisions about ticked orders."""
MAX_ID_LENGTH = 60
NUMBERING_ID = "invoice-numbering"
"""Element id of the form of the invoice provider."""


class InvoicesState(OfficeList, KnownClientState):
    """The invoices and credit notes that match the filters in the URL, and the number ranges."""

    content: rx.Field[InvoicesView | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_INVOICES
    _filter_fields: ClassVar[tuple[str, ...]] = FIELDS
    _max_length: ClassVar[int] = MAX_TEXT_LENGTH
    _path: ClassVar[str] = INVOICES
    _topics: ClassVar[frozenset[str]] = frozenset({Topic.INVOICES})

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> InvoicesView:
        shop = current_shop()
        async with shop.database.read() as session:
            return await invoices_view(
                session, actor, filters, cursor, providers=list(shop.invoices.providers)
            )

    async def _read_current_rows(
        self, actor: Actor, shown: InvoicesView
    ) -> tuple[dict[str, InvoiceRow], int]:
        async with current_shop().database.read() as session:
            rows = await read_invoice_rows(session, actor, [row.id for row in shown.rows])
            return rows, await count_newer_invoices(session, actor, shown.filters, shown.newest)

    @office_event(Right.RETRY_INVOICES)
    async def retry(self, actor: Actor, invoice_id: str) -> None:
        """Send a failed invoice or credit note again."""
        checked_invoice_id = checked_fields({"id": invoice_id}, "id", max_length=MAX_ID_LENGTH)["id"]
        async with current_shop().database.transaction() as session:
            await retry_invoice(session, actor, checked_invoice_id)
        self._announce(_("La estamos enviando otra vez."))
        await self._refresh(actor)

    @office_event(Right.RETRY_INVOICES)
    async def settle_earlier_orders(self, actor: Actor, form: dict[str, Any]) -> None:
        """Create the invoices of the ticked orders, or mark them as invoiced elsewhere."""
        decision = checked_fields(form, "decision", max_rows=MAX_ORDERS_PER_CALL)["decision"]
        order_ids = [
            checked_id(name.removeprefix(TICK))
            for name, value in form.items()
            if name.startswith(TICK) and value
        ]
        if not order_ids:
            raise InvalidData("nothing is ticked", fields={"decision": _("Marca al menos un pedido.")})
        async with current_shop().database.transaction() as session:
            if decision == ELSEWHERE:
                count = await mark_invoiced_elsewhere(session, actor, order_ids)
                one, several = _("1 pedido quedó facturado."), _("{n} pedidos quedaron facturados.")
            else:
                count = await invoice_earlier_orders(session, actor, order_ids)
                one, several = _("1 factura va en camino."), _("{n} facturas van en camino.")
        await self._announce_done(actor, format_count(count, one, several))

    @office_event(Right.CHANGE_SETTINGS)
    async def save(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Save the invoice provider and the number ranges."""
        typed = checked_fields(form_data, *SETTING_FIELDS)
        self.problems = {}
        shop = current_shop()
        async with shop.database.transaction() as session:
            await save_configuration(session, actor, shop.invoices, typed)
        await self._announce_done(actor, _("Guardado."))


VIEW = InvoicesState.content
FILTERS = ListFilters("invoices", INVOICES, VIEW, InvoicesState.apply_filters, _("Todas"))


def page() -> rx.Component:
    """Render the invoices and credit notes, the paid orders without an invoice, and the numbering form."""
    unfiltered = rx.cond(
        VIEW.is_on,
        invitation(
            "invoice",
            _("Ninguna factura"),
            _("Cada pedido pagado tiene la suya, y cada devolución su nota."),
            action_link(_("Ver los pedidos"), ORDERS),
        ),
        invitation(
            "invoice",
            _("La tienda no hace facturas"),
            _("Elige abajo quién las hace y escribe el rango que te autorizó la DIAN."),
            rx.cond(
                has_right(Right.CHANGE_SETTINGS), action_link(_("Elegir quién las hace"), f"#{NUMBERING_ID}")
            ),
        ),
    )
    filtered = no_matches(
        "invoice",
        _("Ninguna factura así"),
        _("Con estos filtros no hay ninguna. Quita alguno, o busca por otro número o correo."),
        INVOICES,
    )
    nothing = empty_list(VIEW, filtered, unfiltered)
    content = rx.fragment(
        filters(),
        office_list(InvoicesState, VIEW.rows, invoice_row, nothing, label=TITLE, counts_new=True),
        rx.el.p(
            _("Para tu contador: baja documentos y renglones de los días que quieras en "),
            rx.el.a(_("Informes"), href=REPORTS, class_name="o-link"),
            ".",
            class_name="o-row__detail o-invoice__files-note",
        ),
        rx.cond(has_right(Right.RETRY_INVOICES) & (VIEW.earlier.length() > 0), earlier_orders_form()),
        rx.cond(has_right(Right.CHANGE_SETTINGS), numbering_form()),
    )
    return office_layout(InvoicesState, INVOICES, TITLE, screen(InvoicesState, content))


def earlier_orders_form() -> rx.Component:
    """Render the paid orders without an invoice, with checkboxes, and the choice of what to do with the ticked ones."""

    def order_row(order: ObjectVar[EarlierOrder]) -> rx.Component:
        return rx.el.li(
            rx.el.label(
                rx.el.input(type="checkbox", name=f"{TICK}{order.id}", value="yes", class_name="o-box"),
                rx.el.span(
                    rx.el.b(_("Pedido {number}").format(number=order.number)),
                    rx.el.span(
                        order.customer_name,
                        " · ",
                        order.paid_label,
                        " · ",
                        order.total_label,
                        class_name="o-row__detail",
                    ),
                    class_name="o-item__words",
                ),
                class_name="o-every",
            ),
            key=order.id,
            data_testid="earlier-order",
        )

    form = rx.el.form(
        rx.el.ul(rx.foreach(VIEW.earlier, order_row), class_name="o-items"),
        office_select(
            InvoicesState,
            "earlier",
            "decision",
            _("¿Qué se hace con los marcados?"),
            [
                rx.el.option(_("Hacer la factura hoy"), value=ISSUE),
                rx.el.option(_("Ya los facturé en otra parte"), value=ELSEWHERE),
            ],
            default_value=ISSUE,
        ),
        rx.el.button(
            _("Hacerlo"),
            type="submit",
            class_name="button button--small button--primary",
            data_testid="earlier-save",
        ),
        no_validate=True,
        class_name="o-form",
        on_submit=InvoicesState.settle_earlier_orders,
    )
    return rx.el.section(
        rx.el.h2(_("Pagados sin factura"), class_name="o-section__title"),
        rx.el.p(
            rx.cond(
                VIEW.earlier_count == 1,
                _("1 pedido se pagó mientras la tienda no hacía facturas."),
                _("{n} pedidos se pagaron mientras la tienda no hacía facturas.").format(
                    n=grouped(VIEW.earlier_count)
                ),
            ),
            class_name="o-row__detail",
        ),
        SubmitOnce.create(form, answers=answer_number(InvoicesState)),
        class_name="o-panel o-section",
        data_testid="earlier-orders",
    )


def filters() -> rx.Component:
    """Render the search and the filters: status and type."""
    states = labels_of(STATES)
    return FILTERS.bar(
        FILTERS.search(_("Buscar facturas"), _("Número, pedido o correo…"), MAX_TEXT_LENGTH),
        [(label, "estado", name) for name, label in states.items()],
        FILTERS.form(
            _("Ver estas facturas"),
            FILTERS.choice("estado", _("Estado"), _("Cualquier estado"), states),
            FILTERS.choice("tipo", _("Tipo"), _("Cualquier tipo"), labels_of(KINDS)),
        ),
    )


def invoice_row(row: ObjectVar[InvoiceRow]) -> rx.Component:
    """Render an invoice or credit note and, when it is expanded, its CUFE or CUDE, its files and why it was refused."""
    state = row.chip
    head = rx.el.summary(
        rx.el.span(
            rx.el.span(row.title, class_name="o-row__title"),
            rx.el.span(
                _("Pedido {number}").format(number=row.order_number),
                " · ",
                row.customer_name,
                " · ",
                row.moment_label,
                class_name="o-row__detail",
            ),
            class_name="o-attention__what",
        ),
        rx.el.b(row.amount_label, class_name="o-invoice__amount"),
        chip(state.text, state.tone),
        icon("down", size=20),
        class_name="o-attention__head o-invoice__head",
    )
    body = rx.el.div(
        rx.cond(
            row.reason != "", rx.el.p(rx.el.b(_("Motivo: ")), row.reason, class_name="o-invoice__reason")
        ),
        rx.cond(row.code != "", rx.el.p("CUFE / CUDE ", row.code, class_name="o-invoice__code")),
        rx.el.div(
            file_links(row),
            rx.cond(
                row.can_retry,
                rx.el.button(
                    icon("history", size=18),
                    _("Reintentar"),
                    type="button",
                    class_name="button button--small button--dark",
                    on_click=InvoicesState.retry(row.id),
                    data_testid="invoice-retry",
                ),
            ),
            rx.el.a(
                _("Ver el pedido"),
                href=f"{ORDERS}/{row.order_id}",
                class_name="button button--small button--quiet",
            ),
            class_name="o-invoice__actions",
        ),
        class_name="o-attention__body",
    )
    return fold_row(head, body, row_id=row.id, class_name="o-attention", data_testid="invoice-row")


def numbering_form() -> rx.Component:
    """Render the form of the invoice provider and the number ranges."""
    saved = VIEW.form

    def line(name: str, label: str, **more_of: Any) -> rx.Component:
        return office_field(
            InvoicesState,
            "numbering",
            name,
            label,
            default_value=getattr(saved, name),
            auto_complete="off",
            **more_of,
        )

    def choice(name: str, label: str, options: Any) -> rx.Component:
        def option(item: ObjectVar[Choice]) -> rx.Component:
            return rx.el.option(item.label, value=item.value, key=item.value)

        return office_select(
            InvoicesState,
            "numbering",
            name,
            label,
            [rx.foreach(options, option)],
            default_value=getattr(saved, name),
        )

    form = edit_form(
        InvoicesState,
        InvoicesState.save,
        choice("provider", _("Quién las hace"), VIEW.providers),
        line("resolution", _("Número de la resolución de la DIAN"), input_mode="numeric"),
        line("dated", _("Fecha de la resolución"), type="date"),
        line("prefix", _("Prefijo de las facturas"), is_optional=True),
        line("first", _("Desde el número"), input_mode="numeric"),
        line("last", _("Hasta el número"), input_mode="numeric"),
        line("valid_from", _("Vigente desde"), type="date"),
        line("valid_until", _("Vigente hasta"), type="date"),
        line("technical_key", _("Clave técnica")),
        line("credit_prefix", _("Prefijo de las notas crédito")),
        choice("tax_level", _("Responsabilidad fiscal de la tienda"), VIEW.tax_levels),
    )
    return rx.el.section(
        rx.el.h2(_("Numeración"), class_name="o-section__title"),
        rx.cond(saved.about != "", rx.el.p(saved.about, class_name="o-row__detail")),
        rx.el.div(form, key=saved.version),
        id=rx.Var.create(NUMBERING_ID),
        class_name="o-panel o-section o-invoice__numbering",
        data_testid="invoice-numbering",
    )
