"""Files from the web: the cache, hashes, unpacking that cannot do harm."""
