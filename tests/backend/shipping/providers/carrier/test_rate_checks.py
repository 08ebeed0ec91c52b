"""Rates that are not valid for the shipment (docs/shipping.md, "The price").

fault                                          | result
-----------------------------------------------|----------------------------------------------------------------
another currency, in the response or in a rate | invalid: the next rate, else the fixed price; no label
the response repeats another destination       | invalid
the response repeats other packages            | invalid
a sum below the setting (1,000 pesos)          | no price
a sum of MAX_RATE and above                    | no price
a rate far below or above the others           | a price like any other
no data are repeated, or in another notation   | valid
"""

import json
from collections.abc import Sequence
from typing import Any

import httpx
import pytest
from pydantic import SecretStr

from backend.core.config.settings import Settings
from backend.shipping.packages import Item, pack_items
from backend.shipping.providers.carrier.client import create_carrier_client
from backend.shipping.providers.carrier.provider import CarrierStandard
from backend.shipping.providers.carrier.rate_checks import find_contradiction
from backend.shipping.providers.carrier.requests import to_quotation
from backend.shipping.providers.carrier.responses import MAX_RATE, CarrierError
from backend.shipping.providers.fallback import FALLBACK_PRICE
from tests.backend.shipping.samples import QUICK, make_rate, quote_request, shipment_request

QUOTATION = to_quotation(quote_request(packages=pack_items([Item(1, weight=1.3)])))
PACKAGE = {"weight": 1.3, "height": 20, "width": 20, "length": 20}
OTHER_PLACE = {"destination": {"daneCode": "91001000", "address": "Calle 1 # 2-34"}}


def settings(**changes: Any) -> Settings:
    return Settings(carrier_api_url="https://carrier.example", carrier_api_key=SecretStr("key"), **changes)


def make_provider(rates: Sequence[object], /, settings: Settings, **echo: Any) -> CarrierStandard:
    """Return a provider whose carrier quotes these rates, and gives a label the id of its rate.

    `echo` has further fields of the quotation's `data`.
    """

    def answer(request: httpx.Request) -> httpx.Response:
        if request.url.path.endswith("/quotation"):
            return httpx.Response(200, json={"status": "OK", "data": {"rates": rates, **echo}})
        sent = json.loads(request.content)
        data = {"idOrder": sent["idRate"], "tracker": "T1"}
        return httpx.Response(200, json={"status": "OK", "data": data})

    return CarrierStandard(create_carrier_client(settings, httpx.MockTransport(answer), QUICK))


@pytest.mark.parametrize(
    ("rates", "echo", "price", "label"),
    [
        ([make_rate()], {}, 15_595, 1),
        ([make_rate(idRate=2, currency="USD", flete=9), make_rate()], {}, 15_595, 1),
        ([make_rate(moneda="usd")], {}, FALLBACK_PRICE, None),
        ([make_rate()], {"currency": "MXN"}, FALLBACK_PRICE, None),
        ([make_rate(currency="cop")], {"currency": "COP"}, 15_595, 1),
        ([make_rate()], OTHER_PLACE, FALLBACK_PRICE, None),
        ([make_rate(idRate=2, flete=2_000, **OTHER_PLACE), make_rate()], {}, 15_595, 1),
        ([make_rate()], {"packages": [{**PACKAGE, "weight": 0.1}]}, FALLBACK_PRICE, None),
        ([make_rate(idRate=2, flete=900, minimumInsurance=99), make_rate()], {}, 15_595, 1),
        ([make_rate(flete=900, minimumInsurance=99)], {}, FALLBACK_PRICE, None),
        ([make_rate(flete=900, minimumInsurance=100)], {}, 1_000, 1),
        ([make_rate(flete=MAX_RATE - 1, minimumInsurance=1)], {}, FALLBACK_PRICE, None),
        ([make_rate(flete=MAX_RATE - 2, minimumInsurance=1)], {}, MAX_RATE - 1, 1),
        ([make_rate(idRate=2, flete=1_001, minimumInsurance=0), make_rate(flete=400_000)], {}, 1_001, 2),
    ],
)
async def test_invalid_rate_is_used_neither_for_a_price_nor_for_a_label(
    rates: list[Any], echo: dict[str, Any], price: int, label: int | None
) -> None:
    carrier = make_provider(rates, settings(), **echo)
    request = quote_request(packages=pack_items([Item(1, weight=1.3)]))
    quote = await carrier.calculate_price(request)
    assert (quote.amount, quote.is_fallback) == (price, label is None)
    wanted = shipment_request(packages=request.packages)
    if label is None:
        with pytest.raises(CarrierError):
            await carrier.create_fulfillment(wanted)
    else:
        assert (await carrier.create_fulfillment(wanted)).carrier_order_id == label
    await carrier.close()


@pytest.mark.parametrize(("least", "price"), [(0, 1), (200, FALLBACK_PRICE)])
async def test_rate_below_the_minimum_in_the_settings_is_not_used(least: int, price: int) -> None:
    carrier = make_provider([make_rate(flete=1, minimumInsurance=0)], settings(carrier_min_rate=least))
    assert (await carrier.calculate_price(quote_request())).amount == price
    await carrier.close()


@pytest.mark.parametrize(
    ("answer", "is_believed"),
    [
        ({}, True),
        ({"destination": None, "packages": None, "currency": None}, True),
        ({"destination": {"address": "x"}, "packages": []}, True),
        ({"destination": {"daneCode": "05001000"}, "packages": [PACKAGE]}, True),
        ({"destination": {"daneCode": 5001000}}, True),
        ({"destination": {"daneCode": "05001"}}, True),
        ({"destination": {"daneCode": 5001}}, True),
        ({"destination": {"daneCode": "05001001"}}, False),
        ({"destination": {"daneCode": "Medellín"}}, False),
        ({"destination": {"daneCode": "9" * 5_000}}, False),
        ({"packages": [{**PACKAGE, "weight": "1.30", "height": "20.0"}]}, True),
        ({"packages": [{**PACKAGE, "weight": 2}]}, True),
        ({"packages": [{**PACKAGE, "weight": 3}]}, False),
        ({"packages": [{**PACKAGE, "height": 21}]}, False),
        ({"packages": [{**PACKAGE, "weight": "mucho"}]}, False),
        ({"packages": [{**PACKAGE, "weight": float("nan")}]}, False),
        ({"packages": [PACKAGE, PACKAGE]}, False),
        ({"packages": ["1.3"]}, False),
        ({"packages": [{"weight": 1.3}]}, True),
        ({"package": {**PACKAGE, "length": 90}}, False),
        ({"currencyCode": " COP "}, True),
        ({"currencyCode": "US$"}, False),
    ],
)
def test_response_is_refused_only_if_it_contradicts_the_request(
    answer: dict[str, Any], is_believed: bool
) -> None:
    assert (find_contradiction(answer, QUOTATION) is None) is is_believed
