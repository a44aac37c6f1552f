// The energy along the time line; the cursor on it is the scrubber.

const CHART_WIDTH = 1000;
const CHART_HEIGHT = 100;
/** Marks of steps that stand out have a lane of their own below the curve. */
const LANE = 12;

const element = (id) => document.getElementById(id);

/** A number with a few digits, short and readable. */
function digits(value, count = 5) {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size >= 1e6 || size < 1e-4)) {
    const [mantissa, exponent] = value.toExponential(count - 1).split("e");
    const raised = String(Number(exponent)).replace(/./g, (c) => "⁻⁰¹²³⁴⁵⁶⁷⁸⁹"["-0123456789".indexOf(c)]);
    return `${Number(mantissa)}·10${raised}`.replace("-", "−");
  }
  return String(Number(value.toPrecision(count))).replace("-", "−");
}

class Chart {
  constructor(run, onScrub) {
    this.run = run;
    this.logarithmic = run.logEnergy;
    this.box = element("chart");
    element("curve").setAttribute("viewBox", `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`);
    element("chart-scale").addEventListener("click", () => {
      this.logarithmic = !this.logarithmic;
      this.draw();
      this.point(this.shown ?? 0);
    });
    this.listen(onScrub);
    this.draw();
  }

  /** Dragging along the chart scrubs. */
  listen(onScrub) {
    const scrub = (event) => {
      const box = this.box.getBoundingClientRect();
      onScrub(this.frameAt(clamp((event.clientX - box.left) / box.width, 0, 1)));
    };
    this.box.addEventListener("pointerdown", (event) => {
      if (event.target.closest("button")) return;
      this.box.setPointerCapture(event.pointerId);
      scrub(event);
    });
    this.box.addEventListener("pointermove", (event) => {
      if (this.box.hasPointerCapture(event.pointerId)) scrub(event);
    });
  }

  /** The shown frame nearest to a share of the width. */
  frameAt(share) {
    const wanted = share * Math.max(this.run.frames - 1, 1);
    const { shown } = this.run;
    let best = 0;
    shown.forEach((frame, k) => {
      if (Math.abs(frame - wanted) < Math.abs(shown[best] - wanted)) best = k;
    });
    return best;
  }

  x(frame) {
    return (frame / Math.max(this.run.frames - 1, 1)) * CHART_WIDTH;
  }

  /**
   * Heights from the energies: above the end and by powers of ten, or just as they are. Where
   * there is time, potential energy is counted from its lowest, and motion comes on top.
   */
  heights() {
    const { energy, kinetic, frames, timed } = this.run;
    const end = energy[frames - 1];
    const potential = timed ? Array.from(energy, (all, k) => all - kinetic[k]) : [];
    const level = timed ? rangeOf(potential.filter(Number.isFinite))[0] : 0;
    const levels = Array.from(energy, (all) => (this.logarithmic ? Math.log10(all - end) : all - level));
    const finite = levels.filter(Number.isFinite);
    const [least, high] = finite.length > 0 ? rangeOf(finite) : [0, 1];
    const low = timed ? Math.min(least, 0) : least;
    const room = CHART_HEIGHT - LANE - 4;
    const height = (value) => (Number.isFinite(value) ? (value - low) / (high - low || 1) : 0);
    const y = (values) => values.map((value) => 4 + room * (1 - height(value)));
    return { low: low + level, high: high + level, y: y(levels), lower: y(potential.map((value) => value - level)) };
  }

  draw() {
    const { low, high, y, lower } = this.heights();
    this.y = y;
    const floor = `L${CHART_WIDTH} ${CHART_HEIGHT - LANE}L0 ${CHART_HEIGHT - LANE}Z`;
    const line = (heights) => {
      const points = this.thinned(heights).map((frame) => `${this.x(frame).toFixed(2)} ${heights[frame].toFixed(2)}`);
      return `M${points.join("L")}`;
    };
    const paths = [["area", line(y) + floor]];
    if (this.run.timed) paths.push(["potential", line(lower) + floor]);
    paths.push(["energy", line(y)], ...["polish", "escape", "hop"].map((kind) => [kind, this.marks(kind)]));
    paths.push(["changes", this.changes()]);
    element("curve").innerHTML = paths.map(([name, d]) => `<path class="${name}" d="${d}"/>`).join("");
    const label = (level) => digits(this.logarithmic ? 10 ** level : level, 4);
    element("chart-high").textContent = label(high);
    element("chart-low").textContent = label(low);
    element("chart-scale").disabled = this.run.timed;
    const plain = this.run.timed ? "energy: potential and kinetic" : "energy";
    element("chart-scale").textContent = this.logarithmic ? "energy above the end, log" : plain;
  }

  /** Frames for the curve: of very many, a lowest and a highest from every stretch. */
  thinned(heights) {
    const all = Array.from(heights, (_, frame) => frame);
    const stretch = Math.ceil(all.length / CHART_WIDTH);
    if (stretch < 2) return all;
    const kept = new Set([0, all.length - 1]);
    for (let start = 0; start < all.length; start += stretch) {
      const part = all.slice(start, start + stretch);
      kept.add(part.reduce((a, b) => (heights[b] < heights[a] ? b : a)));
      kept.add(part.reduce((a, b) => (heights[b] > heights[a] ? b : a)));
    }
    return [...kept].sort((a, b) => a - b);
  }

  marks(kind) {
    const wanted = this.run.kinds.indexOf(kind);
    const strokes = [];
    this.run.kind.forEach((number, frame) => {
      if (number === wanted) strokes.push(`M${this.x(frame).toFixed(1)} ${CHART_HEIGHT}v${2 - LANE}`);
    });
    return [...new Set(strokes)].join("");
  }

  /** Steps in which contacts began or ceased to push, unless that is nearly all of them. */
  changes() {
    const changes = this.run.array("changes");
    const frames = [...changes.keys()].filter((frame) => changes[frame] > 0);
    if (2 * frames.length > changes.length) return "";
    return frames.map((frame) => `M${this.x(frame).toFixed(1)} ${CHART_HEIGHT}v${2 - LANE}`).join("");
  }

  /** Puts the cursor at a time. */
  point(time) {
    this.shown = time;
    const { shown } = this.run;
    const before = clamp(Math.floor(time), 0, shown.length - 1);
    const after = Math.min(before + 1, shown.length - 1);
    const frame = shown[before] + (time - before) * (shown[after] - shown[before]);
    const cursor = element("cursor");
    cursor.style.left = `${(100 * this.x(frame)) / CHART_WIDTH}%`;
    cursor.style.setProperty("--dot", `${this.y[Math.round(frame)]}%`);
  }
}
