"""What runs of sessions took, and what graphs hold: `tf.compat.v1.profiler`, timelines."""
