//! The folder an agent may write to, which is gone when the agent is, whatever it has put there.

use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;

/// A folder only we and the agent know.
#[derive(Debug)]
pub(crate) struct Scratch {
    path: PathBuf,
}

impl Scratch {
    /// A new folder, named after our process so that leftovers can be told.
    pub(crate) fn new() -> std::io::Result<Scratch> {
        static SWEPT: Once = Once::new();
        SWEPT.call_once(sweep);
        let prefix = format!("skirmish-{}-", std::process::id());
        let path = tempfile::Builder::new().prefix(&prefix).tempdir()?.keep();
        Ok(Scratch { path })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Bytes in the files in it, or enough of them to be more than `most`.
    pub(crate) fn bytes(&self, most: u64) -> u64 {
        let mut bytes = 0;
        // One folder at a time: however deep they nest, no more than one is open.
        let mut folders = vec![self.path.clone()];
        while let Some(folder) = folders.pop() {
            for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
                // Of the entry itself: links lead elsewhere.
                let Ok(found) = entry.metadata() else { continue };
                if found.is_dir() {
                    folders.push(entry.path());
                }
                // An empty file takes a place on the disk as well.
                bytes += 4_096 + 512 * found.blocks();
                if bytes > most {
                    return bytes;
                }
            }
        }
        bytes
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        remove(&self.path);
    }
}

/// Removes a folder that somebody has filled who would rather have it stay: folders nested deeper than
/// we may open files, or that nobody may enter. What lies two levels down is moved up, so that no path
/// gets long and no more than two folders are open.
fn remove(folder: &Path) {
    let mut moved = 0_u64;
    loop {
        let mut progress = false;
        unlock(folder);
        for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
            let child = entry.path();
            if !entry.file_type().is_ok_and(|kind| kind.is_dir()) {
                progress |= std::fs::remove_file(&child).is_ok();
                continue;
            }
            unlock(&child);
            for inner in std::fs::read_dir(&child).into_iter().flatten().flatten() {
                if inner.file_type().is_ok_and(|kind| kind.is_dir()) {
                    unlock(&inner.path());
                    // A name nobody has taken: a folder is not moved over one that holds something.
                    while folder.join(moved.to_string()).exists() {
                        moved += 1;
                    }
                    let up = folder.join(moved.to_string());
                    progress |= std::fs::rename(inner.path(), up).is_ok();
                } else {
                    progress |= std::fs::remove_file(inner.path()).is_ok();
                }
            }
            progress |= std::fs::remove_dir(&child).is_ok();
        }
        // What cannot be removed is left to whoever owns the machine.
        if std::fs::remove_dir(folder).is_ok() || !progress {
            return;
        }
    }
}

fn unlock(folder: &Path) {
    let _ = std::fs::set_permissions(folder, std::fs::Permissions::from_mode(0o700));
}

/// Removes folders of referees that were killed before they could.
fn sweep() {
    let Ok(folder) = std::fs::read_dir(std::env::temp_dir()) else { return };
    for entry in folder.flatten() {
        let name = entry.file_name();
        let owner = name.to_str().and_then(|name| name.strip_prefix("skirmish-")?.split_once('-'));
        let Some(Ok(owner)) = owner.map(|(owner, _)| owner.parse::<u32>()) else { continue };
        if !Path::new("/proc").join(owner.to_string()).exists() {
            remove(&entry.path());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_folder_goes_whatever_is_in_it() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        std::fs::write(path.join("file"), "x").unwrap();
        std::os::unix::fs::symlink("/usr", path.join("link")).unwrap();
        std::fs::create_dir_all(path.join("0/1/2/0")).unwrap();
        std::fs::write(path.join("0/1/file"), "x").unwrap();
        // Deeper than a path can be long: built from the inside out.
        std::fs::create_dir(path.join("inner")).unwrap();
        for _ in 0..700 {
            std::fs::create_dir(path.join("outer")).unwrap();
            std::fs::rename(path.join("inner"), path.join("outer/inner")).unwrap();
            std::fs::rename(path.join("outer"), path.join("inner")).unwrap();
        }
        let locked = path.join("locked");
        std::fs::create_dir_all(locked.join("more")).unwrap();
        std::fs::set_permissions(locked, std::fs::Permissions::from_mode(0o000)).unwrap();
        assert!(scratch.bytes(u64::MAX) > 100 * 4_096);
        assert!(scratch.bytes(10_000) < 100_000);
        drop(scratch);
        assert!(!path.exists());
        assert!(Path::new("/usr").exists());
    }
}
