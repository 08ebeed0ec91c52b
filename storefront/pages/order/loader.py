"""What an order's page shows, to whoever holds the order's signed link and to nobody else."""

from dataclasses import dataclass

from backend.app import current_shop
from backend.errors import NotFound
from backend.orders.views import OrderView
from storefront.components.header import STORE_NAME
from storefront.documents.facts import NOINDEX, DocumentFacts
from storefront.locale import _
from storefront.pages.loading import PageData, PageParams

ORDER_ID = "id"
TOKEN = "token"
UNKNOWN = _("No encontramos este pedido")


@dataclass(frozen=True, slots=True)
class OrderContent:
    """The order of an address; None when it leads to none, or its token is not the order's."""

    order_id: str = ""
    order: OrderView | None = None


async def load(params: PageParams) -> PageData[OrderContent]:
    """The order as it is known now. The gateway is not asked: a document does not wait for it."""
    order_id = params.part(ORDER_ID)
    try:
        order = await current_shop().checkout.order_page(order_id, token_of(params), ask=False)
    except NotFound:
        return PageData(OrderContent(params.parts.get(ORDER_ID, "")), unknown_facts())
    return PageData(OrderContent(order_id, order), facts_of(order))


def token_of(params: PageParams) -> str:
    """The token of the address, without what a gateway may have hung on it (`?token=abc?ref_payco=1`)."""
    return params.asked(TOKEN).partition("?")[0].partition("&")[0]


def facts_of(order: OrderView) -> DocumentFacts:
    """The document of an order. It belongs to its buyer: it is not to be found by searching."""
    return DocumentFacts(title=_("Pedido {number}").format(number=order.number) + f" · {STORE_NAME}", robots=NOINDEX)


def unknown_facts() -> DocumentFacts:
    """The document of an address that leads to no order."""
    return DocumentFacts(title=f"{UNKNOWN} · {STORE_NAME}", status=404, robots=NOINDEX)
