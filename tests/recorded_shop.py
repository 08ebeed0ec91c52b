"""`python -m storefront.serve` that records the tokens it creates: see `tests.log_guard`."""

from storefront.server.granian_server import open_and_serve
from tests.log_guard import record_tokens

record_tokens()  # workers import this module again and record theirs, too

if __name__ == "__main__":
    open_and_serve()
