"""`/pay/{token}`: a customer opens the sale that the shop has prepared, and pays it in the checkout.

The page shows products and prices, and no personal data. Opening it changes nothing; the button puts the sale's
cart into this browser. The cart that the browser had is restored when the sale is paid.

The link that pays the difference of an edited order opens the same page. The page then shows the order's number and the
amount, and the customer chooses the bank on it: all other data are already in the order.
"""

from dataclasses import dataclass, field
from typing import Any

import reflex as rx
from reflex.vars import ObjectVar

from backend.app import current_shop
from backend.cart.views import CartView, read_cart_view
from backend.core.error_texts import NOTICE, text_for
from backend.core.errors import InvalidData, NotFound, OutsideFailure
from backend.core.money import format_cop, parse_pesos
from backend.core.outage import DatabaseUnavailable
from backend.core.texts import _
from backend.draft_orders.links import (
    LINK_OPENINGS,
    MAX_TOKEN_LENGTH,
    PATH,
    FoundLink,
    LinkState,
    find_link,
    open_in_new_browser,
)
from backend.order_edits.difference import DifferenceChanged, NothingOwed
from backend.order_edits.difference_payment import MAX_TOKEN_LENGTH as DIFFERENCE_TOKEN_LENGTH
from backend.order_edits.difference_payment import (
    OwedDifference,
    find_difference,
    is_difference_token,
    start_difference_payment,
)
from backend.rate_limit.limiter import Client, hit
from storefront.components.frame import page_frame
from storefront.components.icons import icon
from storefront.components.placeholders import link_button, loaded_content, not_found_state, skeleton_bar
from storefront.links import CHECKOUT, FIND_ORDER
from storefront.meta import PRIVATE, DocumentMeta
from storefront.pages.checkout.payment_methods import list_bank_options
from storefront.pages.checkout.views import SelectOption
from storefront.pages.page_loader import PageData, PageParams, PageState
from storefront.pages.pay_difference import difference_form
from storefront.reflex_ext.hooks import address_part
from storefront.state.cart import CartState, refresh_cart, use_linked_cart
from storefront.state.frame import SHOP_UNAVAILABLE, errors_as_notices
from storefront.state.handlers import Resend, checked_fields, checked_text, event, next_number
from storefront.state.session import get_client_ip

VARIABLE = "id"
"""The variable part of the route: the token. Another name would add a variable to the state of every shopper."""
ROUTE = f"{PATH}/[{VARIABLE}]"
TITLE = _("Tu compra")
UNKNOWN = _("Este enlace de pago no existe")
REASONS = {
    LinkState.EXPIRED: _("Este enlace venció. Escríbenos y te enviamos otro."),
    LinkState.WITHDRAWN: _("La tienda retiró este enlace. Escríbenos si todavía quieres la compra."),
    LinkState.WAITING: _(
        "Ya hay un pago de esta compra en el banco. Te avisamos por correo cuando se confirme."
    ),
    LinkState.PAID: _("Esta compra ya está pagada. ¡Gracias!"),
    LinkState.FAILED: _("El pago de esta compra no se aprobó. Escríbenos y te enviamos otro enlace."),
}
"""The text for a link that cannot be paid."""
DIFFERENCE_SETTLED = _("Ya no hay diferencia por pagar. ¡Gracias!")
PAY_FIELDS = ("token", "amount", "bank", "doc_type", "doc_number")


@dataclass(frozen=True, slots=True)
class PayLine:
    """A line of the sale. `problem` is empty if all its units can be sold."""

    id: str
    title: str
    quantity: int
    total_label: str
    problem: str = ""


@dataclass(frozen=True, slots=True)
class PayPage:
    """Content of a payment link's page. `token` is from the URL; `reason` is why the link cannot be paid, or empty."""

    token: str = ""
    is_known: bool = False
    reason: str = ""
    lines: list[PayLine] = field(default_factory=list)
    savings: list[tuple[str, str]] = field(default_factory=list)
    total_label: str = ""
    was_label: str = ""
    """The total when the link was made, if it is another now."""
    has_problem: bool = False
    owed: int = 0
    """The difference of an edited order, in whole pesos; 0 for a sale."""
    order_number: int = 0
    """The number of the edited order; 0 for a sale."""
    bank_url: str = ""
    """URL of the bank's page, if a payment of the difference was already started; else empty."""
    needs_document: bool = False


async def load(params: PageParams) -> PageData[PayPage]:
    """Read the sale, or the difference of an edited order, that the link's token opens."""
    token = params.last_part
    try:
        async with current_shop().database.read() as session:
            if is_difference_token(token):
                found = await find_difference(session, current_shop().settings, token)
                return PageData(_to_difference_page(token, found), DocumentMeta(title=TITLE, robots=PRIVATE))
            link = await find_link(session, token)
            if link.state is LinkState.OPEN:
                content = _to_page(token, link, await read_cart_view(session, link.cart_id))
            else:
                content = _to_closed_page(token, link)
    except NotFound:
        return PageData(PayPage(token), DocumentMeta(title=UNKNOWN, status=404, robots=PRIVATE))
    return PageData(content, DocumentMeta(title=TITLE, robots=PRIVATE))


def _to_difference_page(token: str, found: OwedDifference) -> PayPage:
    reason = "" if found.amount else DIFFERENCE_SETTLED
    if found.is_at_bank and not found.bank_url:
        reason = REASONS[LinkState.WAITING]
    return PayPage(
        token,
        is_known=True,
        reason=reason,
        total_label=format_cop(found.amount),
        owed=found.amount,
        order_number=found.number,
        bank_url=found.bank_url if found.amount else "",
        needs_document=found.needs_document,
    )


def _to_closed_page(token: str, link: FoundLink) -> PayPage:
    return PayPage(token, is_known=True, reason=REASONS[link.state])


def _to_page(token: str, link: FoundLink, view: CartView) -> PayPage:
    problems = {"gone": _("Se agotó"), "short": _("Quedan menos")}
    lines = [
        PayLine(
            line.id,
            ", ".join(filter(None, (line.title, line.variant))),
            line.quantity,
            line.line_total_label,
            problems.get(line.problem or "", ""),
        )
        for line in view.lines
    ]
    return PayPage(
        token,
        is_known=True,
        lines=lines,
        savings=[(one.code, one.amount_label) for one in view.savings],
        total_label=view.item_total_label,
        was_label="" if view.item_total == link.total else format_cop(link.total),
        has_problem=any(line.problem for line in lines),
    )


class PayState(PageState, rx.State):
    """State of the page of a payment link."""

    content: rx.Field[PayPage] = rx.field(default_factory=PayPage)
    meta: rx.Field[DocumentMeta] = rx.field(default_factory=lambda: DocumentMeta(title=TITLE, robots=PRIVATE))

    banks: rx.Field[list[SelectOption]] = rx.field(default_factory=list)
    banks_problem: rx.Field[str] = rx.field("")
    problems: rx.Field[dict[str, str]] = rx.field(default_factory=dict)
    answers: rx.Field[int] = rx.field(0)
    """A number that changes after every attempt to pay a difference."""

    async def _data(self, params: PageParams) -> PageData[PayPage]:
        await _count_opening(self)
        return await load(params)

    @event(background=True)
    async def load_banks(self) -> None:
        """Load the banks from which the customer chooses one to pay a difference."""
        banks, problem = [], ""
        try:
            banks = await list_bank_options()
        except OutsideFailure as error:
            problem = text_for(error, NOTICE)
        except DatabaseUnavailable:
            problem = SHOP_UNAVAILABLE
        async with self:
            self.banks, self.banks_problem = banks, problem

    @event(press=Resend.SAME_PAGE)
    async def pay_difference(self, form_data: dict[str, str]) -> Any:
        """Start the payment of a difference, and open the bank's page. A repeated event opens the same page."""
        answer: Any = None
        self.problems = {}
        async with errors_as_notices(self):
            typed = checked_fields(form_data, *PAY_FIELDS, max_length=DIFFERENCE_TOKEN_LENGTH)
            token, amount = typed.pop("token"), typed.pop("amount")
            await _count_opening(self)
            shop = current_shop()
            try:
                url = await start_difference_payment(
                    shop.checkout.starter,
                    token,
                    typed,
                    ip=get_client_ip(self),
                    expected=parse_pesos(amount) or 0,
                )
            except InvalidData as error:
                self.problems = dict(error.fields)
                if not self.problems.keys() & set(PAY_FIELDS):
                    raise
            except (DifferenceChanged, NothingOwed):
                self.content = (await load(PageParams.from_url(self.router.url))).content
                raise
            else:
                answer = rx.redirect(url)
        self.answers = next_number(self.answers)
        return answer

    @event(press=Resend.SAME_PAGE)
    async def open_checkout(self, token: str) -> Any:
        """Put the sale's cart into this browser, and open the checkout. A repeated event has the same effect."""
        answer: Any = None
        async with errors_as_notices(self):
            token = checked_text(token, MAX_TOKEN_LENGTH)
            await _count_opening(self)
            cart = await self.get_state(CartState)
            async with current_shop().database.read() as session:
                link = await find_link(session, token)
            if link.cart_id != cart.cart_id:
                async with current_shop().database.transaction() as session:
                    link = await open_in_new_browser(session, token)
            if link.state is LinkState.OPEN:
                use_linked_cart(cart, link.cart_id)
                await refresh_cart(cart)
                answer = rx.redirect(CHECKOUT)
            else:
                self.content = _to_closed_page(token, link)
        return answer


async def _count_opening(state: rx.State) -> None:
    shop = current_shop()
    await hit(shop.database, LINK_OPENINGS, "", Client.from_ip(get_client_ip(state), shop.settings))


VIEW = PayState.content


def page() -> rx.Component:
    """Build the whole page."""
    skeleton = rx.el.div(skeleton_bar("60%", "2rem"), skeleton_bar("100%", "12rem"), aria_hidden="true")
    unknown = not_found_state(UNKNOWN, _("Revisa que el enlace esté completo, como te llegó."))
    return page_frame(
        loaded_content(
            PayState.is_ready & (VIEW.token == address_part(VARIABLE)),
            PayState.has_failed,
            PayState.load,
            skeleton,
            rx.cond(VIEW.is_known, sale_card(), unknown),
        ),
        class_name="main--account",
    )


def sale_card() -> rx.Component:
    """Build the sale with the button that opens the checkout, or the reason why it cannot be paid."""
    return rx.el.div(
        rx.el.h1(TITLE, class_name="page-title"),
        rx.cond(
            VIEW.reason != "",
            closed_note(),
            rx.cond(VIEW.order_number > 0, difference_form(PayState, VIEW), open_sale()),
        ),
        class_name="account-card",
    )


def closed_note() -> rx.Component:
    """Build the reason why the link cannot be paid, with a link to the page that finds an order."""
    return rx.el.div(
        rx.el.p(VIEW.reason, class_name="account-form__said", role="status", data_testid="pay-closed"),
        link_button(_("Encuentra tu pedido"), FIND_ORDER, "quiet"),
    )


def open_sale() -> rx.Component:
    """Build the sale's lines, its total, and the button that opens the checkout."""
    return rx.el.div(
        rx.el.ul(rx.foreach(VIEW.lines, pay_line), class_name="pay__lines"),
        rx.foreach(VIEW.savings, lambda one: rx.el.p(one[0], " ", one[1], class_name="account__soft")),
        rx.el.p(_("Total sin envío: "), rx.el.b(VIEW.total_label, data_testid="pay-total")),
        rx.cond(
            VIEW.was_label != "",
            rx.el.p(
                icon("warning", size=20),
                rx.el.span(
                    _("El precio cambió desde que te enviamos el enlace. Antes era "), VIEW.was_label, "."
                ),
                class_name="account-form__said",
                data_testid="pay-changed",
            ),
        ),
        rx.cond(
            VIEW.has_problem,
            rx.el.p(
                icon("warning", size=20),
                rx.el.span(
                    _("Ya no quedan todas las unidades. Puedes cambiarlas en el carrito, o escríbenos.")
                ),
                class_name="account-form__said",
                data_testid="pay-short",
            ),
        ),
        rx.el.p(
            _("En el siguiente paso escribes tus datos y eliges cómo recibirla."), class_name="account__soft"
        ),
        rx.el.button(
            _("Ir a pagar"),
            type="button",
            class_name="button button--primary",
            on_click=PayState.open_checkout(VIEW.token),  # type: ignore[call-arg, arg-type]
            data_testid="pay-open",
        ),
        class_name="pay__sale",
    )


def pay_line(line: ObjectVar[PayLine]) -> rx.Component:
    """Build a line of the sale."""
    return rx.el.li(
        rx.el.span(line.quantity, " × ", line.title),
        rx.el.b(line.total_label),
        rx.cond(line.problem != "", rx.el.span(line.problem, class_name="account__soft")),
        class_name="pay__line",
        key=line.id,
    )
