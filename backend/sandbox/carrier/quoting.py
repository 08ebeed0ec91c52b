"""What the sandbox's couriers ask for a shipment: always the same for the same one, by weight and distance."""

from dataclasses import dataclass
from math import ceil
from typing import Any

from backend.sandbox.carrier.geography import REMOTE, distance_km

CM3_PER_KG = 2_500
"""A light but bulky shipment is charged by its size: 400 kg a cubic metre."""

REMOTE_FACTOR = 2.2
INSURANCE_LEAST = 500
INSURANCE_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Courier:
    """A courier and its prices in COP: to pick up, a kilogram, a kilometre."""

    id: int
    name: str
    product_id: int
    product: str
    start: int
    per_kg: int
    per_km: int
    km_a_day: int
    goes_far: bool


COURIERS = (
    Courier(1, "Envía", 11, "Terrestre", 8_200, 1_600, 20, 250, goes_far=True),
    Courier(2, "Coordinadora", 21, "Mercancía", 10_500, 1_800, 22, 400, goes_far=False),
    Courier(3, "TCC", 31, "Paquetería", 11_600, 1_800, 24, 180, goes_far=False),
    Courier(4, "Interrapidísimo", 41, "Mensajería", 9_000, 1_500, 26, 300, goes_far=True),
)


def rates_for(body: dict[str, Any]) -> tuple[list[dict[str, Any]], list[int]]:
    """The rates of a valid quotation, still without `idRate`, and the couriers that do not go there."""
    origin, destination = body["origin"]["daneCode"], body["destination"]["daneCode"]
    km = distance_km(origin, destination)
    if km is None:
        return [], [courier.id for courier in COURIERS]
    is_remote = not REMOTE.isdisjoint({origin[:2], destination[:2]})
    kg = sum(map(_charged_kg, body["packages"]))
    serving = [courier for courier in COURIERS if courier.goes_far or not is_remote]
    insurance = max(INSURANCE_LEAST, round(body["contentValue"] * INSURANCE_SHARE, 2))
    rates = [_rate(courier, kg, km, is_remote=is_remote, insurance=insurance) for courier in serving]
    return rates, [courier.id for courier in COURIERS if courier not in serving]


def _charged_kg(package: dict[str, Any]) -> float:
    volume = package["length"] * package["width"] * package["height"]
    kg: float = max(package["weight"], volume / CM3_PER_KG)
    return kg


def _rate(courier: Courier, kg: float, km: float, *, is_remote: bool, insurance: float) -> dict[str, Any]:
    flete = (courier.start + courier.per_kg * kg + courier.per_km * km) * (REMOTE_FACTOR if is_remote else 1)
    return {
        "idProduct": courier.product_id,
        "product": courier.product,
        "idCarrier": courier.id,
        "carrier": courier.name,
        "flete": round(flete),
        "minimumInsurance": insurance,
        "extraInsurance": 0,
        "deliveryDays": 1 + ceil(km / courier.km_a_day) + (2 if is_remote else 0),
        "distance": km,
        "quotationType": "Terrestre" if not is_remote else "Aéreo",
        "cod": False,
        "codDetails": None,
    }
