"""Closing of the day: the money that staff received and gave back themselves, and the count of the cash."""
