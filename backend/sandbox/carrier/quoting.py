"""Prices of the embedded carrier's couriers, by weight and distance. The same shipment always has the same price."""

from dataclasses import dataclass
from math import asin, ceil, cos, radians, sin, sqrt
from typing import Any

EARTH_DIAMETER_KM = 12_742
WITHIN_A_DEPARTMENT_KM = 40.0

CAPITALS = {  # department: latitude, longitude
    "05": (6.25, -75.56),
    "08": (10.97, -74.80),
    "11": (4.65, -74.10),
    "13": (10.40, -75.51),
    "15": (5.54, -73.36),
    "17": (5.07, -75.52),
    "18": (1.61, -75.61),
    "19": (2.44, -76.61),
    "20": (10.46, -73.25),
    "23": (8.75, -75.88),
    "25": (4.81, -74.35),
    "27": (5.69, -76.66),
    "41": (2.93, -75.28),
    "44": (11.54, -72.91),
    "47": (11.24, -74.20),
    "50": (4.14, -73.63),
    "52": (1.21, -77.28),
    "54": (7.89, -72.50),
    "63": (4.53, -75.68),
    "66": (4.81, -75.69),
    "68": (7.12, -73.12),
    "70": (9.30, -75.40),
    "73": (4.44, -75.24),
    "76": (3.45, -76.53),
    "81": (7.08, -70.76),
    "85": (5.34, -72.39),
    "86": (1.15, -76.65),
    "88": (12.58, -81.70),
    "91": (-4.21, -69.94),
    "94": (3.87, -67.92),
    "95": (2.57, -72.64),
    "97": (1.25, -70.23),
    "99": (6.19, -67.49),
}

REMOTE = frozenset({"88", "91", "94", "95", "97", "99"})
"""Departments that are reached by air or river, and not by every courier."""


def distance_km(origin_code: str, destination_code: str) -> float | None:
    """Return the distance in kilometres between two DANE codes: 0 if the codes are equal.

    None if the department of a code is unknown.
    """
    start, end = CAPITALS.get(origin_code[:2]), CAPITALS.get(destination_code[:2])
    if start is None or end is None:
        return None
    if origin_code == destination_code:
        return 0.0
    return round(_great_circle_km(start, end), 1) or WITHIN_A_DEPARTMENT_KM


def _great_circle_km(start: tuple[float, float], end: tuple[float, float]) -> float:
    (lat_1, lon_1), (lat_2, lon_2) = (map(radians, point) for point in (start, end))
    chord = sin((lat_2 - lat_1) / 2) ** 2 + cos(lat_1) * cos(lat_2) * sin((lon_2 - lon_1) / 2) ** 2
    return EARTH_DIAMETER_KM * asin(sqrt(chord))


CM3_PER_KG = 2_500
"""Volume that counts as one kilogram. A light but bulky shipment is charged by its size: 400 kg per cubic metre."""

REMOTE_FACTOR = 2.2
MIN_INSURANCE = 500
INSURANCE_SHARE = 0.01


@dataclass(frozen=True, slots=True)
class Courier:
    """A courier and its prices in COP: base price, price per kilogram, price per kilometre."""

    id: int
    name: str
    product_id: int
    product: str
    start: int
    per_kg: int
    per_km: int
    km_per_day: int
    serves_remote: bool


COURIERS = (
    Courier(1, "Envía", 11, "Terrestre", 8_200, 1_600, 20, 250, serves_remote=True),
    Courier(2, "Coordinadora", 21, "Mercancía", 10_500, 1_800, 22, 400, serves_remote=False),
    Courier(3, "TCC", 31, "Paquetería", 11_600, 1_800, 24, 180, serves_remote=False),
    Courier(4, "Interrapidísimo", 41, "Mensajería", 9_000, 1_500, 26, 300, serves_remote=True),
)


def compute_rates(body: dict[str, Any]) -> tuple[list[dict[str, Any]], list[int]]:
    """Return the rates of a valid quotation, and the ids of couriers that do not ship between its places.

    The rates have no `idRate` yet.
    """
    origin, destination = body["origin"]["daneCode"], body["destination"]["daneCode"]
    km = distance_km(origin, destination)
    if km is None:
        return [], [courier.id for courier in COURIERS]
    is_remote = not REMOTE.isdisjoint({origin[:2], destination[:2]})
    kg = sum(map(_charged_kg, body["packages"]))
    serving = [courier for courier in COURIERS if courier.serves_remote or not is_remote]
    insurance = max(MIN_INSURANCE, round(body["contentValue"] * INSURANCE_SHARE, 2))
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
        "deliveryDays": 1 + ceil(km / courier.km_per_day) + (2 if is_remote else 0),
        "distance": km,
        "quotationType": "Terrestre" if not is_remote else "Aéreo",
        "cod": False,
        "codDetails": None,
    }
