"""What runs the steps: users' functions, threads, iterators."""
