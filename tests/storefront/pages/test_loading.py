"""What a page is asked for, out of an address that anybody may have written."""

import pytest

from storefront.pages.loading import PageParams


def test_the_parts_of_an_address() -> None:
    params = PageParams.from_url("https://trompo.example/catalog?category=peluches&q=oso%20de+anteojos#top")
    assert params.path == "/catalog"
    assert params.asked("category") == "peluches"
    assert params.asked("q") == "oso de anteojos"
    assert params.asked("age") == ""


def test_of_a_parameter_given_twice_the_first_counts() -> None:
    assert PageParams.from_url("/catalog?q=uno&q=dos").asked("q") == "uno"


def test_an_absurdly_long_parameter_is_none() -> None:
    assert PageParams.from_url("/catalog?q=" + "x" * 201).asked("q") == ""


def test_an_absurd_number_of_parameters_is_no_failure() -> None:
    assert PageParams.from_url("/catalog?" + "&".join(f"p{n}=1" for n in range(5000))).asked("p1") == "1"


@pytest.mark.parametrize(
    ("url", "tail"),
    [
        ("/product/trompo-de-madera", "trompo-de-madera"),
        ("/product/trompo-de-madera/?x=/y", "trompo-de-madera"),
        ("/product/a%20b%28c%29", "a b(c)"),
        ("/", ""),
        ("", ""),
    ],
)
def test_the_part_of_the_path_that_varies(url: str, tail: str) -> None:
    assert PageParams.from_url(url).tail == tail
