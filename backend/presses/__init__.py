"""Events of pages that change something, each of which is done once."""
