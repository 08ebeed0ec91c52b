"""Bar code numbers (GS1): EAN-13, EAN-8, UPC-A and GTIN-14. The final digit is a check digit."""

LENGTHS = frozenset({8, 12, 13, 14})
UPC_A, EAN_13, GTIN_14 = 12, 13, 14


def is_bar_code(text: str) -> bool:
    """Return True if the text is a bar code number: it has one of `LENGTHS` and a correct check digit."""
    if len(text) not in LENGTHS or not (text.isascii() and text.isdigit()):
        return False
    weighed = sum(
        int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(text[:-1]))
    )
    return (10 - weighed % 10) % 10 == int(text[-1])


def equivalent_codes(code: str) -> list[str]:
    """Return the numbers that a scanner may report for this code.

    They differ in leading zeros, which turn a UPC-A into an EAN-13 or a GTIN-14.
    """
    if not UPC_A <= len(code) <= GTIN_14:
        return [code]
    digits = code.zfill(GTIN_14)
    same = [digits[GTIN_14 - length :] for length in (UPC_A, EAN_13, GTIN_14)]
    return [code, *(one for one in same if one != code and one.zfill(GTIN_14) == digits)]
