"""How far two municipalities are apart, as far as the sandbox cares: from department capital to department capital."""

from math import asin, cos, radians, sin, sqrt

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
"""Departments that a parcel reaches by air or river, and not with every courier."""


def distance_km(origin_code: str, destination_code: str) -> float | None:
    """Kilometres between two DANE codes: none within a municipality, None where a code is of no department."""
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
