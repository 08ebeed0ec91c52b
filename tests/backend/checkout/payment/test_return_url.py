"""Return pages of the bank: only of the shop, or of a storefront in STORE_CORS."""

from dataclasses import replace

import pytest

from backend.checkout.payment.return_url import require_return_url
from backend.core.config.origins import parse_origins
from backend.core.errors import InvalidData
from backend.payment.providers.base import CheckedPayer
from tests.backend.checkout.paying_kit import IP, Till

STOREFRONTS = parse_origins(r"https://tienda.example,http://localhost:8000,/^https:\/\/[a-z]+\.vercel\.app$/")


@pytest.fixture
def database_url(sqlite_url: str) -> str:
    return sqlite_url


@pytest.mark.parametrize(
    "address",
    [
        "https://tienda.example/co/order/{order_id}/bank?de=pse",
        "HTTPS://Tienda.example/",
        "http://localhost:8000",
        "https://rama.vercel.app/gracias",
    ],
)
def test_return_url_of_a_listed_storefront_is_accepted(address: str) -> None:
    assert require_return_url(address, STOREFRONTS) == address


@pytest.mark.parametrize(
    "address",
    [
        "https://evil.example/",
        "https://tienda.example.evil.example/",
        "https://tienda.example@evil.example/",
        "https://tienda.example\\@evil.example/",
        "https://tienda.example:8443/",
        "https://tienda.example:x/",
        "http://tienda.example/",
        "https://{order_id}.vercel.app/",
        "//tienda.example/",
        "/co/order",
        "javascript:alert(1)//https://tienda.example",
        "https://tienda.example/\n",
        "https://tienda.example/" + "a" * 500,
        "https://[tienda.example/",
        "",
        7,
        ["https://tienda.example/"],
    ],
)
def test_return_url_outside_the_listed_storefronts_is_refused(address: object) -> None:
    with pytest.raises(InvalidData) as refused:
        require_return_url(address, STOREFRONTS)
    assert list(refused.value.fields) == ["return_url"]


async def test_bank_gets_the_storefronts_order_page_as_return_url(till: Till) -> None:
    settings = till.checkout.settings.model_copy(update={"store_cors": "https://tienda.example"})
    checkout = replace(till.checkout, settings=settings)
    cart_id = await till.cart(await till.make_variant())
    to = CheckedPayer({"bank": "1022"})
    with pytest.raises(InvalidData, match="STORE_CORS"):
        await checkout.start_payment(cart_id, "gateway_pse", to, ip=IP, return_url="https://evil.example")
    assert till.bank.started == []
    page = "https://tienda.example/co/order/{order_id}/bank"
    await checkout.start_payment(cart_id, "gateway_pse", to, ip=IP, return_url=page)
    order = (await checkout.complete(cart_id)).order
    assert till.bank.started[0].return_url == f"https://tienda.example/co/order/{order.id}/bank"
