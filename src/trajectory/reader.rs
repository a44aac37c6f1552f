//! Reading a run file.

use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::column::Columns;
use super::frame::Pasts;
use super::header;
use super::index::{self, Checkpoint, Contents, Entry};
use super::record::{self, Flaw, PREAMBLE, RecordFile, malformed};
use super::{Contact, Ending, Frame, frame, hash_bytes};
use crate::problem::{Problem, Result};
use crate::world::{Model, QUIET_STEPS};

/// A run file opened for reading; frames are decoded on demand.
///
/// ```no_run
/// # fn main() -> riprap::Result<()> {
/// let run = riprap::trajectory::Reader::open("hourglass.riprap".as_ref())?;
/// for frame in run.frames() {
///     println!("{}", frame?.energy);
/// }
/// # Ok(())
/// # }
/// ```
pub struct Reader {
    path: PathBuf,
    scene_text: String,
    phases: Vec<RecordedPhase>,
    contents: Contents,
    torn_bytes: u64,
    source: Mutex<Source>,
}

/// A phase of a run, or all of a run that has but one.
pub struct RecordedPhase {
    /// Its own; all phases have the same bodies.
    pub model: Model,
    /// Names of the parts of a step whose seconds the frames list.
    pub parts: Vec<String>,
    /// The number of its first frame, its start.
    pub first: usize,
    /// A hash of its record, which its first frame names as its predecessor's.
    pub hash: u64,
    /// The hash of the last frame of the phase before; 0 for the first phase.
    pub previous: u64,
}

impl RecordedPhase {
    fn read(payload: &[u8], first: usize) -> Result<(RecordedPhase, String)> {
        let header::Header { model, scene_text, parts, previous } = header::read(payload)?;
        let hash = hash_bytes(payload);
        Ok((RecordedPhase { model, parts, first, hash, previous }, scene_text))
    }
}

/// The file, and what the next frame is predicted from.
struct Source {
    records: RecordFile,
    past: Pasts,
    /// The frame that was decoded last.
    last: Option<usize>,
}

impl Reader {
    /// Opens a run file. A file cut off in the middle of a record opens with every whole record before it.
    pub fn open(path: &Path) -> Result<Reader> {
        let file = File::open(path).map_err(|error| {
            Problem::new(format!("cannot open the run file: {error}")).in_file(path)
        })?;
        Reader::read(path, file, index::read).map_err(|problem| problem.in_file(path))
    }

    /// As [`Reader::open`], but without trust in the index, and so with knowledge of the checkpoints.
    pub(super) fn scan(path: &Path, file: File) -> Result<Reader> {
        Reader::read(path, file, |_| None)
    }

    fn read(
        path: &Path,
        file: File,
        read_index: fn(&mut RecordFile) -> Option<Contents>,
    ) -> Result<Reader> {
        let mut records = RecordFile::new(file)?;
        let first = records.record(PREAMBLE).map_err(|flaw| match flaw {
            Flaw::CutOff => Problem::new("the run file was cut off before its header was complete"),
            flaw => flaw.problem("the header", PREAMBLE),
        })?;
        if first.tag != record::HEADER {
            return Err(Problem::new("the run file does not start with a header"));
        }
        let (phase, scene_text) = RecordedPhase::read(&first.payload, 0)
            .map_err(|problem| malformed("the header", problem))?;
        let contents = match read_index(&mut records) {
            Some(contents) => contents,
            None => index::scan(&mut records, first.end)?,
        };
        let mut phases = vec![phase];
        for (number, entry) in (2..).zip(&contents.phases) {
            let name = format!("phase {number}");
            let record = records.record(entry.offset);
            let record = record.map_err(|flaw| flaw.problem(&name, entry.offset))?;
            let read = RecordedPhase::read(&record.payload, entry.first);
            let (phase, _) = read.map_err(|problem| malformed(&name, problem))?;
            if phase.model.bodies.len() != phases[0].model.bodies.len() {
                return Err(Problem::new(format!("{name} has other bodies than the first")));
            }
            phases.push(phase);
        }
        Ok(Reader {
            path: path.to_path_buf(),
            scene_text,
            phases,
            torn_bytes: records.length() - contents.end,
            contents,
            source: Mutex::new(Source { records, past: Pasts::default(), last: None }),
        })
    }

    /// The model of the first phase: that of the whole run, unless [`Reader::phases`] are several.
    pub fn model(&self) -> &Model {
        &self.phases[0].model
    }

    /// The model that a frame belongs to.
    pub fn model_at(&self, frame: usize) -> &Model {
        &self.phases[self.phase_at(frame)].model
    }

    /// The model of the last phase that has begun: the ending's.
    pub fn last_model(&self) -> &Model {
        &self.phases[self.phases.len() - 1].model
    }

    /// The model of the first phase that has time, or of the first: whether bodies have
    /// velocities and turn.
    pub fn moving_model(&self) -> &Model {
        let moving = self.phases.iter().find(|phase| phase.model.method.time().is_some());
        &moving.unwrap_or(&self.phases[0]).model
    }

    /// The time that has passed at a frame; none if the run knows no time at all.
    pub fn time_at(&self, frame: usize) -> Option<f64> {
        self.moving_model().method.time()?;
        let phase = &self.phases[self.phase_at(frame)];
        let dt = phase.model.method.time().map_or(0.0, |(dt, _)| dt);
        Some(phase.model.phase.time + dt * (frame - phase.first) as f64)
    }

    /// The phases, at least one, in their order.
    pub fn phases(&self) -> &[RecordedPhase] {
        &self.phases
    }

    /// The number of the phase that a frame belongs to.
    pub fn phase_at(&self, frame: usize) -> usize {
        self.phases.partition_point(|phase| phase.first <= frame).max(1) - 1
    }

    /// The frames of a phase.
    pub fn frames_of(&self, phase: usize) -> std::ops::Range<usize> {
        let end = self.phases.get(phase + 1).map_or(self.len(), |next| next.first);
        self.phases[phase].first.min(end)..end
    }

    /// How a phase ended; none if the run was cut short in it.
    pub fn ending_of(&self, phase: usize) -> Option<&Ending> {
        match self.contents.phases.get(phase) {
            Some(next) => Some(&next.ended.1),
            None => self.ending(),
        }
    }

    /// Whether the run began with exactly this model, but for its name.
    pub(crate) fn is_of(&self, model: &Model) -> bool {
        let first = &self.phases[0];
        let named = Model { name: first.model.name.clone(), ..model.clone() };
        let parts: Vec<&str> = first.parts.iter().map(String::as_str).collect();
        let payload = header::write(&named, &self.scene_text, &parts, None);
        payload.is_ok_and(|payload| hash_bytes(&payload) == first.hash)
    }

    /// The scene file as it was when the run started.
    pub fn scene_text(&self) -> &str {
        &self.scene_text
    }

    /// Number of frames.
    pub fn len(&self) -> usize {
        self.contents.frames.len()
    }

    /// Whether the run was cut short before its first frame.
    pub fn is_empty(&self) -> bool {
        self.contents.frames.is_empty()
    }

    /// One frame. Frames in ascending order are decoded once each; a jump costs
    /// the frames since the last key frame.
    pub fn frame(&self, index: usize) -> Result<Frame> {
        self.decode(index).map_err(|problem| problem.in_file(&self.path))
    }

    fn decode(&self, index: usize) -> Result<Frame> {
        if index >= self.len() {
            return Err(Problem::new(format!(
                "there is no frame {index}: the run has {} frames, counted from 0",
                self.len()
            )));
        }
        // A panic elsewhere cannot leave the source in a state that matters: `last` tells.
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let first = self.first_to_decode(source.last, index);
        let bodies = self.model().bodies.len();
        for before in first..index {
            source.decode(&self.contents.frames, before, bodies)?;
        }
        source.decode(&self.contents.frames, index, bodies)
    }

    /// Where decoding must begin: after the frame decoded last, or at a key frame.
    fn first_to_decode(&self, last: Option<usize>, index: usize) -> usize {
        let key = (0..=index).rev().find(|&k| self.contents.frames[k].key).unwrap_or(0);
        match last {
            Some(last) if (key..index).contains(&last) => last + 1,
            _ => key,
        }
    }

    /// All frames in order, decoded once each.
    pub fn frames(&self) -> impl Iterator<Item = Result<Frame>> + '_ {
        (0..self.len()).map(|index| self.frame(index))
    }

    /// The hash stored with a frame.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn stored_hash(&self, index: usize) -> u64 {
        self.contents.frames[index].link.hash
    }

    /// The hash of the frame before, as it was stored with this frame; for the
    /// first frame, that of the header. A frame that was dropped or swapped
    /// breaks this chain.
    ///
    /// # Panics
    /// If there is no such frame.
    pub fn stored_previous_hash(&self, index: usize) -> u64 {
        self.contents.frames[index].link.previous
    }

    /// The contacts at a frame with their forces: those of the proof at the end of a phase that
    /// came to rest; where frames keep the impulses of a time step, their mean over the step.
    /// None where forces are not known.
    pub fn forces_at(&self, frame: usize) -> Result<Option<Vec<Contact>>> {
        let phase = self.phase_at(frame);
        let at_end = frame + 1 == self.frames_of(phase).end;
        if let Some(ending) = self.ending_of(phase).filter(|_| at_end)
            && !ending.contacts.is_empty()
        {
            return Ok(Some(ending.contacts.clone()));
        }
        let Some((time_step, _)) = self.phases[phase].model.method.time() else {
            return Ok(self.ending_of(phase).filter(|_| at_end).map(|_| Vec::new()));
        };
        let mut contacts = self.frame(frame)?.contacts;
        contacts.iter_mut().for_each(|contact| contact.force /= time_step);
        Ok(Some(contacts))
    }

    /// How the last phase ended. `None` for a run that was cut short.
    pub fn ending(&self) -> Option<&Ending> {
        self.contents.ending.as_ref()
    }

    /// Bytes after the last whole record, if the file was cut short.
    pub fn torn_bytes(&self) -> u64 {
        self.torn_bytes
    }

    /// The last checkpoint (known after [`Reader::scan`]) and the memory in it.
    pub(super) fn checkpoint(&self) -> Result<Option<(Checkpoint, Vec<u8>)>> {
        let Some(checkpoint) = self.contents.checkpoint else { return Ok(None) };
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let record = source.records.record(checkpoint.offset);
        let record = record.map_err(|flaw| flaw.problem("the checkpoint", checkpoint.offset))?;
        let columns = Columns::read(&record.payload)?;
        Ok(Some((checkpoint, columns.values("memory", 1)?)))
    }

    /// The frames that follow a checkpoint, with no other record among them, and where each ends.
    pub(super) fn frames_after(&self, checkpoint: &Checkpoint) -> Vec<(Entry, u64)> {
        let mut source = self.source.lock().unwrap_or_else(PoisonError::into_inner);
        let (mut found, mut end) = (Vec::new(), checkpoint.end);
        for entry in &self.contents.frames[checkpoint.frames..] {
            match source.records.record(entry.offset) {
                Ok(record) if entry.offset == end => end = record.end,
                _ => break,
            }
            found.push((*entry, end));
        }
        found
    }

    /// For how many steps up to a frame all has been quiet, as its phase waits for.
    pub(super) fn quiet_steps(&self, frame: usize) -> Result<usize> {
        let phase = &self.phases[self.phase_at(frame)];
        let Some(speed) = phase.model.quiet() else { return Ok(0) };
        let mut count = 0;
        for index in (phase.first + 1..=frame).rev().take(QUIET_STEPS) {
            if !phase.model.is_quiet(&self.frame(index)?.state, speed) {
                break;
            }
            count += 1;
        }
        Ok(count)
    }

    /// Gives away the phases, and where everything is.
    pub(super) fn into_parts(self) -> (Vec<RecordedPhase>, Contents) {
        (self.phases, self.contents)
    }
}

impl Source {
    /// Decodes a frame of so many bodies; those before it, back to a key frame, must have been decoded.
    fn decode(&mut self, frames: &[Entry], index: usize, bodies: usize) -> Result<Frame> {
        let Entry { offset, key, link, .. } = frames[index];
        let name = format!("frame {index}");
        self.last = None;
        if key {
            self.past = Pasts::default();
        }
        let record = self.records.record(offset).map_err(|flaw| flaw.problem(&name, offset))?;
        let wanted = if key { record::KEY_FRAME } else { record::FRAME };
        let decoded = frame::read(&record.payload, bodies, &mut self.past)
            .map_err(|problem| malformed(&format!("{name} at byte {offset}"), problem))?;
        if record.tag != wanted || decoded.1 != link {
            return Err(record::damaged(&format!(
                "{name} at byte {offset} is not the one that the index promises"
            )));
        }
        self.last = Some(index);
        Ok(decoded.0)
    }
}

#[cfg(test)]
mod tests {
    use std::fs;

    use proptest::prelude::*;

    use super::*;
    use crate::scene::DynamicsOptions;
    use crate::trajectory::{Writer, samples, state_hash};
    use crate::world::Method;

    /// A run with a checkpoint after frame 1, and the places where its frames
    /// end. With more than 20 frames there is a second key frame.
    fn run_file(frames: u64, finished: bool) -> (tempfile::TempDir, std::path::PathBuf, Vec<u64>) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let mut writer =
            Writer::create(&path, false, &samples::model(3), "a scene", &["solve", "check"])
                .unwrap();
        let mut ends = Vec::new();
        for step in 0..frames {
            writer.frame(&samples::frame(step, 3)).unwrap();
            ends.push(fs::metadata(&path).unwrap().len());
            if step == 1 {
                writer.checkpoint(b"memory").unwrap();
            }
        }
        if finished {
            writer.end(&samples::ending()).unwrap();
        }
        (folder, path, ends)
    }

    fn flip(path: &Path, place: u64) {
        let mut bytes = fs::read(path).unwrap();
        bytes[place as usize] ^= 16;
        fs::write(path, bytes).unwrap();
    }

    fn refused(path: &Path) -> Problem {
        Reader::open(path).err().expect("the file should be refused")
    }

    #[test]
    fn impulses_of_a_time_step_are_told_as_forces() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("sample.riprap");
        let mut model = samples::model(3);
        let options = DynamicsOptions { time_step: 0.01, ..DynamicsOptions::default() };
        model.method = Method::Dynamics(options);
        let mut writer = Writer::create(&path, false, &model, "", &[]).unwrap();
        let impulses = samples::ending().contacts;
        writer.frame(&samples::frame(0, 3)).unwrap();
        writer.frame(&Frame { contacts: impulses.clone(), ..samples::frame(1, 3) }).unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.forces_at(0).unwrap(), Some(vec![]));
        let forces = reader.forces_at(1).unwrap().unwrap();
        assert_eq!(forces.len(), impulses.len());
        for (force, impulse) in forces.iter().zip(&impulses) {
            assert!(force.force.abs_diff_eq(impulse.force / 0.01, 1e-9));
        }
    }

    #[test]
    fn a_rest_tells_its_forces_at_its_end_only() {
        let (_folder, path, _) = run_file(3, true);
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.forces_at(1).unwrap(), None);
        assert_eq!(reader.forces_at(2).unwrap(), Some(samples::ending().contacts));
    }

    #[test]
    fn a_finished_run_is_read_through_its_index() {
        let (_folder, path, _) = run_file(23, true);
        let reader = Reader::open(&path).unwrap();
        assert_eq!((reader.len(), reader.is_empty(), reader.torn_bytes()), (23, false, 0));
        assert_eq!(
            (reader.scene_text(), reader.phases()[0].parts.join(" ")),
            ("a scene", "solve check".into())
        );
        assert_eq!(reader.ending(), Some(&samples::ending()));
        let frames: Vec<Frame> = reader.frames().map(Result::unwrap).collect();
        assert_eq!(frames, (0..23).map(|step| samples::frame(step, 3)).collect::<Vec<_>>());

        let mut by_index = RecordFile::new(File::open(&path).unwrap()).unwrap();
        let index = index::read(&mut by_index).expect("the index is sound");
        let scanned = Reader::scan(&path, File::open(&path).unwrap()).unwrap().contents;
        assert_eq!((index.frames, index.ending), (scanned.frames, scanned.ending));
    }

    #[test]
    fn frames_come_in_any_order() {
        let (_folder, path, _) = run_file(23, true);
        let reader = Reader::open(&path).unwrap();
        for index in [22, 0, 19, 20, 3, 4, 4, 7, 21, 1] {
            assert_eq!(reader.frame(index).unwrap(), samples::frame(index as u64, 3));
        }
        let problem = reader.frame(23).unwrap_err();
        assert_eq!(problem.message, "there is no frame 23: the run has 23 frames, counted from 0");
    }

    #[test]
    fn hashes_form_a_chain() {
        let (_folder, path, _) = run_file(23, true);
        let reader = Reader::open(&path).unwrap();
        let mut previous = reader.phases()[0].hash;
        for (index, frame) in reader.frames().enumerate() {
            assert_eq!(reader.stored_previous_hash(index), previous);
            previous = state_hash(&frame.unwrap().state);
            assert_eq!(reader.stored_hash(index), previous);
        }
    }

    #[test]
    fn a_dropped_frame_breaks_the_chain() {
        let (_folder, path, ends) = run_file(23, false);
        let mut bytes = fs::read(&path).unwrap();
        bytes.drain(ends[2] as usize..ends[3] as usize);
        fs::write(&path, bytes).unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.len(), 22);
        assert_eq!(reader.stored_previous_hash(2), reader.stored_hash(1));
        assert_ne!(reader.stored_previous_hash(3), reader.stored_hash(2));
    }

    #[test]
    fn a_file_cut_anywhere_keeps_its_whole_frames() {
        let (_folder, path, ends) = run_file(4, true);
        let bytes = fs::read(&path).unwrap();
        let mut records = RecordFile::new(File::open(&path).unwrap()).unwrap();
        let header_end = records.record(PREAMBLE).unwrap().end;
        let ending_end = records.last_number().unwrap();
        let file = File::options().write(true).open(&path).unwrap();
        for cut in (0..bytes.len()).rev() {
            file.set_len(cut as u64).unwrap();
            if (cut as u64) < header_end {
                let message = refused(&path).message;
                let expected = if cut == 0 {
                    "the file is empty: not a riprap run file"
                } else {
                    "the run file was cut off before its header was complete"
                };
                assert_eq!(message, expected, "cut at {cut}");
                continue;
            }
            let reader = Reader::open(&path).unwrap();
            let whole = ends.iter().filter(|&&end| end <= cut as u64).count();
            assert_eq!(reader.len(), whole, "cut at {cut}");
            assert_eq!(reader.ending().is_some(), cut as u64 >= ending_end, "cut at {cut}");
            assert!(reader.torn_bytes() > 0 || reader.contents.end == cut as u64);
            if let Some(last) = whole.checked_sub(1) {
                assert_eq!(reader.frame(last).unwrap(), samples::frame(last as u64, 3));
            }
        }
    }

    #[test]
    fn a_damaged_frame_is_named_and_the_other_groups_stay_readable() {
        let (_folder, path, ends) = run_file(23, true);
        flip(&path, ends[9] + 60);
        let reader = Reader::open(&path).unwrap();
        assert!(reader.frame(9).is_ok() && reader.frame(20).is_ok());
        for index in [10, 11, 19] {
            let message = reader.frame(index).unwrap_err().message;
            let place = format!("the checksum of frame 10 at byte {} does", ends[9]);
            assert!(message.starts_with(&place), "{message}");
        }
        assert!(reader.frame(9).is_ok(), "a failure leaves nothing behind");
    }

    #[test]
    fn damage_of_an_unfinished_file_is_an_error_unless_at_its_end() {
        let (_folder, path, ends) = run_file(23, false);
        flip(&path, ends[22] - 1);
        let reader = Reader::open(&path).unwrap();
        assert_eq!((reader.len(), reader.torn_bytes()), (22, ends[22] - ends[21]));
        flip(&path, ends[9] + 60);
        let problem = refused(&path);
        let expected =
            format!("the checksum of the record at byte {} does not fit its contents", ends[9]);
        assert_eq!(problem.message, expected);
        assert_eq!(problem.place.unwrap().file, path);
    }

    #[test]
    fn a_damaged_header_is_named() {
        let (_folder, path, _) = run_file(23, true);
        flip(&path, 40);
        assert!(refused(&path).message.starts_with("the checksum of the header at byte 16 does"));
    }

    #[test]
    fn files_that_cannot_be_read_are_named() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("missing.riprap");
        let problem = refused(&path);
        assert!(problem.message.starts_with("cannot open the run file: "), "{problem}");
        assert_eq!(problem.place.unwrap().file, path);
        let scene = folder.path().join("scene.toml");
        fs::write(&scene, "gravity = [0, 0, -9.81]").unwrap();
        assert_eq!(refused(&scene).message, "not a riprap run file");
    }

    #[test]
    fn unknown_records_and_columns_are_skipped() {
        let (_folder, path, _) = run_file(23, false);
        let mut bytes = fs::read(&path).unwrap();
        bytes.extend(record::seal(*b"NEWS", b"from the future"));
        let mut builder = super::super::column::Builder::default();
        builder.plain("orientation", 4, &[1.0, 0.0, 0.0, 0.0]);
        let frame = samples::frame(23, 3);
        let link = super::super::frame::Link { hash: 1, previous: 2 };
        let columns =
            [builder.payload(), frame::write(&frame, link, &mut Pasts::default())].concat();
        bytes.extend(record::seal(record::KEY_FRAME, &columns));
        fs::write(&path, bytes).unwrap();
        let reader = Reader::open(&path).unwrap();
        assert_eq!(reader.len(), 24);
        assert_eq!(reader.frame(23).unwrap(), frame);
    }

    #[test]
    fn a_forged_index_is_not_believed() {
        let (_folder, path, _) = run_file(23, true);
        let mut records = RecordFile::new(File::open(&path).unwrap()).unwrap();
        let start = records.last_number().unwrap();
        let mut contents = index::read(&mut records).unwrap();
        let bytes = fs::read(&path).unwrap();
        let forge = |frames: &[Entry]| {
            let index = record::seal(record::INDEX, &index::write(frames, &[], 0, start));
            fs::write(&path, [&bytes[..start as usize], &index].concat()).unwrap();
            Reader::open(&path).unwrap()
        };
        // A wrong place of the ending, a file of another order: both fall back on scanning.
        assert_eq!(forge(&contents.frames).len(), 23);
        contents.frames.swap(1, 2);
        assert!(forge(&contents.frames).frames().all(|frame| frame.is_ok()));
    }

    #[test]
    fn a_frame_that_is_not_the_promised_one_is_refused() {
        let (_folder, path, _) = run_file(23, true);
        let mut reader = Reader::open(&path).unwrap();
        reader.contents.frames[2].link.hash ^= 1;
        let problem = reader.frame(2).unwrap_err();
        assert!(problem.message.ends_with("is not the one that the index promises"), "{problem}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(150))]
        #[test]
        fn no_damage_makes_it_panic_or_lie(
            finished: bool,
            flips in prop::collection::vec((any::<prop::sample::Index>(), 0_u8..8), 1..4),
            cut in prop::option::of(any::<prop::sample::Index>()),
        ) {
            let (_folder, path, _) = run_file(23, finished);
            let mut bytes = fs::read(&path).unwrap();
            let path = path.with_extension("damaged");
            if let Some(cut) = cut {
                bytes.truncate(cut.index(bytes.len()) + 1);
            }
            for (place, bit) in flips {
                let place = place.index(bytes.len());
                bytes[place] ^= 1 << bit;
            }
            fs::write(&path, bytes).unwrap();
            if let Ok(reader) = Reader::open(&path) {
                for (step, frame) in reader.frames().enumerate() {
                    if let Ok(frame) = frame {
                        prop_assert_eq!(frame, samples::frame(step as u64, 3));
                    }
                }
            }
        }
    }
}
