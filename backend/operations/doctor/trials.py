"""Connection tests behind the office's button «Probar»: call one external service once, and report the result."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from email.message import EmailMessage

from backend.audit import Subject, SubjectType, record
from backend.core.config.settings import Settings
from backend.core.errors import OutsideFailure, ShopError
from backend.core.money import format_cop
from backend.core.texts import _
from backend.mail.transports import MailRefused, SmtpTransport, create_transport
from backend.office.settings.page import Trial
from backend.operations.doctor.checked_shop import CheckedShop
from backend.operations.doctor.external_checks import KEY_REFUSALS, find_route_and_rate
from backend.operations.doctor.findings import CHECK_TIMEOUT_S
from backend.payment.providers.pse.banks import PLACEHOLDER_CODE
from backend.payment.providers.pse.client import create_gateway_client
from backend.payment.providers.pse.responses import KeysRefused
from backend.rate_limit.limiter import Client, RateLimit, hit
from backend.shipping.providers.carrier.client import create_carrier_client
from backend.shipping.providers.carrier.responses import CarrierError
from backend.staff.rights import Actor, Right
from backend.staff.service import read_staff

log = logging.getLogger(__name__)

TRIAL_LIMIT = RateLimit("trial", per_pair=20, per_client=1_000, per_subject=20)
"""Limit of trials. Each one calls an external service, and some send something."""


@dataclass(frozen=True, slots=True)
class TrialResult:
    """Result of a connection test, as text for staff."""

    is_good: bool
    text: str


async def run_trial(
    shop: CheckedShop, actor: Actor, trial: Trial, seconds: float = CHECK_TIMEOUT_S
) -> TrialResult:
    """Run a connection test, and record in the audit log that the actor ran it.

    Raises:
        TooManyRequests: the actor ran too many tests recently.
    """
    actor.require(Right.CHANGE_SHOP)
    await hit(shop.database, TRIAL_LIMIT, actor.id, Client(actor.id))
    async with shop.database.transaction() as session:
        await record(session, actor, "tried out", Subject(SubjectType.PROVIDER, trial))
        email = (await read_staff(session, actor, actor.id)).email
    effective = await shop.effective_settings.now()
    ways: dict[Trial, Callable[[], Awaitable[TrialResult]]] = {
        Trial.GATEWAY: lambda: _try_gateway(shop),
        Trial.CARRIER: lambda: _try_carrier(shop, effective),
        Trial.MAIL: lambda: _try_mail_server(effective),
        Trial.TEST_MAIL: lambda: _send_test_mail(effective, email),
        Trial.WEBHOOK: lambda: _try_webhook(shop, effective),
    }
    try:
        async with asyncio.timeout(seconds):
            return await ways[trial]()
    except TimeoutError:
        return TrialResult(is_good=False, text=_("No respondió en {n} segundos.").format(n=f"{seconds:g}"))
    except ShopError as error:
        log.info("%s was tried out: %s", trial, error.message)
        return TrialResult(
            is_good=False,
            text=_("No respondió bien. Inténtalo en un rato; si sigue, escríbele a su soporte."),
        )


async def _try_gateway(shop: CheckedShop) -> TrialResult:
    client = create_gateway_client(shop.settings, shop.sandbox.gateway_transport)
    try:
        banks = [bank for bank in await client.get_banks() if bank.code != PLACEHOLDER_CODE]
    except KeysRefused:
        return TrialResult(
            is_good=False, text=_("La pasarela no acepta tus llaves: revísalas en el servidor.")
        )
    finally:
        await client.close()
    if not banks:
        text = _("La pasarela acepta tus llaves, pero no da bancos: pregúntale si PSE está activo para ti.")
        return TrialResult(is_good=False, text=text)
    which = (
        _("La pasarela de ensayo")
        if shop.settings.uses_sandbox_gateway
        else _("La pasarela, en modo de pruebas,")
        if client.test_mode
        else _("La pasarela")
    )
    return TrialResult(
        is_good=True, text=_("{which} acepta tus llaves y da {n} bancos.").format(which=which, n=len(banks))
    )


async def _try_carrier(shop: CheckedShop, effective: Settings) -> TrialResult:
    client = create_carrier_client(shop.settings, shop.sandbox.carrier_transport)
    try:
        route, rate = await find_route_and_rate(effective, client)
    except CarrierError as error:
        if error.http_status in KEY_REFUSALS:
            return TrialResult(
                is_good=False, text=_("La transportadora no acepta tu llave: revísala en el servidor.")
            )
        raise
    finally:
        await client.close()
    if rate is None:
        text = _("De {way} ninguna transportadora da precio: pregúntale qué puede usar tu cuenta.")
        return TrialResult(is_good=False, text=text.format(way=route))
    text = _("De {way}: {price} con {carrier}.")
    return TrialResult(
        is_good=True, text=text.format(way=route, price=format_cop(rate.price), carrier=rate.carrier)
    )


async def _try_mail_server(effective: Settings) -> TrialResult:
    if not effective.smtp_host:
        return TrialResult(is_good=False, text=NO_SERVER)
    try:
        await SmtpTransport(effective).check_connection()
    except OutsideFailure as error:
        return _mail_failure(error)
    text = (
        _("{server} responde y deja entrar a la tienda.") if effective.smtp_user else _("{server} responde.")
    )
    return TrialResult(is_good=True, text=text.format(server=effective.smtp_host))


async def _send_test_mail(effective: Settings, to: str) -> TrialResult:
    mail = EmailMessage()
    mail["From"], mail["To"] = effective.store_email, to
    mail["Subject"] = _("{store}: correo de prueba").format(store=effective.store_name)
    mail.set_content(_("Si lees esto, los correos de tu tienda salen bien."))
    try:
        await create_transport(effective).send(mail)
    except (OutsideFailure, OSError) as error:
        return _mail_failure(error)
    if not effective.smtp_host:
        return TrialResult(is_good=False, text=NO_SERVER)
    text = _("Salió un correo para {to}. Mira que llegue, y que no caiga en el correo no deseado.")
    return TrialResult(is_good=True, text=text.format(to=to))


NO_SERVER = _("La tienda no tiene servidor de correo: sus correos quedan en archivos y no le llegan a nadie.")


def _mail_failure(error: OutsideFailure | OSError) -> TrialResult:
    log.info("the mail server was tried out: %s", error)
    if isinstance(error, MailRefused):
        text = _("El servidor de correo rechazó el mensaje: revisa que el correo de la tienda sea suyo.")
    else:
        text = _("El servidor de correo no responde o no deja entrar: revisa sus datos en el servidor.")
    return TrialResult(is_good=False, text=text)


async def _try_webhook(shop: CheckedShop, effective: Settings) -> TrialResult:
    if not effective.alert_webhook:
        return TrialResult(is_good=False, text=_("Todavía no hay dirección: escríbela en Avisos y guarda."))
    try:
        await shop.webhook.send_test_call(effective.alert_webhook)
    except OutsideFailure as error:
        log.info("the owner's webhook was tried out: %s", error.message)
        return TrialResult(is_good=False, text=_("La dirección no respondió, o no aceptó el aviso."))
    return TrialResult(is_good=True, text=_("La dirección recibió el aviso de prueba."))
