"""How long pages, lines and paragraphs of running text may be: longer ones are damage, no text, or an attack.

A few kilobytes of bzip2 hold gigabytes of one letter. MediaWiki takes no page of more than 2 MiB, unless told to.
"""

from __future__ import annotations

from typing import BinaryIO

LONGEST_PAGE = 1 << 26  # bytes
LONGEST_PARAGRAPH = 50_000  # characters; NLTK's patterns take seconds for more

_END_OF_PAGE = b"</page>"


class PageLimit:
    """A dump of pages as a file to read from, which is an error where a page does not end."""

    def __init__(self, file: BinaryIO, longest: int):
        self._file = file
        self._longest = longest
        self._since_page = 0  # bytes
        self._tail = b""

    def read(self, size: int = -1) -> bytes:
        """The next bytes, at most ``size``.

        Raises
        ------
        OSError
            If they belong to a page, or to what is between pages, that is too long.
        """
        content = self._file.read(min(size, self._longest) if size >= 0 else self._longest)
        seen = self._tail + content
        place = seen.rfind(_END_OF_PAGE)
        self._since_page = self._since_page + len(content) if place < 0 else len(seen) - place
        self._tail = seen[-len(_END_OF_PAGE) + 1 :]
        if self._since_page > self._longest:
            raise OSError(f"a page has more than {self._longest / 1e6:.0f} MB")
        return content
