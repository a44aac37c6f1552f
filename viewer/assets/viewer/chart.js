// The energy along the time line; the cursor on it is the scrubber.

const CHART_WIDTH = 1000;
const CHART_HEIGHT = 100;
/** Marks of polish and escape steps have a lane of their own below the curve. */
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

  /** Heights from the energies: above the end and by powers of ten, or just as they are. */
  heights() {
    const end = this.run.energy[this.run.frames - 1];
    const levels = Array.from(this.run.energy, (energy) => (this.logarithmic ? Math.log10(energy - end) : energy));
    const finite = levels.filter(Number.isFinite);
    const [low, high] = finite.length > 0 ? rangeOf(finite) : [0, 1];
    const room = CHART_HEIGHT - LANE - 4;
    const height = (level) => (Number.isFinite(level) ? (level - low) / (high - low || 1) : 0);
    return { low, high, y: levels.map((level) => 4 + room * (1 - height(level))) };
  }

  draw() {
    const { low, high, y } = this.heights();
    this.y = y;
    const points = this.thinned().map((frame) => `${this.x(frame).toFixed(2)} ${y[frame].toFixed(2)}`);
    const line = `M${points.join("L")}`;
    const area = `${line}L${CHART_WIDTH} ${CHART_HEIGHT - LANE}L0 ${CHART_HEIGHT - LANE}Z`;
    element("curve").innerHTML =
      `<path class="area" d="${area}"/><path class="energy" d="${line}"/>` +
      `<path class="polish" d="${this.marks("polish")}"/><path class="escape" d="${this.marks("escape")}"/>`;
    const label = (level) => digits(this.logarithmic ? 10 ** level : level, 4);
    element("chart-high").textContent = label(high);
    element("chart-low").textContent = label(low);
    element("chart-scale").textContent = this.logarithmic ? "energy above the end, log" : "energy";
  }

  /** Frames for the curve: of very many, a lowest and a highest from every stretch. */
  thinned() {
    const all = Array.from(this.y, (_, frame) => frame);
    const stretch = Math.ceil(all.length / CHART_WIDTH);
    if (stretch < 2) return all;
    const kept = new Set([0, all.length - 1]);
    for (let start = 0; start < all.length; start += stretch) {
      const part = all.slice(start, start + stretch);
      kept.add(part.reduce((a, b) => (this.y[b] < this.y[a] ? b : a)));
      kept.add(part.reduce((a, b) => (this.y[b] > this.y[a] ? b : a)));
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
