import pytest

from backend.core.errors import NotImplementedByProvider
from backend.shipping.providers.base import Label
from backend.shipping.providers.registry import ManualProvider
from tests.backend.shipping.samples import quote_request, shipment_request


async def test_it_has_no_prices_of_its_own() -> None:
    assert not ManualProvider.can_calculate
    with pytest.raises(NotImplementedByProvider, match="calculatePrice is not implemented by manual_manual"):
        await ManualProvider().calculate_price(quote_request())


async def test_its_fulfillment_has_no_label_and_is_cancelled_without_a_word() -> None:
    label = await ManualProvider().create_fulfillment(shipment_request())
    assert label == Label()
    await ManualProvider().cancel_fulfillment(label)


async def test_a_return_is_not_implemented_and_says_so() -> None:
    with pytest.raises(
        NotImplementedByProvider, match="createReturnFulfillment is not implemented by manual_manual"
    ):
        await ManualProvider().create_return_fulfillment(shipment_request())
