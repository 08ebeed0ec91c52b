"""The field for a code: what it takes off, why it is refused, and taking it out again."""

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
from tests.store_defaults import Defaults, make_toy

Shopper = Callable[[], rx.State]
TEN = {
    "code": "DIEZ", "type": "standard", "status": "active",
    "application_method": {"type": "percentage", "target_type": "order", "value": 10},
    "rules": [{"attribute": "item_total", "operator": "gte", "values": ["30000"]}],
}  # fmt: skip


@pytest.fixture
async def toy(shop: Shop, defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        await create_promotion(session, COMMAND_LINE, to_create_promotion(NewPromotion.model_validate(TEN)))
        return await make_toy(session, defaults, "trompo", stock=5, price=20_000)


async def test_a_code_is_typed_and_taken_out(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 1)
    for code, problem in (
        ("", "No conocemos ese código. Revisa que esté bien escrito."),
        ("NUNCA", "No conocemos ese código. Revisa que esté bien escrito."),
        ("diez", "Para usar este código te faltan $ 10.000 en juguetes."),
    ):
        before = cart.answers
        await cart.apply_code({"code": code})
        assert (cart.code_problem.replace("\N{NO-BREAK SPACE}", " "), cart.cart.savings) == (problem, [])
        assert cart.answers > before
    await cart.add(toy, 1)
    await cart.apply_code({"code": " diez "})
    assert (cart.code_problem, cart.cart.total, [one.code for one in cart.cart.codes]) == (
        "",
        36_000,
        ["DIEZ"],
    )
    await cart.drop_code("DIEZ")
    assert (cart.cart.total, cart.cart.codes, cart.cart.savings) == (40_000, [], [])


async def test_many_codes_in_a_row_have_to_wait(shopper: Shopper, toy: str) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 2)
    for n in range(20):
        await cart.apply_code({"code": f"INTENTO{n}"})
    await cart.apply_code({"code": "DIEZ"})
    assert (cart.code_problem, cart.cart.total) == (
        "Van muchos códigos seguidos. Espera unos minutos.",
        40_000,
    )


@pytest.mark.parametrize("nonsense", [None, 7, {"code": 5}, {"code": "x" * 900}])
async def test_nonsense_changes_nothing(shopper: Shopper, toy: str, nonsense: Any) -> None:
    cart = await shopper().get_state(CartState)
    await cart.add(toy, 2)
    await cart.apply_code(nonsense)
    await cart.drop_code(nonsense)
    assert (cart.cart.total, cart.cart.codes) == (40_000, [])
