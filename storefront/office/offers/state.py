"""What Ofertas shows, and what can be done there."""

from dataclasses import replace
from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.errors import InvalidData
from backend.office.offer_form import CATEGORY_FIELD, OfferForm, save_offer
from backend.office.offers import OfferPage, OffersPage, Preview, offer_page, offers_page, preview_offer
from backend.office.sales import sales_list
from backend.promotions.kinds import PromotionStatus
from backend.promotions.saving import change_promotion
from backend.promotions.schemas import PromotionChange
from backend.staff.rights import Actor, Right
from backend.texts import _
from storefront.live.state_loss import KnownClientState
from storefront.office.places import OFFERS
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import MAX_ID, checked_fields, checked_id

NEW = "nueva"
"""The last part of the address of an offer that is not there yet."""
LONGEST = 10_000
"""Characters of a list of toys."""
FIELDS = ("code", "way", "method", "value", "target", "toys", "minimum", "starts", "ends", "limit", "each")


class OffersState(OfficeScreen, KnownClientState):
    """The offers and the sales."""

    content: rx.Field[OffersPage | None] = rx.field(None)

    _right: ClassVar[Right] = Right.READ_CATALOG

    async def _content(self, actor: Actor) -> OffersPage:
        async with current_shop().database.read() as session:
            sales, over = await sales_list(session, actor)
            return replace(await offers_page(session, actor), sales=sales, sales_over=over)


class OfferState(OfficeScreen, KnownClientState):
    """One offer, or a new one, and what it would change."""

    content: rx.Field[OfferPage | None] = rx.field(None)
    preview: rx.Field[Preview | None] = rx.field(None)
    """What the form that was looked at last would change: that, and nothing else, is what `save` stores."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _looked_at: OfferForm | None = None

    async def _content(self, actor: Actor) -> OfferPage:
        self.preview, self._looked_at, self.problems = None, None, {}
        async with current_shop().database.read() as session:
            return await offer_page(session, actor, self._id())

    @office_event(Right.CHANGE_PROMOTIONS)
    async def look(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Show what the form would change."""
        typed = checked_fields(form_data, *FIELDS, longest=LONGEST)
        ticked = [
            name for name, value in form_data.items() if name.startswith(CATEGORY_FIELD) and value == "on"
        ]
        ids = [name.removeprefix(CATEGORY_FIELD) for name in ticked]
        form = OfferForm(**typed, categories=[one for one in ids if 0 < len(one) <= MAX_ID])
        self.preview, self._looked_at, self.problems = None, None, {}
        try:
            async with current_shop().database.read() as session:
                self.preview = await preview_offer(session, actor, form)
        except InvalidData as error:
            self._refuse(error)
            return
        self._looked_at = form

    @office_event(Right.CHANGE_PROMOTIONS)
    async def save(self, actor: Actor) -> Any:
        """Store what was looked at."""
        if self._looked_at is None:
            self.preview = None
            self._tell(_("Mira otra vez qué cambia antes de guardar."), "problem")
            return None
        try:
            async with current_shop().database.transaction() as session:
                offer_id = (await save_offer(session, actor, self._looked_at, self._id())).id
        except InvalidData as error:
            self._refuse(error)
            return None
        self._looked_at = None  # pressed again, it is not stored twice
        self._tell(_("Oferta guardada."))
        return rx.redirect(f"{OFFERS}/{offer_id}", replace=True)

    @office_event(Right.CHANGE_PROMOTIONS)
    async def end(self, actor: Actor) -> None:
        """End the offer now. Payments that are under way keep their price."""
        change = PromotionChange(status=PromotionStatus.INACTIVE)
        async with current_shop().database.transaction() as session:
            await change_promotion(session, actor, self._id(), change)
        await self._show(actor)
        self._tell(_("Oferta terminada."))

    def _refuse(self, error: InvalidData) -> None:
        self.problems = error.fields
        self._tell(_("Revisa los datos marcados."), "problem")

    def _id(self) -> str:
        """The offer's id at this address; empty for a new one."""
        last = checked_id(self.router.url.path.rstrip("/").rpartition("/")[2])
        return "" if last == NEW else last
