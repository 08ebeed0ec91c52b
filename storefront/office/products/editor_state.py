"""What Producto shows, and what can be done there."""

from dataclasses import dataclass, replace
from typing import Any, ClassVar
from urllib.parse import urlencode

import reflex as rx

from backend.app import current_shop
from backend.catalog.countries import country_names
from backend.catalog.models import ONLY
from backend.catalog.schemas.admin import MAX_PICTURES
from backend.core.errors import NotFound, ShopError
from backend.core.money import format_cop
from backend.core.texts import _, counted
from backend.media.picture_urls import picture_address
from backend.media.picture_widths import uploaded_at
from backend.media.videos import VIDEO, video_at
from backend.office.products.draft import Clash, VariantDraft, pesos_of, picture_key
from backend.office.products.editor import Place, ProductForm, blank_form, read_form
from backend.office.products.saving import FormClashes, FormRefused, save_form
from backend.staff.rights import Actor, Right
from storefront.office.components.uploads import NO_VIDEO, video_texts
from storefront.office.navigation import PRODUCTS, STOCK
from storefront.office.products.form_parsing import LONGEST_URL, base_text, problems_of_units, wanted_of
from storefront.office.state import OfficeScreen, office_event
from storefront.reflex_ext.state_loss import KnownClientState
from storefront.state.handlers import checked_texts, next_number

NEW = "nuevo"
"""The last part of the address of a toy that is not there yet."""
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
    "weight": _("Peso"),
    "length": _("Largo"),
    "width": _("Ancho"),
    "height": _("Alto"),
    "price": _("Precio"),
    "before": _("Precio anterior"),
    "is_free": _("Gratis"),
    "sku": _("Código"),
    "ean": _("Código de barras"),
    "units": _("Unidades"),
    "alt": _("Texto de una foto"),
    "variants": _("Presentaciones"),
}
"""What the fields are called, by their names or the beginnings of them."""


@dataclass(frozen=True, slots=True)
class VariantRow:
    """A variant in the form; `stocked`: how many units there are, in words; `stock_path`: where they are counted."""

    key: str
    title: str
    price: str
    before: str
    sku: str
    ean: str
    is_free: bool
    stocked: str
    stock_path: str


@dataclass(frozen=True, slots=True)
class PictureRow:
    """A picture in the form. `is_added`: it is not saved yet."""

    key: str
    url: str
    src: str
    alt: str
    is_added: bool


@dataclass(frozen=True, slots=True)
class VideoRow:
    """The video in the form. `is_added`: it is not saved yet."""

    key: str
    url: str
    is_added: bool


@dataclass(frozen=True, slots=True)
class ClashRow:
    """A value that two people changed: what each wants, and what a button takes into which field (or into none)."""

    key: str
    label: str
    mine: str
    theirs: str
    field: str
    value: str


@dataclass(frozen=True, slots=True)
class Shown:
    """A toy as the screen shows it.

    Attributes:
        seen: the same for the browser to send back: see `EditForm`.
        price_label: of its first variant, as the shop says it, and before a sale.
        src: its first picture.
        videos: its video, if it has one.
        video_texts, most_video_bytes: for the button that sends another.
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
    categories: list[Place]
    collections: list[Place]
    locations: list[Place]
    brands: list[str]
    page_path: str
    former: list[str]
    price_label: str
    before_label: str
    src: str
    videos: list[VideoRow]
    video_texts: dict[str, str]
    most_video_bytes: int


class ProductState(OfficeScreen, KnownClientState):
    """One toy, or one that is being made."""

    content: rx.Field[Shown | None] = rx.field(None)
    added: rx.Field[list[PictureRow]] = rx.field(default_factory=list)
    """Pictures that were uploaded and are not saved yet. They are lost with the state."""
    added_videos: rx.Field[list[VideoRow]] = rx.field(default_factory=list)
    """The video that was uploaded last, until it is saved."""
    again: rx.Field[dict[str, int]] = rx.field(default_factory=dict)
    """How often a picture that the form has was uploaded anew, by its key: if it was taken away, it is there again."""
    clashes: rx.Field[list[ClashRow]] = rx.field(default_factory=list)
    met: rx.Field[int] = rx.field(0)
    """How often this form was told that others changed the same."""

    _right: ClassVar[Right] = Right.READ_CATALOG
    _shown_at: str = ""
    """What the address named when the screen was opened."""

    async def _content(self, actor: Actor) -> Shown:
        product_id = self._id()
        async with current_shop().database.read() as session:
            if product_id != NEW:
                return _shown(await read_form(session, actor, product_id))
            if not actor.may(Right.CHANGE_CATALOG):
                raise NotFound("Nobody of this role makes toys")
            return _shown(await blank_form(session, actor))

    async def _show(self, actor: Actor) -> None:
        if self._shown_at != self._id():  # not the same again, on a new connection
            self._forget_edits()
            self._shown_at = self._id()
        await super()._show(actor)

    def _watched(self) -> frozenset[str]:
        shown = self.content
        return frozenset() if shown is None or shown.is_new else frozenset({shown.id})

    async def _refresh(self, actor: Actor) -> None:
        """What others saved is shown where nobody is typing: see `assets/scripts/office/forms.jsx`."""
        if self.content is None or self.content.is_new:
            return
        try:
            content = await self._content(actor)
        except NotFound:
            self._forget("missing")
            return
        if content != self.content:
            self.content = content

    @office_event(Right.CHANGE_CATALOG)
    async def save(self, actor: Actor, form: dict[str, Any]) -> Any:
        """Save all that the form holds, or nothing."""
        wanted = wanted_of(form)
        is_new = wanted.base.is_new
        if problems := problems_of_units(form):
            raise FormRefused(problems)
        try:
            async with current_shop().database.transaction() as session:
                product_id = await save_form(session, actor, wanted)
        except FormClashes as error:
            await self._ask(actor, wanted.base.id, error)
            return None
        self._forget_edits()
        self._shown_at = product_id
        async with current_shop().database.read() as session:
            self._put(_shown(await read_form(session, actor, product_id)))
        self._tell(_("Publicado: ya se ve en la tienda.") if self._appeared(wanted.base) else _("Guardado."))
        return rx.redirect(f"{PRODUCTS}/{product_id}", replace=True) if is_new else None

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def add_pictures(self, actor: Actor, urls: list[str]) -> None:
        """Put pictures that were just uploaded into the form."""
        actor.require(Right.CHANGE_CATALOG)
        known = {one.url: one.key for one in [*(self.content.pictures if self.content else []), *self.added]}
        sent = checked_texts(urls, MAX_PICTURES, LONGEST_URL)
        anew = [known[url] for url in sent if url in known]
        self.again = {**self.again, **{key: self.again.get(key, 0) + 1 for key in anew}}
        new = [url for url in sent if url not in known and uploaded_at(url)]
        self.added = [*self.added, *(_picture(url, "", is_added=True) for url in new)][:MAX_PICTURES]

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def add_video(self, actor: Actor, urls: list[str]) -> None:
        """Put a video that was just uploaded into the form, in place of the one that is there."""
        actor.require(Right.CHANGE_CATALOG)
        sent = [url for url in checked_texts(urls, MAX_PICTURES, LONGEST_URL) if video_at(url)]
        if not sent:
            self._tell(NO_VIDEO, "problem")
            return
        key = sent[-1]
        shown = self.content.videos if self.content else []
        if any(one.url == key for one in shown):
            self.added_videos = []
        else:
            self.added_videos = [VideoRow(key, key, is_added=True)]
        self.again = {**self.again, key: self.again.get(key, 0) + 1}

    @office_event(Right.CHANGE_CATALOG, is_press=False)
    async def discard(self, actor: Actor) -> None:
        """Forget what was uploaded and not saved, and what was wrong."""
        actor.require(Right.CHANGE_CATALOG)
        self._forget_edits()

    def _forget_edits(self) -> None:
        self.added, self.again, self.clashes, self.problems = [], {}, [], {}
        self.added_videos = []

    def _appeared(self, base: Any) -> bool:
        """Whether shoppers see it now and did not before."""
        return bool(
            self.content and self.content.is_published and (base.is_new or not base.draft.is_published)
        )

    def _refuse(self, error: ShopError) -> None:
        if isinstance(error, FormRefused):
            self.clashes = []
        super()._refuse(error)

    async def _ask(self, actor: Actor, product_id: str, error: FormClashes) -> None:
        """Show what others changed, and let the person decide: saving again keeps what they typed."""
        async with current_shop().database.read() as session:
            self.content = _shown(await read_form(session, actor, product_id))
        self.problems = {}
        self.clashes = [_clash(one, self.content) for one in error.clashes]
        self.met = next_number(self.met)
        self._tell(_("Alguien cambió lo mismo. Mira las dos versiones y guarda otra vez."), "problem")


def _shown(form: ProductForm) -> Shown:
    draft, base = form.base.draft, form.base
    units = {one.variant_id: one for one in form.units}

    def stocked(key: str) -> str:
        one = units.get(key)
        if one is None:
            return ""
        reserved = counted(one.reserved, _("{n} apartada"), _("{n} apartadas"))
        free = counted(one.stocked - one.reserved, _("{n} libre"), _("{n} libres"))
        return f"{free} · {reserved}" if one.reserved else free

    def row(one: VariantDraft) -> VariantRow:
        named = urlencode({"q": one.sku or draft.texts["title"]})
        return VariantRow(
            one.key,
            one.title,
            one.price,
            one.before,
            one.sku,
            one.ean,
            bool(one.is_free),
            stocked(one.key),
            f"{STOCK}?{named}",
        )

    first = draft.variants[0] if draft.variants else VariantDraft("")
    price, before = pesos_of(first.price), pesos_of(first.before)
    pictures = [_picture(one.url, one.alt) for one in draft.pictures]
    video, most_video_bytes = draft.texts[VIDEO], current_shop().uploads.most_video_bytes
    return Shown(
        id=base.id,
        is_new=base.is_new,
        seen=base_text(base),
        texts=draft.texts,
        is_published=draft.is_published,
        is_featured=draft.is_featured,
        variants=[row(one) for one in draft.variants],
        blank=row(VariantDraft("")),
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
        video_texts=video_texts(most_video_bytes),
        most_video_bytes=most_video_bytes,
    )


def _picture(url: str, alt: str, *, is_added: bool = False) -> PictureRow:
    return PictureRow(picture_key(url), url, picture_address(url), alt, is_added)


def _clash(clash: Clash, shown: Shown) -> ClashRow:
    """The clash for people. What is chosen from a list is said by its name."""
    name, _dash, key = clash.name.partition("-")
    label = LABELS.get(name, name)
    if name == "title" and key:
        label = LABELS["variants"]
    several = len(shown.variants) > 1
    of = next((one.title for one in shown.variants if one.key == key and one.title != ONLY), "")
    row = ClashRow(
        key=clash.name,
        label=f"{label} ({of})" if of and several else label,
        mine=clash.mine,
        theirs=clash.theirs,
        field=f"product-{clash.name}",
        value=clash.theirs,
    )
    if name == "collection_id":
        names = {one.id: one.name for one in shown.collections}
        row = replace(row, mine=names.get(row.mine, ""), theirs=names.get(row.theirs, ""))
    elif name == "origin_country":
        names = country_names()
        row = replace(row, mine=names.get(row.mine, row.mine), theirs=names.get(row.theirs, row.theirs))
    elif name in {"price", "before"}:
        row = replace(row, mine=_money(row.mine), theirs=_money(row.theirs))
    elif name == "is_free":
        mine, theirs = (_("sí") if value else _("no") for value in (row.mine, row.theirs))
        row = replace(row, mine=mine, theirs=theirs, field="")
    elif name == "variants":
        gone = _("borrada")
        row = replace(row, mine=row.mine or gone, theirs=row.theirs or gone, field="")
    elif name == VIDEO:
        video, none = _("un video"), _("ninguno")
        mine, theirs = (video if url else none for url in (row.mine, row.theirs))
        row = replace(row, mine=mine, theirs=theirs, field="")
    elif name == "units":
        row = replace(row, theirs=_("ahora hay {n}").format(n=row.theirs), field="")
    return row


def _money(text: str) -> str:
    amount = pesos_of(text) if text else None
    return text if amount is None else format_cop(amount)
