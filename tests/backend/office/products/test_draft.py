"""Producto's form: what is wrong in it, and how the changes of two people come together."""

from dataclasses import replace

import pytest

from backend.office.products.draft import (
    TEXTS,
    Clash,
    Draft,
    PictureDraft,
    VariantDraft,
    merged,
    pesos_of,
    picture_key,
    problems_in,
    tidied,
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


def said(draft: Draft = BASE, **texts: str) -> Draft:
    return replace(draft, texts={**draft.texts, **texts})


def priced(draft: Draft, key: str, **values: str) -> Draft:
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
def test_an_amount_as_people_type_it(text: str, amount: int | None) -> None:
    assert pesos_of(text) == amount


def test_values_are_written_in_one_way() -> None:
    typed = priced(said(weight="0.30", length="10"), "variant_s", price="$ 10.000", ean="7701234-567897")
    tidy = tidied(typed)
    assert (tidy.texts["weight"], tidy.texts["length"]) == ("0,3", "10")
    assert (tidy.variants[0].price, tidy.variants[0].ean) == ("10000", "7701234567897")
    assert tidied(BASE) == BASE


@pytest.mark.parametrize(
    ("draft", "field"),
    [
        (said(title=""), "title"),
        (said(title="x" * 256), "title"),
        (said(weight="mucho"), "weight"),
        (said(weight="0"), "weight"),
        (said(weight="101"), "weight"),
        (said(height="501"), "height"),
        (said(handle="Trompo de Madera"), "handle"),
        (said(handle=""), "handle"),
        (said(tax_rate="16"), "tax_rate"),
        (said(age_range="99"), "age_range"),
        (priced(BASE, "variant_s", price=""), "price-variant_s"),
        (priced(BASE, "variant_s", price="0"), "price-variant_s"),
        (priced(BASE, "variant_s", price="diez"), "price-variant_s"),
        (priced(BASE, "variant_s", before="10000"), "before-variant_s"),
        (priced(BASE, "variant_s", before="9999"), "before-variant_s"),
        (priced(BASE, "variant_s", before="x"), "before-variant_s"),
        (priced(BASE, "variant_s", ean="7701234567890"), "ean-variant_s"),
        (priced(BASE, "variant_l", title="pequeño"), "title-variant_l"),
        (
            priced(priced(BASE, "variant_s", sku="A"), "variant_l", sku="a"),
            "sku-variant_l",
        ),
        (replace(BASE, variants=[]), "variants"),
        (replace(BASE, pictures=[PictureDraft(str(n)) for n in range(51)]), "pictures"),
    ],
)
def test_what_is_wrong_is_said_by_field(draft: Draft, field: str) -> None:
    assert list(problems_in(draft, BASE)) == [field]


def test_nothing_is_wrong_with_what_is_saved_already() -> None:
    odd = priced(said(handle="Viejo_Trompo", age_range="0-99", weight="999"), "variant_s", before="1")
    assert problems_in(odd, odd) == {}
    assert list(problems_in(said(odd, title=""), odd)) == ["title"]
    assert list(problems_in(priced(odd, "variant_s", price="12000"), odd)) == ["before-variant_s"]


def test_what_one_of_two_changed_stays_changed() -> None:
    mine = priced(said(title="Trompo azul"), "variant_s", price="12000")
    theirs = priced(said(brand="Artesanos"), "variant_s", sku="TR-S")
    draft, clashes = merged(BASE, mine, theirs)
    assert clashes == []
    assert (draft.texts["title"], draft.texts["brand"]) == ("Trompo azul", "Artesanos")
    assert draft.variants[0] == VariantDraft("variant_s", "Pequeño", "12000", sku="TR-S")


def test_what_both_changed_is_asked_unless_they_agree() -> None:
    mine = priced(said(title="Trompo azul"), "variant_s", price="12000")
    theirs = priced(said(title="Trompo rojo"), "variant_s", price="12000")
    draft, clashes = merged(BASE, mine, theirs)
    assert clashes == [Clash("title", "Trompo azul", "Trompo rojo")]
    assert draft.texts["title"] == "Trompo rojo"
    again, none = merged(theirs, mine, theirs)  # who was asked saves once more
    assert (none, again.texts["title"]) == ([], "Trompo azul")


def test_a_switch_never_clashes() -> None:
    mine, theirs = replace(BASE, is_published=False), replace(BASE, is_featured=True)
    draft, clashes = merged(BASE, mine, theirs)
    assert (draft.is_published, draft.is_featured, clashes) == (False, True, [])


def test_categories_of_both_are_in() -> None:
    mine = replace(BASE, categories=["pcat_a", "pcat_c"])
    theirs = replace(BASE, categories=["pcat_a", "pcat_b", "pcat_d"])
    assert merged(BASE, mine, theirs)[0].categories == ["pcat_a", "pcat_c", "pcat_d"]


def test_pictures_of_both_are_there_in_my_order() -> None:
    one, two = BASE.pictures
    three, four = PictureDraft("/pictures/3.webp"), PictureDraft("/pictures/4.webp")
    mine = replace(BASE, pictures=[two, one, three])
    theirs = replace(BASE, pictures=[replace(one, alt="Otro"), two, four])
    draft, clashes = merged(BASE, mine, theirs)
    assert clashes == []
    assert draft.pictures == [two, replace(one, alt="Otro"), three, four]
    gone = replace(BASE, pictures=[two])
    assert merged(BASE, mine, gone)[0].pictures == [two, three]
    told = merged(BASE, replace(BASE, pictures=[replace(one, alt="Mío"), two]), theirs)[1]
    assert told == [Clash(f"alt-{picture_key(one.url)}", "Mío", "Otro")]


def test_variants_of_both_are_there() -> None:
    small, large = BASE.variants
    mine = replace(BASE, variants=[large, small, VariantDraft("new-1", "Mediano", "15000")])
    theirs = replace(BASE, variants=[small, large, VariantDraft("variant_xl", "Gigante", "30000")])
    draft, clashes = merged(BASE, mine, theirs)
    assert clashes == []
    assert [one.key for one in draft.variants] == ["variant_l", "variant_s", "new-1", "variant_xl"]


def test_a_variant_that_one_changed_and_the_other_took_away_is_asked() -> None:
    gone = replace(BASE, variants=BASE.variants[1:])
    changed = priced(BASE, "variant_s", price="1")
    assert merged(BASE, changed, gone)[1] == [Clash("variants", "Pequeño", "")]
    assert merged(BASE, gone, changed)[1] == [Clash("variants", "", "Pequeño")]
    assert merged(BASE, BASE, gone)[0].variants == BASE.variants[1:]
    assert merged(BASE, gone, BASE)[0].variants == BASE.variants[1:]
