"""Content that the office can edit, by area: the models of each area, as stored and as sent by programs."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from backend.content.palette import parse_color
from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.core.web.contact import to_one_line, to_paragraphs

MAX_SLIDES = 12
MAX_FOOTER_LINES = 8
MAX_SECTIONS = 12
MAX_SECTION_PRODUCTS = 12
MAX_TITLE_CHARS = 80
MAX_TEXT_CHARS = 200
MAX_PARAGRAPH_CHARS = 1_000
_MAX_INPUT_CHARS = 4_000
"""Limit of any text; a longer one does not come from our forms. `backend.content.validation` has the real limits."""


class Area(StrEnum):
    """A part of the shop whose content has its own versions. API clients use these names."""

    BANNER = "banner"
    ANNOUNCEMENT = "announcement"
    HOME = "home"
    FOOTER = "footer"
    BRAND = "brand"
    ORDER_PLACED = "mail_order_placed"
    ORDER_PAID = "mail_order_paid"
    ORDER_SHIPPED = "mail_order_shipped"
    ORDER_LOST = "mail_order_lost"
    ORDER_UNCONFIRMED = "mail_order_unconfirmed"
    REFUNDED = "mail_refunded"
    BACK_IN_STOCK = "mail_back_in_stock"
    CART_REMINDER = "mail_cart_reminder"
    PAYMENT_LINK = "mail_payment_link"
    RETURN_REQUESTED = "mail_return_requested"
    RETURN_RECEIVED = "mail_return_received"
    RETURN_APPROVED = "mail_return_approved"
    RETURN_DENIED = "mail_return_denied"
    PQRS_RECEIVED = "mail_pqrs_received"
    PQRS_ANSWERED = "mail_pqrs_answered"
    ORDER_LINK = "mail_order_link"


MAIL_AREA_PREFIX = "mail_"
"""Prefix of the areas that are mails; the mail's kind follows."""
AREA_NAMES = {
    Area.BANNER: _("Carrusel del inicio"),
    Area.ANNOUNCEMENT: _("Aviso de arriba"),
    Area.HOME: _("Secciones del inicio"),
    Area.FOOTER: _("Pie de página"),
    Area.BRAND: _("Marca"),
    Area.ORDER_PLACED: _("Correo: recibimos el pedido"),
    Area.ORDER_PAID: _("Correo: pago confirmado"),
    Area.ORDER_SHIPPED: _("Correo: pedido en camino"),
    Area.ORDER_LOST: _("Correo: el banco no aprobó el pago"),
    Area.ORDER_UNCONFIRMED: _("Correo: el pago no llegó"),
    Area.REFUNDED: _("Correo: dinero devuelto"),
    Area.BACK_IN_STOCK: _("Correo: ya llegó el producto"),
    Area.CART_REMINDER: _("Correo: dejó productos en el carrito"),
    Area.PAYMENT_LINK: _("Correo: el enlace de pago"),
    Area.RETURN_REQUESTED: _("Correo: pidió una devolución"),
    Area.RETURN_RECEIVED: _("Correo: llegó lo que devolvió"),
    Area.RETURN_APPROVED: _("Correo: le vamos a devolver el dinero"),
    Area.RETURN_DENIED: _("Correo: su solicitud no procede"),
    Area.PQRS_RECEIVED: _("Correo: recibimos su PQRS"),
    Area.PQRS_ANSWERED: _("Correo: respuesta a su PQRS"),
    Area.ORDER_LINK: _("Correo: el enlace del pedido"),
}
PLACEHOLDERS: dict[Area, tuple[str, ...]] = {
    Area.ORDER_PLACED: ("tienda", "pedido"),
    Area.ORDER_PAID: ("tienda", "pedido"),
    Area.ORDER_SHIPPED: ("tienda", "pedido"),
    Area.ORDER_LOST: ("tienda", "pedido"),
    Area.ORDER_UNCONFIRMED: ("tienda", "pedido"),
    Area.REFUNDED: ("tienda", "monto"),
    Area.BACK_IN_STOCK: ("tienda", "producto"),
    Area.CART_REMINDER: ("tienda",),
    Area.PAYMENT_LINK: ("tienda",),
    Area.RETURN_REQUESTED: ("tienda", "pedido"),
    Area.RETURN_RECEIVED: ("tienda", "pedido"),
    Area.RETURN_APPROVED: ("tienda", "pedido", "monto"),
    Area.RETURN_DENIED: ("tienda", "pedido"),
    Area.PQRS_RECEIVED: ("tienda", "radicado"),
    Area.PQRS_ANSWERED: ("tienda", "radicado"),
    Area.ORDER_LINK: ("tienda", "pedido"),
}
"""Placeholders that the texts of a mail may contain, as `{pedido}`. A refund may have no order."""
MAIL_AREAS = tuple(PLACEHOLDERS)
"""The areas that are mails."""

Text = Annotated[str, StringConstraints(max_length=_MAX_INPUT_CHARS), AfterValidator(to_one_line)]
Paragraphs = Annotated[str, StringConstraints(max_length=_MAX_INPUT_CHARS), AfterValidator(to_paragraphs)]
"""A text of several lines."""
Address = Annotated[str, StringConstraints(max_length=_MAX_INPUT_CHARS, strip_whitespace=True)]
Color = Annotated[
    str,
    StringConstraints(max_length=_MAX_INPUT_CHARS),
    AfterValidator(lambda text: parse_color(text) or text),
]
"""A colour; a text that is no colour is refused by `backend.content.validation`."""


class ContentModel(BaseModel):
    """Base of all content models. Unknown fields are refused."""

    model_config = ConfigDict(extra="forbid")


class ScheduledContent(ContentModel):
    """Content with an optional first and final day on which it is shown.

    Both days are days in Colombia, and both are included. None means that there is no limit.
    """

    starts: date | None = None
    ends: date | None = None

    def is_shown_on(self, day: date) -> bool:
        """Return True if the content is shown on this day in Colombia."""
        return (self.starts is None or self.starts <= day) and (self.ends is None or day <= self.ends)


class SlideKind(StrEnum):
    """The kind of a slide's content."""

    PRODUCT = "product"
    PICTURE = "picture"


class Slide(ScheduledContent):
    """A slide of the banner: a product, shown while it is available, or a picture.

    Attributes:
        product_id: the product; empty for a picture slide.
        picture: URL of the uploaded picture of a picture slide; `alt` describes it.
        title: the title of a picture slide. A product slide shows the product's name.
        text: the text below the title; empty for the product's own subtitle.
        link: target of the slide; empty for the product's page.
    """

    kind: SlideKind
    product_id: Address = ""
    picture: Address = ""
    alt: Text = ""
    title: Text = ""
    text: Text = ""
    link: Address = ""


class BannerBody(ContentModel):
    """The slides of the home page's banner, in their order. If there are none, the shop chooses slides itself."""

    slides: list[Slide] = Field(default_factory=list, max_length=MAX_SLIDES)


class AnnouncementBody(ScheduledContent):
    """A line above every page; hidden if it has no text."""

    text: Text = ""
    link: Address = ""


class SectionKind(StrEnum):
    """The kind of a section of the home page.

    The office writes the content of `editorial`; the shop fills the other kinds.
    """

    DEPARTMENTS = "departments"
    NEW = "new"
    SALE = "sale"
    AGES = "ages"
    EDITORIAL = "editorial"


DEFAULT_SECTIONS = (SectionKind.DEPARTMENTS, SectionKind.NEW, SectionKind.SALE, SectionKind.AGES)
"""The default sections of the home page, in their order."""
SECTION_NAMES = {
    SectionKind.DEPARTMENTS: _("Categorías"),
    SectionKind.NEW: _("Lo nuevo y lo más querido"),
    SectionKind.SALE: _("Con descuento, mientras haya"),
    SectionKind.AGES: _("Por edades"),
}


class Section(ContentModel):
    """A section of the home page. Only an editorial section has a text, a picture and a link.

    Attributes:
        title: empty for the name in `SECTION_NAMES`. An editorial section needs one.
        is_hidden: True if the page does not show it.
        text: paragraphs, separated by an empty line.
        picture: URL of an uploaded picture; empty for none.
        link: target of `label`; empty for none.
        product_ids: the products that are shown, in this order, while they are for sale.
        category_id: a category whose products are shown after `product_ids`.
        collection_id: a collection whose products are shown after the category's, while the collection is
            visible. An editorial section without a text of its own shows the collection's text, and without a
            picture the collection's picture.
    """

    kind: SectionKind
    is_hidden: bool = False
    title: Text = ""
    text: Paragraphs = ""
    picture: Address = ""
    alt: Text = ""
    link: Address = ""
    label: Text = ""
    product_ids: list[Address] = Field(default_factory=list, max_length=MAX_SECTION_PRODUCTS)
    category_id: Address = ""
    collection_id: Address = ""


class HomeBody(ContentModel):
    """The sections of the home page in their order; empty for the default ones."""

    sections: list[Section] = Field(default_factory=list, max_length=MAX_SECTIONS + len(DEFAULT_SECTIONS))


class FooterLine(ContentModel):
    """A line of the footer; without a link it is plain text."""

    text: Text = ""
    link: Address = ""


class FooterBody(ContentModel):
    """Content of the footer in addition to the legal notices: a text about the shop, and a list with a title."""

    about: Text = ""
    title: Text = ""
    lines: list[FooterLine] = Field(default_factory=list, max_length=MAX_FOOTER_LINES)


class BrandBody(ContentModel):
    """The shop's brand. An empty field is the shop's default: see `backend.content.brand`.

    Attributes:
        logo: URL of an uploaded logo; empty for the shop's name in letters.
        icon: URL of an uploaded picture for the icons; empty for the logo.
        primary, secondary, background, text_color: the colours, as `#rrggbb`.
        headline: the heading of the home page; `headline_text` follows it.
        goods_one, goods_many: the word for the shop's products, in the singular and the plural, such as «libro» and
            «libros»; empty for the default.
        goods_gender: `f` if this word is feminine; empty if it is masculine.
        font: font of the headings, a `FontName` of `backend.content.fonts`; empty for the shop's default.
        whatsapp: telephone number; empty for that of the settings.
        instagram, facebook, tiktok, youtube, x: URLs of the shop's profiles.
    """

    logo: Address = ""
    icon: Address = ""
    primary: Color = ""
    secondary: Color = ""
    background: Color = ""
    text_color: Color = ""
    headline: Text = ""
    headline_text: Text = ""
    goods_one: Text = ""
    goods_many: Text = ""
    goods_gender: Text = ""
    font: Text = ""
    whatsapp: Text = ""
    instagram: Address = ""
    facebook: Address = ""
    tiktok: Address = ""
    youtube: Address = ""
    x: Address = ""


class MailBody(ContentModel):
    """The office's texts for a mail: a subject (empty for the default), and texts before and after its own."""

    subject: Text = ""
    opening: Paragraphs = ""
    closing: Paragraphs = ""


Body = BannerBody | AnnouncementBody | HomeBody | FooterBody | BrandBody | MailBody
BODIES: dict[Area, type[Body]] = {
    Area.BANNER: BannerBody,
    Area.ANNOUNCEMENT: AnnouncementBody,
    Area.HOME: HomeBody,
    Area.FOOTER: FooterBody,
    Area.BRAND: BrandBody,
    **dict.fromkeys(MAIL_AREAS, MailBody),
}


def parse_body(area: Area, body: Any) -> Body:
    """Parse the body of an area.

    Raises:
        InvalidData: the body is invalid; `fields` lists the problems.
    """
    try:
        return BODIES[area].model_validate(body)
    except ValidationError as error:
        fields = {".".join(map(str, one["loc"])): one["msg"] for one in error.errors()}
        raise InvalidData("The content does not fit", fields=fields) from None


def to_stored_json(body: Body) -> JsonObject:
    """Convert the body to JSON."""
    return body.model_dump(mode="json")
