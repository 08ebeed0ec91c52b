"""Producto: a toy is made and changed in one form; two people at once lose nothing."""

import asyncio
from dataclasses import replace
from typing import Any

import pytest
from sqlalchemy import select, update
from sqlalchemy.ext.asyncio import AsyncSession

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog import categories, collections
from backend.catalog.api.product_commands import to_create_product
from backend.catalog.handles import moved_to
from backend.catalog.models import Category, Picture, Product, ProductCategory, Variant
from backend.catalog.products.options import options_of, values_of_variants
from backend.catalog.products.service import create_product
from backend.catalog.products.variants import variants_of
from backend.catalog.schemas.admin import NewProduct
from backend.catalog.storefront.page_content import product_detail
from backend.core.errors import Forbidden, NotFound
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel, StockMovement
from backend.office.products.draft import FREE, Draft, PictureDraft, VariantDraft
from backend.office.products.editor import FIRST, ProductForm, blank_form, read_form
from backend.office.products.saving import FormClashes, FormRefused, Wanted, save_form
from backend.staff.rights import Actor, Role
from tests.backend.rivals import overtaken
from tests.store_defaults import Defaults, make_toy

LINA, BERTA = Actor("user_lina", Role.SHOP), Actor("user_berta", Role.OWNER)
CODE = "7701234567897"


@pytest.fixture
async def toy(shop: Shop, shop_defaults: Defaults) -> str:
    """A wooden top, ten units."""
    async with shop.database.transaction() as session:
        variant_id = await make_toy(session, shop_defaults, "trompo-de-madera", stock=10)
        return (await session.get_one(Variant, variant_id)).product_id


async def opened(shop: Shop, product_id: str = "", actor: Actor = LINA) -> ProductForm:
    """The form as somebody sees it who opens it now."""
    async with shop.database.read() as session:
        return await (read_form(session, actor, product_id) if product_id else blank_form(session, actor))


def edited(form: ProductForm, *, units: dict[str, int] | None = None, **changes: Any) -> Wanted:
    """The form with these texts, and other parts by their names, changed."""
    draft = form.base.draft
    parts = {name: changes.pop(name) for name in list(changes) if name in Draft.__dataclass_fields__}
    draft = replace(draft, texts={**draft.texts, **changes}, **parts)
    location = form.locations[0].id if form.locations else ""
    return Wanted(form.base, draft, units or {}, location)


async def save(shop: Shop, wanted: Wanted, actor: Actor = LINA) -> str:
    async with shop.database.transaction() as session:
        return await save_form(session, actor, wanted)


def first(form: ProductForm, **values: str) -> list[VariantDraft]:
    """The variants with the first one changed."""
    one, *others = form.base.draft.variants
    return [replace(one, **values), *others]


def shot(number: int) -> str:
    """The address of an uploaded picture."""
    return f"/pictures/{number:016x}/foto-960x720-960.webp"


async def stocked(shop: Shop, product_id: str) -> list[int]:
    async with shop.database.read() as session:
        query = select(InventoryLevel.stocked).join(Variant, Variant.id == InventoryLevel.variant_id)
        query = query.where(Variant.product_id == product_id).order_by(Variant.rank)
        return list((await session.execute(query)).scalars())


async def test_a_video_of_the_shops_own_is_put_in_and_taken_out(shop: Shop, toy: str) -> None:
    video = "/pictures/0123456789abcdef/video-20261125.mp4"
    with pytest.raises(FormRefused) as refused:
        await save(shop, edited(await opened(shop, toy), video="https://elsewhere.example/a.mp4"))
    assert list(refused.value.fields) == ["video"]
    for wanted, kept in ((video, {"video": video}), ("", {})):
        await save(shop, edited(await opened(shop, toy), video=wanted))
        async with shop.database.read() as session:
            assert (await session.get_one(Product, toy)).extra_metadata == kept
    await save(shop, edited(await opened(shop, toy), video=video))
    seen = await opened(shop, toy)
    await save(shop, edited(seen, video=video.replace("25", "26")))
    with pytest.raises(FormClashes) as clashes:
        await save(shop, edited(seen, video=""))
    assert [clash.name for clash in clashes.value.clashes] == ["video"]


async def test_a_new_toy_is_for_sale_at_once(shop: Shop, shop_defaults: Defaults) -> None:
    form = await opened(shop)
    wanted = edited(
        form,
        title="Balero de colores",
        brand="Artesanos",
        weight="0.2",
        origin_country="co",
        variants=first(form, price="$ 25.000", before="30.000", sku="BAL-1", ean=CODE),
        pictures=[PictureDraft(shot(0))],
        units={FIRST: 12},
    )
    product_id = await save(shop, wanted)
    saved = (await opened(shop, product_id)).base
    assert (saved.draft.texts["handle"], saved.draft.texts["weight"]) == ("balero-de-colores", "0,2")
    (variant,) = saved.draft.variants
    assert (variant.price, variant.before, variant.sku, variant.ean) == ("25000", "30000", "BAL-1", CODE)
    assert saved.stocked == {f"{variant.key}|{shop_defaults.location_id}": 12}
    async with shop.database.read() as session:
        product = await session.get_one(Product, product_id)
        (picture,) = (await session.execute(select(Picture))).scalars()
        (moved,) = (await session.execute(select(StockMovement))).scalars()
    assert (product.status, product.thumbnail, picture.alt) == ("published", picture.url, "Balero de colores")
    assert (moved.reason, moved.delta, moved.actor_id) == ("received", 12, LINA.id)


async def test_country_that_is_none_is_refused_beside_the_field(shop: Shop, toy: str) -> None:
    with pytest.raises(FormRefused) as refused:
        await save(shop, edited(await opened(shop, toy), origin_country="c1"))
    assert list(refused.value.fields) == ["origin_country"]
    await save(shop, edited(await opened(shop, toy), origin_country="CO"))
    assert (await opened(shop, toy)).base.draft.texts["origin_country"] == "co"


async def test_a_form_that_is_sent_twice_makes_one_toy(shop: Shop, shop_defaults: Defaults) -> None:
    form = await opened(shop)
    wanted = edited(form, title="Yoyo", variants=first(form, price="9000"), units={FIRST: 5})
    assert await save(shop, wanted) == await save(shop, wanted)
    async with shop.database.read() as session:
        assert len((await session.execute(select(Product))).all()) == 1
    assert await stocked(shop, form.base.id) == [5]


async def test_toys_of_one_title_get_addresses_of_their_own(shop: Shop, shop_defaults: Defaults) -> None:
    handles = []
    for _toy in range(3):
        form = await opened(shop)
        saved = await save(shop, edited(form, title="¡Yo-yó!", variants=first(form, price="9000")))
        handles.append((await opened(shop, saved)).base.draft.texts["handle"])
    assert handles == ["yo-yo", "yo-yo-2", "yo-yo-3"]
    form = await opened(shop)
    saved = await save(shop, edited(form, title="¿?", variants=first(form, price="9000")))
    assert (await opened(shop, saved)).base.draft.texts["handle"] == "juguete"


async def test_toys_of_one_long_title_have_addresses_that_are_no_longer_than_any(
    shop: Shop, shop_defaults: Defaults
) -> None:
    handles = []
    for _time in range(3):
        form = await opened(shop)
        wanted = edited(form, title=("Trompitos " * 24).strip(), variants=first(form, price="9000"))
        handles.append((await opened(shop, await save(shop, wanted))).base.draft.texts["handle"])
    whole = "-".join(["trompitos"] * 20)
    assert handles == [whole, f"{whole[:198]}-2", f"{whole[:198]}-3"]


async def test_price_of_0_is_saved_only_with_the_tick(shop: Shop, toy: str) -> None:
    """| price | Gratis | outcome | — 0 or empty with it: sold at 0; 0 without it, or a price with it: refused."""
    form = await opened(shop, toy)
    (key,) = (one.key for one in form.base.draft.variants)
    for values in ({"price": "0"}, {"price": ""}, {"price": "50000", "is_free": FREE}):
        with pytest.raises(FormRefused) as refused:
            await save(shop, edited(form, variants=first(form, **values)))
        assert list(refused.value.fields) == [f"price-{key}"]
    await save(shop, edited(form, variants=first(form, price="", is_free=FREE)))
    form = await opened(shop, toy)
    assert [(one.price, one.is_free) for one in form.base.draft.variants] == [("0", FREE)]
    async with shop.database.read() as session:
        detail = await product_detail(session, "trompo-de-madera")
    assert detail.variants[0].available
    await save(shop, edited(form, variants=first(form, price="9000", is_free="")))
    (variant,) = (await opened(shop, toy)).base.draft.variants
    assert (variant.price, variant.is_free) == ("9000", "")


async def test_units_that_came_are_added_once(shop: Shop, toy: str) -> None:
    form = await opened(shop, toy)
    key = form.base.draft.variants[0].key
    await save(shop, edited(form, units={key: 5}))
    assert await stocked(shop, toy) == [15]
    with pytest.raises(FormClashes) as error:  # the answer was lost and the form is sent again
        await save(shop, edited(form, units={key: 5}))
    assert [(one.mine, one.theirs) for one in error.value.clashes] == [("+5", "15")]
    await save(shop, edited(await opened(shop, toy), units={key: -15}))
    assert await stocked(shop, toy) == [0]
    with pytest.raises(FormRefused) as refused:
        await save(shop, edited(await opened(shop, toy), units={key: -1}))
    assert list(refused.value.fields) == [f"units-{key}"]


async def test_what_is_promised_stays(shop: Shop, toy: str) -> None:
    form = await opened(shop, toy)
    (variant,) = form.base.draft.variants
    other = VariantDraft("new-1", "Otro", "1000")
    await save(shop, edited(form, variants=[variant, other]))
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {variant.key: 4}, None)
    form = await opened(shop, toy)
    for wanted, field in (
        (edited(form, units={variant.key: -7}), f"units-{variant.key}"),
        (edited(form, variants=form.base.draft.variants[1:]), "variants"),
    ):
        with pytest.raises(FormRefused) as error:
            await save(shop, wanted)
        assert list(error.value.fields) == [field]
    assert (await stocked(shop, toy))[0] == 10


async def test_a_purchase_is_no_conflict(shop: Shop, toy: str) -> None:
    form = await opened(shop, toy)
    key = form.base.draft.variants[0].key
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {key: 4}, None)
    await save(shop, edited(form, title="Trompo azul", units={key: 2}))
    assert await stocked(shop, toy) == [12]


async def test_two_change_different_things(shop: Shop, toy: str) -> None:
    linas, bertas = await opened(shop, toy), await opened(shop, toy, BERTA)
    await save(shop, edited(bertas, brand="Artesanos", variants=first(bertas, sku="TR-9")), BERTA)
    await save(shop, edited(linas, title="Trompo azul", variants=first(linas, price="60000")))
    draft = (await opened(shop, toy)).base.draft
    assert (draft.texts["title"], draft.texts["brand"]) == ("Trompo azul", "Artesanos")
    assert (draft.variants[0].price, draft.variants[0].sku) == ("60000", "TR-9")


async def test_two_change_the_same(shop: Shop, toy: str) -> None:
    linas, bertas = await opened(shop, toy), await opened(shop, toy, BERTA)
    await save(shop, edited(bertas, variants=first(bertas, price="55000")), BERTA)
    wanted = edited(linas, title="Trompo azul", variants=first(linas, price="60000"))
    with pytest.raises(FormClashes) as error:
        await save(shop, wanted)
    (clash,) = error.value.clashes
    assert (clash.mine, clash.theirs) == ("60000", "55000")
    draft = (await opened(shop, toy)).base.draft
    assert (draft.texts["title"], draft.variants[0].price) == ("Trompo de madera", "55000")
    await save(shop, replace(wanted, base=(await opened(shop, toy)).base))  # having seen both
    draft = (await opened(shop, toy)).base.draft
    assert (draft.texts["title"], draft.variants[0].price) == ("Trompo azul", "60000")


async def test_what_two_changes_make_together_is_checked(shop: Shop, toy: str) -> None:
    linas, bertas = await opened(shop, toy), await opened(shop, toy, BERTA)
    await save(shop, edited(bertas, variants=first(bertas, before="55000")), BERTA)
    with pytest.raises(FormRefused) as error:
        await save(shop, edited(linas, variants=first(linas, price="60000")))
    assert [name.partition("-")[0] for name in error.value.fields] == ["before"]


async def test_two_at_the_same_moment(shop: Shop, toy: str) -> None:
    linas, bertas = await opened(shop, toy), await opened(shop, toy, BERTA)
    done = await asyncio.gather(
        save(shop, edited(linas, title="Trompo azul")),
        save(shop, edited(bertas, title="Trompo rojo", brand="Artesanos"), BERTA),
        return_exceptions=True,
    )
    assert [type(one) for one in done if one != toy] == [FormClashes]
    assert (await opened(shop, toy)).base.draft.texts["title"] in {"Trompo azul", "Trompo rojo"}


async def test_a_toy_that_is_gone(shop: Shop, toy: str) -> None:
    form = await opened(shop, toy)
    async with shop.database.transaction() as session:
        (await session.get_one(Product, toy)).deleted_at = (await session.get_one(Product, toy)).created_at
    with pytest.raises(NotFound):
        await save(shop, edited(form, title="Trompo azul"))
    with pytest.raises(NotFound):
        await opened(shop, toy)


async def test_places_are_named_in_the_history(shop: Shop, toy: str) -> None:
    async with shop.database.transaction() as session:
        root = await categories.create_category(session, BERTA, name="Todo")
        of_wood = await categories.create_category(session, BERTA, name="De madera", parent_id=root.id)
        gift = await collections.create_collection(session, BERTA, title="Regalos")
    form = await opened(shop, toy)
    assert [one.name for one in form.categories] == ["De madera"]
    await save(shop, edited(form, categories=[of_wood.id], collection_id=gift.id))
    form = await opened(shop, toy)
    assert (form.base.draft.categories, form.base.draft.texts["collection_id"]) == ([of_wood.id], gift.id)
    async with shop.database.read() as session:
        newest = select(AuditEntry).where(AuditEntry.subject_id == toy).order_by(AuditEntry.id.desc())
        entry = (await session.execute(newest.limit(1))).scalar_one()
    changes = {one["field"]: (one["before"], one["after"]) for one in entry.changes}
    assert changes == {"categories": ([], ["De madera"]), "collection": (None, "Regalos")}
    await save(shop, edited(form, categories=[], collection_id=""))
    async with shop.database.transaction() as session:
        assert (await session.execute(select(ProductCategory))).all() == []
        await session.delete(await session.get_one(Category, of_wood.id))
    with pytest.raises(NotFound):  # it was there when the form was shown
        await save(shop, edited(await opened(shop, toy), categories=[of_wood.id]))


async def test_codes_and_addresses_of_others_are_refused_beside_the_field(
    shop: Shop, shop_defaults: Defaults, toy: str
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, shop_defaults, "yoyo")
    form = await opened(shop, toy)
    await save(shop, edited(form, variants=first(form, ean=CODE)))
    form = await opened(shop, (await _named(shop, "yoyo")))
    key = form.base.draft.variants[0].key
    taken = first(form, sku="SKU-trompo-de-madera", ean=CODE)
    with pytest.raises(FormRefused) as error:
        await save(shop, edited(form, handle="trompo-de-madera", variants=taken))
    assert set(error.value.fields) == {"handle", f"sku-{key}", f"ean-{key}"}
    for url in (
        "https://elsewhere.example/a.jpg",
        "/pictures/1/a.webp",
        "javascript:alert(1)",
        "data:,x",
        "",
    ):
        with pytest.raises(FormRefused) as error:
            await save(shop, edited(form, pictures=[PictureDraft(url)]))
        assert list(error.value.fields) == ["pictures"]


async def test_picture_with_a_scheme_that_is_refused_now_can_only_go(shop: Shop, toy: str) -> None:
    """A product may have one from before: its other fields are saved, its pictures not as long as it is there."""
    async with shop.database.transaction() as session:
        session.add(Picture(product_id=toy, url="javascript:alert(1)", rank=9))
    form = await opened(shop, toy)
    pictures = form.base.draft.pictures
    await save(shop, edited(form, title="Balero nuevo"))
    form = await opened(shop, toy)
    with pytest.raises(FormRefused) as error:
        await save(shop, edited(form, pictures=[*pictures, PictureDraft(shot(7))]))
    assert list(error.value.fields) == ["pictures"]
    await save(shop, edited(form, pictures=[PictureDraft(shot(7))]))
    assert [one.url for one in (await opened(shop, toy)).base.draft.pictures] == [shot(7)]


@pytest.mark.parametrize("taken", [{"ean": CODE}, {"sku": "NEW-1"}])
async def test_a_code_that_somebody_else_takes_at_this_moment_is_told_beside_the_field(
    shop: Shop, shop_defaults: Defaults, toy: str, taken: dict[str, str]
) -> None:
    async with shop.database.transaction() as session:
        await make_toy(session, shop_defaults, "yoyo")
    yoyo = await _named(shop, "yoyo")

    async def rival(session: AsyncSession) -> None:
        await session.execute(update(Variant).where(Variant.product_id == yoyo).values(**taken))

    form = await opened(shop, toy)
    ((field, _code),) = taken.items()
    wanted = edited(form, title="Otro", variants=first(form, **taken))
    with pytest.raises(FormRefused) as error:
        await overtaken(shop.database, rival, lambda: save(shop, wanted))
    key = form.base.draft.variants[0].key
    assert error.value.fields == {f"{field}-{key}": "Lo tiene «Yoyo»."}
    assert (await opened(shop, toy)).base.draft == form.base.draft
    async with shop.database.read() as session:
        assert (await session.execute(select(AuditEntry))).all() == []


async def test_two_new_toys_of_one_title_at_this_moment_have_two_addresses(
    shop: Shop, shop_defaults: Defaults
) -> None:
    form = await opened(shop)

    async def rival(session: AsyncSession) -> None:
        await make_toy(session, shop_defaults, "oso")

    wanted = edited(form, title="Oso", variants=first(form, price="1000"))
    product_id = await overtaken(shop.database, rival, lambda: save(shop, wanted))
    async with shop.database.read() as session:
        assert (await session.get_one(Product, product_id)).handle == "oso-2"
        entries = (
            (await session.execute(select(AuditEntry).where(AuditEntry.subject_id == product_id)))
            .scalars()
            .all()
        )
    assert [entry.action for entry in entries] == ["created"]


async def _named(shop: Shop, handle: str) -> str:
    async with shop.database.read() as session:
        return (await session.execute(select(Product.id).where(Product.handle == handle))).scalar_one()


async def test_variants_exchange_their_codes_and_places(shop: Shop, toy: str) -> None:
    form = await opened(shop, toy)
    (one,) = form.base.draft.variants
    await save(shop, edited(form, variants=[one, VariantDraft("new-1", "Rojo", "1000", sku="R", ean=CODE)]))
    form = await opened(shop, toy)
    one, red = form.base.draft.variants
    swapped = [replace(red, sku=one.sku, ean=""), replace(one, sku="R", ean=CODE, title="Azul")]
    await save(shop, edited(form, variants=swapped))
    assert (await opened(shop, toy)).base.draft.variants == swapped
    again = VariantDraft("new-1", "Verde", "1000", sku="R", ean=CODE)  # of the one that goes
    form = await opened(shop, toy)
    await save(shop, edited(form, variants=[form.base.draft.variants[0], again]))
    assert [one.title for one in (await opened(shop, toy)).base.draft.variants] == ["Rojo", "Verde"]


async def test_another_address_leads_from_the_one_before(shop: Shop, toy: str) -> None:
    await save(shop, edited(await opened(shop, toy), handle="trompo-nuevo"))
    form = await opened(shop, toy)
    assert (form.former, form.page_path) == (["trompo-de-madera"], "/product/trompo-nuevo")
    async with shop.database.read() as session:
        assert await moved_to(session, "trompo-de-madera") == "trompo-nuevo"
    await save(shop, edited(form, is_published=False))
    assert (await opened(shop, toy)).page_path == ""


async def test_the_first_picture_is_that_of_the_lists(shop: Shop, toy: str) -> None:
    one, two = PictureDraft(shot(1), "A"), PictureDraft(shot(2), "B")
    for pictures, thumbnail in (([one, two], one.url), ([two, one], two.url), ([one], one.url), ([], None)):
        await save(shop, edited(await opened(shop, toy), pictures=pictures))
        async with shop.database.read() as session:
            assert (await session.get_one(Product, toy)).thumbnail == thumbnail
        assert (await opened(shop, toy)).base.draft.pictures == pictures


async def test_who_may_not_change_it_sees_it(shop: Shop, toy: str) -> None:
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        actor = Actor("user_x", role)
        form = await opened(shop, toy, actor)
        with pytest.raises(Forbidden):
            await save(shop, edited(form, title="X"), actor)
        with pytest.raises(Forbidden):
            await opened(shop, "", actor)


async def test_nothing_is_written_when_nothing_changed(shop: Shop, toy: str) -> None:
    async with shop.database.read() as session:
        before = (await session.get_one(Product, toy)).updated_at
    await save(shop, edited(await opened(shop, toy)))
    async with shop.database.read() as session:
        assert (await session.get_one(Product, toy)).updated_at == before
        assert (await session.execute(select(AuditEntry))).all() == []


async def test_a_toy_with_options_keeps_them(shop: Shop, shop_defaults: Defaults) -> None:
    new = NewProduct.model_validate(
        {
            "title": "Camiseta",
            "status": "published",
            "options": [{"title": "Talla", "values": ["S", "M"]}, {"title": "Color", "values": ["Rojo"]}],
            "variants": [
                {"title": f"{size} / Rojo", "options": {"Talla": size, "Color": "Rojo"}, "prices": [price]}
                for size, price in (("S", {"amount": 30_000}), ("M", {"amount": 35_000}))
            ],
        }
    )
    async with shop.database.transaction() as session:
        product_id = await create_product(session, LINA, to_create_product(new))
    await save(shop, edited(form := await opened(shop, product_id), variants=first(form, price="32000")))
    form = await opened(shop, product_id)
    added = [*form.base.draft.variants, VariantDraft(FIRST, title="L / Rojo", price="40000")]
    await save(shop, edited(form, variants=added))
    async with shop.database.read() as session:
        options = (await options_of(session, [product_id]))[product_id]
        values = await values_of_variants(session, [product_id])
        variants = await variants_of(session, product_id)
    assert [(one.row.title, [value.value for value in one.values]) for one in options] == [
        ("Talla", ["S", "M", "L"]),
        ("Color", ["Rojo"]),
    ]
    of_each = [[values[one.id][option.row.id].value for option in options] for one in variants]
    assert of_each == [["S", "Rojo"], ["M", "Rojo"], ["L", "Rojo"]]
    assert [one.price for one in variants] == [32_000, 35_000, 40_000]


async def test_a_title_that_names_the_values_of_another_variant_is_refused_beside_it(
    shop: Shop, shop_defaults: Defaults
) -> None:
    new = NewProduct.model_validate(
        {
            "title": "Gorra",
            "options": [{"title": "Color", "values": ["Rojo", "Azul"]}],
            "variants": [
                {"title": title, "options": {"Color": colour}, "prices": [{"amount": 9_000}]}
                for title, colour in (("La de siempre", "Rojo"), ("Azul", "Azul"))
            ],
        }
    )
    async with shop.database.transaction() as session:
        product_id = await create_product(session, LINA, to_create_product(new))
    form = await opened(shop, product_id)
    usual, blue = form.base.draft.variants
    for variants, field in (
        ([usual, blue, VariantDraft("new-1", "Rojo", "9000")], "title-new-1"),
        ([usual, replace(blue, title="Rojo")], f"title-{blue.key}"),
    ):
        with pytest.raises(FormRefused) as error:
            await save(shop, edited(form, variants=variants))
        assert error.value.fields == {field: "«La de siempre» tiene ya estas opciones."}
    exchanged = [replace(usual, title="Azul"), replace(blue, title="Rojo")]
    await save(shop, edited(form, variants=exchanged))
    assert (await opened(shop, product_id)).base.draft.variants == exchanged


async def test_a_price_changes_no_values_where_titles_are_others(shop: Shop, shop_defaults: Defaults) -> None:
    new = NewProduct.model_validate(
        {
            "title": "Gorra",
            "options": [{"title": "Color", "values": ["Red"]}],
            "variants": [{"title": "Rojo", "options": {"Color": "Red"}, "prices": [{"amount": 9_000}]}],
        }
    )
    async with shop.database.transaction() as session:
        product_id = await create_product(session, LINA, to_create_product(new))
    form = await opened(shop, product_id)
    await save(shop, edited(form, variants=first(form, price="9500")))
    async with shop.database.read() as session:
        (option,) = (await options_of(session, [product_id]))[product_id]
        ((variant,), values) = (
            await variants_of(session, product_id),
            await values_of_variants(session, [product_id]),
        )
    assert [one.value for one in option.values] == ["Red"]
    assert (variant.price, values[variant.id][option.row.id].value) == (9_500, "Red")


async def test_a_title_that_names_no_values_leaves_the_options(shop: Shop, shop_defaults: Defaults) -> None:
    new = NewProduct.model_validate(
        {
            "title": "Gorra",
            "options": [{"title": "Color", "values": ["Rojo"]}],
            "variants": [{"title": "Rojo", "options": {"Color": "Rojo"}, "prices": [{"amount": 9_000}]}],
        }
    )
    async with shop.database.transaction() as session:
        product_id = await create_product(session, LINA, to_create_product(new))
    form = await opened(shop, product_id)
    await save(shop, edited(form, variants=first(form, title="Rojo / de niño", price="9500")))
    async with shop.database.read() as session:
        ((_option, values),) = [
            (one, one.values) for one in (await options_of(session, [product_id]))[product_id]
        ]
    assert [one.value for one in values] == ["Rojo"]
