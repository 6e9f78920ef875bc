"""Names of sets and instances, escaped for file systems and for Markdown."""

import hashlib
import re

from sil.errors import printable

_LONGEST = 100  # characters of a file name; every file system takes this many


def file_name(name: str) -> str:
    """Turn any name into a file name: readable, unique, and inside the folder it is used in.

    Letters, digits and ``._-`` stay; everything else is written as in a URL, such as ``%2F``.
    """
    text = "".join(
        chr(byte) if re.match(r"[A-Za-z0-9._-]", chr(byte)) else f"%{byte:02X}"
        for byte in name.encode("utf-8", "surrogatepass")
    )
    if text.startswith("."):  # neither hidden nor a way out of the folder
        text = "%2E" + text[1:]
    if len(text) > _LONGEST:
        # The ~ distinguishes it from names that have the full length themselves.
        tail = "~" + hashlib.sha256(text.encode()).hexdigest()[:16]
        text = text[: _LONGEST - len(tail)] + tail
    return text or "%"


def markdown(text: str) -> str:
    """Escape a text so that Markdown shows it literally, also in a table."""
    return re.sub(r"([\\`*_\[\]<>|$~&])", r"\\\1", printable(text))
