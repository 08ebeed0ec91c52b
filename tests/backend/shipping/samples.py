"""Sample packages, places and contacts for tests."""

import csv
import dataclasses
from typing import Any

from backend.shipping.municipalities import DATA_FILE, Municipality
from backend.shipping.packages import DEFAULT_PACKAGE
from backend.shipping.providers.base import Contact, Label, LabelRequest, QuoteRequest, ShippingPlace
from backend.shipping.providers.carrier.client import CarrierPolicy

with DATA_FILE.open(encoding="utf-8", newline="") as _file:
    EVERYWHERE = [
        Municipality(row["code"], row["name"], row["code"][:2], row["department"])
        for row in csv.DictReader(_file)
    ]
DEPARTMENTS = {place.department_code: place.department for place in EVERYWHERE}

BOGOTA, MEDELLIN, LETICIA = "11001000", "05001000", "91001000"

WAREHOUSE = Contact(
    dane_code=BOGOTA,
    address="Calle 80 # 68-20",
    first_name="Bodega",
    last_name="Trompo",
    email="bodega@trompo.example",
    phone="6015550123",
    company="Juguetería Trompo",
    suburb="Engativá",
    cross_street="Carrera 68",
    reference="Bodega 4",
)
SHOPPER = Contact(
    dane_code=MEDELLIN,
    address="Carrera 43A # 1-50, apto 301",
    first_name="Luz Marina",
    last_name="Peña",
    email="luz@correo.example",
    phone="+57 300 123 4567",
    suburb="El Poblado",
)

QUICK = CarrierPolicy(connect=5, quotation=10, write=10, read=10, pause=0)
IMPATIENT = CarrierPolicy(connect=5, quotation=0.15, write=0.15, read=0.15, pause=0)


def quote_request(**changes: Any) -> QuoteRequest:
    """Return a request for the default package from Bogotá to Medellín."""
    request = QuoteRequest(
        origin=WAREHOUSE.shipping_place,
        destination=SHOPPER.shipping_place,
        packages=(DEFAULT_PACKAGE,),
        content_value=89_900,
    )
    return dataclasses.replace(request, **changes)


def place_in(dane_code: str) -> ShippingPlace:
    """Return a place in this municipality."""
    return ShippingPlace(dane_code, "Calle 1 # 2-34")


def shipment_request(**changes: Any) -> LabelRequest:
    """Return a label request for the default package from Bogotá to Medellín."""
    request = LabelRequest(
        reference="1042-1",
        origin=WAREHOUSE,
        destination=SHOPPER,
        packages=(DEFAULT_PACKAGE,),
        content_value=89_900,
    )
    return dataclasses.replace(request, **changes)


def get_label_number(label: Label) -> int:
    """Return the carrier's number of the label."""
    assert label.carrier_order_id is not None
    return label.carrier_order_id


def make_rate(**changes: Any) -> dict[str, Any]:
    """Return an element of `data.rates[]`."""
    return {
        "idRate": 1,
        "idProduct": 11,
        "product": "Terrestre",
        "idCarrier": 1,
        "carrier": "Envía",
        "flete": 14696,
        "minimumInsurance": 899,
        "extraInsurance": 0,
        "deliveryDays": 2,
        "distance": 245.0,
        "quotationType": "Terrestre",
        "cod": False,
        "codDetails": None,
        **changes,
    }
