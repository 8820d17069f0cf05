"""Take a picture of pages of the site with Chromium, to be looked at.

python tools/site/screenshots.py FOLDER [PAGE …]: those pages of `build/site`, or all but the
reference. Chromium has no network while it does so.
"""

from __future__ import annotations

import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

SITE = Path(__file__).parents[2] / "build" / "site"
FLAGS = [
    *"--headless --no-sandbox --disable-gpu --hide-scrollbars --no-first-run".split(),
    *"--disable-background-networking --disable-component-update --disable-sync".split(),
    "--disable-quic",
    "--host-resolver-rules=MAP * ~NOTFOUND",
]


def picture(page: Path, target: Path, height: int) -> None:
    browser = shutil.which("chromium") or shutil.which("google-chrome")
    if browser is None:
        sys.exit("there is no Chromium here")
    with tempfile.TemporaryDirectory() as profile:
        command = [browser, *FLAGS, f"--user-data-dir={profile}", f"--window-size=1300,{height}"]
        command += ["--virtual-time-budget=3000", f"--screenshot={target}", page.as_uri()]
        subprocess.run(command, check=True, capture_output=True, timeout=60)


def main(folder: str, *names: str) -> None:
    found = [SITE / name for name in names] or sorted(SITE.rglob("*.html"))
    pages = found if names else [p for p in found if "reference" not in p.parts]
    Path(folder).mkdir(parents=True, exist_ok=True)
    for page in pages:
        name = str(page.relative_to(SITE)).replace("/", "-").removesuffix(".html")
        picture(page, Path(folder, f"{name}.png").resolve(), height=2200)


if __name__ == "__main__":
    main(*sys.argv[1:])
