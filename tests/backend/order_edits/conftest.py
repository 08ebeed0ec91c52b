"""A shop with paid orders."""

from tests.backend.checkout.conftest import till

__all__ = ["till"]
