//! The true energy never rises from one frame to the next, whatever the step
//! was for; and what a frame says of its energy is true.

use crate::common::{energy, run_to_rest, small_scenes};
use riprap::math::ENERGY_ROUNDING;

#[test]
fn from_frame_to_frame() {
    for scene in small_scenes() {
        let run = run_to_rest(&scene);
        let of = |frame: &riprap::trajectory::Frame| energy(&run.model, &frame.state.positions);
        let range = of(&run.frames[0]) - of(run.last());
        assert!(range > 0.0, "{} went nowhere", scene.name);
        for (before, after) in run.steps() {
            let rise = of(after) - of(before);
            assert!(
                rise <= ENERGY_ROUNDING * range,
                "{}: by {rise:e} in step {} ({:?})",
                scene.name,
                after.step,
                after.kind
            );
            assert!(after.energy <= before.energy, "{}: as stored", scene.name);
            assert!((after.energy - of(after)).abs() <= 1e-12 * range.max(of(after).abs()));
        }
    }
}
