"""The product form: its problems, and the merge of two people's changes."""

from dataclasses import replace

import pytest

from backend.office.products.draft import (
    TEXTS,
    Clash,
    Draft,
    PictureDraft,
    VariantDraft,
    find_problems,
    merge_drafts,
    normalize_draft,
    parse_pesos,
    picture_key,
)

TEXT = {
    **dict.fromkeys(TEXTS, ""),
    "title": "Trompo",
    "handle": "trompo",
    "tax_rate": "19",
    "weight": "0,3",
}
BASE = Draft(
    TEXT,
    is_published=True,
    is_featured=False,
    categories=["pcat_a", "pcat_b"],
    pictures=[PictureDraft("/pictures/1.webp", "Uno"), PictureDraft("/pictures/2.webp", "Dos")],
    variants=[VariantDraft("variant_s", "Pequeño", "10000"), VariantDraft("variant_l", "Grande", "20000")],
)


def with_texts(draft: Draft = BASE, **texts: str) -> Draft:
    return replace(draft, texts={**draft.texts, **texts})


def with_variant(draft: Draft, key: str, **values: str) -> Draft:
    variants = [replace(one, **values) if one.key == key else one for one in draft.variants]
    return replace(draft, variants=variants)


@pytest.mark.parametrize(
    ("text", "amount"),
    [
        ("89900", 89_900),
        ("89.900", 89_900),
        ("$ 1.234.567", 1_234_567),
        ("89,900", 89_900),
        ("0", 0),
        ("89.9", None),
        ("89900,50", None),
        ("-1", None),
        ("", None),
        ("mil", None),
        ("٣", None),
        ("1" * 11, None),
        ("9999999999", None),
    ],
)
def test_typed_amounts_in_pesos_are_parsed(text: str, amount: int | None) -> None:
    assert parse_pesos(text) == amount


def test_typed_values_of_a_product_form_are_normalized() -> None:
    typed = with_variant(
        with_texts(weight="0.30", length="10"), "variant_s", price="$ 10.000", ean="7701234-567897"
    )
    tidy = normalize_draft(typed)
    assert (tidy.texts["weight"], tidy.texts["length"]) == ("0,3", "10")
    assert (tidy.variants[0].price, tidy.variants[0].ean) == ("10000", "7701234567897")
    assert normalize_draft(BASE) == BASE


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (with_texts(title=""), "title"),
        (with_texts(title="x" * 256), "title"),
        (with_texts(weight="mucho"), "weight"),
        (with_texts(weight="0"), "weight"),
        (with_texts(weight="101"), "weight"),
        (with_texts(height="501"), "height"),
        (with_texts(handle="Trompo de Madera"), "handle"),
        (with_texts(handle=""), "handle"),
        (with_texts(tax_rate="16"), "tax_rate"),
        (with_texts(age_range="99"), "age_range"),
        (with_variant(BASE, "variant_s", price=""), "price-variant_s"),
        (with_variant(BASE, "variant_s", price="0"), "price-variant_s"),
        (with_variant(BASE, "variant_s", price="diez"), "price-variant_s"),
        (with_variant(BASE, "variant_s", before="10000"), "before-variant_s"),
        (with_variant(BASE, "variant_s", before="9999"), "before-variant_s"),
        (with_variant(BASE, "variant_s", before="x"), "before-variant_s"),
        (with_variant(BASE, "variant_s", ean="7701234567890"), "ean-variant_s"),
        (with_variant(BASE, "variant_l", title="pequeño"), "title-variant_l"),
        (
            with_variant(with_variant(BASE, "variant_s", sku="A"), "variant_l", sku="a"),
            "sku-variant_l",
        ),
        (replace(BASE, variants=[]), "variants"),
        (replace(BASE, pictures=[PictureDraft(str(n)) for n in range(51)]), "pictures"),
    ],
)
def test_problems_of_a_product_form_are_reported_by_field(draft: Draft, field: str) -> None:
    assert list(find_problems(draft, BASE)) == [field]


def test_invalid_stored_values_are_accepted_if_they_are_unchanged() -> None:
    odd = with_variant(
        with_texts(handle="Viejo_Trompo", age_range="0-99", weight="999"), "variant_s", before="1"
    )
    assert find_problems(odd, odd) == {}
    assert list(find_problems(with_texts(odd, title=""), odd)) == ["title"]
    assert list(find_problems(with_variant(odd, "variant_s", price="12000"), odd)) == ["before-variant_s"]


def test_changes_of_different_fields_by_two_people_are_merged() -> None:
    mine = with_variant(with_texts(title="Trompo azul"), "variant_s", price="12000")
    theirs = with_variant(with_texts(brand="Artesanos"), "variant_s", sku="TR-S")
    draft, clashes = merge_drafts(BASE, mine, theirs)
    assert clashes == []
    assert (draft.texts["title"], draft.texts["brand"]) == ("Trompo azul", "Artesanos")
    assert draft.variants[0] == VariantDraft("variant_s", "Pequeño", "12000", sku="TR-S")


def test_different_changes_of_one_field_are_reported_as_a_clash() -> None:
    mine = with_variant(with_texts(title="Trompo azul"), "variant_s", price="12000")
    theirs = with_variant(with_texts(title="Trompo rojo"), "variant_s", price="12000")
    draft, clashes = merge_drafts(BASE, mine, theirs)
    assert clashes == [Clash("title", "Trompo azul", "Trompo rojo")]
    assert draft.texts["title"] == "Trompo rojo"
    again, none = merge_drafts(theirs, mine, theirs)  # the person who saw the clash saves again
    assert (none, again.texts["title"]) == ([], "Trompo azul")


def test_concurrent_changes_of_two_checkboxes_are_merged() -> None:
    mine, theirs = replace(BASE, is_published=False), replace(BASE, is_featured=True)
    draft, clashes = merge_drafts(BASE, mine, theirs)
    assert (draft.is_published, draft.is_featured, clashes) == (False, True, [])


def test_categories_of_both_people_are_merged() -> None:
    mine = replace(BASE, categories=["pcat_a", "pcat_c"])
    theirs = replace(BASE, categories=["pcat_a", "pcat_b", "pcat_d"])
    assert merge_drafts(BASE, mine, theirs)[0].categories == ["pcat_a", "pcat_c", "pcat_d"]


def test_pictures_of_both_people_are_merged_in_the_order_of_the_second_editor() -> None:
    one, two = BASE.pictures
    three, four = PictureDraft("/pictures/3.webp"), PictureDraft("/pictures/4.webp")
    mine = replace(BASE, pictures=[two, one, three])
    theirs = replace(BASE, pictures=[replace(one, alt="Otro"), two, four])
    draft, clashes = merge_drafts(BASE, mine, theirs)
    assert clashes == []
    assert draft.pictures == [two, replace(one, alt="Otro"), three, four]
    gone = replace(BASE, pictures=[two])
    assert merge_drafts(BASE, mine, gone)[0].pictures == [two, three]
    told = merge_drafts(BASE, replace(BASE, pictures=[replace(one, alt="Mío"), two]), theirs)[1]
    assert told == [Clash(f"alt-{picture_key(one.url)}", "Mío", "Otro")]


def test_variants_of_both_people_are_merged() -> None:
    small, large = BASE.variants
    mine = replace(BASE, variants=[large, small, VariantDraft("new-1", "Mediano", "15000")])
    theirs = replace(BASE, variants=[small, large, VariantDraft("variant_xl", "Gigante", "30000")])
    draft, clashes = merge_drafts(BASE, mine, theirs)
    assert clashes == []
    assert [one.key for one in draft.variants] == ["variant_l", "variant_s", "new-1", "variant_xl"]


def test_variant_changed_by_one_person_and_removed_by_the_other_is_a_clash() -> None:
    gone = replace(BASE, variants=BASE.variants[1:])
    changed = with_variant(BASE, "variant_s", price="1")
    assert merge_drafts(BASE, changed, gone)[1] == [Clash("variants", "Pequeño", "")]
    assert merge_drafts(BASE, gone, changed)[1] == [Clash("variants", "", "Pequeño")]
    assert merge_drafts(BASE, BASE, gone)[0].variants == BASE.variants[1:]
    assert merge_drafts(BASE, gone, BASE)[0].variants == BASE.variants[1:]
