"""How names of sets and instances are written: as names of files, and in texts for people."""

import hashlib
import re

from sil.errors import printable

_LONGEST = 100  # characters of a file's name, for all systems take as many


def file_name(name: str) -> str:
    """Turn any name into one of a file: readable, in the folder it is put into, and unique.

    Letters, digits and ``._-`` stay; all else is written as in an address, such as ``%2F``.
    """
    text = "".join(
        chr(byte) if re.match(r"[A-Za-z0-9._-]", chr(byte)) else f"%{byte:02X}"
        for byte in name.encode("utf-8", "surrogatepass")
    )
    if text.startswith("."):  # neither hidden nor a way out of the folder
        text = "%2E" + text[1:]
    if len(text) > _LONGEST:
        # The sign ~ tells it from names that are long enough by themselves.
        tail = "~" + hashlib.sha256(text.encode()).hexdigest()[:16]
        text = text[: _LONGEST - len(tail)] + tail
    return text or "%"


def markdown(text: str) -> str:
    """Write a text so that Markdown shows it as it is, also in a table."""
    return re.sub(r"([\\`*_\[\]<>|$~&])", r"\\\1", printable(text))
