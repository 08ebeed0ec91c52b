"""The pages as finished documents, with the right status, head and content before any script runs.

request ─► a file of the build? ─► Reflex                                                    `app.py`
        ─► robots.txt, sitemap ─► `sitemap.py`
        ─► page ─► what its loader gives (`page_cache.py`) ─► rendered in time (`render_cache.py`) ─► the document
                                                           └─ late ─► the shell with the same status, head and state
"""
