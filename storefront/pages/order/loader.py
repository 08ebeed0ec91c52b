"""What an order's page shows, to whoever holds the order's signed link and to nobody else."""

from dataclasses import dataclass

from backend.app import current_shop
from backend.checkout.order_page import OrderView
from backend.errors import NotFound
from backend.texts import _
from storefront.components.header import STORE_NAME
from storefront.meta import NOINDEX, DocumentMeta
from storefront.pages.loading import PageData, PageParams

ORDER_ID = "id"
TOKEN = "token"  # noqa: S105 (a parameter's name)
TITLE = _("Tu pedido") + f" · {STORE_NAME}"
"""Before it is known whether the address leads to an order, and to which."""
UNKNOWN = _("No encontramos este pedido")


@dataclass(frozen=True, slots=True)
class OrderContent:
    """The order of an address; None when it leads to none, or its token is not the order's.

    `bank` is where it can still be paid; empty when it cannot.
    """

    order_id: str = ""
    order: OrderView | None = None
    bank: str = ""


async def load(params: PageParams) -> PageData[OrderContent]:
    """The order as it is known now. The gateway is not asked: a document does not wait for it."""
    try:
        return await look(params, ask=False)
    except NotFound:
        meta = DocumentMeta(title=f"{UNKNOWN} · {STORE_NAME}", status=404, robots=NOINDEX)
        return PageData(OrderContent(params.tail), meta)


async def look(params: PageParams, *, ask: bool) -> PageData[OrderContent]:
    """The order, and with `ask` what the gateway says of its payment right now.

    Raises:
        NotFound: no such order, or the token is not its.
    """
    checkout, order_id, token = current_shop().checkout, params.tail, token_of(params)
    order = await checkout.order_page(order_id, token, ask=ask)
    placed = await checkout.order_placed(order_id, token) if order.status == "pending" else None
    bank = placed.redirect_url if placed is not None else None
    return PageData(OrderContent(order_id, order, bank or ""), meta_of(order))


def token_of(params: PageParams) -> str:
    """The token of the address, without what a gateway may have hung on it (`?token=abc?ref_payco=1`)."""
    return params.asked(TOKEN).partition("?")[0].partition("&")[0]


def meta_of(order: OrderView) -> DocumentMeta:
    """The document of an order. It belongs to its buyer: it is not to be found by searching."""
    title = _("Pedido {number}").format(number=order.number)
    return DocumentMeta(title=f"{title} · {STORE_NAME}", robots=NOINDEX)
