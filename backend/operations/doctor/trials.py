"""«Probar» of the office: one thing outside is asked once, and how it went is said in plain words."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.message import EmailMessage

from backend.audit import Subject, Thing, record
from backend.core.config.settings import Settings
from backend.core.errors import OutsideFailure, ShopError
from backend.core.money import format_cop
from backend.core.texts import _
from backend.mail.transports import MailRefused, SmtpTransport, transport_of
from backend.office.settings.page import Trial
from backend.operations.doctor.checked_shop import CheckedShop
from backend.operations.doctor.external_checks import way_and_rate
from backend.operations.doctor.findings import LONGEST
from backend.payment.providers.pse.banks import PLACEHOLDER_CODE
from backend.payment.providers.pse.client import gateway_client
from backend.payment.providers.pse.responses import KeysRefused
from backend.rate_limit.limiter import Client, RateLimit, hit
from backend.shipping.providers.carrier.client import carrier_client
from backend.shipping.providers.carrier.responses import CarrierError
from backend.staff.rights import Actor, Right
from backend.staff.service import read_staff

log = logging.getLogger(__name__)

TRIALS = RateLimit("trial", per_pair=20, per_client=1_000, per_subject=20)
"""Each asks somebody outside; some send something."""


@dataclass(frozen=True, slots=True)
class Outcome:
    """How it went, for people."""

    is_good: bool
    text: str


async def try_out(shop: CheckedShop, actor: Actor, trial: Trial, seconds: float = LONGEST) -> Outcome:
    """Ask it. That somebody did is in the audit.

    Raises:
        TooManyRequests: it was tried too often lately.
    """
    actor.require(Right.CHANGE_SHOP)
    await hit(shop.database, TRIALS, actor.id, Client(actor.id))
    async with shop.database.transaction() as session:
        await record(session, actor, "tried out", Subject(Thing.PROVIDER, trial))
        email = (await read_staff(session, actor, actor.id)).email
    effective = await shop.effective_settings.now()
    ways: dict[Trial, Callable[[], Awaitable[Outcome]]] = {
        Trial.GATEWAY: lambda: _gateway(shop),
        Trial.CARRIER: lambda: _carrier(shop, effective),
        Trial.MAIL: lambda: _mail(effective),
        Trial.TEST_MAIL: lambda: _test_mail(effective, email),
        Trial.WEBHOOK: lambda: _webhook(shop, effective),
    }
    try:
        async with asyncio.timeout(seconds):
            return await ways[trial]()
    except TimeoutError:
        return Outcome(is_good=False, text=_("No respondió en {n} segundos.").format(n=f"{seconds:g}"))
    except ShopError as error:
        log.info("%s was tried out: %s", trial, error.message)
        return Outcome(
            is_good=False,
            text=_("No respondió bien. Inténtalo en un rato; si sigue, escríbele a su soporte."),
        )


async def _gateway(shop: CheckedShop) -> Outcome:
    client = gateway_client(shop.settings, shop.sandbox.gateway_transport)
    try:
        banks = [bank for bank in await client.get_banks() if bank.code != PLACEHOLDER_CODE]
    except KeysRefused:
        return Outcome(is_good=False, text=_("La pasarela no acepta tus llaves: revísalas en el servidor."))
    finally:
        await client.close()
    if not banks:
        text = _("La pasarela acepta tus llaves, pero no da bancos: pregúntale si PSE está activo para ti.")
        return Outcome(is_good=False, text=text)
    which = (
        _("La pasarela de ensayo")
        if shop.settings.uses_sandbox_gateway
        else _("La pasarela, en modo de pruebas,")
        if client.test_mode
        else _("La pasarela")
    )
    return Outcome(
        is_good=True, text=_("{which} acepta tus llaves y da {n} bancos.").format(which=which, n=len(banks))
    )


async def _carrier(shop: CheckedShop, effective: Settings) -> Outcome:
    client = carrier_client(shop.settings, shop.sandbox.carrier_transport)
    try:
        way, rate = await way_and_rate(effective, client)
    except CarrierError as error:
        if error.http_status in (401, 403):
            return Outcome(
                is_good=False, text=_("La transportadora no acepta tu llave: revísala en el servidor.")
            )
        raise
    finally:
        await client.close()
    if rate is None:
        text = _("De {way} ninguna transportadora da precio: pregúntale qué puede usar tu cuenta.")
        return Outcome(is_good=False, text=text.format(way=way))
    text = _("De {way}: {price} con {carrier}.")
    return Outcome(
        is_good=True, text=text.format(way=way, price=format_cop(rate.price), carrier=rate.carrier)
    )


async def _mail(effective: Settings) -> Outcome:
    if not effective.smtp_host:
        return Outcome(is_good=False, text=NO_SERVER)
    try:
        await SmtpTransport(effective).greet()
    except OutsideFailure as error:
        return _mail_failed(error)
    text = (
        _("{server} responde y deja entrar a la tienda.") if effective.smtp_user else _("{server} responde.")
    )
    return Outcome(is_good=True, text=text.format(server=effective.smtp_host))


async def _test_mail(effective: Settings, to: str) -> Outcome:
    mail = EmailMessage()
    mail["From"], mail["To"] = effective.store_email, to
    mail["Subject"] = _("{store}: correo de prueba").format(store=effective.store_name)
    mail.set_content(_("Si lees esto, los correos de tu tienda salen bien."))
    try:
        await transport_of(effective).send(mail)
    except (OutsideFailure, OSError) as error:
        return _mail_failed(error)
    if not effective.smtp_host:
        return Outcome(is_good=False, text=NO_SERVER)
    text = _("Salió un correo para {to}. Mira que llegue, y que no caiga en el correo no deseado.")
    return Outcome(is_good=True, text=text.format(to=to))


NO_SERVER = _("La tienda no tiene servidor de correo: sus correos quedan en archivos y no le llegan a nadie.")


def _mail_failed(error: OutsideFailure | OSError) -> Outcome:
    log.info("the mail server was tried out: %s", error)
    if isinstance(error, MailRefused):
        text = _("El servidor de correo rechazó el mensaje: revisa que el correo de la tienda sea suyo.")
    else:
        text = _("El servidor de correo no responde o no deja entrar: revisa sus datos en el servidor.")
    return Outcome(is_good=False, text=text)


async def _webhook(shop: CheckedShop, effective: Settings) -> Outcome:
    if not effective.alert_webhook:
        return Outcome(is_good=False, text=_("Todavía no hay dirección: escríbela en Avisos y guarda."))
    try:
        await shop.webhook.try_out(effective.alert_webhook)
    except OutsideFailure as error:
        log.info("the owner's webhook was tried out: %s", error.message)
        return Outcome(is_good=False, text=_("La dirección no respondió, o no aceptó el aviso."))
    return Outcome(is_good=True, text=_("La dirección recibió el aviso de prueba."))
