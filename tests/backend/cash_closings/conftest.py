"""A shop that can sell at the counter."""

from tests.backend.checkout.conftest import till

__all__ = ["till"]
