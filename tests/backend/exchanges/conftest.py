"""A shop with delivered orders."""

from tests.backend.checkout.conftest import till

__all__ = ["till"]
