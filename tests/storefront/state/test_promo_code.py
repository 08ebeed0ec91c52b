"""Tests of promotion codes in the cart: discount, refusal and removal."""

from collections.abc import Callable
from typing import Any

import pytest
import reflex as rx

from backend.app import Shop
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import create_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.staff.rights import COMMAND_LINE
from storefront.state.cart import CartState
from tests.store_defaults import Defaults, add_product

Shopper = Callable[[], rx.State]
TEN = {
    "code": "DIEZ", "type": "standard", "status": "active",
    "application_method": {"type": "percentage", "target_type": "order", "value": 10},
    "rules": [{"attribute": "item_total", "operator": "gte", "values": ["30000"]}],
}  # fmt: skip


@pytest.fixture
async def variant_id(shop: Shop, defaults: Defaults) -> str:
    """Create a promotion and return the variant of a product."""
    async with shop.database.transaction() as session:
        await create_promotion(session, COMMAND_LINE, to_create_promotion(NewPromotion.model_validate(TEN)))
        return await add_product(session, defaults, "trompo", stock=5, price=20_000)


async def test_promotion_code_is_applied_and_removed(shopper: Shopper, variant_id: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 1)
    for code, problem in (
        ("", "No conocemos ese código. Revisa que esté bien escrito."),
        ("NUNCA", "No conocemos ese código. Revisa que esté bien escrito."),
        ("diez", "Para usar este código te faltan $ 10.000 en productos."),
    ):
        before = cart.answers
        await cart.apply_code({"code": code})
        assert (cart.code_problem.replace("\N{NO-BREAK SPACE}", " "), cart.cart.savings) == (problem, [])
        assert cart.answers > before
    await cart.add(variant_id, 1)
    await cart.apply_code({"code": " diez "})
    assert (cart.code_problem, cart.cart.total, [one.code for one in cart.cart.codes]) == (
        "",
        36_000,
        ["DIEZ"],
    )
    await cart.drop_code("DIEZ")
    assert (cart.cart.total, cart.cart.codes, cart.cart.savings) == (40_000, [], [])


async def test_too_many_codes_are_refused(shopper: Shopper, variant_id: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 2)
    for n in range(20):
        await cart.apply_code({"code": f"INTENTO{n}"})
    await cart.apply_code({"code": "DIEZ"})
    assert (cart.code_problem, cart.cart.total) == (
        "Van muchos códigos seguidos. Espera unos minutos.",
        40_000,
    )


@pytest.mark.parametrize("nonsense", [None, 7, {"code": 5}, {"code": "x" * 900}])
async def test_invalid_code_changes_nothing(shopper: Shopper, variant_id: str, nonsense: Any) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(variant_id, 2)
    await cart.apply_code(nonsense)
    await cart.drop_code(nonsense)
    assert (cart.cart.total, cart.cart.codes) == (40_000, [])
