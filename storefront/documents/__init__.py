"""Complete HTML documents of the pages: they have status, head and content before any script runs.

request ─► file of the build? ─► Reflex    (`app.py`)
        ─► robots.txt, sitemap ─► `sitemap.py`
        ─► page ─► data from its loader (`page_cache.py`)
                   ├─ rendered in time (`render_cache.py`) ─► the rendered document
                   └─ too late ─► the shell with the same status, head and initial state
"""
