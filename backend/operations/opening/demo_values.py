"""Values of the demo shop that a real shop still has, for the owner, in the store's language.

`backend.office_settings.demo_problems` has the same in English, for the log of a shop that does not start.
"""

from backend.core.config.settings import Settings
from backend.core.texts import _
from backend.office_settings import list_demo_settings


def describe_demo_values(effective: Settings) -> list[str]:
    """Return a sentence for each value of the shop's identity that is the demo shop's, and one for the warehouse."""
    identity, warehouse = list_demo_settings(effective)
    text = _("{setting} es el de la tienda de demostración: pon el tuyo, o corre `trompo init`")
    problems = [text.format(setting=name) for name in identity]
    if warehouse:
        text = _("{settings}: es la bodega de demostración; pon la tuya, o corre `trompo init`")
        problems.append(text.format(settings=", ".join(warehouse)))
    return problems
