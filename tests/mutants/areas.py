"""The areas whose code is mutated, and their files."""

from collections.abc import Iterable
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
AREAS = {
    "pricing": ("backend/pricing.py",),
    "payment": tuple(
        f"backend/payment/{name}.py"
        for name in ("states", "transitions", "notifications", "checks", "sessions")
    ),
    "completion": (
        "backend/checkout/cart_snapshot.py",
        "backend/checkout/completion.py",
        "backend/checkout/payment/*.py",
        "backend/checkout/placed_orders.py",
        "backend/checkout/reservation_expiry.py",
    ),
    "inventory": ("backend/inventory/*.py",),
    "promotions": ("backend/promotions/*.py",),
    "rate limits": ("backend/rate_limit/*.py",),
    "rights": ("backend/staff/*.py",),
}
"""Patterns of each area's files."""
DECLARATIONS = frozenset({"__init__.py", "answers.py", "events.py", "models.py", "schemas.py", "wire.py"})
"""Names of files that only declare tables, answers and messages: they decide nothing."""


def list_files(area: str) -> list[str]:
    """Return the files of an area, relative to the project's root."""
    return _list_files(AREAS[area])


def list_all_files() -> list[str]:
    """Return the files of all areas."""
    return _list_files(pattern for patterns in AREAS.values() for pattern in patterns)


def _list_files(patterns: Iterable[str]) -> list[str]:
    found = {path for pattern in patterns for path in ROOT.glob(pattern) if path.name not in DECLARATIONS}
    return sorted(path.relative_to(ROOT).as_posix() for path in found)
