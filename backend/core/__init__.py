"""What any program needs. It knows nothing of a shop's features."""
