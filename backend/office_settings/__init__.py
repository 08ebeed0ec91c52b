"""Settings that the office may save. The environment's are the first values; what was saved later stands."""

from backend.office_settings.service import (
    StandingSettings,
    demo_problems,
    read_standing,
    save_settings,
)

__all__ = ["StandingSettings", "demo_problems", "read_standing", "save_settings"]
