"""Registration of providers by module blocks (spec: What the service does 7)."""

import pytest

from backend.core.config import modules
from backend.core.config.modules import (
    BUILT_IN,
    FULFILLMENT,
    INVOICES,
    PAYMENT,
    ModuleBlock,
    registered_providers,
)
from backend.core.config.settings import Settings
from backend.core.errors import CannotStart
from backend.start import prepare


def test_later_module_block_of_a_service_replaces_the_earlier_block() -> None:
    blocks = (*BUILT_IN, ModuleBlock(FULFILLMENT, ("carrier_standard",)))
    assert registered_providers(blocks)[FULFILLMENT] == ("carrier_standard",)  # without the built-in one


def test_service_without_a_module_block_has_its_built_in_provider() -> None:
    assert registered_providers(BUILT_IN) == {
        FULFILLMENT: ("manual_manual",),
        PAYMENT: ("pp_system_default",),
    }


def test_shop_declares_built_in_and_own_providers() -> None:
    assert registered_providers() == {
        FULFILLMENT: ("manual_manual", "carrier_standard", "own_delivery"),
        PAYMENT: ("pp_system_default", "gateway_pse"),
        INVOICES: ("file", "ubl"),
    }


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (ModuleBlock(PAYMENT, ("pp_system_default", "gateway_psee")), "'payment' names gateway_psee"),
        (ModuleBlock(FULFILLMENT, ("gateway_pse",)), "'fulfillment' names gateway_pse"),
        (ModuleBlock("carrierpigeon", ("pigeon",)), "'carrierpigeon' names pigeon"),
    ],
)
async def test_unknown_provider_stops_the_start_with_one_line(
    block: ModuleBlock, expected: str, settings: Settings, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(modules.registered_providers, "__defaults__", ((*BUILT_IN, block),))
    with pytest.raises(CannotStart) as stopped:
        await prepare(settings)
    (line,) = str(stopped.value).splitlines()
    assert expected in line
