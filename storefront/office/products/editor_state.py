"""State of the product editor (Producto)."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import urlencode

import reflex as rx

from backend.app import current_shop
from backend.catalog.countries import country_names
from backend.catalog.models import ONLY_VARIANT_TITLE
from backend.catalog.schemas.admin import MAX_PICTURES
from backend.core.errors import NotFound, ShopError
from backend.core.money import format_cop, format_typed_cop
from backend.core.texts import _, format_count
from backend.media.picture_urls import encode_picture_url
from backend.media.picture_widths import parse_uploaded_picture
from backend.media.videos import VIDEO_KEY, parse_video_url
from backend.office.products.draft import Clash, VariantDraft, parse_pesos, picture_key
from backend.office.products.editor import (
    PlaceOption,
    ProductForm,
    describe_margin,
    new_product_form,
    read_product_form,
)
from backend.office.products.saving import FormClashes, FormRefused, save_form
from backend.staff.rights import Actor, Right
from storefront.office.components.uploads import NO_VIDEO, video_texts
from storefront.office.navigation import PRODUCTS, STOCK
from storefront.office.products.form_parsing import (
    MAX_URL_LENGTH,
    dump_base,
    find_unit_problems,
    parse_product_form,
)
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_texts, next_number

NEW = "nuevo"
"""Final part of the path of a new product."""
LABELS = {
    "title": _("Título"),
    "subtitle": _("Frase corta"),
    "description": _("Descripción"),
    "brand": _("Marca"),
    "age_range": _("Edad"),
    "collection_id": _("Colección"),
    "tax_rate": _("IVA"),
    "material": _("Material"),
    "contents": _("Contenido de la caja"),
    "safety_mark": _("Sello de seguridad"),
    "origin_country": _("Hecho en"),
    "warnings": _("Advertencias"),
    "video": _("Video"),
    "handle": _("Dirección"),
    "seo_title": _("Título en Google"),
    "seo_description": _("Texto en Google"),
    "weight": _("Peso"),
    "length": _("Largo"),
    "width": _("Ancho"),
    "height": _("Alto"),
    "price": _("Precio"),
    "before": _("Precio anterior"),
    "cost": _("Costo"),
    "is_free": _("Gratis"),
    "sku": _("Código"),
    "ean": _("Código de barras"),
    "units": _("Unidades"),
    "alt": _("Texto de una foto"),
    "variants": _("Presentaciones"),
}
"""Labels of the fields by name, or by the prefix of the name."""


@dataclass(frozen=True, slots=True)
class VariantRow:
    """A variant in the form.

    Attributes:
        stocked: its stock as a text.
        stock_path: the address of its stock screen.
        margin: the margin of a unit as a text; empty if the cost is unknown.
    """

    key: str
    title: str
    price: str
    before: str
    sku: str
    ean: str
    is_free: bool
    cost: str
    margin: str
    stocked: str
    stock_path: str


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A picture in the form. `is_added` is True if it is not saved yet."""

    key: str
    url: str
    src: str
    alt: str
    is_added: bool


@dataclass(frozen=True, slots=True)
class VideoRow:
    """The video in the form. `is_added` is True if it is not saved yet."""

    key: str
    url: str
    is_added: bool


@dataclass(frozen=True, slots=True)
class ClashRow:
    """A value that this and another staff member changed at the same time.

    A button copies `value` into the form's field `field`. If `field` is empty, there is no button.
    """

    key: str
    label: str
    mine: str
    theirs: str
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class EditorView:
    """A product, as the editor displays it.

    Attributes:
        seen: the displayed values, which the browser sends back with the form: see `EditForm`.
        price_label: the formatted price of its first variant.
        before_label: the formatted price of its first variant before a sale.
        src: address of its first picture.
        videos: its video in a list; empty if it has none.
        video_texts, max_video_bytes: texts and size limit of the button that uploads the video.
        blank: an empty variant.
    """

    id: str
    is_new: bool
    seen: str
    texts: dict[str, str]
    is_published: bool
    is_featured: bool
    variants: list[VariantRow]
    blank: VariantRow
    pictures: list[PictureRow]
    categories: list[PlaceOption]
    collections: list[PlaceOption]
    locations: list[PlaceOption]
    brands: list[str]
    page_path: str
    former: list[str]
    price_label: str
    before_label: str
    src: str
    videos: list[VideoRow]
    video_texts: dict[str, str]
    max_video_bytes: int


class ProductState(OfficeScreen, KnownClientState):
    """An existing or new product."""

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
        product_id = self._id_in_url()
        async with current_shop().database.read() as session:
            if product_id != NEW:
                return _editor_view(await read_product_form(session, actor, product_id))
            if not actor.may(Right.CHANGE_CATALOG):
                raise NotFound("This role cannot create products")
            return _editor_view(await new_product_form(session, actor))

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
            content = await self._read_content(actor)
        except NotFound:
            self._clear_content("missing")
            return
        if content != self.content:
            self.content = content

    @office_event(Right.CHANGE_CATALOG)
    async def save(self, actor: Actor, form: dict[str, Any]) -> Any:
        """Save the whole form, or nothing."""
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
            self._set_content(_editor_view(await read_product_form(session, actor, product_id)))
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
        self.added_pictures = [*self.added_pictures, *(_picture_row(url, "", is_added=True) for url in new)][
            :MAX_PICTURES
        ]

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
        """Discard unsaved uploads and the problems."""
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
            self.content = _editor_view(await read_product_form(session, actor, product_id))
        self.problems = {}
        self.clashes = [_clash_row(item, self.content) for item in error.clashes]
        self.clash_count = next_number(self.clash_count)
        self._announce(_("Alguien cambió lo mismo. Mira las dos versiones y guarda otra vez."), "problem")


def _editor_view(form: ProductForm) -> EditorView:
    draft, base = form.base.draft, form.base
    units = {item.variant_id: item for item in form.units}

    def stock_text(key: str) -> str:
        level = units.get(key)
        if level is None:
            return ""
        reserved = format_count(level.reserved, _("{n} apartada"), _("{n} apartadas"))
        free = format_count(level.stocked - level.reserved, _("{n} libre"), _("{n} libres"))
        return f"{free} · {reserved}" if level.reserved else free

    def variant_row(variant: VariantDraft) -> VariantRow:
        query = urlencode({"q": variant.sku or draft.texts["title"]})
        return VariantRow(
            variant.key,
            variant.title,
            _typed_money(variant.price),
            _typed_money(variant.before),
            variant.sku,
            variant.ean,
            bool(variant.is_free),
            _typed_money(variant.cost),
            describe_margin(variant, draft.texts["tax_rate"]),
            stock_text(variant.key),
            f"{STOCK}?{query}",
        )

    first = draft.variants[0] if draft.variants else VariantDraft("")
    price, before = parse_pesos(first.price), parse_pesos(first.before)
    pictures = [_picture_row(item.url, item.alt) for item in draft.pictures]
    video, max_video_bytes = draft.texts[VIDEO_KEY], current_shop().uploads.max_video_bytes
    return EditorView(
        id=base.id,
        is_new=base.is_new,
        seen=dump_base(base),
        texts=draft.texts,
        is_published=draft.is_published,
        is_featured=draft.is_featured,
        variants=[variant_row(item) for item in draft.variants],
        blank=variant_row(VariantDraft("")),
        pictures=pictures,
        categories=form.categories,
        collections=form.collections,
        locations=form.locations,
        brands=form.brands,
        page_path=form.page_path,
        former=form.former,
        price_label="" if price is None else format_cop(price),
        before_label=format_cop(before) if before and price is not None and before > price else "",
        src=pictures[0].src if pictures else "",
        videos=[VideoRow(video, video, is_added=False)] if video else [],
        video_texts=video_texts(max_video_bytes),
        max_video_bytes=max_video_bytes,
    )


def _picture_row(url: str, alt: str, *, is_added: bool = False) -> PictureRow:
    return PictureRow(picture_key(url), url, encode_picture_url(url), alt, is_added)


def _clash_row(clash: Clash, shown: EditorView) -> ClashRow:
    """Return a clash as it is displayed: the values of a select field are replaced by their labels."""
    name, _dash, key = clash.name.partition("-")
    label = LABELS.get(name, name)
    if name == "title" and key:
        label = LABELS["variants"]
    several = len(shown.variants) > 1
    variant_title = next(
        (item.title for item in shown.variants if item.key == key and item.title != ONLY_VARIANT_TITLE), ""
    )
    row = ClashRow(
        key=clash.name,
        label=f"{label} ({variant_title})" if variant_title and several else label,
        mine=clash.mine,
        theirs=clash.theirs,
        field=f"product-{clash.name}",
        value=clash.theirs,
    )
    if name == "collection_id":
        names = {item.id: item.name for item in shown.collections}
        row = replace(row, mine=names.get(row.mine, ""), theirs=names.get(row.theirs, ""))
    elif name == "origin_country":
        names = country_names()
        row = replace(row, mine=names.get(row.mine, row.mine), theirs=names.get(row.theirs, row.theirs))
    elif name in {"price", "before", "cost"}:
        mine, theirs = _format_money(row.mine), _format_money(row.theirs)
        row = replace(row, mine=mine, theirs=theirs, value=_typed_money(row.value))
    elif name == "is_free":
        mine, theirs = (_("sí") if value else _("no") for value in (row.mine, row.theirs))
        row = replace(row, mine=mine, theirs=theirs, field="")
    elif name == "variants":
        deleted = _("borrada")
        row = replace(row, mine=row.mine or deleted, theirs=row.theirs or deleted, field="")
    elif name == VIDEO_KEY:
        video, none = _("un video"), _("ninguno")
        mine, theirs = (video if url else none for url in (row.mine, row.theirs))
        row = replace(row, mine=mine, theirs=theirs, field="")
    elif name == "units":
        row = replace(row, theirs=_("ahora hay {n}").format(n=row.theirs), field="")
    return row


def _typed_money(text: str) -> str:
    """Return an amount as a person types it, such as `89.900`."""
    amount = parse_pesos(text) if text else None
    return text if amount is None else format_typed_cop(amount)


def _format_money(text: str) -> str:
    amount = parse_pesos(text) if text else None
    return text if amount is None else format_cop(amount)
