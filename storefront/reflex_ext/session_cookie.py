"""Session tokens in the browser's cookies. They are read from the websocket's handshake, and no state stores them."""

from reflex.state import BaseState
from starlette.requests import cookie_parser

from backend.app import current_shop
from backend.edge.auth.cookies import read_cookie

MAX_TOKEN_LENGTH = 128


def token_in(state: BaseState, cookie: str) -> str:
    """Return the token that the cookie of this name had when the websocket was opened; empty if there was none."""
    cookies = cookie_parser(state.router.headers.cookie)
    token = read_cookie(cookies, current_shop().settings, cookie) if cookies else ""
    return token if len(token) <= MAX_TOKEN_LENGTH else ""
