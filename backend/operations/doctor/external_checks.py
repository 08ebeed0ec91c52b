"""Checks of external services: gateway, carrier, mail server, and the shop's public address."""

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
from backend.operations.monitoring.certificates import read_certificate_expiry
from backend.payment.providers.pse.client import GatewayClient
from backend.shipping.addresses import build_warehouse_contact
from backend.shipping.municipalities import find_municipality_by_code
from backend.shipping.packages import pack_items
from backend.shipping.providers.base import QuoteRequest, ShippingPlace
from backend.shipping.providers.carrier.client import CarrierClient
from backend.shipping.providers.carrier.requests import to_quotation
from backend.shipping.providers.carrier.responses import Rate

MEDELLIN = ShippingPlace("05001000", "Carrera 50 # 30-12")
CONTENT_VALUE = 50_000
MIN_CERTIFICATE_DAYS = 21


async def check_gateway(settings: Settings, client: GatewayClient) -> AsyncIterator[Finding]:
    """Check that the gateway accepts the keys, and lists banks."""
    banks = await client.get_banks()
    if not banks:
        yield failure("gateway", "it lists no banks: ask the gateway whether PSE is enabled for your account")
        return
    which = "the embedded one" if settings.uses_sandbox_gateway else "test" if client.test_mode else "live"
    yield ok("gateway", f"{which}: it accepts the keys and lists {len(banks)} banks")


async def check_quotation(effective: Settings, client: CarrierClient) -> AsyncIterator[Finding]:
    """Check that the carrier gives a price from the warehouse to Medellín."""
    route, rate = await find_route_and_rate(effective, client)
    if rate is None:
        yield failure(
            "carrier",
            f"{route}: no courier offers a price; ask the carrier which couriers your account may use",
        )
    else:
        yield ok("carrier", f"{route}: {format_cop(rate.price)} with {rate.carrier}")


async def find_route_and_rate(effective: Settings, client: CarrierClient) -> tuple[str, Rate | None]:
    """Return the route from the warehouse to Medellín as text, and its lowest rate; None if no courier offers one.

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
    """Report which kind of labels the shop would create."""
    if settings.uses_sandbox_carrier:
        yield ok("labels", "the embedded carrier's")
    elif not settings.creates_test_labels:
        yield ok("labels", "paid: each costs what the carrier quotes")
    else:
        find = warning if settings.gateway_env is GatewayEnv.PRODUCTION else ok
        yield find("labels", "test labels: no parcel is picked up; CARRIER_SANDBOX=false makes paid ones")


async def check_mail(effective: Settings, test_address: str) -> AsyncIterator[Finding]:
    """Check that the mail server answers and accepts the shop's login. With `test_address`, send a test mail to it."""
    if not effective.smtp_host:
        yield warning("mail", "no mail server: mails are written to the data folder; set SMTP_HOST")
        return
    transport = SmtpTransport(effective)
    try:
        await transport.check_connection()
        yield ok(
            "mail",
            f"{effective.smtp_host} answers" + (" and accepts the login" if effective.smtp_user else ""),
        )
        if test_address:
            await transport.send(_build_test_mail(effective, test_address))
            yield ok(
                "mail", f"a test mail was sent to {test_address}: check that it arrived, and not as spam"
            )
    except OutsideFailure as error:
        yield failure("mail", f"{error}; check SMTP_HOST, SMTP_PORT, SMTP_USER and SMTP_PASSWORD")


def _build_test_mail(effective: Settings, to: str) -> EmailMessage:
    mail = EmailMessage()
    mail["From"], mail["To"] = effective.store_email, to
    mail["Subject"] = f"{effective.store_name}: test mail"
    mail.set_content("This is a test of the shop's mail server by `trompo doctor`.")
    return mail


async def check_public_address(settings: Settings, http: httpx.AsyncClient) -> AsyncIterator[Finding]:
    """Check that the shop answers at PUBLIC_URL, and that the gateway's notifications can reach it."""
    if not settings.public_url:
        yield warning("address", "PUBLIC_URL is not set: only this machine reaches the shop")
        return
    for name, method, path, hint in (
        ("address", "GET", "/health", "is the shop open, and does the proxy pass everything on?"),
        # with another method than HEAD the request would be stored as a notification
        ("webhook", "HEAD", f"/hooks/payment/{GATEWAY_PSE}", "the proxy must pass /hooks on to the shop"),
    ):
        try:
            answer = await http.request(method, settings.public_url + path, headers=_metrics_header(settings))
        except httpx.HTTPError as error:
            yield failure(name, f"{settings.public_url} cannot be reached ({type(error).__name__}): {hint}")
            return
        if answer.status_code != 200:
            yield failure(name, f"{settings.public_url}{path} answers with {answer.status_code}: {hint}")
        elif failed := _failed_checks(answer):
            yield warning(name, f"{settings.public_url}{path} answers, but {failed}")
        else:
            yield ok(name, f"{settings.public_url}{path} answers")
    with suppress(httpx.HTTPError):  # was reported above
        if (await http.get(settings.public_url + "/robots.txt")).status_code == MISDIRECTED:
            yield failure(
                "hosts", "pages are refused with 421: the proxy must pass the Host header on unchanged"
            )


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
    """Check until when the certificate of PUBLIC_URL is valid."""
    address = urlsplit(settings.public_url)
    if address.scheme != "https":
        return
    try:
        until = await read_certificate_expiry(address.hostname or "", address.port or 443)
    except ssl.SSLCertVerificationError as error:
        yield failure("certificate", f"browsers refuse it: {error.verify_message}")
        return
    except OSError as error:
        yield failure("certificate", f"no TLS at {address.netloc} ({type(error).__name__})")
        return
    days = (until - now()).days
    find = ok if days >= MIN_CERTIFICATE_DAYS else warning
    yield find(
        "certificate", f"valid until {until:%Y-%m-%d}, {days} days" + ("" if find is ok else ": renew it")
    )
