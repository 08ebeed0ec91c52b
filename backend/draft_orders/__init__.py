"""Draft orders: sales that staff prepare at the counter, on the telephone or on WhatsApp, and their payment links."""
