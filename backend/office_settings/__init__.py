"""Settings that staff can save in the office. A saved setting overrides the setting of the environment."""

from backend.office_settings.service import (
    DEMO,
    LOW_STOCK,
    MUST_BE_OWN,
    NO_SUMMARY,
    OWN_WAREHOUSE,
    EffectiveSettings,
    SavedSettings,
    demo_problems,
    is_demo_identity,
    lock_settings,
    read_cart_reminders,
    read_effective_settings,
    read_low_stock,
    read_summary_hour,
    save_settings,
)

__all__ = [
    "DEMO",
    "LOW_STOCK",
    "MUST_BE_OWN",
    "NO_SUMMARY",
    "OWN_WAREHOUSE",
    "EffectiveSettings",
    "SavedSettings",
    "demo_problems",
    "is_demo_identity",
    "lock_settings",
    "read_cart_reminders",
    "read_effective_settings",
    "read_low_stock",
    "read_summary_hour",
    "save_settings",
]
