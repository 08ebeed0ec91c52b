"""Content screens (Contenido): texts, pictures and legal texts that the staff previews and publishes."""
