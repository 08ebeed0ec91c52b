"""The app of a shop with one worker, without Redis, in Spanish. Only the process imports it whose forks are shops."""

from backend.core.config.settings import load_settings
from storefront.server.granian_server import import_app
from storefront.server.toolchain import prepare_serving

prepare_serving()
import_app(load_settings())
