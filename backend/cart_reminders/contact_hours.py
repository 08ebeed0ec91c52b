"""Hours in which offers may be sent to customers, in Colombia (Ley 2300 of 2023, arts. 3 and 5, par. 3).

Monday to Friday from 7 a. m. to 7 p. m., Saturdays from 8 a. m. to 3 p. m., never on Sundays and public holidays.
"""

from datetime import datetime

from backend.core.business_days import SATURDAY, is_holiday, load_holidays
from backend.core.dates import TIME_ZONE

WEEKDAY_HOURS = range(7, 19)
SATURDAY_HOURS = range(8, 15)


async def is_contact_allowed(moment: datetime) -> bool:
    """Return True if the law allows a commercial message at this moment."""
    local = moment.astimezone(TIME_ZONE)
    hours = SATURDAY_HOURS if local.weekday() == SATURDAY else WEEKDAY_HOURS
    if local.weekday() > SATURDAY or local.hour not in hours:
        return False
    await load_holidays()
    return not is_holiday(local.date())
