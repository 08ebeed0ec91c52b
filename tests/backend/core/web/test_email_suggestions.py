import pytest

from backend.core.web.email_suggestions import suggest_email


@pytest.mark.parametrize(
    ("typed", "suggested"),
    [
        ("ana@gmial.com", "ana@gmail.com"),
        ("ana@gmail.co", "ana@gmail.com"),
        ("ana@gmail.con", "ana@gmail.com"),
        ("ana@gamil.com", "ana@gmail.com"),
        ("ana@gmail.com.co", "ana@gmail.com"),
        ("Ana.Gomez+1@GMAI.COM", "Ana.Gomez+1@gmail.com"),
        ("luz@hotmial.com", "luz@hotmail.com"),
        ("luz@hotmail.con", "luz@hotmail.com"),
        ("luz@outlok.com", "luz@outlook.com"),
        ("luz@yaho.com", "luz@yahoo.com"),
        ("luz@iclould.com", "luz@icloud.com"),
        ("ventas@juguetes.con", "ventas@juguetes.com"),
    ],
)
def test_mistyped_domain_is_corrected(typed: str, suggested: str) -> None:
    assert suggest_email(typed) == suggested


@pytest.mark.parametrize(
    "typed",
    ["ana@gmail.com", "ana@mail.com", "ana@ymail.com", "ana@hotmail.es", "ana@yahoo.com.co", "ana@outlook.fr",
     "ana@unal.edu.co", "ana@misena.edu.co", "ana@une.net.co", "ana@juguetes.com.co", "ana@gmx.net", "ana",
     "@gmial.com", "", "ana@"],
)  # fmt: skip
def test_correct_or_incomplete_email_address_gets_no_suggestion(typed: str) -> None:
    assert suggest_email(typed) == ""
