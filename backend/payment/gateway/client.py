"""The client of the PSE gateway: what the official SDK's `bank` resource does, over one `httpx` client.

Which lookup decides: `transaction/response.json` and `pse/transactioninfomation.json`, which need our login, are believed.
The public `validation/v1/reference` takes the opaque reference a shopper's browser carries; it only tells which
transaction that is, and the answer then comes from the lookup that needs a login.
"""

import logging
import re
from base64 import b64encode
from collections.abc import Awaitable, Callable, Mapping
from types import TracebackType
from typing import Any, Self

import httpx
from tenacity import AsyncRetrying, retry_if_exception_type, stop_after_attempt, wait_exponential_jitter

from backend.errors import InvalidData, OutcomeUnknown
from backend.payment.gateway.answers import exact_json, payment_refused, read_banks, read_created
from backend.payment.gateway.errors import GatewayUnavailable, KeysRefused, NoAnswer, PaymentRefused
from backend.payment.gateway.fields import hidden_body, sdk_fields
from backend.payment.gateway.http import Patience, send
from backend.payment.gateway.quiet import keep_queries_out_of_the_log
from backend.payment.gateway.refusals import RefusalReason
from backend.payment.gateway.reports import read_lookup
from backend.payment.gateway.session import GatewaySession
from backend.payment.gateway.types import (
    Bank,
    BankPayment,
    BankPaymentCreated,
    GatewayBases,
    GatewayCredentials,
    GatewayReport,
)

log = logging.getLogger(__name__)

_NUMBER = re.compile(r"\d{1,24}")
_BROWSER_REFERENCE = re.compile(r"[0-9a-fA-F]{24}")


class GatewayClient:
    """Calls the gateway. Reading calls are repeated when they fail; `create_bank_payment` is sent once, ever."""

    def __init__(
        self,
        http: httpx.AsyncClient,
        credentials: GatewayCredentials,
        bases: GatewayBases,
        test_mode: bool,
        patience: Patience | None = None,
    ) -> None:
        self.bases = bases
        self.test_mode = test_mode
        self._http = http
        self._credentials = credentials
        self._patience = patience or Patience()
        self._session = GatewaySession(self._login)
        self._apify_session = GatewaySession(self._apify_login)
        keep_queries_out_of_the_log()

    def __repr__(self) -> str:
        """Where it calls, without a key."""
        return f"GatewayClient({self.bases.secure}, test_mode={self.test_mode})"

    async def __aenter__(self) -> Self:
        """Use as a context to have it closed."""
        return self

    async def __aexit__(self, kind: type[BaseException] | None, e: BaseException | None, t: TracebackType | None) -> None:
        """Close it."""
        await self.aclose()

    async def aclose(self) -> None:
        """Close the connections."""
        await self._http.aclose()

    @property
    def source(self) -> str:
        """Which gateway this is, in which mode: what its answers may be kept under."""
        return f"{self.bases.secure} {'test' if self.test_mode else 'live'}"

    @property
    def credentials(self) -> GatewayCredentials:
        """The keys, for checking a notification's signature."""
        return self._credentials

    async def get_banks(self) -> list[Bank]:
        """Every row of the PSE bank list, as sent: the placeholder with code `0` is among them.

        Raises:
            OutsideFailure: the gateway failed, or its answer holds no list.
        """
        # the Node SDK puts a body on this GET; the newer SDKs send none, and a body on a GET is what proxies refuse
        return await self._repeated(lambda: self._read(self._secure("pse/bancos.json"), {}, read_banks))

    async def create_bank_payment(self, request: BankPayment) -> BankPaymentCreated:
        """Start a payment (`bank.create`).

        Raises:
            PaymentRefused: the gateway answered that it did not start it; `reason` says why.
            OutcomeUnknown: the request left and no clear answer came. Look it up; never send the invoice again.
            RedirectUrlMissing: it was started, but the answer names no bank address; `payload` is the answer.
            GatewayUnavailable: it could not be sent: nothing was started.
            KeysRefused: the gateway does not accept our keys: nothing was started.
        """
        body = hidden_body(sdk_fields(request), self._credentials, test_mode=self.test_mode)
        try:
            response = await self._authorized("POST", self._secure("pagos/debitos.json"), self._patience.create, body=body)
        except NoAnswer as error:
            raise OutcomeUnknown(f"bank.create of invoice {request.invoice}: {error.message}") from error
        answer = _json_or_none(response)
        if response.status_code in range(400, 500):
            if isinstance(answer, Mapping):
                raise payment_refused(answer)
            raise PaymentRefused(
                f"The gateway answered bank.create with HTTP {response.status_code}", RefusalReason.OTHER
            )
        if response.status_code not in range(200, 300) or answer is None:
            raise OutcomeUnknown(
                f"bank.create of invoice {request.invoice}: HTTP {response.status_code} without a readable answer"
            )
        return read_created(answer)

    async def transaction(self, ticket_id: str) -> GatewayReport:
        """What the gateway says of a transaction, by its receipt number (`bank.get`).

        Raises:
            OutsideFailure: the gateway failed.
        """
        return await self._report("pse/transactioninfomation.json", {"transactionID": ticket_id})

    async def transaction_by_reference(self, reference: str) -> GatewayReport:
        """What the gateway says of a transaction, by its number or by the reference a browser came back with.

        Raises:
            InvalidData: the reference has neither form.
            OutsideFailure: the gateway failed.
        """
        if not _NUMBER.fullmatch(reference):
            found = await self._public_report(reference)
            if found.reference is None or not _NUMBER.fullmatch(found.reference):
                return GatewayReport(raw=found.raw)
            reference = found.reference
        elif _BROWSER_REFERENCE.fullmatch(reference):
            # 24 digits are a browser's reference that happens to hold no letter: numbers are not that long
            found = await self._public_report(reference)
            reference = found.reference or reference
        return await self._report("transaction/response.json", {"ref_payco": reference})

    async def references_of(self, invoice: str) -> list[str]:
        """The gateway's numbers of every transaction with our invoice: how an unknown outcome is looked up.

        Raises:
            OutsideFailure: the gateway failed.
        """
        url = f"{self.bases.apify}/transaction/detail"
        answer = await self._repeated(
            lambda: self._answer("POST", url, body={"filter": {"referenceClient": invoice}}, session=self._apify_session)
        )
        rows = answer.get("data") if isinstance(answer, Mapping) and answer.get("success") is not False else None
        rows = [rows] if isinstance(rows, Mapping) else rows
        found = [row.get("referencePayco") for row in rows or [] if isinstance(row, Mapping)]
        return [str(reference) for reference in found if reference]

    # lookups

    async def _report(self, path: str, params: Mapping[str, str]) -> GatewayReport:
        report = await self._repeated(lambda: self._read(self._secure(path), params, read_lookup))
        if report.cust is not None and report.cust != self._credentials.cust_id:
            log.warning("the gateway answered a lookup with another merchant's transaction %s", report.reference)
            return GatewayReport(raw=report.raw)
        return report

    async def _public_report(self, reference: str) -> GatewayReport:
        if not _BROWSER_REFERENCE.fullmatch(reference):
            raise InvalidData("This is no reference of the gateway")
        url = f"{self.bases.lookup}/validation/v1/reference/{reference}"
        return read_lookup(await self._repeated(lambda: self._answer("GET", url, session=None)))

    async def _read[T](self, url: str, params: Mapping[str, str], read: Callable[[Any], T]) -> T:
        public_key = self._credentials.public_key.get_secret_value()
        return read(await self._answer("GET", url, params={**params, "public_key": public_key}))

    # one call

    async def _repeated[T](self, call: Callable[[], Awaitable[T]]) -> T:
        """The call's result, repeating it while the gateway fails. Only for calls that change nothing."""
        repeat = AsyncRetrying(
            stop=stop_after_attempt(self._patience.attempts),
            wait=wait_exponential_jitter(
                initial=self._patience.retry_pause, max=3, jitter=self._patience.retry_pause
            ),
            retry=retry_if_exception_type(GatewayUnavailable),
            reraise=True,
        )
        return await repeat(call)
