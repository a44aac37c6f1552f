#!/usr/bin/env python3
"""How short can a strip layout get, if every piece may move by REACH at most?

A pair of convex pieces is apart if it is apart along one side of one of them.
`riprap compact` chooses a side per pair and chooses again after every jump;
this asks HiGHS for the best choice of all sides at once, as a mixed-integer
program, and so for a bound that no sequence of choices can beat. It shares
nothing with Riprap. Needs scipy.

usage: best_sides.py LAYOUT.svg [REACH]      (a record in sparrow's SVG)
"""
import re
import sys

import numpy as np
from scipy.optimize import Bounds, LinearConstraint, milp
from scipy.sparse import lil_matrix


def read(path):
    """Length and height of the strip, and the polygons where they lie."""
    text = open(path).read()
    length, height = map(float, re.search(r'<path d="M0,0 L([\d.]+),0 L[\d.]+,([\d.]+)', text).groups())
    shapes = {}
    for number, corners in re.findall(r'<g id="item_(\d+)">\s*<path d="M([^"]*?) z"', text):
        shapes[number] = np.array([list(map(float, c.split(","))) for c in corners.split(" L")])
    polygons = []
    for use in re.findall(r"<use ([^>]*)>", text):
        item = re.search(r"#item_(\d+)", use)
        if not item:
            continue
        x, y = map(float, re.search(r"translate\(([-\d.e]+)[ ,]+([-\d.e]+)\)", use).groups())
        angle = np.radians(float(re.search(r"rotate\(([-\d.e]+)\)", use)[1]))
        cos, sin = np.cos(angle), np.sin(angle)
        polygon = shapes[item[1]] @ np.array([[cos, sin], [-sin, cos]]) + [x, y]
        polygons.append(polygon if area(polygon) > 0 else polygon[::-1])
    return length, height, polygons


def area(p):
    x, y = p.T
    return 0.5 * np.sum(x * np.roll(y, -1) - y * np.roll(x, -1))


def turn(a, b, c):
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])


def is_convex(p):
    return all(turn(p[k - 2], p[k - 1], p[k]) > -1e-9 for k in range(len(p)))


def pieces(p):
    """Convex pieces: ears cut off, then neighbours joined while that stays convex."""
    if is_convex(p):
        return [p]
    left, parts = list(range(len(p))), []
    while len(left) > 3:
        for k in range(len(left)):
            a, b, c = (p[left[(k + d) % len(left)]] for d in (-1, 0, 1))
            others = [p[q] for q in left if not any(np.allclose(p[q], corner) for corner in (a, b, c))]
            inside = lambda q: min(turn(a, b, q), turn(b, c, q), turn(c, a, q)) >= -1e-12
            if turn(a, b, c) > 1e-12 and not any(map(inside, others)):
                parts.append(np.array([a, b, c]))
                left.pop(k)
                break
        else:
            sys.exit("a polygon cannot be cut into triangles")
    parts.append(p[left])
    while joined := next(joins(parts), None):
        i, j, whole = joined
        parts[i] = whole
        parts.pop(j)
    return parts


def joins(parts):
    for i, one in enumerate(parts):
        for j, other in list(enumerate(parts))[i + 1 :]:
            for a in range(len(one)):
                for b in range(len(other)):
                    shared = np.allclose(one[a], other[(b + 1) % len(other)]) and np.allclose(
                        one[(a + 1) % len(one)], other[b]
                    )
                    if shared:
                        whole = np.vstack([np.roll(one, -(a + 1), 0), np.roll(other, -(b + 1), 0)[1:-1]])
                        if is_convex(whole) and abs(area(whole) - area(one) - area(other)) < 1e-9:
                            yield i, j, whole


def sides(one, other):
    """(gap, normal) of all sides: apart if normal . (move of other - move of one) + gap >= 0."""
    for p, q, sign in ((one, other, 1), (other, one, -1)):
        edge = np.roll(p, -1, 0) - p
        normals = np.stack([edge[:, 1], -edge[:, 0]], 1) / np.linalg.norm(edge, axis=1)[:, None]
        for corner, normal in zip(p, normals):
            yield ((q - corner) @ normal).min(), sign * normal


def shortest(length, height, polygons, reach):
    parts = [(i, part) for i, p in enumerate(polygons) for part in pieces(p)]
    far = 2 * 2**0.5 * reach  # no two pieces approach each other by more
    pairs = []
    for a, (i, one) in enumerate(parts):
        for j, other in parts[a + 1 :]:
            found = sorted(sides(one, other), key=lambda side: -side[0])
            if i != j and found[0][0] <= far:
                pairs.append((i, j, [side for side in found if side[0] >= -far]))
    n, choices = len(polygons), sum(len(found) for _, _, found in pairs)
    unknowns = 2 * n + 1 + choices
    rows = lil_matrix((choices + len(pairs) + n, unknowns))
    least, row, choice = [], 0, 2 * n + 1
    for i, j, found in pairs:
        first = choice
        for gap, normal in found:
            slack = max(0.0, far - gap)
            rows[row, 2 * j : 2 * j + 2], rows[row, 2 * i : 2 * i + 2] = normal, -normal
            rows[row, choice] = -slack
            least.append(-gap - slack)
            row, choice = row + 1, choice + 1
        rows[row, first:choice] = 1
        least.append(1)
        row += 1
    low, high = np.zeros(unknowns), np.ones(unknowns)
    low[: 2 * n], high[: 2 * n], high[2 * n] = -reach, reach, 2 * length
    for i, p in enumerate(polygons):
        rows[row, 2 * n], rows[row, 2 * i] = 1, -1
        least.append(p[:, 0].max())
        row += 1
        low[2 * i] = max(-reach, -p[:, 0].min())
        low[2 * i + 1], high[2 * i + 1] = max(-reach, -p[:, 1].min()), min(reach, height - p[:, 1].max())
    cost, integral = np.zeros(unknowns), np.zeros(unknowns)
    cost[2 * n], integral[2 * n + 1 :] = 1, 1
    return milp(
        cost,
        constraints=LinearConstraint(rows.tocsr(), np.array(least), np.inf),
        integrality=integral,
        bounds=Bounds(low, np.maximum(low, high)),
        options={"time_limit": 300, "mip_rel_gap": 1e-9},
    )


if __name__ == "__main__":
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    length, height, polygons = read(sys.argv[1])
    reach = float(sys.argv[2]) if len(sys.argv) > 2 else 0.1
    result = shortest(length, height, polygons, reach)
    print(f"{len(polygons)} pieces, {length} long; within {reach}: {result.message}")
    if result.fun is not None:
        print(f"{result.fun:.6f} long, {100 * (1 - result.fun / length):.5f} % shorter; no choice is below {result.mip_dual_bound:.6f}")
