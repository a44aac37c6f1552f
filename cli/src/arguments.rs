//! What can be asked for.

use std::num::NonZeroUsize;
use std::path::PathBuf;

use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{Args, Parser, Subcommand};
use clap_complete::Shell;
use riprap::scene::MethodName;
use riprap_pictures::Colours;

use crate::render::{Point, Rgb, Size};
use crate::stable::{Direction, Length, Load};

/// Position-based physics: things come to rest, stand, fall and move by contact alone.
#[derive(Parser)]
#[command(name = "riprap", version, max_term_width = 100)]
pub struct Arguments {
    #[command(subcommand)]
    pub command: Command,
}

#[derive(Subcommand)]
pub enum Command {
    /// Run a scene and write what happens to a run file
    Run(RunOptions),
    /// Check every promise of a run, independently; exit status 0 only if all hold
    Verify {
        /// A run file
        run: PathBuf,
        /// Print one JSON object
        #[arg(long)]
        json: bool,
    },
    /// Does it stand? The answer with its proof: forces, or how it begins to fall
    Stable(StableOptions),
    /// A run in numbers: height, packing, contacts, forces, energy; with plots
    Measure {
        /// A run file
        run: PathBuf,
        /// Plot energy, time by part and contact forces: an .svg for one sheet, or a folder
        #[arg(short, long)]
        out: Option<PathBuf>,
        /// Overwrite the plots if they exist
        #[arg(long)]
        force: bool,
        /// Print one JSON object on standard output, and nothing else there
        #[arg(long)]
        json: bool,
    },
    /// Make a layout of flat pieces on a strip shorter, or take overlapping pieces apart
    Compact(CompactOptions),
    /// Draw a run: .png for one frame, .mp4 or .gif for all of it, .svg for scenes with few sides
    Render(RenderOptions),
    /// Look at a run in a browser: one page that works offline
    View {
        /// A run file
        run: PathBuf,
        /// Write the page to this file instead of serving it on this machine
        #[arg(short, long)]
        out: Option<PathBuf>,
        /// Overwrite the page if it exists
        #[arg(long, requires = "out")]
        force: bool,
    },
    /// Validate a scene without running it
    Check {
        /// A scene file, or the name of a gallery scene
        scene: String,
        #[command(flatten)]
        changes: Changes,
    },
    /// List the gallery; with a name, print that scene
    Scenes {
        /// The name of a gallery scene
        name: Option<String>,
    },
    /// Write a run for other programs, by the ending of the file:
    /// .xyz .csv .npz .dump .data .pvd .vtp .glb .stl .obj
    Export {
        /// A run file
        run: PathBuf,
        /// The file to write
        #[arg(short, long)]
        out: PathBuf,
        /// One frame only: its number, counted from 0, or `last`
        #[arg(long)]
        frame: Option<String>,
        /// Only every so many frames, and the last
        #[arg(long)]
        every: Option<NonZeroUsize>,
        /// Overwrite the file if it exists
        #[arg(long)]
        force: bool,
    },
    /// Print the JSON Schema of scene files, for editors
    Schema,
    /// Print completions for a shell
    Completions {
        /// The shell
        shell: Shell,
    },
}

/// What the command line changes in a scene.
#[derive(Args)]
pub struct Changes {
    /// Ask another question of the scene: settle, collapse, dynamics, compact or separate; it
    /// takes the place of phases, with what they release and remove
    #[arg(long, value_parser = method)]
    pub method: Option<MethodName>,
    /// Replace a value of the scene, as in `bodies.0.friction=0.3`; may be given several times
    #[arg(long = "set", value_name = "KEY=VALUE", value_parser = change)]
    pub set: Vec<(String, String)>,
}

fn method(text: &str) -> Result<MethodName, String> {
    MethodName::from_name(text).ok_or_else(|| {
        let names = MethodName::ALL.map(|method| method.name());
        format!("the methods are {}", names.join(", "))
    })
}

fn change(text: &str) -> Result<(String, String), String> {
    let (key, value) = text.split_once('=').ok_or("write a key and a value, as in gravity.2=-1")?;
    Ok((key.trim().into(), value.trim().into()))
}

#[derive(Args)]
pub struct RunOptions {
    /// A scene file, or the name of a gallery scene
    pub scene: String,
    #[command(flatten)]
    pub changes: Changes,
    /// The run file to write [default: the scene's name with the ending .riprap]
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Overwrite the run file if it exists
    #[arg(long, conflicts_with = "resume")]
    pub force: bool,
    /// Stop after so many steps
    #[arg(long)]
    pub max_steps: Option<usize>,
    /// Threads to use; the result does not depend on it [default: all cores]
    #[arg(long, value_parser = clap::value_parser!(u16).range(1..=1024))]
    pub threads: Option<u16>,
    /// Replace the scene's seed
    #[arg(long)]
    pub seed: Option<u64>,
    /// Go on with a run that was cut short
    #[arg(long)]
    pub resume: bool,
    /// Print one JSON object on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct CompactOptions {
    /// A layout: .json (instance and solution, as sparrow writes them), .svg or .dxf
    pub layout: PathBuf,
    /// The layout to write, by its ending
    #[arg(short, long)]
    pub out: PathBuf,
    /// The least distance between pieces, in the layout's units
    #[arg(long, default_value_t = 0.0)]
    pub clearance: f64,
    /// Outward normal of the wall that moves
    #[arg(long, default_value = "1,0", value_parser = direction, allow_hyphen_values = true)]
    pub direction: [f64; 2],
    /// The layout is a .json instance without a solution: place its items first
    #[arg(long)]
    pub from_instance: bool,
    /// Pieces that stay where they are, by their numbers in the layout, counted from 0
    #[arg(long, value_delimiter = ',')]
    pub fixed: Vec<usize>,
    /// Pieces may turn by up to so many degrees from how they lie, to either side
    #[arg(long)]
    pub rotate: Option<f64>,
    /// Pieces with a grain, which slide but do not turn, by their numbers in the layout
    #[arg(long, value_delimiter = ',')]
    pub no_turn: Vec<usize>,
    /// Curves become corners outside of them, no farther away than this, in the layout's units
    /// (without it: than a 50 000th of the drawing's size)
    #[arg(long)]
    pub tolerance: Option<f64>,
    /// Draw the chain of pieces that limits the length over the layout, in red (.svg only)
    #[arg(long)]
    pub chain: bool,
    /// Also keep the motion as a run file, for `verify`, `view` and `render`
    #[arg(long)]
    pub run: Option<PathBuf>,
    /// Overwrite the layout and the run file if they exist
    #[arg(long)]
    pub force: bool,
    /// Print one JSON object on standard output, and nothing else there
    #[arg(long)]
    pub json: bool,
}

/// Two numbers, separated by a comma.
fn direction(text: &str) -> Result<[f64; 2], String> {
    let numbers: Vec<f64> = text.split(',').filter_map(|part| part.trim().parse().ok()).collect();
    numbers.try_into().map_err(|_| "a direction is two numbers, such as 1,0".to_string())
}

#[derive(Args)]
pub struct StableOptions {
    /// A scene file, the name of a gallery scene, a run file, or bricks with studs as StableLego
    /// (.json), BrickGPT (.txt) and LDraw (.ldr) write them, an assembly of COMPAS (.json), or a
    /// table of boxes (.csv)
    pub scene: String,
    /// Which frame of a run: its number, counted from 0, or `last`
    #[arg(long)]
    pub frame: Option<String>,
    #[command(flatten)]
    pub changes: Changes,
    /// Draw the bodies in the colours of what they bear, the forces and how they begin to fall: an
    /// .svg, or a .png; or write a report that can be sent: an .html, one file for any browser
    #[arg(short, long)]
    pub out: Option<PathBuf>,
    /// Take the bodies of the .svg or .png apart, by this share of their distances, as in 0.5
    #[arg(long, value_name = "SHARE")]
    pub explode: Option<f64>,
    /// Also find the tilt of the ground at which balance is lost, in every direction
    #[arg(long)]
    pub tilt: bool,
    /// The same for one direction, as in 1,0: the side that goes down
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    pub towards: Option<Direction>,
    /// Draw the critical tilts around the compass into this .svg
    #[arg(long, value_name = "FILE")]
    pub polar: Option<PathBuf>,
    /// Also find how far the energy could fall if nothing could move sideways (2D, level blocks);
    /// with -o, draw how
    #[arg(long)]
    pub lowest: bool,
    /// Also find the largest multiple of this load that can be borne: the number of a body and
    /// a force at its centre, as in 7:0,-1, or at a point, as in 7:0,-1@2,3; may be given several times, each
    /// load by itself
    #[arg(long, allow_hyphen_values = true)]
    pub load: Vec<Load>,
    /// These bodies do not move, by their numbers, as in 0,1: supports
    #[arg(long, value_name = "N,N", value_delimiter = ',')]
    pub fixed: Vec<usize>,
    /// What is at most this far apart touches, and what overlaps by more is refused, as a length;
    /// also asked is whether the verdict holds for every placement within it
    #[arg(long, value_name = "LENGTH")]
    pub tolerance: Option<Length>,
    /// Also ask after each step of building, in the given order or (bricks with studs) in one that is
    /// found, what stands and what must be held
    #[arg(long, value_name = "ORDER", num_args = 0..=1, default_missing_value = "given",
          value_parser = ["given", "find"])]
    pub order: Option<String>,
    /// Without this body
    #[arg(long, value_name = "BODY")]
    pub without: Option<u32>,
    /// On ground that accelerates so, in units of gravity, as in 0.5,0
    #[arg(long, value_name = "X,Y", allow_hyphen_values = true)]
    pub acceleration: Option<Direction>,
    /// Also find the least and the greatest force of this contact over all forces that balance the
    /// loads (of bricks its force up, of others along its normal); --json lists the contacts
    #[arg(long, value_name = "CONTACT")]
    pub contact: Option<usize>,
    /// Also find the forces of the least sum of squares: those of stiff bodies whose contacts yield
    /// alike everywhere (of bricks with studs within what these hold)
    #[arg(long)]
    pub elastic: bool,
    /// Also ask whether balancing forces can come about: whether some small displacement of the bodies
    /// makes contacts overlap just where they press. A bar between two walls is balanced, but nothing
    /// makes it press against them. Only normal forces are asked about
    #[arg(long)]
    pub consistent: bool,
    /// Also find in every direction the tilt and the acceleration of the ground at which balance is
    /// lost, and the least friction
    #[arg(long)]
    pub what_if: bool,
    /// Also find which bodies begin to move on ground that accelerates by these parts of gravity, in
    /// eight directions, as in 0.3,0.5,0.8
    #[arg(long, value_name = "G,G", value_delimiter = ',')]
    pub falls: Vec<f64>,
    /// Bricks with studs: decide in whole numbers, whatever it costs
    #[arg(long)]
    pub exact: bool,
    /// Overwrite the pictures or the report if they exist
    #[arg(long)]
    pub force: bool,
    /// Tell the verdict by the exit status: 0 stable or balanced, 3 unstable, 4 undecided
    #[arg(long)]
    pub exit_status: bool,
    /// Print one JSON object
    #[arg(long)]
    pub json: bool,
}

#[derive(Args)]
pub struct RenderOptions {
    /// A run file
    pub run: PathBuf,
    /// The picture or movie to write: .png, .mp4, .gif or .svg (2D scenes, and 3D ones with few sides)
    #[arg(short, long)]
    pub out: PathBuf,
    /// Which frame a .png or .svg shows: its number, counted from 0, or `last`
    #[arg(long)]
    pub frame: Option<String>,
    /// An .svg of so many frames side by side, from the first to the last
    #[arg(long, conflicts_with = "frame", value_parser = clap::value_parser!(u16).range(2..=100))]
    pub strip: Option<u16>,
    /// Draw the contact forces into an .svg, where they are known: at time steps, and at rest
    #[arg(long)]
    pub forces: bool,
    /// Number the bodies of an .svg
    #[arg(long)]
    pub labels: bool,
    /// Pictures per second of a movie [default: 25]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=240))]
    pub fps: Option<u32>,
    /// Width x height in pixels [default: 640x480]; an .svg has none
    #[arg(long)]
    pub size: Option<Size>,
    /// Looks per pixel: 4 for a preview, 16 or more for a good picture [default: 4]
    #[arg(long, value_parser = clap::value_parser!(u32).range(1..=4096))]
    pub samples: Option<u32>,
    /// What the colours of the bodies say [default: the group if several move, else the body]
    #[arg(long, value_parser = colours())]
    pub colour: Option<Colours>,
    /// Where the camera stands, as in 3,-8,2; an .svg has none
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub camera: Option<Point>,
    /// What the camera looks at
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub look_at: Option<Point>,
    /// Which way is up in the picture
    #[arg(long, value_name = "X,Y,Z", allow_hyphen_values = true)]
    pub up: Option<Point>,
    /// Take the bodies apart, by this share of their distances, as in 0.5
    #[arg(long, value_name = "SHARE", conflicts_with = "forces")]
    pub explode: Option<f64>,
    /// The colour behind everything, as in ffffff
    #[arg(long, value_name = "RRGGBB")]
    pub background: Option<Rgb>,
    /// How long a movie is; it plays at even speed [default: 12]
    #[arg(long)]
    pub seconds: Option<f64>,
    /// Not at even speed, but at these relative speeds at equal parts of the movie, as in 0,1,3,1
    #[arg(long, value_name = "SPEEDS", value_delimiter = ',', allow_hyphen_values = true)]
    pub pace: Vec<f64>,
    /// One picture per stored frame instead of even speed
    #[arg(long, conflicts_with_all = ["seconds", "pace"])]
    pub every_frame: bool,
    /// Play to the end and back again
    #[arg(long)]
    pub there_and_back: bool,
    /// Overwrite the file if it exists
    #[arg(long)]
    pub force: bool,
}

fn colours() -> impl TypedValueParser<Value = Colours> {
    PossibleValuesParser::new(Colours::ALL.map(Colours::name)).try_map(|name| name.parse())
}
