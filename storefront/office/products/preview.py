"""Preview of a product's page for staff, also for a hidden product. Nothing can be bought in the preview."""

from typing import ClassVar

import reflex as rx

from backend.app import current_shop
from backend.catalog.storefront.page_content import product_preview
from backend.core.texts import _
from backend.staff.rights import Actor, Right
from storefront.components.gallery import gallery_pictures
from storefront.office.components.feedback import screen
from storefront.office.icons import icon
from storefront.office.layout import CONTENT
from storefront.office.navigation import PRODUCTS
from storefront.office.react_components import OfficeShell
from storefront.office.state import OfficeScreen
from storefront.pages.product import (
    ProductContent,
    breadcrumb,
    product_article,
    related_products,
    skeleton,
)
from storefront.reflex_ext.hooks import address_part
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_id

TITLE = _("Vista previa")


class PreviewState(OfficeScreen, KnownClientState):
    """State of the preview: the product in the address, as its page displays it."""

    content: rx.Field[ProductContent | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CATALOG

    async def _read_content(self, actor: Actor) -> ProductContent:
        product_id = checked_id(str(self.router.url.path).removesuffix("/vista").rpartition("/")[2])
        async with current_shop().database.read() as session:
            detail = await product_preview(session, actor, product_id)
        return ProductContent(detail.card.handle, detail, gallery_pictures(detail.pictures))


def page() -> rx.Component:
    """Render the product's page below a notice that it is a preview. Links to other pages are disabled."""
    content = PreviewState.content
    buy = rx.el.button(
        _("Agregar al carrito"),
        type="button",
        disabled=True,
        class_name="button button--primary add__button",
    )
    detail = content.detail
    unpressable = {"inert": True}
    shown = rx.fragment(
        rx.el.div(breadcrumb(detail.breadcrumb), custom_attrs=unpressable),
        product_article(content, buy),
        rx.el.div(related_products(detail.related), custom_attrs=unpressable),
    )
    return OfficeShell.create(
        rx.el.header(
            rx.el.a(
                icon("left", size=20),
                _("Volver"),
                href=f"{PRODUCTS}/" + address_part("id").to(str),
                class_name="o-back",
            ),
            rx.el.p(_("Vista previa: así la ve quien compra, cuando está publicada.")),
            class_name="o-preview__bar",
        ),
        rx.el.main(
            screen(PreviewState, shown, skeleton()),
            id=CONTENT,
            class_name="main main--product",
            custom_attrs={"tabIndex": -1},
            data_testid="product-preview",
        ),
        class_name="office o-preview",
    )
