"""What describes values: dtypes, shapes, errors, nests and type specs."""
