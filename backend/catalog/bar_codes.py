"""The numbers of bar codes on boxes: EAN-13, EAN-8 and UPC-A, whose last digit checks the others (GS1)."""

LENGTHS = frozenset({8, 12, 13})
UPC_A, EAN_13 = 12, 13


def is_bar_code(text: str) -> bool:
    """Whether the text is the number of a bar code: its length is one of `LENGTHS` and its last digit is right."""
    if len(text) not in LENGTHS or not (text.isascii() and text.isdigit()):
        return False
    weighed = sum(
        int(digit) * (3 if place % 2 == 0 else 1) for place, digit in enumerate(reversed(text[:-1]))
    )
    return (10 - weighed % 10) % 10 == int(text[-1])


def as_scanned(code: str) -> list[str]:
    """How scanners may report this number: a UPC-A is the EAN-13 that begins with a zero."""
    if len(code) == UPC_A:
        return [code, f"0{code}"]
    if len(code) == EAN_13 and code.startswith("0"):
        return [code, code[1:]]
    return [code]
