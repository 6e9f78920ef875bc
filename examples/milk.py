r"""A dairy that collects the milk of 300 farms every morning with 12 tankers.

All data is made up: farms lie in the valleys of a hilly region. The spreadsheet is written as a
spreadsheet program in Italy writes it, with semicolons and decimal commas, and the dairy is
somewhere in the middle of it. The script plans the morning with no more than 12 tankers:

    python examples/milk.py --out milk

The same plan on the command line:

    sil solve milk/farms.csv --depot Latteria --capacity 26000 --detour 1.4 --speed 45km/h \
        --max-duration 7h --max-vehicles 12 --max-runtime 60 --out milk/plan.csv --map milk/map.html
"""

import argparse
from pathlib import Path

import numpy as np

import sil

DAIRY = (46.13, 11.21)  # latitude and longitude
CAPACITY = 26_000  # litres
FULL = 0.95  # share of the tankers that the milk of all farms fills
HOUR = 3600.0


def farms(count: int, tankers: int, seed: int = 0) -> list[tuple[str, float, float, int, int]]:
    """Make up farms: name, latitude, longitude, litres and minutes for pumping."""
    rng = np.random.default_rng(seed)
    # Valleys lead away from the dairy and bend a little on their way.
    valley = rng.integers(0, 7, count)
    along = 3 + 42 * np.sqrt(rng.random(count))  # km
    angle = 0.9 * valley + 0.01 * along + rng.normal(0, 0.05, count)
    lat = DAIRY[0] + along * np.cos(angle) / 111.2
    lon = DAIRY[1] + along * np.sin(angle) / (111.2 * np.cos(np.radians(DAIRY[0])))
    herd = rng.gamma(2.2, 1.0, count) + 0.2
    litres = np.maximum(50, herd / herd.sum() * FULL * tankers * CAPACITY).astype(int)
    return [
        (f"Maso {i + 1}", float(lat[i]), float(lon[i]), int(litres[i]), 5 + int(litres[i]) // 250)
        for i in range(count)
    ]


def write_table(path: Path, rows: list[tuple[str, float, float, int, int]]) -> None:
    """Write the spreadsheet, with the dairy in the middle."""
    lines = [
        f"{name};{lat:.5f};{lon:.5f};{litres};{minutes}".replace(".", ",")
        for name, lat, lon, litres, minutes in rows
    ]
    dairy = f"Latteria;{DAIRY[0]:.5f};{DAIRY[1]:.5f};0;0".replace(".", ",")
    lines.insert(len(lines) // 2, dairy)
    header = "Nome;Latitudine;Longitudine;Quantità;Service (min)"
    path.write_bytes("\r\n".join([header, *lines, ""]).encode("utf-8-sig"))


def plan(table: Path, tankers: int, seconds: float) -> sil.Result:
    """Read the spreadsheet of the farms and plan the morning."""
    morning = sil.read(table, capacity=CAPACITY, depot="Latteria").replace(
        detour=1.4,  # mountain roads
        speed=45 / 3.6,  # metres per second
        max_duration=7 * HOUR,
        max_vehicles=tankers,
    )
    return sil.solve(morning, sil.MaxRuntime(seconds))


def main() -> None:
    """Make up a morning and plan it."""
    parser = argparse.ArgumentParser(description="Plan a milk round.")
    parser.add_argument("--out", type=Path, default=Path("milk"), help="folder for all files")
    parser.add_argument("--farms", type=int, default=300)
    parser.add_argument("--tankers", type=int, default=12)
    parser.add_argument("--seconds", type=float, default=30.0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / "farms.csv"
    write_table(table, farms(options.farms, options.tankers))
    result = plan(table, options.tankers, options.seconds)
    print(result.summary())
    if not result.is_feasible():
        print(f"{options.tankers} tankers are too few, or need more time")
    sil.write_solution(options.out / "plan.csv", result.best, result.problem)
    sil.save_map(options.out / "map.html", result.best, result.problem)


if __name__ == "__main__":
    main()
