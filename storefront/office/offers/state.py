"""States of the list of offers and of an offer's editor."""

from dataclasses import replace
from typing import Any, ClassVar
from urllib.parse import parse_qsl

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.office.offers.form import OfferForm
from backend.office.offers.listing import OfferPage, OffersPage, offer_page, offers_page
from backend.office.offers.preview import Preview, preview_offer, save_previewed_offer
from backend.office.offers.sales import sales_list
from backend.promotions.commands import ChangePromotion
from backend.promotions.kinds import PromotionStatus
from backend.promotions.service import change_promotion
from backend.staff.rights import Actor, Right
from storefront.office.list_state import MAX_PARAMETERS, OfficeList
from storefront.office.navigation import OFFERS
from storefront.office.offers.preview_state import PreviewedForm
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState

TEMPLATE = "plantilla"
"""Parameter of the address of a new offer: the name of its template."""


class OffersState(OfficeList, KnownClientState):
    """The offers and the sales."""

    content: rx.Field[OffersPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CATALOG

    _base_path: ClassVar[str] = OFFERS

    async def _read_page(self, actor: Actor, filters: dict[str, str], cursor: str = "") -> OffersPage:  # noqa: ARG002
        async with current_shop().database.read() as session:
            page = await offers_page(session, actor, cursor)
            if cursor:
                return page
            sales, over = await sales_list(session, actor)
            return replace(page, sales=sales, sales_over=over)


class OfferState(PreviewedForm, KnownClientState):
    """An existing or new offer, and a preview of its changes."""

    content: rx.Field[OfferPage | None] = rx.field(None)
    preview: rx.Field[Preview | None] = rx.field(None)

    _form_class: ClassVar[type] = OfferForm
    _base_path: ClassVar[str] = OFFERS
    _saved_message: ClassVar[str] = _("Oferta guardada.")

    async def _read_content(self, actor: Actor) -> OfferPage:
        self._clear_preview()
        async with current_shop().database.read() as session:
            page = await offer_page(session, actor, self._id_in_url(), self._template_in_url())
        self._seen_version = page.version
        return page

    def _template_in_url(self) -> str:
        """Return the name of the template for a new offer; empty without one."""
        query = parse_qsl(str(self.router.url.query), max_num_fields=MAX_PARAMETERS)
        return dict(query).get(TEMPLATE, "")

    async def _read_preview(self, session: Any, actor: Actor, form: OfferForm) -> Preview:
        return await preview_offer(session, actor, form, self._id_in_url(), self._seen_version)

    async def _save_form(self, session: Any, actor: Actor, form: OfferForm) -> str | Preview:
        return await save_previewed_offer(session, actor, form, self._seen_version, self._id_in_url())

    @office_event(Right.CHANGE_PROMOTIONS)
    async def end(self, actor: Actor) -> None:
        """End the offer now. Payments in progress keep their price."""
        change = ChangePromotion(status=PromotionStatus.INACTIVE)
        async with current_shop().database.transaction() as session:
            await change_promotion(session, actor, self._id_in_url(), change)
        await self._announce_done(actor, _("Oferta terminada."))
