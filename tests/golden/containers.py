"""Containers for the structures of `nest.json`, the same for TensorFlow and for the tests."""

import collections
import dataclasses

P = collections.namedtuple("P", "x y")
Q = collections.namedtuple("Q", "x y")
P2 = collections.namedtuple("P", "x y")


class MyList(list):
    pass


class MyTuple(tuple):
    pass


class MyDict(dict):
    pass


class MyMapping(collections.abc.Mapping):
    def __init__(self, items):
        self.items_ = dict(items)

    def __getitem__(self, key):
        return self.items_[key]

    def __iter__(self):
        return iter(self.items_)

    def __len__(self):
        return len(self.items_)

    def __repr__(self):
        return f"MyMapping({self.items_})"


class MySequence(collections.abc.Sequence):
    def __init__(self, items):
        self.items_ = list(items)

    def __getitem__(self, key):
        return self.items_[key]

    def __len__(self):
        return len(self.items_)

    def __repr__(self):
        return f"MySequence({self.items_})"


@dataclasses.dataclass
class Plain:
    a: object
    b: object


@dataclasses.dataclass
class Masked:
    a: object
    b: object
    name: str = "n"

    def __tf_flatten__(self):
        return (self.name,), (self.a, self.b)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, name=metadata[0])


@dataclasses.dataclass
class Masked2(Masked):
    pass


NAMES = {**vars(collections), **globals()}
