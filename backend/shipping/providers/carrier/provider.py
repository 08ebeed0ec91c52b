"""Calculated shipping: the cheapest courier of the carrier's live quotation (spec: Price rule)."""

import logging
from collections.abc import Sequence
from dataclasses import asdict, replace

from backend.core import clock
from backend.core.business_days import add_business_days
from backend.core.config.modules import CARRIER
from backend.core.dates import today_in_colombia
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
from backend.shipping.providers.carrier.quotes import LiveQuotes, to_rate_data
from backend.shipping.providers.carrier.requests import to_quotation, to_shipment
from backend.shipping.providers.carrier.responses import CarrierError

log = logging.getLogger(__name__)

REFUSALS = (400, 404, 422)
"""Response statuses that mean that the carrier refused a label's number.

Other error statuses mean that the authentication or the carrier failed.
"""


MAX_QUOTATION_CONNECTIONS = 200
"""Maximum number of connections for shoppers' quotations in one process."""


class CarrierStandard(FulfillmentProvider):
    """Provider with prices and labels of the carrier.

    It uses the cheapest courier; the shopper does not choose the courier.

    `client` creates and tracks labels. `quotes` uses a separate client, so that shoppers who wait for prices do not
    use up the connections of `client`.
    """

    id = CARRIER
    can_calculate = True

    def __init__(self, client: CarrierClient, quotes: LiveQuotes | None = None) -> None:
        self._client = client
        self._quotes = quotes or LiveQuotes(client)

    async def calculate_price(self, request: QuoteRequest) -> Quote:
        """Return the live price, or 15 000 COP if there is none: a failure of the carrier never stops a purchase.

        Each call requests a quotation; concurrent calls for the same shipment share one.

        Raises:
            InvalidData: the destination's code is not valid.
        """
        hide_in_log(asdict(request.destination))
        return await self._quotes.get_price(request)

    async def close(self) -> None:
        """Cancel the running quotations, and close the connections."""
        await self._quotes.close()
        await self._client.close()

    async def create_fulfillment(self, request: LabelRequest) -> Label:
        """Request a new quotation, because rates change, and create the label with the cheapest courier.

        Raises:
            InvalidData: a contact cannot be adapted to the carrier's fields.
            LabelTooExpensive: the cheapest courier costs more than `request.max_price`.
            CarrierError: no courier ships there, or no label was created.
            OutcomeUnknown: a label may have been created.
        """
        hide_in_log(asdict(request.destination))
        pickup_date = request.pickup_date or add_business_days(today_in_colombia(clock.now()), 1)
        draft = to_shipment(
            request, rate_id=0, pickup_date=pickup_date
        )  # validates the contacts before the quotation
        rate = await self._client.request_cheapest_rate(to_quotation(_to_quote_request(request)))
        if rate is None:
            raise CarrierError(
                "no courier offers a valid rate for this shipment",
                staff_text=_("Ninguna transportadora lleva este paquete a esa dirección."),
            )
        if request.max_price is not None and rate.price > request.max_price:
            raise LabelTooExpensive(rate.price, request.max_price)
        label = await self._client.create_shipment(draft.model_copy(update={"id_rate": rate.id}))
        log.info("label %s created for %s with %s", label.carrier_order_id, request.reference, rate.carrier)
        pickup = {"pickupDate": pickup_date.isoformat()}
        return replace(label, data={**label.data, **to_rate_data(rate), **pickup})

    async def cancel_fulfillment(self, label: Label) -> None:
        """Cancel the label, and verify the cancellation.

        If the response does not list the label, or there is no response, the label's tracking status is checked,
        because the carrier sometimes responds with 200 for labels that it did not cancel (wire: carrier 2.5).

        Raises:
            CarrierError: the label is not cancelled.
            OutcomeUnknown: the label may be cancelled; the caller should repeat the call.
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
        """Return the progress of the shipments.

        One request covers all labels that have the carrier's number. Every other label needs a separate request.

        Raises:
            CarrierError: there is no usable response.
        """
        numbers = dict.fromkeys(
            label.carrier_order_id for label in labels if label.carrier_order_id is not None
        )
        by_number = await self._track_by_numbers(list(numbers)) if numbers else {}
        return [
            await self._track_by_code(label.tracking_number or "")
            if label.carrier_order_id is None
            else by_number.get(label.carrier_order_id)
            for label in labels
        ]

    async def _track_by_numbers(self, order_ids: Sequence[int]) -> dict[int, TrackingUpdate]:
        """Return the progress of the shipments by the carrier's number.

        If the carrier refuses a batch, each half is requested separately, until the refused number is found and
        left out.
        """
        try:
            return await self._client.track_by_orders(order_ids)
        except CarrierError as error:
            if error.http_status not in REFUSALS:
                raise
            if len(order_ids) == 1:
                log.warning("label %s cannot be tracked: %s", order_ids[0], error)
                return {}
        half = len(order_ids) // 2
        return await self._track_by_numbers(order_ids[:half]) | await self._track_by_numbers(order_ids[half:])

    async def _track_by_code(self, tracking_number: str) -> TrackingUpdate | None:
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


def _to_quote_request(request: LabelRequest) -> QuoteRequest:
    return QuoteRequest(
        origin=request.origin.shipping_place,
        destination=request.destination.shipping_place,
        packages=request.packages,
        content_value=request.content_value,
        description=request.description,
    )
