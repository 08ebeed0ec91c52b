"""State of a sale's editor."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.catalog.price_lists.service import end_sale
from backend.core.texts import _
from backend.office.offers.sales import (
    SaleForm,
    SalePage,
    SalePreview,
    change_end,
    preview_sale,
    sale_page,
    save_previewed_sale,
)
from backend.staff.rights import Actor, Right
from storefront.office.navigation import SALES
from storefront.office.offers.preview_state import PreviewedForm
from storefront.office.state import office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_fields


class SaleState(PreviewedForm, KnownClientState):
    """An existing or new sale, and a preview of its changes."""

    content: rx.Field[SalePage | None] = rx.field(None)
    preview: rx.Field[SalePreview | None] = rx.field(None)

    _form_class: ClassVar[type] = SaleForm
    _base_path: ClassVar[str] = SALES
    _saved_message: ClassVar[str] = _("Rebaja guardada.")

    async def _read_content(self, actor: Actor) -> SalePage:
        self._clear_preview()
        async with current_shop().database.read() as session:
            page = await sale_page(session, actor, self._id_in_url())
        self._seen_version = page.version
        return page

    async def _read_preview(self, session: Any, actor: Actor, form: SaleForm) -> SalePreview:
        return await preview_sale(session, actor, form, self._id_in_url(), self._seen_version)

    async def _save_form(self, session: Any, actor: Actor, form: SaleForm) -> str | SalePreview:
        seen = self.preview.seen if self.preview else ""
        return await save_previewed_sale(
            session, actor, form, seen, self._id_in_url(), version=self._seen_version
        )

    @office_event(Right.CHANGE_PROMOTIONS)
    async def move_end(self, actor: Actor, form_data: dict[str, str]) -> None:
        """Change the end day of the sale."""
        typed = checked_fields(form_data, "last_day")
        async with current_shop().database.transaction() as session:
            await change_end(session, actor, self._id_in_url(), typed["last_day"])
        await self._announce_done(actor, self._saved_message)

    @office_event(Right.CHANGE_PROMOTIONS)
    async def end(self, actor: Actor) -> None:
        """End the sale now and restore the previous prices."""
        async with current_shop().database.transaction() as session:
            await end_sale(session, actor, self._id_in_url())
        await self._announce_done(
            actor, _("Rebaja terminada: los precios de antes vuelven en menos de un minuto.")
        )
