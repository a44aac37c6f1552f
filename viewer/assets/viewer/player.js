// Time: playing, pausing, stepping, looping. It knows nothing of pictures.

/** At normal speed a run lasts about so many seconds ... */
const USUAL_SECONDS = 12;
/** ... but it never shows fewer or more frames in a second than this. */
const [SLOWEST, FASTEST] = [4, 60];

const SPEEDS = [0.1, 0.25, 0.5, 1, 2, 4];

class Player {
  /** `onChange` is called whenever the time, or whether it runs, has changed. */
  constructor(frames, onChange) {
    this.last = frames - 1;
    this.rate = clamp(frames / USUAL_SECONDS, SLOWEST, FASTEST);
    this.onChange = onChange;
    this.time = 0;
    this.speed = 1;
    this.playing = false;
    this.loop = false;
  }

  /** The frame under the cursor. */
  get frame() {
    return Math.round(this.time);
  }

  seek(time) {
    this.time = clamp(time, 0, this.last);
    this.onChange();
  }

  step(count) {
    this.playing = false;
    this.seek(this.frame + count);
  }

  play() {
    if (this.time >= this.last) this.time = 0;
    this.playing = this.last > 0;
    this.onChange();
  }

  pause() {
    this.playing = false;
    this.onChange();
  }

  toggle() {
    if (this.playing) this.pause();
    else this.play();
  }

  /** Lets so many seconds pass. */
  advance(seconds) {
    // After a pause of the browser, go on where it stopped.
    const time = this.time + Math.min(seconds, 0.25) * this.rate * this.speed;
    if (time < this.last) return this.seek(time);
    if (this.loop) return this.seek(0);
    this.playing = false;
    this.seek(this.last);
  }
}
