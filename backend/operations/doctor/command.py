"""All checks, one after the other where they share something and at once where they wait for others."""

import asyncio
import json
from collections.abc import Sequence
from dataclasses import asdict

from sqlalchemy.exc import SQLAlchemyError

from backend.core.errors import ShopError
from backend.core.web.http_client import trusted
from backend.core.web.response_limits import LimitedClient
from backend.office_settings import read_effective_settings
from backend.operations.doctor import external_checks, shop_checks
from backend.operations.doctor.checked_shop import CheckedShop
from backend.operations.doctor.findings import LONGEST, Check, Finding, Status, failure, ok, run_check
from backend.payment.providers.pse.client import gateway_client
from backend.shipping.providers.carrier.client import carrier_client

SIGNS = {Status.OK: "ok     ", Status.WARNING: "warning", Status.FAILURE: "failure"}


async def examine(shop: CheckedShop, test_address: str = "", seconds: float = LONGEST) -> list[Finding]:
    """Look at everything. Each check has so many seconds; one that fails does not stop the others."""
    settings, database = shop.settings, shop.database
    gateway = gateway_client(settings, shop.sandbox.gateway_transport)
    carrier = carrier_client(settings, shop.sandbox.carrier_transport)
    http = LimitedClient(verify=trusted(), timeout=seconds)
    try:
        try:
            async with asyncio.timeout(seconds), database.read() as session:
                effective = await read_effective_settings(session, settings)
        except (ShopError, SQLAlchemyError, OSError, TimeoutError) as error:
            return [
                failure(
                    "database", f"does not answer, or `trompo migrate` has not run ({type(error).__name__})"
                )
            ]
        checks: dict[str, Check] = {
            "settings": lambda: shop_checks.settings_by_name(settings),
            "identity": lambda: shop_checks.identity(database, settings),
            "defaults": lambda: shop_checks.defaults(database),
            "toys": lambda: shop_checks.toys(database, settings),
            "gateway": lambda: external_checks.gateway(settings, gateway),
            "carrier": lambda: external_checks.quotation(effective, carrier),
            "labels": lambda: external_checks.labels(settings),
            "mail": lambda: external_checks.mail(effective, test_address),
            "address": lambda: external_checks.public_address(settings, http),
            "certificate": lambda: external_checks.certificate(settings),
            "clock": lambda: shop_checks.clock(database),
            "pictures": lambda: shop_checks.pictures(settings, shop.pictures),
            "backup": lambda: shop_checks.backup(database, settings),
            "legal": lambda: shop_checks.legal_texts(database, settings),
            "disk": lambda: shop_checks.disk(effective),
        }
        found = await asyncio.gather(*(run_check(name, check, seconds) for name, check in checks.items()))
    finally:
        await gateway.close()
        await carrier.close()
        await http.aclose()
    return [ok("database", settings.named_database), *(finding for some in found for finding in some)]


def exit_code(findings: Sequence[Finding]) -> int:
    """0: the shop can open, with or without warnings. 1: something fails."""
    return int(any(finding.status is Status.FAILURE for finding in findings))


def as_text(findings: Sequence[Finding]) -> str:
    """One line each."""
    return "\n".join(f"{SIGNS[finding.status]}  {finding.name}: {finding.message}" for finding in findings)


def as_json(findings: Sequence[Finding]) -> str:
    """For machines: `{"ok": …, "findings": [{"name", "status", "message"}]}`."""
    listed = [asdict(finding) for finding in findings]
    return json.dumps({"ok": exit_code(findings) == 0, "findings": listed}, ensure_ascii=False)


def of_settings(problems: Sequence[str]) -> list[Finding]:
    """What stands in the way of everything else."""
    return [failure("settings", problem) for problem in problems]
