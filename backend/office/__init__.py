"""What screens of the office show of several packages at once. Each function takes the `Actor` and checks the right."""
