"""Live updates of open pages: a changed product is refreshed in every browser that displays it, on every replica.

`revalidation.py` receives the change, `pubsub.py` passes it to every replica, `open_pages.py` knows which pages
display the product, and `refresh.py` updates those pages.
"""
