import pytest

from backend.settings import Settings
from backend.shipping.contacts import recipient, warehouse
from backend.shipping.providers.base import Contact, Place
from tests.backend.shipping.samples import SHOPPER, WAREHOUSE


def test_the_sender_is_the_warehouse_of_the_settings(settings: Settings) -> None:
    assert warehouse(settings) == WAREHOUSE
    assert warehouse(settings).place == Place("11001000", "Calle 80 # 68-20")


def test_every_part_of_the_sender_is_a_setting() -> None:
    parts = {
        "company": "Otra", "first_name": "Ana", "last_name": "Ruiz", "email": "ana@otra.example", "phone": "3001234567",
        "address": "Calle 1 # 2-3", "suburb": "Centro", "cross_street": "Carrera 2", "reference": "Local 1",
        "dane_code": "05001000",
    }  # fmt: skip
    settings = Settings(**{f"carrier_origin_{name}": value for name, value in parts.items()})  # type: ignore[arg-type]
    assert warehouse(settings) == Contact(**parts)


def test_the_receiver_is_read_from_the_orders_address() -> None:
    address = {
        "first_name": "Luz Marina",
        "last_name": "Peña",
        "phone": "+57 300 123 4567",
        "address_1": " Carrera 43A # 1-50, apto 301 ",
        "address_2": "Portería azul",
        "city": "Medellín",
        "province": "Antioquia",
        "country_code": "co",
        "metadata": {"dane_code": "05001000", "suburb": "El Poblado"},
    }
    receiver = recipient(address, SHOPPER.email)
    assert receiver == Contact(
        dane_code=SHOPPER.dane_code,
        address=SHOPPER.address,
        first_name=SHOPPER.first_name,
        last_name=SHOPPER.last_name,
        email=SHOPPER.email,
        phone=SHOPPER.phone,
        suburb=SHOPPER.suburb,
        reference="Portería azul",
    )


@pytest.mark.parametrize(
    "address", [{}, {"metadata": None}, {"metadata": "x"}, {"first_name": None, "metadata": {"dane_code": 5}}]
)
def test_what_is_missing_stays_empty(address: dict[str, object]) -> None:
    assert recipient(address, "a@b.example") == Contact("", "", "", "", "a@b.example", "")
