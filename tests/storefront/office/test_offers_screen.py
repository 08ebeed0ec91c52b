"""Offers (Ofertas): preview, saving, changing and ending them, and the rights for it."""

from datetime import timedelta
from typing import Any

import pytest
from sqlalchemy import select

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Category, ProductCategory, Variant
from backend.catalog.products.service import delete_product
from backend.core.clock import now
from backend.promotions.kinds import PromotionStatus
from backend.promotions.models import Campaign, Promotion
from backend.promotions.schemas import NewPromotion
from backend.promotions.service import create_promotion
from backend.promotions.wire_commands import to_create_promotion
from backend.staff.rights import COMMAND_LINE, Role
from storefront.office.offers.state import OffersState, OfferState
from tests.amounts import cop
from tests.store_defaults import Defaults, add_product, read_product_id
from tests.storefront.office.conftest import BrowserFactory
from tests.storefront.office.events import send_event

TYPED = {
    "code": "Navidad10", "way": "code", "method": "percentage", "value": "10", "target": "order", "product_ids": "",
    "minimum": "", "starts": "", "ends": "", "limit": "", "each": "",
}  # fmt: skip

GIFT = {
    "method": "buyget", "value": "100", "buy": "2", "get": "1", "most": "", "gifts": "",
    "target": "products",
}  # fmt: skip


async def open_offer(browser_of: BrowserFactory, role: Role = Role.SHOP, offer: str = "nueva") -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/ofertas/{offer}")).get_state(OfferState)
    await send_event(screen, "load")
    return screen


async def read_promotion(shop: Shop) -> tuple[Promotion, Campaign | None]:
    async with shop.database.read() as session:
        found = select(Promotion, Campaign).outerjoin(Campaign, Campaign.id == Promotion.campaign_id)
        return (await session.execute(found)).one()


async def test_offer_is_previewed_saved_and_shown_as_typed(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        cheap = await add_product(session, defaults, "trompo", price=10_003)
        dear = await add_product(session, defaults, "pelota", price=90_000)
    screen = await open_offer(browser_of)
    assert (screen.content.row, screen.content.form.code) == (None, "")
    picked = " ".join(
        [await read_product_id(shop.database, dear), await read_product_id(shop.database, cheap)]
    )
    typed = {
        **TYPED, "target": "products", "product_ids": picked, "minimum": "$ 50.000",
        "starts": "2026-12-01", "ends": "2026-12-24", "limit": "100", "each": "1",
    }  # fmt: skip
    await send_event(screen, "preview_changes", typed)
    rows = [(row.title, row.before, row.after) for row in screen.preview.rows]
    assert rows == [("Pelota", cop("$ 90.000"), cop("$ 81.000")), ("Trompo", cop("$ 10.003"), cop("$ 9.003"))]
    assert "Termina sola al acabarse el 24 de diciembre de 2026." in screen.preview.words
    async with shop.database.read() as session:
        assert (await session.execute(select(Promotion))).first() is None
    await send_event(screen, "save")
    promotion, campaign = await read_promotion(shop)
    assert (promotion.code, promotion.status, promotion.use_limit) == ("Navidad10", "active", 100)
    assert campaign is not None
    assert (campaign.starts_at.isoformat(), campaign.ends_at.isoformat()) == (  # type: ignore[union-attr]
        "2026-12-01T05:00:00+00:00", "2026-12-25T05:00:00+00:00",
    )  # fmt: skip
    assert (campaign.budget_type, campaign.budget_limit) == ("use_by_attribute", 1)
    again = await open_offer(browser_of, offer=promotion.id)
    shown = {name: getattr(again.content.form, name) for name in TYPED}
    assert shown == {**typed, "minimum": "50000"}
    assert [row.title for row in again.content.products] == ["Pelota", "Trompo"]
    assert promotion.target_rules[0]["values"] == picked.split()
    changed = {**TYPED, "way": "automatic", "method": "fixed", "value": "5.000", "target": "shipping"}
    await send_event(again, "preview_changes", changed)
    await send_event(again, "save")
    promotion, campaign = await read_promotion(shop)
    assert (promotion.is_automatic, promotion.method_type, promotion.value) == (True, "fixed", 5_000)
    assert (promotion.target_type, promotion.target_rules, promotion.rules) == ("shipping_methods", [], [])
    assert (promotion.use_limit, campaign and campaign.ends_at, campaign and campaign.budget_limit) == (
        None,
    ) * 3
    async with shop.database.read() as session:
        kinds = (await session.execute(select(AuditEntry.subject_type, AuditEntry.action))).all()
    assert {("promotion", "created"), ("promotion", "changed"), ("campaign", "created")} <= {
        *map(tuple, kinds)
    }


async def test_deleted_product_is_refused_for_an_offer(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        variants = [await add_product(session, defaults, handle) for handle in ("trompo", "pelota")]
    existing, deleted = [await read_product_id(shop.database, one) for one in variants]
    async with shop.database.transaction() as session:
        await delete_product(session, COMMAND_LINE, deleted)
    screen = await open_offer(browser_of)
    both = {**TYPED, "target": "products", "product_ids": f"{existing} {deleted}"}
    await send_event(screen, "preview_changes", both)
    assert screen.problems == {"product_ids": "Uno de los productos ya no está: elígelos otra vez."}
    await send_event(screen, "preview_changes", {**both, "product_ids": f"{existing} {existing}"})
    await send_event(screen, "save")
    promotion, _campaign = await read_promotion(shop)
    assert promotion.target_rules[0]["values"] == [existing]


@pytest.mark.parametrize("name", ["Trompo", "SKU-trompo", "trompo"])
async def test_offer_refuses_a_product_name_or_sku_in_place_of_its_id(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory, name: str
) -> None:
    """Check this because products are chosen in the picker, which sends their ids."""
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "trompo")
    screen = await open_offer(browser_of)
    await send_event(
        screen, "preview_changes", {**TYPED, "target": "products", "product_ids": name, "gifts": name}
    )
    assert (list(screen.problems), screen.preview) == (["product_ids"], None)


async def test_offer_covers_every_chosen_product_up_to_the_limit(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    async with shop.database.transaction() as session:
        for number in range(60):
            title = f"Trompo {number} " + "de guayacán con punta de acero " * 6
            await add_product(session, defaults, f"trompo-{number}", title=title.strip())
        ids = list((await session.execute(select(Variant.product_id))).scalars())
    screen = await open_offer(browser_of)
    shown = {**TYPED, "target": "products", "product_ids": " ".join(ids)}
    await send_event(screen, "preview_changes", shown)
    await send_event(screen, "save")
    promotion, _campaign = await read_promotion(shop)
    again = await open_offer(browser_of, offer=promotion.id)
    assert again.content.form.product_ids == shown["product_ids"]
    await send_event(again, "preview_changes", shown)
    assert (again.announcement, again.problems) == (None, {})
    assert "Hoy son 60 productos a la venta." in again.preview.words
    monkeypatch.setattr("backend.office.offers.form.MAX_VALUES", 59)
    await send_event(again, "preview_changes", shown)
    assert again.problems == {"product_ids": "Elige hasta 59 productos."}
    assert again.preview is None


async def test_offer_accepts_many_categories(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, defaults, "trompo", price=20_000)
        product = (await session.get_one(Variant, toy)).product_id
        several = [Category(name=f"Juegos {number}", handle=f"juegos-{number}") for number in range(80)]
        session.add_all(several)
        await session.flush()
        session.add(ProductCategory(product_id=product, category_id=several[-1].id))
    screen = await open_offer(browser_of)
    ticked = {f"category:{item.id}": "on" for item in several}
    await send_event(screen, "preview_changes", {**TYPED, "target": "categories", **ticked})
    assert (screen.problems, [row.title for row in screen.preview.rows]) == ({}, ["Trompo"])


async def test_offer_of_a_category_covers_its_subcategories(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, defaults, "trompo", price=20_000)
        await add_product(session, defaults, "pelota")
        above = Category(name="Madera", handle="madera")
        session.add(above)
        await session.flush()
        below = Category(name="Trompos", handle="trompos", parent_id=above.id)
        session.add(below)
        await session.flush()
        product = (await session.get_one(Variant, toy)).product_id
        session.add(ProductCategory(product_id=product, category_id=below.id))
        category = above.id
    screen = await open_offer(browser_of)
    await send_event(screen, "preview_changes", {**TYPED, "target": "categories"})
    assert (list(screen.problems), screen.preview) == (["categories"], None)
    await send_event(
        screen, "preview_changes", {**TYPED, "target": "categories", f"category:{category}": "on"}
    )
    assert [row.title for row in screen.preview.rows] == ["Trompo"]
    await send_event(screen, "save")
    promotion, _campaign = await read_promotion(shop)
    again = await open_offer(browser_of, offer=promotion.id)
    assert [(item.name, item.is_chosen) for item in again.content.categories] == [
        ("Madera", True),
        ("Madera › Trompos", False),
    ]


async def test_active_offers_are_listed_page_by_page(
    shop: Shop, browser_of: BrowserFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.office.offers.listing.PAGE_SIZE", 2)
    moment, day = now(), timedelta(days=1)
    past, future = (
        Campaign(name=name, campaign_identifier=name, starts_at=moment + begin, ends_at=moment + begin + day)
        for name, begin in (("past", -9 * day), ("future", 9 * day))
    )
    fields: dict[str, Any] = {
        "method_type": "fixed",
        "target_type": "order",
        "allocation": "across",
        "value": 5,
    }
    async with shop.database.transaction() as session:
        session.add_all([past, future])
        await session.flush()
        for age, (code, status, campaign) in enumerate([
            ("ended-3", "inactive", None),
            ("ended-2", "active", past),
            ("ended-1", "inactive", future),
            ("open-5", "active", None),
            ("open-4", "draft", None),
            ("open-3", "active", future),
            ("open-2", "active", None),
            ("open-1", "active", None),
        ]):  # fmt: skip
            session.add(
                Promotion(
                    code=code,
                    code_key=code,
                    status=status,
                    campaign_id=campaign.id if campaign else None,
                    created_at=moment - age // 2 * day,  # two at the same time
                    **fields,
                )
            )
    listing: Any = await (await browser_of(Role.SHOP, "/oficina/ofertas")).get_state(OffersState)
    await send_event(listing, "load")
    assert sorted(row.code for row in listing.content.over) == ["ended-2", "ended-3"]
    assert len(listing.content.rows) == 2
    for count in (4, 5, 5):
        await send_event(listing, "load_more")
        assert len(listing.content.rows) == count
    assert sorted(row.code for row in listing.content.rows) == [f"open-{number}" for number in range(1, 6)]
    assert sorted(row.code for row in listing.content.over) == ["ended-2", "ended-3"]


async def test_offer_that_staff_end_moves_to_the_list_of_ended_offers(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    screen = await open_offer(browser_of)
    await send_event(screen, "preview_changes", TYPED)
    await send_event(screen, "save")
    promotion, _campaign = await read_promotion(shop)
    listing: Any = await (await browser_of(Role.ACCOUNTANT, "/oficina/ofertas")).get_state(OffersState)
    await send_event(listing, "load")
    assert [(row.code, row.chip.tone) for row in listing.content.rows] == [("Navidad10", "good")]
    screen = await open_offer(browser_of, offer=promotion.id)
    await send_event(screen, "end")
    assert (screen.content.can_end, screen.announcement.tone) == (False, "news")
    assert (await read_promotion(shop))[0].status == PromotionStatus.INACTIVE
    await send_event(listing, "load")
    assert ([row.code for row in listing.content.over], listing.content.rows) == (["Navidad10"], [])
    async with shop.database.read() as session:
        recorded = select(AuditEntry.action).where(AuditEntry.subject_id == promotion.id)
        actions = list((await session.execute(recorded.order_by(AuditEntry.id))).scalars())
    assert actions == ["created", "changed"]


async def save_offer(browser_of: BrowserFactory) -> Any:
    screen = await open_offer(browser_of)
    await send_event(screen, "preview_changes", TYPED)
    await send_event(screen, "save")
    return screen


async def test_saving_an_ended_offer_activates_it_again(shop: Shop, browser_of: BrowserFactory) -> None:
    await save_offer(browser_of)
    offer = (await read_promotion(shop))[0].id
    again = "Está terminada: al guardarla vuelve a aplicar."
    screen = await open_offer(browser_of, offer=offer)
    await send_event(screen, "preview_changes", TYPED)
    assert again not in screen.preview.words
    await send_event(await open_offer(browser_of, offer=offer), "end")
    # it was ended since: shown again, not saved
    await send_event(screen, "save")
    assert (screen.announcement.tone, again in screen.preview.words) == ("problem", True)
    assert (await read_promotion(shop))[0].status == PromotionStatus.INACTIVE
    await send_event(screen, "save")
    assert (screen.announcement.tone, (await read_promotion(shop))[0].status) == (
        "news",
        PromotionStatus.ACTIVE,
    )


async def test_preview_says_that_an_expired_offer_does_not_apply(browser_of: BrowserFactory) -> None:
    screen = await open_offer(browser_of)
    await send_event(screen, "preview_changes", {**TYPED, "starts": "", "ends": "2020-12-31"})
    assert screen.preview.words[-1] == "Su último día ya pasó: así no aplica."


async def test_saving_a_draft_offer_of_the_admin_api_activates_it(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    offer = await create_api_draft(shop, type="percentage", value=10)
    screen = await open_offer(browser_of, offer=offer)
    await send_event(screen, "preview_changes", TYPED)
    assert "Es un borrador: al guardarla empieza a aplicar." in screen.preview.words
    await send_event(screen, "save")
    assert (await read_promotion(shop))[0].status == PromotionStatus.ACTIVE


@pytest.mark.parametrize(
    ("typed", "field"),
    [
        ({"code": " "}, "code"),
        ({"code": "x" * 41}, "code"),
        ({"value": "101"}, "value"),
        ({"value": "diez"}, "value"),
        ({"method": "fixed", "value": "0"}, "value"),
        ({"minimum": "-5"}, "minimum"),
        ({"limit": "0"}, "limit"),
        ({"each": "1,5"}, "each"),
        ({"starts": "ayer"}, "starts"),
        ({"ends": "9999-12-31"}, "ends"),
        ({"starts": "2026-12-02", "ends": "2026-12-01"}, "ends"),
        ({"target": "everything"}, "target"),
        ({"target": "products"}, "product_ids"),
        ({"target": "products", "product_ids": "x" * 65}, "product_ids"),
        ({"target": "products", "product_ids": "prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD"}, "product_ids"),
        ({"method": "mine"}, "method"),
        ({"combination": "some"}, "combination"),
    ],
)
async def test_invalid_value_in_the_offer_form_marks_its_field(
    browser_of: BrowserFactory, typed: dict[str, str], field: str
) -> None:
    screen = await open_offer(browser_of)
    await send_event(screen, "preview_changes", {**TYPED, **typed})
    assert (list(screen.problems), screen.preview) == ([field], None)
    await send_event(screen, "save")
    assert screen.announcement.tone == "problem"


@pytest.mark.parametrize(
    ("name", "value"),
    [
        ("buy", "0"),
        ("get", "101"),
        ("most", "-1"),
        ("value", "101"),
        ("gifts", "prod_01JPZ6V3N8K4T2WQ7RXB5C9MHD"),
    ],
)
async def test_invalid_value_of_a_buyget_offer_marks_its_field(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory, name: str, value: str
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, defaults, "trompo")
    screen = await open_offer(browser_of)
    typed = {**TYPED, **GIFT, "product_ids": await read_product_id(shop.database, toy), name: value}
    await send_event(screen, "preview_changes", typed)
    assert (list(screen.problems), screen.preview) == ([name], None)


async def test_duplicate_promotion_code_is_refused(shop: Shop, browser_of: BrowserFactory) -> None:
    for _time in range(2):
        screen = await open_offer(browser_of)
        await send_event(screen, "preview_changes", TYPED)
        await send_event(screen, "save")
    assert screen.problems == {"code": "Otra oferta ya tiene este código."}
    await read_promotion(shop)  # only one exists


async def test_unsupported_offer_of_the_admin_api_can_only_be_ended(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    offer = await create_api_draft(shop, type="fixed", allocation="each", value=900, max_quantity=1)
    screen = await open_offer(browser_of, offer=offer)
    assert (screen.content.form, screen.content.can_end, screen.content.row.code) == (None, True, "CADA")


async def create_api_draft(shop: Shop, **method: Any) -> str:
    """Create a draft promotion as the Admin API does and return its id."""
    method = {"target_type": "items", **method}
    body = {"code": "CADA", "type": "standard", "status": "draft", "application_method": method}
    new = to_create_promotion(NewPromotion.model_validate(body))
    async with shop.database.transaction() as session:
        return (await create_promotion(session, COMMAND_LINE, new)).id


async def test_fixed_discount_of_an_offer_applies_once_as_previewed(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, defaults, "trompo", price=20_000)
    offer = await create_api_draft(shop, type="percentage", allocation="each", value=10)
    screen = await open_offer(browser_of, offer=offer)
    assert screen.content.form is not None
    await send_event(screen, "preview_changes", {**TYPED, "method": "fixed", "value": "5.000"})
    assert screen.preview.words[0] == cop("Quita $ 5.000 del valor de los productos del carrito.")
    await send_event(screen, "save")
    promotion, _campaign = await read_promotion(shop)
    assert (promotion.method_type, promotion.value, promotion.allocation) == ("fixed", 5_000, "across")


async def test_only_owner_and_shop_roles_change_offers(shop: Shop, browser_of: BrowserFactory) -> None:
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        screen = await open_offer(browser_of, role)
        for name, arguments in (("preview_changes", (TYPED,)), ("save", ()), ("end", ())):
            await send_event(screen, name, *arguments)
            assert screen.announcement.text == "Tu rol no permite hacer esto."
    screen = await open_offer(browser_of, Role.OWNER)
    await send_event(screen, "preview_changes", TYPED)
    await send_event(screen, "save")
    assert (await read_promotion(shop))[0].code == "Navidad10"


@pytest.mark.parametrize(
    "nonsense", [None, 7, {"code": 5}, {"code": "x" * 90_000}, dict.fromkeys(map(str, range(99)), "")]
)
async def test_invalid_input_of_the_offers_screen_changes_nothing(
    browser_of: BrowserFactory, nonsense: Any
) -> None:
    screen = await open_offer(browser_of)
    await send_event(screen, "preview_changes", nonsense)
    assert (screen.announcement.tone, screen.preview) == ("problem", None)


async def test_unknown_offer_is_shown_as_missing(browser_of: BrowserFactory) -> None:
    assert (await open_offer(browser_of, offer="promo_none")).problem == "missing"


async def test_second_editor_of_an_offer_is_warned_before_overwriting(
    shop: Shop, browser_of: BrowserFactory
) -> None:
    await save_offer(browser_of)
    offer = (await read_promotion(shop))[0].id
    screen, late, rival = [await open_offer(browser_of, offer=offer) for _time in range(3)]
    await send_event(screen, "preview_changes", {**TYPED, "limit": "5"})
    await send_event(rival, "preview_changes", {**TYPED, "value": "15"})
    await send_event(rival, "save")
    warning = (
        "Alguien la cambió mientras la tenías abierta. Ahora es: 15 % menos en todo el carrito, con código. "
        "Recarga para ver cómo quedó; si guardas, queda lo tuyo."
    )
    await send_event(screen, "save")
    assert (screen.announcement.tone, screen.preview.words[0]) == ("problem", warning)
    await send_event(late, "preview_changes", {**TYPED, "each": "1"})
    assert late.preview.words[0] == warning
    assert (await read_promotion(shop))[0].value == 15
    await send_event(screen, "save")  # after the warning it is saved
    assert screen.announcement.tone == "news"
    promotion, _campaign = await read_promotion(shop)
    assert (promotion.value, promotion.use_limit) == (10, 5)
    await send_event(
        screen, "preview_changes", {**TYPED, "limit": "6"}
    )  # no warning about the staff member's own change
    assert "Alguien" not in screen.preview.words[0]
    await send_event(late, "save")
    assert (late.announcement.tone, (await read_promotion(shop))[0].use_limit) == ("problem", 5)


async def test_two_for_one_is_previewed_saved_and_shown_as_typed(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        toy = await add_product(session, defaults, "trompo", price=10_003)
    screen = await open_offer(browser_of)
    product_id = await read_product_id(shop.database, toy)
    typed = {
        **TYPED, "method": "2x1", "value": "", "target": "products", "product_ids": product_id,
        "combination": "none",
    }  # fmt: skip
    await send_event(screen, "preview_changes", {**typed, "target": "order", "product_ids": ""})
    assert screen.problems == {"target": "Elige algunos productos o categorías."}
    await send_event(screen, "preview_changes", typed)
    rows = [(row.title, row.before, row.after) for row in screen.preview.rows]
    assert rows == [("2 × Trompo", cop("$ 20.006"), cop("$ 10.003"))]
    words = screen.preview.words
    assert words[:2] == [
        "2×1 en los productos elegidos.",
        "Las unidades más baratas son las que se descuentan.",
    ]
    assert "Se suma con ninguna otra." in words
    await send_event(screen, "save")
    promotion, _campaign = await read_promotion(shop)
    assert (promotion.type, promotion.combination, promotion.value) == ("buyget", "none", 100)
    assert (promotion.buy_quantity, promotion.apply_quantity, promotion.max_quantity) == (1, 1, 1_000_000)
    assert promotion.buy_rules[0]["values"] == promotion.target_rules[0]["values"]
    again = await open_offer(browser_of, offer=promotion.id)
    assert again.content.row.detail == "2×1 en algunos productos, con código"
    assert {name: getattr(again.content.form, name) for name in typed} == {**typed, "value": "100"}
    # a buyget offer becomes a discount of the shipping
    await send_event(again, "preview_changes", {**TYPED, "target": "shipping"})
    await send_event(again, "save")
    promotion, _campaign = await read_promotion(shop)
    assert (promotion.type, promotion.combination, promotion.target_type) == (
        "standard", "all", "shipping_methods",
    )  # fmt: skip
    assert (promotion.buy_quantity, promotion.buy_rules, promotion.target_rules, promotion.max_quantity) == (
        None, [], [], None,
    )  # fmt: skip


async def test_offer_of_a_gift_for_buying_other_products_is_previewed_and_shown_as_typed(
    shop: Shop, defaults: Defaults, browser_of: BrowserFactory
) -> None:
    async with shop.database.transaction() as session:
        variants = [
            await add_product(session, defaults, handle, price=10_000) for handle in ("trompo", "yoyo")
        ]
    bought_id, gift_id = [await read_product_id(shop.database, one) for one in variants]
    screen = await open_offer(browser_of)
    typed = {
        **TYPED, "method": "buyget", "value": "50", "buy": "3", "get": "2", "most": "4", "gifts": gift_id,
        "target": "products", "product_ids": bought_id,
    }  # fmt: skip
    wrong = {
        **typed,
        "buy": "0",
        "get": "mil",
        "most": "-1",
        "value": "101",
        "gifts": "Nada",
        "combination": "x",
    }
    await send_event(screen, "preview_changes", wrong)
    assert set(screen.problems) == {"buy", "get", "most", "value", "gifts", "combination"}
    await send_event(screen, "preview_changes", {**typed, "most": "1"})
    assert screen.problems == {"most": "Escribe al menos 2, o déjalo vacío."}
    await send_event(screen, "preview_changes", typed)
    assert [(row.title, row.after) for row in screen.preview.rows] == [("Yoyo", cop("$ 5.000"))]
    assert screen.preview.words[0] == "Por 3 que lleve, 2 con 50 % menos en los productos elegidos."
    await send_event(screen, "save")
    promotion, _campaign = await read_promotion(shop)
    again = await open_offer(browser_of, offer=promotion.id)
    (toy,), (gift,) = again.content.products, again.content.gifts
    assert (toy.title, gift.title) == ("Trompo", "Yoyo")
    assert {name: getattr(again.content.form, name) for name in typed} == typed
    await send_event(again, "preview_changes", typed)
    assert again.problems == {}
    async with shop.database.transaction() as session:
        await delete_product(session, COMMAND_LINE, gift_id)
    await send_event(again, "preview_changes", typed)
    assert again.problems == {"gifts": "Uno de los productos ya no está: elígelos otra vez."}


@pytest.mark.parametrize(
    ("template", "expected"),
    [
        ("envio-gratis", {"way": "automatic", "value": "100", "target": "shipping", "minimum": "150000"}),
        ("2x1", {"way": "automatic", "method": "2x1", "target": "products"}),
        ("otra", {"code": "", "way": "code", "value": ""}),
    ],
)
async def test_template_fills_a_new_offer(
    browser_of: BrowserFactory, template: str, expected: dict[str, str]
) -> None:
    screen = await open_offer(browser_of, offer=f"nueva?plantilla={template}")
    form = screen.content.form
    assert {name: getattr(form, name) for name in expected} == expected
