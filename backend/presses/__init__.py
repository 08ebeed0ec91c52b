"""Form submissions and button clicks that change data (presses). Each is executed once, even if it is sent again."""
