"""Opens the shop: `python -m storefront.serve`. Pages, websocket and API are served on one port."""

from storefront.supervisor import supervise


def main() -> None:
    """Serve until stopped (SIGINT, SIGTERM)."""
    child = supervise()

    from storefront.server import open_and_serve  # in the child alone: its parent stays small

    open_and_serve(child)


if __name__ == "__main__":
    main()
