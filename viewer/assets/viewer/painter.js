// The picture: what is drawn in which order.

/** Balls that hide the force network are drawn this much smaller. */
const SHRUNK = 0.25;
/** How well the edges of bodies are seen, which tell apart what lies side by side in one colour. */
const EDGES = 0.6;
/** How well joints are seen through what is in front of them. */
const XRAY = 0.3;

/** How well forces are. */
const THROUGH = 0.75;

class Painter {
  constructor(canvas, run) {
    // Whoever makes screenshots of a page that nobody repaints needs the buffer kept. Several
    // samples for a pixel are too much to ask of a processor.
    const antialias = !drawsInSoftware();
    const gl = canvas.getContext("webgl2", { alpha: false, antialias, stencil: true, preserveDrawingBuffer: true });
    if (!gl) throw new Error("this browser does not offer WebGL 2, with which the scene is drawn.");
    Object.assign(this, { canvas, run, gl });
    this.square = new Square(gl);
    const isBall = (i) => run.mesh[i] === NONE && !run.isParticle(i);
    const balls = Array.from({ length: run.bodies }, (_, i) => i).filter(isBall);
    this.balls = new Balls(gl, this.square, balls);
    this.forms = new Forms(gl, run);
    this.cloths = new Cloths(gl, run);
    this.joints = new Joints(gl, this.square, run);
    this.glass = new Glass(gl, run);
    this.fan = new Fan(gl, run.flat ? run.array("lines") : []);
    this.crowd = new Crowd(gl, run);
    this.shadows = new Shadows(gl, run);
    if (run.exhibit) {
      this.arrows = new Arrows(gl, this.square, run);
      this.outline = outlineOf(gl, this.square, run);
    } else {
      this.network = this.buildNetwork();
    }
    this.programs = {
      ball: new Program(gl, BALL_VERTEX, BALL),
      shadow: new Program(gl, BALL_VERTEX, BALL_SHADOW),
      form: new Program(gl, FORM_VERTEX, FORM),
      formShadow: new Program(gl, FORM_VERTEX, FORM_SHADOW),
      formEdge: new Program(gl, FORM_VERTEX, FORM_EDGE),
      cloth: new Program(gl, CLOTH_VERTEX, FORM),
      clothShadow: new Program(gl, CLOTH_VERTEX, FORM_SHADOW),
      stick: new Program(gl, STICK_VERTEX, STICK),
      glass: new Program(gl, GLASS_VERTEX, GLASS),
      ground: new Program(gl, PLANE_VERTEX, GROUND),
      backdrop: new Program(gl, BACKDROP_VERTEX, BACKDROP),
    };
    const { shadow, formShadow, clothShadow } = this.programs;
    this.casting = [[shadow, this.balls], [formShadow, this.forms], [clothShadow, this.cloths]];
    this.readTheme();
  }

  buildNetwork() {
    const { forces, forceScale } = this.run;
    const stops = forceScale.map(channels);
    const widths = this.run.array("force width");
    return new Sticks(this.gl, this.square, forces.ends(), (k) => {
      return { width: widths[k], colour: [...along(stops, forces.share(forces.size[k])), 255] };
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

  /** Makes the drawing as large as the canvas. */
  resize() {
    const ratio = Math.min(window.devicePixelRatio || 1, 2);
    const [width, height] = [this.canvas.clientWidth, this.canvas.clientHeight]
      .map((side) => Math.max(1, Math.round(side * ratio)));
    // Setting it clears the picture.
    if (this.canvas.width !== width || this.canvas.height !== height) Object.assign(this.canvas, { width, height });
  }

  /** The bodies are taken apart by a share. */
  apart(share) {
    this.arrows?.apart(share);
    this.outline?.apart(share);
  }

  /** The bodies have moved or changed their colour. */
  update(poses, colours) {
    this.balls.update(poses, colours);
    this.forms.update(poses, colours);
    this.cloths.update(poses, colours);
    this.joints.update(poses);
    if (!this.run.flat) {
      this.crowd.update(poses.places);
      this.shadows.update(this.casting);
    }
  }

  /** `network` (0..1) fades from bodies to forces, those of the bars in `range`. */
  draw(camera, network, range, { joints, outline }) {
    const { gl, canvas, run, programs } = this;
    const { width, height } = canvas;
    const scene = { ...this.uniforms(camera), network };
    gl.viewport(0, 0, width, height);
    gl.depthMask(true);
    // What is drawn later lies on top of what is at the same place: borders of flat bodies.
    gl.depthFunc(gl.LEQUAL);
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

    this.drawBodies(scene, network);
    gl.enable(gl.BLEND);
    this.drawEdges(scene, network);
    if (joints) this.drawJoints(scene);
    if (network > 0) this.drawNetwork(scene, network, range);
    if (outline && this.outline) this.drawOutline(scene);
    gl.depthMask(false);
    this.drawContainer(scene);
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
      page: this.theme.page,
      lamp: this.shadows.lamp,
      lampMatrix: this.shadows.matrix,
      texel: this.shadows.texel,
      shadows: 0,
      crowd: 1,
      cell: this.crowd.cell,
      crowdStart: this.crowd.start,
      crowdSize: this.crowd.extent,
      opacity: 1,
      taper: 0,
    };
  }

  linePixels() {
    return (this.run.flat ? 2 : 1.2) * Math.min(window.devicePixelRatio || 1, 2);
  }

  drawBodies(scene, network) {
    const { gl, run, programs } = this;
    gl.enable(gl.SAMPLE_ALPHA_TO_COVERAGE);
    // Balls alone make room for forces; through other bodies these shine.
    const alone = !run.exhibit && this.forms.count + this.cloths.count === 0;
    const shrink = run.flat || !alone ? 1 : 1 + (SHRUNK - 1) * network;
    const pale = run.exhibit ? 0 : 0.75;
    programs.ball.use({ ...scene, shrink, opacity: 1, pale });
    this.balls.draw();
    if (this.forms.count > 0) {
      // What is behind others need not be lit, unless that is as quick.
      if (network === 0 && !run.flat && !isPlain(gl)) this.drawDepth(scene);
      programs.form.use({ ...scene, pale, exposure: 0.9 });
      // Edges are drawn over the faces that they bound, not into them.
      gl.enable(gl.POLYGON_OFFSET_FILL);
      gl.polygonOffset(1, 1);
      this.forms.draw();
      gl.disable(gl.POLYGON_OFFSET_FILL);
    }
    if (this.cloths.count > 0) {
      // Wide surfaces that face the lamp would be too bright to show their folds.
      programs.cloth.use({ ...scene, pale, exposure: 0.72 });
      this.cloths.draw();
    }
    gl.disable(gl.SAMPLE_ALPHA_TO_COVERAGE);
  }

  /** The edges of bodies: always in reports, of runs where forces are shown and bodies pale. */
  drawEdges(scene, network) {
    const { gl, run } = this;
    const opacity = EDGES * (run.exhibit ? 1 : network);
    if (run.flat || opacity === 0 || this.forms.count === 0) return;
    gl.depthMask(false);
    this.programs.formEdge.use({ ...scene, opacity });
    this.forms.drawEdges();
    gl.depthMask(true);
  }

  drawDepth(scene) {
    const { gl, programs } = this;
    gl.colorMask(false, false, false, false);
    programs.formShadow.use(scene);
    gl.enable(gl.POLYGON_OFFSET_FILL);
    gl.polygonOffset(1, 1);
    this.forms.draw();
    gl.disable(gl.POLYGON_OFFSET_FILL);
    gl.colorMask(true, true, true, true);
  }

  /** Joints shine through the bodies that they are in. */
  drawJoints(scene) {
    const { gl, run, programs, joints } = this;
    if (joints.count === 0) return;
    const passes = run.flat ? [[false, 1]] : [[true, 1], [false, XRAY]];
    for (const [hidden, opacity] of passes) {
      if (!hidden) gl.disable(gl.DEPTH_TEST);
      const look = { ...scene, network: 0, opacity, fade: 1 };
      programs.stick.use({ ...look, leastPixels: 1.5 });
      joints.sticks.draw();
      programs.ball.use({ ...look, shrink: 1 });
      joints.spots.draw();
    }
    gl.enable(gl.DEPTH_TEST);
  }

  drawContainer(scene) {
    const { gl, programs } = this;
    programs.glass.use({ ...scene, tint: this.theme.tint });
    this.glass.draw(gl.FRONT);
    programs.stick.use({ ...scene, flatly: true, leastPixels: this.linePixels(), fade: 1 });
    this.lines.draw();
    programs.glass.use({ ...scene, tint: this.theme.tint });
    this.glass.draw(gl.BACK);
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

  /** The contact that counts most shines through what is in front of it, as it is before all moves. */
  drawOutline(scene) {
    const { gl, run } = this;
    for (const [hidden, opacity] of run.flat ? [[false, 1]] : [[true, 1], [false, THROUGH]]) {
      if (!hidden) gl.disable(gl.DEPTH_TEST);
      this.programs.stick.use({ ...scene, leastPixels: 3, fade: 1, opacity });
      this.outline.draw();
    }
    gl.enable(gl.DEPTH_TEST);
  }

  /** Forces shine through the bodies that still hide them. */
  drawNetwork(scene, network, range) {
    const { gl, run } = this;
    // On paper there is nothing to hide behind.
    const passes = run.flat ? [[false, 1]] : [[true, 1], [false, THROUGH]];
    for (const [hidden, opacity] of passes) {
      if (!hidden) gl.disable(gl.DEPTH_TEST);
      const look = { ...scene, leastPixels: 1.5, fade: network, opacity };
      this.programs.stick.use(look);
      (this.arrows?.shafts ?? this.network).draw(range);
      if (!this.arrows) continue;
      this.programs.stick.use({ ...look, taper: 1, leastPixels: 5 });
      this.arrows.heads.draw(range);
    }
    gl.enable(gl.DEPTH_TEST);
  }
}
