"""The pages of the reference: a page for each namespace, from docstrings and recorded facts.

How a symbol compares with TensorFlow's is read off `docs/reference/tensorflow.json` (what
TensorFlow 2 has, and with which parameters) and `docs/reference/notes.toml` (what differs in what
it does).
"""

from __future__ import annotations

import functools
import inspect
import json
import re
import textwrap
import tomllib
from collections import defaultdict
from pathlib import Path
from typing import Any

from public_api import methods, modules, names, parameters, properties

import runnel as tf
import runnel.keras  # at once: `tf.keras` is loaded late

DOCS = Path(__file__).parents[2] / "docs"
SECTIONS = re.compile(
    r"(?m)^(Args|Arguments|Returns|Raises|Yields|Attributes|Example|Examples|Note):$"
)
# Namespaces of which each name is also in another one.
SECOND = re.compile(
    r"tf\.(losses|metrics|optimizers|initializers)\b|.*\.(experimental|legacy|preprocessing)\b|"
    r"tf\.keras\.(models|export|applications\.\w+)"
)
BADGES = {
    "same": ("same", "as in TensorFlow: the same parameters with the same defaults"),
    "more": ("beyond", "TensorFlow does not have this, or takes less"),
    "differs": ("differs", "not quite as in TensorFlow"),
}


@functools.cache
def recorded() -> dict[str, Any]:
    return json.loads((DOCS / "reference" / "tensorflow.json").read_text())


@functools.cache
def notes() -> dict[str, str]:
    """What differs from TensorFlow in what a symbol does."""
    return tomllib.loads((DOCS / "reference" / "notes.toml").read_text())


@functools.cache
def namespaces() -> dict[str, dict[str, Any]]:
    """The names of each public namespace that TensorFlow has too, and of those of our own."""
    theirs = {name.rpartition(".")[0] for name in recorded()["symbols"]}
    found = {}
    for path, module in modules(tf):
        if path in theirs:
            public = {n: getattr(module, n) for n in names(module)}
            found[path] = {n: v for n, v in public.items() if _shown(f"{path}.{n}", v)}
    return {path: symbols for path, symbols in found.items() if symbols}


def _shown(name: str, value: Any) -> bool:
    """Functions and classes of ours, and what TensorFlow has under the name."""
    ours = str(getattr(value, "__module__", "")).startswith("runnel")
    return name in recorded()["symbols"] or (callable(value) and ours)


@functools.cache
def homes() -> dict[int, str]:
    """The name under which each function or class is described."""
    found: dict[int, list[str]] = defaultdict(list)
    for path, symbols in namespaces().items():
        for name, value in symbols.items():
            if callable(value):
                found[id(value)].append(f"{path}.{name}")
    return {what: min(all_names, key=_rank) for what, all_names in found.items()}


def _rank(name: str) -> tuple[bool, bool, int, str]:
    path, _, last = name.rpartition(".")
    return bool(SECOND.match(path)), path == "tf" and last.islower(), len(name), name


def page_of(path: str) -> str:
    return f"reference/{path}.md"


@functools.cache
def places() -> dict[str, str]:
    """Where each public name is described."""
    found = {}
    for path, symbols in namespaces().items():
        found[path] = page_of(path)
        for name, value in symbols.items():
            home = homes().get(id(value), f"{path}.{name}") if callable(value) else f"{path}.{name}"
            found[f"{path}.{name}"] = f"{page_of(home.rpartition('.')[0])}#{home}"
    return found


def place_of(name: str) -> str | None:
    """The place of a name, or of a method's class."""
    owner, _, method = name.rpartition(".")
    if name in places():
        return places()[name]
    if owner in places() and "#" in places()[owner] and hasattr(_value(owner), method):
        return places()[owner]
    return None


def _value(name: str) -> Any:
    return functools.reduce(getattr, name.split(".")[1:], tf)


def navigation() -> list[Any]:
    keras = [page_of(p) for p in namespaces() if p.startswith("tf.keras")]
    others = [page_of(p) for p in namespaces() if not p.startswith("tf.keras")]
    title = lambda page: page.removeprefix("reference/").removesuffix(".md")  # noqa: E731
    return [
        {"Reference": "reference/index.md"},
        {"tf": [{title(p): p} for p in others]},
        {"tf.keras": [{title(p): p} for p in keras]},
    ]


@functools.cache
def pages() -> dict[str, str]:
    made = {page_of(path): _page(path, symbols) for path, symbols in namespaces().items()}
    return {"reference/index.md": _index(), **made}


def _index() -> str:
    counts = defaultdict(int)
    rows = []
    for path, symbols in namespaces().items():
        own = [n for n, v in symbols.items() if _is_home(f"{path}.{n}", v)]
        for name in own:
            counts[verdict(f"{path}.{name}", symbols[name])[0]] += 1
        doc = _summary(_value(path)) if path != "tf" else "what is used most, under short names"
        rows.append(f"| [`{path}`]({path}.md) | {len(symbols)} | {doc} |")
    intro = (DOCS / "reference" / "intro.md.in").read_text()
    numbers = {kind: f"{counts[kind]:,}" for kind in BADGES}
    badges = {f"badge_{kind}": _badge(kind) for kind in BADGES}
    filled = intro.format(**numbers, **badges, tensorflow=recorded()["tensorflow"])
    return filled + "\n| namespace | names | |\n|---|---|---|\n" + "\n".join(rows) + "\n"


def _is_home(name: str, value: Any) -> bool:
    return not callable(value) or homes()[id(value)] == name


def _page(path: str, symbols: dict[str, Any]) -> str:
    own = {n: v for n, v in symbols.items() if _is_home(f"{path}.{n}", v)}
    classes = {n: v for n, v in own.items() if inspect.isclass(v)}
    functions = {n: v for n, v in own.items() if callable(v) and n not in classes}
    values = {n: v for n, v in own.items() if not callable(v)}
    others = {n: homes()[id(v)] for n, v in symbols.items() if n not in own}
    parts = [f"# {path}\n", _summary(_value(path)) if path != "tf" else "", _contents(path, own)]
    for title, group in (("Classes", classes), ("Functions", functions)):
        if group:
            parts.append(f"## {title}\n")
            parts += [_symbol(f"{path}.{n}", v) for n, v in group.items()]
    if values:
        parts.append("## Values\n")
        parts += [
            f"- <a id='{path}.{n}'></a>`{path}.{n}` = `{_short(v)}`" for n, v in values.items()
        ]
    if others:
        parts.append("\n## Other names\n\nDescribed under another name:\n")
        rows = [f"[`{n}`]({_relative(home)})" for n, home in others.items()]
        parts.append(", ".join(rows) + "\n")
    return "\n".join(parts)


def _relative(home: str) -> str:
    return f"{home.rpartition('.')[0]}.md#{home}"


def _short(value: Any) -> str:
    return re.sub(r"<(.*) at 0x.*>", r"<\1>", repr(value)).replace("\n", " ")[:80]


def _contents(path: str, own: dict[str, Any]) -> str:
    rows = [
        f"| [`{n}`](#{path}.{n}) | {_badge(verdict(f'{path}.{n}', v)[0])} | {_summary(v)} |"
        for n, v in own.items()
        if callable(v)
    ]
    return "\n| name | | |\n|---|---|---|\n" + "\n".join(rows) + "\n" if rows else ""


def _summary(value: Any) -> str:
    first = (inspect.getdoc(value) or "").partition("\n\n")[0].replace("\n", " ")
    return first.replace("|", "\\|")


def _badge(kind: str, title: str = "") -> str:
    word, meaning = BADGES[kind]
    return f'<span class="badge {kind}" title="{title or meaning}">{word}</span>'


def verdict(name: str, value: Any) -> tuple[str, str]:
    """How a symbol compares with TensorFlow's: the kind, and what is to be said."""
    note = notes().get(name, "")
    theirs = recorded()["symbols"].get(name)
    if theirs is None:
        return ("differs", note) if note else ("more", "TensorFlow has no such name.")
    kind, said = compared(theirs, parameters(value) if callable(value) else "")
    if note:
        return "differs", f"{note} {said}".strip()
    return kind, said


def compared(theirs: str, ours: str) -> tuple[str, str]:
    """Two lists of parameters."""
    if theirs == ours or "..." in (theirs, ours) or theirs == "*args, **kwargs":
        return "same", ""
    old, new = _defaults(theirs), _defaults(ours)
    missing = [p for p in old if p not in new and "**kwargs" not in ours and not p.startswith("*")]
    added = [p for p in new if p not in old and not p.startswith("*")]
    if "**kwargs" in theirs:
        added = []
    changed = [p for p in old if p in new and old[p] != new[p] and "..." not in old[p] + new[p]]
    if missing:
        return "differs", f"There is no {_listed(missing)}."
    if changed:
        said = [f"`{p}` is {new[p] or 'required'}, there {old[p] or 'required'}" for p in changed]
        return "differs", f"Defaults: {'; '.join(said)}."
    return ("more", f"Takes {_listed(added)} too.") if added else ("same", "")


def _defaults(text: str) -> dict[str, str]:
    parts = re.split(r", (?=[\w*]+(?:=|,|$)|/)", text)
    return {p.partition("=")[0]: p.partition("=")[2] for p in parts if p not in ("", "/", "*")}


def _listed(names: list[str]) -> str:
    return ", ".join(f"`{name}`" for name in names)


def _symbol(name: str, value: Any) -> str:
    """The section of a function or class."""
    kind, said = verdict(name, value)
    short = name.rpartition(".")[2]
    parts = [
        f"### {short} {{ #{name} }}\n",
        f"{_badge(kind)} {said}\n",
        _call(name, parameters(value)),
    ]
    others = [n for n, p in places().items() if p == places()[name] and n != name]
    if others:
        parts.append(f"Also {_listed(others[:6])}{' …' if len(others) > 6 else ''}.\n")
    parts.append(rendered(inspect.getdoc(value) or ""))
    if inspect.isclass(value):
        parts += _class_parts(name, value)
    return "\n".join(parts)


def _class_parts(name: str, cls: type) -> list[str]:
    bases = [b for b in cls.__mro__[1:] if id(b) in homes()]
    own = _own_parts(cls, bases)
    parts = []
    if bases:
        home = homes()[id(bases[0])]
        parts.append(f"Has what [`{home}`]({_relative(home)}) has, and:\n")
    found = dict(sorted({n: p for part in own for n, p in properties(part).items()}.items()))
    if found:
        rows = [f"- `{n}`: {_summary(p) or '…'}" for n, p in found.items() if _summary(p)]
        rest = [n for n, p in found.items() if not _summary(p)]
        rows += [f"- {_listed(rest)}"] if rest else []
        parts.append("Properties:\n\n" + "\n".join(rows) + "\n")
    theirs = recorded()["methods"].get(name, {})
    defined = dict(sorted({n: m for part in own for n, m in methods(part).items()}.items()))
    for method, function in defined.items():
        if inspect.isclass(function) or not str(function.__module__).startswith("runnel"):
            continue
        said = ""
        if method in theirs:
            kind, said = compared(theirs[method], parameters(function))
            said = f"{_badge(kind)} {said}" if kind != "same" else ""
        elif theirs and method not in _methods_there():
            said = f"{_badge('more')} TensorFlow has no such method."
        parts.append(f"#### {method} {{ #{name}.{method} }}\n\n{said}\n")
        parts.append(_call(method, parameters(function)))
        parts.append(rendered(inspect.getdoc(function) or ""))
    return parts


def _own_parts(cls: type, bases: list[type]) -> list[type]:
    """The class and those it is made of that are not public by themselves, the nearest last."""
    inherited = {part for base in bases for part in base.__mro__}
    own = [part for part in cls.__mro__ if part not in inherited]
    return [part for part in reversed(own) if str(part.__module__).startswith("runnel")]


@functools.cache
def _methods_there() -> set[str]:
    """The names of all methods of TensorFlow's classes."""
    return {name for found in recorded()["methods"].values() for name in found}


def _call(name: str, text: str) -> str:
    line = f"{name}({text})"
    if len(line) > 88:
        inner = re.split(r", (?=[\w*]+(?:=|,|$)|[/*](?:,|$))", text)
        line = f"{name}(\n    " + ",\n    ".join(inner) + ",\n)"
    return f"```python\n{line}\n```\n"


def rendered(doc: str) -> str:
    """A docstring as Markdown: examples and lists of arguments become such."""
    lines = [_section(part) for part in re.split(r"\n\n", doc)]
    return "\n\n".join(lines) + "\n"


def _section(part: str) -> str:
    if part.startswith(">>>"):
        return f"```pycon\n{part}\n```"
    head, _, rest = part.partition("\n")
    if SECTIONS.match(head) and rest:
        rows = re.split(r"\n(?=\S)", textwrap.dedent(rest))
        shown = [re.sub(r"^([\w*, `]+): ", r"- **\1**: ", re.sub(r"\n\s+", " ", r)) for r in rows]
        return f"**{head[:-1]}**\n\n" + "\n".join(shown)
    if re.match(r" {4}\S", part):
        return f"```text\n{textwrap.dedent(part)}\n```"
    return part.replace("<", "&lt;") if "`" not in part else part
