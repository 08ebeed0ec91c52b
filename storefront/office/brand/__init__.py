"""The brand screen (Marca): logo, icons, colours, headline and profiles, with a live preview and versions."""
