"""Settings that the office can save. The effective settings are those of the environment, overridden by saved ones."""

from backend.office_settings.service import (
    DEMO,
    LOW_STOCK,
    EffectiveSettings,
    SavedSettings,
    demo_problems,
    lock_settings,
    read_effective_settings,
    read_low_stock,
    save_settings,
)

__all__ = [
    "DEMO",
    "LOW_STOCK",
    "EffectiveSettings",
    "SavedSettings",
    "demo_problems",
    "lock_settings",
    "read_effective_settings",
    "read_low_stock",
    "save_settings",
]
