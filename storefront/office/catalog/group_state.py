"""Handlers that the screens of categories and of collections share."""

from typing import Any

from backend.app import current_shop
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.staff.rights import Actor, Right
from storefront.office.state import OfficeScreen, office_event
from storefront.state.handlers import checked_texts

MAX_URL_LENGTH = 300


class GroupPictureScreen(OfficeScreen, mixin=True):
    """State of the editor of a category or a collection. A changed picture is saved immediately."""

    async def _save_picture(self, session: Any, actor: Actor, picture: str) -> None:
        """Save the URL of the picture. An empty URL removes the picture."""
        raise NotImplementedError

    @office_event(Right.CHANGE_CATALOG)
    async def set_picture(self, actor: Actor, urls: list[str]) -> None:
        """Set the uploaded picture as the picture of the category or collection."""
        pictures = checked_texts(urls, 1, MAX_URL_LENGTH)
        if not pictures or not pictures[0]:
            raise InvalidData("not a picture")
        async with current_shop().database.transaction() as session:
            await self._save_picture(session, actor, pictures[0])
        await self._announce_done(actor, _("La foto quedó."))

    @office_event(Right.CHANGE_CATALOG)
    async def remove_picture(self, actor: Actor) -> None:
        """Remove the picture of the category or collection."""
        async with current_shop().database.transaction() as session:
            await self._save_picture(session, actor, "")
        await self._announce_done(actor, _("Foto quitada."))


def describe_visibility(name: str, is_active: bool) -> str:
    """Return the message that the category or collection with this name is now shown or hidden in the shop."""
    text = _("«{name}» se ve en la tienda.") if is_active else _("«{name}» ya no se ve en la tienda.")
    return text.format(name=name)
