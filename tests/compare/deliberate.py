"""Differences that are meant, with the reason for each."""

from __future__ import annotations

from typing import Any

from tests.samples.bad_input import PROPER

_ACCIDENTS = frozenset(
    "AttributeError AssertionError UnboundLocalError KeyError IndexError UFuncTypeError "
    "InternalError RecursionError OverflowError NameError SystemError".split()
)


# What Python, not TensorFlow, says of an argument that nobody has looked at.
_STUMBLES = (
    "not supported between instances",
    "is not iterable",
    "is not subscriptable",
    "has no len()",
    "not all arguments converted during string formatting",
    "incompatible function arguments",
    "positional arguments but",
    "unsupported operand type",
    "modulo by zero",
    "data type <class",
    "None values not supported",
    "a value (None) with an unsupported type",
)
# What TensorFlow must know of shapes while it traces, and the run tells here.
_UNKNOWN_SHAPES = (
    "must be fully defined",
    "but was -1 for",
    "block_shape must have rank 1. for",
    "block_shape must have known size",
)
_NO_KERNEL = "No OpKernel was registered", "Could not find device for node"


_QUANTIZES = "quantization.quantize", "raw_ops.QuantizeV2"
_DRAWS = "image.extract_glimpse", "raw_ops.ExtractGlimpse", "raw_ops.ExtractGlimpseV2"


def _belies_itself(answer: dict[str, Any]) -> bool:
    """Whether a result has another shape than was known while tracing."""
    pairs = zip(answer.get("static", []), answer.get("given", []))
    known = ((text, leaf[1]) for text, leaf in pairs if len(leaf) > 1 and text != "<unknown>")
    return any(_differs(text.strip("()").rstrip(",").split(", "), dims) for text, dims in known)


def _differs(known: list[str], dims: list[int]) -> bool:
    known = [] if known == [""] else known
    fits = len(known) == len(dims) and all(k in ("None", str(d)) for k, d in zip(known, dims))
    return not fits


def _differ_in_nothing(theirs: dict[str, Any], ours: dict[str, Any]) -> bool:
    """Whether results differ only in that one is a zero and the other is empty."""
    pairs = [*zip(theirs.get("given", []), ours.get("given", []))]
    odd = [(one[1], other[1]) for one, other in pairs if one[1] != other[1]]
    return bool(odd) and all(sorted([*pair], key=len) == [[], [0]] for pair in odd)


def _is_nothing(answer: dict[str, Any]) -> bool:
    """Whether there are but empty arrays and zeros."""
    leaves = answer.get("given", [])
    return bool(leaves) and all(len(leaf) == 3 and not any(leaf[2]) for leaf in leaves)


def _has_no_kernel(answer: dict[str, Any]) -> bool:
    message = answer.get("message", "")
    return answer.get("error") == "NotFoundError" or any(text in message for text in _NO_KERNEL)


def _is_free(symbol: str) -> bool:
    """Whether several answers are right."""
    name = symbol.rpartition(".")[2].lower()
    found = name.startswith(("encode_png", "encodepng", "encode_jpeg", "encodejpeg"))
    vectors = ("eig", "eigvals", "eigh", "selfadjointeigv2", "svd", "qr")
    return found or name in ("export", "lookuptableexportv2", "empty", *vectors)


def aside(theirs: Any, ours: Any, asides: list[tuple[Any, Any, str]]) -> str:
    """Why they may differ by the two answers to other programs, and the way these differ."""
    if not asides:
        return ""
    if "error" not in theirs:
        traced = asides[0][0]
        refused = isinstance(traced, dict) and traced.get("error") == "ValueError"
        wrong = ours["error"] == "InvalidArgumentError"
        return "its kernel takes what TensorFlow refuses in traces" if refused and wrong else ""
    told = {answer.get("error") for answer, *_ in asides if isinstance(answer, dict)}
    if {theirs["error"], ours["error"]} <= told and not any(way for *_, way in asides):
        return "of several mistakes, each told alone as there, another is told first"
    return ""


def reason(symbol: str, theirs: Any, ours: Any) -> str:
    """Why two answers may differ; nothing if they may not."""
    if theirs in ("dies", "hangs"):
        return "TensorFlow crashes or hangs"
    if not isinstance(theirs, dict) or not isinstance(ours, dict):
        return ""
    if "input" in theirs or "input" in ours:
        return ""
    they, we = theirs.get("error"), ours.get("error")
    if they in _ACCIDENTS and (we is None or we in PROPER):
        return "TensorFlow fails without having looked at the argument"
    said = theirs.get("message", "")
    if (we is None or we in PROPER) and they and any(text in said for text in _STUMBLES):
        return "TensorFlow fails without having looked at the argument"
    if they == "ValueError" and any(text in said for text in _UNKNOWN_SHAPES):
        return "TensorFlow cannot trace it while shapes are unknown"
    if they == "AbortedError":  # it says no more of the reason than that
        return "oneDNN fails without having looked at the shapes"
    if _belies_itself(theirs):
        return "TensorFlow's own result has not the shape that it knew while tracing"
    if "filter must not have zero elements" in said and we is None:
        return "only oneDNN refuses a convolution without filters; TensorFlow's own kernel takes it"
    if "conv" in symbol.lower() and _is_nothing(theirs) and (we is None or we in PROPER):
        return "oneDNN does not look at the shapes of a convolution with nothing in it"
    if "FusedBatchNorm" in symbol and _differ_in_nothing(theirs, ours):
        return "oneDNN gives outputs that are not used another shape"
    if symbol in _DRAWS and they is None and we is None:
        return "it draws from no seed"
    if they in ("UnimplementedError", "NotImplementedError") and "is not available in" in said:
        return "TensorFlow has not implemented it, or has removed the op"
    if they == "NotFoundError" and we == "LookupError" and _has_no_kernel(theirs):
        return "TensorFlow has no kernel for the dtype"
    if we is None and "does not match type" in theirs.get("message", ""):
        return "Python's numbers take the dtype of tensors after them, in functions as eagerly"
    if "conversion requested dtype" in theirs.get("message", ""):
        return "the class for another dtype depends on how the other arguments were given"
    if _has_no_kernel(theirs) and (we is None or we in PROPER):
        return "TensorFlow has no kernel for the dtype"
    in_the_run = theirs.get("message", "").startswith("Graph execution error")
    if in_the_run and they == "InvalidArgumentError" and we == "ValueError":
        return "found while tracing, and there in the run"
    if they in ("UnimplementedError", "NotImplementedError") and we is None:
        return "TensorFlow has not implemented it, or has removed the op"
    if theirs.get("kind") != ours.get("kind") and symbol in ("device", "DeviceSpec", "name_scope"):
        return "the names of classes that are not public"
    if they is None and we is None and _is_free(symbol):
        return "signs of eigenvectors, the order of a table, compressed bytes, memory nobody set"
    if we is None and ("must have length of at least" in said or "that don't all match" in said):
        return "functions take what TensorFlow takes eagerly, and RFFT adds its zeros itself"
    if symbol == "linalg.eigh_tridiagonal" and "kind" not in theirs and they is None and we is None:
        return "TensorFlow differentiates the bisection that finds the eigenvalues"
    if symbol in _QUANTIZES and they is None and we is None:
        return "oneDNN rounds halves of MIN_FIRST otherwise than TensorFlow without it"
    if "tensor_out_dup is not the same" in said and we is None:
        return "a gradient does not compute the pool once more to check what it is given"
    if symbol == "raw_ops.Round" and they is None and we is None:
        return "TensorFlow's Round gives 0 for integers"
    if "Expected list for" in said and "argument to" in said and (we is None or we in PROPER):
        return "an attribute that is a list may be given as an array"
    if they == "DTypePromotionError" and we in PROPER:
        return "a class that TensorFlow does not export"
    return ""
