"""The module registration rule (spec: What the service does 7)."""

from backend.modules import BUILT_IN, FULFILLMENT, INVOICES, PAYMENT, ModuleBlock, registered


def test_the_last_block_of_a_service_replaces_the_earlier_one() -> None:
    blocks = (*BUILT_IN, ModuleBlock(FULFILLMENT, ("carrier_standard",)))
    assert registered(blocks)[FULFILLMENT] == ("carrier_standard",)  # the built-in one is gone


def test_a_service_without_a_block_keeps_its_built_in_provider() -> None:
    assert registered(BUILT_IN) == {FULFILLMENT: ("manual_manual",), PAYMENT: ("pp_system_default",)}


def test_the_shop_lists_the_built_in_providers_beside_its_own() -> None:
    assert registered() == {
        FULFILLMENT: ("manual_manual", "carrier_standard"),
        PAYMENT: ("pp_system_default", "gateway_pse"),
        INVOICES: ("file", "ubl"),
    }
