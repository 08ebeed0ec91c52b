"""Checks of what is outside: gateway, carrier, mail server, and the shop's own address as others see it."""

import ssl
from collections.abc import AsyncIterator
from contextlib import suppress
from email.message import EmailMessage
from urllib.parse import urlsplit

import httpx

from backend.core.clock import now
from backend.core.config.modules import GATEWAY_PSE
from backend.core.config.settings import GatewayEnv, Settings
from backend.core.errors import OutsideFailure
from backend.core.money import format_cop
from backend.edge.health.readiness import OK
from backend.edge.middleware.host_check import MISDIRECTED
from backend.mail.transports import SmtpTransport
from backend.operations.doctor.findings import Finding, failure, ok, warning
from backend.operations.monitoring.certificates import good_until
from backend.payment.providers.pse.client import GatewayClient
from backend.shipping.addresses import warehouse
from backend.shipping.municipalities import municipality
from backend.shipping.packages import packages_for
from backend.shipping.providers.base import Place, QuoteRequest
from backend.shipping.providers.carrier.client import CarrierClient
from backend.shipping.providers.carrier.requests import quotation_for
from backend.shipping.providers.carrier.responses import Rate

MEDELLIN = Place("05001000", "Carrera 50 # 30-12")
CONTENT_VALUE = 50_000
CERTIFICATE_WARNS_DAYS = 21


async def gateway(settings: Settings, client: GatewayClient) -> AsyncIterator[Finding]:
    """Whether the gateway takes the keys, and lists banks."""
    banks = await client.get_banks()
    if not banks:
        yield failure("gateway", "it lists no banks: ask the gateway whether PSE is switched on for you")
        return
    which = "the embedded one" if settings.uses_sandbox_gateway else "test" if client.test_mode else "live"
    yield ok("gateway", f"{which}: it takes the keys and lists {len(banks)} banks")


async def quotation(effective: Settings, client: CarrierClient) -> AsyncIterator[Finding]:
    """A price from the warehouse to Medellín."""
    way, rate = await way_and_rate(effective, client)
    if rate is None:
        yield failure(
            "carrier", f"{way}: no courier offers a price; ask the carrier what your account may use"
        )
    else:
        yield ok("carrier", f"{way}: {format_cop(rate.price)} with {rate.carrier}")


async def way_and_rate(effective: Settings, client: CarrierClient) -> tuple[str, Rate | None]:
    """The way from the warehouse to Medellín, in words, and its lowest price; None when no courier offers one.

    Raises:
        CarrierError: see `CarrierClient.quotation`.
    """
    origin = warehouse(effective)
    request = QuoteRequest(
        origin=Place(origin.dane_code, origin.address),
        destination=MEDELLIN,
        packages=packages_for(()),
        content_value=CONTENT_VALUE,
    )
    rate = await client.cheapest_rate(quotation_for(request))
    return " → ".join(_name_of(code) for code in (origin.dane_code, MEDELLIN.dane_code)), rate


def _name_of(dane_code: str) -> str:
    place = municipality(dane_code)
    return place.name if place else dane_code


async def labels(settings: Settings) -> AsyncIterator[Finding]:
    """Which labels would be made."""
    if settings.uses_sandbox_carrier:
        yield ok("labels", "the embedded carrier's")
    elif not settings.creates_test_labels:
        yield ok("labels", "paid: each costs what the carrier quotes")
    else:
        find = warning if settings.gateway_env is GatewayEnv.PRODUCTION else ok
        yield find("labels", "test labels: no parcel is picked up; CARRIER_SANDBOX=false makes paid ones")


async def mail(effective: Settings, test_address: str) -> AsyncIterator[Finding]:
    """Check that the mail server answers and lets the shop in; with an address, send a test mail there."""
    if not effective.smtp_host:
        yield warning("mail", "no mail server: mails land in the data folder; set SMTP_HOST")
        return
    transport = SmtpTransport(effective)
    try:
        await transport.greet()
        yield ok(
            "mail", f"{effective.smtp_host} answers" + (" and takes the login" if effective.smtp_user else "")
        )
        if test_address:
            await transport.send(_test_mail(effective, test_address))
            yield ok("mail", f"a test mail left for {test_address}: see that it came, and not as spam")
    except OutsideFailure as error:
        yield failure("mail", f"{error}; check SMTP_HOST, SMTP_PORT, SMTP_USER and SMTP_PASSWORD")


def _test_mail(effective: Settings, to: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = effective.store_email, to
    mail["Subject"] = f"{effective.store_name}: test mail"
    mail.set_content("This is a test of the shop's mail server by `trompo doctor`.")
    return mail


async def public_address(settings: Settings, http: httpx.AsyncClient) -> AsyncIterator[Finding]:
    """Whether the shop answers at PUBLIC_URL, and the gateway's notifications would come through."""
    if not settings.public_url:
        yield warning("address", "PUBLIC_URL is not set: only this machine reaches the shop")
        return
    for name, method, path, hint in (
        ("address", "GET", "/health", "is the shop open, and does the proxy pass everything on?"),
        # with any other method than HEAD it would be a notification, and kept
        ("webhook", "HEAD", f"/hooks/payment/{GATEWAY_PSE}", "the proxy must pass /hooks on to the shop"),
    ):
        try:
            answer = await http.request(method, settings.public_url + path, headers=_watcher(settings))
        except httpx.HTTPError as error:
            yield failure(name, f"{settings.public_url} cannot be reached ({type(error).__name__}): {hint}")
            return
        if answer.status_code != 200:
            yield failure(name, f"{settings.public_url}{path} answers with {answer.status_code}: {hint}")
        elif failed := _failed_checks(answer):
            yield warning(name, f"{settings.public_url}{path} answers, but {failed}")
        else:
            yield ok(name, f"{settings.public_url}{path} answers")
    with suppress(httpx.HTTPError):  # reported above
        if (await http.get(settings.public_url + "/robots.txt")).status_code == MISDIRECTED:
            yield failure(
                "hosts", "pages are refused with 421: the proxy must pass the Host header on as it came"
            )


def _watcher(settings: Settings) -> dict[str, str]:
    """Return the header that opens the details of `/health`; empty without METRICS_TOKEN."""
    token = settings.metrics_token.get_secret_value()
    return {"authorization": f"Bearer {token}"} if token else {}


def _failed_checks(answer: httpx.Response) -> str:
    """Return the failed checks of an answer of `/health`; empty if none failed, or the answer has no details."""
    try:
        checks = answer.json().get("checks", {})
    except (ValueError, AttributeError):
        return ""
    failed = (
        {name: result for name, result in checks.items() if result != OK} if isinstance(checks, dict) else {}
    )
    return ", ".join(f"{name}: {result}" for name, result in failed.items())


async def certificate(settings: Settings) -> AsyncIterator[Finding]:
    """Until when the certificate of PUBLIC_URL is good."""
    address = urlsplit(settings.public_url)
    if address.scheme != "https":
        return
    try:
        until = await good_until(address.hostname or "", address.port or 443)
    except ssl.SSLCertVerificationError as error:
        yield failure("certificate", f"browsers refuse it: {error.verify_message}")
        return
    except OSError as error:
        yield failure("certificate", f"no TLS at {address.netloc} ({type(error).__name__})")
        return
    days = (until - now()).days
    find = ok if days >= CERTIFICATE_WARNS_DAYS else warning
    yield find(
        "certificate", f"good until {until:%Y-%m-%d}, {days} days" + ("" if find is ok else ": renew it")
    )
