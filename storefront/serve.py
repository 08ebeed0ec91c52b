"""Start the shop: `python -m storefront.serve`. Pages, websocket and API share one port."""

from storefront.server.granian_server import open_and_serve

if __name__ == "__main__":
    open_and_serve()
