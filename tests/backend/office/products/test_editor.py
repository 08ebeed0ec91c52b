"""The product form creates and changes products; concurrent edits lose nothing."""

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
from backend.catalog.handles import find_current_handle
from backend.catalog.models import Category, Picture, Product, ProductCategory, Variant
from backend.catalog.products.options import read_options, read_variant_values
from backend.catalog.products.service import create_product
from backend.catalog.products.variants import read_variants
from backend.catalog.schemas.admin import NewProduct
from backend.catalog.storefront.page_content import product_detail
from backend.core.errors import Forbidden, NotFound
from backend.inventory import service as inventory
from backend.inventory.models import InventoryLevel, StockMovement
from backend.office.products.draft import EXCLUDED, FREE, FormRefused, PictureDraft, VariantDraft
from backend.office.products.editor import (
    FIRST_VARIANT_KEY,
    describe_margin,
)
from backend.office.products.saving import FormClashes
from backend.staff.rights import Actor, Role
from tests.amounts import cop
from tests.backend.office.products.editing import (
    BERTA,
    LINA,
    change_first_variant,
    edit_form,
    open_form,
    save,
)
from tests.backend.rivals import run_against_rival
from tests.store_defaults import Defaults, add_product

CODE = "7701234567897"


@pytest.fixture
async def toy(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a wooden top with ten units and return the product's id."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo-de-madera", stock=10)
        return (await session.get_one(Variant, variant_id)).product_id


def picture_url(number: int) -> str:
    """Return the URL of an uploaded picture."""
    return f"/pictures/{number:016x}/foto-960x720-960.webp"


async def read_stock(shop: Shop, product_id: str) -> list[int]:
    async with shop.database.read() as session:
        query = select(InventoryLevel.stocked).join(Variant, Variant.id == InventoryLevel.variant_id)
        query = query.where(Variant.product_id == product_id).order_by(Variant.rank)
        return list((await session.execute(query)).scalars())


async def test_uploaded_video_is_added_and_removed(shop: Shop, toy: str) -> None:
    video = "/pictures/0123456789abcdef/video-20261125.mp4"
    with pytest.raises(FormRefused) as refused:
        await save(shop, edit_form(await open_form(shop, toy), video="https://elsewhere.example/a.mp4"))
    assert list(refused.value.fields) == ["video"]
    for wanted, kept in ((video, {"video": video}), ("", {})):
        await save(shop, edit_form(await open_form(shop, toy), video=wanted))
        async with shop.database.read() as session:
            assert (await session.get_one(Product, toy)).extra_metadata == kept
    await save(shop, edit_form(await open_form(shop, toy), video=video))
    seen = await open_form(shop, toy)
    await save(shop, edit_form(seen, video=video.replace("25", "26")))
    with pytest.raises(FormClashes) as clashes:
        await save(shop, edit_form(seen, video=""))
    assert [clash.name for clash in clashes.value.clashes] == ["video"]


async def test_cost_and_texts_for_search_engines_are_saved(shop: Shop, toy: str) -> None:
    form = await open_form(shop, toy)
    texts: dict[str, Any] = {"seo_title": "Trompo de guayacán", "seo_description": "El que baila derecho"}
    await save(shop, edit_form(form, **texts, variants=change_first_variant(form, cost="$ 12.500")))
    saved = (await open_form(shop, toy)).base.draft
    (variant,) = saved.variants
    assert (variant.cost, {name: saved.texts[name] for name in texts}) == ("12500", texts)
    assert describe_margin(replace(variant, price="23800"), "19") == cop(
        "Por unidad quedan $ 7.500 sin IVA: 38 %."
    )
    async with shop.database.read() as session:
        changes = (await session.execute(select(AuditEntry.changes))).scalars().all()
    assert any("cost" in str(change) for change in changes)
    with pytest.raises(FormClashes) as clashes:
        await save(shop, edit_form(form, variants=change_first_variant(form, cost="1")))
    assert [clash.name for clash in clashes.value.clashes] == [f"cost-{variant.key}"]
    fresh = await open_form(shop, toy)
    wanted: dict[str, Any] = {"seo_title": "x" * 71, "seo_description": "x" * 161}
    with pytest.raises(FormRefused) as refused:
        await save(shop, edit_form(fresh, **wanted, variants=change_first_variant(fresh, cost="gratis")))
    assert set(refused.value.fields) == {"seo_title", "seo_description", f"cost-{variant.key}"}
    await save(shop, edit_form(fresh, seo_title="", variants=change_first_variant(fresh, cost="")))
    saved = (await open_form(shop, toy)).base.draft
    assert (saved.texts["seo_title"], saved.variants[0].cost) == ("", "")


async def test_new_product_is_for_sale_immediately(shop: Shop, shop_defaults: Defaults) -> None:
    form = await open_form(shop)
    wanted = edit_form(
        form,
        title="Balero de colores",
        brand="Artesanos",
        weight="0.2",
        origin_country="co",
        variants=change_first_variant(form, price="$ 25.000", before="30.000", sku="BAL-1", ean=CODE),
        pictures=[PictureDraft(picture_url(0))],
        units={FIRST_VARIANT_KEY: 12},
    )
    product_id = await save(shop, wanted)
    saved = (await open_form(shop, product_id)).base
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


async def test_exclusion_from_tax_is_saved_with_the_rate(shop: Shop, toy: str) -> None:
    for chosen, saved in (
        (EXCLUDED, (0, True)),
        ("0", (0, False)),
        (EXCLUDED, (0, True)),
        ("19", (19, False)),
    ):
        await save(shop, edit_form(await open_form(shop, toy), tax_rate=chosen))
        assert (await open_form(shop, toy)).base.draft.texts["tax_rate"] == chosen
        async with shop.database.read() as session:
            product = await session.get_one(Product, toy)
            assert (product.tax_rate, product.tax_excluded) == saved


async def test_invalid_country_is_refused_at_its_field(shop: Shop, toy: str) -> None:
    with pytest.raises(FormRefused) as refused:
        await save(shop, edit_form(await open_form(shop, toy), origin_country="c1"))
    assert list(refused.value.fields) == ["origin_country"]
    await save(shop, edit_form(await open_form(shop, toy), origin_country="CO"))
    assert (await open_form(shop, toy)).base.draft.texts["origin_country"] == "co"


async def test_product_form_sent_twice_creates_one_product(shop: Shop, shop_defaults: Defaults) -> None:
    form = await open_form(shop)
    wanted = edit_form(
        form, title="Yoyo", variants=change_first_variant(form, price="9000"), units={FIRST_VARIANT_KEY: 5}
    )
    assert await save(shop, wanted) == await save(shop, wanted)
    async with shop.database.read() as session:
        assert len((await session.execute(select(Product))).all()) == 1
    assert await read_stock(shop, form.base.id) == [5]


async def test_products_with_one_title_get_different_handles(shop: Shop, shop_defaults: Defaults) -> None:
    handles = []
    for _toy in range(3):
        form = await open_form(shop)
        saved = await save(
            shop, edit_form(form, title="¡Yo-yó!", variants=change_first_variant(form, price="9000"))
        )
        handles.append((await open_form(shop, saved)).base.draft.texts["handle"])
    assert handles == ["yo-yo", "yo-yo-2", "yo-yo-3"]
    form = await open_form(shop)
    saved = await save(shop, edit_form(form, title="¿?", variants=change_first_variant(form, price="9000")))
    assert (await open_form(shop, saved)).base.draft.texts["handle"] == "producto"


async def test_handles_of_a_long_title_respect_the_maximum_length(
    shop: Shop, shop_defaults: Defaults
) -> None:
    handles = []
    for _time in range(3):
        form = await open_form(shop)
        wanted = edit_form(
            form, title=("Trompitos " * 24).strip(), variants=change_first_variant(form, price="9000")
        )
        handles.append((await open_form(shop, await save(shop, wanted))).base.draft.texts["handle"])
    whole = "-".join(["trompitos"] * 20)
    assert handles == [whole, f"{whole[:198]}-2", f"{whole[:198]}-3"]


async def test_price_of_0_is_accepted_only_with_the_free_checkbox(shop: Shop, toy: str) -> None:
    """Check that 0 and an empty price are accepted with the checkbox only, and that it refuses any other price."""
    form = await open_form(shop, toy)
    (key,) = (one.key for one in form.base.draft.variants)
    for values in ({"price": "0"}, {"price": ""}, {"price": "50000", "is_free": FREE}):
        with pytest.raises(FormRefused) as refused:
            await save(shop, edit_form(form, variants=change_first_variant(form, **values)))
        assert list(refused.value.fields) == [f"price-{key}"]
    await save(shop, edit_form(form, variants=change_first_variant(form, price="", is_free=FREE)))
    form = await open_form(shop, toy)
    assert [(one.price, one.is_free) for one in form.base.draft.variants] == [("0", FREE)]
    async with shop.database.read() as session:
        detail = await product_detail(session, "trompo-de-madera")
    assert detail.variants[0].available
    await save(shop, edit_form(form, variants=change_first_variant(form, price="9000", is_free="")))
    (variant,) = (await open_form(shop, toy)).base.draft.variants
    assert (variant.price, variant.is_free) == ("9000", "")


async def test_product_form_sent_twice_adds_units_once(shop: Shop, toy: str) -> None:
    form = await open_form(shop, toy)
    key = form.base.draft.variants[0].key
    await save(shop, edit_form(form, units={key: 5}))
    assert await read_stock(shop, toy) == [15]
    with pytest.raises(FormClashes) as error:  # the response was lost and the form is sent again
        await save(shop, edit_form(form, units={key: 5}))
    assert [(one.mine, one.theirs) for one in error.value.clashes] == [("+5", "15")]
    await save(shop, edit_form(await open_form(shop, toy), units={key: -15}))
    assert await read_stock(shop, toy) == [0]
    with pytest.raises(FormRefused) as refused:
        await save(shop, edit_form(await open_form(shop, toy), units={key: -1}))
    assert list(refused.value.fields) == [f"units-{key}"]


async def test_reserved_units_cannot_be_removed(shop: Shop, toy: str) -> None:
    form = await open_form(shop, toy)
    (variant,) = form.base.draft.variants
    other = VariantDraft("new-1", "Otro", "1000")
    await save(shop, edit_form(form, variants=[variant, other]))
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {variant.key: 4}, None)
    form = await open_form(shop, toy)
    for wanted, field in (
        (edit_form(form, units={variant.key: -7}), f"units-{variant.key}"),
        (edit_form(form, variants=form.base.draft.variants[1:]), "variants"),
    ):
        with pytest.raises(FormRefused) as error:
            await save(shop, wanted)
        assert list(error.value.fields) == [field]
    assert (await read_stock(shop, toy))[0] == 10


async def test_purchase_while_a_product_is_edited_causes_no_conflict(shop: Shop, toy: str) -> None:
    form = await open_form(shop, toy)
    key = form.base.draft.variants[0].key
    async with shop.database.transaction() as session:
        await inventory.reserve(session, "cart_1", {key: 4}, None)
    await save(shop, edit_form(form, title="Trompo azul", units={key: 2}))
    assert await read_stock(shop, toy) == [12]


async def test_changes_of_different_fields_by_two_people_are_merged(shop: Shop, toy: str) -> None:
    linas, bertas = await open_form(shop, toy), await open_form(shop, toy, BERTA)
    await save(
        shop, edit_form(bertas, brand="Artesanos", variants=change_first_variant(bertas, sku="TR-9")), BERTA
    )
    await save(
        shop, edit_form(linas, title="Trompo azul", variants=change_first_variant(linas, price="60000"))
    )
    draft = (await open_form(shop, toy)).base.draft
    assert (draft.texts["title"], draft.texts["brand"]) == ("Trompo azul", "Artesanos")
    assert (draft.variants[0].price, draft.variants[0].sku) == ("60000", "TR-9")


async def test_changes_of_the_same_field_by_two_people_clash(shop: Shop, toy: str) -> None:
    linas, bertas = await open_form(shop, toy), await open_form(shop, toy, BERTA)
    await save(shop, edit_form(bertas, variants=change_first_variant(bertas, price="55000")), BERTA)
    wanted = edit_form(linas, title="Trompo azul", variants=change_first_variant(linas, price="60000"))
    with pytest.raises(FormClashes) as error:
        await save(shop, wanted)
    (clash,) = error.value.clashes
    assert (clash.mine, clash.theirs) == ("60000", "55000")
    draft = (await open_form(shop, toy)).base.draft
    assert (draft.texts["title"], draft.variants[0].price) == ("Trompo de madera", "55000")
    await save(shop, replace(wanted, base=(await open_form(shop, toy)).base))  # after seeing both values
    draft = (await open_form(shop, toy)).base.draft
    assert (draft.texts["title"], draft.variants[0].price) == ("Trompo azul", "60000")


async def test_merged_product_form_is_validated(shop: Shop, toy: str) -> None:
    linas, bertas = await open_form(shop, toy), await open_form(shop, toy, BERTA)
    await save(shop, edit_form(bertas, variants=change_first_variant(bertas, before="55000")), BERTA)
    with pytest.raises(FormRefused) as error:
        await save(shop, edit_form(linas, variants=change_first_variant(linas, price="60000")))
    assert [name.partition("-")[0] for name in error.value.fields] == ["before"]


async def test_concurrent_saves_of_different_titles_are_reported_as_a_clash(shop: Shop, toy: str) -> None:
    linas, bertas = await open_form(shop, toy), await open_form(shop, toy, BERTA)
    done = await asyncio.gather(
        save(shop, edit_form(linas, title="Trompo azul")),
        save(shop, edit_form(bertas, title="Trompo rojo", brand="Artesanos"), BERTA),
        return_exceptions=True,
    )
    assert [type(one) for one in done if one != toy] == [FormClashes]
    assert (await open_form(shop, toy)).base.draft.texts["title"] in {"Trompo azul", "Trompo rojo"}


async def test_deleted_product_cannot_be_opened_or_saved_in_the_form(shop: Shop, toy: str) -> None:
    form = await open_form(shop, toy)
    async with shop.database.transaction() as session:
        (await session.get_one(Product, toy)).deleted_at = (await session.get_one(Product, toy)).created_at
    with pytest.raises(NotFound):
        await save(shop, edit_form(form, title="Trompo azul"))
    with pytest.raises(NotFound):
        await open_form(shop, toy)


async def test_history_has_names_of_categories_and_collections(shop: Shop, toy: str) -> None:
    async with shop.database.transaction() as session:
        root = await categories.create_category(session, BERTA, name="Todo")
        of_wood = await categories.create_category(session, BERTA, name="De madera", parent_id=root.id)
        gift = await collections.create_collection(session, BERTA, title="Regalos")
    form = await open_form(shop, toy)
    assert [one.name for one in form.categories] == ["De madera"]
    await save(shop, edit_form(form, categories=[of_wood.id], collection_id=gift.id))
    form = await open_form(shop, toy)
    assert (form.base.draft.categories, form.base.draft.texts["collection_id"]) == ([of_wood.id], gift.id)
    async with shop.database.read() as session:
        newest = select(AuditEntry).where(AuditEntry.subject_id == toy).order_by(AuditEntry.id.desc())
        entry = (await session.execute(newest.limit(1))).scalar_one()
    changes = {one["field"]: (one["before"], one["after"]) for one in entry.changes}
    assert changes == {"categories": ([], ["De madera"]), "collection": (None, "Regalos")}
    await save(shop, edit_form(form, categories=[], collection_id=""))
    async with shop.database.transaction() as session:
        assert (await session.execute(select(ProductCategory))).all() == []
        await session.delete(await session.get_one(Category, of_wood.id))
    with pytest.raises(NotFound):  # it was deleted after the form was shown
        await save(shop, edit_form(await open_form(shop, toy), categories=[of_wood.id]))


async def test_code_or_handle_of_another_product_is_refused_at_its_field(
    shop: Shop, shop_defaults: Defaults, toy: str
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "yoyo")
    form = await open_form(shop, toy)
    await save(shop, edit_form(form, variants=change_first_variant(form, ean=CODE)))
    form = await open_form(shop, (await _named(shop, "yoyo")))
    key = form.base.draft.variants[0].key
    taken = change_first_variant(form, sku="SKU-trompo-de-madera", ean=CODE)
    with pytest.raises(FormRefused) as error:
        await save(shop, edit_form(form, handle="trompo-de-madera", variants=taken))
    assert set(error.value.fields) == {"handle", f"sku-{key}", f"ean-{key}"}
    for url in (
        "https://elsewhere.example/a.jpg",
        "/pictures/1/a.webp",
        "javascript:alert(1)",
        "data:,x",
        "",
    ):
        with pytest.raises(FormRefused) as error:
            await save(shop, edit_form(form, pictures=[PictureDraft(url)]))
        assert list(error.value.fields) == ["pictures"]


async def test_picture_with_a_refused_scheme_can_only_be_removed(shop: Shop, toy: str) -> None:
    """Check that other fields can be saved, but a change of the pictures only if that picture is removed."""
    async with shop.database.transaction() as session:
        session.add(Picture(product_id=toy, url="javascript:alert(1)", rank=9))
    form = await open_form(shop, toy)
    pictures = form.base.draft.pictures
    await save(shop, edit_form(form, title="Balero nuevo"))
    form = await open_form(shop, toy)
    with pytest.raises(FormRefused) as error:
        await save(shop, edit_form(form, pictures=[*pictures, PictureDraft(picture_url(7))]))
    assert list(error.value.fields) == ["pictures"]
    await save(shop, edit_form(form, pictures=[PictureDraft(picture_url(7))]))
    assert [one.url for one in (await open_form(shop, toy)).base.draft.pictures] == [picture_url(7)]


@pytest.mark.parametrize("taken", [{"ean": CODE}, {"sku": "NEW-1"}])
async def test_code_that_another_product_got_concurrently_is_refused_at_its_field(
    shop: Shop, shop_defaults: Defaults, toy: str, taken: dict[str, str]
) -> None:
    async with shop.database.transaction() as session:
        await add_product(session, shop_defaults, "yoyo")
    yoyo = await _named(shop, "yoyo")

    async def rival(session: AsyncSession) -> None:
        await session.execute(update(Variant).where(Variant.product_id == yoyo).values(**taken))

    form = await open_form(shop, toy)
    ((field, _code),) = taken.items()
    wanted = edit_form(form, title="Otro", variants=change_first_variant(form, **taken))
    with pytest.raises(FormRefused) as error:
        await run_against_rival(shop.database, rival, lambda: save(shop, wanted))
    key = form.base.draft.variants[0].key
    assert error.value.fields == {f"{field}-{key}": "Lo tiene «Yoyo»."}
    assert (await open_form(shop, toy)).base.draft == form.base.draft
    async with shop.database.read() as session:
        assert (await session.execute(select(AuditEntry))).all() == []


async def test_concurrent_new_products_with_one_title_get_different_handles(
    shop: Shop, shop_defaults: Defaults
) -> None:
    form = await open_form(shop)

    async def rival(session: AsyncSession) -> None:
        await add_product(session, shop_defaults, "oso")

    wanted = edit_form(form, title="Oso", variants=change_first_variant(form, price="1000"))
    product_id = await run_against_rival(shop.database, rival, lambda: save(shop, wanted))
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


async def test_variants_can_exchange_their_codes_and_positions(shop: Shop, toy: str) -> None:
    form = await open_form(shop, toy)
    (one,) = form.base.draft.variants
    await save(
        shop, edit_form(form, variants=[one, VariantDraft("new-1", "Rojo", "1000", sku="R", ean=CODE)])
    )
    form = await open_form(shop, toy)
    one, red = form.base.draft.variants
    swapped = [replace(red, sku=one.sku, ean=""), replace(one, sku="R", ean=CODE, title="Azul")]
    await save(shop, edit_form(form, variants=swapped))
    assert (await open_form(shop, toy)).base.draft.variants == swapped
    again = VariantDraft("new-1", "Verde", "1000", sku="R", ean=CODE)  # code of the removed variant
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(stocked=0))
    form = await open_form(shop, toy)
    await save(shop, edit_form(form, variants=[form.base.draft.variants[0], again]))
    assert [one.title for one in (await open_form(shop, toy)).base.draft.variants] == ["Rojo", "Verde"]


async def test_old_product_handle_redirects_to_the_new_one(shop: Shop, toy: str) -> None:
    await save(shop, edit_form(await open_form(shop, toy), handle="trompo-nuevo"))
    form = await open_form(shop, toy)
    assert (form.former, form.page_path) == (["trompo-de-madera"], "/product/trompo-nuevo")
    async with shop.database.read() as session:
        assert await find_current_handle(session, "trompo-de-madera") == "trompo-nuevo"
    await save(shop, edit_form(form, is_published=False))
    assert (await open_form(shop, toy)).page_path == ""


async def test_first_picture_of_a_product_becomes_its_thumbnail(shop: Shop, toy: str) -> None:
    one, two = PictureDraft(picture_url(1), "A"), PictureDraft(picture_url(2), "B")
    for pictures, thumbnail in (([one, two], one.url), ([two, one], two.url), ([one], one.url), ([], None)):
        await save(shop, edit_form(await open_form(shop, toy), pictures=pictures))
        async with shop.database.read() as session:
            assert (await session.get_one(Product, toy)).thumbnail == thumbnail
        assert (await open_form(shop, toy)).base.draft.pictures == pictures


async def test_staff_without_the_right_can_open_the_product_form_but_not_save_it(
    shop: Shop, toy: str
) -> None:
    for role in (Role.STOCKROOM, Role.ACCOUNTANT):
        actor = Actor("user_x", role)
        form = await open_form(shop, toy, actor)
        with pytest.raises(Forbidden):
            await save(shop, edit_form(form, title="X"), actor)
        with pytest.raises(Forbidden):
            await open_form(shop, "", actor)


async def test_unchanged_product_form_writes_nothing(shop: Shop, toy: str) -> None:
    async with shop.database.read() as session:
        before = (await session.get_one(Product, toy)).updated_at
    await save(shop, edit_form(await open_form(shop, toy)))
    async with shop.database.read() as session:
        assert (await session.get_one(Product, toy)).updated_at == before
        assert (await session.execute(select(AuditEntry))).all() == []


async def test_saving_a_product_form_does_not_change_options(shop: Shop, shop_defaults: Defaults) -> None:
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
    await save(
        shop,
        edit_form(
            form := await open_form(shop, product_id), variants=change_first_variant(form, price="32000")
        ),
    )
    form = await open_form(shop, product_id)
    added = [*form.base.draft.variants, VariantDraft(FIRST_VARIANT_KEY, title="L / Rojo", price="40000")]
    await save(shop, edit_form(form, variants=added))
    async with shop.database.read() as session:
        options = (await read_options(session, [product_id]))[product_id]
        values = await read_variant_values(session, [product_id])
        variants = await read_variants(session, product_id)
    assert [(one.row.title, [value.value for value in one.values]) for one in options] == [
        ("Talla", ["S", "M", "L"]),
        ("Color", ["Rojo"]),
    ]
    of_each = [[values[one.id][option.row.id].value for option in options] for one in variants]
    assert of_each == [["S", "Rojo"], ["M", "Rojo"], ["L", "Rojo"]]
    assert [one.price for one in variants] == [32_000, 35_000, 40_000]


async def test_variant_title_equal_to_the_option_values_of_another_variant_is_refused(
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
    form = await open_form(shop, product_id)
    usual, blue = form.base.draft.variants
    for variants, field in (
        ([usual, blue, VariantDraft("new-1", "Rojo", "9000")], "title-new-1"),
        ([usual, replace(blue, title="Rojo")], f"title-{blue.key}"),
    ):
        with pytest.raises(FormRefused) as error:
            await save(shop, edit_form(form, variants=variants))
        assert error.value.fields == {field: "«La de siempre» tiene ya estas opciones."}
    exchanged = [replace(usual, title="Azul"), replace(blue, title="Rojo")]
    await save(shop, edit_form(form, variants=exchanged))
    assert (await open_form(shop, product_id)).base.draft.variants == exchanged


async def test_price_change_does_not_change_option_values(shop: Shop, shop_defaults: Defaults) -> None:
    new = NewProduct.model_validate(
        {
            "title": "Gorra",
            "options": [{"title": "Color", "values": ["Red"]}],
            "variants": [{"title": "Rojo", "options": {"Color": "Red"}, "prices": [{"amount": 9_000}]}],
        }
    )
    async with shop.database.transaction() as session:
        product_id = await create_product(session, LINA, to_create_product(new))
    form = await open_form(shop, product_id)
    await save(shop, edit_form(form, variants=change_first_variant(form, price="9500")))
    async with shop.database.read() as session:
        (option,) = (await read_options(session, [product_id]))[product_id]
        ((variant,), values) = (
            await read_variants(session, product_id),
            await read_variant_values(session, [product_id]),
        )
    assert [one.value for one in option.values] == ["Red"]
    assert (variant.price, values[variant.id][option.row.id].value) == (9_500, "Red")


async def test_variant_title_without_option_values_does_not_change_options(
    shop: Shop, shop_defaults: Defaults
) -> None:
    new = NewProduct.model_validate(
        {
            "title": "Gorra",
            "options": [{"title": "Color", "values": ["Rojo"]}],
            "variants": [{"title": "Rojo", "options": {"Color": "Rojo"}, "prices": [{"amount": 9_000}]}],
        }
    )
    async with shop.database.transaction() as session:
        product_id = await create_product(session, LINA, to_create_product(new))
    form = await open_form(shop, product_id)
    await save(
        shop, edit_form(form, variants=change_first_variant(form, title="Rojo / de niño", price="9500"))
    )
    async with shop.database.read() as session:
        ((_option, values),) = [
            (one, one.values) for one in (await read_options(session, [product_id]))[product_id]
        ]
    assert [one.value for one in values] == ["Rojo"]
