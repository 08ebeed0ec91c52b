"""One module a family of toys; importing the package hangs every picture in the gallery."""

from importlib import import_module
from pkgutil import iter_modules

for module in sorted(found.name for found in iter_modules(__path__)):
    import_module(f"{__name__}.{module}")
