"""The carrier's API over HTTP (spec: Carrier API; wire: carrier).

What only reads is asked again when the failure may pass. What makes or cancels a label is asked once: the carrier has
no key against repetition, and a second label is paid for.
"""

import logging
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

import httpx
from pydantic import SecretStr

from backend.core.config.settings import SANDBOX_CARRIER_KEY, Settings
from backend.core.db.tables import JsonObject
from backend.core.errors import OutcomeUnknown
from backend.core.money import Cop
from backend.core.texts import _
from backend.core.web.http_client import AnswerTooLarge, HttpClient, NoAnswer, RetryPolicy, ServiceUnavailable
from backend.core.web.outside_values import read_json
from backend.core.web.response_limits import MAX_PDF_RESPONSE_BYTES, MAX_RESPONSE_BYTES
from backend.shipping.providers.base import Label, TrackingUpdate
from backend.shipping.providers.carrier.rate_checks import find_contradiction
from backend.shipping.providers.carrier.requests import Quotation, Shipment
from backend.shipping.providers.carrier.responses import (
    MAX_WORDS,
    CarrierError,
    Rate,
    cheapest,
    problem_in,
    read_cancelled,
    read_label,
    read_tracking,
    whole,
)

log = logging.getLogger(__name__)

USER_AGENT = "Trompo/1.0"
"""The carrier refuses the names of HTTP libraries (wire: carrier 2.1)."""

CANCELLATION_BATCH = 50
"""At most so many labels are cancelled at once (spec: Limits)."""

SERVER_ERROR = 500
MAX_PROBLEM_LENGTH = 1_000
"""Characters of a refusal that are kept."""
MAX_PROBLEM_FIELDS = 30


@dataclass(frozen=True, slots=True)
class CarrierPolicy(RetryPolicy):
    """How long the carrier is waited for, retries included. Five to eight seconds are usual (wire: carrier 2.1).

    Attributes:
        quotation: seconds for a quotation, in place of `read`.
    """

    read: float = 15.0
    write: float = 40.0
    pause: float = 0.2
    longest_pause: float = 2.0
    quotation: float = 12.0


def carrier_client(
    settings: Settings,
    transport: httpx.AsyncBaseTransport | None = None,
    policy: CarrierPolicy | None = None,
    most_connections: int = 100,
) -> "CarrierClient":
    """The client that the settings name.

    Raises:
        RuntimeError: the embedded carrier is to be used, but no transport leads to it.
    """
    if settings.uses_sandbox_carrier and transport is None:
        raise RuntimeError("the embedded carrier is reached through a transport, and none was given")
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
    """One connection pool to the carrier. Safe to share; close it at the end."""

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
        self._shipment_path = "/shipment_sandbox" if creates_test_labels else "/shipment"
        self._http = HttpClient(
            "the carrier",
            policy,
            base_url=base_url,
            headers={"Authorization": api_key.get_secret_value(), "User-Agent": USER_AGENT},
            transport=transport,
            most_connections=most_connections,
        )

    async def close(self) -> None:
        """Close the connections."""
        await self._http.close()

    async def quotation(self, quotation: Quotation) -> Sequence[object]:
        """Return the rates as they came, valid or not, of this shipment; none means that no courier goes there.

        Raises:
            CarrierError: there is no answer to use, or none of its rates is of this shipment and in pesos.
        """
        data = _object(await self._read("POST", "/quotation", quotation.body(), self._policy.quotation))
        rates = data.get("rates")
        if not isinstance(rates, list):
            raise CarrierError("the carrier's quotation has no list of rates")
        found = find_contradiction(data, quotation)
        if found is not None:
            raise CarrierError(f"the carrier priced another shipment: {found}")
        void = [why for rate in rates if (why := _contradiction_of(rate, quotation)) is not None]
        if not void:
            return rates
        log.warning("%d of %d rates are void: %s", len(void), len(rates), void[0])
        kept = [rate for rate in rates if _contradiction_of(rate, quotation) is None]
        if not kept:
            raise CarrierError(f"every rate is void: {void[0]}")
        return kept

    async def cheapest_rate(self, quotation: Quotation) -> Rate | None:
        """Return the cheapest valid rate of the quotation; None if no courier offers one.

        Raises:
            CarrierError: see `quotation`.
        """
        return self.cheapest_of(await self.quotation(quotation))

    def cheapest_of(self, rates: Sequence[object]) -> Rate | None:
        """Return the cheapest valid one of these rates, not below the setting's sum; None if none is."""
        return cheapest(rates, min_price=self._min_rate)

    async def shipment(self, shipment: Shipment) -> Label:
        """Make a label; a test one when the settings say so. Never repeated.

        Raises:
            CarrierError: no label was made.
            OutcomeUnknown: one may have been made.
        """
        try:
            answer = await self._send(
                "POST",
                self._shipment_path,
                shipment.body(),
                self._policy.write,
                max_bytes=MAX_PDF_RESPONSE_BYTES,
            )
            return read_label(_object(answer))
        except CarrierError as error:
            if error.may_have_acted:
                raise OutcomeUnknown(f"The label may have been made: {error.message}") from error
            raise

    async def track(self, tracking_number: str) -> TrackingUpdate | None:
        """Where the shipment is; None when the carrier does not know it.

        Raises:
            CarrierError: there is no answer to use.
        """
        body = {"trackingCode": tracking_number}
        return read_tracking(await self._read("POST", "/track", body, self._policy.read))

    async def track_by_orders(self, order_ids: Iterable[int]) -> dict[int, TrackingUpdate]:
        """Where the shipments of several labels are; those the carrier does not know are left out.

        Raises:
            CarrierError: there is no answer to use.
        """
        body = {"orders": list(order_ids)}
        data = _object(await self._read("POST", "/track-by-orders", body, self._policy.read))
        found = {whole(name): read_tracking(tracking) for name, tracking in data.items()}
        return {
            order_id: tracking for order_id, tracking in found.items() if order_id is not None and tracking
        }

    async def cancel(self, order_ids: Iterable[int]) -> frozenset[int]:
        """Cancel labels, in batches of at most 50, and say which are cancelled now: it may be fewer.

        Raises:
            CarrierError: a batch was refused.
            OutcomeUnknown: a batch may have been carried out. Repeating does no harm.
        """
        cancelled: set[int] = set()
        remaining = iter(dict.fromkeys(order_ids))
        while batch := list(islice(remaining, CANCELLATION_BATCH)):
            cancelled |= read_cancelled(await self._cancel(batch)) & set(batch)
        return frozenset(cancelled)

    async def _cancel(self, batch: list[int]) -> JsonObject:
        body = {"idOrders": batch}
        try:
            return _object(await self._send("POST", "/cancellation/batch/order", body, self._policy.read))
        except CarrierError as error:
            if error.may_have_acted:
                raise OutcomeUnknown(f"The labels may have been cancelled: {error.message}") from error
            raise

    async def _read(self, method: str, path: str, body: JsonObject | None, seconds: float) -> object:
        """Ask what changes nothing, again if the failure may pass, all within so many seconds."""
        try:
            return await self._http.repeat(
                lambda: self._send(method, path, body, seconds),
                seconds=seconds,
                is_passing=lambda error: isinstance(error, CarrierError) and error.is_passing,
            )
        except NoAnswer as error:
            raise _too_late(path, seconds) from error

    async def _send(
        self,
        method: str,
        path: str,
        body: JsonObject | None,
        seconds: float,
        *,
        max_bytes: int = MAX_RESPONSE_BYTES,
    ) -> object:
        """Ask once. Returns the `data` of the answer."""
        try:
            response = await self._http.send(method, path, seconds, json=body, max_bytes=max_bytes)
        except NoAnswer as error:
            if error.timed_out:
                raise _too_late(path, seconds) from error
            is_passing = not isinstance(error, AnswerTooLarge)
            raise CarrierError(error.message, may_have_acted=True, is_passing=is_passing) from error
        except ServiceUnavailable as error:
            raise CarrierError(error.message, is_passing=True) from error
        return self._data_of(response)

    def _data_of(self, response: httpx.Response) -> object:
        """The `data` of a good answer.

        Raises:
            CarrierError: the answer is an error, or not what the carrier answers.
        """
        status = response.status_code
        try:
            body: object = read_json(response.content)
        except ValueError:
            body = None
        if response.is_success and isinstance(body, dict) and body.get("status") == "OK" and "data" in body:
            return body["data"]
        problem = problem_in(body)
        words = self._without_key(str(problem))[:MAX_PROBLEM_LENGTH]
        is_refusal = bool(words) and status < SERVER_ERROR
        raise CarrierError(
            f"the carrier answered {status}: {words or 'nothing that can be understood'}",
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
        """The carrier's words may repeat our key: they are kept without it."""
        key = self._key.get_secret_value()
        return text.replace(key, "•••") if key else text


def _contradiction_of(rate: object, quotation: Quotation) -> str | None:
    return find_contradiction(rate, quotation) if isinstance(rate, Mapping) else None


def _too_late(path: str, seconds: float) -> CarrierError:
    return CarrierError(f"the carrier did not answer {path} within {seconds:g} s", may_have_acted=True)


def _object(data: object) -> JsonObject:
    if isinstance(data, dict):
        return data
    raise CarrierError("the carrier's answer holds no object where one belongs", may_have_acted=True)
