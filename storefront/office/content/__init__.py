"""Contenido's areas: what the office says on the shop's pages, looked at before it is published."""
