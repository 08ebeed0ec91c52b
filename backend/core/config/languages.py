"""Languages of a shop, with their formats of dates and numbers. `STORE_LOCALE` chooses one."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Language:
    """A language. The formats are Babel's.

    Attributes:
        tag: the language as a tag for HTML and HTTP.
        locale: Babel's name of its locale.
        platform_code, platform_name: its code and name in the Admin API.
        decimal_mark: the decimal separator.
        group_mark: the thousands separator of counts. Amounts of money have the Colombian one in every language.
        time, short_time: format of a date with its time, and its short form for lists.
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
"""The languages by the value of `STORE_LOCALE`. Texts are written in Spanish; each other language has a catalogue in
`backend/locale/`."""
