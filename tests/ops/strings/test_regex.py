"""Regular expressions: the quick way and RE2's agree, and nothing takes more than linear time."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import runnel as tf
from runnel.kernels.text.regex.branches import branches
from runnel.kernels.text.regex.engine import compiled as compile_pattern
from runnel.kernels.text.regex.patterns import quick
from runnel.kernels.text.regex.replacing import replace_one, rewrite_pieces

ATOMS = st.sampled_from(
    ["a", "b", " ", ".", r"\d", r"\w", r"\s", r"\S", "[ab]", "[^a]", "[[:alpha:]]", "(a)", "(a|bb)"]
    + ["(?:b)", "^", "$", r"\b", r"\.", "[^é]", "é", r"[\w.]", "(a+)", "[a-c-]", r"[^\s]"]
    + ["([.é-])", "[à-ü]", "[^a-é]", "(.)"]
)
COUNTS = st.sampled_from(["", "", "", "*", "+", "?", "{2}", "{1,2}", "+?", "*?", "??"])
PATTERNS = st.lists(st.tuples(ATOMS, COUNTS), min_size=1, max_size=4).map(
    lambda parts: "".join(a + c for a, c in parts)
)
CHOICES = st.tuples(PATTERNS, PATTERNS).map("|".join)
ANY = st.one_of(PATTERNS, CHOICES, PATTERNS.map("(?i){}".format))
LETTERS = st.text("ab .é\n1B-", max_size=12).map(str.encode)
VALUES = st.lists(st.one_of(LETTERS, st.binary(max_size=6)), min_size=1, max_size=5)
SPACES = ["^ +", r"[ a]+$", r"^\s+|\s+$", r"^ +|a+$", r"^\s*", r"\s+$|^b+", "^[^a]+|[^b]+$"]
ANY = st.one_of(ANY, st.sampled_from(SPACES), PATTERNS.map(".*{}.*".format))
REWRITES = st.sampled_from([b"", b"X", rb"<\0>", b"--", rb"\\", rb"a\0b"])


@settings(max_examples=200, deadline=None)
@given(pattern=ANY, values=VALUES, rewrite=REWRITES, everywhere=st.booleans())
def test_both_ways_replace_alike(
    pattern: str, values: list[bytes], rewrite: bytes, everywhere: bool
) -> None:
    try:
        compiled = compile_pattern(pattern.encode())
    except ValueError:
        assert quick(pattern) is None or pattern.startswith("(?i)")
        return
    pieces, _ = rewrite_pieces(rewrite)
    slow = [replace_one(compiled, value, pieces, everywhere) for value in values]
    found = tf.strings.regex_replace(values, pattern, rewrite, replace_global=everywhere)
    found = found.numpy().tolist()
    assert found == slow, pattern


@settings(max_examples=200, deadline=None)
@given(pattern=ANY, values=VALUES)
def test_both_ways_match_alike(pattern: str, values: list[bytes]) -> None:
    try:
        compiled = compile_pattern(pattern.encode())
    except ValueError:
        return
    slow = [compiled.fullmatch(value) is not None for value in values]
    assert tf.strings.regex_full_match(values, pattern).numpy().tolist() == slow, pattern


@pytest.mark.parametrize(
    "pattern",
    ["(a+)+$", "(a|aa)+$", "(a*)*b", "a*a*a*a*a*b", ".*.*.*=.*", "a?a?a?a?a?a?aaaaaa", r"\w+\s*b"],
)
def test_no_pattern_makes_a_search_explode(pattern: str) -> None:
    texts = ["a" * 20_000, "a" * 200]  # with backtracking this would never end
    replaced = tf.strings.regex_replace(texts, pattern, "").numpy().tolist()
    matched = tf.strings.regex_full_match(texts, pattern).numpy().tolist()
    whole = pattern in ("(a+)+$", "(a|aa)+$")
    assert matched == [whole] * 2
    if not pattern.startswith("a?"):
        assert replaced == ([b"", b""] if whole else [text.encode() for text in texts])


def test_patterns_that_only_look_forward_take_the_quick_way() -> None:
    for pattern in (
        "[aeiou]",
        r"\s+",
        "<[^>]+>",
        r"(\w+) (\w+)",
        "the|and|of",
        r"[^\w\s]",
        "[^a-zé]",
    ):
        assert quick(pattern) is not None, pattern
    for pattern in ("(a+)+", "(a|b)*", r"\w*\w*x", "a(?=b)", r"\pL", "(?P<n>a)"):
        assert quick(pattern) is None, pattern


def test_a_long_string_among_short_ones_is_replaced_too() -> None:
    values = ["<b>x", "<" * 1000, "y" * 1000 + "<i>"]
    found = tf.strings.regex_replace(values, "<[^>]+>", "")
    assert found.numpy().tolist() == [b"x", b"<" * 1000, b"y" * 1000]


def test_zero_bytes_in_strings_are_letters_like_any_other() -> None:
    found = tf.strings.regex_replace([b"a\0b", b"\0", b""], r"[^a]", "-")
    assert found.numpy().tolist() == [b"a--", b"-", b""]


@pytest.mark.parametrize("values", [["ab cd", "%b", ""], ["äb cd", "%b"]])
def test_groups_go_where_the_replacement_has_them(values: list[str]) -> None:
    found = tf.strings.regex_replace(values, r"([a-z])?(b|d)", r"%\2%%\1")
    wanted = [value.replace("ab", "%b%%a").replace("cd", "%d%%c") for value in values]
    wanted = [w if "%b%%" in w else w.replace("b", "%b%%") for w in wanted]
    assert [text.decode() for text in found.numpy().tolist()] == wanted


def test_a_function_traced_once_replaces_in_every_call() -> None:
    @tf.function(input_signature=[tf.TensorSpec([None], tf.string)])
    def clean(x: tf.Tensor) -> tf.Tensor:
        return tf.strings.regex_replace(tf.strings.lower(x), "[^a-z]", "")

    assert clean(np.array(["A b", "C"], object)).numpy().tolist() == [b"ab", b"c"]
    assert clean(np.array(["1"], object)).numpy().tolist() == [b""]


def test_what_repeats_gives_back_only_where_that_could_help() -> None:
    words = tf.constant(["ab cd", "abcd", "a1  !", "", "xx yy zz"])
    swapped = tf.strings.regex_replace(words, r"(\w+) (\w+)", r"\2 \1")
    assert swapped.numpy().tolist() == [b"cd ab", b"abcd", b"a1  !", b"", b"yy xx zz"]
    assert quick(r"(\w+) (\w+)").source.count("]++") == 1  # the first: the second is the last piece
    edge = tf.strings.regex_replace(words, r"(\d+?)\s*c*\b", r"<\1>")
    assert edge.numpy().tolist() == [b"ab cd", b"abcd", b"a<1>  !", b"", b"xx yy zz"]
    assert "*+" not in quick(r"(\d+?)\s*c*\b").source


@pytest.mark.parametrize(
    ("pattern", "found"),
    [
        ("a|b", ("a", "b")),
        ("(a+|b)c|d*", ("a+c", "bc", "d*")),
        ("((a|b)c|d)x", ("acx", "bcx", "dx")),
        ("(a|b)+", ("(a|b)+",)),
        (r"\(a|[|(]b\)", (r"\(a", r"[|(]b\)")),
        ("a|(?i)b", ("a|(?i)b",)),
        ("(?:a|b)" * 9, ("(?:a|b)" * 9,)),  # too many
    ],
)
def test_a_pattern_is_cut_into_its_alternatives(pattern: str, found: tuple[str, ...]) -> None:
    assert branches(pattern) == found


@pytest.mark.parametrize("pattern", ["a.*|b.*|.*z", "(foo|bar|[a-d]+) .*", "(|a)b|c?", "the|and"])
def test_alternatives_match_what_re2_matches(pattern: str) -> None:
    values = [b"", b"a", b"ab", b"xyz", b"foo bar", b"abcd x", b"the", b"and", b"c", b"bar  "] * 2
    expected = [compile_pattern(pattern.encode()).fullmatch(v) is not None for v in values]
    assert tf.strings.regex_full_match(values, pattern).numpy().tolist() == expected
