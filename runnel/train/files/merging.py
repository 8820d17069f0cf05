"""Several bundles made one: the data files get new names, the index is written anew."""

from __future__ import annotations

import os
from collections.abc import Sequence
from typing import Any

from runnel.core.files import files
from runnel.core.values.errors import invalid
from .bundle import BundleReader, data_path, index_path, remove_data_but, shards_of, write_index


def merge_bundles(prefixes: Sequence[str], destination: str) -> None:
    """Make one bundle of several, which are gone then; an older one is there until that moment."""
    readers = [BundleReader(prefix) for prefix in dict.fromkeys(prefixes)]
    entries: dict[bytes, Any] = {}
    moves: list[str] = []
    for reader in readers:
        _add_entries(entries, reader, len(moves), destination)
        moves += [
            data_path(reader.prefix, number, reader.shards) for number in range(reader.shards)
        ]
    old, count = shards_of(destination), len(moves)
    named = count + 1 if old == count else count  # the old index must not find other data
    for number, path in enumerate(moves):
        files.rename(path, data_path(destination, number, named), overwrite=True)
    write_index(destination, named, entries)
    if old is not None:
        remove_data_but(destination, named, count)
    for reader in readers:
        files.remove(index_path(reader.prefix))


def _add_entries(
    entries: dict[bytes, Any], reader: BundleReader, offset: int, destination: str
) -> None:
    """Add the entries of a bundle whose first data file becomes the one of number `offset`."""
    for key, entry in reader.entries():
        entry.shard_id += offset
        if key not in entries:
            entries[key] = entry
            continue
        known = entries[key]
        same = (known.dtype, known.shape) == (entry.dtype, entry.shape)
        if not known.slices or not entry.slices or not same:
            name = os.fsdecode(key)
            raise invalid(f"The tensor {name!r} is there twice, merging {destination}.")
        known.slices.extend(entry.slices)
