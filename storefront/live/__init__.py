"""Live updates of open pages: a changed product is refreshed in every browser that displays it, on every replica.

`revalidation.py` receives the change, `pubsub.py` sends it to every replica, `open_pages.py` finds the pages that
display the product, and `refresh.py` updates these pages.
"""
