"""What the screen of a sale shows, and what can be done there."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.catalog.price_lists.service import end_sale
from backend.core.texts import _
from backend.office.offers.sales import (
    SaleForm,
    SalePage,
    SalePreview,
    move_end,
    preview_sale,
    sale_page,
    save_seen,
)
from backend.staff.rights import Actor, Right
from storefront.office.navigation import SALES
from storefront.office.offers.preview_state import PreviewedForm
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields


class SaleState(PreviewedForm, KnownClientState):
    """One sale, or a new one, and what it would change."""

    content: rx.Field[SalePage | None] = rx.field(None)
    preview: rx.Field[SalePreview | None] = rx.field(None)

    _form: ClassVar[type] = SaleForm
    _place: ClassVar[str] = SALES
    _saved: ClassVar[str] = _("Rebaja guardada.")

    async def _content(self, actor: Actor) -> SalePage:
        self._look_away()
        async with current_shop().database.read() as session:
            page = await sale_page(session, actor, self._id())
        self._seen = page.version
        return page

    async def _preview_of(self, session: Any, actor: Actor, form: SaleForm) -> SalePreview:
        return await preview_sale(session, actor, form, self._id(), self._seen)

    async def _store(self, session: Any, actor: Actor, form: SaleForm) -> str | SalePreview:
        seen = self.preview.seen if self.preview else ""
        return await save_seen(session, actor, form, seen, self._id(), version=self._seen)

    @office_event(Right.CHANGE_PROMOTIONS)
    async def move_end(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Have it end with another day."""
        typed = checked_fields(form_data, "last_day")
        async with current_shop().database.transaction() as session:
            await move_end(session, actor, self._id(), typed["last_day"])
        await self._done(actor, self._saved)

    @office_event(Right.CHANGE_PROMOTIONS)
    async def end(self, actor: Actor) -> None:
        """End it now: the prices of before come back."""
        async with current_shop().database.transaction() as session:
            await end_sale(session, actor, self._id())
        await self._done(actor, _("Rebaja terminada: los precios de antes vuelven en menos de un minuto."))
