"""Sign-in to the office, and sign-out."""
