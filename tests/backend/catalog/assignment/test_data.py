"""The assignment file: valid content, and error messages with positions."""

from pathlib import Path

import pytest

from backend.catalog.assignment.data import CollectionToCreate, DataError, read_data

GOOD = """
[[create]]
title = "Arte & Ciencia"
products = ["prod_a", "telar-de-mesa"]

[[existing]]
id = "pcol_1"
products = ["prod_b"]

[category]
handle = "aire-libre"
products = ["prod_a"]
"""


def read(tmp_path: Path, text: str) -> str:
    file = tmp_path / "data.toml"
    file.write_text(text, "utf-8")
    return repr(read_data(file))


def test_valid_assignment_file_is_parsed(tmp_path: Path) -> None:
    text = read(tmp_path, GOOD)
    for part in ("Arte & Ciencia", "telar-de-mesa", "pcol_1", "aire-libre"):
        assert part in text


@pytest.mark.parametrize(
    ("before", "after", "message"),
    [
        ("title =", "tittle =", r"create\[1\].tittle: Extra inputs"),
        ('"Arte & Ciencia"', '" "', r"create\[1\].title: String should have at least 1"),
        ('"Arte & Ciencia"', '"¿…?"', r"create\[1\].title: has no letter or digit"),
        ('products = ["prod_b"]', "products = []", r"existing\[1\].products: List should have at least 1"),
        ('id = "pcol_1"', "", r"existing\[1\]: needs either `id` or `handle`"),
        ('id = "pcol_1"', 'id = "pcol_1"\nhandle = "x"', r"existing\[1\]: needs either"),
        ('"prod_b"', "5", r"existing\[1\].products\[1\]: Input should be a valid string"),
        ("[category]", "[category", "is not TOML"),
        (GOOD, "", "it assigns nothing"),
        (
            GOOD,
            GOOD + '[[create]]\ntitle = "arte & ciencia"\nproducts = ["x"]',
            "created twice: arte-ciencia",
        ),
    ],
)
def test_invalid_assignment_file_is_refused_with_the_position(
    tmp_path: Path, before: str, after: str, message: str
) -> None:
    assert before in GOOD
    with pytest.raises(DataError, match=message):
        read(tmp_path, GOOD.replace(before, after))


@pytest.mark.parametrize(
    ("title", "handle"),
    [
        ("Arte & Ciencia", "arte-ciencia"),
        ("Patio  Parque", "patio--parque"),
        ("Regalos_2.0", "regalos_2.0"),
        ("Niños & Niñas", "ninos-ninas"),
        ("¡Llegó la Navidad!", "llego-la-navidad"),
        ("Arte, ciencia", "arte-ciencia"),
        ("A/B & C", "a-b-c"),
    ],
)
def test_handle_of_a_collection_is_derived_from_its_title(title: str, handle: str) -> None:
    assert CollectionToCreate(title=title, products=["x"]).handle == handle


def test_error_about_a_missing_file_contains_its_name(tmp_path: Path) -> None:
    with pytest.raises(DataError, match=r"nowhere\.toml cannot be read: No such file"):
        read_data(tmp_path / "nowhere.toml")


def test_binary_file_is_refused(tmp_path: Path) -> None:
    (tmp_path / "data.toml").write_bytes(b"\xff\xfe\x00")
    with pytest.raises(DataError, match="is not TOML"):
        read_data(tmp_path / "data.toml")
