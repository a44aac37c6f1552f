//! Appending to a run file.

use std::fs::{File, OpenOptions, TryLockError};
use std::io::{ErrorKind, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use super::column::Builder;
use super::frame::Pasts;
use super::frame::{self, Link};
use super::header;
use super::index::{self, Entry, PhaseEntry};
use super::record::{self, Tag};
use super::{Ending, Frame, Outcome, Reader, RecordedPhase, hash_bytes, state_hash, word};
use crate::problem::{Problem, Result};
use crate::world::Model;

/// Frames from one key frame to the next: a key frame costs about as much as
/// five others, and a jump to a frame decodes half of these on average.
const KEY_EVERY: usize = 20;

/// Appends to a run file; every record is on its way to the disk when the call returns.
///
/// ```
/// use riprap::trajectory::{Report, StepKind};
/// use riprap::{DVec3, Frame, Model, Reader, State, Writer};
///
/// let (mut model, mut state) = (Model::new(3, DVec3::NEG_Z), State::default());
/// model.add_particle(&mut state, DVec3::Z, 1.0, 0.5);
/// let start = Frame {
///     step: 0,
///     kind: StepKind::Start,
///     energy: 1.0,
///     state,
///     contacts: vec![],
///     trace: Default::default(),
///     report: Report::default(),
///     seconds: vec![],
/// };
/// # let folder = tempfile::tempdir().unwrap();
/// # let file = folder.path().join("ball.riprap");
/// let mut writer = Writer::create(&file, false, &model, "", &[])?;
/// writer.frame(&start)?;
/// drop(writer); // or killed: every frame is kept
/// let run = Reader::open(&file)?;
/// assert_eq!((run.frame(0)?, run.ending()), (start, None));
/// # Ok::<(), riprap::Problem>(())
/// ```
pub struct Writer {
    file: File,
    path: PathBuf,
    /// Where the next record goes.
    end: u64,
    bodies: usize,
    /// The hash that the next frame names as its predecessor's.
    previous: u64,
    frames: Vec<Entry>,
    /// Those that follow the first.
    phases: Vec<PhaseEntry>,
    /// Where the last ending is, and the ending itself.
    ended: Option<(u64, Ending)>,
    past: Pasts,
    /// Frames since the last key frame, and that one.
    since_key: usize,
    /// Frames that a killed run left after its last checkpoint, with where each of them ends, the next
    /// one last. They stay in the file until they are made again, and as they come out
    /// with the same bits, they need not be written again.
    kept: Vec<(Entry, u64)>,
}

/// What a killed run left behind, up to its last checkpoint.
pub struct Resumed {
    /// Ready to append the frame that follows.
    pub writer: Writer,
    /// Those that have begun; the last one goes on.
    pub phases: Vec<RecordedPhase>,
    /// The frame that the checkpoint belongs to; later frames are in the file until they have
    /// been made again.
    pub frame: Frame,
    /// The method's own memory, as it was given to [`Writer::checkpoint`].
    pub memory: Vec<u8>,
    /// For how many steps all has been quiet, if the phase waits for that.
    pub quiet: usize,
}

impl Writer {
    /// Starts a new file; refuses to overwrite one unless `force`.
    pub fn create(
        path: &Path,
        force: bool,
        model: &Model,
        scene_text: &str,
        parts: &[&str],
    ) -> Result<Writer> {
        let payload = header::write(model, scene_text, parts, None).map_err(|p| p.in_file(path))?;
        let file = create_file(path, force).map_err(|problem| problem.in_file(path))?;
        let mut writer = Writer {
            file,
            path: path.to_path_buf(),
            end: 0,
            bodies: model.bodies.len(),
            previous: hash_bytes(&payload),
            frames: Vec::new(),
            phases: Vec::new(),
            ended: None,
            past: Pasts::default(),
            since_key: 0,
            kept: Vec::new(),
        };
        let mut start = record::preamble();
        start.extend(record::seal(record::HEADER, &payload));
        writer.write(&start)?;
        Ok(writer)
    }

    /// Opens a run that was cut short, and goes on from its last checkpoint. Frames that follow it
    /// stay until they have been made again: should this run be killed, too, none is lost.
    ///
    /// A run that was interrupted or ran into its step limit can go on, too;
    /// one that reached its goal cannot.
    pub fn resume(path: &Path) -> Result<Resumed> {
        resume(path).map_err(|problem| problem.in_file(path))
    }

    /// Appends a frame.
    pub fn frame(&mut self, frame: &Frame) -> Result<()> {
        if frame.state.positions.len() != self.bodies {
            let (positions, bodies) = (frame.state.positions.len(), self.bodies);
            let message = format!("a frame of {positions} positions in a run of {bodies} bodies");
            return Err(Problem::new(message).in_file(&self.path));
        }
        let link = Link { hash: state_hash(&frame.state), previous: self.previous };
        if self.is_kept(frame.step, link)? {
            return Ok(());
        }
        let key = self.since_key == 0;
        if key {
            self.past = Pasts::default();
        }
        let payload = frame::write(frame, link, &mut self.past);
        let offset = self.end;
        // Should the write fail, what has been predicted from it is of no use.
        let since_key = std::mem::take(&mut self.since_key);
        self.append(if key { record::KEY_FRAME } else { record::FRAME }, &payload)?;
        self.frames.push(Entry { offset, key, step: frame.step, link });
        self.since_key = (since_key + 1) % KEY_EVERY;
        self.previous = link.hash;
        Ok(())
    }

    /// Whether the next frame is in the file already. If another one is there, that one and all
    /// that follow are cut off.
    fn is_kept(&mut self, step: u64, link: Link) -> Result<bool> {
        let Some(&(entry, end)) = self.kept.last() else { return Ok(false) };
        if (entry.step, entry.link) != (step, link) {
            self.cut()?;
            return Ok(false);
        }
        self.kept.pop();
        self.take_over(entry, end);
        if self.kept.is_empty() {
            self.cut()?;
        }
        Ok(true)
    }

    /// Counts a frame that is in the file.
    fn take_over(&mut self, entry: Entry, end: u64) {
        self.frames.push(entry);
        (self.previous, self.end, self.since_key) = (entry.link.hash, end, 0);
    }

    /// The file ends here: what follows is not to be kept.
    fn cut(&mut self) -> Result<()> {
        self.kept.clear();
        let shortened = self.file.set_len(self.end);
        let sought = shortened.and_then(|()| self.file.seek(SeekFrom::Start(self.end)));
        sought.map(|_| ()).map_err(|error| cannot("shorten", &error).in_file(&self.path))
    }

    /// Begins a phase after the one that was ended by [`Writer::end_phase`].
    pub fn phase(&mut self, model: &Model, parts: &[&str]) -> Result<()> {
        let payload = header::write(model, "", parts, Some(self.previous))
            .map_err(|problem| problem.in_file(&self.path))?;
        let Some(ended) = self.ended.take() else {
            return Err(Problem::new("the phase before has no ending").in_file(&self.path));
        };
        let (offset, first) = (self.end, self.frames.len());
        self.append(record::PHASE, &payload)?;
        self.phases.push(PhaseEntry { offset, first, ended });
        (self.previous, self.since_key) = (hash_bytes(&payload), 0);
        Ok(())
    }

    /// The ending of a phase that another one follows.
    pub fn end_phase(&mut self, ending: &Ending) -> Result<()> {
        let offset = self.end;
        self.append(record::ENDING, &super::ending::write(ending))?;
        self.ended = Some((offset, ending.clone()));
        Ok(())
    }

    /// Remembers, after the last frame written, what the next step depends on.
    pub fn checkpoint(&mut self, memory: &[u8]) -> Result<()> {
        if !self.kept.is_empty() {
            // The last one will do: after this one, frames that it does not know would follow.
            return Ok(());
        }
        let mut builder = Builder::default();
        builder.packed("memory", 1, memory);
        self.append(record::CHECKPOINT, &builder.payload())
    }

    /// Closes the file with the ending and the index.
    pub fn end(&mut self, ending: &Ending) -> Result<()> {
        if ending.outcome == Outcome::Interrupted {
            // All frames that were there before are still those of this run.
            while let Some((entry, end)) = self.kept.pop() {
                self.take_over(entry, end);
            }
            self.cut()?;
        }
        let ending_at = self.end;
        self.end_phase(ending)?;
        let payload = index::write(&self.frames, &self.phases, ending_at, self.end);
        self.append(record::INDEX, &payload)?;
        // Whoever waits for the file may have it now; should this fail, they wait a little longer.
        let _ = self.file.unlock();
        Ok(())
    }

    fn append(&mut self, tag: Tag, payload: &[u8]) -> Result<()> {
        if !self.kept.is_empty() {
            self.cut()?;
        }
        self.write(&record::seal(tag, payload))
    }

    /// Writes bytes at the end of the file, all or none.
    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        if let Err(error) = self.file.write_all(bytes) {
            // A reader copes with half a record, too, should this fail as well.
            let _ = self.file.set_len(self.end);
            let _ = self.file.seek(SeekFrom::Start(self.end));
            let message = format!("cannot write to the run file: {error}");
            return Err(Problem::new(message).in_file(&self.path));
        }
        self.end += bytes.len() as u64;
        Ok(())
    }
}

fn create_file(path: &Path, force: bool) -> Result<File> {
    let mut options = OpenOptions::new();
    options.read(true).write(true);
    if std::fs::metadata(path).is_ok_and(|there| !there.is_file()) {
        return Err(Problem::new("there is something of this name that is no file")
            .help("choose another name with -o"));
    }
    let file =
        if force { options.create(true).open(path) } else { options.create_new(true).open(path) };
    let file = file.map_err(|error| match error.kind() {
        ErrorKind::AlreadyExists => Problem::new("the run file exists already").help(
            "overwrite it with --force, continue it with --resume, or choose another name with -o",
        ),
        _ => cannot("create", &error),
    })?;
    lock(&file)?;
    // Only now, since another process might have been writing to it.
    if file.metadata().is_ok_and(|data| data.len() > 0) {
        file.set_len(0).map_err(|error| cannot("overwrite", &error))?;
    }
    Ok(file)
}

fn cannot(what: &str, error: &std::io::Error) -> Problem {
    Problem::new(format!("cannot {what} the run file: {error}"))
}

/// Two processes must not append to the same file. File systems that know no
/// locks are trusted.
fn lock(file: &File) -> Result<()> {
    match file.try_lock() {
        Err(TryLockError::WouldBlock) => {
            Err(Problem::new("another process is writing to the run file")
                .help("wait until it has finished, or choose another name with -o"))
        }
        Ok(()) | Err(TryLockError::Error(_)) => Ok(()),
    }
}

fn resume(path: &Path) -> Result<Resumed> {
    let opened = OpenOptions::new().read(true).write(true).open(path);
    let file = opened.map_err(|error| cannot("open", &error))?;
    lock(&file)?;
    let reader = Reader::scan(path, file.try_clone().map_err(|error| cannot("open", &error))?)?;
    let is_last = reader.phases().last().is_some_and(|phase| phase.model.phase.is_last());
    if let Some(Ending { outcome: Outcome::Failed, reason, .. }) = reader.ending() {
        let reason = reason.as_deref().unwrap_or("its method stopped before its goal");
        let message = format!("the run failed, and would fail again: {reason}");
        return Err(Problem::new(message).help("change the scene, and start it with --force"));
    }
    if let Some(ending) = reader.ending().filter(|e| is_last && e.outcome.is_done()) {
        let outcome = word(&ending.outcome);
        let message = format!("the run is finished already (outcome: {outcome})");
        return Err(Problem::new(message).help("start it again with --force"));
    }
    let Some((checkpoint, memory)) = reader.checkpoint()? else {
        return Err(Problem::new("the run has no checkpoint to go on from")
            .help("start it again with --force"));
    };
    let frame = reader.frame(checkpoint.frames - 1)?;
    let previous = reader.stored_hash(checkpoint.frames - 1);
    let quiet = reader.quiet_steps(checkpoint.frames - 1)?;
    let mut kept = reader.frames_after(&checkpoint);
    kept.reverse();
    let (mut phases, mut contents) = reader.into_parts();
    contents.frames.truncate(checkpoint.frames);
    contents.phases.retain(|phase| phase.first < checkpoint.frames);
    phases.truncate(1 + contents.phases.len());
    let mut writer = Writer {
        file,
        path: path.to_path_buf(),
        end: checkpoint.end,
        bodies: phases[0].model.bodies.len(),
        previous,
        frames: contents.frames,
        phases: contents.phases,
        ended: None,
        past: Pasts::default(),
        since_key: 0,
        kept,
    };
    if writer.kept.is_empty() {
        writer.cut()?;
    }
    Ok(Resumed { writer, phases, frame, memory, quiet })
}

#[cfg(test)]
mod tests {
    use std::fs;

    use super::*;
    use crate::trajectory::samples;

    struct Folder(tempfile::TempDir);

    impl Folder {
        fn new() -> Folder {
            Folder(tempfile::tempdir().unwrap())
        }
        fn file(&self) -> PathBuf {
            self.0.path().join("sample.riprap")
        }
        fn create(&self, force: bool) -> Result<Writer> {
            Writer::create(&self.file(), force, &samples::model(4), "scene", &["solve"])
        }
    }

    fn write_frames(writer: &mut Writer, steps: std::ops::Range<u64>) {
        for step in steps {
            writer.frame(&samples::frame(step, 4)).unwrap();
        }
    }

    fn message<T>(result: Result<T>) -> String {
        result.err().unwrap().message
    }

    #[test]
    fn a_file_is_overwritten_only_by_force() {
        let folder = Folder::new();
        write_frames(&mut folder.create(false).unwrap(), 0..3);
        let problem = folder.create(false).err().unwrap();
        assert_eq!(problem.message, "the run file exists already");
        assert!(problem.help.unwrap().contains("--force"));
        assert_eq!(Reader::open(&folder.file()).unwrap().len(), 3);
        drop(folder.create(true).unwrap());
        assert!(Reader::open(&folder.file()).unwrap().is_empty());
    }

    #[test]
    fn a_file_in_use_is_left_alone() {
        let folder = Folder::new();
        let mut writer = folder.create(false).unwrap();
        write_frames(&mut writer, 0..3);
        writer.checkpoint(b"").unwrap();
        let expected = "another process is writing to the run file";
        assert_eq!(message(folder.create(true)), expected);
        assert_eq!(message(Writer::resume(&folder.file())), expected);
        assert_eq!(Reader::open(&folder.file()).unwrap().len(), 3, "reading is welcome");
    }

    #[test]
    fn a_file_that_cannot_be_created_is_named() {
        let path = Path::new("/no/such/folder/run.riprap");
        let problem = Writer::create(path, false, &samples::model(1), "", &[]).err().unwrap();
        assert!(problem.message.starts_with("cannot create the run file: "), "{problem}");
        assert_eq!(problem.place.unwrap().file, path);
    }

    #[test]
    fn frames_must_fit_the_bodies() {
        let folder = Folder::new();
        let mut writer = folder.create(false).unwrap();
        let text = message(writer.frame(&samples::frame(0, 5)));
        assert_eq!(text, "a frame of 5 positions in a run of 4 bodies");
    }

    #[test]
    fn a_resumed_run_goes_on_at_its_checkpoint() {
        let folder = Folder::new();
        let mut writer = folder.create(false).unwrap();
        write_frames(&mut writer, 0..7);
        writer.checkpoint(b"old").unwrap();
        write_frames(&mut writer, 7..9);
        writer.checkpoint(b"what the next step depends on").unwrap();
        write_frames(&mut writer, 9..12);
        drop(writer);

        let mut resumed = Writer::resume(&folder.file()).unwrap();
        assert_eq!(resumed.memory, b"what the next step depends on");
        assert_eq!(resumed.frame, samples::frame(8, 4));
        let [phase] = &resumed.phases[..] else { panic!("one phase") };
        assert_eq!(&phase.parts[..], &["solve".to_string()][..]);
        assert_eq!(phase.model.bodies, samples::model(4).bodies);
        assert_eq!(Reader::open(&folder.file()).unwrap().len(), 12, "later frames stay");
        // They still do when this run is killed, too, after having made some of them again ...
        write_frames(&mut resumed.writer, 9..11);
        drop(resumed);
        assert_eq!(Reader::open(&folder.file()).unwrap().len(), 12);
        // ... or is interrupted.
        let mut resumed = Writer::resume(&folder.file()).unwrap();
        write_frames(&mut resumed.writer, 9..10);
        resumed.writer.checkpoint(b"in between").unwrap();
        let interrupted = Ending { outcome: Outcome::Interrupted, ..samples::ending() };
        resumed.writer.end(&interrupted).unwrap();
        drop(resumed);
        assert_eq!(Reader::open(&folder.file()).unwrap().len(), 12);

        let mut resumed = Writer::resume(&folder.file()).unwrap();
        assert_eq!(resumed.frame, samples::frame(8, 4));
        write_frames(&mut resumed.writer, 9..31);
        resumed.writer.end(&samples::ending()).unwrap();
        let reader = Reader::open(&folder.file()).unwrap();
        assert_eq!((reader.len(), reader.torn_bytes()), (31, 0));
        for (step, frame) in reader.frames().enumerate() {
            assert_eq!(frame.unwrap(), samples::frame(step as u64, 4));
            if step > 0 {
                assert_eq!(reader.stored_previous_hash(step), reader.stored_hash(step - 1));
            }
        }
    }

    /// Frames that come out otherwise replace those that were kept.
    #[test]
    fn frames_that_differ_are_not_kept() {
        let folder = Folder::new();
        let mut writer = folder.create(false).unwrap();
        write_frames(&mut writer, 0..2);
        writer.checkpoint(b"memory").unwrap();
        write_frames(&mut writer, 2..6);
        drop(writer);
        let mut resumed = Writer::resume(&folder.file()).unwrap();
        write_frames(&mut resumed.writer, 2..3);
        let mut other = samples::frame(3, 4);
        other.state.positions[0].x += 1.0;
        resumed.writer.frame(&other).unwrap();
        drop(resumed);
        let reader = Reader::open(&folder.file()).unwrap();
        assert_eq!((reader.len(), reader.torn_bytes()), (4, 0));
        assert_eq!(reader.frame(2).unwrap(), samples::frame(2, 4));
        assert_eq!(reader.frame(3).unwrap(), other);
    }

    #[cfg(unix)]
    #[test]
    fn what_is_no_file_is_refused() {
        let refused = |path: &Path| {
            message(Writer::create(path, true, &samples::model(1), "", &[])).contains("no file")
        };
        assert!(refused(Path::new("/dev/null")) && refused(&std::env::temp_dir()));
    }

    #[test]
    fn a_run_cut_anywhere_resumes_or_says_why_not() {
        let folder = Folder::new();
        let mut writer = folder.create(false).unwrap();
        write_frames(&mut writer, 0..2);
        writer.checkpoint(b"memory").unwrap();
        let saved = writer.end;
        write_frames(&mut writer, 2..3);
        drop(writer);
        let bytes = fs::read(folder.file()).unwrap();
        for cut in 0..bytes.len() {
            // A new name each time: file systems are slow to overwrite.
            let path = folder.file().with_extension(cut.to_string());
            fs::write(&path, &bytes[..cut]).unwrap();
            match Writer::resume(&path) {
                Ok(resumed) => assert!(cut as u64 >= saved && resumed.frame.step == 1),
                Err(_) => assert!((cut as u64) < saved, "cut at {cut}"),
            }
        }
    }

    #[test]
    fn only_what_can_go_on_is_resumed() {
        let folder = Folder::new();
        let mut writer = folder.create(false).unwrap();
        write_frames(&mut writer, 0..2);
        drop(writer);
        let none = "the run has no checkpoint to go on from";
        assert_eq!(message(Writer::resume(&folder.file())), none);

        for (outcome, finished) in [
            (Outcome::Rest, Some("the run is finished already (outcome: rest)")),
            (Outcome::Duration, Some("the run is finished already (outcome: duration)")),
            (Outcome::Failed, Some("the run failed, and would fail again: there is no room")),
            (Outcome::StepLimit, None),
            (Outcome::Interrupted, None),
        ] {
            let mut writer = folder.create(true).unwrap();
            write_frames(&mut writer, 0..2);
            writer.checkpoint(b"memory").unwrap();
            let reason = (outcome == Outcome::Failed).then(|| "there is no room".into());
            writer.end(&Ending { outcome, reason, ..samples::ending() }).unwrap();
            let result = Writer::resume(&folder.file());
            assert_eq!(result.err().map(|problem| problem.message).as_deref(), finished);
            let ended = Reader::open(&folder.file()).unwrap().ending().is_some();
            assert_eq!(ended, finished.is_some(), "going on takes the old ending away");
        }
        fs::write(folder.file(), "something else").unwrap();
        assert_eq!(message(Writer::resume(&folder.file())), "not a riprap run file");
    }
}
