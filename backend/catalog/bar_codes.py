"""Bar code numbers (GS1): EAN-13, EAN-8 and UPC-A. The final digit is a check digit."""

LENGTHS = frozenset({8, 12, 13})
UPC_A, EAN_13 = 12, 13


def is_bar_code(text: str) -> bool:
    """Return True if the text is a bar code number: one of `LENGTHS` digits with a correct check digit."""
    if len(text) not in LENGTHS or not (text.isascii() and text.isdigit()):
        return False
    weighed = sum(
        int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(text[:-1]))
    )
    return (10 - weighed % 10) % 10 == int(text[-1])


def equivalent_codes(code: str) -> list[str]:
    """Return the numbers that a scanner may report for this code.

    A UPC-A and the EAN-13 that consists of a zero and the UPC-A are the same code.
    """
    if len(code) == UPC_A:
        return [code, f"0{code}"]
    if len(code) == EAN_13 and code.startswith("0"):
        return [code, code[1:]]
    return [code]
