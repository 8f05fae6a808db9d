"""Whether ratings are those of other programs: evalica's Bradley–Terry, and an exact refit made elsewhere.

Reads the ratings that this product made of each file, prints the largest difference, and fails where one is
larger than allowed.
"""

import json
import math
import os
import sys

import evalica
import pandas as pd

# Elo points.
ALLOWED = {"llmfao.csv": 0.01, "battles18.csv": 0.001}


def by_evalica(path):
    """Natural strengths on the Elo scale, mean 1000. A tie is half a win each way, as `tie_weight` says."""
    frame = pd.read_csv(path)
    winners = frame["winner"].map({
        "left": evalica.Winner.X,
        "right": evalica.Winner.Y,
        "tie": evalica.Winner.Draw,
    })
    found = evalica.bradley_terry(
        frame["left"], frame["right"], winners, win_weight=1.0, tie_weight=0.5, tolerance=1e-12, limit=1_000_000
    )
    ratings = {name: 400.0 * math.log10(score) for name, score in found.scores.items()}
    mean = sum(ratings.values()) / len(ratings)
    return {name: rating - mean + 1000.0 for name, rating in ratings.items()}, found.iterations


def compare(name, own, other, against):
    if own.keys() != other.keys():
        raise SystemExit(f"{name}: not the same systems: {sorted(own.keys() ^ other.keys())}")
    apart, system = max((abs(own[system] - other[system]), system) for system in own)
    good = apart <= ALLOWED[name]
    print(
        f"{name}: {len(own)} systems, at most {apart:.2e} Elo from {against} ({system}; "
        f"{ALLOWED[name]} allowed){'' if good else ': too far'}"
    )
    return good


def main():
    data, made = sys.argv[1:3]

    def own(name):
        with open(os.path.join(made, f"{name}.json"), encoding="utf-8") as file:
            return json.load(file)

    with open(os.path.join(data, "battles18-exact.json"), encoding="utf-8") as file:
        exact = json.load(file)["rating"]
    ratings, iterations = by_evalica(os.path.join(data, "llmfao.csv"))
    good = [
        compare("llmfao.csv", own("llmfao.csv"), ratings, f"evalica {evalica.__version__}, {iterations} iterations"),
        compare("battles18.csv", own("battles18.csv"), exact, "the exact refit"),
    ]
    sys.exit(0 if all(good) else 1)


if __name__ == "__main__":
    main()
