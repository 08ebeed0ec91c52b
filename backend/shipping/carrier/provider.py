"""Calculated shipping: the cheapest courier of the carrier's live quotation (spec: Price rule)."""

import logging
from collections.abc import Sequence
from datetime import date, datetime, timedelta

from holidays import country_holidays

from backend import clock
from backend.errors import OutcomeUnknown
from backend.modules import CARRIER
from backend.shipping.carrier.answers import COLOMBIA, Tracking
from backend.shipping.carrier.client import CarrierClient
from backend.shipping.carrier.errors import CarrierError
from backend.shipping.carrier.live_quotes import LiveQuotes, facts_of
from backend.shipping.carrier.messages import quotation_for, shipment_for
from backend.shipping.carrier.rates import cheapest
from backend.shipping.carrier.stages import sighting_of
from backend.shipping.providers.base import (
    FulfillmentProvider,
    Guide,
    LabelTooExpensive,
    Quote,
    QuoteRequest,
    ShipmentRequest,
)
from backend.shipping.stages import Sighting

log = logging.getLogger(__name__)

SATURDAY = 5
HOLIDAYS = country_holidays("CO")
"""Colombia's, of any year: many of them move to the Monday after."""
REFUSALS = (400, 404, 422)
"""What the carrier answers when it takes exception to a number, and not to us or to itself."""


class CarrierStandard(FulfillmentProvider):
    """Prices and guides from the carrier. The shopper does not choose the courier: it is the cheapest one."""

    id = CARRIER
    can_calculate = True

    def __init__(self, client: CarrierClient, quotes: LiveQuotes | None = None) -> None:
        self._client = client
        self._quotes = quotes or LiveQuotes(client)

    async def calculate_price(self, request: QuoteRequest) -> Quote:
        """The live price, or 15 000 COP when there is none: no failure of the carrier's stops a shopper.

        Each call asks the carrier; calls for the same parcel at the same time share one question.

        Raises:
            InvalidData: the destination's code is none.
        """
        return await self._quotes.price(request)

    async def close(self) -> None:
        """Drop the quotations that nobody waits for any more."""
        await self._quotes.close()

    async def create_fulfillment(self, request: ShipmentRequest) -> Guide:
        """Quote again, as rates drift, and make the guide with the cheapest courier.

        Raises:
            InvalidData: a contact cannot be made to fit the carrier's fields.
            LabelTooExpensive: the cheapest courier is dearer than `request.max_price`.
            CarrierError: no courier goes there, or no guide was made.
            OutcomeUnknown: a guide may have been made.
        """
        pickup_date = request.pickup_date or next_working_day(clock.now())
        draft = shipment_for(
            request, rate_id=0, pickup_date=pickup_date
        )  # what cannot be sent is known before asking
        rate = cheapest(await self._client.quotation(quotation_for(_quote_request(request))))
        if rate is None:
            raise CarrierError("no courier offers a valid rate for this parcel")
        if request.max_price is not None and rate.price > request.max_price:
            raise LabelTooExpensive(rate.price, request.max_price)
        made = await self._client.shipment(draft.model_copy(update={"id_rate": rate.id}))
        log.info("guide %s made for %s with %s", made.order_id, request.reference, rate.carrier)
        return Guide(
            tracking_number=made.tracking_number,
            carrier_order_id=made.order_id,
            label_url=made.label_url,
            label_pdf=made.label_pdf,
            data=facts_of(rate) | {"pickupDate": pickup_date.isoformat()},
        )

    async def cancel_fulfillment(self, guide: Guide) -> None:
        """Cancel the guide and believe it only when the carrier says so.

        An answer that does not name the guide, or none at all, is checked against its tracking: the carrier
        is known to answer 200 for guides that it did not cancel (wire: carrier 2.5).

        Raises:
            CarrierError: the guide is not cancelled.
            OutcomeUnknown: it may be; ask again.
        """
        failure: CarrierError | OutcomeUnknown
        try:
            if guide.carrier_order_id is None:
                failure = CarrierError("the guide has no number to cancel it by: cancel it at the carrier")
            elif guide.carrier_order_id in await self._client.cancel([guide.carrier_order_id]):
                return
            else:
                failure = CarrierError("the carrier did not cancel the guide; it may have been collected")
        except (CarrierError, OutcomeUnknown) as error:
            failure = error
        if not await self._is_cancelled(guide):
            raise failure

    async def track(self, guides: Sequence[Guide]) -> list[Sighting | None]:
        """Where the parcels are: one question for all that have a number at the carrier, and one for each other.

        Raises:
            CarrierError: there is no answer to use.
        """
        numbers = dict.fromkeys(
            guide.carrier_order_id for guide in guides if guide.carrier_order_id is not None
        )
        by_number = await self._tracked(list(numbers)) if numbers else {}
        return [await self._sighting(guide, by_number) for guide in guides]

    async def _sighting(self, guide: Guide, by_number: dict[int, Tracking]) -> Sighting | None:
        if guide.carrier_order_id is not None:
            tracking = by_number.get(guide.carrier_order_id)
        else:
            tracking = await self._tracked_by_code(guide.tracking_number or "")
        return sighting_of(tracking) if tracking else None

    async def _tracked(self, order_ids: Sequence[int]) -> dict[int, Tracking]:
        """Where the parcels are, by their numbers. One that is refused spoils nobody's answer: it ends up alone."""
        try:
            return await self._client.track_by_orders(order_ids)
        except CarrierError as error:
            if error.http_status not in REFUSALS:
                raise
            if len(order_ids) == 1:
                log.warning("guide %s cannot be tracked: %s", order_ids[0], error)
                return {}
        half = len(order_ids) // 2
        return await self._tracked(order_ids[:half]) | await self._tracked(order_ids[half:])

    async def _tracked_by_code(self, tracking_number: str) -> Tracking | None:
        try:
            return await self._client.track(tracking_number) if tracking_number else None
        except CarrierError as error:
            if error.http_status not in REFUSALS:
                raise
            log.warning("parcel %s cannot be tracked: %s", tracking_number, error)
            return None

    async def _is_cancelled(self, guide: Guide) -> bool:
        try:
            tracking = guide.tracking_number and await self._client.track(guide.tracking_number)
        except CarrierError as error:
            log.warning(
                "guide %s cannot be tracked after its cancellation: %s", guide.carrier_order_id, error
            )
            return False
        return bool(tracking and tracking.is_cancelled)


def next_working_day(moment: datetime) -> date:
    """The first day after this one in Colombia when a courier can collect: Monday to Friday, no public holiday."""
    day = moment.astimezone(COLOMBIA).date() + timedelta(days=1)
    while day.weekday() >= SATURDAY or day in HOLIDAYS:
        day += timedelta(days=1)
    return day


def _quote_request(request: ShipmentRequest) -> QuoteRequest:
    return QuoteRequest(
        origin=request.origin.place,
        destination=request.destination.place,
        packages=request.packages,
        content_value=request.content_value,
        description=request.description,
    )
