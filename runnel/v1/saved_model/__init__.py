"""SavedModels of sessions."""
