import pytest

from backend.core.errors import NotImplementedByProvider
from backend.shipping.providers.base import Label
from backend.shipping.providers.registry import ManualProvider
from tests.backend.shipping.samples import quote_request, shipment_request


async def test_manual_provider_has_no_prices() -> None:
    assert not ManualProvider.can_calculate
    with pytest.raises(NotImplementedByProvider, match="calculatePrice is not implemented by manual_manual"):
        await ManualProvider().calculate_price(quote_request())


async def test_manual_fulfillment_has_no_label_and_can_be_cancelled() -> None:
    label = await ManualProvider().create_fulfillment(shipment_request())
    assert label == Label()
    await ManualProvider().cancel_fulfillment(label)
