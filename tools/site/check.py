"""Look through the built site: no dead link, nothing that is loaded from elsewhere.

python tools/site/check.py, after `mkdocs build`
"""

from __future__ import annotations

import re
import sys
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import unquote, urlsplit

SITE = Path(__file__).parents[2] / "build" / "site"


class Page(HTMLParser):
    """The links, the parts and the places of a page."""

    def __init__(self, path: Path) -> None:
        super().__init__()
        self.path = path
        self.links: list[str] = []
        self.parts: list[str] = []
        self.places: set[str] = {""}
        self.feed(path.read_text())

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        found = {name: value or "" for name, value in attrs}
        self.places |= {found[name] for name in ("id", "name") if name in found}
        if tag == "a" and "href" in found:
            self.links.append(found["href"])
        elif tag == "link" and found.get("rel") in ("stylesheet", "icon", "preconnect"):
            self.parts.append(found["href"])
        elif tag in ("script", "img", "iframe") and "src" in found:
            self.parts.append(found["src"])


def main() -> None:
    pages = {path: Page(path) for path in SITE.rglob("*.html")}
    wrong = [text for page in pages.values() for text in _wrong(page, pages)]
    for path in SITE.rglob("*.css"):
        found = re.findall(r"url\(\W?(https?:[^)]*)|@import", path.read_text())
        wrong += [f"{path.relative_to(SITE)} loads {address}" for address in found]
    print(f"{len(pages)} pages, {sum(len(p.links) for p in pages.values()):,} links")
    if wrong:
        sys.exit("\n".join(wrong))


def _wrong(page: Page, pages: dict[Path, Page]) -> list[str]:
    name = page.path.relative_to(SITE)
    if name.name == "404.html":  # served at any path, so its links are absolute
        return []
    found = [f"{name} loads {part}" for part in page.parts if "//" in part]
    for link in page.links + page.parts:
        parts = urlsplit(link)
        if parts.scheme or parts.netloc:
            continue
        target = page.path.parent / unquote(parts.path) if parts.path else page.path
        target = target.resolve()
        if target.is_dir():
            target = target / "index.html"
        if not target.exists():
            found.append(f"{name} leads to {link}, which is not there")
        elif target in pages and unquote(parts.fragment) not in pages[target].places:
            found.append(f"{name} leads to {link}, a place that is not there")
    return found


if __name__ == "__main__":
    main()
