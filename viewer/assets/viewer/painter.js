// The picture: what is drawn in which order.

/** Bodies that hide the force network are drawn this much smaller. */
const SHRUNK = 0.25;

class Painter {
  constructor(canvas, run) {
    // Whoever makes screenshots of a page that nobody repaints needs the buffer kept.
    const gl = canvas.getContext("webgl2", { alpha: false, antialias: true, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser does not offer WebGL 2, with which the scene is drawn.");
    Object.assign(this, { canvas, run, gl });
    this.square = new Square(gl);
    this.balls = new Balls(gl, this.square, run.bodies);
    this.solids = new Solids(gl, run);
    this.glass = new Glass(gl, run);
    this.fan = new Fan(gl, run.flat ? run.array("lines") : []);
    this.crowd = new Crowd(gl, run);
    this.shadows = new Shadows(gl, run);
    this.network = this.buildNetwork();
    this.programs = {
      ball: new Program(gl, BALL_VERTEX, BALL),
      shadow: new Program(gl, BALL_VERTEX, BALL_SHADOW),
      solid: new Program(gl, SOLID_VERTEX, SOLID),
      solidShadow: new Program(gl, SOLID_VERTEX, SOLID_SHADOW),
      stick: new Program(gl, STICK_VERTEX, STICK),
      glass: new Program(gl, GLASS_VERTEX, GLASS),
      ground: new Program(gl, PLANE_VERTEX, GROUND),
      backdrop: new Program(gl, BACKDROP_VERTEX, BACKDROP),
    };
    this.readTheme();
  }

  /** The thickest line of force is about half as wide as a typical body. */
  buildNetwork() {
    const forces = this.run.array("thrust force");
    const largest = rangeOf(forces)[1];
    const stops = this.run.forceScale.map(channels);
    const radii = Array.from(this.run.radius).sort((a, b) => a - b);
    const widest = 1.1 * (radii[radii.length >> 1] ?? 1);
    return new Sticks(this.gl, this.square, this.run.array("thrust ends"), (k) => {
      const share = forceShare(forces[k], largest);
      return { width: widest * share * share, colour: [...along(stops, share), 255] };
    });
  }

  /** Takes the colours from the style sheet, which knows whether the reader likes it dark. */
  readTheme() {
    const style = getComputedStyle(document.documentElement);
    const colour = (name) => channels(style.getPropertyValue(`--${name}`).trim());
    const share = (name) => scaled(colour(name), 1 / 255);
    this.theme = {
      low: share("backdrop-bottom"),
      high: share("backdrop-top"),
      tint: share("glass"),
      page: share("page"),
    };
    const line = [...colour("line"), this.run.flat ? 255 : 170];
    this.lines = new Sticks(this.gl, this.square, this.run.array("lines"), () => ({ width: 0, colour: line }));
  }

  /** Makes the drawing as large as the canvas; says whether that was news. */
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight]
      .map((side) => Math.max(1, Math.round(side * ratio)));
    if (this.canvas.width === width && this.canvas.height === height) return false;
    Object.assign(this.canvas, { width, height });
    return true;
  }

  /** The bodies have moved or changed their colour. */
  update(spheres, colours) {
    const others = this.solids.others(spheres);
    this.balls.update(others, colours);
    this.solids.update(spheres, colours);
    if (!this.run.flat) {
      this.crowd.update(others);
      this.shadows.update(this.programs.shadow, this.balls, this.programs.solidShadow, this.solids);
    }
  }

  /** `network` (0..1) fades from bodies to forces. */
  draw(camera, network) {
    const { gl, canvas, run, programs } = this;
    const { width, height } = canvas;
    const scene = { ...this.uniforms(camera), network };
    gl.viewport(0, 0, width, height);
    gl.depthMask(true);
    gl.clear(gl.DEPTH_BUFFER_BIT);

    gl.disable(gl.DEPTH_TEST);
    programs.backdrop.use(this.theme);
    this.square.draw();
    gl.enable(gl.DEPTH_TEST);
    gl.enable(gl.BLEND);
    gl.blendFunc(gl.SRC_ALPHA, gl.ONE_MINUS_SRC_ALPHA);
    if (run.flat) this.drawInside(scene);
    else if (camera.eye[2] > -0.5 * run.size[2]) this.drawGround(scene);
    gl.disable(gl.BLEND);

    gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    const shrink = run.flat ? 1 : 1 + (SHRUNK - 1) * network;
    programs.ball.use({ ...scene, shrink, page: this.theme.page });
    this.balls.draw();
    gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    programs.solid.use({ ...scene, page: this.theme.page });
    this.solids.draw();

    gl.enable(gl.BLEND);
    if (network > 0) this.drawNetwork(scene, network);
    gl.depthMask(false);
    programs.glass.use({ ...scene, tint: this.theme.tint });
    this.glass.draw(gl.FRONT);
    programs.stick.use({ ...scene, flatly: true, leastPixels: this.linePixels(), fade: 1 });
    this.lines.draw();
    programs.glass.use({ ...scene, tint: this.theme.tint });
    this.glass.draw(gl.BACK);
    gl.disable(gl.BLEND);
    gl.depthMask(true);
  }

  uniforms(camera) {
    const eye = this.run.flat ? [...camera.axes.back, 0] : [...camera.eye, 1];
    const pixel = (2 * TANGENT * (this.run.flat ? camera.distance : 1)) / this.canvas.height;
    return {
      matrix: camera.matrix(),
      eye,
      pixel,
      flatly: this.run.flat,
      lamp: this.shadows.lamp,
      lampMatrix: this.shadows.matrix,
      texel: this.shadows.texel,
      shadows: 0,
      crowd: 1,
      cell: this.crowd.cell,
      crowdStart: this.crowd.start,
      crowdSize: this.crowd.extent,
    };
  }

  linePixels() {
    return (this.run.flat ? 2 : 1.2) * Math.min(window.devicePixelRatio || 1, 2);
  }

  /** Fills the outline of a flat container: what an odd number of its triangles cover. */
  drawInside(scene) {
    const { gl } = this;
    gl.enable(gl.STENCIL_TEST);
    gl.clear(gl.STENCIL_BUFFER_BIT);
    gl.colorMask(false, false, false, false);
    gl.stencilFunc(gl.ALWAYS, 0, 1);
    gl.stencilOp(gl.INVERT, gl.INVERT, gl.INVERT);
    gl.disable(gl.DEPTH_TEST);
    this.programs.glass.use(scene);
    this.fan.draw();
    gl.colorMask(true, true, true, true);
    gl.stencilFunc(gl.NOTEQUAL, 0, 1);
    gl.stencilOp(gl.KEEP, gl.KEEP, gl.KEEP);
    this.programs.backdrop.use({ low: this.theme.page, high: this.theme.page });
    this.square.draw();
    gl.disable(gl.STENCIL_TEST);
    gl.enable(gl.DEPTH_TEST);
  }

  drawGround(scene) {
    const { gl, run } = this;
    gl.depthMask(false);
    // A little below the floor, so that the two do not flicker.
    const middle = [0, 0, -0.5 * run.size[2] - 0.002 * run.diagonal];
    this.programs.ground.use({ ...scene, middle, reach: 1.5 * run.diagonal });
    this.square.draw();
    gl.depthMask(true);
  }

  drawNetwork(scene, network) {
    const { gl, run } = this;
    // On paper there is nothing to hide behind.
    if (run.flat) gl.disable(gl.DEPTH_TEST);
    this.programs.stick.use({ ...scene, leastPixels: 1, fade: network });
    this.network.draw();
    gl.enable(gl.DEPTH_TEST);
  }
}
