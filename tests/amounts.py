"""Amounts of money in texts that tests expect."""


def cop(text: str) -> str:
    """Return the text with a no-break space after each peso sign, as `backend.core.money.format_cop` writes it."""
    return text.replace("$ ", "$\N{NO-BREAK SPACE}")
