"""The screens of categories and collections."""
