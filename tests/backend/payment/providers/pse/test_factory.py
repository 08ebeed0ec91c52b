from pathlib import Path

import httpx
from pydantic import SecretStr

from backend.payment.providers.pse.client import gateway_client, gateway_credentials
from backend.payment.providers.pse.requests import GatewayBases
from backend.settings import SANDBOX_CUST_ID, GatewayEnv, Settings

OURS = {
    "p_cust_id_cliente": "424242",
    "p_key": SecretStr("p-key"),
    "public_key": "public",
    "private_key": SecretStr("ffeeddccbbaa99887766554433221100"),
}


def settings(tmp_path: Path, **given: object) -> Settings:
    return Settings.model_validate({"data_dir": tmp_path, **given})


async def test_without_keys_the_embedded_gateway_is_called(tmp_path: Path) -> None:
    embedded = settings(tmp_path, public_url="https://shop.example")
    async with gateway_client(embedded) as client:
        assert client.bases == GatewayBases.under("https://shop.example/sandbox/gateway")
        assert client.test_mode
    assert gateway_credentials(embedded).cust_id == SANDBOX_CUST_ID


async def test_over_a_transport_the_embedded_gateway_answers_at_the_root(tmp_path: Path) -> None:
    transport = httpx.MockTransport(lambda _: httpx.Response(200))
    async with gateway_client(settings(tmp_path), transport) as client:
        assert client.bases == GatewayBases.under("http://gateway.sandbox")


async def test_with_keys_the_official_addresses_are_called_in_test_mode(tmp_path: Path) -> None:
    async with gateway_client(settings(tmp_path, **OURS)) as client:
        assert client.bases == GatewayBases()
        assert client.test_mode
        assert client.credentials.cust_id == "424242"
        assert client.credentials.private_key.get_secret_value() == "ffeeddccbbaa99887766554433221100"


async def test_one_setting_replaces_all_addresses(tmp_path: Path) -> None:
    async with gateway_client(settings(tmp_path, gateway_url="http://127.0.0.1:9/gw/", **OURS)) as client:
        assert client.bases == GatewayBases.under("http://127.0.0.1:9/gw")


async def test_production_is_live(tmp_path: Path) -> None:
    live = settings(
        tmp_path,
        gateway_env=GatewayEnv.PRODUCTION,
        public_url="https://shop.example",
        secret_key="FLqPVu1WwY0dJ8aT-9sBxkZ3mCeRnHgOi5y_2tQ7lKo",
        carrier_api_key="carrier",
        **OURS,
    )
    async with gateway_client(live) as client:
        assert not client.test_mode
        assert client.source == "https://secure.payco.co live"
