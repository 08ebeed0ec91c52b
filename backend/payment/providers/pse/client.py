"""Client of the PSE gateway: the `bank` resource of the official SDK, over one HTTP client.

Only the two lookups that need the shop's login are trusted: `transaction/response.json` (by the gateway's number)
and `pse/transactioninfomation.json` (by the receipt number). The public `validation/v1/reference` is only used to
get the transaction number for the reference in a shopper's browser; a lookup with a login then returns the report.
"""

import logging
import re
from collections.abc import Mapping
from dataclasses import replace
from types import TracebackType
from typing import Any, Self

import httpx
from pydantic import SecretStr

from backend.core.config.settings import (
    SANDBOX_CUST_ID,
    SANDBOX_P_KEY,
    SANDBOX_PRIVATE_KEY,
    SANDBOX_PUBLIC_KEY,
    GatewayEnv,
    Settings,
)
from backend.core.errors import InvalidData, OutcomeUnknown
from backend.core.money import CURRENCY
from backend.core.web.http_client import HttpClient, NoAnswer, RetryPolicy
from backend.core.web.outside_values import parse_identifier
from backend.payment.providers.pse.login import GatewayChannel
from backend.payment.providers.pse.reports import GatewayReport, parse_lookup
from backend.payment.providers.pse.requests import (
    Bank,
    BankPayment,
    BankPaymentCreated,
    GatewayBases,
    GatewayCredentials,
    encrypt_body,
    to_sdk_fields,
)
from backend.payment.providers.pse.responses import (
    PaymentRefused,
    RefusalReason,
    parse_bank_list,
    parse_created_payment,
    parse_exact_json,
    require_matching_answer,
    to_payment_refused,
)

log = logging.getLogger(__name__)

MAX_TRANSACTIONS = 20
"""How many transactions of one invoice are looked up. Each is an attempt of the shopper at the bank."""
_NUMBER = re.compile(r"[0-9]{1,20}")
_BROWSER_REFERENCE = re.compile(r"[0-9a-fA-F]{24}")


class GatewayClient:
    """A client of the gateway. Read-only calls are repeated when they fail; `create_bank_payment` is sent only once."""

    def __init__(
        self,
        credentials: GatewayCredentials,
        bases: GatewayBases,
        *,
        test_mode: bool,
        transport: httpx.AsyncBaseTransport | None = None,
        policy: RetryPolicy | None = None,
    ) -> None:
        self.credentials = credentials
        self.bases = bases
        self.test_mode = test_mode
        self.http = HttpClient("The gateway", policy or RetryPolicy(), transport=transport)
        self._channel = GatewayChannel(self.http, credentials, bases)

    def __repr__(self) -> str:
        """Return the gateway's address and mode, without a key."""
        return f"GatewayClient({self.bases.secure}, test_mode={self.test_mode})"

    async def __aenter__(self) -> Self:
        """Return the client; leaving the context closes it."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the client."""
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self.http.close()

    @property
    def source(self) -> str:
        """Return the gateway's address and mode. Stored answers of the gateway are valid only for the same source."""
        return f"{self.bases.secure} {'test' if self.test_mode else 'live'}"

    async def get_banks(self) -> list[Bank]:
        """Return every row of the PSE bank list as sent, including the placeholder with code `0`.

        Raises:
            OutsideFailure: the gateway failed, or its answer contains no list.
        """
        # the published Node SDK puts a body on this GET; the newer SDKs send none, and proxies may refuse one
        return parse_bank_list(await self._read("/pse/bancos.json", {}))

    async def create_bank_payment(self, request: BankPayment) -> BankPaymentCreated:
        """Start a payment (`bank.create`).

        Raises:
            PaymentRefused: the gateway answered that it did not start the payment; `reason` is the category.
            OutcomeUnknown: the request was sent and no clear answer arrived. Look up the payment; never send the
                invoice again.
            RedirectUrlMissing: the payment was not refused, but the answer has no URL of the bank; `payload` is the
                answer. This is a subclass of `OutcomeUnknown`.
            ServiceUnavailable: the request could not be sent: nothing was started.
            KeysRefused: the gateway does not accept the shop's keys: nothing was started.
        """
        call_name = f"bank.create of invoice {request.invoice}"
        body = encrypt_body(to_sdk_fields(request), self.credentials, test_mode=self.test_mode)
        try:
            response = await self._channel.send_authorized(
                "POST",
                self._restpagos("/pagos/debitos.json"),
                self.http.policy.write,
                session=self._channel.restpagos,
                body=body,
            )
        except NoAnswer as error:
            raise OutcomeUnknown(f"{call_name}: {error.message}") from error
        status, answer = response.status_code, _parse_json_or_none(response)
        if 400 <= status < 500:
            if isinstance(answer, Mapping):
                raise to_payment_refused(answer)
            raise PaymentRefused(f"The gateway refused {call_name} with HTTP {status}", RefusalReason.OTHER)
        if status != 200 or answer is None:
            raise OutcomeUnknown(f"{call_name}: HTTP {status} without a JSON answer")
        created = parse_created_payment(answer)
        require_matching_answer(answer, request)
        return created

    async def get_transaction(self, ticket_id: str) -> GatewayReport:
        """Return the gateway's report of a transaction, by its receipt number (`bank.get`).

        The answer contains no currency (wire: gateway, 1.7): PSE moves only pesos.

        Raises:
            OutsideFailure: the gateway failed.
        """
        answer = await self._read("/pse/transactioninfomation.json", {"transactionID": ticket_id})
        report = self._parse_own_report(answer)
        return report if report.currency else replace(report, currency=CURRENCY)

    async def get_transaction_by_reference(self, reference: str) -> GatewayReport:
        """Return the gateway's report of a transaction.

        `reference` is its number, or the reference with which the shopper's browser comes back from the bank.

        Raises:
            InvalidData: `reference` has neither form.
            OutsideFailure: the gateway failed.
        """
        if _BROWSER_REFERENCE.fullmatch(reference):
            public = await self._channel.read_answer(
                "GET", f"{self.bases.lookup}/validation/v1/reference/{reference}"
            )
            found = self._parse_own_report(public)
            if found.reference is None:
                return found
            reference = found.reference
        if not _NUMBER.fullmatch(reference):
            raise InvalidData("This is no reference of the gateway")
        return self._parse_own_report(
            await self._read("/transaction/response.json", {"ref_payco": reference})
        )

    async def list_references(self, invoice: str) -> list[str]:
        """Return the gateway's numbers of all transactions with this invoice of the shop.

        If it is unknown whether a payment was started, it is looked up by these numbers.

        Raises:
            OutsideFailure: the gateway failed.
        """
        answer = await self._channel.read_answer(
            "POST",
            f"{self.bases.apify}/transaction/detail",
            session=self._channel.apify,
            body={"filter": {"referenceClient": invoice}},
        )
        data = answer.get("data") if isinstance(answer, Mapping) else None
        rows = data if isinstance(data, list) else [data]
        found = [parse_identifier(row.get("referencePayco")) for row in rows if isinstance(row, Mapping)]
        return [reference for reference in found if reference is not None][:MAX_TRANSACTIONS]

    async def _read(self, path: str, params: Mapping[str, str]) -> Any:
        return await self._channel.read_answer(
            "GET",
            self._restpagos(path),
            session=self._channel.restpagos,
            params={**params, "public_key": self.credentials.public_key.get_secret_value()},
        )

    def _restpagos(self, path: str) -> str:
        return f"{self.bases.secure}/restpagos{path}"

    def _parse_own_report(self, answer: Any) -> GatewayReport:
        """Parse the report of a lookup. Return an empty report if it is about another merchant's transaction."""
        report = parse_lookup(answer)
        if report.cust is not None and report.cust != self.credentials.cust_id:
            log.warning(
                "the gateway answered a lookup with another merchant's transaction %s", report.reference
            )
            return GatewayReport()
        return report


def _parse_json_or_none(response: httpx.Response) -> Any:
    try:
        return parse_exact_json(response.content)
    except ValueError:
        return None


SANDBOX_PATH = "/sandbox/gateway"
"""Path of the embedded gateway in the shop's own application."""


def create_gateway_client(
    settings: Settings, transport: httpx.AsyncBaseTransport | None = None
) -> GatewayClient:
    """Create a client of the configured gateway: the embedded one, or the real one in test or production mode.

    `transport` replaces the network connection, for example by direct calls of the embedded gateway.
    GATEWAY_URL replaces all official URLs of the gateway.
    """
    if settings.uses_sandbox_gateway:
        mounted = f"{settings.base_url}{SANDBOX_PATH}"
        bases = GatewayBases.at_url(mounted if transport is None else "http://gateway.sandbox")
    else:
        bases = GatewayBases.at_url(settings.gateway_url) if settings.gateway_url else GatewayBases()
    return GatewayClient(
        get_gateway_credentials(settings),
        bases,
        test_mode=settings.gateway_env is not GatewayEnv.PRODUCTION,
        transport=transport,
    )


def get_gateway_credentials(settings: Settings) -> GatewayCredentials:
    """Return the configured keys, or the keys of the embedded gateway if the shop uses it."""
    if settings.uses_sandbox_gateway:
        return GatewayCredentials(
            public_key=SecretStr(SANDBOX_PUBLIC_KEY),
            private_key=SecretStr(SANDBOX_PRIVATE_KEY),
            cust_id=SANDBOX_CUST_ID,
            p_key=SecretStr(SANDBOX_P_KEY),
        )
    return GatewayCredentials(
        public_key=SecretStr(settings.public_key),
        private_key=settings.private_key,
        cust_id=settings.p_cust_id_cliente,
        p_key=settings.p_key,
    )
