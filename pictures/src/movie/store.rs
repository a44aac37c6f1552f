//! Finished pictures of a movie in the making, in a folder beside it: whoever
//! interrupts a movie and starts it again goes on where it stopped.

use std::fs;
use std::path::{Path, PathBuf};

use riprap::{Problem, Result};

use crate::Picture;
use crate::output::{unwritable, with_suffix};

/// The folder `FILE.frames`.
pub struct Store {
    folder: PathBuf,
}

/// Says what the pictures in the folder show; others would not fit between them.
const LABEL: &str = "about.txt";

impl Store {
    /// Opens the folder that belongs to the movie file `movie`. Pictures in it
    /// are kept if they were made for the same `label`.
    pub fn open(movie: &Path, label: &str) -> Result<Store> {
        let store = Store { folder: with_suffix(movie, ".frames") };
        let failed = |e: std::io::Error| unwritable(&store.folder, &e);
        fs::create_dir_all(&store.folder).map_err(failed)?;
        let label_file = store.folder.join(LABEL);
        match fs::read_to_string(&label_file) {
            Ok(found) if found == label => return Ok(store),
            Ok(_) => store.clear()?,
            Err(_) if fs::read_dir(&store.folder).map_err(failed)?.next().is_some() => {
                return Err(Problem::new(format!(
                    "the folder {} is in the way",
                    store.folder.display()
                ))
                .help("it was not made by this program; move it, or give the movie another name"));
            }
            Err(_) => {}
        }
        fs::write(label_file, label).map_err(failed)?;
        Ok(store)
    }

    pub fn has(&self, number: usize) -> bool {
        self.file(number).is_file()
    }

    pub fn load(&self, number: usize) -> Result<Picture> {
        Picture::load(&self.file(number))
    }

    pub fn save(&self, number: usize, picture: &Picture) -> Result<()> {
        picture.save(&self.file(number))
    }

    /// Removes the folder; the movie is complete.
    pub fn remove(self) -> Result<()> {
        self.clear()?;
        fs::remove_dir(&self.folder).map_err(|e| unwritable(&self.folder, &e))
    }

    fn file(&self, number: usize) -> PathBuf {
        self.folder.join(format!("{number:06}.png"))
    }

    /// Removes what this program has put there, and nothing else.
    fn clear(&self) -> Result<()> {
        let failed = |e: std::io::Error| unwritable(&self.folder, &e);
        for entry in fs::read_dir(&self.folder).map_err(failed)? {
            let entry = entry.map_err(failed)?;
            if is_own(&entry.file_name().to_string_lossy()) {
                fs::remove_file(entry.path()).map_err(failed)?;
            }
        }
        Ok(())
    }
}

fn is_own(name: &str) -> bool {
    let stem = name.strip_suffix(".part").unwrap_or(name).strip_suffix(".png");
    name == LABEL
        || stem.is_some_and(|stem| stem.len() >= 6 && stem.bytes().all(|b| b.is_ascii_digit()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn dot() -> Picture {
        Picture { width: 1, height: 1, pixels: vec![[1, 2, 3]] }
    }

    #[test]
    fn pictures_survive_for_the_same_movie_only() {
        let folder = tempfile::tempdir().unwrap();
        let movie = folder.path().join("a.gif");
        Store::open(&movie, "red").unwrap().save(3, &dot()).unwrap();
        let store = Store::open(&movie, "red").unwrap();
        assert!(store.has(3) && !store.has(2));
        assert_eq!(store.load(3).unwrap(), dot());
        assert!(!Store::open(&movie, "blue").unwrap().has(3));
        Store::open(&movie, "blue").unwrap().remove().unwrap();
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0);
    }

    #[test]
    fn a_folder_of_someone_else_is_left_alone() {
        let folder = tempfile::tempdir().unwrap();
        let theirs = folder.path().join("a.gif.frames/000001.png");
        fs::create_dir(theirs.parent().unwrap()).unwrap();
        fs::write(&theirs, "precious").unwrap();
        let problem = Store::open(&folder.path().join("a.gif"), "red").err().unwrap();
        assert!(problem.message.contains("a.gif.frames is in the way"), "{problem}");
        assert!(theirs.exists());
    }
}
