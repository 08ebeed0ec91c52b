"""State of the product editor (Producto)."""

from typing import Any, ClassVar

import reflex as rx

from backend.app import current_shop
from backend.catalog.schemas.admin import MAX_PICTURES
from backend.core.errors import NotFound, ShopError
from backend.core.texts import _
from backend.media.picture_widths import parse_uploaded_picture
from backend.media.videos import parse_video_url
from backend.office.products.draft import FormRefused
from backend.office.products.editor import (
    new_product_form,
    read_product_form,
)
from backend.office.products.saving import FormClashes, save_form
from backend.staff.rights import Actor, Right
from storefront.office.components.uploads import NO_VIDEO
from storefront.office.navigation import PRODUCTS
from storefront.office.products.editor_view import (
    ClashRow,
    EditorView,
    PictureRow,
    VideoRow,
    build_clash_row,
    build_editor_view,
    build_picture_row,
)
from storefront.office.products.form_parsing import (
    MAX_URL_LENGTH,
    find_unit_problems,
    parse_product_form,
)
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_texts, next_number

NEW = "nuevo"
"""Final part of the path of a new product."""


class ProductState(OfficeScreen, KnownClientState):
    """State of the editor of an existing or new product."""

    content: rx.Field[EditorView | None] = rx.field(None)
    added_pictures: rx.Field[list[PictureRow]] = rx.field(default_factory=list)
    """Uploaded pictures that are not saved yet. They are lost with the state."""
    added_videos: rx.Field[list[VideoRow]] = rx.field(default_factory=list)
    """The newest uploaded video until it is saved."""
    upload_counts: rx.Field[dict[str, int]] = rx.field(default_factory=dict)
    """Number of repeated uploads of a picture or the video, by its key. A change displays a removed picture again."""
    clashes: rx.Field[list[ClashRow]] = rx.field(default_factory=list)
    clash_count: rx.Field[int] = rx.field(0)
    """Number of times that a save conflicted with changes of another staff member."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _shown_id: str = ""
    """The id in the address when the screen was opened."""

    async def _read_content(self, actor: Actor) -> EditorView:
        return await self._read_product(actor, self._id_in_url())

    async def _read_product(self, actor: Actor, product_id: str) -> EditorView:
        async with current_shop().database.read() as session:
            if product_id != NEW:
                return build_editor_view(await read_product_form(session, actor, product_id))
            if not actor.may(Right.CHANGE_CATALOG):
                raise NotFound("This role cannot create products")
            return build_editor_view(await new_product_form(session, actor))

    async def _show(self, actor: Actor) -> None:
        if self._shown_id not in {"", self._id_in_url()}:
            self._discard_edits()  # not at the first load or a reconnect: edits may precede it
        self._shown_id = self._id_in_url()
        await super()._show(actor)

    def _get_watched(self) -> frozenset[str]:
        shown = self.content
        return frozenset() if shown is None or shown.is_new else frozenset({shown.id})

    async def _refresh(self, actor: Actor) -> None:
        """Display the values that other staff members have saved.

        Fields that the staff member is editing keep the typed text: see `assets/scripts/office/forms.jsx`.
        """
        if self.content is None or self.content.is_new:
            return
        try:
            # not by the URL: after a new product is saved, the URL changes only with the browser's next event
            content = await self._read_product(actor, self.content.id)
        except NotFound:
            self._clear_content("missing")
            return
        if content != self.content:
            self.content = content

    @office_event(Right.CHANGE_CATALOG)
    async def save(self, actor: Actor, form: dict[str, Any]) -> Any:
        """Save all fields of the form, or none. Afterwards, redirect from a new product's form to its editor."""
        submitted = parse_product_form(form)
        is_new = submitted.base.is_new
        if problems := find_unit_problems(form):
            raise FormRefused(problems)
        try:
            async with current_shop().database.transaction() as session:
                product_id = await save_form(session, actor, submitted)
        except FormClashes as error:
            await self._show_clashes(actor, submitted.base.id, error)
            return None
        self._discard_edits()
        self._shown_id = product_id
        async with current_shop().database.read() as session:
            self._set_content(build_editor_view(await read_product_form(session, actor, product_id)))
        self._announce(
            _("Publicado: ya se ve en la tienda.") if self._became_visible(submitted.base) else _("Guardado.")
        )
        return rx.redirect(f"{PRODUCTS}/{product_id}", replace=True) if is_new else None

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def add_pictures(self, actor: Actor, urls: list[str]) -> None:
        """Add the uploaded pictures to the form."""
        actor.require(Right.CHANGE_CATALOG)
        keys_by_url = {
            item.url: item.key
            for item in [*(self.content.pictures if self.content else []), *self.added_pictures]
        }
        checked_urls = checked_texts(urls, MAX_PICTURES, MAX_URL_LENGTH)
        repeated = [keys_by_url[url] for url in checked_urls if url in keys_by_url]
        self.upload_counts = {
            **self.upload_counts,
            **{key: self.upload_counts.get(key, 0) + 1 for key in repeated},
        }
        new = [url for url in checked_urls if url not in keys_by_url and parse_uploaded_picture(url)]
        self.added_pictures = [
            *self.added_pictures,
            *(build_picture_row(url, "", is_added=True) for url in new),
        ][:MAX_PICTURES]

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def add_video(self, actor: Actor, urls: list[str]) -> None:
        """Replace the form's video by the uploaded one."""
        actor.require(Right.CHANGE_CATALOG)
        checked_urls = [
            url for url in checked_texts(urls, MAX_PICTURES, MAX_URL_LENGTH) if parse_video_url(url)
        ]
        if not checked_urls:
            self._announce(NO_VIDEO, "problem")
            return
        key = checked_urls[-1]
        shown = self.content.videos if self.content else []
        if any(item.url == key for item in shown):
            self.added_videos = []
        else:
            self.added_videos = [VideoRow(key, key, is_added=True)]
        self.upload_counts = {**self.upload_counts, key: self.upload_counts.get(key, 0) + 1}

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def discard(self, actor: Actor) -> None:
        """Discard the unsaved uploads and the displayed problems."""
        actor.require(Right.CHANGE_CATALOG)
        self._discard_edits()

    def _discard_edits(self) -> None:
        self.added_pictures, self.upload_counts, self.clashes, self.problems = [], {}, [], {}
        self.added_videos = []

    def _became_visible(self, base: Any) -> bool:
        """Return True if the save made the product visible to shoppers."""
        return bool(
            self.content and self.content.is_published and (base.is_new or not base.draft.is_published)
        )

    def _announce_error(self, error: ShopError) -> None:
        if isinstance(error, FormRefused):
            self.clashes = []
        super()._announce_error(error)

    async def _show_clashes(self, actor: Actor, product_id: str, error: FormClashes) -> None:
        """Display the changes of other staff members that clash with the form.

        Saving the form again overwrites them.
        """
        async with current_shop().database.read() as session:
            self.content = build_editor_view(await read_product_form(session, actor, product_id))
        self.problems = {}
        self.clashes = [build_clash_row(item, self.content) for item in error.clashes]
        self.clash_count = next_number(self.clash_count)
        self._announce(_("Alguien cambió lo mismo. Mira las dos versiones y guarda otra vez."), "problem")
