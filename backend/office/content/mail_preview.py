"""Preview of a mail with the office's texts, for an invented order."""

from datetime import timedelta
from typing import Any

from backend.content.areas import MAIL_AREA_PREFIX, Area, MailBody
from backend.content.brand import Brand
from backend.core.clock import now
from backend.core.config.settings import Settings
from backend.core.dates import date_label, time_label, today_in_colombia
from backend.core.money import format_cop
from backend.core.texts import _
from backend.draft_orders.models import LINK_LIFETIME
from backend.mail.messages import Message
from backend.mail.models import MailKind
from backend.mail.rendering import MailRenderer
from backend.returns.models import NEXT_STEPS, ReturnKind
from backend.shipping.promise_texts import describe_promised

ORDER_NUMBER = 4821
CUSTOMER_EMAIL = "ana@example.com"


def example_mail(
    settings: Settings, effective: Settings, brand: Brand, area: Area, body: MailBody
) -> tuple[str, str]:
    """Return the subject and the HTML of the area's mail, with the texts of `body`, for an invented order."""
    kind = MailKind(area.removeprefix(MAIL_AREA_PREFIX))
    message = Message(kind, CUSTOMER_EMAIL, _example(settings))
    mail = MailRenderer(settings).render(
        message, effective, body, brand=brand, logo_src=brand.logo.png if brand.logo else ""
    )
    page = mail.get_body(("html",))
    return str(mail["Subject"]), page.get_content() if page is not None else ""


def _example(settings: Settings) -> dict[str, Any]:
    """Return example values for the variables of every customer mail (docs/accounts.md lists them)."""
    link, due = settings.base_url, date_label(now() + timedelta(days=15))
    return {
        "name": "Ana",
        "number": ORDER_NUMBER,
        "link": link,
        "bill": [
            (_("1 × Producto de ejemplo"), format_cop(30_000)),
            (_("Envío"), format_cop(12_000)),
            ("Total", format_cop(42_000)),
        ],
        "is_bank": True,
        "is_gift": False,
        "promise": describe_promised(today_in_colombia(now() + timedelta(days=4)), is_pickup=False),
        "delay": "",
        "delivery_note": "",
        "is_pickup": False,
        "is_own": False,
        "facts": [(_("Pago"), "PSE · Bancolombia"), (_("Va para"), "Medellín, Antioquia")],
        "terms_link": f"{link}/legal/terminos",
        "withdrawal_link": f"{link}/legal/retracto",
        "carrier": "Coordinadora",
        "tracking_number": "86001234567",
        "tracking_url": "",
        "is_delivered": False,
        "part": "",
        "amount": format_cop(42_000),
        "reference": "TR-123456",
        "is_reversed": False,
        "is_cash": False,
        "received": "",
        "missing": "",
        "surplus": "",
        "is_held": False,
        "total": format_cop(89_900),
        "product": _("Producto de ejemplo"),
        "items": [
            (_("1 × Producto de ejemplo"), format_cop(30_000)),
            (_("Total sin envío"), format_cop(30_000)),
        ],
        "unsubscribe": link,
        "until": time_label(now() + LINK_LIFETIME),
        "what": _("Derecho de retracto").lower(),
        "is_claim": False,
        "next_step": NEXT_STEPS[ReturnKind.WITHDRAWAL].format(due=due),
        "is_canceled": False,
        "return_number": "D-4821-1",
        "asked": date_label(now()),
        "due": due,
        "denial": [_("El producto volvió usado y sin su caja.")],
        "answer": [_("Revisamos lo que nos contaste y ya quedó resuelto.")],
    }
