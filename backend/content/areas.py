"""What the office can say, area by area: the shape of each, as it is stored and as programs send it."""

from datetime import date
from enum import StrEnum
from typing import Annotated, Any

from pydantic import AfterValidator, BaseModel, ConfigDict, Field, StringConstraints, ValidationError

from backend.core.db.tables import JsonObject
from backend.core.errors import InvalidData
from backend.core.texts import _
from backend.core.web.contact import one_line, paragraphs

MOST_SLIDES = 12
MOST_LINES = 8
MOST_SECTIONS = 12
MOST_TOYS = 12
LONGEST_TITLE = 80
LONGEST_TEXT = 200
LONGEST_PARAGRAPH = 1_000
_MOST_LETTERS = 4_000
"""Of any text: what is longer is no form of ours. How much fits, `backend.content.validation` says."""


class Area(StrEnum):
    """A part of the shop that has versions of its own. Programs name it so."""

    BANNER = "banner"
    ANNOUNCEMENT = "announcement"
    HOME = "home"
    FOOTER = "footer"
    ORDER_PLACED = "mail_order_placed"
    ORDER_PAID = "mail_order_paid"
    ORDER_SHIPPED = "mail_order_shipped"
    ORDER_LOST = "mail_order_lost"
    ORDER_UNCONFIRMED = "mail_order_unconfirmed"
    REFUNDED = "mail_refunded"
    BACK_IN_STOCK = "mail_back_in_stock"
    RETURN_REQUESTED = "mail_return_requested"
    RETURN_RECEIVED = "mail_return_received"
    RETURN_APPROVED = "mail_return_approved"
    RETURN_DENIED = "mail_return_denied"
    PQRS_RECEIVED = "mail_pqrs_received"
    PQRS_ANSWERED = "mail_pqrs_answered"
    ORDER_LINK = "mail_order_link"


MAIL = "mail_"
"""What the names of the areas that are mails begin with; the mail's kind follows."""
AREA_NAMES = {
    Area.BANNER: _("Carrusel del inicio"),
    Area.ANNOUNCEMENT: _("Aviso de arriba"),
    Area.HOME: _("Secciones del inicio"),
    Area.FOOTER: _("Pie de página"),
    Area.ORDER_PLACED: _("Correo: recibimos el pedido"),
    Area.ORDER_PAID: _("Correo: pago confirmado"),
    Area.ORDER_SHIPPED: _("Correo: pedido en camino"),
    Area.ORDER_LOST: _("Correo: el banco no aprobó el pago"),
    Area.ORDER_UNCONFIRMED: _("Correo: el pago no llegó"),
    Area.REFUNDED: _("Correo: dinero devuelto"),
    Area.BACK_IN_STOCK: _("Correo: ya llegó el juguete"),
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
    Area.BACK_IN_STOCK: ("tienda", "juguete"),
    Area.RETURN_REQUESTED: ("tienda", "pedido"),
    Area.RETURN_RECEIVED: ("tienda", "pedido"),
    Area.RETURN_APPROVED: ("tienda", "pedido", "monto"),
    Area.RETURN_DENIED: ("tienda", "pedido"),
    Area.PQRS_RECEIVED: ("tienda", "radicado"),
    Area.PQRS_ANSWERED: ("tienda", "radicado"),
    Area.ORDER_LINK: ("tienda", "pedido"),
}
"""What the texts of a mail may name, as `{pedido}`. A refund may have no order."""
MAILS = tuple(PLACEHOLDERS)
"""The areas that are mails."""

Text = Annotated[str, StringConstraints(max_length=_MOST_LETTERS), AfterValidator(one_line)]
Paragraphs = Annotated[str, StringConstraints(max_length=_MOST_LETTERS), AfterValidator(paragraphs)]
"""A text of several lines."""
Address = Annotated[str, StringConstraints(max_length=_MOST_LETTERS, strip_whitespace=True)]


class Part(BaseModel):
    """A part of a body. What it does not know it refuses."""

    model_config = ConfigDict(extra="forbid")


class Timed(Part):
    """What is shown from one day to another in Colombia, both included; None: from ever, or for ever."""

    starts: date | None = None
    ends: date | None = None

    def is_on(self, day: date) -> bool:
        """Whether it is shown on this day."""
        return (self.starts is None or self.starts <= day) and (self.ends is None or day <= self.ends)


class SlideKind(StrEnum):
    """What a slide shows."""

    TOY = "toy"
    PICTURE = "picture"


class Slide(Timed):
    """A slide of the banner: a toy, shown while it is available, or a picture.

    Attributes:
        product_id: of a toy.
        picture: the address of an uploaded picture, of a picture slide; `alt`: what it shows.
        title: of a picture slide. A toy's is its name.
        text: under the title; empty for a toy's own.
        link: where it leads; empty for a toy's own page.
    """

    kind: SlideKind
    product_id: Address = ""
    picture: Address = ""
    alt: Text = ""
    title: Text = ""
    text: Text = ""
    link: Address = ""


class BannerBody(Part):
    """The slides of the home page's banner, in their order. Without any the shop chooses them."""

    slides: list[Slide] = Field(default_factory=list, max_length=MOST_SLIDES)


class AnnouncementBody(Timed):
    """A line above every page; nothing without a text."""

    text: Text = ""
    link: Address = ""


class SectionKind(StrEnum):
    """A section of the home page: those that the shop fills by itself, and those that the office writes."""

    DEPARTMENTS = "departments"
    NEW = "new"
    SALE = "sale"
    AGES = "ages"
    EDITORIAL = "editorial"


OWN_SECTIONS = (SectionKind.DEPARTMENTS, SectionKind.NEW, SectionKind.SALE, SectionKind.AGES)
"""What the home page shows without the office, in this order."""
SECTION_NAMES = {
    SectionKind.DEPARTMENTS: _("¿A qué jugamos hoy?"),
    SectionKind.NEW: _("Lo nuevo y lo más querido"),
    SectionKind.SALE: _("Con descuento, mientras haya"),
    SectionKind.AGES: _("Por edades"),
}


class Section(Part):
    """A section of the home page. Only an editorial one has more than its kind.

    Attributes:
        text: paragraphs, with an empty line between them.
        picture: the address of an uploaded picture; empty for none.
        link: where `label` leads; empty for nowhere.
        product_ids: the toys it shows, in this order, while they are for sale.
        category_id: the category whose toys it shows, after those.
    """

    kind: SectionKind
    title: Text = ""
    text: Paragraphs = ""
    picture: Address = ""
    alt: Text = ""
    link: Address = ""
    label: Text = ""
    product_ids: list[Address] = Field(default_factory=list, max_length=MOST_TOYS)
    category_id: Address = ""


class HomeBody(Part):
    """The sections of the home page in their order; empty for the shop's own."""

    sections: list[Section] = Field(default_factory=list, max_length=MOST_SECTIONS + len(OWN_SECTIONS))


class FooterLine(Part):
    """A line of the footer; without a link it is a text."""

    text: Text = ""
    link: Address = ""


class FooterBody(Part):
    """What the footer says beside what the law asks for: of the shop, and a list of its own under a title."""

    about: Text = ""
    title: Text = ""
    lines: list[FooterLine] = Field(default_factory=list, max_length=MOST_LINES)


class MailBody(Part):
    """What a mail says beside its own text: its subject, empty for its own, and words before and after."""

    subject: Text = ""
    opening: Paragraphs = ""
    closing: Paragraphs = ""


Body = BannerBody | AnnouncementBody | HomeBody | FooterBody | MailBody
BODIES: dict[Area, type[Body]] = {
    Area.BANNER: BannerBody,
    Area.ANNOUNCEMENT: AnnouncementBody,
    Area.HOME: HomeBody,
    Area.FOOTER: FooterBody,
    **dict.fromkeys(MAILS, MailBody),
}


def read_body(area: Area, body: Any) -> Body:
    """The body as its area has it.

    Raises:
        InvalidData: it has another shape; `fields` says where.
    """
    try:
        return BODIES[area].model_validate(body)
    except ValidationError as error:
        fields = {".".join(map(str, one["loc"])): one["msg"] for one in error.errors()}
        raise InvalidData("The content does not fit", fields=fields) from None


def as_stored(body: Body) -> JsonObject:
    """The body as JSON."""
    return body.model_dump(mode="json")
