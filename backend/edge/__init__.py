"""What HTTP needs around every room: errors as answers, dependencies, limits."""
