"""Runnel on several Pythons, with the oldest packages it allows, and as it will be installed.

`make matrix` runs all of it; `make matrix ARGS="-s tests-3.13 -- tests/function"` a part. Pythons
that are not on the machine are passed over.
"""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import nox

PYTHONS = ["3.11", "3.12", "3.13", "3.14"]
ROOT = Path(__file__).parent
SMOKE = ("-q", "-m", "smoke and not slow", "tests")
# With packages that are older than those of `tests`, the examples' ones being of no interest.
TOOLS = ("hypothesis", "ipython", "matplotlib", "pytest", "pytest-xdist", "scikit-learn")

nox.options.error_on_missing_interpreters = False
nox.options.reuse_existing_virtualenvs = True
nox.options.envdir = "build/nox"


@nox.session(python=PYTHONS)
def tests(session: nox.Session) -> None:
    """All tests but the slow ones, with the newest packages; or what is given."""
    session.install("--upgrade", "--upgrade-strategy", "eager", ".[dev]")
    session.run("pytest", "-n", "auto", *(session.posargs or ["-m", "not slow"]))


@nox.session(python=PYTHONS[0])
def lowest(session: nox.Session) -> None:
    """The smoke tests with the lowest version of each dependency."""
    session.install(".", *TOOLS, *_lowest())
    session.run("pip", "list")
    session.run("pytest", "-n", "auto", *(session.posargs or SMOKE))


def _lowest() -> list[str]:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text("utf-8"))["project"]
    lowest = [re.sub(">=", "==", requirement) for requirement in project["dependencies"]]
    (jax,) = (r for r in lowest if r.startswith("jax=="))
    return [*lowest, jax.replace("jax", "jaxlib")]  # one does not work with an older other


@nox.session(python=PYTHONS)
def package(session: nox.Session) -> None:
    """Wheel and sdist: built, checked, installed where nothing else is, tried from elsewhere."""
    session.install("build", "check-wheel-contents", "twine")
    folder = Path(session.create_tmp()).resolve()
    session.run("python", "-m", "build", "--outdir", str(folder / "dist"), str(ROOT))
    built = sorted(map(str, (folder / "dist").glob("runnel-*")))[-2:]
    session.run("twine", "check", "--strict", *built)
    (wheel,) = (name for name in built if name.endswith(".whl"))
    session.run("check-wheel-contents", wheel)

    empty = folder / "empty"
    session.run("python", "-m", "venv", "--clear", str(empty))
    python = str(empty / "bin" / "python")
    session.run(python, "-m", "pip", "install", "--quiet", wheel, external=True)
    program = str(ROOT / "tools" / "try_install.py")
    with session.chdir(folder):
        session.run(python, "-P", program, external=True)

    (sdist,) = (name for name in built if name.endswith(".tar.gz"))
    session.run("python", "-m", "tarfile", "-e", sdist, str(folder / "source"))
    session.run(python, "-m", "pip", "install", "--quiet", *TOOLS, external=True)
    (source,) = (folder / "source").iterdir()
    with session.chdir(source):
        session.run(python, "-m", "pytest", *(session.posargs or SMOKE), external=True)
