"""Views of the office's team screen, and of the signed-in staff member's account."""
