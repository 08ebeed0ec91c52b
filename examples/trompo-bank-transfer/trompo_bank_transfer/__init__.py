"""A payment provider for Trompo: the customer sends a bank transfer, and a staff member confirms it."""

from trompo_bank_transfer.provider import BankTransfer, BankTransferSettings

__all__ = ["BankTransfer", "BankTransferSettings"]
