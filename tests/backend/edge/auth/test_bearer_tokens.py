from datetime import timedelta

import pytest

from backend.core.clock import now
from backend.edge.auth import bearer_tokens
from backend.edge.auth.bearer_tokens import USER, TokenOwner, issue_token, parse_token


@pytest.mark.parametrize(("minutes", "is_good"), [(2, True), (20, False)])
def test_token_issued_by_a_replica_is_accepted_if_its_clock_is_slightly_ahead(
    minutes: int, is_good: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    with monkeypatch.context() as ahead:
        ahead.setattr(bearer_tokens, "now", lambda: now() + timedelta(minutes=minutes))
        token = issue_token("key", TokenOwner("user_1", USER))
    assert (parse_token("key", token) is not None) is is_good
