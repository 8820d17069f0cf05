"""The public names of a library such as Runnel or TensorFlow, and how they are called."""

from __future__ import annotations

import inspect
import re
import types
from collections.abc import Iterator
from typing import Any

# What is not shown name by name: the ops as such, the parts of TensorFlow 1, the inside.
LEFT_OUT = re.compile(
    r"tf\.(dtensor|raw_ops|compat|__\w+__|tools|security|python|core|lite|mlir|tpu|estimator|"
    r"feature_column|experimental\.(numpy|dtensor)|keras\.(api|src|dtensor|__\w+__)|as_tensorflow)\b"
)


def modules(
    module: Any, path: str = "tf", above: tuple[Any, ...] = ()
) -> Iterator[tuple[str, Any]]:
    """A module and the public ones in it, by path; one that has several paths comes with each."""
    yield path, module
    for name in sorted(n for n in dir(module) if not n.startswith("_")):
        inner, full = getattr(module, name, None), f"{path}.{name}"
        if isinstance(inner, types.ModuleType) and not LEFT_OUT.match(full):
            ours = re.match(
                r"(runnel|tensorflow|tf_keras|keras)(?!.*\.(python|src)\.)", inner.__name__
            )
            if ours and inner not in above and full.count(".") < 6:
                yield from modules(inner, full, (*above, module))


def names(module: Any) -> list[str]:
    """The public names of a module that are no modules."""
    public = (n for n in dir(module) if not n.startswith("_"))
    return [n for n in public if not isinstance(getattr(module, n, None), types.ModuleType)]


def parameters(value: Any) -> str:
    """`x, axis=None, *, name=None`: how something is called, without types."""
    try:
        found = inspect.signature(value).parameters.values()
    except (TypeError, ValueError):
        return "..."
    plain = [p.replace(annotation=p.empty, default=_plain(p.default)) for p in found]
    if plain and plain[0].name in ("self", "cls"):
        del plain[0]
    text = str(inspect.Signature(plain))
    return re.sub(r"\s+", " ", text[1:-1])


class _Shown(str):
    """A default as it is written."""

    def __repr__(self) -> str:
        return str(self)


def _plain(default: Any) -> Any:
    """Defaults as both libraries would write them: no addresses, no enums of their own."""
    if default is inspect.Parameter.empty:
        return default
    text = repr(default)
    if text.startswith("<tf.") or re.match(r"tf\.\w+$", text):  # dtypes
        return _Shown(getattr(default, "name", text))
    return _Shown(re.sub(r"<.*>", "...", text))


def methods(cls: type) -> dict[str, Any]:
    """The public functions that a class itself defines, by name."""
    found = {n: getattr(m, "__func__", m) for n, m in vars(cls).items() if not n.startswith("_")}
    return {n: m for n, m in sorted(found.items()) if callable(m)}


def properties(cls: type) -> dict[str, Any]:
    """The public properties that a class itself defines."""
    found = vars(cls).items()
    return {n: p for n, p in sorted(found) if not n.startswith("_") and isinstance(p, property)}
