//! The folder an agent may write to, which is gone when the agent is, whatever it has put there.
//!
//! What is removed is reached from directories that are held open, step by step and never by a link:
//! the agent may still be at work on its folder, and those who share the machine on the one around it.
//! Only directories are given rights, since a file may have a second name elsewhere (a hard link).
//!
//! Around the agent's folder lies one that it cannot reach. A lock on that one, which the system takes
//! back when its holder ends, tells a folder in use from what a killed referee has left.

use std::ffi::{CStr, CString};
use std::fs::File;
use std::io::{Error, ErrorKind, Result};
use std::os::fd::{AsRawFd, OwnedFd};
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::{MetadataExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::sync::Once;

use nix::dir::Dir;
use nix::errno::Errno;
use nix::fcntl::{OFlag, open, openat, renameat};
use nix::sys::stat::{FileStat, Mode, fstat, mkdirat};
use nix::unistd::{UnlinkatFlags, geteuid, unlinkat};

/// The agent's own folder, inside the one that is locked.
const INNER: &CStr = c"agent";
/// Entries of a directory that are looked at in one pass.
const A_PASS: usize = 100_000;
/// Steps after which what is left is left: someone is filling the folder while it is emptied.
const MOST_STEPS: u64 = 10_000_000;

/// A folder only we and the agent know.
#[derive(Debug)]
pub(crate) struct Scratch {
    /// The agent's folder.
    path: PathBuf,
    place: Folder,
    name: CString,
    /// The folder around it, locked as long as this lives.
    around: Folder,
    _lock: File,
}

impl Scratch {
    /// A new folder, in the usual place for temporary files.
    pub(crate) fn new() -> Result<Scratch> {
        static SWEPT: Once = Once::new();
        let (folder, place) = place()?;
        SWEPT.call_once(|| sweep(&place));
        Scratch::new_in(&folder, place)
    }

    fn new_in(folder: &Path, place: Folder) -> Result<Scratch> {
        // The number is for people who look: whether the folder is in use, the lock tells.
        let prefix = format!("skirmish-{}-", std::process::id());
        // Another referee may take the folder for a leftover until it is locked.
        for _ in 0..100 {
            let mut builder = tempfile::Builder::new();
            builder.prefix(&prefix).rand_bytes(12).permissions(PermissionsExt::from_mode(0o700));
            let path = builder.tempdir_in(folder)?.keep();
            let name = CString::new(path.file_name().unwrap_or_default().as_bytes())?;
            let Ok(around) = place.open(&name) else { continue };
            let lock = File::from(around.dir.try_clone()?);
            lock.lock()?;
            let made = mkdirat(&around.dir, INNER, Mode::S_IRWXU);
            if made.is_err() || !place.holds(&name, &around) {
                continue;
            }
            return Ok(Scratch { path: path.join("agent"), place, name, around, _lock: lock });
        }
        Err(Error::other("new folders disappear"))
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
        self.around.empty();
        let _ = unlinkat(&self.place.dir, self.name.as_c_str(), UnlinkatFlags::RemoveDir);
    }
}

/// A directory that is held open: whatever its path comes to mean, this is the one that was found.
#[derive(Debug)]
struct Folder {
    dir: OwnedFd,
    device: u64,
}

impl Folder {
    fn at(path: &Path) -> Result<Folder> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let dir = open(path, flags, Mode::empty())?;
        let device = fstat(&dir)?.st_dev;
        Ok(Folder { dir, device })
    }

    /// A directory in this one. Not by a link, not one of another user, not another file system; one
    /// that was closed to us is opened.
    fn open(&self, name: &CStr) -> Result<Folder> {
        let found = OFlag::O_PATH | OFlag::O_DIRECTORY | OFlag::O_NOFOLLOW | OFlag::O_CLOEXEC;
        let found = openat(&self.dir, name, found, Mode::empty())?;
        let about = fstat(&found)?;
        if about.st_uid != geteuid().as_raw() || about.st_dev != self.device {
            return Err(ErrorKind::PermissionDenied.into());
        }
        if about.st_mode & 0o700 != 0o700 {
            // The very directory that was found: its descriptor, not its name.
            let itself = format!("/proc/self/fd/{}", found.as_raw_fd());
            std::fs::set_permissions(itself, PermissionsExt::from_mode(0o700))?;
        }
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let dir = openat(&found, c".", flags, Mode::empty())?;
        Ok(Folder { dir, device: self.device })
    }

    fn about(&self) -> Result<FileStat> {
        Ok(fstat(&self.dir)?)
    }

    /// Whether this name still means that directory.
    fn holds(&self, name: &CStr, folder: &Folder) -> bool {
        let is = |found: &FileStat| Some((found.st_dev, found.st_ino));
        let found = self.open(name).and_then(|found| found.about()).ok();
        let meant = folder.about().ok();
        found.is_some() && found.as_ref().and_then(is) == meant.as_ref().and_then(is)
    }

    fn entries(&self) -> Vec<CString> {
        let flags = OFlag::O_RDONLY | OFlag::O_DIRECTORY | OFlag::O_CLOEXEC;
        let Ok(mut dir) = Dir::openat(&self.dir, c".", flags, Mode::empty()) else { return vec![] };
        let names = dir.iter().flatten().map(|entry| entry.file_name().to_owned());
        names.filter(|name| ![c".", c".."].contains(&name.as_c_str())).take(A_PASS).collect()
    }

    /// Empties a folder that someone has filled who would rather have it stay: folders nested deeper
    /// than we may open files, or that no one may enter. What lies two levels down is moved up, so that
    /// no more than a few folders are open at once.
    fn empty(&self) {
        let is_gone =
            |folder: &Folder, name: &CStr, what| unlinkat(&folder.dir, name, what).is_ok();
        let (mut moved, mut steps) = (0_u64, 0_u64);
        loop {
            let mut progress = false;
            for name in self.entries() {
                steps += 1;
                // A directory is refused here, and nothing else is.
                if is_gone(self, &name, UnlinkatFlags::NoRemoveDir) {
                    progress = true;
                    continue;
                }
                let Ok(child) = self.open(&name) else { continue };
                for inner in child.entries() {
                    steps += 1;
                    let is_done = is_gone(&child, &inner, UnlinkatFlags::NoRemoveDir)
                        || is_gone(&child, &inner, UnlinkatFlags::RemoveDir)
                        || child.open(&inner).is_ok() && child.lift(&inner, self, &mut moved);
                    progress |= is_done;
                }
                progress |= is_gone(self, &name, UnlinkatFlags::RemoveDir);
            }
            // What cannot be removed is left to the owner of the machine.
            if !progress || steps > MOST_STEPS {
                return;
            }
        }
    }

    /// Moves a directory of this one to another, under a name that is free.
    fn lift(&self, name: &CStr, to: &Folder, moved: &mut u64) -> bool {
        for _ in 0..100 {
            *moved += 1;
            let new = CString::new(format!("moved-{moved}")).expect("digits");
            match renameat(&self.dir, name, &to.dir, new.as_c_str()) {
                Ok(()) => return true,
                Err(Errno::EEXIST | Errno::ENOTEMPTY | Errno::ENOTDIR) => {}
                Err(_) => return false,
            }
        }
        false
    }
}

/// The folder for temporary files, if others cannot exchange what we put there.
fn place() -> Result<(PathBuf, Folder)> {
    let told = std::env::var_os("XDG_RUNTIME_DIR").map(PathBuf::from);
    let usual = ["/tmp", "/var/tmp"].map(PathBuf::from);
    let mut first = None;
    for folder in std::iter::once(std::env::temp_dir()).chain(told).chain(usual) {
        match fit(&folder) {
            Ok(found) => return Ok(found),
            Err(error) => drop(first.get_or_insert(error)),
        }
    }
    Err(first.expect("there was one at least"))
}

fn fit(folder: &Path) -> Result<(PathBuf, Folder)> {
    let path = folder.canonicalize()?;
    let found = Folder::at(&path)?;
    let about = found.about()?;
    let shown = path.display();
    let refused = |what: &str| Err(Error::new(ErrorKind::PermissionDenied, what));
    if ![0, geteuid().as_raw()].contains(&about.st_uid) && !is_unmapped(about.st_uid) {
        return refused(&format!(
            "`{shown}` belongs to another user; `TMPDIR` names another folder"
        ));
    }
    if about.st_mode & 0o022 != 0 && about.st_mode & 0o1_000 == 0 {
        let what =
            "lets others rename what is in it: `chmod +t` forbids it, and `TMPDIR` names another";
        return refused(&format!("`{shown}` {what}"));
    }
    Ok((path, found))
}

/// Whether this is how a user shows that has no number here: a container's root is no one inside.
fn is_unmapped(user: u32) -> bool {
    let map = std::fs::read_to_string("/proc/self/uid_map").unwrap_or_default();
    let is_whole = map.split_whitespace().eq(["0", "0", "4294967295"]);
    user == 65_534 && !is_whole
}

/// Removes folders of referees that were killed before they could.
fn sweep(place: &Folder) {
    for name in place.entries() {
        if !is_ours(&name) {
            continue;
        }
        let Ok(about) = nix::sys::stat::fstatat(&place.dir, name.as_c_str(), no_follow()) else {
            continue;
        };
        // One that we have made, and not yet another folder of ours with such a name.
        if about.st_mode != nix::libc::S_IFDIR | 0o700 || about.st_uid != geteuid().as_raw() {
            continue;
        }
        let Ok(found) = place.open(&name) else { continue };
        let Ok(lock) = found.dir.try_clone().map(File::from) else { continue };
        if lock.try_lock().is_err() || found.entries().iter().any(|entry| entry.as_c_str() != INNER)
        {
            continue;
        }
        found.empty();
        let _ = unlinkat(&place.dir, name.as_c_str(), UnlinkatFlags::RemoveDir);
    }
}

fn no_follow() -> nix::fcntl::AtFlags {
    nix::fcntl::AtFlags::AT_SYMLINK_NOFOLLOW
}

/// `skirmish-1234-` and random letters.
fn is_ours(name: &CStr) -> bool {
    let parts = name.to_str().ok().and_then(|name| name.strip_prefix("skirmish-")?.split_once('-'));
    parts.is_some_and(|(number, letters)| {
        number.parse::<u32>().is_ok()
            && letters.len() == 12
            && letters.chars().all(|letter| letter.is_ascii_alphanumeric())
    })
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::symlink;
    use std::sync::atomic::{AtomicBool, Ordering};

    use super::*;

    fn closed(path: &Path, mode: u32) {
        std::fs::set_permissions(path, PermissionsExt::from_mode(mode)).unwrap();
    }

    fn mode(path: &Path) -> u32 {
        path.metadata().unwrap().mode() & 0o7_777
    }

    /// A folder with a file, which should stay as it is.
    fn victim(around: &Path) -> PathBuf {
        let victim = around.join("victim");
        std::fs::create_dir_all(victim.join("inner")).unwrap();
        std::fs::write(victim.join("inner/file"), "x").unwrap();
        closed(&victim, 0o750);
        victim
    }

    fn is_untouched(victim: &Path) {
        assert_eq!(std::fs::read_to_string(victim.join("inner/file")).unwrap(), "x");
        assert_eq!(mode(victim), 0o750);
    }

    fn scratch_in(folder: &Path) -> Scratch {
        let (folder, place) = fit(folder).unwrap();
        Scratch::new_in(&folder, place).unwrap()
    }

    fn swept(folder: &Path) {
        sweep(&fit(folder).unwrap().1);
    }

    /// Leaves a scratch folder behind as a killed referee does. Returns the outer folder.
    fn left_behind(folder: &Path) -> PathBuf {
        let scratch = scratch_in(folder);
        let around = scratch.path().parent().unwrap().to_owned();
        let other = folder.join(around.file_name().unwrap().to_string_lossy().replace('-', "_"));
        std::fs::rename(&around, &other).unwrap();
        drop(scratch);
        std::fs::create_dir_all(other.join("agent")).unwrap();
        std::fs::rename(&other, &around).unwrap();
        around
    }

    #[test]
    fn a_folder_goes_whatever_is_in_it() {
        let scratch = Scratch::new().unwrap();
        let path = scratch.path().to_owned();
        std::fs::write(path.join("file"), "x").unwrap();
        symlink("/usr", path.join("link")).unwrap();
        std::fs::create_dir_all(path.join("0/1/2/0")).unwrap();
        std::fs::create_dir_all(path.join("moved-1/moved-2/moved-3")).unwrap();
        std::fs::write(path.join("0/1/file"), "x").unwrap();
        // Deeper than a path can be long: built from the inside out.
        std::fs::create_dir(path.join("inner")).unwrap();
        for _ in 0..700 {
            std::fs::create_dir(path.join("outer")).unwrap();
            std::fs::rename(path.join("inner"), path.join("outer/inner")).unwrap();
            std::fs::rename(path.join("outer"), path.join("inner")).unwrap();
        }
        let locked = path.join("locked");
        std::fs::create_dir_all(locked.join("more/and/more")).unwrap();
        closed(&locked.join("more/and"), 0o000);
        closed(&locked.join("more"), 0o000);
        closed(&locked, 0o000);
        assert!(scratch.bytes(u64::MAX) > 100 * 4_096);
        assert!(scratch.bytes(10_000) < 100_000);
        drop(scratch);
        assert!(!path.exists() && !path.parent().unwrap().exists());
        assert!(Path::new("/usr").exists());
    }

    #[test]
    fn links_out_of_a_folder_lead_nowhere() {
        let around = tempfile::tempdir().unwrap();
        let victim = victim(around.path());
        let file = around.path().join("secret");
        std::fs::write(&file, "x").unwrap();
        closed(&file, 0o400);
        let scratch = scratch_in(around.path());
        let path = scratch.path().to_owned();
        std::fs::create_dir_all(path.join("a/b")).unwrap();
        for place in ["link", "a/link", "a/b/link"] {
            symlink(&victim, path.join(place)).unwrap();
            std::fs::hard_link(&file, path.join(place.replace("link", "file"))).unwrap();
        }
        drop(scratch);
        assert!(!path.exists());
        is_untouched(&victim);
        assert_eq!((mode(&file), std::fs::read_to_string(&file).unwrap()), (0o400, "x".into()));
        assert_eq!(file.metadata().unwrap().nlink(), 1);
    }

    #[test]
    fn who_changes_a_folder_while_it_is_removed_leads_nowhere() {
        let around = tempfile::tempdir().unwrap();
        let victim = victim(around.path());
        for _ in 0..100 {
            let scratch = scratch_in(around.path());
            let path = scratch.path().to_owned();
            for number in 0..20 {
                std::fs::create_dir_all(path.join(format!("{number}/inner/more"))).unwrap();
            }
            let is_over = AtomicBool::new(false);
            std::thread::scope(|scope| {
                scope.spawn(|| {
                    // Another agent's process, or what has outlived its referee.
                    while !is_over.load(Ordering::Relaxed) {
                        for number in 0..20 {
                            let own = path.join(number.to_string());
                            let aside = path.join(format!("aside-{number}"));
                            let _ = std::fs::rename(&own, &aside);
                            let _ = symlink(&victim, &own);
                            let _ = std::fs::remove_file(own.join("inner"));
                            let _ = symlink(&victim, aside.join("more"));
                            let _ = std::fs::remove_file(&own);
                            let _ = std::fs::rename(&aside, &own);
                        }
                    }
                });
                drop(scratch);
                is_over.store(true, Ordering::Relaxed);
            });
            is_untouched(&victim);
        }
    }

    #[test]
    fn what_a_killed_referee_has_left_is_swept_and_nothing_else_is() {
        let around = tempfile::tempdir().unwrap();
        let folder = around.path();
        let victim = victim(folder);
        let left = left_behind(folder);
        std::fs::create_dir_all(left.join("agent/a/b")).unwrap();
        symlink(&victim, left.join("agent/link")).unwrap();
        let in_use = scratch_in(folder);
        // Links with such names, a folder of another user's making, and folders of ours that hold
        // something, or that others may look into.
        symlink(&victim, folder.join("skirmish-999999999-aaaaaaaaaaaa")).unwrap();
        symlink(&victim, folder.join("skirmish-999999999-x")).unwrap();
        let holds = folder.join("skirmish-999999999-bbbbbbbbbbbb");
        std::fs::create_dir_all(holds.join("thesis")).unwrap();
        closed(&holds, 0o700);
        let open = folder.join("skirmish-999999999-cccccccccccc");
        std::fs::create_dir_all(&open).unwrap();
        closed(&open, 0o755);
        let of_another = folder.join("skirmish-999999999-dddddddddddd");
        std::fs::create_dir_all(&of_another).unwrap();
        closed(&of_another, 0o700);
        let can_give_away = geteuid().is_root();
        if can_give_away {
            std::os::unix::fs::chown(&of_another, Some(12_345), None).unwrap();
        }
        swept(folder);
        assert!(!left.exists());
        assert!(in_use.path().exists() && holds.join("thesis").exists() && open.exists());
        assert_eq!((mode(&holds), mode(&open)), (0o700, 0o755));
        assert_eq!(of_another.exists(), can_give_away);
        is_untouched(&victim);
        // A link in place of the agent's folder, made by what has outlived its referee.
        let left = left_behind(folder);
        std::fs::remove_dir(left.join("agent")).unwrap();
        symlink(&victim, left.join("agent")).unwrap();
        swept(folder);
        assert!(!left.exists());
        is_untouched(&victim);
    }

    #[test]
    fn nothing_is_put_where_others_may_exchange_it() {
        let around = tempfile::tempdir().unwrap();
        for (mode, is_fit) in
            [(0o700, true), (0o755, true), (0o777, false), (0o770, false), (0o1_777, true)]
        {
            closed(around.path(), mode);
            assert_eq!(fit(around.path()).is_ok(), is_fit, "{mode:o}");
        }
        closed(around.path(), 0o700);
        if geteuid().is_root() {
            std::os::unix::fs::chown(around.path(), Some(12_345), None).unwrap();
            let error = fit(around.path()).unwrap_err().to_string();
            assert!(error.contains("belongs to another user"), "{error}");
        }
    }
}
