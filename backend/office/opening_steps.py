"""The checklist of a shop that opens. It stays on the start screen until every step is done.

The shop's data show if a step is done, so no step has to be ticked by hand.
"""

from dataclasses import dataclass, field

from sqlalchemy import column, exists, select, table
from sqlalchemy.ext.asyncio import AsyncSession

from backend.catalog.models import Product, ProductCategory, for_sale
from backend.content.areas import Area
from backend.content.models import ContentVersion
from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.invoices.earlier_orders import count_orders_without_invoice
from backend.legal.texts import list_unreviewed_texts
from backend.mail.models import Mail, MailKind
from backend.office_settings import demo_problems
from backend.office_settings.invoicing import read_invoicing
from backend.orders.models import Order
from backend.payment.models import Refund
from backend.shipping.models import StockLocation
from backend.staff.models import Staff
from backend.staff.rights import Actor

STAFF_MAILS = (MailKind.STAFF_NOTICE, MailKind.ATTENTION, MailKind.ALERT)
"""Kinds of mails that only staff receive."""
_BACKUP = table("backup", column("id"))
"""The table of `backend.operations.backup`. That package belongs to a higher tier, so it must not be imported here."""


@dataclass(frozen=True, slots=True)
class Step:
    """A step that the shop must complete before it opens.

    Attributes:
        name: identifies it in links and pictures.
        server_lines: settings and commands for the server, if the step cannot be done in the office.
    """

    name: str
    title: str
    text: str
    is_done: bool
    server_lines: list[str] = field(default_factory=list)


async def read_opening_steps(session: AsyncSession, actor: Actor, settings: Settings) -> list[Step]:
    """Return all steps in their order; an empty list if all are done."""
    is_real_carrier = not settings.uses_sandbox_carrier and not settings.creates_test_labels
    facts = (
        await session.execute(
            select(
                exists(select(Staff.id).where(Staff.id == actor.id, Staff.totp_secret.is_not(None))),
                exists(select(StockLocation.id)),
                exists(select(Product.id).where(for_sale())),
                exists(select(ProductCategory.product_id)),
                exists(select(Order.id).where(Order.paid_at.is_not(None))),
                exists(select(Refund.id)),
                exists(select(Mail.id).where(Mail.kind.in_(STAFF_MAILS), Mail.sent_at.is_not(None))),
                exists(select(_BACKUP.c.id)),
                exists(select(ContentVersion.id).where(ContentVersion.area == Area.BRAND)),
            )
        )
    ).one()
    has_code, has_place, has_product, has_category, has_paid, has_refund, *further = facts
    has_notice, has_backup, has_brand = further
    has_legal_texts = not await list_unreviewed_texts(session)
    is_invoicing = (await read_invoicing(session)).is_on
    has_invoicing = is_invoicing and not await count_orders_without_invoice(session)
    steps = [
        Step(
            "code",
            _("El código de tu teléfono"),
            _("Sin él no se devuelve dinero ni se cambia el equipo."),
            bool(has_code),
        ),
        Step(
            "data",
            _("Los datos de la tienda"),
            _("Razón social y NIT, como salen en los textos legales."),
            not demo_problems(settings),
        ),
        Step(
            "legal",
            _("Los textos legales"),
            _("Pide a un abogado que los lea, y guárdalos como confirmados."),
            has_legal_texts,
        ),
        Step(
            "brand",
            _("La marca"),
            _("El logo, los colores y el titular: sin ellos se ve el nombre en letras."),
            bool(has_brand),
        ),
        Step("warehouse", _("La bodega"), _("De dónde salen los paquetes."), bool(has_place)),
        Step("product", _("El primer producto"), _("Con foto, precio y unidades."), bool(has_product)),
        Step(
            "category",
            _("Las categorías"),
            _("Para que cada producto se encuentre en su lugar."),
            bool(has_category),
        ),
        Step(
            "mail",
            _("El correo"),
            _("Para que cada pedido llegue al correo de quien compra."),
            bool(settings.smtp_host),
            ["SMTP_HOST=smtp.…", "SMTP_USER=…", "SMTP_PASSWORD=…"],
        ),
        Step(
            "notice",
            _("Los avisos"),
            _("Elige cuáles quieres. Con el primero que te llegue queda probado."),
            bool(has_notice),
        ),
        Step(
            "invoice",
            _("Las facturas"),
            _("Elige quién las hace, y qué pasa con lo que se pagó antes."),
            has_invoicing,
        ),
        Step(
            "purchase",
            _("Una compra de prueba"),
            _("Compra un producto como lo haría un cliente, y págalo."),
            bool(has_paid),
        ),
        Step(
            "refund",
            _("La devolución de esa compra"),
            _("Devuélvela y anota la transferencia: así sabes cómo se hace."),
            bool(has_refund),
        ),
        Step(
            "labels",
            _("Guías de verdad"),
            _("Con las de prueba nadie recoge los paquetes."),
            is_real_carrier,
            ["CARRIER_API_KEY=…", "CARRIER_SANDBOX=false"],
        ),
        Step(
            "backup",
            _("La primera copia de seguridad"),
            _("La tienda entera en un archivo, cada noche y lejos del servidor."),
            bool(has_backup),
            ["trompo backup /var/backups/trompo --keep 14"],
        ),
    ]
    return [] if all(step.is_done for step in steps) else steps
