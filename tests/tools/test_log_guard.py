"""The search of a shop's log finds what must not be there.

| in the log | found |
|---|---|
| a recorded token, a bearer token, a secret key | yes |
| the query of an address | yes, unless it is hidden |
| an e-mail address, or a datum of an order | yes |
| an id, a path, an ordinary sentence | no |
"""

import sqlite3
from pathlib import Path

import pytest

from tests.log_guard import find_leaks, find_personal_data

TOKEN = "3JzaB9_3JzaB9_3JzaB9_3JzaB9_3JzaB9_3JzaB9_x"
STREET = "Carrera 43A # 1-50"


@pytest.mark.parametrize(
    "line",
    [
        f"at /bank/{TOKEN}",
        "Bearer eyJhbGciOiJIUzI1NiJ9.eyJhY3RvcklkIjoxfQ.c2ln",
        "sk_" + "0f" * 32,
        "/order/order_1?token=x was not rendered",
        "mail to ana@correo.example",
        f"to {STREET}",
    ],
)
def test_secret_in_a_log_line_is_found(line: str) -> None:
    assert find_leaks(f"fine\n{line}\nfine", {TOKEN}, {STREET}) == [line]


def test_ordinary_log_line_is_not_reported() -> None:
    line = "/order/order_01ARZ3NDEKTSV4RRFFQ69G5FAV?[hidden] was not rendered: is it there? yes"
    assert find_leaks(line, {TOKEN}, {STREET}) == []


def test_personal_data_to_search_for_are_read_from_the_shops_database(tmp_path: Path) -> None:
    connection = sqlite3.connect(tmp_path / "trompo.db")
    connection.execute("CREATE TABLE customer (email TEXT, phone TEXT, last_name TEXT)")
    connection.execute('CREATE TABLE "order" (email TEXT, shipping_address TEXT, billing_address TEXT)')
    connection.execute("INSERT INTO customer VALUES ('ana@correo.example', '3001234567', 'Roa')")
    address = f'{{"address_1": "{STREET}", "city": "Medellín", "metadata": {{"document": "1017234567"}}}}'
    connection.execute('INSERT INTO "order" VALUES (?, ?, ?)', ("luis@correo.example", address, "{}"))
    connection.commit()
    connection.close()
    assert find_personal_data(tmp_path / "trompo.db") == {
        "ana@correo.example", "3001234567", "luis@correo.example", STREET, "1017234567"
    }  # fmt: skip
