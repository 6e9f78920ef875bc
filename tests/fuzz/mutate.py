"""Odd values, and ways to spoil what was right."""

import random
from collections.abc import Callable

NUMBERS = [
    "nan", "inf", "-inf", "-0", "-1", "0", "1e308", "-1e308", "1e309", "1e-320", "1_000", "0x10",
    "١٢", "½", "1,5", "1e", "--1", "+-1", "1.5", "0.5", "1e2", "9" * 5000, "1" + "0" * 5000,
    "2147483647", "2147483648", "-2147483649", "4294967296", "9007199254740993",
    "9223372036854775807", "9223372036854775808", "18446744073709551616", "1" * 100, "True",
    "None", "", " ", "1 2", "1j", "1e1000000", "0b1", "1.", ".5", "1d3", "NaN", "Infinity",
]  # fmt: skip
WORDS = [
    "", " ", "x", "EOF", "NODE_COORD_SECTION", "X_SECTION", "COMMENT : x", "TYPE : TSP", "-1",
    "DIMENSION : 3", "DIMENSION: 99999999999", "CAPACITY : 1", "NAME : a:b", "{", "}", "[[[[",
    "\x00", "\x1b[31m", "\ufeff", "\u2028", "é" * 50, "x" * 10_000, "..", "/", "\\", "%s%n", "'",
    '"', "#", "nan nan nan", "1 1 1 1 1", ":", "::", "TOUR_SECTION", "Route #1: 1 2 : 3", "Cost 1",
    "DISTANCE : 5", "EDGE_WEIGHT_FORMAT : LOWER_ROW", "NODE_COORD_TYPE : THREED_COORDS", "\t", "\v",
    "EDGE_WEIGHT_TYPE : GEO", "DEPOT_SECTION", "DEMAND_SECTION", "EDGE_WEIGHT_SECTION", "\x85",
]  # fmt: skip
# None of these may write elsewhere, forge a line, or reach a terminal as it is.
NAMES = [
    "../up", "../../up", "a/b", "/tmp/x", "[bold]x[/bold]", "[/]", "a[b", "$\\foo$", "$x^$",
    "a_b^c", "a|b",
    "<b>x</b>", "a&b", "`x`", "a\\b", "%d", "é", "名前", "x" * 200, " x ", "a:b", "EOF",
    "NODE_COORD_SECTION", "-x", "~", "$HOME", "con", "a;b", "*", "?", "'", '"', ".", "..", "x.npz",
    "{x}", "{0}", "#", "-1", "{", "<script>alert(1)</script>", "=1+1", "a,b",
]  # fmt: skip
BAD_NAMES = [
    "a\nb", "a\nTOUR_SECTION\n1\n-1", "\x1b[31mred", "a\x00b", "\x07", "a\rb", "\ud800", "\x9b1m",
    "\u202eabc", "x" * 201, "a\u2028b", "x" * 100_000, "a\tb", "\x7f", "\x85",
]  # fmt: skip


def spoil_text(rng: random.Random, content: bytes) -> bytes:
    """Spoil the lines, the words or the bytes of a text, once or a few times."""
    for _ in range(rng.choice([1, 1, 1, 2, 4])):
        content = rng.choice(_TEXT)(rng, content)
    return content


def spoil_bytes(rng: random.Random, content: bytes) -> bytes:
    """Spoil the bytes of any file."""
    for _ in range(rng.choice([1, 1, 2, 5])):
        content = rng.choice(_BYTES)(rng, content)
    return content


def _line(change: Callable[[random.Random, list[bytes], int], None]) -> "Spoil":
    def spoil(rng: random.Random, content: bytes) -> bytes:
        lines = content.split(b"\n")
        change(rng, lines, rng.randrange(len(lines)))
        return b"\n".join(lines)

    return spoil


def _drop(rng: random.Random, lines: list[bytes], at: int) -> None:
    del lines[at]


def _repeat(rng: random.Random, lines: list[bytes], at: int) -> None:
    lines.insert(rng.randrange(len(lines) + 1), lines[at])


def _swap(rng: random.Random, lines: list[bytes], at: int) -> None:
    other = rng.randrange(len(lines))
    lines[at], lines[other] = lines[other], lines[at]


def _insert(rng: random.Random, lines: list[bytes], at: int) -> None:
    lines.insert(at, rng.choice(WORDS).encode("utf-8", "surrogatepass"))


def _word(rng: random.Random, lines: list[bytes], at: int) -> None:
    words = lines[at].split(b" ")
    words[rng.randrange(len(words))] = rng.choice(NUMBERS + WORDS).encode("utf-8", "surrogatepass")
    lines[at] = b" ".join(words)


def _join(rng: random.Random, lines: list[bytes], at: int) -> None:
    lines[at : at + 2] = [b" ".join(lines[at : at + 2])]


def _number(rng: random.Random, content: bytes) -> bytes:
    """Put another number in the place of one."""
    places = [i for i, c in enumerate(content) if 48 <= c <= 57]
    if not places:
        return content
    begin = end = rng.choice(places)
    while begin > 0 and content[begin - 1] in b"0123456789.e-+":
        begin -= 1
    while end < len(content) and content[end] in b"0123456789.e-+":
        end += 1
    return content[:begin] + rng.choice(NUMBERS).encode() + content[end:]


def _cut(rng: random.Random, content: bytes) -> bytes:
    return content[: rng.randrange(len(content) + 1)]


def _flip(rng: random.Random, content: bytes) -> bytes:
    if not content:
        return content
    at = rng.randrange(len(content))
    return content[:at] + bytes([content[at] ^ (1 << rng.randrange(8))]) + content[at + 1 :]


def _noise(rng: random.Random, content: bytes) -> bytes:
    at = rng.randrange(len(content) + 1)
    return content[:at] + rng.randbytes(rng.choice([1, 2, 50])) + content[at:]


def _without(rng: random.Random, content: bytes) -> bytes:
    begin = rng.randrange(len(content) + 1)
    return content[:begin] + content[begin + rng.choice([1, 2, 10, 1000]) :]


def _encoded(rng: random.Random, content: bytes) -> bytes:
    kind = rng.randrange(5)
    if kind == 0:
        return b"\xef\xbb\xbf" + content
    if kind == 1:
        return content.replace(b"\n", b"\r\n")
    if kind == 2:
        return content.replace(b"\n", b"\r")
    if kind == 3:
        return content.decode("utf-8", "replace").encode("utf-16")
    return content.replace(b"\n", b"\x0c\n")


def _nothing(rng: random.Random, content: bytes) -> bytes:
    return rng.choice([b"", b"\n", b"\x00" * 100, b" ", b"\xff\xfe", b"PK\x03\x04", b"{}", b"[]"])


Spoil = Callable[[random.Random, bytes], bytes]
_BYTES: list[Spoil] = [_cut, _flip, _flip, _noise, _without, _number, _nothing]
_TEXT: list[Spoil] = [
    *map(_line, (_drop, _repeat, _swap, _insert, _insert, _word, _word, _join)),
    *(_number, _number, _number, _cut, _flip, _noise, _without, _encoded, _nothing),
]
