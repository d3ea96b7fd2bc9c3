"""Takes the README's pictures of the explorer: python docs/screenshots.py results/embedded/explorer.html docs

It needs Playwright and a Chromium: Playwright's own (`playwright install chromium`), or the machine's.
"""

from __future__ import annotations

import shutil
import sys
from pathlib import Path

from PIL import Image
from playwright.sync_api import sync_playwright

# The place in the page, as its own links have it, and what to click there.
PICTURES = {
    "explorer_head.png": ("light", "#text=1&view=head&layer=3&heads=9,4&from=10,22"),
    "explorer_all_heads.png": ("dark", "#text=3&view=model&layer=3&heads=9&lines=norm"),
}


def main() -> None:
    page_file, folder = Path(sys.argv[1]).resolve(), Path(sys.argv[2])
    with sync_playwright() as running:
        own = shutil.which("chromium") or shutil.which("google-chrome")
        browser = running.chromium.launch(executable_path=own, args=["--no-sandbox"])
        for name, (scheme, place) in PICTURES.items():
            page = browser.new_page(viewport={"width": 1280, "height": 860}, color_scheme=scheme)
            page.goto(page_file.as_uri() + place)
            page.wait_for_selector(".explorer[data-shown^='#']")
            page.screenshot(path=folder / name)
            # A screenshot has few colours; with 128 of them it takes a third of the room.
            Image.open(folder / name).convert("RGB").quantize(128, dither=0).save(folder / name, optimize=True)
        browser.close()


if __name__ == "__main__":
    main()
