"""Take the pictures of pages in README and docs: python docs/screenshots.py results/embedded docs

It needs Playwright and a Chromium: Playwright's own (`playwright install chromium`), or the machine's.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

# The page, the color theme, the size of the window, and the part of the page, as in its links.
PICTURES = {
    "results_page.png": ("index.html", "light", (1400, 1210), ""),
    "explorer_head.png": ("*/explorer.html", "light", (1280, 860), "#text=1&view=head&layer=3&heads=9,4&from=10,22"),
    "explorer_all_heads.png": ("*/explorer.html", "dark", (1280, 860), "#text=3&view=model&layer=3&heads=9&lines=norm"),
    "explorer_translation.png": (
        "explorer_*.html",
        "light",
        (1280, 520),
        "#text=5&view=head&layer=3&heads=3&lines=norm",
    ),
}
# What the browser waits for: the explorer has drawn its part, or the page has its first picture.
DRAWN = ".explorer[data-shown^='#'], .opening img"


def main() -> None:
    results, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with sync_playwright() as running:
        own = shutil.which("chromium") or shutil.which("google-chrome")
        browser = running.chromium.launch(executable_path=own, args=["--no-sandbox"])
        for name, (shown, scheme, (width, height), place) in PICTURES.items():
            page = browser.new_page(viewport={"width": width, "height": height}, color_scheme=scheme)
            page.goto(next(results.glob(shown)).as_uri() + place)
            page.wait_for_selector(DRAWN)
            page.screenshot(path=folder / name)
            # A screenshot has few colors: with 256 of them, the file has half the size, and keeps the rare ones.
            picture = Image.open(folder / name).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE, dither=0)
            picture.save(folder / name, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
