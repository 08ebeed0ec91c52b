"""Open pages follow the shop: a changed product is refreshed in every browser that shows it, on every replica.

`revalidation.py` receives the change, `pubsub.py` passes it to every replica, `open_pages.py` knows who shows the
product, and `refresh.py` brings those pages up to date.
"""
