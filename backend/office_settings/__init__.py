"""Settings that the office may save. The environment's are the first values; what was saved later stands."""

from backend.office_settings.service import (
    LOW_STOCK,
    SavedSettings,
    StandingSettings,
    demo_problems,
    lock_settings,
    read_low_stock,
    read_standing,
    save_settings,
)

__all__ = [
    "LOW_STOCK",
    "SavedSettings",
    "StandingSettings",
    "demo_problems",
    "lock_settings",
    "read_low_stock",
    "read_standing",
    "save_settings",
]
