"""The app of a shop with one worker, without Redis, in Spanish. Only the process imports it whose forks are shops."""

from backend.settings import load_settings
from storefront.server import import_app
from storefront.toolchain import prepare_serving

prepare_serving()
import_app(load_settings())
