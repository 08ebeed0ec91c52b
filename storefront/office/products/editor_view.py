"""Views of the product editor: its rows, and the values that two staff members changed at the same time."""

from collections.abc import Callable
from dataclasses import dataclass, replace
from urllib.parse import urlencode

from backend.app import current_shop
from backend.catalog.colors import find_named_color, is_color_option
from backend.catalog.countries import country_names
from backend.catalog.models import ONLY_VARIANT_TITLE
from backend.core.money import Cop, format_cop, format_typed_cop
from backend.core.texts import _, format_count
from backend.media.picture_urls import encode_picture_url
from backend.media.videos import VIDEO_KEY
from backend.office.products.draft import Clash, VariantDraft, parse_pesos, picture_key
from backend.office.products.editor import PlaceOption, ProductForm, describe_margin
from backend.office.products.options_form import MAX_FORM_OPTIONS, NO_COLOR, OptionDraft
from storefront.office.components.uploads import video_texts
from storefront.office.navigation import STOCK
from storefront.office.products.form_parsing import dump_base

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
    "preorder_day": _("Día en que llega"),
    "preorder_units": _("Cuántas se venden antes"),
    "seo_title": _("Encabezado en Google"),
    "seo_description": _("Resumen en Google"),
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
    "picture_value": _("Lo que muestra una foto"),
    "options": _("Opciones"),
    "variants": _("Presentaciones"),
}
"""Labels of the fields by name, or by the prefix of the name."""
MONEY_FIELDS = frozenset({"price", "before", "cost"})
WITHOUT_BUTTON = frozenset({"is_free", "options", "units", "variants", VIDEO_KEY})
"""Fields whose other version cannot be copied into the form by a button."""


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
    """A picture in the form. `value` is the option value that it shows; `is_added` is True if it is not saved yet."""

    key: str
    url: str
    src: str
    alt: str
    is_added: bool
    value: str = ""


@dataclass(frozen=True, slots=True)
class ValueRow:
    """A value of an option in the form. `color` is the colour of its swatch as `#rrggbb`."""

    key: str
    value: str
    color: str


@dataclass(frozen=True, slots=True)
class OptionRow:
    """An option in the form. A blank row has no `key`. `is_color` is True if the values have swatches."""

    key: str
    title: str
    is_color: bool
    choices: list[ValueRow]


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
        blank: the row of a variant that the browser adds.
        options: its options, and empty ones up to `MAX_FORM_OPTIONS`.
        has_more_options: True if the form cannot change its options, because it has more.
        picture_values: the option values that a picture may show. Their names have option and value.
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
    options: list[OptionRow]
    has_more_options: bool
    picture_values: list[PlaceOption]


def build_editor_view(form: ProductForm) -> EditorView:
    """Return the form as the editor displays it."""
    draft, base = form.base.draft, form.base
    units = {item.variant_id: item for item in form.units}

    def stock_text(key: str) -> str:
        level = units.get(key)
        if level is None:
            return ""
        reserved = format_count(level.reserved, _("{n} apartada"), _("{n} apartadas"))
        free = format_count(max(level.stocked - level.reserved, 0), _("{n} libre"), _("{n} libres"))
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
    pictures = [build_picture_row(item.url, item.alt, item.value) for item in draft.pictures]
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
        options=_option_rows(draft.options),
        has_more_options=len(draft.options) > MAX_FORM_OPTIONS,
        picture_values=[
            PlaceOption(value.key, f"{option.title}: {value.value}")
            for option in draft.options
            for value in option.values
        ],
    )


def _option_rows(options: list[OptionDraft]) -> list[OptionRow]:
    rows = [
        OptionRow(
            option.key,
            option.title,
            is_color_option(option.title),
            [
                ValueRow(value.key, value.value, value.color or find_named_color(value.value) or NO_COLOR)
                for value in option.values
            ],
        )
        for option in options[:MAX_FORM_OPTIONS]
    ]
    return rows + [OptionRow("", "", False, []) for _number in range(MAX_FORM_OPTIONS - len(rows))]


def build_picture_row(url: str, alt: str, value: str = "", *, is_added: bool = False) -> PictureRow:
    """Return a picture as the form displays it."""
    return PictureRow(picture_key(url), url, encode_picture_url(url), alt, is_added, value)


def build_clash_row(clash: Clash, shown: EditorView) -> ClashRow:
    """Return a clash as it is displayed, with both values as texts for staff (see `_format_value`)."""
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
        field="" if name in WITHOUT_BUTTON else f"product-{clash.name}",
        value=_typed_money(clash.theirs) if name in MONEY_FIELDS else clash.theirs,
    )
    mine, theirs = (_format_value(name, value, shown) for value in (row.mine, row.theirs))
    return replace(row, mine=mine, theirs=_("ahora hay {n}").format(n=theirs) if name == "units" else theirs)


def _format_value(name: str, value: str, shown: EditorView) -> str:
    """Return a value of the field `name` as text for staff: a formatted amount, a name, or the value itself."""
    if name in MONEY_FIELDS:
        return _format_money(value, format_cop)
    if name == "origin_country":
        return country_names().get(value, value)
    if name in {"collection_id", "picture_value"}:
        places = shown.collections if name == "collection_id" else shown.picture_values
        return next((place.name for place in places if place.id == value), "")
    words = {
        "is_free": (_("sí"), _("no")),
        "variants": (value, _("borrada")),
        VIDEO_KEY: (_("un video"), _("ninguno")),
    }
    filled, empty = words.get(name, (value, value))
    return filled if value else empty


def _typed_money(text: str) -> str:
    """Return an amount as staff type it, such as `89.900`."""
    return _format_money(text, format_typed_cop)


def _format_money(text: str, format_amount: Callable[[Cop], str]) -> str:
    """Return the formatted amount, or the text itself if it is not an amount."""
    amount = parse_pesos(text)
    return text if amount is None else format_amount(amount)
