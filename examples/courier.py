r"""A courier with 20,000 parcels a day in and around a city, and drivers with a shift.

All data is made up: addresses lie in towns of different sizes around a depot. The script writes
them as a spreadsheet, reads it again as anybody's spreadsheet would be read, plans the day, and
writes the plan as tables and as a map:

    python examples/courier.py --out courier

The same plan on the command line:

    sil solve courier/parcels.csv --capacity 140 --detour 1.3 --speed 32km/h \
        --max-duration 8h30 --max-runtime 60 --out courier/plan.csv --map courier/map.html
"""

import argparse
import csv
from pathlib import Path

import numpy as np

import sil

DEPOT = (48.21, 16.22)  # latitude and longitude
KM_PER_DEGREE = 111.2
HOUR = 3600.0
STREETS = ("Mill Lane", "Station Road", "Church Street", "Orchard Way", "High Street", "Lake View")


def parcels(count: int, seed: int = 0) -> list[dict[str, object]]:
    """Make up the depot and `count` addresses, with parcels and seconds at the door."""
    rng = np.random.default_rng(seed)
    # One large city, and towns that become rarer and smaller with the distance.
    towns = np.concatenate([[[0.0, 15.0]], rng.normal(0, 28, (60, 2))])  # km north and east
    weight = np.concatenate([[40.0], rng.pareto(1.2, 60) + 0.3])
    spread = 0.6 + 1.1 * np.sqrt(weight)
    town = rng.choice(len(towns), count, p=weight / weight.sum())
    north, east = (towns[town] + rng.normal(0, 1, (count, 2)) * spread[town, None]).T
    lat = DEPOT[0] + north / KM_PER_DEGREE
    lon = DEPOT[1] + east / (KM_PER_DEGREE * np.cos(np.radians(DEPOT[0])))
    number = 1 + rng.geometric(0.6, count) // 2
    rows: list[dict[str, object]] = [
        {"id": "depot", "lat": DEPOT[0], "lon": DEPOT[1], "quantity": 0, "service": 0}
    ]
    for i in range(count):
        name = f"{STREETS[i % len(STREETS)]} {1 + i // len(STREETS)}"
        row = {"id": name, "lat": round(float(lat[i]), 5), "lon": round(float(lon[i]), 5)}
        rows.append({**row, "quantity": int(number[i]), "service": 60 + 25 * int(number[i])})
    return rows


def plan(table: Path, seconds: float) -> sil.Result:
    """Read a spreadsheet of parcels and plan their delivery."""
    day = sil.read(table, capacity=140).replace(
        detour=1.3,  # roads are longer than straight lines
        speed=32 / 3.6,  # metres per second
        max_duration=8.5 * HOUR,
    )
    return sil.solve(day, sil.MaxRuntime(seconds))


def main() -> None:
    """Make up a day and plan it."""
    parser = argparse.ArgumentParser(description="Plan a day of a courier.")
    parser.add_argument("--out", type=Path, default=Path("courier"), help="folder for all files")
    parser.add_argument("--stops", type=int, default=20_000)
    parser.add_argument("--seconds", type=float, default=60.0)
    options = parser.parse_args()
    options.out.mkdir(parents=True, exist_ok=True)
    table = options.out / "parcels.csv"
    rows = parcels(options.stops)
    with table.open("w", newline="", encoding="utf-8") as file:
        writer = csv.DictWriter(file, list(rows[0]))
        writer.writeheader()
        writer.writerows(rows)
    result = plan(table, options.seconds)
    print(result.summary())
    sil.write_solution(options.out / "plan.csv", result.best, result.problem)
    sil.save_map(options.out / "map.html", result.best, result.problem)


if __name__ == "__main__":
    main()
