#!/usr/bin/env python3
"""Structures of studded bricks: `riprap stable` beside HiGHS on a linear program written
independently of it.

    tools/studs.py RIPRAP FILE...            structures in files: StableLego .json, BrickGPT .txt
    tools/studs.py RIPRAP --random 500       random structures of our own, written to a folder
    tools/studs.py RIPRAP --exact ...        the same, decided by us in whole numbers

Needs numpy, scipy and highspy. For every structure: both utilisations, both times (HiGHS:
building excluded, the faster of three; ours: `seconds` of --json, contacts, program and proof,
the faster of three), at the end the medians, their ratio and the largest difference.
Exit status 1 if a verdict differs or a utilisation by more than 1e-3.

The program is the one of the usual model of such bricks: a cell of a brick on a cell of a brick
below (or of the plate) is a stud; at points of each stud act push >= 0 and 0 <= pull, vertical;
horizontal forces of any sign act at each stud between the bricks, horizontal pushes between side
faces of neighbouring cells. Every brick balances three forces and two moments about horizontal
axes. Least is the largest pull / T.
"""
import json, os, random, re, statistics, subprocess, sys, tempfile, time

import highspy
import numpy as np
from scipy.sparse import csc_matrix

CELL, HEIGHT, GRAVITY, PULL = 0.0078, 0.0096, 9.8, 0.98
NARROW = [(0, -0.25), (-0.25, 0), (0, 0.25), (0.25, 0)]
WIDE = [(0.125, -0.125), (-0.25, 0), (0.125, 0.125)]
# By size in studs, of the library that StableLego has; kg.
MASSES = {(1, 1): 0.00043, (1, 2): 0.00081, (1, 4): 0.00157, (1, 6): 0.00228, (1, 8): 0.00303,
          (2, 2): 0.00115, (2, 4): 0.00216, (2, 6): 0.00323}


def read(path):
    """Bricks as (x, y, z, cells along x, cells along y, mass)."""
    text = open(path).read()
    if path.endswith(".json"):
        library = json.load(open(os.path.join(os.path.dirname(path), "lego_library.json")))
        bricks = []
        for b in json.loads(text).values():
            kind = library[str(b["brick_id"])]
            along = (kind["height"], kind["width"])
            if b["ori"] == 1:
                along = along[::-1]
            bricks.append((b["x"], b["y"], b["z"], *along, kind["mass"]))
        return bricks
    library = os.path.join(os.path.dirname(path), "lego_library.json")
    masses = dict(MASSES)
    if os.path.exists(library):
        masses = {}
        for number, k in json.load(open(library)).items():
            if number != "1":
                masses[tuple(sorted((k["height"], k["width"])))] = k["mass"]
    bricks = []
    for line in text.split("\n"):
        if line.strip():
            h, w, x, y, z = map(int, re.fullmatch(r"(\d+)x(\d+) \((\d+),(\d+),(\d+)\)", line.strip()).groups())
            bricks.append((x, y, z, h, w, masses[tuple(sorted((h, w)))]))
    return bricks


def program(bricks):
    """The columns (entries, cost, lower, upper) and the right-hand side."""
    cells = {}
    for i, (x, y, z, nx, ny, _) in enumerate(bricks):
        for dx in range(nx):
            for dy in range(ny):
                if (x + dx, y + dy, z) in cells:
                    raise ValueError("bricks overlap")
                cells[x + dx, y + dy, z] = i
    middle = [((x + nx / 2) * CELL, (y + ny / 2) * CELL, (z + 0.5) * HEIGHT) for x, y, z, nx, ny, _ in bricks]
    columns, limits = [], []

    def force(on, other, at, f):
        entries = {}
        for body, sign in ((on, 1), (other, -1)):
            if body is None:
                continue
            r = [at[k] - middle[body][k] for k in range(3)]
            g = [sign * v for v in f]
            moment = (r[1] * g[2] - r[2] * g[1], r[2] * g[0] - r[0] * g[2])
            for k, v in enumerate((*g, moment[0] / CELL, moment[1] / CELL)):
                if v:
                    entries[5 * body + k] = entries.get(5 * body + k, 0) + v
        return entries

    for (cx, cy, cz), i in sorted(cells.items()):
        below = cells.get((cx, cy, cz - 1)) if cz else None
        if cz == 0 or below is not None:
            narrow = min(bricks[i][3], bricks[i][4]) == 1
            z = cz * HEIGHT
            for px, py in NARROW if narrow else WIDE:
                at = ((cx + 0.5 + px) * CELL, (cy + 0.5 + py) * CELL, z)
                columns.append((force(i, below, at, (0, 0, 1)), 0, 0, np.inf))
                limits.append(len(columns))
                columns.append((force(i, below, at, (0, 0, -1)), 0, 0, np.inf))
            at = ((cx + 0.5) * CELL, (cy + 0.5) * CELL, z)
            for f in ((1, 0, 0), (0, 1, 0)):
                columns.append((force(i, below, at, f), 0, -np.inf, np.inf))
        for dx, dy in ((1, 0), (0, 1)):
            j = cells.get((cx + dx, cy + dy, cz))
            if j is not None and j != i:
                at = ((cx + 0.5 + dx / 2) * CELL, (cy + 0.5 + dy / 2) * CELL, (cz + 0.5) * HEIGHT)
                columns.append((force(j, i, at, (dx, dy, 0)), 0, 0, np.inf))
    rows = 5 * len(bricks)
    right = np.zeros(rows)
    for i, b in enumerate(bricks):
        right[5 * i + 2] = b[5] * GRAVITY
    return columns, limits, rows, right


def highs(bricks):
    """The least largest pull / T (infinite if nothing holds), and the seconds of HiGHS."""
    columns, limits, rows, right = program(bricks)
    total = rows + len(limits)
    r, c, v = [], [], []
    for k, (entries, *_) in enumerate(columns):
        for row, x in entries.items():
            r.append(row), c.append(k), v.append(x)
    u = len(columns)
    for k, column in enumerate(limits):
        r += [rows + k] * 2
        c += [column, u]
        v += [1 / PULL, -1]
    matrix = csc_matrix((v, (r, c)), shape=(total, u + 1))
    lp = highspy.HighsLp()
    lp.num_col_, lp.num_row_ = u + 1, total
    lp.col_cost_ = np.array([0.0] * u + [1.0])
    lp.col_lower_ = np.array([x[2] for x in columns] + [0.0])
    lp.col_upper_ = np.array([x[3] for x in columns] + [np.inf])
    lp.row_lower_ = np.concatenate([right, np.full(len(limits), -np.inf)])
    lp.row_upper_ = np.concatenate([right, np.zeros(len(limits))])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kColwise
    lp.a_matrix_.start_, lp.a_matrix_.index_, lp.a_matrix_.value_ = matrix.indptr, matrix.indices, matrix.data
    best, value = np.inf, np.inf
    for _ in range(3):
        solver = highspy.Highs()
        solver.setOptionValue("output_flag", False)
        solver.setOptionValue("threads", 1)
        solver.passModel(lp)
        start = time.perf_counter()
        solver.run()
        best = min(best, time.perf_counter() - start)
        if solver.getModelStatus() == highspy.HighsModelStatus.kOptimal:
            value = solver.getInfo().objective_function_value
    return value, best


def ours(binary, path, more):
    best, answer = np.inf, None
    for _ in range(3):
        out = subprocess.run([binary, "stable", path, "--json", *more], capture_output=True, text=True)
        if out.returncode != 0:
            sys.exit(f"{path}: {out.stderr}")
        answer = json.loads(out.stdout)
        best = min(best, answer["seconds"])
    value = answer["utilisation"]
    return (np.inf if value == "unbounded" else value), answer["verdict"], answer["exact"], best


def randomly(seed):
    """A random structure that hangs together: each brick is put on or under one that is there."""
    rng = random.Random(seed)
    sizes = sorted(MASSES)
    count = rng.randint(2, 24)
    cells, bricks = {}, []
    for _ in range(50 * count):
        if len(bricks) == count:
            break
        h, w = rng.choice(sizes)
        if rng.random() < 0.5:
            h, w = w, h
        if bricks and rng.random() < 0.9:
            x, y, z, nx, ny, _ = rng.choice(bricks)
            z += 1 if rng.random() < 0.8 or z == 0 else -1
            x += rng.randint(1 - h, nx - 1)
            y += rng.randint(1 - w, ny - 1)
        else:
            x, y, z = rng.randint(0, 12), rng.randint(0, 12), 0
        if x < 0 or y < 0:
            continue
        own = [(x + a, y + b, z) for a in range(h) for b in range(w)]
        if any(c in cells for c in own):
            continue
        cells.update((c, len(bricks)) for c in own)
        bricks.append((x, y, z, h, w, MASSES[tuple(sorted((h, w)))]))
    return bricks


def write(bricks, path):
    with open(path, "w") as file:
        for x, y, z, h, w, _ in bricks:
            file.write(f"{h}x{w} ({x},{y},{z})\n")


def main():
    binary, *files = sys.argv[1:]
    more = [word for word in files if word == "--exact"]
    files = [word for word in files if word != "--exact"]
    if files and files[0] == "--random":
        folder = tempfile.mkdtemp()
        count = int(files[1])
        files = []
        for seed in range(count):
            files.append(os.path.join(folder, f"{seed}.txt"))
            write(randomly(seed), files[-1])
    # A library of bricks is no structure.
    files = [path for path in files if os.path.basename(path) != "lego_library.json"]
    if not files:
        sys.exit("no structures: name files, or --random 500")
    print(f"{'file':28} bricks    HiGHS     ours   verdict    HiGHS ms  ours ms")
    times, worst, wrong, exact = [], 0.0, 0, 0
    verdicts = {}
    for path in files:
        bricks = read(path)
        value, their_time = highs(bricks)
        mine, verdict, proved, my_time = ours(binary, path, more)
        difference = 0.0 if value == mine else abs(value - mine)
        falls = verdict == "unstable"
        bad = (value > 1) != falls or difference > 1e-3 * max(1.0, value)
        wrong += bad
        exact += proved
        verdicts[verdict] = verdicts.get(verdict, 0) + 1
        worst = max(worst, difference / max(1.0, min(value, 1e300)))
        times.append((their_time, my_time))
        print(f"{os.path.basename(path):28} {len(bricks):6} {value:8.4f} {mine:8.4f}   {verdict:10} {1e3*their_time:8.2f} {1e3*my_time:8.2f}{'  DIFFERS' if bad else ''}")
    theirs, mine = (statistics.median(t[k] for t in times) for k in (0, 1))
    print(f"median: HiGHS {1e3*theirs:.2f} ms, ours {1e3*mine:.2f} ms, ratio {theirs/mine:.1f}; "
          f"median of ratios {statistics.median(a / b for a, b in times):.1f}")
    print(f"verdicts: {verdicts}; in whole numbers {exact}; largest difference {worst:.1e}; wrong {wrong}")
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
