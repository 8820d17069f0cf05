"""Regular expressions on strings, as RE2 reads them: replace, and match as a whole."""

from __future__ import annotations

import functools
import importlib
from collections.abc import Sequence
from typing import Any

import numpy as np

from runnel.core.errors import bad_shape, bad_value
from runnel.core.op import op
from runnel.core.raw import raw_ops
from runnel.core.registry import no_gradient
from runnel.core.tensor import Tensor
from runnel.core.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.ops.regex_patterns import SHORT, Quick, quick, rewrite_pieces
from runnel.ops.shapes import same
from runnel.ops.string_arrays import attribute_bytes, packed


@functools.lru_cache(256)
def compiled(pattern: bytes) -> Any:
    """The pattern for RE2; ValueError if it is malformed."""
    re2: Any = importlib.import_module("re2")
    options = re2.Options()
    options.log_errors = False
    try:
        return re2.compile(pattern, options)
    except re2.error as error:
        raise ValueError(str(error)) from None


def _regexp(op_name: str, pattern: bytes) -> Any:
    try:
        return compiled(pattern)
    except ValueError as error:
        want = f"be a regular expression ({error})"
        raise bad_value(op_name, want=want, pattern=pattern) from None


def _replaced(op_name: str, x: Array, pattern: bytes, rewrite: bytes, everywhere: bool) -> Array:
    regexp = _regexp(op_name, pattern)
    pieces, whole = rewrite_pieces(rewrite)
    unknown = any(p > regexp.groups for p in pieces if isinstance(p, int))
    if unknown or not (whole or everywhere):
        return x  # RE2 leaves strings as they are when it does not understand the replacement
    values = x.ravel().tolist()
    found = _quickly(values, pattern, pieces) if everywhere else _first(values, pattern, pieces)
    if found is None:
        found = [_replace(regexp, value, pieces, everywhere) for value in values]
    return packed(found, x.shape)


def _first(values: list[bytes], pattern: bytes, pieces: Sequence[Any]) -> list[bytes] | None:
    """The first match in each string replaced, by Python's engine where it may be used."""
    plan = quick(pattern.decode("utf-8", "surrogateescape"))
    if plan is None:
        return None
    engine, slow = plan.for_bytes, compiled(pattern)
    if plan.suits_all(values):
        return [_replace_first(engine, value, pieces) for value in values]
    return [
        _replace_first(engine, value, pieces)
        if plan.suits(value)
        else _replace(slow, value, pieces, everywhere=False)
        for value in values
    ]


def _replace_first(engine: Any, value: bytes, pieces: Sequence[Any]) -> bytes:
    match = engine.search(value)
    if match is None:
        return value
    new = [_piece(match, piece) for piece in pieces]
    return b"".join([value[: match.start()], *new, value[match.end() :]])


def _replace(regexp: Any, value: bytes, pieces: Sequence[Any], everywhere: bool) -> bytes:
    """One string by RE2. An empty match right behind another match is none."""
    found, place, last = [], 0, -1
    while place <= len(value):
        match = regexp.search(value, place)
        if match is None:
            break
        start, end = match.span()
        found.append(value[place:start])
        if start == end == last:
            width = _letter_width(value, start)
            found.append(value[start : start + width])
            place = start + width
            continue
        found.extend(p if isinstance(p, bytes) else match[p] or b"" for p in pieces)
        place = last = end
        if not everywhere:
            break
    return b"".join([*found, value[place:]])


def _letter_width(value: bytes, place: int) -> int:
    """The bytes of the UTF-8 character at a place, at least one."""
    lead = value[place] if place < len(value) else 0
    width = 1 + (lead >= 0xC0) + (lead >= 0xE0) + (lead >= 0xF0)
    following = value[place + 1 : place + width]
    whole = len(following) == width - 1 and all(byte & 0xC0 == 0x80 for byte in following)
    return width if whole else 1


def _quickly(values: list[bytes], pattern: bytes, pieces: Sequence[Any]) -> list[bytes] | None:
    """All strings at once, if there is a quick way for this pattern."""
    plan = quick(pattern.decode("utf-8", "surrogateescape"))
    if plan is None or plan.empty or not values:
        return None
    single = plan.single is not None and all(isinstance(p, bytes) for p in pieces)
    slow = _slow_places(values, anything=plan.linear)
    rest = [b"" if i in slow else value for i, value in enumerate(values)] if slow else values
    joined = b"\0".join(rest)
    if joined.count(0) >= len(values):
        return None  # a string has a zero byte itself
    result = _replace_class(plan, joined, b"".join(pieces)) if single else None
    if result is None:
        result = _replace_joined(plan, joined, pieces)
    if result is None:
        return None
    found = result.split(b"\0")
    for i in slow:
        found[i] = _replace(compiled(pattern), values[i], pieces, everywhere=True)
    return found


def _slow_places(values: list[bytes], *, anything: bool) -> set[int]:
    """The places of strings that are too long for Python's engine."""
    if anything or max(map(len, values)) <= SHORT:
        return set()
    return {i for i, value in enumerate(values) if len(value) > SHORT}


def _replace_class(plan: Quick, joined: bytes, rewrite: bytes) -> bytes | None:
    """Characters of one class, or runs of them, replaced: a matter of tables."""
    if (plan.wide and not _is_utf8(joined)) or b"\xff" in joined or b"\0" in rewrite:
        return None
    assert plan.single is not None
    data = np.frombuffer(joined, np.uint8)
    taken, dropped = plan.table[data], np.zeros(len(data), bool)
    if plan.wide:
        dropped = (data & 0xC0) == 0x80  # a character goes with its first byte
        taken = taken | dropped
    if plan.single[1]:
        dropped[1:] = taken[1:] & taken[:-1]
    marked = np.where(taken, np.uint8(0xFF), data)[~dropped]
    return marked.tobytes().replace(b"\xff", rewrite)


def _is_utf8(data: bytes) -> bool:
    if data.isascii():
        return True
    try:
        data.decode()
    except UnicodeDecodeError:
        return False
    return True


def _replace_joined(plan: Quick, joined: bytes, pieces: Sequence[Any]) -> bytes | None:
    """Every match replaced, by Python's engine."""
    if any(isinstance(p, bytes) and b"\0" in p for p in pieces):
        return None
    if not plan.wide or joined.isascii():
        return _rebuilt(plan.for_bytes, joined, pieces)
    if plan.folded or not _is_utf8(joined):
        return None
    texts = [p.decode("utf-8", "surrogateescape") if isinstance(p, bytes) else p for p in pieces]
    result: str = _rebuilt(plan.for_text, joined.decode(), texts)
    return result.encode("utf-8", "surrogateescape")


def _rebuilt(regexp: Any, text: Any, pieces: Sequence[Any]) -> Any:
    """The text with `pieces`, of which a number is a group, in place of each match."""
    empty = text[:0]
    if 0 in pieces:
        return regexp.sub(lambda match: empty.join([_piece(match, p) for p in pieces]), text)
    parts = regexp.split(text)  # what is between the matches, and the groups of each
    width = regexp.groups + 1
    between = parts[0::width]
    if not any(isinstance(p, int) for p in pieces):
        return empty.join(pieces).join(between)
    columns = [parts[piece::width] for piece in pieces if isinstance(piece, int)]
    if any(None in column for column in columns):  # groups that took no part in a match
        columns = [[part or empty for part in column] for column in columns]
    mark, percent = ("%s", "%") if isinstance(text, str) else (b"%b", b"%")
    texts = [mark if isinstance(p, int) else p.replace(percent, percent * 2) for p in pieces]
    write = empty.join([mark, *texts]).__mod__
    return empty.join([*map(write, zip(between, *columns, strict=False)), between[-1]])


def _piece(match: Any, piece: Any) -> Any:
    return (match[piece] or match.string[:0]) if isinstance(piece, int) else piece


def _matched(op_name: str, x: Array, pattern: bytes) -> Array:
    regexp = _regexp(op_name, pattern)
    plan = quick(pattern.decode("utf-8", "surrogateescape"))
    values = x.ravel().tolist()
    if plan is not None and plan.suits_all(values):
        whole = plan.for_bytes.fullmatch
        found = [whole(value) is not None for value in values]
    else:
        engines = [regexp if plan is None or not plan.suits(v) else plan.for_bytes for v in values]
        found = [e.fullmatch(v) is not None for e, v in zip(engines, values, strict=True)]
    return np.array(found, bool).reshape(x.shape)


def _check_scalars(op_name: str, **given: Array) -> None:
    for name, value in given.items():
        if np.ndim(value):
            raise bad_shape(op_name, want="be a scalar", **{name: value})


def _rewritten(input: Spec, pattern: Spec, *others: Spec, op_name: str, **attrs: Any) -> Dims:
    for name, spec in zip(("pattern", "rewrite"), (pattern, *others), strict=False):
        if spec.rank not in (None, 0):
            raise bad_shape(op_name, want="be a scalar", **{name: spec})
    return input.dims


@op(
    "RegexReplace",
    "input: string, pattern: string, rewrite: string -> output: string",
    host=True,
    shape=_rewritten,
)
def _regex_replace(
    xp: Namespace, input: Array, pattern: Array, rewrite: Array, *, replace_global: bool = True
) -> Array:
    _check_scalars("RegexReplace", pattern=pattern, rewrite=rewrite)
    return _replaced("RegexReplace", input, pattern.item(), rewrite.item(), replace_global)


no_gradient("RegexReplace")


@op("StaticRegexReplace", "input: string -> output: string", host=True, shape=same)
def _static_regex_replace(
    xp: Namespace, input: Array, *, pattern: str, rewrite: str, replace_global: bool = True
) -> Array:
    old, new = attribute_bytes(pattern), attribute_bytes(rewrite)
    return _replaced("StaticRegexReplace", input, old, new, replace_global)


no_gradient("StaticRegexReplace")


def regex_replace(
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Strings with every match of a regular expression (or the first alone) replaced.

    The expression is RE2's. In `rewrite`, `\1` stands for the first group, `\0` for the match.

    >>> tf.strings.regex_replace("A <b>word</b>.", "<[^>]+>", "*").numpy()
    b'A *word*.'
    """
    if isinstance(pattern, str | bytes) and isinstance(rewrite, str | bytes):
        return raw_ops.StaticRegexReplace(  # type: ignore[no-any-return]
            input, pattern=pattern, rewrite=rewrite, replace_global=replace_global, name=name
        )
    return raw_ops.RegexReplace(  # type: ignore[no-any-return]
        input, pattern, rewrite, replace_global=replace_global, name=name
    )


@op(
    "RegexFullMatch",
    "input: string, pattern: string -> output: bool",
    host=True,
    shape=_rewritten,
)
def _regex_full_match(xp: Namespace, input: Array, pattern: Array) -> Array:
    _check_scalars("RegexFullMatch", pattern=pattern)
    return _matched("RegexFullMatch", input, pattern.item())


no_gradient("RegexFullMatch")


@op("StaticRegexFullMatch", "input: string -> output: bool", host=True, shape=same)
def _static_regex_full_match(xp: Namespace, input: Array, *, pattern: str) -> Array:
    return _matched("StaticRegexFullMatch", input, attribute_bytes(pattern))


no_gradient("StaticRegexFullMatch")


def regex_full_match(input: TensorLike, pattern: TensorLike, name: str | None = None) -> Tensor:
    """Whether a regular expression of RE2's matches the whole of each string.

    >>> tf.strings.regex_full_match(["TF lib", "lib TF"], ".*lib$").numpy()
    array([ True, False])
    """
    if isinstance(pattern, str | bytes):
        return raw_ops.StaticRegexFullMatch(  # type: ignore[no-any-return]
            input, pattern=pattern, name=name
        )
    return raw_ops.RegexFullMatch(input, pattern, name=name)  # type: ignore[no-any-return]
