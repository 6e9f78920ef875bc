"""What the columns of a table mean, by their headings in the usual spellings and languages."""

import unicodedata

from sil.errors import InputError, excerpt

_SPELLINGS = {
    "id": "id ids code codice codigo nr no number stopid node nodeid customerid clientid",
    "name": "name nome nombre nom customer cliente client location",
    "x": "x xcoord xcoordinate coordx easting",
    "y": "y ycoord ycoordinate coordy northing",
    "lat": "lat latitude latitudine latitud breite breitengrad",
    "lon": "lon lng long longitude longitudine longitud lange laenge langengrad laengengrad",
    "demand": "demand demands quantity qty load domanda quantita carico quantite demande cantidad "
    "demanda menge bedarf",
    "service": "service servicetime servicetimes serviceduration servizio tempodiservizio",
}
# Service times whose headings name a unit, and how many seconds it has.
SECONDS = {
    "service_s": 1.0,
    "service_min": 60.0,
    "service_h": 3600.0,
}
_UNITS = {
    "service_s": "seconds second secs sec",
    "service_min": "minutes minute mins min minuti minuten",
    "service_h": "hours hour h",
}
_REFUSED = {
    "time windows": "timewindow timewindows tw twstart twend twfrom twto earliest latest readytime "
    "duedate open opens close closes opening closing",
    "pickups": "pickup pickups delivery deliveries backhaul",
    "skills": "skill skills",
    "priorities": "priority prize profit",
}
_MEANING = {word: role for role, words in _SPELLINGS.items() for word in words.split()}
_MEANING |= {
    service + unit: role
    for service in _SPELLINGS["service"].split()
    for role, units in _UNITS.items()
    for unit in units.split()
}
_UNSUPPORTED = {word: what for what, words in _REFUSED.items() for word in words.split()}


def roles(header: list[str]) -> dict[str, int]:
    """Find the columns that are used, by role: id, name, x, y, lat, lon, demand and service.

    A service time whose heading names a unit, such as "service (min)", is a role of `SECONDS`.

    Other columns, such as telephone numbers, have no role. A column that asks for something that
    is not supported is an error, as are two columns for the same role.
    """
    found: dict[str, int] = {}
    for index, heading in enumerate(header):
        word = _plain(heading)
        if word in _UNSUPPORTED:
            raise InputError(
                f"column {excerpt(heading)}: {_UNSUPPORTED[word]} are not supported; rename or "
                "remove the column to solve without them"
            )
        role = _MEANING.get(word)
        if role in found:
            raise InputError(
                f"the columns {excerpt(header[found[role]])} and {excerpt(heading)} have the same "
                "meaning: rename or remove one of them"
            )
        if role is not None:
            found[role] = index
    if {"x", "y"} & found.keys() and {"lat", "lon"} & found.keys():
        raise InputError(
            "there are columns for x and y and for latitude and longitude: keep one pair"
        )
    return found


def is_header(header: list[str]) -> bool:
    """Whether a row of cells names the columns of a pair of coordinates."""
    words = {_MEANING.get(_plain(heading)) for heading in header}
    return {"x", "y"} <= words or {"lat", "lon"} <= words


def _plain(heading: str) -> str:
    """Reduce a heading to its letters and digits, in lower case and without accents."""
    letters = unicodedata.normalize("NFKD", heading.casefold())
    return "".join(sign for sign in letters if sign.isalnum())
