"""The screen of own deliveries and pickup points: its view, its forms, and saving them."""
