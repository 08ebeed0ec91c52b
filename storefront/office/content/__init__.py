"""Content screens (Contenido): texts, pictures and legal texts that staff preview and publish."""
