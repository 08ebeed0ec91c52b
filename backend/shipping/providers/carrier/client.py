"""HTTP client of the carrier's API (spec: Carrier API; wire: carrier).

Requests that only read are repeated after a temporary failure. Requests that create or cancel a label are sent
once: the carrier has no idempotency key, and a second label costs money.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import islice

import httpx
from pydantic import SecretStr

from backend.core.config.settings import SANDBOX_CARRIER_KEY, Settings
from backend.core.config.version import VERSION
from backend.core.db.tables import JsonObject
from backend.core.errors import OutcomeUnknown
from backend.core.money import Cop
from backend.core.texts import _
from backend.core.web.http_client import AnswerTooLarge, HttpClient, NoAnswer, RetryPolicy, ServiceUnavailable
from backend.core.web.outside_values import read_json
from backend.core.web.response_limits import MAX_PDF_RESPONSE_BYTES, MAX_RESPONSE_BYTES
from backend.shipping.providers.base import IS_TEST_LABEL, Label, TrackingUpdate
from backend.shipping.providers.carrier.rate_checks import find_contradiction
from backend.shipping.providers.carrier.requests import Quotation, Shipment
from backend.shipping.providers.carrier.responses import (
    MAX_WORDS,
    CarrierError,
    Rate,
    find_cheapest_rate,
    parse_cancelled,
    parse_label,
    parse_problem,
    parse_tracking,
    parse_whole,
)

log = logging.getLogger(__name__)

USER_AGENT = f"Trompo/{VERSION}"
"""The carrier refuses the names of HTTP libraries (wire: carrier 2.1)."""

CANCELLATION_BATCH = 50
"""Maximum number of labels in one cancellation (spec: Limits)."""

SERVER_ERROR = 500
MAX_PROBLEM_LENGTH = 1_000
"""Maximum number of characters of a refusal that are stored."""
MAX_PROBLEM_FIELDS = 30


@dataclass(frozen=True, slots=True)
class CarrierPolicy(RetryPolicy):
    """Timeouts of requests to the carrier, in seconds, including retries.

    The carrier usually answers in five to eight seconds (wire: carrier 2.1).

    Attributes:
        read: timeout of requests about progress, and of cancellations.
        write: timeout of the request that creates a label.
        quotation: timeout of quotations.
    """

    read: float = 15.0
    write: float = 40.0
    pause: float = 0.2
    longest_pause: float = 2.0
    quotation: float = 12.0


def create_carrier_client(
    settings: Settings,
    transport: httpx.AsyncBaseTransport | None = None,
    policy: CarrierPolicy | None = None,
    most_connections: int = 100,
) -> "CarrierClient":
    """Create the client of the real or the embedded carrier, as the settings choose."""
    if settings.uses_sandbox_carrier and transport is None:
        raise RuntimeError("the embedded carrier needs a transport, and none was given")
    key = SecretStr(SANDBOX_CARRIER_KEY) if settings.uses_sandbox_carrier else settings.carrier_api_key
    return CarrierClient(
        settings.carrier_api_url,
        key,
        creates_test_labels=settings.creates_test_labels,
        min_rate=settings.carrier_min_rate,
        transport=transport,
        policy=policy or CarrierPolicy(quotation=settings.carrier_timeout),
        most_connections=most_connections,
    )


class CarrierClient:
    """Client of the carrier, with one connection pool. Tasks may share it. It must be closed at the end."""

    def __init__(
        self,
        base_url: str,
        api_key: SecretStr,
        *,
        creates_test_labels: bool,
        min_rate: Cop = 0,
        transport: httpx.AsyncBaseTransport | None = None,
        policy: CarrierPolicy,
        most_connections: int = 100,
    ) -> None:
        self._key = api_key
        self._min_rate = min_rate
        self._policy = policy
        self._creates_test_labels = creates_test_labels
        self._shipment_path = "/shipment_sandbox" if creates_test_labels else "/shipment"
        self._http = HttpClient(
            "the carrier",
            policy,
            base_url=base_url,
            headers={"Authorization": api_key.get_secret_value(), "User-Agent": USER_AGENT},
            transport=transport,
            max_connections=most_connections,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def request_quotation(self, quotation: Quotation) -> Sequence[object]:
        """Return the unparsed rates of this shipment; an empty list means that no courier ships there.

        Rates for another shipment, or not in pesos, are left out.

        Raises:
            CarrierError: there is no usable response, or there are rates but none is for this shipment in pesos.
        """
        data = _require_object(
            await self._read("POST", "/quotation", quotation.body(), self._policy.quotation)
        )
        rates = data.get("rates")
        if not isinstance(rates, list):
            raise CarrierError("the carrier's quotation has no list of rates")
        found = find_contradiction(data, quotation)
        if found is not None:
            raise CarrierError(f"the carrier priced another shipment: {found}")
        invalid = [why for rate in rates if (why := _find_rate_contradiction(rate, quotation)) is not None]
        if not invalid:
            return rates
        log.warning("%d of %d rates are invalid: %s", len(invalid), len(rates), invalid[0])
        valid = [rate for rate in rates if _find_rate_contradiction(rate, quotation) is None]
        if not valid:
            raise CarrierError(f"every rate is invalid: {invalid[0]}")
        return valid

    async def request_cheapest_rate(self, quotation: Quotation) -> Rate | None:
        """Return the cheapest valid rate of the quotation; None if no courier offers one.

        Raises:
            CarrierError: see `request_quotation`.
        """
        return self.find_cheapest(await self.request_quotation(quotation))

    def find_cheapest(self, rates: Sequence[object]) -> Rate | None:
        """Return the cheapest valid rate that is not below the configured minimum; None if there is none."""
        return find_cheapest_rate(rates, min_price=self._min_rate)

    async def create_shipment(self, shipment: Shipment) -> Label:
        """Create a label, or a test label if the settings require it. The request is sent only once.

        Raises:
            CarrierError: no label was created.
            OutcomeUnknown: a label may have been created.
        """
        try:
            answer = await self._send(
                "POST",
                self._shipment_path,
                shipment.body(),
                self._policy.write,
                max_bytes=MAX_PDF_RESPONSE_BYTES,
            )
            label = parse_label(_require_object(answer))
        except CarrierError as error:
            if error.may_have_acted:
                raise OutcomeUnknown(f"The label may have been created: {error.message}") from error
            raise
        return (
            replace(label, data={**label.data, IS_TEST_LABEL: True}) if self._creates_test_labels else label
        )

    async def track(self, tracking_number: str) -> TrackingUpdate | None:
        """Return the progress of the shipment; None if the carrier does not know the shipment.

        Raises:
            CarrierError: there is no usable response.
        """
        body = {"trackingCode": tracking_number}
        return parse_tracking(await self._read("POST", "/track", body, self._policy.read))

    async def track_by_orders(self, order_ids: Iterable[int]) -> dict[int, TrackingUpdate]:
        """Return the progress of several shipments by the carrier's order id. Unknown shipments are left out.

        Raises:
            CarrierError: there is no usable response.
        """
        body = {"orders": list(order_ids)}
        data = _require_object(await self._read("POST", "/track-by-orders", body, self._policy.read))
        found = {parse_whole(name): parse_tracking(tracking) for name, tracking in data.items()}
        return {
            order_id: tracking for order_id, tracking in found.items() if order_id is not None and tracking
        }

    async def cancel(self, order_ids: Iterable[int]) -> frozenset[int]:
        """Cancel labels by the carrier's order ids, in batches of at most 50.

        Return the ids of the cancelled labels. Some of the given ids may be missing.

        Raises:
            CarrierError: a batch was refused.
            OutcomeUnknown: a batch may have been cancelled. The caller may safely repeat the call.
        """
        cancelled: set[int] = set()
        remaining = iter(dict.fromkeys(order_ids))
        while batch := list(islice(remaining, CANCELLATION_BATCH)):
            cancelled |= parse_cancelled(await self._cancel(batch)) & set(batch)
        return frozenset(cancelled)

    async def _cancel(self, batch: list[int]) -> JsonObject:
        body = {"idOrders": batch}
        try:
            return _require_object(
                await self._send("POST", "/cancellation/batch/order", body, self._policy.read)
            )
        except CarrierError as error:
            if error.may_have_acted:
                raise OutcomeUnknown(f"The labels may have been cancelled: {error.message}") from error
            raise

    async def _read(self, method: str, path: str, body: JsonObject | None, seconds: float) -> object:
        """Send a request that only reads. Repeat it after a temporary failure, for `seconds` in total."""
        try:
            return await self._http.repeat(
                lambda: self._send(method, path, body, seconds),
                seconds=seconds,
                is_passing=lambda error: isinstance(error, CarrierError) and error.is_passing,
            )
        except NoAnswer as error:
            raise _timeout_error(path, seconds) from error

    async def _send(
        self,
        method: str,
        path: str,
        body: JsonObject | None,
        seconds: float,
        *,
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> object:
        """Send a request once and return the `data` of the response."""
        try:
            response = await self._http.send(method, path, seconds, json=body, max_bytes=max_bytes)
        except NoAnswer as error:
            if error.timed_out:
                raise _timeout_error(path, seconds) from error
            is_passing = not isinstance(error, AnswerTooLarge)
            raise CarrierError(error.message, may_have_acted=True, is_passing=is_passing) from error
        except ServiceUnavailable as error:
            raise CarrierError(error.message, is_passing=True) from error
        return self._parse_data(response)

    def _parse_data(self, response: httpx.Response) -> object:
        """Return the `data` of a successful response.

        Raises:
            CarrierError: the response is an error, or has an unknown shape.
        """
        status = response.status_code
        try:
            body: object = read_json(response.content)
        except ValueError:
            body = None
        if response.is_success and isinstance(body, dict) and body.get("status") == "OK" and "data" in body:
            return body["data"]
        problem = parse_problem(body)
        words = self._without_key(str(problem))[:MAX_PROBLEM_LENGTH]
        is_refusal = bool(words) and status < SERVER_ERROR
        raise CarrierError(
            f"the carrier answered {status}: {words or 'without a readable message'}",
            http_status=status,
            staff_text=_("La transportadora dice: {words}").format(
                words=self._without_key(problem.words)[:MAX_WORDS]
            )
            if is_refusal
            else "",
            fields={
                name[:MAX_WORDS]: self._without_key(text)[:MAX_WORDS]
                for name, text in islice(problem.fields.items(), MAX_PROBLEM_FIELDS)
            },
            may_have_acted=status >= SERVER_ERROR or (response.is_success and not words),
            is_passing=status >= SERVER_ERROR,
        )

    def _without_key(self, text: str) -> str:
        """Remove the shop's API key from the text, because messages of the carrier may contain it."""
        key = self._key.get_secret_value()
        return text.replace(key, "•••") if key else text


def _find_rate_contradiction(rate: object, quotation: Quotation) -> str | None:
    return find_contradiction(rate, quotation) if isinstance(rate, Mapping) else None


def _timeout_error(path: str, seconds: float) -> CarrierError:
    return CarrierError(f"the carrier did not answer {path} within {seconds:g} s", may_have_acted=True)


def _require_object(data: object) -> JsonObject:
    if isinstance(data, dict):
        return data
    raise CarrierError("the carrier's response lacks an object", may_have_acted=True)
