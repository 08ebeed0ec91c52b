"""Checks of external services: gateway, carrier, mail server, and the shop's public address."""

import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from email.message import EmailMessage
from urllib.parse import urlsplit

import httpx

from backend.core.clock import now
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import GATEWAY_CREDENTIALS, GatewayEnv, Settings
from backend.core.dates import date_label
from backend.core.errors import OutsideFailure
from backend.core.money import format_cop
from backend.core.texts import _, format_count
from backend.edge.health.readiness import OK
from backend.edge.middleware.host_check import MISDIRECTED
from backend.mail.transports import SmtpTransport
from backend.operations.doctor.findings import Finding, failure, ok, warning
from backend.operations.monitoring.certificates import read_certificate_expiry
from backend.payment.providers.pse.client import GatewayClient
from backend.payment.providers.pse.responses import KeysRefused
from backend.shipping.addresses import build_warehouse_contact
from backend.shipping.municipalities import find_municipality_by_code
from backend.shipping.packages import pack_items
from backend.shipping.providers.base import QuoteRequest, ShippingPlace
from backend.shipping.providers.carrier.client import CarrierClient
from backend.shipping.providers.carrier.requests import to_quotation
from backend.shipping.providers.carrier.responses import CarrierError, Rate

MEDELLIN = ShippingPlace("05001000", "Carrera 50 # 30-12")
CONTENT_VALUE = 50_000
MIN_CERTIFICATE_DAYS = 21
KEY_REFUSALS = (401, 403)
"""Statuses with which the carrier refuses a key."""


async def check_gateway(settings: Settings, client: GatewayClient) -> AsyncIterator[Finding]:
    """Check that the gateway accepts the keys, and lists banks."""
    try:
        banks = await client.get_banks()
    except KeysRefused as error:
        text = _("no acepta las llaves: revisa {settings} ({reason})")
        yield failure("gateway", text.format(settings=", ".join(GATEWAY_CREDENTIALS), reason=error.message))
        return
    if not banks:
        yield failure("gateway", _("no da bancos: pregúntale a la pasarela si PSE está activo para ti"))
        return
    if settings.uses_sandbox_gateway:
        which = _("la de ensayo")
    else:
        which = _("en modo de pruebas") if client.test_mode else _("en producción")
    yield ok("gateway", _("{which}: acepta las llaves y da {n} bancos").format(which=which, n=len(banks)))


async def check_quotation(effective: Settings, client: CarrierClient) -> AsyncIterator[Finding]:
    """Check that the carrier gives a price from the warehouse to Medellín."""
    try:
        route, rate = await find_route_and_rate(effective, client)
    except CarrierError as error:
        if error.http_status not in KEY_REFUSALS:
            raise
        yield failure("carrier", _("no acepta la llave: revisa CARRIER_API_KEY"))
        return
    if rate is None:
        text = _("{route}: ninguna transportadora da precio; pregúntale qué puede usar tu cuenta")
        yield failure("carrier", text.format(route=route))
    else:
        text = _("{route}: {price} con {carrier}")
        yield ok("carrier", text.format(route=route, price=format_cop(rate.price), carrier=rate.carrier))


async def find_route_and_rate(effective: Settings, client: CarrierClient) -> tuple[str, Rate | None]:
    """Return the route from the warehouse to Medellín as text, and its lowest rate.

    The rate is None if no courier offers one.

    Raises:
        CarrierError: see `CarrierClient.request_quotation`.
    """
    origin = build_warehouse_contact(effective)
    request = QuoteRequest(
        origin=ShippingPlace(origin.dane_code, origin.address),
        destination=MEDELLIN,
        packages=pack_items(()),
        content_value=CONTENT_VALUE,
    )
    rate = await client.request_cheapest_rate(to_quotation(request))
    return " → ".join(_municipality_name(code) for code in (origin.dane_code, MEDELLIN.dane_code)), rate


def _municipality_name(dane_code: str) -> str:
    place = find_municipality_by_code(dane_code)
    return place.name if place else dane_code


async def check_labels(settings: Settings) -> AsyncIterator[Finding]:
    """Report which labels the shop creates: real ones, test labels, or those of the embedded carrier."""
    if settings.uses_sandbox_carrier:
        yield ok("labels", _("de la transportadora de ensayo"))
    elif not settings.creates_test_labels:
        yield ok("labels", _("pagadas: cada una cuesta lo que cotiza la transportadora"))
    else:
        find = warning if settings.gateway_env is GatewayEnv.PRODUCTION else ok
        text = _("de prueba: nadie recoge los paquetes; con CARRIER_SANDBOX=false se compran de verdad")
        yield find("labels", text)


async def check_mail(effective: Settings, test_address: str) -> AsyncIterator[Finding]:
    """Check that the mail server answers and accepts the shop's login. With `test_address`, send a test mail to it."""
    if not effective.smtp_host:
        yield warning(
            "mail",
            _("no hay servidor de correo: los correos quedan en la carpeta de datos; pon SMTP_HOST"),
        )
        return
    transport = SmtpTransport(effective)
    try:
        await transport.check_connection()
        text = _("{server} responde y deja entrar") if effective.smtp_user else _("{server} responde")
        yield ok("mail", text.format(server=effective.smtp_host))
        if test_address:
            await transport.send(_build_test_mail(effective, test_address))
            text = _("salió un correo de prueba para {address}: mira que llegue, y no como correo no deseado")
            yield ok("mail", text.format(address=test_address))
    except OutsideFailure as error:
        text = _("no salen correos: revisa SMTP_HOST, SMTP_PORT, SMTP_USER y SMTP_PASSWORD ({reason})")
        yield failure("mail", text.format(reason=error.message))


def _build_test_mail(effective: Settings, to: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = effective.store_email, to
    mail["Subject"] = _("{store}: correo de prueba").format(store=effective.store_name)
    mail.set_content(_("`trompo doctor` probó con este correo el servidor de correo de la tienda."))
    return mail


async def check_public_address(settings: Settings, http: httpx.AsyncClient) -> AsyncIterator[Finding]:
    """Check that the shop answers at PUBLIC_URL, and that the gateway's notifications can reach it."""
    if not settings.public_url:
        yield warning("address", _("PUBLIC_URL está vacío: a la tienda solo se llega desde esta máquina"))
        return
    for name, method, path, hint in (
        ("address", "GET", "/health", _("¿está abierta la tienda, y el proxy lo pasa todo?")),
        # with another method than HEAD the request would be stored as a notification
        (
            "webhook",
            "HEAD",
            f"/hooks/payment/{GATEWAY_PSE}",
            _("el proxy tiene que pasar /hooks a la tienda"),
        ),
    ):
        try:
            answer = await http.request(method, settings.public_url + path, headers=_metrics_header(settings))
        except httpx.HTTPError as error:
            text = _("no se llega a {url} ({error}): {hint}")
            yield failure(name, text.format(url=settings.public_url, error=type(error).__name__, hint=hint))
            return
        url = settings.public_url + path
        if answer.status_code != 200:
            text = _("{url} responde con {status}: {hint}")
            yield failure(name, text.format(url=url, status=answer.status_code, hint=hint))
        elif failed := _failed_checks(answer):
            yield warning(name, _("{url} responde, pero falla {checks}").format(url=url, checks=failed))
        else:
            yield ok(name, _("{url} responde").format(url=url))
    with suppress(httpx.HTTPError):  # was reported above
        if (await http.get(settings.public_url + "/robots.txt")).status_code == MISDIRECTED:
            text = _(
                "las páginas se niegan con 421: el proxy tiene que pasar el encabezado Host sin cambiarlo"
            )
            yield failure("hosts", text)


def _metrics_header(settings: Settings) -> dict[str, str]:
    """Return the header with which `/health` includes its details; an empty dictionary without METRICS_TOKEN."""
    token = settings.metrics_token.get_secret_value()
    return {"authorization": f"Bearer {token}"} if token else {}


def _failed_checks(answer: httpx.Response) -> str:
    """Return the failed checks in a response of `/health`; empty if none failed, or if the response has no details."""
    try:
        checks = answer.json().get("checks", {})
    except (ValueError, AttributeError):
        return ""
    failed = (
        {name: result for name, result in checks.items() if result != OK} if isinstance(checks, dict) else {}
    )
    return ", ".join(f"{name}: {result}" for name, result in failed.items())


async def check_certificate(settings: Settings) -> AsyncIterator[Finding]:
    """Check that browsers accept the certificate of PUBLIC_URL, and that it does not expire soon."""
    address = urlsplit(settings.public_url)
    if address.scheme != "https":
        return
    try:
        until = await read_certificate_expiry(address.hostname or "", address.port or 443)
    except ssl.SSLCertVerificationError as error:
        text = _("los navegadores no lo aceptan ({reason})")
        yield failure("certificate", text.format(reason=error.verify_message))
        return
    except OSError as error:
        text = _("no hay TLS en {address} ({error})")
        yield failure("certificate", text.format(address=address.netloc, error=type(error).__name__))
        return
    days = (until - now()).days
    left = format_count(days, _("{n} día"), _("{n} días"))
    message = _("sirve hasta el {day}: {left}").format(day=date_label(until), left=left)
    if days >= MIN_CERTIFICATE_DAYS:
        yield ok("certificate", message)
    else:
        yield warning("certificate", _("{finding}; renuévalo").format(finding=message))
