#!/usr/bin/env python3
"""Random pallets: what `riprap stable` says of them beside what happens when they are run.

    tools/pallets.py RIPRAP [--count 50] [--boxes 60] [--seed 1] [--margin 0.01] [--seconds 0.5]
                     [--support 0.7] [--gap 0.002] [--keep FOLDER]

Each pallet is a table of boxes (.csv) in layers of random cuts, some of them missing, some shrunk,
with random masses and one friction. As packing programs ask for, a part `support` of the base of every box
rests on others; with less, boxes over holes are balanced between their neighbours by forces that
nothing brings about (see --consistent). Boxes of a layer are a gap apart on every side, as boxes on pallets
are; with --gap 0 they are flush, and their sides may hold them or not, which Coulomb's law does not say. The ground accelerates in a random direction. `stable` tells the
acceleration t at which balance is lost, as a part of gravity; then `run` (method dynamics) is given
the same boxes under that gravity at t (1 - margin) and t (1 + margin), or, if they are not balanced at all, at
rest. What stands must not move by more than a thousandth of the largest box; what falls must.

For every pallet: t, how far the fastest box went below and above, and whether both agree. "Balanced" is
necessary for standing and not sufficient: what moves below t is counted by itself. Exit status 1
if anything that is not balanced stands.
"""
import argparse, json, math, os, random, subprocess, sys, tempfile, time

PALLET = (1.2, 0.8)


def cut(area, count, rng):
    """A rectangle in so many parts, each cut across its longer side."""
    parts = [area]
    while len(parts) < count:
        parts.sort(key=lambda p: (p[2] - p[0]) * (p[3] - p[1]))
        x0, y0, x1, y1 = parts.pop()
        at = rng.choice([0.4, 0.5, 0.5, 0.6])
        if x1 - x0 >= y1 - y0:
            middle = round(x0 + at * (x1 - x0), 3)
            parts += [(x0, y0, middle, y1), (middle, y0, x1, y1)]
        else:
            middle = round(y0 + at * (y1 - y0), 3)
            parts += [(x0, y0, x1, middle), (x0, middle, x1, y1)]
    return parts


def pallet(count, support, gap, rng):
    """Boxes as (x, y, z, width, depth, height, mass)."""
    boxes, z, below = [], 0.0, None
    layers = rng.choice([3, 4, 5, 6]) if count >= 30 else rng.choice([2, 3, 4])
    for layer in range(layers):
        height = rng.choice([0.1, 0.15, 0.2, 0.3])
        parts = cut((-PALLET[0] / 2, -PALLET[1] / 2, PALLET[0] / 2, PALLET[1] / 2), math.ceil(count / layers), rng)
        layer_below, below = below, []
        for x0, y0, x1, y1 in parts:
            if layer and rng.random() < 0.1:
                continue
            x0, y0, x1, y1 = x0 + gap, y0 + gap, x1 - gap, y1 - gap
            if rng.random() < 0.3:  # smaller than its place
                x1 -= round(0.1 * rng.random() * (x1 - x0), 3)
                y1 -= round(0.1 * rng.random() * (y1 - y0), 3)
            common = lambda b: max(min(x1, b[2]) - max(x0, b[0]), 0) * max(min(y1, b[3]) - max(y0, b[1]), 0)
            if layer and sum(map(common, layer_below)) < support * (x1 - x0) * (y1 - y0):
                continue
            below.append((x0, y0, x1, y1))
            size = (round(x1 - x0, 3), round(y1 - y0, 3), height)
            at = (round((x0 + x1) / 2, 4), round((y0 + y1) / 2, 4), round(z + height / 2, 4))
            boxes.append((*at, *size, rng.choice([1, 2, 5, 10])))
        z = round(z + height, 4)
    return boxes


def scene(boxes, friction, gravity, seconds, method, step=0.01):
    text = f'name = "pallet"\nmethod = "{method}"\ngravity = {list(gravity)}\n'
    text += f"[{method}]\nsteps = {round(seconds / step)}\ntime_step = {step}\n"
    for x, y, z, w, d, h, m in boxes:
        text += f'[[bodies]]\nshape = {{ kind = "box", size = [{w}, {d}, {h}] }}\n'
        text += f"position = [{x}, {y}, {z}]\nmass = {float(m)}\nfriction = {friction}\n"
    text += '[[bodies]]\nshape = { kind = "box", size = [8, 8, 1] }\nposition = [0, 0, -0.5]\nmotion = "fixed"\n'
    return text + f"friction = {friction}\n"


def run(riprap, boxes, friction, gravity, seconds, method, folder, name):
    """How far the fastest box goes."""
    path, out, places = (os.path.join(folder, name + end) for end in (".toml", ".riprap", "-places.csv"))
    with open(path, "w") as file:
        file.write(scene(boxes, friction, gravity, seconds, method))
    done = subprocess.run([riprap, "run", path, "-o", out, "--force", "--json"], capture_output=True, text=True)
    # A run that broke a promise on its way down is called failed, and tells how far things went.
    if done.returncode and not os.path.exists(out):
        return None, done.stderr.strip().split("\n")[0]
    frames = []
    for frame in ("0", "last"):
        subprocess.run([riprap, "export", out, "--frame", frame, "-o", places, "--force"], check=True, capture_output=True)
        lines = [line for line in open(places).read().split("\n") if line and not line.startswith("#")]
        names = lines[0].split(",")
        x = names.index("x")
        frames.append([tuple(map(float, line.split(",")[x:x + 3])) for line in lines[1:]])
    os.remove(out)
    return max(math.dist(a, b) for a, b in zip(*frames)), ""


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("riprap")
    for name, value in [("count", 50), ("boxes", 60), ("seed", 1)]:
        parser.add_argument("--" + name, type=int, default=value)
    for name, value in [("margin", 0.01), ("seconds", 0.5), ("support", 0.7), ("gap", 0.002)]:
        parser.add_argument("--" + name, type=float, default=value)
    parser.add_argument("--keep")
    parser.add_argument("--method", choices=["collapse", "dynamics"], default="dynamics")
    options = parser.parse_args()
    agree = early = wrong = failed = 0
    with tempfile.TemporaryDirectory() as folder:
        folder = options.keep or folder
        os.makedirs(folder, exist_ok=True)
        print("pallet boxes friction     t of g   moved below   moved above")
        for number in range(options.seed, options.seed + options.count):
            rng = random.Random(number)
            boxes, friction = pallet(options.boxes, options.support, options.gap, rng), rng.choice([0.3, 0.5, 0.8])
            angle = rng.random() * 2 * math.pi
            side = (math.cos(angle), math.sin(angle))
            table = os.path.join(folder, f"pallet-{number}.csv")
            with open(table, "w") as file:
                file.write("x,y,z,width,depth,height,mass,friction\n")
                file.writelines(",".join(map(str, box)) + f",{friction}\n" for box in boxes)
            start = time.process_time()
            asked = [options.riprap, "stable", table, "--json", f"--towards={side[0]},{side[1]}"]
            answer = json.loads(subprocess.run(asked, capture_output=True, text=True, check=True).stdout)
            largest = max(max(box[3:6]) for box in boxes)
            is_balanced = answer["verdict"] in ("balanced", "stable")
            least = math.tan(math.radians(answer["tilts"][0]["degrees"])) if is_balanced else 0.0
            moved, name = [], f"pallet-{number}"
            for part in (1 - options.margin, 1 + options.margin) if is_balanced else (1.0,):
                gravity = [9.81 * least * part * side[0], 9.81 * least * part * side[1], -9.81]
                way, why = run(options.riprap, boxes, friction, gravity, options.seconds, options.method, folder, name)
                moved.append(way)
            if None in moved:
                failed += 1
                verdict = "run failed: " + why
            elif moved[-1] <= 1e-3 * largest:
                wrong += 1
                verdict = "STANDS AND SHOULD FALL"
            elif is_balanced and moved[0] > 1e-3 * largest:
                early += 1
                verdict = "falls though balanced"
            else:
                agree += 1
                verdict = "agree"
            ways = [] if is_balanced else ["not balanced"]
            ways += ["" if way is None else f"{way:.2e}" for way in moved]
            print(f"{number:6} {len(boxes):5} {friction:8} {least:10.5f} {ways[0]:>13} {ways[1]:>13}   {verdict}", flush=True)
    print(f"{agree} agree, {early} fall though balanced, {wrong} stand and should fall, {failed} runs failed")
    return 1 if wrong or failed else 0


if __name__ == "__main__":
    sys.exit(main())
