"""The log of an attacked shop holds no token; it is searched again when the shop stops."""

import httpx

from tests.attacks.conftest import STAFF
from tests.e2e.conftest import ShopServer


async def test_sent_tokens_are_not_in_the_log(attacked_shop: ShopServer) -> None:
    async with httpx.AsyncClient(base_url=attacked_shop.url, timeout=60) as client:
        credentials = {"email": STAFF[0], "password": STAFF[1]}
        token = (await client.post("/auth/user/emailpass", json=credentials)).json()["token"]
        for path in ("/order/order_x", "/catalog", "/oficina/pedidos", "/no/such/page", "/admin/orders/x"):
            await client.get(path, params={"token": token}, headers={"authorization": f"Bearer {token}"})
    assert token in attacked_shop.tokens
    attacked_shop.require_clean_log()
