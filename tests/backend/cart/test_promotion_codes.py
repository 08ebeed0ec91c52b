"""Codes in a cart: their discounts, and the reasons of refusals."""

from datetime import timedelta
from typing import Any

import httpx
import pytest
from sqlalchemy import update

from backend.app import Shop
from backend.cart.access import open_cart
from backend.cart.promotion_codes import CodeRefused, add_codes, format_refusal
from backend.cart.views import CartView, read_cart_view
from backend.catalog.models import Category, ProductCategory, Variant
from backend.core.db.database import db_now
from backend.promotions.models import Campaign
from tests.amounts import cop
from tests.backend.promotions.promo_kit import minimum, only, promotion
from tests.store_defaults import Defaults, add_product
from tests.store_steps import get, post, read_ok

ENDED = {"name": "Ayer", "campaign_identifier": "AYER", "ends_at": "2020-01-01T00:00:00Z"}
SOON = {"name": "Luego", "campaign_identifier": "LUEGO", "starts_at": "2099-01-01T00:00:00Z"}


@pytest.fixture
async def variant_id(shop: Shop, shop_defaults: Defaults) -> str:
    async with shop.database.transaction() as session:
        return await add_product(session, shop_defaults, "trompo", stock=9, price=50_000)


async def create_cart(
    store: httpx.AsyncClient, variant: str, quantity: int = 2, **more: Any
) -> dict[str, Any]:
    items = [{"variant_id": variant, "quantity": quantity}]
    cart: dict[str, Any] = (await post(store, "/store/carts", {"items": items, **more}))["cart"]
    return cart


async def read_typed_codes(store: httpx.AsyncClient, cart_id: str, *codes: str) -> dict[str, Any]:
    answer = await post(store, f"/store/carts/{cart_id}/promotions", {"promo_codes": list(codes)})
    cart: dict[str, Any] = answer["cart"]
    return cart


async def read_page(shop: Shop, cart_id: str) -> CartView:
    async with shop.database.read() as session:
        return await read_cart_view(session, cart_id)


async def test_code_gives_a_discount_until_it_is_removed(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, variant_id: str
) -> None:
    made = await promotion(admin, "Diez")
    cart = await create_cart(store, variant_id)
    assert (cart["total"], cart["promotions"]) == (100_000, [])
    cart = await read_typed_codes(store, cart["id"], " d i E z ")
    assert (cart["total"], cart["discount_total"], cart["item_discount_total"]) == (90_000, 10_000, 10_000)
    assert (cart["original_total"], cart["shipping_discount_total"]) == (100_000, 0)
    assert cart["tax_total"] == 90_000 - round(90_000 / 1.19)
    (shown,) = cart["promotions"]
    assert (shown["id"], shown["code"], shown["is_automatic"]) == (made["id"], "Diez", False)
    assert (shown["application_method"]["type"], shown["application_method"]["value"]) == ("percentage", 10)
    (off,) = cart["items"][0]["adjustments"]
    assert (off["amount"], off["code"], off["promotion_id"]) == (10_000, "Diez", made["id"])
    page = await read_page(shop, cart["id"])
    assert [(one.code, one.amount_label) for one in page.savings] == [("Diez", cop("-$ 10.000"))]
    assert [(one.code, one.refusal) for one in page.codes] == [("Diez", "")]
    assert (page.subtotal_label, page.total, page.lines[0].line_total_label) == (
        cop("$ 100.000"),
        90_000,
        cop("$ 100.000"),
    )
    assert await read_typed_codes(store, cart["id"], "DIEZ") == {**cart, "updated_at": cart["updated_at"]}
    removal = {"promo_codes": ["diez", "NUNCA"]}
    path = f"/store/carts/{cart['id']}/promotions"
    cart = (await read_ok(await store.request("DELETE", path, json=removal)))["cart"]
    assert (cart["total"], cart["promotions"], cart["items"][0]["adjustments"]) == (100_000, [], [])
    assert (await read_ok(await store.request("DELETE", path, json=removal)))["cart"] == cart


async def test_codes_sent_in_a_cart_change_replace_the_codes_of_the_cart(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str
) -> None:
    await promotion(admin, "DIEZ")
    await promotion(admin, "MIL", 1_000, method={"type": "fixed"})
    cart = await create_cart(store, variant_id, promo_codes=["diez"])
    assert cart["total"] == 90_000
    path = f"/store/carts/{cart['id']}"
    assert (await post(store, path, {"email": "ana@example.com"}))["cart"]["total"] == 90_000
    both = (await post(store, path, {"promo_codes": ["MIL", "DIEZ"]}))["cart"]
    # in the order in which they were typed, each from the remaining price
    assert (both["total"], [one["code"] for one in both["promotions"]]) == (89_000, ["DIEZ", "MIL"])
    assert (await post(store, path, {"promo_codes": ["mil"]}))["cart"]["total"] == 99_000
    assert (await post(store, path, {"promo_codes": []}))["cart"]["total"] == 100_000


@pytest.mark.parametrize(
    ("more", "message", "words"),
    [
        ({"status": "draft"}, "The promotion code DIEZ is invalid", "No conocemos ese código"),
        ({"is_automatic": True}, "The promotion code DIEZ is invalid", "No conocemos ese código"),
        ({"campaign": ENDED}, "The promotion code DIEZ has ended", "ya terminó"),
        ({"campaign": SOON}, "The promotion code DIEZ is not valid yet", "todavía no empieza"),
        (
            {"rules": [minimum(120_000)]},
            "needs 20000 pesos more in the cart",
            cop("te faltan $ 20.000 en productos"),
        ),
        (
            {"rules": [only("region.id", "reg_other")]},
            "does not apply to this cart",
            "no es para esta compra",
        ),
        (
            {"rules": [only("customer.groups.id", "cusgroup_1")]},
            "does not apply to this cart",
            "no es para esta compra",
        ),
    ],
)
async def test_code_without_a_discount_is_refused_with_the_reason(
    *,
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    shop: Shop,
    variant_id: str,
    more: dict[str, Any],
    message: str,
    words: str,
) -> None:
    await promotion(admin, "DIEZ", **more)
    cart = await create_cart(store, variant_id)
    answer = await store.post(f"/store/carts/{cart['id']}/promotions", json={"promo_codes": ["DIEZ"]})
    assert (answer.status_code, answer.json()["type"]) == (400, "invalid_data")
    assert message in answer.json()["message"]
    with pytest.raises(CodeRefused) as refused:
        async with shop.database.transaction() as session:
            await add_codes(session, await open_cart(session, cart["id"]), ["DIEZ"])
    assert words in format_refusal(refused.value)
    assert (await read_page(shop, cart["id"])).codes == []


async def test_code_applies_to_its_products_and_categories_with_subcategories(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, shop_defaults: Defaults, variant_id: str
) -> None:
    async with shop.database.transaction() as session:
        other = await add_product(session, shop_defaults, "pelota", price=20_000)
        above = Category(name="Madera", handle="madera")
        session.add(above)
        await session.flush()
        below = Category(name="Trompos", handle="trompos", parent_id=above.id)
        session.add(below)
        await session.flush()
        product = (await session.get_one(Variant, variant_id)).product_id
        session.add(ProductCategory(product_id=product, category_id=below.id))
        category = above.id
    items = {"target_type": "items"}
    wood = [only("items.product.categories.id", category)]
    await promotion(admin, "MADERA", 50, method={**items, "target_rules": wood})
    await promotion(admin, "SUELTO", 50, method={**items, "target_rules": [only("items.variant.id", other)]})
    cart = await create_cart(store, variant_id, 1)
    refused = await store.post(f"/store/carts/{cart['id']}/promotions", json={"promo_codes": ["SUELTO"]})
    assert "applies to no product in the cart" in refused.json()["message"]
    await post(store, f"/store/carts/{cart['id']}/line-items", {"variant_id": other, "quantity": 1})
    cart = await read_typed_codes(store, cart["id"], "MADERA", "SUELTO")
    assert [item["discount_total"] for item in cart["items"]] == [25_000, 10_000]


async def test_automatic_promotion_applies_without_a_code(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, variant_id: str
) -> None:
    campaign = {"name": "Feria", "campaign_identifier": "FERIA", "starts_at": "2020-01-01T00:00:00Z"}
    await promotion(admin, "Feria", is_automatic=True, campaign=campaign, rules=[minimum(60_000)])
    cart = await create_cart(store, variant_id, 1)
    assert (cart["total"], cart["promotions"]) == (50_000, [])
    item = {"variant_id": variant_id, "quantity": 1}
    cart = (await post(store, f"/store/carts/{cart['id']}/line-items", item))["cart"]
    assert (cart["total"], [one["code"] for one in cart["promotions"]]) == (90_000, ["Feria"])
    page = await read_page(shop, cart["id"])
    assert ([one.code for one in page.savings], page.codes) == (["Feria"], [])
    async with shop.database.transaction() as session:
        await session.execute(update(Campaign).values(ends_at=db_now(timedelta(seconds=-1))))
    assert (await get(store, f"/store/carts/{cart['id']}"))["cart"]["total"] == 100_000


async def test_typed_code_that_no_longer_applies_stays_in_the_cart_with_the_reason(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, variant_id: str
) -> None:
    await promotion(admin, "DIEZ", rules=[minimum(100_000)])
    cart = await read_typed_codes(store, (await create_cart(store, variant_id))["id"], "DIEZ")
    (line,) = cart["items"]
    less = (await post(store, f"/store/carts/{cart['id']}/line-items/{line['id']}", {"quantity": 1}))["cart"]
    assert (less["total"], [one["code"] for one in less["promotions"]]) == (50_000, ["DIEZ"])
    page = await read_page(shop, cart["id"])
    assert [one.refusal for one in page.codes] == [
        cop("Para usar este código te faltan $ 50.000 en productos.")
    ]
    assert page.savings == []


async def test_codes_of_one_campaign_do_not_exceed_its_budget(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, shop: Shop, variant_id: str
) -> None:
    budget = {"type": "use_by_attribute", "attribute": "customer_email", "limit": 1}
    once = {"name": "Una", "campaign_identifier": "UNA", "budget": budget}
    first = await promotion(admin, "DIEZ", campaign=once)
    await promotion(admin, "VEINTE", 20, campaign_id=first["campaign_id"])
    pesos = {"name": "Bolsa", "campaign_identifier": "BOLSA", "budget": {"type": "spend", "limit": 10_000}}
    await promotion(admin, "OCHO", 8_000, method={"type": "fixed"}, campaign=pesos)
    cart = await read_typed_codes(store, (await create_cart(store, variant_id))["id"], "DIEZ", "OCHO")
    assert cart["total"] == 82_000
    answer = await store.post(f"/store/carts/{cart['id']}/promotions", json={"promo_codes": ["VEINTE"]})
    assert "was used by this customer before" in answer.json()["message"]
    both = await store.post(
        "/store/carts",
        json={"items": [{"variant_id": variant_id, "quantity": 2}], "promo_codes": ["DIEZ", "VEINTE"]},
    )
    assert (both.status_code, "VEINTE" in both.json()["message"]) == (400, True)
    async with shop.database.transaction() as session:
        await session.execute(
            update(Campaign).where(Campaign.campaign_identifier == "BOLSA").values(budget_limit=7_999)
        )
    page = await read_page(shop, cart["id"])
    assert [(one.code, one.refusal) for one in page.codes] == [
        ("DIEZ", ""),
        ("OCHO", "Este código ya se usó todas las veces que se podía."),
    ]


async def test_more_than_ten_promotion_codes_in_a_cart_are_refused(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str
) -> None:
    codes = [f"CODIGO{n}" for n in range(11)]
    for code in codes:
        await promotion(admin, code, 1)
    cart = await create_cart(store, variant_id)
    answer = await store.post(f"/store/carts/{cart['id']}/promotions", json={"promo_codes": codes})
    assert (answer.status_code, answer.json()["message"]) == (400, "A cart has at most 10 promotion codes")
    assert len((await read_typed_codes(store, cart["id"], *codes[:10]))["promotions"]) == 10


async def test_guessing_of_promotion_codes_is_limited(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str
) -> None:
    await promotion(admin, "SECRETO")
    cart = await create_cart(store, variant_id)
    path = f"/store/carts/{cart['id']}/promotions"
    for n in range(20):
        assert (await store.post(path, json={"promo_codes": [f"INTENTO{n}"]})).status_code == 400
    blocked = await store.post(path, json={"promo_codes": ["SECRETO"]})
    assert (blocked.status_code, "retry-after" in blocked.headers) == (429, True)


@pytest.mark.parametrize("change", [{"is_automatic": True}, None])
async def test_code_can_be_removed_in_any_state_of_its_promotion(
    store: httpx.AsyncClient,
    admin: httpx.AsyncClient,
    shop: Shop,
    variant_id: str,
    change: dict[str, Any] | None,
) -> None:
    """Make the promotion automatic, or delete it if `change` is None. Then remove its code from the cart."""
    made = await promotion(admin, "DIEZ")
    cart = await read_typed_codes(store, (await create_cart(store, variant_id))["id"], "DIEZ")
    path = f"/admin/promotions/{made['id']}"
    await read_ok(await admin.post(path, json=change) if change else await admin.delete(path))
    assert [one.code for one in (await read_page(shop, cart["id"])).codes] == ["DIEZ"]
    removal = {"promo_codes": ["diez"]}
    await read_ok(await store.request("DELETE", f"/store/carts/{cart['id']}/promotions", json=removal))
    assert (await read_page(shop, cart["id"])).codes == []


async def test_cart_change_may_repeat_every_code_that_the_cart_shows(
    store: httpx.AsyncClient, admin: httpx.AsyncClient, variant_id: str
) -> None:
    """Check that the codes may include automatic promotions, and a code whose promotion is deleted."""
    await promotion(admin, "Feria", 1_000, is_automatic=True, method={"type": "fixed"})
    await promotion(admin, "Secreta", 1_000, is_automatic=True, method={"type": "fixed"}, status="draft")
    await promotion(admin, "MIL", 1_000, method={"type": "fixed"})
    gone = await promotion(admin, "ADIOS")
    cart = await read_typed_codes(store, (await create_cart(store, variant_id))["id"], "ADIOS")
    await read_ok(await admin.delete(f"/admin/promotions/{gone['id']}"))
    path = f"/store/carts/{cart['id']}"

    async def sent(*codes: str) -> tuple[int, list[str]]:
        cart = (await post(store, path, {"promo_codes": list(codes)}))["cart"]
        return cart["total"], [one["code"] for one in cart["promotions"]]

    assert await sent("Feria", "ADIOS", "MIL") == (98_000, ["Feria", "ADIOS", "MIL"])
    assert await sent("Feria", "MIL") == (98_000, ["Feria", "MIL"])
    assert await sent("Feria") == (99_000, ["Feria"])
    for code in ("Secreta", "ADIOS"):
        assert (await store.post(path, json={"promo_codes": ["Feria", code]})).status_code == 400
