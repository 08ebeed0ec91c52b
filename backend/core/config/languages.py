"""The languages in which a shop can be, and how each writes dates and numbers. `STORE_LOCALE` chooses one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """A language. The formats are Babel's.

    Attributes:
        tag: the language as a tag for HTML and HTTP.
        locale: Babel's name of its locale.
        platform_code, platform_name: its code and name in the Admin API.
        decimal_mark: the mark between units and tenths.
        group_mark: the mark between thousands and hundreds of a count. Amounts are Colombian in every language.
        time, short_time: format of a moment, and of a moment in a list.
        date, day, short_day: format of a date, of a day of the week with its date, and of a day in a chart.
        hour: format of an hour.
    """

    tag: str
    locale: str
    platform_code: str
    platform_name: str
    decimal_mark: str
    group_mark: str
    time: str
    short_time: str
    date: str
    day: str
    short_day: str
    hour: str


LANGUAGES = {
    "es": Language(
        tag="es-CO",
        locale="es_CO",
        platform_code="es-CO",
        platform_name="Spanish (Colombia)",
        decimal_mark=",",
        group_mark=".",
        time="d 'de' MMMM 'de' y, h:mm a",
        short_time="d MMM, h:mm a",
        date="d 'de' MMMM 'de' y",
        day="EEEE d 'de' MMMM",
        short_day="d MMM",
        hour="h a",
    ),
    "en": Language(
        tag="en-CO",
        locale="en",
        platform_code="en-US",
        platform_name="English (United States)",
        decimal_mark=".",
        group_mark=",",
        time="MMMM d, y, h:mm a",
        short_time="MMM d, h:mm a",
        date="MMMM d, y",
        day="EEEE, MMMM d",
        short_day="MMM d",
        hour="h a",
    ),
}
"""The languages by the value of `STORE_LOCALE`. All but Spanish, in which texts are written, have a catalogue in
`backend/locale/`."""
