import csv
from collections import Counter

import pytest

from backend.shipping import municipalities as gazetteer
from backend.shipping.municipalities import (
    Municipality,
    find_municipalities_by_name,
    find_municipality_by_code,
    find_similar_municipalities,
    search_municipalities,
)
from tests.backend.shipping.samples import DEPARTMENTS, EVERYWHERE


def find_names(text: str, limit: int = 8) -> list[str]:
    return [place.name for place in search_municipalities(text, limit)]


def test_1122_municipalities_are_in_33_departments() -> None:
    assert len(EVERYWHERE) == 1122
    assert len({place.code for place in EVERYWHERE}) == 1122
    assert len(DEPARTMENTS) == len(set(DEPARTMENTS.values())) == 33
    assert [find_municipality_by_code(place.code) for place in EVERYWHERE] == EVERYWHERE


def test_every_municipality_code_begins_with_its_department_and_ends_with_000() -> None:
    for place in EVERYWHERE:
        assert place.code.isdigit()
        assert len(place.code) == 8
        assert place.code.endswith("000")
        assert place.code[:2] == place.department_code
        assert DEPARTMENTS[place.department_code] == place.department


def test_municipality_names_are_trimmed_and_not_in_capitals() -> None:
    for place in EVERYWHERE:
        assert place.name == place.name.strip()
        assert not place.name.isupper()
        assert "  " not in place.name
        assert "�" not in place.name


@pytest.mark.parametrize(
    ("code", "name", "department"),
    [
        ("05001000", "Medellín", "Antioquia"),
        ("05360000", "Itagüí", "Antioquia"),
        ("08001000", "Barranquilla", "Atlántico"),
        ("11001000", "Bogotá, D.C.", "Bogotá, D.C."),
        ("13001000", "Cartagena de Indias", "Bolívar"),
        ("13490000", "Norosí", "Bolívar"),
        ("15001000", "Tunja", "Boyacá"),
        ("19300000", "Guachené", "Cauca"),
        ("23682000", "San José de Uré", "Córdoba"),
        ("23815000", "Tuchín", "Córdoba"),
        ("27493000", "Nuevo Belén de Bajirá", "Chocó"),
        ("54001000", "San José de Cúcuta", "Norte de Santander"),
        ("54810000", "Tibú", "Norte de Santander"),
        ("68081000", "Barrancabermeja", "Santander"),
        ("76001000", "Cali", "Valle del Cauca"),
        ("88564000", "Providencia", "Archipiélago de San Andrés, Providencia y Santa Catalina"),
        ("99773000", "Cumaribo", "Vichada"),
    ],
)
def test_municipality_has_its_official_name_and_department(code: str, name: str, department: str) -> None:
    assert find_municipality_by_code(code) == Municipality(code, name, code[:2], department)


@pytest.mark.parametrize("code", ["27086000", "94663000"])
def test_retired_municipality_codes_are_not_found(code: str) -> None:
    assert find_municipality_by_code(code) is None


@pytest.mark.parametrize(
    "code", ["", "5001000", "05001", "05001001", " 05001000", "05001000 ", "Medellín", "05001OOO"]
)
def test_code_similar_to_a_municipality_code_is_unknown(code: str) -> None:
    assert find_municipality_by_code(code) is None


def test_departments_have_the_expected_number_of_municipalities() -> None:
    count = Counter(place.department_code for place in EVERYWHERE)
    assert (count["05"], count["25"], count["11"], count["00"]) == (125, 116, 1, 0)


@pytest.mark.parametrize(
    "text", ["medellín", "MEDELLIN", "  Medellin ", "medel", "medellin antioquia", "antioquia medellín"]
)
def test_search_ignores_accents_case_and_word_order(text: str) -> None:
    assert find_names(text)[0] == "Medellín"


@pytest.mark.parametrize(
    ("text", "first"),
    [
        ("bog", "Bogotá, D.C."),
        ("cartagena", "Cartagena de Indias"),
        ("buga", "Guadalajara de Buga"),
        ("cucuta", "San José de Cúcuta"),
        ("san andres", "San Andrés"),
        ("mompos", "Santa Cruz de Mompox"),
        ("armenia q", "Armenia"),
        ("rionegro", "Rionegro"),
        ("tolu viejo", "San José de Toluviejo"),
    ],
)
def test_best_matching_municipality_is_first(text: str, first: str) -> None:
    assert find_names(text)[0] == first


def test_capital_is_first_among_equally_matching_municipalities() -> None:
    armenias = search_municipalities("armenia")
    assert [place.department for place in armenias[:2]] == ["Quindío", "Antioquia"]


def test_locality_of_bogota_finds_bogota_first() -> None:
    assert find_names("Suba") == ["Bogotá, D.C.", "Subachoque"]
    assert find_names("usaquén") == ["Bogotá, D.C."]


def test_exact_name_is_before_longer_names() -> None:
    assert find_names("bolivar")[:3] == ["Bolívar", "Bolívar", "Bolívar"]
    assert find_names("san jose")[0] == "San José"


def test_every_search_word_must_match_the_municipality() -> None:
    assert find_names("medellin cundinamarca") == ["Medellín"]  # a similar one is offered
    assert find_names("tunja tolima") == ["Tunja"]
    assert find_names("zzz") == []


@pytest.mark.parametrize("text", ["", "   ", "-,.", "\x00", "¿?"])
def test_empty_search_finds_nothing(text: str) -> None:
    assert search_municipalities(text) == []


def test_search_respects_the_limit() -> None:
    assert len(search_municipalities("s")) == 8
    assert len(search_municipalities("s", limit=3)) == 3
    assert search_municipalities("s", limit=0) == []
    assert len(search_municipalities("", limit=5)) == 0


def test_municipalities_are_found_by_their_name() -> None:
    for place in EVERYWHERE[::4]:
        assert place in search_municipalities(f"{place.name} {place.department}", limit=40), place


def test_file_of_municipalities_has_no_duplicates_and_no_empty_cells() -> None:
    with gazetteer.DATA_FILE.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert [row["code"] for row in rows] == sorted({row["code"] for row in rows})
    assert all(row["name"] and row["department"] for row in rows)


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("Bogotá DC", "11001000"),
        ("BOGOTA D.C.", "11001000"),
        ("Santafé de Bogotá", "11001000"),
        ("Santa Fe de Bogotá, Colombia", "11001000"),
        ("San Andrés isla", "88001000"),
        ("Isla de San Andrés", "88001000"),
        ("Sta Marta", "47001000"),
        ("Sta. Rosa de Osos", "05686000"),
        ("Sto Tomás", "08685000"),
        ("Pto. Berrío", "05579000"),
        ("B/quilla", "08001000"),
        ("bquilla", "08001000"),
        ("B/manga", "68001000"),
        ("Villa de Leiva", "15407000"),
        ("Cartajena", "13001000"),
        ("Sipaquirá", "25899000"),
        ("Baranquilla", "08001000"),
        ("Buenabentura", "76109000"),
        ("Medellín, Antioquia, Colombia", "05001000"),
        ("Municipio de Chía", "25175000"),
        ("05001", "05001000"),
        ("25899000", "25899000"),
        ("Colombia", "41206000"),
        ("Colombia, Huila, Colombia", "41206000"),
        ("Puerto Colombia, Atlántico", "08573000"),
        ("Pto Colombia (Atlántico), Colombia", "08573000"),
    ],
)
def test_municipality_is_found_by_its_everyday_name(text: str, code: str) -> None:
    assert [place.code for place in find_municipalities_by_name(text)] == [code]
    assert search_municipalities(text)[0].code == code


def test_official_names_are_found_before_names_that_sound_the_same() -> None:
    for place in EVERYWHERE[::7]:
        assert place in find_municipalities_by_name(place.name, place.department)
        assert find_municipalities_by_name(place.name, place.department) == find_municipalities_by_name(
            place.name, place.department, by_sound=False
        )


@pytest.mark.parametrize("text", ["Medelin", "Bucaramnga", "Ibage", "Villavisensyo de arriba", "Macondo"])
def test_similar_name_is_never_taken_for_a_municipality(text: str) -> None:
    assert find_municipalities_by_name(text) == []


@pytest.mark.parametrize(
    ("text", "name"),
    [("Medelin", "Medellín"), ("Bucaramnga", "Bucaramanga"), ("Ibage", "Ibagué"), ("Sincelajo", "Sincelejo")],
)
def test_similar_municipalities_are_offered_if_none_matches(text: str, name: str) -> None:
    assert find_similar_municipalities(text)[0].name == name
    assert find_names(text)[0] == name
    assert len(find_names(text, limit=1)) == 1


def test_search_for_a_word_that_resembles_no_municipality_finds_none() -> None:
    assert find_similar_municipalities("zzz") == find_similar_municipalities("") == []


def test_digits_find_municipalities_by_the_beginning_of_their_code() -> None:
    assert [place.code for place in search_municipalities("050", limit=2)] == ["05001000", "05002000"]
    assert search_municipalities("00") == []
