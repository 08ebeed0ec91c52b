"""Options of the product form: their combinations, renamed and removed values, pictures and colours."""

from dataclasses import replace

import pytest
from sqlalchemy import select, update

from backend.app import Shop
from backend.audit import AuditEntry
from backend.catalog.models import Product, ProductOptionValue, Variant
from backend.catalog.storefront.page_content import product_detail
from backend.catalog.storefront.product_cards import read_cards
from backend.catalog.views import SwatchView
from backend.core.errors import InvalidData
from backend.inventory.models import InventoryLevel
from backend.office.products.draft import FormRefused, PictureDraft
from backend.office.products.options_form import OptionDraft, ValueDraft
from backend.office.products.saving import FormClashes
from tests.backend.office.products.editing import BERTA, LINA, edit_form, open_form, save
from tests.store_defaults import Defaults, add_product

ODD = "=1+1 <b>Ñandú</b> / 'rojo' 🪀"


@pytest.fixture
async def toy(shop: Shop, shop_defaults: Defaults) -> str:
    """Create a wooden top with ten units and return the product's id."""
    async with shop.database.transaction() as session:
        variant_id = await add_product(session, shop_defaults, "trompo", stock=10)
        return (await session.get_one(Variant, variant_id)).product_id


def new_option(title: str, *values: str) -> OptionDraft:
    return OptionDraft("", title, [ValueDraft(f"new-{place}", value) for place, value in enumerate(values)])


async def save_options(shop: Shop, product_id: str, *options: OptionDraft) -> None:
    await save(shop, edit_form(await open_form(shop, product_id), options=list(options)))


async def read_options(shop: Shop, product_id: str) -> list[OptionDraft]:
    return (await open_form(shop, product_id)).base.draft.options


async def read_titles(shop: Shop, product_id: str) -> list[str]:
    return [one.title for one in (await open_form(shop, product_id)).base.draft.variants]


def without(option: OptionDraft, *values: str) -> OptionDraft:
    """Return the option without these values."""
    return replace(option, values=[one for one in option.values if one.value not in values])


async def test_first_options_of_a_product_make_all_combinations(shop: Shop, toy: str) -> None:
    before = (await open_form(shop, toy)).base.draft.variants[0]
    await save_options(shop, toy, new_option("Color", "Rojo", ODD), new_option("Talla", "S", "M"))
    saved = (await open_form(shop, toy)).base
    titles = ["Rojo / S", "Rojo / M", f"{ODD} / S", f"{ODD} / M"]
    assert [one.title for one in saved.draft.variants] == titles
    first, *others = saved.draft.variants
    assert (first.key, first.sku) == (before.key, before.sku)  # it keeps its units and its orders
    assert {(one.price, one.sku) for one in others} == {(before.price, "")}
    assert [count for count in saved.stocked.values() if count] == [10]
    async with shop.database.read() as session:
        detail = await product_detail(session, "trompo")
        actions = set((await session.execute(select(AuditEntry.action))).scalars())
    assert [(one.title, one.choices) for one in detail.options] == [
        ("Color", ["Rojo", ODD]),
        ("Talla", ["S", "M"]),
    ]
    assert "option changed" in actions


async def test_new_option_value_creates_only_its_own_variants(shop: Shop, toy: str) -> None:
    await save_options(shop, toy, new_option("Color", "Rojo", "Azul"), new_option("Talla", "S", "M"))
    form = await open_form(shop, toy)
    kept = [one for one in form.base.draft.variants if one.title != "Azul / M"]
    await save(shop, edit_form(form, variants=[replace(one, price="70000") for one in kept]))
    color, size = await read_options(shop, toy)
    added = ValueDraft("new-1", "Verde")
    await save_options(shop, toy, replace(color, values=[added, *color.values]), size)
    variants = (await open_form(shop, toy)).base.draft.variants
    assert [one.title for one in variants] == ["Verde / S", "Verde / M", "Rojo / S", "Rojo / M", "Azul / S"]
    assert {one.price for one in variants} == {"70000"}


async def test_renamed_option_values_keep_their_variants(shop: Shop, toy: str) -> None:
    """Two values exchange their names, an option is renamed, and a title that staff wrote stays."""
    await save_options(shop, toy, new_option("Color", "Rojo", "Azul", "Verde"))
    red, blue, green = (await open_form(shop, toy)).base.draft.variants
    async with shop.database.transaction() as session:
        own_title = update(Variant).where(Variant.id == green.key).values(title="El verde de mamá")
        await session.execute(own_title)
    (color,) = await read_options(shop, toy)
    names = {"Rojo": "Azul", "Azul": "Rojo", "Verde": "Verde oliva"}
    renamed = [replace(one, value=names[one.value]) for one in color.values]
    await save_options(shop, toy, replace(color, title="Tono", values=renamed))
    variants = (await open_form(shop, toy)).base.draft.variants
    assert [(one.key, one.title) for one in variants] == [
        (red.key, "Azul"),
        (blue.key, "Rojo"),
        (green.key, "El verde de mamá"),
    ]
    assert [one.title for one in await read_options(shop, toy)] == ["Tono"]


async def test_variant_titles_become_the_values_of_a_first_option(shop: Shop, toy: str) -> None:
    form = await open_form(shop, toy)
    (only,) = form.base.draft.variants
    blue = replace(only, key="new-1", title="Azul", sku="")
    await save(shop, edit_form(form, variants=[replace(only, title="Rojo"), blue]))
    await save_options(shop, toy, new_option("Color", "azul", "Verde"))
    assert await read_titles(shop, toy) == ["Rojo", "Azul", "Verde"]
    (color,) = await read_options(shop, toy)
    assert (color.title, [one.value for one in color.values]) == ("Color", ["Rojo", "Azul", "Verde"])


async def test_option_value_whose_variants_have_units_cannot_be_removed(shop: Shop, toy: str) -> None:
    """Check that the refusal names the variant and its units, and that a value without units is removed."""
    await save_options(shop, toy, new_option("Color", "Rojo", "Azul"), new_option("Talla", "S", "M"))
    color, size = await read_options(shop, toy)
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(reserved=2))
    with pytest.raises(FormRefused) as refused:
        await save_options(shop, toy, without(color, "Rojo"), size)
    assert refused.value.fields == {
        "options": "No se puede quitar «Rojo / S»: en bodega hay 10 unidades, 2 apartadas."
    }
    form = await open_form(shop, toy)
    with pytest.raises(FormRefused) as refused:
        await save(shop, edit_form(form, variants=form.base.draft.variants[1:]))
    assert list(refused.value.fields) == ["variants"]
    await save_options(shop, toy, without(color, "Azul"), size)
    assert await read_titles(shop, toy) == ["Rojo / S", "Rojo / M"]
    async with shop.database.transaction() as session:
        await session.execute(update(InventoryLevel).values(reserved=0, stocked=0))
    await save_options(shop, toy, without(color, "Azul"), without(size, "S"))
    assert await read_titles(shop, toy) == ["Rojo / M"]


async def test_removed_option_leaves_one_variant_of_each_remaining_combination(shop: Shop, toy: str) -> None:
    await save_options(shop, toy, new_option("Color", "Rojo", "Azul"), new_option("Talla", "S", "M"))
    color, _size = await read_options(shop, toy)
    await save_options(shop, toy, color)
    assert await read_titles(shop, toy) == ["Rojo", "Azul"]
    await save_options(shop, toy)
    assert (await read_titles(shop, toy), await read_options(shop, toy)) == (["Única"], [])


async def test_more_than_100_variants_are_refused(shop: Shop, toy: str) -> None:
    """Three options with 100 combinations are saved, one more value is not."""
    numbers = [str(number) for number in range(10)]
    options = [
        new_option("Color", *numbers),
        new_option("Talla", *numbers[:5]),
        new_option("Sabor", "A", "B"),
    ]
    await save_options(shop, toy, *options)
    assert len(set(await read_titles(shop, toy))) == 100
    color, *others = await read_options(shop, toy)
    more = replace(color, values=[*color.values, ValueDraft("new-1", "10")])
    with pytest.raises(FormRefused) as refused:
        await save_options(shop, toy, more, *others)
    assert list(refused.value.fields) == ["options"]
    assert "110" in refused.value.fields["options"]


@pytest.mark.parametrize(
    ("options", "field"),
    [
        ([new_option("", "Rojo")], "option-1"),
        ([new_option("Color")], "option-1"),
        ([new_option("Color", "Rojo", "ROJO")], "option-1"),
        ([new_option("Color", "Rojo"), new_option("COLOR", "Azul")], "option-2"),
        ([new_option("Color", "x" * 101)], "option-1"),
    ],
)
async def test_invalid_options_are_refused(
    shop: Shop, toy: str, options: list[OptionDraft], field: str
) -> None:
    with pytest.raises(FormRefused) as refused:
        await save_options(shop, toy, *options)
    assert list(refused.value.fields) == [field]


async def test_options_changed_by_two_staff_members_clash(shop: Shop, toy: str) -> None:
    lina, berta = await open_form(shop, toy, LINA), await open_form(shop, toy, BERTA)
    await save(shop, edit_form(lina, title="Trompo", options=[new_option("Color", "Rojo", "Azul")]))
    await save(shop, edit_form(berta, subtitle="De guayacán"), BERTA)  # she did not touch the options
    with pytest.raises(FormClashes) as clashes:
        await save(shop, edit_form(berta, options=[new_option("Talla", "S", "M")]), BERTA)
    (clash,) = clashes.value.clashes
    assert (clash.name, clash.mine, clash.theirs) == ("options", "Talla: S, M", "Color: Rojo, Azul")
    assert await read_titles(shop, toy) == ["Rojo", "Azul"]


async def test_variant_shows_the_picture_of_its_value(shop: Shop, toy: str) -> None:
    """Check that the first picture of the value is shown, and none if the value has no picture."""
    await save_options(shop, toy, new_option("Color", "Rojo", "Azul"), new_option("Talla", "S", "M"))
    color, _size = await read_options(shop, toy)
    red, blue = (one.key for one in color.values)
    urls = [f"/pictures/{number:016x}/foto-960x720-960.webp" for number in range(3)]
    pictures = [PictureDraft(urls[0]), PictureDraft(urls[1], value=blue), PictureDraft(urls[2], value=blue)]
    await save(shop, edit_form(await open_form(shop, toy), pictures=pictures))

    async def read_shown() -> dict[str, int]:
        async with shop.database.read() as session:
            detail = await product_detail(session, "trompo")
        return {one.title: one.picture for one in detail.variants}

    assert await read_shown() == {"Rojo / S": -1, "Rojo / M": -1, "Azul / S": 1, "Azul / M": 1}
    saved = (await open_form(shop, toy)).base.draft.pictures
    assert [one.value for one in saved] == ["", blue, blue]
    await save(shop, edit_form(await open_form(shop, toy), pictures=[saved[2], saved[0]]))
    assert await read_shown() == {"Rojo / S": -1, "Rojo / M": -1, "Azul / S": 0, "Azul / M": 0}
    async with shop.database.read() as session:
        (card,) = await read_cards(session, [await session.get_one(Product, toy)])
    assert card.picture is not None
    assert card.picture.url == urls[2]
    assert card.swatches == [SwatchView("Rojo", "#d22d2d"), SwatchView("Azul", "#2463c7")]
    moved = [replace(one, value=red) for one in saved[2:]]
    await save(shop, edit_form(await open_form(shop, toy), pictures=moved))
    assert await read_shown() == {"Rojo / S": 0, "Rojo / M": 0, "Azul / S": -1, "Azul / M": -1}
    await save(shop, edit_form(await open_form(shop, toy), pictures=[]))
    assert set((await read_shown()).values()) == {-1}
    with pytest.raises(InvalidData):
        await save(
            shop, edit_form(await open_form(shop, toy), pictures=[PictureDraft(urls[0], value="optval_none")])
        )


async def test_chosen_color_of_a_value_is_saved(shop: Shop, toy: str) -> None:
    """Choose a default colour, another and an invalid one: only the second is stored."""
    await save_options(shop, toy, new_option("Color", "Rojo", "Hueso", "Azul cielo"))
    (color,) = await read_options(shop, toy)
    chosen = dict(zip(("Rojo", "Hueso", "Azul cielo"), ("#D22D2D", "#F0E8D8", "red"), strict=True))
    await save_options(
        shop, toy, replace(color, values=[replace(one, color=chosen[one.value]) for one in color.values])
    )
    async with shop.database.read() as session:
        rows = await session.execute(select(ProductOptionValue.value, ProductOptionValue.meta))
        detail = await product_detail(session, "trompo")
        stored = dict(rows.all())
    assert stored == {"Rojo": {}, "Hueso": {"color": "#f0e8d8"}, "Azul cielo": {}}
    assert detail.options[0].colors == ["#d22d2d", "#f0e8d8", "#2463c7"]
