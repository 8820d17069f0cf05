"""Regular expressions on strings, as RE2 reads them: replace, and match as a whole."""

from __future__ import annotations

from typing import Any

import numpy as np

from runnel.core.extend import Tensor, no_gradient, op, raw_ops
from runnel.core.values.errors import bad_shape, bad_value
from runnel.core.values.types import Array, Dims, Namespace, Spec, TensorLike
from runnel.kernels.text.arrays import attribute_bytes, for_all, for_all_flat, packed
from runnel.kernels.text.regex.engine import compiled
from runnel.kernels.text.regex.matching import matches
from runnel.kernels.text.regex.replacing import replaced, rewrite_pieces
from runnel.ops.shapes import same


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
    return for_all(lambda values: packed(replaced(values, pattern, pieces, everywhere)), x)


def _matched(op_name: str, x: Array, pattern: bytes) -> Array:
    _regexp(op_name, pattern)
    return for_all_flat(lambda text: matches(text, pattern), x)


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
    shape=_rewritten,
    elementwise=True,
)
def _regex_replace(
    xp: Namespace, input: Array, pattern: Array, rewrite: Array, *, replace_global: bool = True
) -> Array:
    _check_scalars("RegexReplace", pattern=pattern, rewrite=rewrite)
    return _replaced("RegexReplace", input, pattern.item(), rewrite.item(), replace_global)


no_gradient("RegexReplace")


@op("StaticRegexReplace", "input: string -> output: string", shape=same, elementwise=True)
def _static_regex_replace(
    xp: Namespace, input: Array, *, pattern: str, rewrite: str, replace_global: bool = True
) -> Array:
    old, new = attribute_bytes(pattern), attribute_bytes(rewrite)
    return _replaced("StaticRegexReplace", input, old, new, replace_global)


def regex_replace(
    input: TensorLike,
    pattern: TensorLike,
    rewrite: TensorLike,
    replace_global: bool = True,
    name: str | None = None,
) -> Tensor:
    r"""Strings with every match of a regular expression (or the first alone) replaced.

    The expression is RE2's. In `rewrite`, `\1` stands for the first group, `\0` for the match.

    Args:
        input: a tensor, or what can become one.
        pattern: a regular expression of RE2.
        rewrite: what to put there; `\\1` is the first group.
        replace_global: whether all matches are replaced, or the first one.

    Raises:
        InvalidArgumentError: the pattern is none.

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
    shape=_rewritten,
    elementwise=True,
)
def _regex_full_match(xp: Namespace, input: Array, pattern: Array) -> Array:
    _check_scalars("RegexFullMatch", pattern=pattern)
    return _matched("RegexFullMatch", input, pattern.item())


@op("StaticRegexFullMatch", "input: string -> output: bool", shape=same, elementwise=True)
def _static_regex_full_match(xp: Namespace, input: Array, *, pattern: str) -> Array:
    return _matched("StaticRegexFullMatch", input, attribute_bytes(pattern))


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
