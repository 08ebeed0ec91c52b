"""Registration of providers by module blocks (spec: What the service does 7)."""

import re

import pytest
from pydantic import ValidationError

from backend.core.config.modules import (
    BUILT_IN,
    FULFILLMENT,
    INVOICES,
    PAYMENT,
    ModuleBlock,
    list_blocks,
    registered_providers,
)
from backend.core.config.settings import Settings
from backend.core.errors import CannotStart
from backend.start import prepare


def test_later_module_block_of_a_service_replaces_the_earlier_block() -> None:
    blocks = (*BUILT_IN, ModuleBlock(FULFILLMENT, ("carrier_standard",)))
    assert list(registered_providers(blocks)[FULFILLMENT]) == ["carrier_standard"]  # without the built-in one


def test_service_without_a_module_block_has_its_built_in_provider() -> None:
    assert registered_providers(BUILT_IN) == {
        FULFILLMENT: {"manual_manual": ""},
        PAYMENT: {"pp_system_default": ""},
    }


def test_shop_declares_built_in_and_own_providers(settings: Settings) -> None:
    assert registered_providers(list_blocks(settings.provider_lists)) == {
        FULFILLMENT: {"manual_manual": "", "carrier_standard": "", "own_delivery": ""},
        PAYMENT: {"pp_system_default": "", "gateway_pse": ""},
        INVOICES: {"file": "", "ubl": ""},
    }


def test_setting_of_a_service_replaces_its_default_providers() -> None:
    listed = "gateway_pse, my_bank=package.module:Provider"
    blocks = list_blocks({PAYMENT: listed, FULFILLMENT: ""})
    assert registered_providers(blocks)[PAYMENT] == {"gateway_pse": "", "my_bank": "package.module:Provider"}
    assert list(registered_providers(blocks)[FULFILLMENT]) == [
        "manual_manual",
        "carrier_standard",
        "own_delivery",
    ]


@pytest.mark.parametrize(
    ("listed", "problem"),
    [
        ("gateway-pse", "'gateway-pse' is neither a provider's id nor id=package.module:Class"),
        ("my_bank=package.module", "'my_bank=package.module' is neither"),
        ("=package:Class", "'=package:Class' is neither"),
        ("My_Bank=package:Class", "'My_Bank=package:Class' is neither"),
        ("my_bank=os;x:y", "'my_bank=os;x:y' is neither"),
        ("gateway_pse,gateway_pse", "gateway_pse is listed twice"),
        ("a_bank=x:Y,a_bank=z:Y", "a_bank is listed twice"),
    ],
)
def test_malformed_list_of_providers_is_refused(listed: str, problem: str) -> None:
    with pytest.raises(ValidationError, match=re.escape(problem)):
        Settings(payment_providers=listed)


@pytest.mark.parametrize("setting", ["payment_providers", "fulfillment_providers", "invoice_providers"])
async def test_setting_with_an_unknown_provider_stops_the_start(setting: str, settings: Settings) -> None:
    listed = settings.model_copy(update={setting: "nosuch_provider"})
    with pytest.raises(CannotStart, match="names nosuch_provider, which does not exist"):
        await prepare(listed)


async def test_own_provider_cannot_take_the_id_of_a_built_in_one(settings: Settings) -> None:
    listed = settings.model_copy(update={"payment_providers": "gateway_pse=package:Class"})
    with pytest.raises(CannotStart, match="gateway_pse is a provider of the program"):
        await prepare(listed)


@pytest.mark.parametrize(
    ("block", "expected"),
    [
        (ModuleBlock(PAYMENT, ("pp_system_default", "gateway_psee")), "'payment' names gateway_psee"),
        (ModuleBlock(FULFILLMENT, ("gateway_pse",)), "'fulfillment' names gateway_pse"),
        (ModuleBlock("carrierpigeon", ("pigeon",)), "'carrierpigeon' names pigeon"),
    ],
)
def test_unknown_provider_is_reported_in_one_line(block: ModuleBlock, expected: str) -> None:
    with pytest.raises(CannotStart) as stopped:
        registered_providers((*BUILT_IN, block))
    (line,) = str(stopped.value).splitlines()
    assert expected in line
