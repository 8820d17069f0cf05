"""Pictures of models: boxes in levels, with lines between them."""
