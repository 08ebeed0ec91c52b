"""Opens the shop: `python -m storefront.serve`. Pages, websocket and API are served on one port."""

import os

from storefront.server.supervisor import supervise

SERVER_MEMORY = "narenas:1,cache_oblivious:false,dirty_decay_ms:1000,muzzy_decay_ms:0,background_thread:true"
"""How Granian's allocator (jemalloc) is to work: the 128 KiB that each websocket reads into go back to the system
within a second or two of its end. As it works by itself they stay until it has more to do."""


def main() -> None:
    """Serve until stopped (SIGINT, SIGTERM)."""
    child = supervise()
    # read when Granian is imported, here and in workers
    os.environ.setdefault("_RJEM_MALLOC_CONF", SERVER_MEMORY)

    from storefront.server.granian_server import open_and_serve  # in the child alone: its parent stays small

    open_and_serve(child)


if __name__ == "__main__":
    main()
