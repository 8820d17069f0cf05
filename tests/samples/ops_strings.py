"""Samples of the ops on strings."""

import zlib

import numpy as np

from tests.samples import sample, strings, tensor

GZIPPED = b"\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03+I\xad(\x01\x00\xc7\xa7\x8b;\x04\x00\x00\x00"  # "text"; Pythons differ
EMPTY = tensor([], "string")
TEXTS = strings("Hello World", "", "  grüße  ", "a,b,,c", b"\xff\xfe bad")
# Bytes that are no UTF-8, each wrong in another way; some C0 controls; what is right.
BROKEN = strings(
    *[b"a\xffb", b"\xe2\x82", b"\xe2\x82A", b"\xf0\x9f\x98", b"\xc0\x80", b"\xed\xa0\x80"],
    *[
        b"\xf4\x90\x80\x80",
        b"\x80\x80",
        b"\xe0\x80\x80x",
        b"\xf8\x88\x80\x80\x80",
        b"a\x00\x1f\x7f",
    ],
    *[b"", b"\xef\xbb\xbfa", b"\xf0\x9f\x98\x80\xc3\xa9", b"\xe1\x80\xe2\xf0\x91\x92\xf1\xbfA"],
)
GOOD = strings("", "abc", "é€😀", "a b\tc")
WIDE = strings(b"\x00a\xd8\x3d\xde\x00", b"\xd8\x3d\x00a", b"\x00", b"\xde\x00\x00a", b"")
NUMBERS = np.array([1.5, -0.0, np.nan, -np.inf, 1e20, 3.14159265], np.float32)
SPLITS = np.array([0, 2, 2, 5])
WORDS = strings("a", "b", "c", "d", "e")
RECORDS = strings("1,2.5,a", '-3,,"b, c"', '0,"1e3","say ""hi"""')
JSON = strings('{"features":{"feature":{"b":{"bytesList":{"value":["YWI="]}}}}}', "{}")


def ngrams(data, splits, widths=(2,), pad="", pad_width=0, short=False, separator=" "):
    return sample(
        "StringNGrams",
        *[data, splits],
        separator=separator,
        ngram_widths=list(widths),
        left_pad=pad and "L" + pad,
        right_pad=pad and "R" + pad,
        pad_width=pad_width,
        preserve_short_sequences=short,
    )


def replace(pattern, rewrite, values=TEXTS, **attrs):
    return [
        sample("StaticRegexReplace", values, pattern=pattern, rewrite=rewrite, **attrs),
        sample("RegexReplace", values, strings(pattern)[0], strings(rewrite)[0], **attrs),
    ]


def policies(op, *inputs, **attrs):
    return [
        sample(op, *inputs, errors=errors, **attrs) for errors in ("strict", "replace", "ignore")
    ]


ROWS = [
    sample("Substr", strings("Hello", "World"), np.int32(1), np.int32(3)),
    sample("Substr", strings("Hello", "World"), np.array([-3, 0]), np.array([2, 9])),
    sample("Substr", strings("añbc", "日本語です"), np.int32(1), np.int32(2), unit="UTF8_CHAR"),
    sample("Substr", strings("añbc", "日本語です"), np.int32(-2), np.int32(2), unit="UTF8_CHAR"),
    sample("Substr", strings("ab"), np.int32(3), np.int32(1)),
    sample("Substr", strings("ab", "abcd"), np.int32(-3), np.int32(1)),
    sample("Substr", strings("abc"), np.int32(1), np.int32(-1)),
    sample("Substr", strings("abc"), np.int32(1), np.array([1], np.int32)),
    sample("Substr", strings("abc", "def"), np.array([[0], [1]]), np.array([[1], [2]])),
    sample("Substr", strings("abc"), np.int32(0), np.int32(1), unit="WORD"),
    sample("Substr", strings(), np.zeros(0, np.int32), np.zeros(0, np.int32)),
    *[sample("Substr", BROKEN[:7], np.int32(p), np.int32(1), unit="UTF8_CHAR") for p in (0, -1)],
    sample("StringLength", TEXTS),
    sample("StringLength", TEXTS, unit="UTF8_CHAR"),
    sample("StringLength", BROKEN, unit="UTF8_CHAR"),
    sample("StringLength", EMPTY),
    sample("StringLength", TEXTS, unit="LINE"),
    sample("StringLower", strings("ABC ÄÖÜ ΑΣ İ", "")),
    sample("StringLower", strings("ABC ÄÖÜ ΑΣ İ", "", b"A\xffB"), encoding="utf-8"),
    sample("StringLower", TEXTS, encoding="latin1"),
    sample("StringLower", EMPTY),
    sample("StringUpper", strings("abc äöü ß ﬁ", "")),
    sample("StringUpper", strings("abc äöü ß ﬁ", "", b"a\xffb"), encoding="utf-8"),
    sample("StringUpper", TEXTS, encoding="UTF-8"),
    sample("StringUpper", EMPTY, encoding="utf-8"),
    sample("StringStrip", strings(" a b ", "\t\n\v\f\rc\r", "", "   ", "\x1cd\xa0")),
    sample("StringStrip", EMPTY),
    sample("StringStrip", strings(" a ", "b")[:, None]),
    sample("StringJoin", [strings("a", "b"), strings("c", "d")]),
    sample("StringJoin", [strings("a", "b"), strings("-")[0], strings("c", "d")], separator=", "),
    sample("StringJoin", [strings("a")[0], strings("b")[0]], separator="é"),
    sample("StringJoin", [strings("a", "b")]),
    sample("StringJoin", [strings("a", "b"), strings("c")]),
    sample("StringJoin", [EMPTY, strings("c")[0]]),
    sample("ReduceJoin", strings("a", "b", "c", "d").reshape(2, 2), np.int32(0)),
    sample("ReduceJoin", strings("a", "b", "c", "d").reshape(2, 2), np.array([-1], np.int32)),
    sample("ReduceJoin", strings("a", "b", "c", "d").reshape(2, 2), np.array([0, 1], np.int32)),
    sample(
        "ReduceJoin",
        strings("a", "b", "c", "d").reshape(2, 2),
        np.array([1, 0], np.int32),
        separator="+",
        keep_dims=True,
    ),
    sample("ReduceJoin", strings("a", "b"), np.zeros(0, np.int32)),
    sample("ReduceJoin", strings("a", "b"), np.int32(1)),
    sample("ReduceJoin", strings("a", "b"), np.array([0, 0], np.int32)),
    sample("ReduceJoin", strings("a", "b"), np.array([0, -1], np.int32)),
    sample("ReduceJoin", EMPTY, np.int32(0), separator=","),
    sample("UnsortedSegmentJoin", strings("a", "b", "c"), np.array([1, 0, 1]), np.int32(3)),
    sample(
        "UnsortedSegmentJoin",
        strings("a", "b", "c", "d").reshape(2, 2),
        np.array([1, 1]),
        np.int64(2),
        separator=":",
    ),
    sample("UnsortedSegmentJoin", strings("a", "b"), np.array([0, 5]), np.int32(2)),
    sample("UnsortedSegmentJoin", strings("a", "b"), np.array([0, -1]), np.int32(2)),
    sample("UnsortedSegmentJoin", strings("a", "b"), np.array([0, 1, 1]), np.int32(2)),
    sample("UnsortedSegmentJoin", EMPTY, np.zeros(0, np.int32), np.int32(2)),
    sample("UnsortedSegmentJoin", strings("a"), np.array([0]), np.int32(-1)),
    *[
        sample("StringSplitV2", strings(*values), strings(sep)[0], maxsplit=most)
        for values, sep, most in (
            (("a b  c", " x ", ""), "", -1),
            (("a,b,,c", ",", "", "abc"), ",", -1),
            ((" a  b c d ", "e"), "", 1),
            (("a,b,c",), ",", 1),
            (("a,b,c", " a b "), ",", 0),
            ((" a b ", ""), "", 0),
            (("a--b-c", "--"), "--", -7),
            (("\x1ca\x1cb\xa0d", "a\vb\fc", b"\xff \x85"), "", -1),
        )
    ],
    sample("StringSplitV2", EMPTY, strings("")[0]),
    sample("StringSplitV2", strings("a b")[0], strings("")[0]),
    sample("StringSplitV2", strings("a b"), strings(" ")),
    *[
        sample("StringSplit", strings("a b,c", ",, ", ""), strings(sep)[0], skip_empty=skip)
        for sep in (" ,", "", " ")
        for skip in (True, False)
    ],
    sample("StringSplit", strings("a b")[0], strings(" ")[0]),
    sample("StringSplit", EMPTY, strings(" ")[0]),
    *replace("[aeiou]", "#"),
    *replace(r"\s+", "_"),
    *replace(r"[^a-z]", "."),
    *replace(r"[^a-z]+", r"<\0>"),
    *replace(r"(\w+) (\w+)", r"\2 \1"),
    *replace(r"a*", "X"),
    *replace(r"", "-", values=strings("aé", b"\xff", "")),
    *replace(r"o|l+|(W)", r"[\1]"),
    *replace(r"l", "L", replace_global=False),
    *replace(r"(?i)h.l", "?"),
    *replace(r"^.|.$", "|"),
    *replace(r"\bW", "w"),
    *replace(r"[[:punct:][:^ascii:]]", ""),
    *replace(r"(a|b)+$", "!"),
    *replace(r".", "é"),
    *replace(r"x{2,3}?", "y", values=strings("xxxxx", "x", "xx")),
    *replace(r"(a", "X"),
    *replace(r"a", r"\1"),
    *replace(r"a", "\\"),
    *replace(r"a(?=b)", "X"),
    *replace(r"a", r"\\\0", values=strings("banana")),
    *replace(r"b", "", values=strings("abc", b"a\x00b")),
    sample("StaticRegexReplace", EMPTY, pattern="a", rewrite="b"),
    sample("RegexReplace", TEXTS, strings("a", "b"), strings("c")[0]),
    *[
        sample("StaticRegexFullMatch", TEXTS, pattern=pattern)
        for pattern in (
            ".*",
            "",
            "[A-Za-z ]+",
            "Hello",
            r"\S*",
            "[^b]*",
            "(a|,|b|c)*",
            "(",
            "a{1001}",
        )
    ],
    sample("RegexFullMatch", TEXTS, strings(".*o.*")[0]),
    sample("RegexFullMatch", TEXTS, strings("a.*", "b")),
    sample("RegexFullMatch", EMPTY, strings(".*")[0]),
    *[
        sample(op, TEXTS, num_buckets=n)
        for op in ("StringToHashBucket", "StringToHashBucketFast")
        for n in (1, 10, 2**40)
    ],
    *[
        sample(
            op,
            strings(*["x" * n for n in (3, 4, 7, 8, 9, 15, 16, 17, 32, 33, 64, 65, 200)]),
            num_buckets=2**62,
        )
        for op in ("StringToHashBucket", "StringToHashBucketFast")
    ],
    sample("StringToHashBucketFast", TEXTS, num_buckets=0),
    sample("StringToHashBucket", EMPTY, num_buckets=3),
    sample("StringToHashBucketStrong", TEXTS, num_buckets=2**60, key=[1, 2]),
    sample("StringToHashBucketStrong", TEXTS, num_buckets=7, key=[-1, 2**63 - 1]),
    sample("StringToHashBucketStrong", TEXTS, num_buckets=7, key=[1]),
    sample("StringToHashBucketStrong", EMPTY, num_buckets=7, key=[1, 2]),
    *[
        sample("StringToNumber", strings("1", "+2", " -3 ", "\t40\n"), out_type=t)
        for t in ("float32", "float64", "int32", "int64")
    ],
    sample("StringToNumber", strings("1", "18446744073709551615"), out_type="uint64"),
    sample("StringToNumber", strings("1", "4294967295"), out_type="uint32"),
    *[
        sample(
            "StringToNumber",
            strings("1.5", ".5", "1e-3", "inf", "-INF", "nan", "1e400", "0x1A"),
            out_type=t,
        )
        for t in ("float32", "float64")
    ],
    *[
        sample("StringToNumber", strings(text), out_type=t)
        for text in ("", "1 2", "1_0", "1e", "--1", "0b1", "1f", "1\0")
        for t in ("float32", "int32")
    ],
    *[
        sample("StringToNumber", strings(text), out_type=t)
        for text, t in (
            ("1.5", "int32"),
            ("2147483648", "int32"),
            ("-1", "uint32"),
            ("0x1", "int64"),
        )
    ],
    sample("StringToNumber", EMPTY),
    *[
        sample("AsString", NUMBERS, **attrs)
        for attrs in (
            {},
            {"precision": 2},
            {"scientific": True},
            {"shortest": True},
            {"width": 12},
            {"width": 12, "fill": "0"},
            {"width": 12, "fill": "-"},
            {"fill": "+"},
            {"width": 3, "fill": " "},
            {"fill": "*"},
            {"fill": "00"},
            {"scientific": True, "shortest": True},
            {"precision": 0},
            {"precision": 3, "shortest": True, "width": 9, "fill": "0"},
        )
    ],
    *[
        sample("AsString", values, **attrs)
        for values in (np.array([3, -42], np.int32), np.array([True, False]), strings("ab", ""))
        for attrs in (
            {},
            {"width": 5},
            {"width": 5, "fill": "0"},
            {"width": 5, "fill": "-"},
            {"precision": 2},
        )
    ],
    *[
        sample("AsString", np.array([100.125, 3.0]).astype(t))
        for t in ("float16", "float64", "int8")
    ],
    sample("AsString", np.array([2**64 - 1], np.uint64)),
    sample("AsString", np.array([1 + 2j, -0.5j], np.complex64), precision=1),
    sample("AsString", np.array([1 + 2j, np.nan], np.complex128)),
    sample("AsString", np.zeros((0, 2), np.int64)),
    ngrams(WORDS, SPLITS),
    ngrams(WORDS, SPLITS, widths=(1, 2, 3), separator="|"),
    ngrams(WORDS, SPLITS, pad="P", pad_width=-1),
    ngrams(WORDS, SPLITS, widths=(4,), pad="P", pad_width=-1),
    ngrams(WORDS, SPLITS, widths=(4,), pad="P", pad_width=1),
    ngrams(WORDS, SPLITS, widths=(9,), pad="P", pad_width=1, short=True),
    ngrams(WORDS, SPLITS, widths=(4,), short=True),
    ngrams(WORDS, SPLITS.astype(np.int32), widths=(2, 5), pad="é", pad_width=2),
    ngrams(EMPTY, np.zeros(1, np.int64)),
    ngrams(WORDS, np.array([0, 3])),
    ngrams(WORDS, np.array([0, 4, 2, 5])),
    ngrams(WORDS, SPLITS, widths=(0,)),
    *policies("UnicodeDecode", GOOD, input_encoding="UTF-8"),
    *policies("UnicodeDecode", BROKEN, input_encoding="UTF-8"),
    *policies(
        "UnicodeDecode",
        strings(b"a\x00\t\n\x1f\x7f\xc2\x80"),
        input_encoding="utf8",
        replace_control_characters=True,
    ),
    sample("UnicodeDecode", BROKEN, input_encoding="UTF-8", replacement_char=63, Tsplits="int32"),
    sample("UnicodeDecode", BROKEN, input_encoding="UTF-8", replacement_char=0x110000),
    sample("UnicodeDecode", GOOD, input_encoding="nonsense"),
    sample("UnicodeDecode", GOOD, input_encoding="UTF-8", errors="other"),
    sample("UnicodeDecode", EMPTY, input_encoding="UTF-8"),
    *policies("UnicodeDecodeWithOffsets", GOOD, input_encoding="UTF-8"),
    *policies("UnicodeDecodeWithOffsets", BROKEN, input_encoding="UTF-8"),
    *[
        row
        for e in ("UTF-16-BE", "UTF-16-LE", "UTF-32-BE")
        for row in policies("UnicodeDecodeWithOffsets", WIDE, input_encoding=e)
    ],
    *[
        sample("UnicodeDecodeWithOffsets", strings(b"a\xe9\xfe", b""), input_encoding=e)
        for e in (
            "US-ASCII",
            "latin1",
            "ISO-8859-15",
            "koi8-r",
            "windows-1251",
            "cp437",
            "macintosh",
        )
    ],
    sample("UnicodeDecodeWithOffsets", strings(b"\xfe\xff\x00a\x00b"), input_encoding="UTF-16"),
    sample("UnicodeDecodeWithOffsets", strings(b"\xff\xfea\x00b\x00"), input_encoding="UTF-16"),
    sample(
        "UnicodeDecodeWithOffsets", strings("日本".encode("shift_jis")), input_encoding="shift_jis"
    ),
    sample("UnicodeDecodeWithOffsets", strings("日本a".encode("euc_jp")), input_encoding="EUC-JP"),
    sample(
        "UnicodeDecodeWithOffsets", strings("中文a".encode("gb18030")), input_encoding="GB18030"
    ),
    sample("UnicodeDecodeWithOffsets", EMPTY, input_encoding="UTF-8"),
    *[
        row
        for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
        for row in policies(
            "UnicodeEncode",
            np.array([72, 228, 0x1F600, 0xD800, 0x110000, -1, 0xFFFF], np.int32),
            np.array([0, 3, 3, 7]),
            output_encoding=encoding,
        )
    ],
    sample(
        "UnicodeEncode",
        np.array([72, 0x1F600], np.int32),
        np.array([0, 1, 2], np.int32),
        output_encoding="UTF-8",
        errors="strict",
    ),
    sample(
        "UnicodeEncode",
        np.array([-1], np.int32),
        np.array([0, 1]),
        output_encoding="UTF-8",
        replacement_char=63,
    ),
    sample("UnicodeEncode", np.zeros(0, np.int32), np.array([0, 0, 0]), output_encoding="UTF-8"),
    sample("UnicodeEncode", np.zeros(0, np.int32), np.array([0]), output_encoding="UTF-8"),
    sample("UnicodeEncode", np.array([72], np.int32), np.array([0, 2]), output_encoding="UTF-8"),
    sample(
        "UnicodeEncode",
        np.array([72, 73], np.int32),
        np.array([0, 2, 1, 2]),
        output_encoding="UTF-8",
    ),
    sample("UnicodeEncode", np.array([72], np.int32), np.array([0, 1]), output_encoding="latin1"),
    *[
        row
        for encoding in ("UTF-8", "UTF-16-BE", "UTF-32-BE")
        for values in (GOOD, BROKEN)
        for row in policies(
            "UnicodeTranscode", values, input_encoding="UTF-8", output_encoding=encoding
        )
    ],
    *policies(
        "UnicodeTranscode",
        strings(b"a\x00\n\x1f\x7f"),
        input_encoding="UTF-8",
        output_encoding="UTF-8",
        replace_control_characters=True,
    ),
    sample(
        "UnicodeTranscode",
        strings(b"\xfe\xff\x00a", b"\xff\xfea\x00", b"\x00a"),
        input_encoding="UTF-16",
        output_encoding="UTF-8",
    ),
    sample("UnicodeTranscode", strings(b"a\xe9"), input_encoding="latin1", output_encoding="UTF-8"),
    sample("UnicodeTranscode", GOOD, input_encoding="xx", output_encoding="UTF-8"),
    sample("UnicodeTranscode", GOOD, input_encoding="UTF-8", output_encoding="UTF-16-LE"),
    sample(
        "UnicodeTranscode",
        strings("a", "b")[:, None],
        input_encoding="UTF-8",
        output_encoding="UTF-8",
    ),
    sample("UnicodeTranscode", EMPTY, input_encoding="UTF-8", output_encoding="UTF-8"),
    sample("UnicodeScript", np.array([[97, 0x416, 49], [-1, 0x110000, 0x4E00]], np.int32)),
    sample("UnicodeScript", np.arange(0, 0x30000, 97, dtype=np.int32)),
    sample("UnicodeScript", np.zeros(0, np.int32)),
    sample("EncodeBase64", strings("", "a", "ab", "abc", b"\xff\xfe\xfd")),
    sample("EncodeBase64", strings("", "a", "ab", "abc", b"\xff\xfe\xfd"), pad=True),
    sample("EncodeBase64", EMPTY),
    sample("DecodeBase64", strings("", "YQ", "YQ==", "YWI", "YWI=", "YWJj", "__79", "YR==")),
    *[
        sample("DecodeBase64", strings(s))
        for s in ("YQ=", "YW Jj", "//79", "Y", "====", "YWJj=", "YW=j")
    ],
    sample("DecodeBase64", EMPTY),
    *[
        sample(
            "DecodeRaw", strings(b"\x01\x02\x03\x04\x05\x06\x07\x08"), out_type=t, little_endian=e
        )
        for t in ("uint8", "int16", "float16", "int32", "float32", "complex64", "int64")
        for e in (True, False)
    ],
    sample("DecodeRaw", strings(b"\x01\x00\x02"), out_type="bool"),
    sample("DecodeRaw", strings(b"\x01\x02\x03"), out_type="int16"),
    sample("DecodeRaw", strings(b"ab", b"abcd"), out_type="uint8"),
    sample("DecodeRaw", EMPTY, out_type="uint8"),
    sample("DecodeRaw", strings("", ""), out_type="int32"),
    sample("DecodeRaw", strings(b"abcd"), out_type="uint32"),
    sample("DecodePaddedRaw", strings(b"ab", b"abcd", ""), np.int32(3), out_type="uint8"),
    sample(
        "DecodePaddedRaw",
        strings(b"ab", b"abcd"),
        np.int32(4),
        out_type="int16",
        little_endian=False,
    ),
    sample("DecodePaddedRaw", strings(b"ab"), np.int32(3), out_type="int16"),
    sample("DecodePaddedRaw", strings(b"ab"), np.int32(0), out_type="int8"),
    sample("DecodePaddedRaw", EMPTY, np.int32(2), out_type="int8"),
    sample("DecodeCompressed", strings("ab", "")),
    sample(
        "DecodeCompressed",
        strings(zlib.compress(b"text"), zlib.compress(b"")),
        compression_type="ZLIB",
    ),
    sample("DecodeCompressed", strings(GZIPPED), compression_type="GZIP"),
    sample("DecodeCompressed", strings("no such data"), compression_type="ZLIB"),
    sample("DecodeCompressed", strings("no such data"), compression_type="GZIP"),
    sample("DecodeCompressed", strings("ab"), compression_type="LZ4"),
    sample("DecodeCompressed", EMPTY, compression_type="ZLIB"),
    sample("DecodeJSONExample", JSON),
    sample("DecodeJSONExample", strings("{")),
    sample("DecodeJSONExample", strings('{"features": 5}')),
    sample("DecodeJSONExample", EMPTY),
    sample(
        "DecodeCSV", RECORDS, [np.array([7], np.int32), np.array([0.5], np.float32), strings("z")]
    ),
    sample("DecodeCSV", RECORDS[:0], [np.array([7], np.int32), strings("z")]),
    sample(
        "DecodeCSV", RECORDS[1:2], [np.array([7], np.int32), np.zeros(0, np.float32), strings("z")]
    ),
    sample("DecodeCSV", RECORDS, [np.int64(7), strings("z")[0]]),
]
