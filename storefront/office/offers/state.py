"""What Ofertas shows, and what can be done there."""

from dataclasses import replace
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.core.texts import _
from backend.office.offers.form import OfferForm
from backend.office.offers.listing import OfferPage, OffersPage, offer_page, offers_page
from backend.office.offers.preview import Preview, preview_offer, save_seen
from backend.office.offers.sales import sales_list
from backend.promotions.commands import ChangePromotion
from backend.promotions.kinds import PromotionStatus
from backend.promotions.service import change_promotion
from backend.staff.rights import Actor, Right
from storefront.office.list_state import OfficeList
from storefront.office.navigation import OFFERS
from storefront.office.offers.preview_state import PreviewedForm
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState


class OffersState(OfficeList, KnownClientState):
    """The offers and the sales."""

    content: rx.Field[OffersPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CATALOG

    _place: ClassVar[str] = OFFERS

    async def _page(self, actor: Actor, asked: dict[str, str], cursor: str = "") -> OffersPage:  # noqa: ARG002
        async with current_shop().database.read() as session:
            page = await offers_page(session, actor, cursor)
            if cursor:
                return page
            sales, over = await sales_list(session, actor)
            return replace(page, sales=sales, sales_over=over)


class OfferState(PreviewedForm, KnownClientState):
    """One offer, or a new one, and what it would change."""

    content: rx.Field[OfferPage | None] = rx.field(None)
    preview: rx.Field[Preview | None] = rx.field(None)

    _form: ClassVar[type] = OfferForm
    _place: ClassVar[str] = OFFERS
    _saved: ClassVar[str] = _("Oferta guardada.")

    async def _content(self, actor: Actor) -> OfferPage:
        self._look_away()
        async with current_shop().database.read() as session:
            page = await offer_page(session, actor, self._id())
        self._seen = page.version
        return page

    async def _preview_of(self, session: Any, actor: Actor, form: OfferForm) -> Preview:
        return await preview_offer(session, actor, form, self._id(), self._seen)

    async def _store(self, session: Any, actor: Actor, form: OfferForm) -> str | Preview:
        return await save_seen(session, actor, form, self._seen, self._id())

    @office_event(Right.CHANGE_PROMOTIONS)
    async def end(self, actor: Actor) -> None:
        """End the offer now. Payments that are under way keep their price."""
        change = ChangePromotion(status=PromotionStatus.INACTIVE)
        async with current_shop().database.transaction() as session:
            await change_promotion(session, actor, self._id(), change)
        await self._done(actor, _("Oferta terminada."))
