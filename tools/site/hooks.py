"""What MkDocs calls while it builds the site: see `mkdocs.yml`."""

from __future__ import annotations

import re
import sys
from pathlib import Path
from posixpath import normpath, relpath
from typing import Any

from mkdocs.structure.files import File
from mkdocs.utils import get_relative_url

ROOT = Path(__file__).parents[2]
sys.path[:0] = [str(Path(__file__).parent), str(ROOT)]

import differences  # noqa: E402
import reference  # noqa: E402

# Pages of other folders that the site has too, by the path that they have there.
ELSEWHERE = {
    "CONTRIBUTING.md": "project/contributing.md",
    "SECURITY.md": "project/security.md",
    "CHANGELOG.md": "project/changelog.md",
    "examples/README.md": "project/examples.md",
    "benchmarks/README.md": "project/benchmarks.md",
    "benchmarks/results.md": "project/results.md",
    "benchmarks/formulations.md": "project/formulations.md",
    "tests/robustness/README.md": "project/robustness.md",
}
_LINK = re.compile(r"(?<!!)\[([^\]\n]*)\]\(([^)\s]+)\)")
_SYMBOL = re.compile(r"(?<![\[`\w])`(tf(?:\.\w+)+)(\(\))?`(?!\]|`)")
_FENCED = re.compile(r"(^ *```.*?^ *```$)", re.MULTILINE | re.DOTALL)


def on_config(config: Any) -> Any:
    """Fill the places of the navigation whose pages are found or made."""
    named = set(re.findall(r"[\w/]+\.md", str(config.nav)))
    docs = Path(config.docs_dir)
    found = sorted(str(p.relative_to(docs)) for p in docs.rglob("*.md"))
    more: list[Any] = [p for p in found if p not in named and p != "README.md"]
    more += [page for path, page in ELSEWHERE.items() if (ROOT / path).exists()]
    config.nav = _filled(config.nav, {"more": more, "reference": reference.navigation()})
    return config


def _filled(nav: Any, made: dict[str, Any]) -> Any:
    if isinstance(nav, list):
        return [_filled(item, made) for item in nav]
    if isinstance(nav, dict):
        return {title: _filled(item, made) for title, item in nav.items()}
    return made.get(nav, nav)


def on_files(files: Any, config: Any) -> Any:
    for path, page in ELSEWHERE.items():
        if (ROOT / path).exists():
            files.append(File.generated(config, page, content=(ROOT / path).read_text()))
    for page, text in reference.pages().items():
        files.append(File.generated(config, page, content=text))
    return files


def on_page_markdown(markdown: str, page: Any, config: Any, files: Any) -> str:
    place = page.file.src_uri
    origin = {site: path for path, site in ELSEWHERE.items()}.get(place, f"docs/{place}")
    text = re.sub(r"^<!-- (run\n.*?|slow|not run: [^>]+)-->\n", "", markdown, flags=re.M | re.S)
    text = differences.filled(text)
    parts = _FENCED.split(text)
    for n in range(0, len(parts), 2):
        parts[n] = _LINK.sub(lambda m: _moved(m, origin, place, files), parts[n])
        if not place.startswith("reference/"):
            lines = parts[n].split("\n")
            plain = [line.startswith(("#", "    ")) for line in lines]  # titles, and code
            linked = [_SYMBOL.sub(lambda m: _linked(m, place), line) for line in lines]
            parts[n] = "\n".join(a if same else b for a, b, same in zip(lines, linked, plain))
    return "".join(parts)


def _moved(match: re.Match[str], origin: str, place: str, files: Any) -> str:
    """A link, as seen from the site; one to what the site does not have is text."""
    text, link = match.groups()
    path, _, heading = link.partition("#")
    if "://" in link or not path:
        return match[0]
    target = normpath(f"{origin}/../{path}")
    folder = f"{target}/README.md"
    target = ELSEWHERE.get(target) or ELSEWHERE.get(folder) or target.removeprefix("docs/")
    if target == "README.md":
        target = "index.md"
    if target.endswith(".md") and files.get_file_from_path(target) is None:
        return text
    if not target.endswith(".md"):
        return match[0] if (ROOT / "docs" / target).exists() else text
    path = relpath(target, place.rpartition("/")[0] or ".")
    return f"[{text}]({path}{'#' * bool(heading)}{heading})"


def _linked(match: re.Match[str], place: str) -> str:
    """A public name leads to its place in the reference."""
    found = reference.place_of(match[1])
    if found is None:
        return match[0]
    page, _, heading = found.partition("#")
    path = relpath(page, place.rpartition("/")[0] or ".")
    return f"[{match[0]}]({path}{'#' * bool(heading)}{heading})"


def on_post_page(output: str, page: Any, config: Any) -> str:
    """The script with which the search works in pages that are opened as files is ours."""
    ours = get_relative_url("assets/worker.js", page.url)
    return output.replace("https://unpkg.com/iframe-worker/shim", ours)


def on_post_template(output_content: str, template_name: str, config: Any) -> str:
    return output_content.replace("https://unpkg.com/iframe-worker/shim", "/assets/worker.js")
