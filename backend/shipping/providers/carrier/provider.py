"""Calculated shipping: the cheapest courier of the carrier's live quotation (spec: Price rule)."""

import logging
from collections.abc import Sequence
from dataclasses import asdict, replace

from backend.core import clock
from backend.core.config.modules import CARRIER
from backend.core.errors import OutcomeUnknown
from backend.core.observability.logs import hide_in_log
from backend.core.texts import _
from backend.shipping.providers.base import (
    FulfillmentProvider,
    Label,
    LabelRequest,
    LabelTooExpensive,
    Quote,
    QuoteRequest,
    TrackingStage,
    TrackingUpdate,
)
from backend.shipping.providers.carrier.client import CarrierClient
from backend.shipping.providers.carrier.quotes import LiveQuotes, rate_data
from backend.shipping.providers.carrier.requests import quotation_for, shipment_for
from backend.shipping.providers.carrier.responses import CarrierError
from backend.shipping.working_days import next_working_day

log = logging.getLogger(__name__)

REFUSALS = (400, 404, 422)
"""What the carrier answers when it takes exception to a number, and not to us or to itself."""


MOST_QUOTATIONS = 200
"""Connections for shoppers' quotations in one process."""


class CarrierStandard(FulfillmentProvider):
    """Prices and labels from the carrier. The shopper does not choose the courier: it is the cheapest one.

    `client` makes and follows labels; with `quotes` of another client, no number of shoppers who wait for prices takes
    its connections.
    """

    id = CARRIER
    can_calculate = True

    def __init__(self, client: CarrierClient, quotes: LiveQuotes | None = None) -> None:
        self._client = client
        self._quotes = quotes or LiveQuotes(client)

    async def calculate_price(self, request: QuoteRequest) -> Quote:
        """The live price, or 15 000 COP when there is none: no failure of the carrier's stops a shopper.

        Each call asks the carrier; calls for the same shipment at the same time share one question.

        Raises:
            InvalidData: the destination's code is none.
        """
        hide_in_log(asdict(request.destination))
        return await self._quotes.price(request)

    async def close(self) -> None:
        """Drop the quotations that nobody waits for any more, and give the connections back."""
        await self._quotes.close()
        await self._client.close()

    async def create_fulfillment(self, request: LabelRequest) -> Label:
        """Quote again, as rates drift, and make the label with the cheapest courier.

        Raises:
            InvalidData: a contact cannot be made to fit the carrier's fields.
            LabelTooExpensive: the cheapest courier is dearer than `request.max_price`.
            CarrierError: no courier goes there, or no label was made.
            OutcomeUnknown: a label may have been made.
        """
        hide_in_log(asdict(request.destination))
        pickup_date = request.pickup_date or next_working_day(clock.now())
        draft = shipment_for(
            request, rate_id=0, pickup_date=pickup_date
        )  # what cannot be sent is known before asking
        rate = await self._client.cheapest_rate(quotation_for(_quote_request(request)))
        if rate is None:
            raise CarrierError(
                "no courier offers a valid rate for this shipment",
                staff_text=_("Ninguna transportadora lleva este paquete a esa dirección."),
            )
        if request.max_price is not None and rate.price > request.max_price:
            raise LabelTooExpensive(rate.price, request.max_price)
        label = await self._client.shipment(draft.model_copy(update={"id_rate": rate.id}))
        log.info("label %s made for %s with %s", label.carrier_order_id, request.reference, rate.carrier)
        return replace(label, data=rate_data(rate) | {"pickupDate": pickup_date.isoformat()})

    async def cancel_fulfillment(self, label: Label) -> None:
        """Cancel the label and believe it only when the carrier says so.

        An answer that does not name the label, or none at all, is checked against its tracking: the carrier
        is known to answer 200 for labels that it did not cancel (wire: carrier 2.5).

        Raises:
            CarrierError: the label is not cancelled.
            OutcomeUnknown: it may be; ask again.
        """
        failure: CarrierError | OutcomeUnknown
        try:
            if label.carrier_order_id is None:
                failure = CarrierError(
                    "the label has no number to cancel it by: cancel it at the carrier",
                    staff_text=_(
                        "La guía no tiene con qué anularla aquí: anúlala en la página de la transportadora."
                    ),
                )
            elif label.carrier_order_id in await self._client.cancel([label.carrier_order_id]):
                return
            else:
                failure = CarrierError(
                    "the carrier did not cancel the label; it may have been collected",
                    staff_text=_("La transportadora no la anuló: puede que ya la haya recogido."),
                )
        except (CarrierError, OutcomeUnknown) as error:
            failure = error
        if not await self._is_cancelled(label):
            raise failure

    async def track(self, labels: Sequence[Label]) -> list[TrackingUpdate | None]:
        """Where the shipments are: one question for all that have a number at the carrier, and one for each other.

        Raises:
            CarrierError: there is no answer to use.
        """
        numbers = dict.fromkeys(
            label.carrier_order_id for label in labels if label.carrier_order_id is not None
        )
        by_number = await self._tracked(list(numbers)) if numbers else {}
        return [
            await self._tracked_by_code(label.tracking_number or "")
            if label.carrier_order_id is None
            else by_number.get(label.carrier_order_id)
            for label in labels
        ]

    async def _tracked(self, order_ids: Sequence[int]) -> dict[int, TrackingUpdate]:
        """Where the shipments are, by their numbers. One that is refused spoils nobody's answer: it ends up alone."""
        try:
            return await self._client.track_by_orders(order_ids)
        except CarrierError as error:
            if error.http_status not in REFUSALS:
                raise
            if len(order_ids) == 1:
                log.warning("label %s cannot be tracked: %s", order_ids[0], error)
                return {}
        half = len(order_ids) // 2
        return await self._tracked(order_ids[:half]) | await self._tracked(order_ids[half:])

    async def _tracked_by_code(self, tracking_number: str) -> TrackingUpdate | None:
        try:
            return await self._client.track(tracking_number) if tracking_number else None
        except CarrierError as error:
            if error.http_status not in REFUSALS:
                raise
            log.warning("shipment %s cannot be tracked: %s", tracking_number, error)
            return None

    async def _is_cancelled(self, label: Label) -> bool:
        try:
            (update,) = await self.track([label])
        except CarrierError as error:
            log.warning(
                "label %s cannot be tracked after its cancellation: %s", label.carrier_order_id, error
            )
            return False
        return update is not None and update.stage is TrackingStage.CANCELED


def _quote_request(request: LabelRequest) -> QuoteRequest:
    return QuoteRequest(
        origin=request.origin.place,
        destination=request.destination.place,
        packages=request.packages,
        content_value=request.content_value,
        description=request.description,
    )
