"""Views and forms of the screens of categories and collections."""
