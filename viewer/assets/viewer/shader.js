// What the graphics card does with each thing that is drawn.
//
// An `eye` is a place with w = 1 (perspective) or the direction towards the
// viewer with w = 0 (parallel rays), so that one text serves 3D scenes, flat
// scenes and the light's view. Colours are added up as light, of which the root
// is what screens show, nearly: without a graphics card, powers take too long.

const VERSION = "#version 300 es\nprecision highp float;\n";

/** Whether no graphics card draws, but the processor. */
function drawsInSoftware() {
  const gl = document.createElement("canvas").getContext("webgl2");
  if (!gl) return false;
  let name = gl.getParameter(gl.RENDERER);
  // Some browsers keep the name to themselves until they are asked a second time.
  const told = name === "WebKit WebGL" && gl.getExtension("WEBGL_debug_renderer_info");
  if (told) name = gl.getParameter(told.UNMASKED_RENDERER_WEBGL);
  gl.getExtension("WEBGL_lose_context")?.loseContext();
  return /swiftshader|llvmpipe|softpipe|software|basic render/i.test(name);
}

/** Without several samples for a pixel, everything is done plainly: see PLAIN in the shaders. */
const isPlain = (gl) => gl.getContextAttributes()?.antialias === false;

/**
 * How light falls on a point: a lamp with shadows, and a sky hidden by the crowd around.
 * Where the network of forces stands in for the bodies, there is less to be in the way.
 */
const LIGHT = `
uniform highp sampler2DShadow shadows;
uniform highp sampler3D crowd;
uniform mat4 lampMatrix;
uniform vec3 lamp;
uniform vec3 crowdStart, crowdSize;
uniform float cell, texel, network;

float lampShare(vec3 point, vec3 normal) {
  vec3 place = (lampMatrix * vec4(point + 2.0 * texel * normal, 1.0)).xyz * 0.5 + 0.5;
  if (any(greaterThan(abs(place - 0.5), vec3(0.497)))) return 1.0;
#ifdef PLAIN
  return mix(texture(shadows, place), 1.0, 0.9 * network);
#else
  // Four looks, each of which mixes four of the lamp's pixels.
  vec2 reach = vec2(1.0, 0.4) / float(textureSize(shadows, 0).x);
  float sum = texture(shadows, vec3(place.xy + reach, place.z))
    + texture(shadows, vec3(place.xy - reach, place.z))
    + texture(shadows, vec3(place.xy + vec2(reach.y, -reach.x), place.z))
    + texture(shadows, vec3(place.xy + vec2(-reach.y, reach.x), place.z));
  return mix(0.25 * sum, 1.0, 0.9 * network);
#endif
}

float crowdAt(vec3 point) {
  vec3 place = (point - crowdStart) / crowdSize;
  vec3 inside = step(vec3(0.0), place) * step(place, vec3(1.0));
  return texture(crowd, place).r * inside.x * inside.y * inside.z;
}

float skyShare(vec3 point, vec3 normal) {
  vec3 upward = normalize(normal + vec3(0.0, 0.0, 0.6));
#ifdef PLAIN
  float hidden = 1.4 * crowdAt(point + 1.6 * cell * upward);
#else
  float hidden = 0.75 * crowdAt(point + 1.1 * cell * normal)
    + 0.55 * crowdAt(point + 2.2 * cell * upward)
    + 0.35 * crowdAt(point + 4.0 * cell * upward);
#endif
  return exp(-1.9 * hidden * (1.0 - 0.8 * network));
}

vec3 toLight(vec3 colour) { return colour * colour; }

// What is too bright keeps its hue.
vec3 toScreen(vec3 light) {
  return sqrt(light / max(1.0, max(light.r, max(light.g, light.b))));
}

vec3 lightOn(vec3 colour, vec3 point, vec3 normal, vec3 toEye) {
  float sky = skyShare(point, normal);
  vec3 ambient = mix(vec3(0.33, 0.31, 0.30), vec3(0.62, 0.66, 0.72), 0.5 + 0.5 * normal.z) * sky;
  float share = lampShare(point, normal);
  float direct = max(dot(normal, lamp), 0.0) * share;
  float fill = 0.10 * max(dot(normal, toEye), 0.0) * sky;
  float gloss = max(dot(normal, normalize(lamp + toEye)), 0.0);
  gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss; gloss *= gloss;
  gloss *= share;
  return toLight(colour) * (ambient + fill + direct * vec3(0.90, 0.86, 0.79)) + 0.10 * gloss;
}
`;

/**
 * What is see-through covers some samples of a pixel and leaves others; where a pixel has but one,
 * it covers some pixels of every four by four.
 */
const COVER = `
bool isLeftOut(float opacity) {
#ifdef PLAIN
  ivec2 at = ivec2(gl_FragCoord.xy);
  int odd = at.x ^ at.y;
  int rank = (odd & 1) << 3 | (at.y & 1) << 2 | (odd & 2) | (at.y & 2) >> 1;
  return opacity < (float(rank) + 0.5) / 16.0;
#else
  return opacity <= 0.0;
#endif
}
`;

const BALL_VERTEX = `
layout(location = 0) in vec2 corner;
layout(location = 1) in vec4 sphere;
layout(location = 2) in vec4 colour;
uniform mat4 matrix;
uniform vec4 eye;
uniform float shrink;
out vec3 place;
flat out vec4 ball;
flat out vec4 paint;

void main() {
  ball = vec4(sphere.xyz, sphere.w * shrink);
  paint = colour;
  vec3 toEye = eye.xyz - eye.w * ball.xyz;
  float far = length(toEye);
  vec3 back = toEye / far;
  vec3 right = normalize(cross(abs(back.z) < 0.9 ? vec3(0, 0, 1) : vec3(1, 0, 0), back));
  // From near by, a ball hides more than its largest circle; 4 % are for the soft edge.
  float wider = eye.w > 0.0 ? far / sqrt(max(far * far - ball.w * ball.w, 1e-3 * far * far)) : 1.0;
  place = ball.xyz + 1.04 * wider * ball.w * (corner.x * right + corner.y * cross(back, right));
  gl_Position = matrix * vec4(place, 1.0);
}
`;

/** Where the ray through this pixel meets the ball, and how much of the pixel the ball covers. */
const BALL_HIT = `
in vec3 place;
flat in vec4 ball;
flat in vec4 paint;
uniform mat4 matrix;
uniform vec4 eye;

vec3 hitBall(out vec3 ray, out float cover) {
  ray = eye.w > 0.0 ? normalize(place - eye.xyz) : -eye.xyz;
  vec3 from = place - ball.xyz;
  float along = dot(from, ray);
  float aside = length(from - along * ray);
  cover = clamp((ball.w - aside) / max(fwidth(aside), 1e-6 * ball.w) + 0.5, 0.0, 1.0);
  return place - (along + sqrt(max(ball.w * ball.w - aside * aside, 0.0))) * ray;
}

float depthOf(vec3 point) {
  vec4 clip = matrix * vec4(point, 1.0);
  return 0.5 * clip.z / clip.w + 0.5;
}
`;

const BALL_SHADOW = `
${BALL_HIT}
void main() {
  vec3 ray;
  float cover;
  vec3 point = hitBall(ray, cover);
  if (cover < 0.5) discard;
  gl_FragDepth = depthOf(point);
}
`;

const BALL = `
${BALL_HIT}
${LIGHT}
${COVER}
uniform bool flatly;
uniform vec3 page;
uniform float opacity, pale;
out vec4 result;

void main() {
  vec3 ray;
  float cover;
  vec3 point = hitBall(ray, cover);
#ifdef PLAIN
  cover = step(0.5, cover);
#endif
  if (isLeftOut(cover * opacity)) discard;
  vec3 normal = (point - ball.xyz) / ball.w;
  float facing = max(dot(normal, -ray), 0.0);
  // Bodies step back where forces are shown.
  vec3 grey = vec3(0.28 + 0.5 * dot(paint.rgb, vec3(0.3, 0.6, 0.1)));
  vec3 own = mix(paint.rgb, flatly ? page : grey, pale * network);
  vec3 colour = flatly
    ? mix(0.55 * own, own, smoothstep(0.30, 0.38, facing))
    : toScreen(lightOn(own, point, normal, -ray));
  // The chosen body has a white ring within a black one: seen on any colour.
  if (paint.a < 0.25) {
    colour = mix(vec3(1.0), colour, smoothstep(0.62, 0.66, facing));
    colour = mix(vec3(0.05), colour, smoothstep(0.36, 0.40, facing));
  }
  result = vec4(colour, cover * opacity);
  gl_FragDepth = depthOf(point);
}
`;

/** Bodies that are no balls: one mesh, drawn for each of them. */
const FORM_VERTEX = `
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 outward;
layout(location = 2) in vec4 position;
layout(location = 3) in vec4 turn;
layout(location = 4) in vec4 colour;
uniform mat4 matrix;
out vec3 place;
out vec3 normal;
out vec4 paint;
// Two programs give the very same depth.
invariant gl_Position;

vec3 turned(vec3 v) {
  return v + 2.0 * cross(turn.xyz, cross(turn.xyz, v) + turn.w * v);
}

void main() {
  place = position.xyz + turned(corner);
  normal = turned(outward);
  paint = colour;
  gl_Position = matrix * vec4(place, 1.0);
}
`;

/** Where faces of a body meet. */
const FORM_EDGE = `
in vec4 paint;
uniform float opacity;
out vec4 result;

void main() {
  result = vec4(0.25 * paint.rgb, opacity);
}
`;

/** Cloth: its corners are bodies. */
const CLOTH_VERTEX = `
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 outward;
layout(location = 2) in vec4 colour;
uniform mat4 matrix;
out vec3 place;
out vec3 normal;
out vec4 paint;

void main() {
  place = corner;
  normal = outward;
  paint = colour;
  gl_Position = matrix * vec4(corner, 1.0);
}
`;

const FORM_SHADOW = `
void main() {}
`;

const FORM = `
in vec3 place;
in vec3 normal;
in vec4 paint;
${LIGHT}
uniform vec4 eye;
uniform bool flatly;
uniform vec3 page;
uniform float pale, exposure;
out vec4 result;

void main() {
  vec3 toEye = normalize(eye.xyz - eye.w * place);
  // Cloth has two sides; what is flat faces down along its border.
  float facing = dot(normal, toEye);
  vec3 outward = normalize(facing < 0.0 ? -normal : normal);
  vec3 grey = vec3(0.28 + 0.5 * dot(paint.rgb, vec3(0.3, 0.6, 0.1)));
  vec3 own = mix(paint.rgb, flatly ? page : grey, pale * network);
  // The chosen body is brighter than any other.
  float chosen = 1.0 - smoothstep(0.0, 0.4, paint.a);
  own = mix(own, vec3(1.0), 0.75 * chosen);
  if (flatly) result = vec4(facing < 0.0 ? mix(0.55, 0.05, chosen) * own : own, 1.0);
  else result = vec4(toScreen(exposure * lightOn(own, place, outward, toEye)), 1.0);
}
`;

/** Lines and sticks: strips that face the viewer, shaded as if they were round. */
const STICK_VERTEX = `
layout(location = 0) in vec2 corner;
layout(location = 1) in vec3 start;
layout(location = 2) in vec3 end;
layout(location = 3) in float width;
layout(location = 4) in vec4 colour;
uniform mat4 matrix;
uniform vec4 eye;
uniform float pixel, leastPixels, fade, taper;
out vec3 place;
out vec3 toEye;
out float across;
flat out vec3 side;
flat out vec4 paint;

void main() {
  vec3 point = mix(start, end, 0.5 + 0.5 * corner.y);
  vec3 view = eye.xyz - eye.w * point;
  float far = eye.w > 0.0 ? length(view) : 1.0;
  toEye = normalize(view);
  side = cross(end - start, toEye);
  side /= max(length(side), 1e-9 * length(end - start) + 1e-30);
  // Half a pixel on each side is for the soft edge.
  // What tapers, such as the head of an arrow, is a point at its end.
  float share = 1.0 - taper * (0.5 + 0.5 * corner.y);
  float reach = share * max(0.5 * width * fade, 0.5 * leastPixels * pixel * far) + 0.5 * pixel * far;
  place = point + reach * corner.x * side;
  across = corner.x;
  paint = colour;
  gl_Position = matrix * vec4(place, 1.0);
}
`;

const STICK = `
in vec3 place;
in vec3 toEye;
in float across;
flat in vec3 side;
flat in vec4 paint;
${LIGHT}
uniform bool flatly;
uniform float fade, opacity;
out vec4 result;

void main() {
  vec3 normal = normalize(across * side + sqrt(max(1.0 - across * across, 0.0)) * toEye);
  vec3 colour = flatly ? paint.rgb : toScreen(lightOn(paint.rgb, place, normal, toEye) * 1.15);
  float edge = clamp((1.0 - abs(across)) / max(fwidth(across), 1e-6), 0.0, 1.0);
  result = vec4(colour, paint.a * fade * opacity * edge);
}
`;

const GLASS_VERTEX = `
layout(location = 0) in vec3 corner;
layout(location = 1) in vec3 outward;
uniform mat4 matrix;
out vec3 place;
out vec3 normal;

void main() {
  place = corner;
  normal = outward;
  gl_Position = matrix * vec4(corner, 1.0);
}
`;

const GLASS = `
in vec3 place;
in vec3 normal;
uniform vec4 eye;
uniform vec3 lamp, tint;
out vec4 result;

void main() {
  vec3 toEye = normalize(eye.xyz - eye.w * place);
  vec3 outward = normalize(normal) * (gl_FrontFacing ? 1.0 : -1.0);
  float grazing = pow(1.0 - abs(dot(outward, toEye)), 3.0);
  float gloss = gl_FrontFacing ? pow(max(dot(outward, normalize(lamp + toEye)), 0.0), 60.0) : 0.0;
  result = vec4(mix(tint, vec3(1.0), gloss), 0.045 + 0.32 * grazing + 0.25 * gloss);
}
`;

const PLANE_VERTEX = `
layout(location = 0) in vec2 corner;
uniform mat4 matrix;
uniform vec3 middle;
uniform float reach;
out vec3 place;
out vec2 spot;

void main() {
  spot = corner;
  place = middle + vec3(reach * corner, 0.0);
  gl_Position = matrix * vec4(place, 1.0);
}
`;

/** The ground is only seen where something keeps the light from it. */
const GROUND = `
in vec3 place;
in vec2 spot;
${LIGHT}
out vec4 result;

void main() {
  float dark = 0.22 * (1.0 - lampShare(place, vec3(0, 0, 1)));
  dark += 0.40 * (1.0 - skyShare(place, vec3(0, 0, 1)));
  result = vec4(0.05, 0.07, 0.10, dark * smoothstep(1.0, 0.35, length(spot)));
}
`;

const BACKDROP_VERTEX = `
layout(location = 0) in vec2 corner;
out float height;

void main() {
  height = 0.5 + 0.5 * corner.y;
  gl_Position = vec4(corner, 0.0, 1.0);
}
`;

const BACKDROP = `
in float height;
uniform vec3 low, high;
out vec4 result;

void main() {
  result = vec4(mix(low, high, smoothstep(0.0, 1.0, height)), 1.0);
}
`;

/** A linked program whose uniforms are set by name; arrays of numbers find their own type. */
class Program {
  constructor(gl, vertex, fragment) {
    this.gl = gl;
    this.handle = gl.createProgram();
    for (const [type, text] of [[gl.VERTEX_SHADER, vertex], [gl.FRAGMENT_SHADER, fragment]]) {
      const shader = gl.createShader(type);
      gl.shaderSource(shader, VERSION + (isPlain(gl) ? "#define PLAIN\n" : "") + text);
      gl.compileShader(shader);
      gl.attachShader(this.handle, shader);
    }
    gl.linkProgram(this.handle);
    if (!gl.getProgramParameter(this.handle, gl.LINK_STATUS) && !gl.isContextLost()) {
      const logs = gl.getAttachedShaders(this.handle).map((shader) => gl.getShaderInfoLog(shader));
      throw new Error(`a shader does not compile: ${[...logs, gl.getProgramInfoLog(this.handle)].join(" ")}`);
    }
    this.places = new Map();
    const count = gl.getProgramParameter(this.handle, gl.ACTIVE_UNIFORMS) ?? 0;
    for (let k = 0; k < count; k++) {
      const { name, type } = gl.getActiveUniform(this.handle, k);
      this.places.set(name, { type, place: gl.getUniformLocation(this.handle, name) });
    }
  }

  /** Makes this the current program, with these uniforms; those it does not have are skipped. */
  use(uniforms) {
    const { gl } = this;
    gl.useProgram(this.handle);
    for (const [name, value] of Object.entries(uniforms)) {
      const { type, place } = this.places.get(name) ?? {};
      if (type === gl.FLOAT) gl.uniform1f(place, value);
      else if (type === gl.FLOAT_VEC3) gl.uniform3fv(place, value);
      else if (type === gl.FLOAT_VEC4) gl.uniform4fv(place, value);
      else if (type === gl.FLOAT_MAT4) gl.uniformMatrix4fv(place, false, value);
      else if (type !== undefined) gl.uniform1i(place, value);
    }
  }
}
