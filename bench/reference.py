"""What ratings are measured against: NumPy, SciPy and pandas, doing what ResearchQA's notebook does.

Writes the files that both sides read, then answers one request a line with one line: a JSON object with the
milliseconds that the work took. Requests stand on standard input, so that measurements can take turns.
"""

import io
import json
import os
import sys
import time

# Read by NumPy's libraries when they are loaded. A type or cache size named by the machine must not matter.
os.environ.pop("OPENBLAS_CORETYPE", None)
os.environ.pop("OPENBLAS_L2_SIZE", None)
for name in ("OPENBLAS_NUM_THREADS", "OMP_NUM_THREADS", "MKL_NUM_THREADS"):
    os.environ[name] = "1"

import numpy as np  # noqa: E402
import pandas as pd  # noqa: E402
import scipy  # noqa: E402
from scipy.optimize import minimize  # noqa: E402
from scipy.special import expit  # noqa: E402

ALPHA = np.log(10.0)

# Mean ratings that the notebook prints.
PUBLISHED = [
    1505.19, 1243.88, 1148.60, 1144.63, 1114.68, 1099.17, 1080.48, 1037.58, 1019.68, 1010.93,
    992.32, 971.84, 960.23, 944.59, 862.27, 768.87, 616.95, 478.11,
]


def draw(ratings, first, second, ties, generator):
    """0, 1 or 2 a battle: the first won, the second won, a tie."""
    chance = 1.0 / (1.0 + 10.0 ** ((ratings[second] - ratings[first]) / 400.0))
    lost = (chance <= generator.random(len(first))).astype(np.int64)
    return np.where(generator.random(len(first)) < ties, 2, lost)


def battles_of_few(generator):
    """18 systems, 50 battles a pair."""
    ratings = np.array(PUBLISHED)
    first, second = (np.repeat(side, 50) for side in np.triu_indices(18, 1))
    return ratings, first, second, draw(ratings, first, second, 0.029, generator)


def battles_of_many(systems, battles, generator):
    """Strengths spread as published, and some systems met far more often than others (Zipf)."""
    ratings = np.interp(np.linspace(0, 17, systems), np.arange(18), np.array(PUBLISHED))
    popular = 1.0 / np.arange(1, systems + 1)
    popular = generator.permutation(popular / popular.sum())
    first = generator.choice(systems, battles, p=popular)
    second = generator.choice(systems, battles, p=popular)
    while (same := np.flatnonzero(first == second)).size:
        second[same] = generator.choice(systems, same.size, p=popular)
    return ratings, first, second, draw(ratings, first, second, 0.03, generator)


def counts_of(systems, first, second, result):
    """Wins, losses and ties of each pair: (0, 1), (0, 2), (1, 2), (0, 3), … seen from the smaller number."""
    low, high = np.minimum(first, second), np.maximum(first, second)
    swapped = np.where((low != first) & (result < 2), 1 - result, result)
    place = high * (high - 1) // 2 + low
    return np.bincount(place * 3 + swapped, minlength=systems * (systems - 1) // 2 * 3)


def prepare(folder):
    """Tables of battles in random order, as either side may stand first; and what the other side reads."""
    generator = np.random.default_rng(20260301)
    sets = {"few": (18, battles_of_few(generator)), "many": (200, battles_of_many(200, 1_000_000, generator))}
    tables = {}
    for name, (systems, (ratings, first, second, result)) in sets.items():
        swapped = generator.random(len(first)) < 0.5
        first, second = np.where(swapped, second, first), np.where(swapped, first, second)
        result = np.where(swapped & (result < 2), 1 - result, result)
        order = generator.permutation(len(first))
        first, second, result = first[order], second[order], result[order]
        counts_of(systems, first, second, result).astype("<u4").tofile(os.path.join(folder, f"{name}.counts"))
        # Two to twelve battles a query, in seven strata.
        sizes = np.cumsum(generator.integers(2, 13, len(first)))
        query = np.searchsorted(sizes, np.arange(len(first)), side="right")
        table = np.column_stack([first, second, result, query, query % 7])
        table.astype("<u4").tofile(os.path.join(folder, f"{name}.battles"))
        tables[name] = (systems, cells_of(first, second, result))
        if name == "many":
            kinds = np.array(["agentic-search", "parametric", "retrieval", "deep-research"])
            names = np.array([f"{kinds[at % 4]}-model-{at}" for at in range(systems)])
            winners = np.array(["model_a", "model_b", "tie"])[result]
            frame = pd.DataFrame({"model_a": names[first], "model_b": names[second], "winner": winners})
            frame.to_csv(os.path.join(folder, "many.csv"), index=False)
    return tables


def cells_of(first, second, result):
    """The notebook's table: every battle twice, a tie as a win and a loss; its distinct rows, counted."""
    rows = np.concatenate([
        np.column_stack([first, second, np.where(result == 1, 0, 1)]),
        np.column_stack([first, second, np.where(result == 0, 1, 0)]),
    ])
    cells, weight = np.unique(rows, axis=0, return_counts=True)
    first, second, outcome = (np.ascontiguousarray(column) for column in cells.T)
    return first, second, outcome.astype(float), weight


def fit(first, second, outcome, weight, systems):
    def loss_and_gradient(ratings):
        chance = expit(ALPHA * (ratings[first] - ratings[second]))
        loss = -(weight * (outcome * np.log(chance) + (1.0 - outcome) * np.log1p(-chance))).sum()
        part = -ALPHA * (outcome - chance) * weight
        gradient = np.bincount(first, part, systems) - np.bincount(second, part, systems)
        return loss, gradient

    with np.errstate(divide="ignore", invalid="ignore"):
        found = minimize(loss_and_gradient, np.zeros(systems), jac=True, method="L-BFGS-B", options={"maxiter": 100, "gtol": 1e-6})
    return found.x * 400.0 + 1000.0


def bootstrap(cells, systems, rounds, seed):
    generator = np.random.default_rng(seed)
    first, second, outcome, weight = cells
    total = int(weight.sum())
    drawn = generator.multinomial(total, weight / total, size=rounds)
    return np.array([fit(first, second, outcome, drawn[at] / total, systems) for at in range(rounds)])


def answer(request, folder, tables):
    if request["do"] == "bootstrap":
        systems, cells = tables[request["set"]]
        start = time.perf_counter()
        ratings = bootstrap(cells, systems, request["rounds"], request["seed"])
        spent = time.perf_counter() - start
        more = {"median": np.median(ratings, axis=0).tolist(), "std": ratings.std(axis=0).tolist()}
    else:
        with open(os.path.join(folder, "many.csv"), "rb") as file:
            content = file.read()
        start = time.perf_counter()
        frame = pd.read_csv(io.BytesIO(content))
        grouped = frame.groupby(["model_a", "model_b", "winner"], sort=False).size()
        spent = time.perf_counter() - start
        pairs = {tuple(sorted(key[:2])) for key in grouped.index}
        more = {"battles": int(grouped.sum()), "pairs": len(pairs)}
    return {"ms": spent * 1000.0, **more}


def main():
    folder = sys.argv[1]
    tables = prepare(folder)
    print(json.dumps({"ready": f"NumPy {np.__version__}, SciPy {scipy.__version__}, pandas {pd.__version__}"}), flush=True)
    for line in sys.stdin:
        print(json.dumps(answer(json.loads(line), folder, tables)), flush=True)


if __name__ == "__main__":
    main()
