"""Where things live: the order of packages, the sizes of files, what may be imported from where.

One pass over the syntax trees of `runnel/` collects what the tests look at. The lists of exceptions
are what does not hold yet. They may only shrink: an entry that is no longer needed fails too.
"""

from __future__ import annotations

import ast
import functools
import gc
import re
from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).parents[1]

FILE_LINES = 600
FUNCTION_LINES = 80
FOLDER_FILES = 16
READING_LINES = 6000
READING_FILE_LINES = 400

# `_name` imported from another file.
PRIVATE: set[str] = set()
LONG_FILES: dict[str, int] = {}
FULL_FOLDERS: dict[str, int] = {
    "runnel/keras/applications": 19,  # public modules each, such as `tf.keras.applications.vgg16`
    "runnel/ops/linalg/operators": 23,
    "runnel/ops/ragged": 28,
}
# Where code is made or exchanged while the program runs.
SPECIAL: dict[str, set[str]] = {
    "__class__": {"runnel/core/tensor/tensor.py"},
    "__code__": {"runnel/core/composite/dispatch.py"},
    "exec": {"runnel/compat/command_line.py", "runnel/graph/cutting/straight.py"},
}
PUBLIC = "runnel/*.py"  # the last row of the table: everything that is in no package
JAX_PRIVATE = re.compile(r"(jax\._src|jaxlib\.|jax\.extend|jax\.interpreters)\b")


@dataclass
class Module:
    """What is known of one file."""

    name: str
    path: str
    lines: int
    imports: list[tuple[str, int, bool]] = field(default_factory=list)  # module, line, hidden
    private: list[str] = field(default_factory=list)
    functions: list[tuple[str, int]] = field(default_factory=list)
    special: set[str] = field(default_factory=set)
    jax_private: list[int] = field(default_factory=list)


@functools.cache
def house() -> dict[str, Module]:
    """All modules of the library, by name."""
    files = sorted((ROOT / "runnel").rglob("*.py"))
    texts = {str(f.relative_to(ROOT)): f.read_text() for f in files}
    names = {_name(path) for path in texts}
    enabled = gc.isenabled()
    gc.disable()  # trees are many small objects, of which none is garbage yet
    try:
        return {_name(path): _module(path, text, names) for path, text in texts.items()}
    finally:
        if enabled:
            gc.enable()


def _name(path: str) -> str:
    return path.removesuffix(".py").replace("/", ".").removesuffix(".__init__")


def _module(path: str, text: str, names: set[str]) -> Module:
    found = Module(_name(path), path, text.count("\n"))
    tree = ast.parse(text)
    _statements(tree.body, found, names, hidden=False)
    if any(word in text for word in ("exec(", "__code__", "__class__")):
        found.special |= set(_special(tree))
    if JAX_PRIVATE.search(text):
        found.jax_private += _private_parts_of_jax(tree)
    return found


def _statements(body: list[ast.stmt], found: Module, names: set[str], hidden: bool) -> None:
    """Look at statements, not at the many expressions in them."""
    for node in body:
        if isinstance(node, (ast.Import, ast.ImportFrom)):
            _note_import(node, found, names, hidden)
        elif isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
            found.functions.append((node.name, node.end_lineno - node.lineno + 1))  # type: ignore[operator]
            _statements(node.body, found, names, hidden=True)
        elif isinstance(node, ast.If) and "TYPE_CHECKING" in ast.dump(node.test):
            _statements(node.orelse, found, names, hidden)
        else:
            for part in ("body", "orelse", "finalbody"):
                _statements(getattr(node, part, []), found, names, hidden)
            for handler in getattr(node, "handlers", []) or getattr(node, "cases", []):
                _statements(handler.body, found, names, hidden)


def _note_import(
    node: ast.Import | ast.ImportFrom, found: Module, names: set[str], hidden: bool
) -> None:
    if isinstance(node, ast.Import):
        targets = [alias.name for alias in node.names]
    else:
        home = _home(node, found)
        targets = [f"{home}.{a.name}" if f"{home}.{a.name}" in names else home for a in node.names]
        for alias in node.names:
            private = alias.name.startswith("_") and not alias.name.startswith("__")
            if private and home.startswith("runnel"):
                found.private.append(f"{found.path}: {alias.name}")
    ours = [t for t in dict.fromkeys(targets) if t == "runnel" or t.startswith("runnel.")]
    found.imports += [(target, node.lineno, hidden) for target in ours]


def _home(node: ast.ImportFrom, found: Module) -> str:
    """The module that is imported from; one dot says that it is in the folder of the file."""
    if not node.level:
        return node.module or ""
    folder = found.path.split("/")[: -node.level]
    return ".".join([*folder, *filter(None, [node.module])])


def _special(tree: ast.Module) -> Iterator[str]:
    for node in ast.walk(tree):
        if (
            isinstance(node, ast.Call)
            and isinstance(node.func, ast.Name)
            and node.func.id == "exec"
        ):
            yield "exec"
        elif isinstance(node, ast.Attribute) and node.attr in ("__code__", "__class__"):
            yield from [node.attr] if isinstance(node.ctx, ast.Store) else []


def _private_parts_of_jax(tree: ast.Module) -> list[int]:
    found = []
    docstrings = {id(n.value) for n in ast.walk(tree) if isinstance(n, ast.Expr)}
    for node in ast.walk(tree):
        text = ""
        if isinstance(node, ast.Constant) and isinstance(node.value, str):
            text = "" if id(node) in docstrings else node.value
        elif isinstance(node, (ast.Import, ast.ImportFrom)):
            text = ast.unparse(node).split(" ", 1)[1]
        if JAX_PRIVATE.match(text):
            found.append(node.lineno)
    return found


def compare(found: set[str], allowed: set[str], what: str) -> None:
    """No new exceptions, and none on the list that is not needed."""
    assert not found - allowed, f"{what}:\n  " + "\n  ".join(sorted(found - allowed))
    gone = sorted(allowed - found)
    assert not gone, "these are no exceptions any more, take them off the list:\n  " + "\n  ".join(
        gone
    )


def compare_counts(found: dict[str, int], allowed: dict[str, int], what: str) -> None:
    """As `compare`, for numbers that may only become smaller."""
    worse = {k: n for k, n in found.items() if n > allowed.get(k, 0)}
    assert not worse, f"{what}: {worse}"
    compare(set(allowed) & set(found), set(allowed), what)


# --------------------------------------------------------------------------- imports


@functools.cache
def order() -> dict[str, int]:
    """The rows of the table of packages, from top to bottom."""
    text = (ROOT / "docs/architecture.md").read_text().partition("## The packages")[2]
    table = re.match(r"\s*((?:\|.*\n)+)", text)
    assert table, "docs/architecture.md has no table of packages"
    rows = re.findall(r"(?m)^\| `(runnel/[\w/*.]+)` \|", table[1])
    return {row: n for n, row in enumerate(rows)}


def package(module: str) -> str:
    path = module.replace(".", "/")
    rows = [row for row in order() if path == row or path.startswith(row + "/")]
    return max(rows, key=len, default=PUBLIC)


def test_a_package_imports_from_those_above_it():
    assert PUBLIC in order(), order()
    found = set()
    for module in house().values():
        mine = package(module.name)
        for target, _, _ in module.imports:
            its = package(target)
            client = mine in ("runnel/keras", "runnel/v1") and its == PUBLIC
            if order()[its] > order()[mine] and not client:
                found.add(f"{module.path}: {target}")
    assert not found, f"imports from a package that comes later in docs/architecture.md: {found}"


def test_modules_import_each_other_in_no_circle():
    edges = {
        m.name: {t for t, _, hidden in m.imports if not hidden and t in house() and t != m.name}
        for m in house().values()
    }
    waiting = {name: set(targets) for name, targets in edges.items()}
    users = defaultdict(set)
    for name, targets in edges.items():
        for target in targets:
            users[target].add(name)
    free = [name for name, targets in waiting.items() if not targets]
    while free:
        done = free.pop()
        del waiting[done]
        for user in users[done]:
            waiting[user].discard(done)
            if not waiting[user]:
                free.append(user)
    assert not waiting, (
        f"import each other in a circle, or need those that do: {sorted(waiting)[:20]}"
    )


def test_imports_of_our_own_are_at_the_top_of_a_file():
    wrong = [
        f"{m.path}:{line}: {target}"
        for m in house().values()
        for target, line, hidden in m.imports
        if hidden
    ]
    assert not wrong, wrong


def test_keras_uses_public_names_alone():
    wrong = [
        f"{m.path}:{line}: {target}"
        for m in house().values()
        if package(m.name) == "runnel/keras"
        for target, line, _ in m.imports
        if package(target) not in ("runnel/keras", PUBLIC)
    ]
    assert not wrong, wrong


def test_kernels_know_arrays_alone():
    above = {row for row in order() if order()[row] <= order()["runnel/kernels"]}
    wrong = [
        f"{m.path}:{line}: {target}"
        for m in house().values()
        if package(m.name) == "runnel/kernels"
        for target, line, _ in m.imports
        if package(target) not in above - {"runnel/core/protos"}
    ]
    assert not wrong, wrong


def test_private_parts_of_jax_are_known_to_the_backend_alone():
    wrong = {m.path: m.jax_private for m in house().values() if m.jax_private}
    wrong = {path: lines for path, lines in wrong.items() if not path.startswith("runnel/backend/")}
    assert not wrong, wrong


def test_private_names_stay_in_their_file():
    found = {line for m in house().values() for line in m.private}
    compare(found, PRIVATE, "private names imported from another file")


# ----------------------------------------------------------------------------- sizes


def test_files_are_short():
    found = {m.path: m.lines for m in house().values() if m.lines > FILE_LINES}
    compare_counts(found, LONG_FILES, f"files of more than {FILE_LINES} lines")


def test_functions_are_short():
    found = {
        f"{m.path}: {name}": lines
        for m in house().values()
        for name, lines in m.functions
        if lines > FUNCTION_LINES
    }
    assert not found, f"functions of more than {FUNCTION_LINES} lines: {found}"


@functools.cache
def folders() -> dict[str, list[str]]:
    """The files of each folder, without `__init__.py`."""
    found: dict[str, list[str]] = defaultdict(list)
    for module in house().values():
        folder, _, name = module.path.rpartition("/")
        if name != "__init__.py":
            found[folder].append(name)
    return dict(found)


def test_folders_have_few_files():
    found = {f: len(names) for f, names in folders().items() if len(names) > FOLDER_FILES}
    found.pop("runnel", None)  # the public namespaces
    compare_counts(found, FULL_FOLDERS, f"folders of more than {FOLDER_FILES} files")


def test_code_is_exchanged_in_few_places():
    found: dict[str, set[str]] = defaultdict(set)
    for module in house().values():
        for what in module.special:
            found[what].add(module.path)
    assert dict(found) == SPECIAL


# -------------------------------------------------------------------------- documents


def test_readmes_name_every_file_and_no_other():
    every = [m.path for m in house().values()]
    every += [str(p.relative_to(ROOT)) for p in (ROOT / "tests").rglob("*.py")]
    ends = {path.split("/", n)[-1] for path in every for n in range(path.count("/") + 1)}
    wrong = []
    for folder, names in folders().items():
        page = ROOT / folder / "README.md"
        public = package(folder.replace("/", ".")) == PUBLIC
        if not page.exists():
            wrong += [f"{folder} has no README.md"] if len(names) > 2 and not public else []
            continue
        named = re.findall(r"`([\w./]+\.py)`", page.read_text())
        missing = [] if folder == "runnel" else sorted(set(names) - set(named))
        if missing:
            wrong.append(f"{folder}/README.md does not name {missing}")
        gone = [n for n in named if n not in ends and not (ROOT / folder / n).exists()]
        if gone:
            wrong.append(f"{folder}/README.md names {gone}, which are not there")
    assert not wrong, "\n".join(wrong)


@functools.cache
def reading_path() -> dict[str, str]:
    """The files of the tables in docs/reading.md, in order, with their text."""
    page = (ROOT / "docs/reading.md").read_text()
    names = dict.fromkeys(re.findall(r"(?m)^\| `([\w/]+\.py)`", page))
    assert names, "docs/reading.md names no files in its tables"
    return {name: (ROOT / "runnel" / name).read_text() for name in names}


def test_the_reading_path_is_short():
    lines = {name: text.count("\n") for name, text in reading_path().items()}
    assert sum(lines.values()) < READING_LINES, lines
    long = {name: n for name, n in lines.items() if n > READING_FILE_LINES}
    assert not long, f"files on the reading path of more than {READING_FILE_LINES} lines: {long}"


def test_files_on_the_reading_path_say_where_they_stand():
    names = list(reading_path())
    wrong = []
    for name, before, after in zip(names, [None, *names], [*names[1:], None]):
        places = [f"after `{before}`"] * bool(before) + [f"before `{after}`"] * bool(after)
        ends = "ends" if before else "begins"
        opening = "On the reading path " if len(places) == 2 else f"The reading path {ends} here, "
        _, *paragraphs = (ast.get_docstring(ast.parse(reading_path()[name])) or "").split("\n\n")
        if paragraphs[:1] != [f"{opening}{', '.join(places)}."]:
            wrong.append(f"{name}: {opening}{', '.join(places)}.")
    assert not wrong, "docstrings shall go on after their first line:\n  " + "\n  ".join(wrong)
