"""Session tokens in this browser's cookies. The websocket's handshake brings them along; no state stores them."""

from reflex.state import BaseState
from starlette.requests import cookie_parser

from backend.app import current_shop
from backend.edge.auth.cookies import read_cookie

LONGEST_TOKEN = 128


def token_in(state: BaseState, cookie: str) -> str:
    """The token in the cookie of this name, at the moment the websocket was opened; empty without one."""
    cookies = cookie_parser(state.router.headers.cookie)
    token = read_cookie(cookies, current_shop().settings, cookie) if cookies else ""
    return token if len(token) <= LONGEST_TOKEN else ""
