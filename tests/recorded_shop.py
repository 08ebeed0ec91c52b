"""`python -m storefront.serve`, with the tokens it makes recorded: see `tests.log_guard`."""

from storefront.server.granian_server import open_and_serve
from tests.log_guard import record_tokens

record_tokens()  # also in workers that import this module again

if __name__ == "__main__":
    open_and_serve()
