"""An embedded invoice provider, for the demo, development and tests.

It parses documents as the DIAN would. It shares no code with the part of the shop that writes the documents, so
that an error in one of them cannot hide in both. It neither signs documents nor sends them anywhere.
"""

from backend.sandbox.invoicing.app import SandboxInvoicing, create_sandbox_invoicing
from backend.sandbox.invoicing.faults import Fault

__all__ = ["Fault", "SandboxInvoicing", "create_sandbox_invoicing"]
