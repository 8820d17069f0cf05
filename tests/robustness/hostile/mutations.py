"""Ways to damage bytes, texts, JSON and protocol messages."""

from __future__ import annotations

import copy
import json
import os
from collections.abc import Callable, Sequence
from random import Random
from typing import Any

_SIZES = [0, 1, 2, 127, 128, 255, 2**15, 2**16 - 1, 2**31 - 1, 2**31, 2**32 - 1, 2**62, 2**63 - 1]
_NUMBERS = [*_SIZES, -1, -2, -(2**31), -(2**63), 2**64, 10**30]
_TEXTS = ["", "\0", "a" * 5000, "../../elsewhere", "/etc/passwd", "é\ud800", "__class__", "%s%n"]
_VALUES: list[Any] = [None, True, False, [], {}, [[]], {"": None}, 0.5, float("nan"), float("inf")]
_WORDS = "Lambda Dense Functional builtins os eval system __main__ RandomUniform class_name".split()


def damage_bytes(data: bytes, chance: Random) -> tuple[bytes, str]:
    """Bytes with one to three things done to them."""
    done = []
    for _ in range(chance.choice([1, 1, 1, 2, 3])):
        way = chance.choice(_WAYS)
        data = way(data, chance)
        done.append(way.__name__.strip("_"))
    return data, "+".join(done)


def _flip(data: bytes, chance: Random) -> bytes:
    changed = bytearray(data)
    for _ in range(chance.choice([1, 1, 2, 8, 64]) if data else 0):
        changed[_place(data, chance)] ^= 1 << chance.randrange(8)
    return bytes(changed)


def _place(data: bytes, chance: Random) -> int:
    """Somewhere, and often where headers are: at the beginning or the end."""
    most = len(data) - 1
    near = chance.randint(0, min(chance.choice([16, 64, 512]), most))
    return chance.choice([near, most - near, chance.randint(0, most), chance.randint(0, most)])


def _cut(data: bytes, chance: Random) -> bytes:
    return data[: chance.randint(0, len(data))]


def _behead(data: bytes, chance: Random) -> bytes:
    return data[chance.randint(0, min(64, len(data))) :]


def _splice(data: bytes, chance: Random) -> bytes:
    """A piece of it, over or between the rest."""
    start = chance.randint(0, len(data))
    piece = data[start : start + chance.choice([1, 4, 16, 200])]
    place = chance.randint(0, len(data))
    return data[:place] + piece + data[place + len(piece) * chance.randint(0, 1) :]


def _fill(data: bytes, chance: Random) -> bytes:
    place, size = chance.randint(0, len(data)), chance.choice([1, 4, 8, 64, 512])
    return data[:place] + bytes([chance.choice([0, 255, 0x41])]) * size + data[place + size :]


def _number(data: bytes, chance: Random) -> bytes:
    """An integer of two to eight bytes that is as large or small as it gets."""
    width = chance.choice([2, 4, 4, 8])
    value = chance.choice(_SIZES) % (1 << 8 * width)
    place = _place(data, chance) if data else 0
    order = chance.choice(["little", "big"])
    return data[:place] + value.to_bytes(width, order) + data[place + width :]  # type: ignore[arg-type]


def _noise(data: bytes, chance: Random) -> bytes:
    place, size = chance.randint(0, len(data)), chance.choice([1, 8, 100])
    return data[:place] + chance.randbytes(size) + data[place + size :]


_WAYS = [_flip, _flip, _flip, _cut, _behead, _splice, _fill, _number, _number, _noise]


def damage_file(path: str, chance: Random) -> str:
    with open(path, "rb") as file:
        data, how = damage_bytes(file.read(), chance)
    with open(path, "wb") as file:
        file.write(data)
    return f"{os.path.basename(path)} {how}"


def damage_one_of(folder: str, chance: Random) -> str:
    """Damage one of the files in a folder, or remove it."""
    paths = sorted(os.path.join(top, name) for top, _, names in os.walk(folder) for name in names)
    path = chance.choice(paths)
    if chance.random() < 0.05:
        os.remove(path)
        return f"{os.path.basename(path)} removed"
    return damage_file(path, chance)


def damage_json(text: str, chance: Random) -> tuple[str, str]:
    """JSON with one to three nodes changed, or a text that is none."""
    if chance.random() < 0.1:
        data, how = damage_bytes(text.encode(), chance)
        return data.decode(errors="replace"), how
    if chance.random() < 0.02:
        depth = chance.choice([100, 900, 20_000])
        return text.replace("null", "[" * depth + "]" * depth, 1), "nested"
    tree = json.loads(text)
    done = [_damage_node(tree, chance) for _ in range(chance.choice([1, 1, 2, 3]))]
    return json.dumps(tree), ", ".join(done)


def _damage_node(tree: Any, chance: Random) -> str:
    holders = [node for node in _nodes(tree) if isinstance(node, dict | list) and node]
    if not holders:
        return "nothing"
    holder = chance.choice(holders)
    keys = list(holder) if isinstance(holder, dict) else range(len(holder))
    key = chance.choice(list(keys))
    way = chance.choice(["value", "value", "value", "other", "remove", "rename", "wrap"])
    if way == "remove":
        del holder[key]
    elif way == "rename" and isinstance(holder, dict):
        holder[chance.choice([*_TEXTS, *_WORDS, key * 2])] = holder.pop(key)
    elif way == "wrap":
        holder[key] = chance.choice([[holder[key]], {"config": holder[key]}, [holder[key]] * 8])
    elif way == "other":
        holder[key] = json.loads(json.dumps(chance.choice(_nodes(tree))))
    else:
        holder[key] = _damaged_value(holder[key], chance)
    return f"{way} of {key!r}"


def _nodes(tree: Any) -> list[Any]:
    found, waiting = [], [tree]
    while waiting:
        found.append(node := waiting.pop())
        if isinstance(node, dict | list):
            waiting += node.values() if isinstance(node, dict) else node
    return found


def _damaged_value(value: Any, chance: Random) -> Any:
    if isinstance(value, str) and chance.random() < 0.3:
        return damage_bytes(value.encode(errors="replace"), chance)[0].decode(errors="replace")
    found = chance.choice([*_VALUES, chance.choice(_NUMBERS), chance.choice(_TEXTS + _WORDS)])
    return copy.deepcopy(found)  # the next damage may be to it, and to it alone


def damage_message(message: Any, chance: Random) -> str:
    """Change some field of a protocol message, or of a message in it."""
    inner = [m for m in _messages(message) if m.ListFields()]
    if not inner:
        return "nothing"
    part = chance.choice(inner)
    field, value = chance.choice(part.ListFields())
    name = f"{part.DESCRIPTOR.name}.{field.name}"
    if chance.random() < 0.15:
        part.ClearField(field.name)
        return f"{name} cleared"
    if hasattr(value, "MergeFrom") and not hasattr(value, "DESCRIPTOR"):
        return f"{name} {_damage_repeated(value, chance)}"
    if not hasattr(value, "DESCRIPTOR"):
        _set(part, field.name, value, chance)
    return f"{name} changed"


def _messages(message: Any) -> list[Any]:
    """A message and all those in it."""
    found, waiting = [], [message]
    while waiting:
        found.append(one := waiting.pop())
        for _, value in one.ListFields():
            held = value.values() if hasattr(value, "keys") else value
            many = (
                held if hasattr(value, "MergeFrom") and not hasattr(value, "DESCRIPTOR") else [held]
            )
            waiting += [item for item in many if hasattr(item, "ListFields")]
    return found


def _damage_repeated(items: Any, chance: Random) -> str:
    if hasattr(items, "keys"):
        del items[chance.choice(sorted(items))]
        return "lost a key"
    way = chance.choice(["del", "double", "value"])
    place = chance.randrange(len(items))
    if way == "del":
        del items[place]
    elif way == "double" or hasattr(items[place], "DESCRIPTOR"):
        items.extend([items[place]])
    else:
        items[place] = _in_range(items[place], chance, lambda value: items.append(value))
        del items[-1]
    return way


def _in_range(value: Any, chance: Random, keep: Callable[[Any], None]) -> Any:
    """Another value that the field takes."""
    for _ in range(20):
        other = _other(value, chance)
        try:
            keep(other)
        except (ValueError, TypeError):
            continue
        return other
    keep(value)
    return value


def _other(value: Any, chance: Random) -> Any:
    if isinstance(value, bytes):
        return damage_bytes(value, chance)[0]
    if isinstance(value, str):
        text = damage_bytes(value.encode(), chance)[0].decode(errors="ignore")
        return chance.choice([text, *_TEXTS[:5], *_WORDS])
    if isinstance(value, bool):
        return not value
    if isinstance(value, float):
        return chance.choice([float("nan"), float("inf"), -1.0, 1e30])
    return chance.choice(_NUMBERS)


def _set(part: Any, name: str, value: Any, chance: Random) -> None:
    _in_range(value, chance, lambda other: setattr(part, name, other))


def damage_message_file(path: str, kind: Any, chance: Random) -> str:
    """Damage a file that holds a message of a kind: a field of it, or its bytes."""
    if chance.random() < 0.3:
        return damage_file(path, chance)
    with open(path, "rb") as file:
        message = kind.FromString(file.read())
    done = [damage_message(message, chance) for _ in range(chance.choice([1, 1, 2, 3]))]
    with open(path, "wb") as file:
        file.write(message.SerializeToString())
    return ", ".join(done)


def one_of(ways: Sequence[Callable[[str, Random], str]]) -> Callable[[str, Random], str]:
    """Damage in one of several ways."""
    return lambda folder, chance: chance.choice(ways)(folder, chance)
