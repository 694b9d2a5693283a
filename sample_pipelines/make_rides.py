"""Write the rides of a week of hired bicycles, one record a line; every start writes the same ones.

python sample_pipelines/make_rides.py > rides.jsonl
"""

import json
import sys
from random import Random

RIDES = 10_000
STATIONS = ("Aker Brygge", "Grünerløkka", "Majorstuen", "Sentralen", "Tøyen")
ELECTRIC = 0.4
"""How many of them have a motor."""
FAULTY = 833
"""Every ride of this number was never given back, and its minutes are missing."""


def rides() -> list[dict[str, object]]:
    """Return the rides."""
    chance = Random(2026)
    found: list[dict[str, object]] = []
    for number in range(1, RIDES + 1):
        ride = {
            "ride": f"R{number:05}",
            "station": chance.choice(STATIONS),
            "minutes": max(1, round(chance.gauss(22, 14))),
            "electric": chance.random() < ELECTRIC,
        }
        if number % FAULTY == 0:
            del ride["minutes"]
        found.append(ride)
    return found


if __name__ == "__main__":
    sys.stdout.writelines(f"{json.dumps(ride, ensure_ascii=False)}\n" for ride in rides())
