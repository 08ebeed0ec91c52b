"""An embedded invoice provider, for the demo, development and tests.

It parses documents as the DIAN would, with separate code, so that it cannot share a misunderstanding with the
shop's provider. It neither signs documents nor sends them anywhere.
"""

from backend.sandbox.invoicing.app import SandboxInvoicing, create_sandbox_invoicing
from backend.sandbox.invoicing.faults import Fault

__all__ = ["Fault", "SandboxInvoicing", "create_sandbox_invoicing"]
