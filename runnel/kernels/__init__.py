"""Arrays in, arrays out: what ops compute, without ops or tensors."""
