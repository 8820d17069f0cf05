"""The bytes of records: checksums, compression, examples."""
