"""The app of a shop with one worker, without Redis, in Spanish. Only the process whose forks are shops imports it."""

import httpcore

import storefront.server.preparation
from storefront.server.worker import import_app

__all__ = ["httpcore", "storefront"]  # every shop imports both while it starts

import_app()
