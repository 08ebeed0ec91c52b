"""The signed link: it opens its own order and nothing else (design: section 4, guest access by signed token)."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from backend.core.errors import NotFound
from backend.orders.links.tokens import order_token, require_order_token


def test_the_token_of_an_order_opens_it() -> None:
    require_order_token("key", "order_1", order_token("key", "order_1"))


@pytest.mark.parametrize(
    ("key", "order_id"), [("key", "order_2"), ("another key", "order_1"), ("key", ""), ("key", "order_1 ")]
)
def test_a_token_opens_nothing_else(key: str, order_id: str) -> None:
    with pytest.raises(NotFound):
        require_order_token(key, order_id, order_token("key", "order_1"))


@given(st.text(max_size=80))
def test_a_made_up_token_opens_nothing(token: str) -> None:
    with pytest.raises(NotFound):
        require_order_token("key", "order_1", token)


def test_one_letter_more_or_another_one_is_another_token() -> None:
    token = order_token("key", "order_1")
    letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_"
    for wrong in (
        *(token[:-1] + letter for letter in letters if letter != token[-1]),
        token + "A",
        token + "=",
    ):
        with pytest.raises(NotFound):
            require_order_token("key", "order_1", wrong)
