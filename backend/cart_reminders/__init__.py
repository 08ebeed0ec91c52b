"""Reminders of abandoned carts: one e-mail to a customer who has agreed to receive offers."""
