"""The client of the PSE gateway: what the official SDK's `bank` resource does, over one HTTP client.

Which lookup decides: the two that need our login are believed: `transaction/response.json` (by the number) and
`pse/transactioninfomation.json` (by receipt). The public `validation/v1/reference` takes the opaque reference that a
shopper's browser carries; it is only asked which transaction that is, and a lookup with a login then gives the answer.
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
from backend.payment.providers.pse.reports import GatewayReport, read_lookup
from backend.payment.providers.pse.requests import (
    Bank,
    BankPayment,
    BankPaymentCreated,
    GatewayBases,
    GatewayCredentials,
    hidden_body,
    sdk_fields,
)
from backend.payment.providers.pse.responses import (
    PaymentRefused,
    RefusalReason,
    exact_json,
    payment_refused,
    read_banks,
    read_created,
    require_answer_to,
)

log = logging.getLogger(__name__)

MAX_TRANSACTIONS = 20
"""How many transactions of one invoice are looked up. Each is a try of the shopper's at the bank."""
_NUMBER = re.compile(r"[0-9]{1,20}")
_BROWSER_REFERENCE = re.compile(r"[0-9a-fA-F]{24}")


class GatewayClient:
    """Calls the gateway. Reading calls are repeated when they fail; `create_bank_payment` is sent once, ever."""

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
        http = HttpClient("The gateway", policy or RetryPolicy(), transport=transport)
        self._channel = GatewayChannel(http, credentials, bases)

    def __repr__(self) -> str:
        """Where it calls, without a key."""
        return f"GatewayClient({self.bases.secure}, test_mode={self.test_mode})"

    async def __aenter__(self) -> Self:
        """Use it as a context to have it closed."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Close the connections."""
        await self._channel.http.close()

    @property
    def source(self) -> str:
        """Which gateway this is, in which mode: what its answers may be kept under."""
        return f"{self.bases.secure} {'test' if self.test_mode else 'live'}"

    async def get_banks(self) -> list[Bank]:
        """Every row of the PSE bank list, as sent: the placeholder with code `0` is among them.

        Raises:
            OutsideFailure: the gateway failed, or its answer holds no list.
        """
        # the published Node SDK puts a body on this GET; the newer SDKs send none, and proxies may refuse one
        return read_banks(await self._read("/pse/bancos.json", {}))

    async def create_bank_payment(self, request: BankPayment) -> BankPaymentCreated:
        """Start a payment (`bank.create`).

        Raises:
            PaymentRefused: the gateway answered that it did not start it; `reason` says why.
            OutcomeUnknown: the request left and no clear answer to it came. Look it up; never send the invoice again.
                RedirectUrlMissing is one: not refused, but without a bank address; `payload` is the answer.
            ServiceUnavailable: it could not be sent: nothing was started.
            KeysRefused: the gateway does not accept our keys: nothing was started.
        """
        what = f"bank.create of invoice {request.invoice}"
        body = hidden_body(sdk_fields(request), self.credentials, test_mode=self.test_mode)
        try:
            response = await self._channel.send_authorized(
                "POST",
                self._restpagos("/pagos/debitos.json"),
                self._channel.http.policy.write,
                session=self._channel.restpagos,
                body=body,
            )
        except NoAnswer as error:
            raise OutcomeUnknown(f"{what}: {error.message}") from error
        status, answer = response.status_code, _json_or_none(response)
        if 400 <= status < 500:
            if isinstance(answer, Mapping):
                raise payment_refused(answer)
            raise PaymentRefused(f"The gateway refused {what} with HTTP {status}", RefusalReason.OTHER)
        if status != 200 or answer is None:
            raise OutcomeUnknown(f"{what}: HTTP {status} without a read_json answer")
        created = read_created(answer)
        require_answer_to(answer, request)
        return created

    async def transaction(self, ticket_id: str) -> GatewayReport:
        """What the gateway says of a transaction, by its receipt number (`bank.get`).

        The answer names no currency (wire: gateway, 1.7): PSE moves pesos only.

        Raises:
            OutsideFailure: the gateway failed.
        """
        answer = await self._read("/pse/transactioninfomation.json", {"transactionID": ticket_id})
        report = self._own_report(answer)
        return report if report.currency else replace(report, currency=CURRENCY)

    async def transaction_by_reference(self, reference: str) -> GatewayReport:
        """What the gateway says of a transaction, by its number or by the reference a browser came back with.

        Raises:
            InvalidData: the reference has neither form.
            OutsideFailure: the gateway failed.
        """
        if _BROWSER_REFERENCE.fullmatch(reference):
            public = await self._channel.read(
                "GET", f"{self.bases.lookup}/validation/v1/reference/{reference}"
            )
            found = self._own_report(public)
            if found.reference is None:
                return found
            reference = found.reference
        if not _NUMBER.fullmatch(reference):
            raise InvalidData("This is no reference of the gateway")
        return self._own_report(await self._read("/transaction/response.json", {"ref_payco": reference}))

    async def references_of(self, invoice: str) -> list[str]:
        """The gateway's numbers of all transactions with our invoice: how an unknown outcome is looked up.

        Raises:
            OutsideFailure: the gateway failed.
        """
        answer = await self._channel.read(
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
        return await self._channel.read(
            "GET",
            self._restpagos(path),
            session=self._channel.restpagos,
            params={**params, "public_key": self.credentials.public_key.get_secret_value()},
        )

    def _restpagos(self, path: str) -> str:
        return f"{self.bases.secure}/restpagos{path}"

    def _own_report(self, answer: Any) -> GatewayReport:
        """The report of a lookup; an unknown one when it is about another merchant's transaction."""
        report = read_lookup(answer)
        if report.cust is not None and report.cust != self.credentials.cust_id:
            log.warning(
                "the gateway answered a lookup with another merchant's transaction %s", report.reference
            )
            return GatewayReport()
        return report


def _json_or_none(response: httpx.Response) -> Any:
    try:
        return exact_json(response.content)
    except ValueError:
        return None


SANDBOX_PATH = "/sandbox/gateway"
"""Where the embedded gateway is mounted in the shop's own application."""


def gateway_client(settings: Settings, transport: httpx.AsyncBaseTransport | None = None) -> GatewayClient:
    """A client for the gateway in force: the embedded one, or the real one in test or production mode.

    `transport` carries the calls in place of a socket; what it leads to answers at the root. GATEWAY_URL replaces
    all of the gateway's official addresses.
    """
    if settings.uses_sandbox_gateway:
        mounted = f"{settings.base_url}{SANDBOX_PATH}"
        bases = GatewayBases.under(mounted if transport is None else "http://gateway.sandbox")
    else:
        bases = GatewayBases.under(settings.gateway_url) if settings.gateway_url else GatewayBases()
    return GatewayClient(
        gateway_credentials(settings),
        bases,
        test_mode=settings.gateway_env is not GatewayEnv.PRODUCTION,
        transport=transport,
    )


def gateway_credentials(settings: Settings) -> GatewayCredentials:
    """The keys in force: the settings', or the embedded gateway's own."""
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
