//! Whether the machine kept up: what its overload did must not be blamed on agents.
//!
//! A thread of its own sleeps and looks how much too late it wakes; the system tells how much of the
//! machine others have taken (steal). Both are counted up, so that a game can compare its end with
//! its beginning.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread::JoinHandle;
use std::time::{Duration, Instant};

/// How long the watcher sleeps at a time.
const NAP: Duration = Duration::from_millis(20);
/// Waking later than this is not counted: timers are not exact.
const TOLERATED: Duration = Duration::from_millis(5);

#[derive(Debug, Default)]
struct Counters {
    /// Microseconds woken too late, all together.
    late_us: AtomicU64,
    /// Hundredths of a second that others took from us, over all cores.
    stolen: AtomicU64,
    ended: AtomicBool,
}

/// Watches the machine until it is dropped.
#[derive(Debug)]
pub struct Watch {
    counters: Arc<Counters>,
    thread: Option<JoinHandle<()>>,
    cores: f64,
}

/// A moment, to be compared with later ones.
#[derive(Clone, Copy, Debug)]
pub struct Moment {
    at: Instant,
    late_us: u64,
    stolen: u64,
}

impl Watch {
    /// Begins to watch.
    pub fn start() -> Watch {
        let counters = Arc::new(Counters::default());
        let shared = Arc::clone(&counters);
        let watch = move || {
            let mut naps = 0_u64;
            while !shared.ended.load(Ordering::Relaxed) {
                let asleep = Instant::now();
                std::thread::sleep(NAP);
                let late = asleep.elapsed().saturating_sub(NAP + TOLERATED);
                shared.late_us.fetch_add(late.as_micros() as u64, Ordering::Relaxed);
                if naps.is_multiple_of(10) {
                    shared.stolen.store(stolen().unwrap_or(0), Ordering::Relaxed);
                }
                naps += 1;
            }
        };
        let thread = std::thread::Builder::new().name("machine".to_owned()).spawn(watch).ok();
        let cores = std::thread::available_parallelism().map_or(1.0, |cores| cores.get() as f64);
        Watch { counters, thread, cores }
    }

    /// Now.
    pub fn now(&self) -> Moment {
        Moment {
            at: Instant::now(),
            late_us: self.counters.late_us.load(Ordering::Relaxed),
            stolen: self.counters.stolen.load(Ordering::Relaxed),
        }
    }

    /// What was wrong with the machine since then, if anything was.
    pub fn since(&self, then: Moment) -> Option<String> {
        let now = self.now();
        let passed = (now.at - then.at).as_secs_f64();
        let late = (now.late_us - then.late_us) as f64 / 1e6;
        let taken = if then.stolen == 0 { 0 } else { now.stolen.saturating_sub(then.stolen) };
        judge(passed, late, taken as f64 / 100.0 / self.cores)
    }
}

/// Seconds that passed, seconds of them that we were kept waiting, and that others took.
fn judge(passed: f64, late: f64, taken: f64) -> Option<String> {
    // What was waited before the game began is told when the watcher wakes, during the game.
    let late = late.min(passed);
    // A watcher that sleeps most of the time sees only a part of the waiting: a tenth is much.
    if late > 0.1 && late > 0.1 * passed {
        return Some(format!("woken {:.0} ms too late in {passed:.1} s", 1e3 * late));
    }
    if taken > 0.1 && taken > 0.1 * passed {
        let part = (100.0 * taken / passed).min(100.0);
        return Some(format!("{part:.0} % of the machine was taken by others"));
    }
    None
}

impl Drop for Watch {
    fn drop(&mut self) {
        self.counters.ended.store(true, Ordering::Relaxed);
        if let Some(thread) = self.thread.take() {
            let _ = thread.join();
        }
    }
}

/// The steal time of all cores together, in hundredths of a second.
fn stolen() -> Option<u64> {
    let text = std::fs::read_to_string("/proc/stat").ok()?;
    text.lines().next()?.split_whitespace().nth(8)?.parse().ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_is_overloaded_when_it_keeps_us_waiting() {
        assert_eq!(judge(10.0, 0.05, 0.0), None);
        assert_eq!(judge(10.0, 0.5, 0.5), None);
        assert!(judge(10.0, 2.0, 0.0).is_some_and(|what| what.contains("2000 ms too late")));
        assert_eq!(judge(0.05, 0.2, 0.0), None);
        assert!(judge(10.0, 0.0, 3.0).is_some_and(|what| what.contains("30 %")));
    }
}
