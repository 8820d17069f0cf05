"""Feature columns: from named features, as files and forms have them, to what models take."""
