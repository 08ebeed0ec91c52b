"""Ofertas: made, looked at, changed and ended from a browser, by whoever may."""

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
from tests.store_defaults import Defaults, make_toy
from tests.storefront.office.conftest import At

TYPED = {
    "code": "Navidad10", "way": "code", "method": "percentage", "value": "10", "target": "order", "toys": "",
    "minimum": "", "starts": "", "ends": "", "limit": "", "each": "",
}  # fmt: skip


async def sent(screen: Any, name: str, *arguments: Any) -> Any:
    """What a browser sends."""
    return await type(screen).event_handlers[name].fn(screen, *arguments)


async def opened(browser_of: At, role: Role = Role.SHOP, offer: str = "nueva") -> Any:
    screen: Any = await (await browser_of(role, f"/oficina/ofertas/{offer}")).get_state(OfferState)
    await sent(screen, "load")
    return screen


async def the_promotion(shop: Shop) -> tuple[Promotion, Campaign | None]:
    async with shop.database.read() as session:
        found = select(Promotion, Campaign).outerjoin(Campaign, Campaign.id == Promotion.campaign_id)
        return (await session.execute(found)).one()


async def test_an_offer_is_seen_before_it_is_stored_and_comes_back_as_it_was_typed(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        cheap = await make_toy(session, defaults, "trompo", price=10_003)
        await make_toy(session, defaults, "pelota", price=90_000)
    screen = await opened(browser_of)
    assert (screen.content.row, screen.content.form.code) == (None, "")
    toys = {
        **TYPED, "target": "toys", "toys": "Pelota\n\nSKU-trompo\npelota", "minimum": "$ 50.000",
        "starts": "2026-12-01", "ends": "2026-12-24", "limit": "100", "each": "1",
    }  # fmt: skip
    await sent(screen, "look", toys)
    rows = [(row.title, row.before, row.after) for row in screen.preview.rows]
    assert rows == [("Pelota", "$ 90.000", "$ 81.000"), ("Trompo", "$ 10.003", "$ 9.003")]
    assert "Termina sola al acabarse el 24 de diciembre de 2026." in screen.preview.words
    async with shop.database.read() as session:
        assert (await session.execute(select(Promotion))).first() is None
    await sent(screen, "save")
    promotion, campaign = await the_promotion(shop)
    assert (promotion.code, promotion.status, promotion.use_limit) == ("Navidad10", "active", 100)
    assert campaign is not None
    assert (campaign.starts_at.isoformat(), campaign.ends_at.isoformat()) == (  # type: ignore[union-attr]
        "2026-12-01T05:00:00+00:00", "2026-12-25T05:00:00+00:00",
    )  # fmt: skip
    assert (campaign.budget_type, campaign.budget_limit) == ("use_by_attribute", 1)
    again = await opened(browser_of, offer=promotion.id)
    shown = {name: getattr(again.content.form, name) for name in TYPED}
    assert shown == {**toys, "toys": "Pelota\nTrompo", "minimum": "50000"}
    assert await product_of(shop, cheap) in promotion.target_rules[0]["values"]
    changed = {**TYPED, "way": "automatic", "method": "fixed", "value": "5.000", "target": "shipping"}
    await sent(again, "look", changed)
    await sent(again, "save")
    promotion, campaign = await the_promotion(shop)
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


async def product_of(shop: Shop, variant_id: str) -> str:
    async with shop.database.read() as session:
        return (await session.get_one(Variant, variant_id)).product_id


async def test_a_toy_that_was_deleted_is_not_found(shop: Shop, defaults: Defaults, browser_of: At) -> None:
    async with shop.database.transaction() as session:
        kept = await make_toy(session, defaults, "trompo")
        for handle, title in (("otro", "Trompo"), ("pelota", "Pelota")):
            gone = await session.get_one(Variant, await make_toy(session, defaults, handle, title=title))
            await delete_product(session, COMMAND_LINE, gone.product_id)
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, "target": "toys", "toys": "Trompo\nPelota"})
    assert screen.problems == {"toys": "No encontramos: Pelota"}
    await sent(screen, "look", {**TYPED, "target": "toys", "toys": "Trompo"})
    await sent(screen, "save")
    promotion, _campaign = await the_promotion(shop)
    assert promotion.target_rules[0]["values"] == [await product_of(shop, kept)]


async def test_toys_of_the_same_name_are_told_apart_by_their_codes(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        twins = [await make_toy(session, defaults, f"trompo-{n}", title="Trompo") for n in (1, 2)]
        await make_toy(session, defaults, "pelota")
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, "target": "toys", "toys": "Pelota\ntrompo"})
    assert screen.problems == {
        "toys": "Hay más de un juguete con ese nombre; escribe su código (SKU): trompo"
    }
    await sent(screen, "look", {**TYPED, "target": "toys", "toys": "Pelota\nSKU-trompo-1"})
    await sent(screen, "save")
    promotion, _campaign = await the_promotion(shop)
    again = await opened(browser_of, offer=promotion.id)
    assert again.content.form.toys == "Pelota\nSKU-trompo-1"
    await sent(again, "look", {**TYPED, "target": "toys", "toys": again.content.form.toys})
    await sent(again, "save")
    promotion, _campaign = await the_promotion(shop)
    first, second = [await product_of(shop, one) for one in twins]
    assert first in promotion.target_rules[0]["values"]
    assert second not in promotion.target_rules[0]["values"]


async def test_an_offer_is_for_all_toys_that_are_typed_or_says_that_they_are_too_many(
    shop: Shop, defaults: Defaults, browser_of: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    codes = [f"SKU-trompo-{number}" for number in range(60)]
    async with shop.database.transaction() as session:
        for number in range(60):
            title = f"Trompo {number} " + "de guayacán con punta de acero " * 6
            await make_toy(session, defaults, f"trompo-{number}", title=title.strip())
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, "target": "toys", "toys": "\n".join(codes)})
    await sent(screen, "save")
    promotion, _campaign = await the_promotion(shop)
    again = await opened(browser_of, offer=promotion.id)
    shown = {**TYPED, "target": "toys", "toys": again.content.form.toys}
    await sent(again, "look", shown)
    assert (again.told, again.problems) == (None, {})
    assert "Hoy son 60 juguetes a la venta." in again.preview.words
    monkeypatch.setattr("backend.office.offers.form.MOST_VALUES", 59)
    await sent(again, "look", shown)
    assert again.problems == {"toys": "Son 60 juguetes, y caben hasta 59: deja los demás para otra."}
    assert again.preview is None


async def test_an_offer_is_for_as_many_categories_as_are_ticked(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", price=20_000)
        product = (await session.get_one(Variant, toy)).product_id
        several = [Category(name=f"Juegos {number}", handle=f"juegos-{number}") for number in range(80)]
        session.add_all(several)
        await session.flush()
        session.add(ProductCategory(product_id=product, category_id=several[-1].id))
    screen = await opened(browser_of)
    ticked = {f"category:{one.id}": "on" for one in several}
    await sent(screen, "look", {**TYPED, "target": "categories", **ticked})
    assert (screen.problems, [row.title for row in screen.preview.rows]) == ({}, ["Trompo"])


async def test_an_offer_of_categories_is_for_all_below_them(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        toy = await make_toy(session, defaults, "trompo", price=20_000)
        await make_toy(session, defaults, "pelota")
        above = Category(name="Madera", handle="madera")
        session.add(above)
        await session.flush()
        below = Category(name="Trompos", handle="trompos", parent_id=above.id)
        session.add(below)
        await session.flush()
        product = (await session.get_one(Variant, toy)).product_id
        session.add(ProductCategory(product_id=product, category_id=below.id))
        category = above.id
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, "target": "categories"})
    assert (list(screen.problems), screen.preview) == (["categories"], None)
    await sent(screen, "look", {**TYPED, "target": "categories", f"category:{category}": "on"})
    assert [row.title for row in screen.preview.rows] == ["Trompo"]
    await sent(screen, "save")
    promotion, _campaign = await the_promotion(shop)
    again = await opened(browser_of, offer=promotion.id)
    assert [(one.name, one.is_chosen) for one in again.content.categories] == [
        ("Madera", True),
        ("Trompos", False),
    ]


async def test_offers_that_apply_are_found_however_many_there_are(
    shop: Shop, browser_of: At, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("backend.office.offers.listing.MOST_ROWS", 2)
    moment, day = now(), timedelta(days=1)
    past, future = (
        Campaign(name=name, campaign_identifier=name, starts_at=moment + begin, ends_at=moment + begin + day)
        for name, begin in (("past", -9 * day), ("future", 9 * day))
    )
    of: dict[str, Any] = {"method_type": "fixed", "target_type": "order", "allocation": "across", "value": 5}
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
                    created_at=moment - age // 2 * day,  # two at each moment
                    **of,
                )
            )
    listing: Any = await (await browser_of(Role.SHOP, "/oficina/ofertas")).get_state(OffersState)
    await sent(listing, "load")
    assert sorted(row.code for row in listing.content.over) == ["ended-2", "ended-3"]
    assert len(listing.content.rows) == 2
    for count in (4, 5, 5):
        await sent(listing, "more")
        assert len(listing.content.rows) == count
    assert sorted(row.code for row in listing.content.rows) == [f"open-{number}" for number in range(1, 6)]
    assert sorted(row.code for row in listing.content.over) == ["ended-2", "ended-3"]


async def test_an_offer_is_ended_and_listed_under_those_that_are_over(shop: Shop, browser_of: At) -> None:
    screen = await opened(browser_of)
    await sent(screen, "look", TYPED)
    await sent(screen, "save")
    promotion, _campaign = await the_promotion(shop)
    listing: Any = await (await browser_of(Role.ACCOUNTANT, "/oficina/ofertas")).get_state(OffersState)
    await sent(listing, "load")
    assert [(row.code, row.chip.tone) for row in listing.content.rows] == [("Navidad10", "good")]
    screen = await opened(browser_of, offer=promotion.id)
    await sent(screen, "end")
    assert (screen.content.can_end, screen.told.tone) == (False, "news")
    assert (await the_promotion(shop))[0].status == PromotionStatus.INACTIVE
    await sent(listing, "load")
    assert ([row.code for row in listing.content.over], listing.content.rows) == (["Navidad10"], [])


async def saved(browser_of: At) -> Any:
    screen = await opened(browser_of)
    await sent(screen, "look", TYPED)
    await sent(screen, "save")
    return screen


async def test_an_offer_that_was_ended_applies_again_once_it_is_saved(shop: Shop, browser_of: At) -> None:
    await saved(browser_of)
    offer = (await the_promotion(shop))[0].id
    again = "Está terminada: al guardarla vuelve a aplicar."
    screen = await opened(browser_of, offer=offer)
    await sent(screen, "look", TYPED)
    assert again not in screen.preview.words
    await sent(await opened(browser_of, offer=offer), "end")
    # somebody has ended it since: it is shown again, and not stored
    await sent(screen, "save")
    assert (screen.told.tone, again in screen.preview.words) == ("problem", True)
    assert (await the_promotion(shop))[0].status == PromotionStatus.INACTIVE
    await sent(screen, "save")
    assert (screen.told.tone, (await the_promotion(shop))[0].status) == ("news", PromotionStatus.ACTIVE)


async def test_an_offer_whose_last_day_is_past_is_said_not_to_apply(browser_of: At) -> None:
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, "starts": "", "ends": "2020-12-31"})
    assert screen.preview.words[-1] == "Su último día ya pasó: así no aplica."


async def test_a_draft_of_a_program_applies_once_it_is_saved(shop: Shop, browser_of: At) -> None:
    offer = await by_a_program(shop, type="percentage", value=10)
    screen = await opened(browser_of, offer=offer)
    await sent(screen, "look", TYPED)
    assert "Es un borrador: al guardarla empieza a aplicar." in screen.preview.words
    await sent(screen, "save")
    assert (await the_promotion(shop))[0].status == PromotionStatus.ACTIVE


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
        ({"target": "toys"}, "toys"),
        ({"target": "toys", "toys": "Nadie"}, "toys"),
    ],
)
async def test_what_is_wrong_is_said_beside_its_field(
    browser_of: At, typed: dict[str, str], field: str
) -> None:
    screen = await opened(browser_of)
    await sent(screen, "look", {**TYPED, **typed})
    assert (list(screen.problems), screen.preview) == ([field], None)
    await sent(screen, "save")
    assert screen.told.tone == "problem"


async def test_a_code_that_is_taken_is_refused(shop: Shop, browser_of: At) -> None:
    for _time in range(2):
        screen = await opened(browser_of)
        await sent(screen, "look", TYPED)
        await sent(screen, "save")
    assert screen.problems == {"code": "Otra oferta ya tiene este código."}
    await the_promotion(shop)  # there is one


async def test_what_a_program_made_is_shown_and_can_only_be_ended(shop: Shop, browser_of: At) -> None:
    offer = await by_a_program(shop, type="fixed", allocation="each", value=900, max_quantity=1)
    screen = await opened(browser_of, offer=offer)
    assert (screen.content.form, screen.content.can_end, screen.content.row.code) == (None, True, "CADA")


async def by_a_program(shop: Shop, **method: Any) -> str:
    """The id of a draft."""
    method = {"target_type": "items", **method}
    body = {"code": "CADA", "type": "standard", "status": "draft", "application_method": method}
    new = to_create_promotion(NewPromotion.model_validate(body))
    async with shop.database.transaction() as session:
        return (await create_promotion(session, COMMAND_LINE, new)).id


async def test_pesos_are_taken_off_once_as_the_preview_shows_it(
    shop: Shop, defaults: Defaults, browser_of: At
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, defaults, "trompo", price=20_000)
    offer = await by_a_program(shop, type="percentage", allocation="each", value=10)
    screen = await opened(browser_of, offer=offer)
    assert screen.content.form is not None
    await sent(screen, "look", {**TYPED, "method": "fixed", "value": "5.000"})
    assert screen.preview.words[0] == "Quita $ 5.000 del valor de los juguetes del carrito."
    await sent(screen, "save")
    promotion, _campaign = await the_promotion(shop)
    assert (promotion.method_type, promotion.value, promotion.allocation) == ("fixed", 5_000, "across")


async def test_only_the_owner_and_the_shop_change_offers(shop: Shop, browser_of: At) -> None:
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        screen = await opened(browser_of, role)
        for name, arguments in (("look", (TYPED,)), ("save", ()), ("end", ())):
            await sent(screen, name, *arguments)
            assert screen.told.text == "Tu rol no permite hacer esto."
    screen = await opened(browser_of, Role.OWNER)
    await sent(screen, "look", TYPED)
    await sent(screen, "save")
    assert (await the_promotion(shop))[0].code == "Navidad10"


@pytest.mark.parametrize(
    "nonsense", [None, 7, {"code": 5}, {"code": "x" * 90_000}, dict.fromkeys(map(str, range(99)), "")]
)
async def test_nonsense_changes_nothing(browser_of: At, nonsense: Any) -> None:
    screen = await opened(browser_of)
    await sent(screen, "look", nonsense)
    assert (screen.told.tone, screen.preview) == ("problem", None)


async def test_an_offer_that_is_not_there_says_so(browser_of: At) -> None:
    assert (await opened(browser_of, offer="promo_none")).problem == "missing"


async def test_of_two_who_change_an_offer_the_second_is_told_before_anything_is_overwritten(
    shop: Shop, browser_of: At
) -> None:
    await saved(browser_of)
    offer = (await the_promotion(shop))[0].id
    looked, late, other = [await opened(browser_of, offer=offer) for _time in range(3)]
    await sent(looked, "look", {**TYPED, "limit": "5"})
    await sent(other, "look", {**TYPED, "value": "15"})
    await sent(other, "save")
    told = (
        "Alguien la cambió mientras la tenías abierta. Ahora es: 15 % menos en todo el carrito, con código. "
        "Recarga para ver cómo quedó; si guardas, queda lo tuyo."
    )
    await sent(looked, "save")
    assert (looked.told.tone, looked.preview.words[0]) == ("problem", told)
    await sent(late, "look", {**TYPED, "each": "1"})
    assert late.preview.words[0] == told
    assert (await the_promotion(shop))[0].value == 15
    await sent(looked, "save")  # who was told decides
    assert looked.told.tone == "news"
    promotion, _campaign = await the_promotion(shop)
    assert (promotion.value, promotion.use_limit) == (10, 5)
    await sent(looked, "look", {**TYPED, "limit": "6"})  # one's own change is no other's
    assert "Alguien" not in looked.preview.words[0]
    await sent(late, "save")
    assert (late.told.tone, (await the_promotion(shop))[0].use_limit) == ("problem", 5)
