"""The app of a shop with one worker, without Redis, in Spanish. Only the process whose forks are shops imports it."""

import storefront.server.preparation
from storefront.server.worker import import_app

__all__ = ["storefront"]

import_app()
