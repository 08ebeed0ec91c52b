"""The name of a page is read from a websocket's address as Reflex reads it."""

import pytest

from storefront.socket_guard import Refused, _require_token

NAME = "94fd1906-6e22-436f-8cfa-afd9e692156b"


@pytest.mark.parametrize(
    "query", [f"token={NAME}", f"EIO=4&token={NAME}&transport=websocket", f"tok%65n={NAME}"]
)
def test_a_plain_name_is_accepted(query: str) -> None:
    _require_token({"QUERY_STRING": query})


@pytest.mark.parametrize(
    "query",
    [f"tok%65n=a%2Fb&token={NAME}", "token=a%0Ab", "token=", "token=ñ", "token=" + "x" * 65, "EIO=4", ""],
)
def test_another_name_is_refused(query: str) -> None:
    with pytest.raises(Refused, match="without a name"):
        _require_token({"QUERY_STRING": query})
