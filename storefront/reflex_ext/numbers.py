"""Display of numbers."""

import reflex as rx
from reflex.vars import FunctionVar, NumberVar, StringVar

from backend.core.texts import language_rules

_GROUP_DIGITS = rx.Var(
    rf'((n) => String(n).replace(/\B(?=(\d{{3}})+$)/g, "{language_rules.group_mark}"))'
).to(FunctionVar)


def grouped(number: NumberVar[int] | rx.Var[int]) -> StringVar:
    """Return a count with grouped digits (`5.000.001`), as `backend.core.texts.Template` formats counts."""
    return _GROUP_DIGITS.call(number).to(str)
