//! Progress bars and clocks for work that takes a while.

use std::sync::atomic::{AtomicBool, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressDrawTarget, ProgressStyle};

/// Work shorter than this shows no bar.
const PATIENCE: Duration = Duration::from_secs(1);

/// A bar on stderr that appears once the work has taken a second. Shows nothing where stderr is
/// not a terminal.
pub(crate) struct Progress {
    bar: ProgressBar,
    started: Instant,
    visible: AtomicBool,
}

impl Progress {
    /// A bar for so many units of work.
    pub(crate) fn new(total: u64, unit: &'static str) -> Progress {
        let bar = ProgressBar::with_draw_target(Some(total), ProgressDrawTarget::hidden());
        let template =
            format!("{{bar:30}} {{human_pos}}/{{human_len}} {unit}, {{eta}} left  {{msg}}");
        if let Ok(style) = ProgressStyle::with_template(&template) {
            bar.set_style(style);
        }
        Progress { bar, started: Instant::now(), visible: AtomicBool::new(false) }
    }

    /// So much more is done.
    pub(crate) fn add(&self, done: u64) {
        self.show_if_slow();
        self.bar.inc(done);
    }

    /// Something to read beside the bar.
    pub(crate) fn tell(&self, message: String) {
        self.bar.set_message(message);
    }

    /// So much is done altogether.
    pub(crate) fn set(&self, done: u64) {
        self.show_if_slow();
        self.bar.set_position(done);
    }

    fn show_if_slow(&self) {
        if self.started.elapsed() > PATIENCE && !self.visible.swap(true, Ordering::Relaxed) {
            self.bar.set_draw_target(ProgressDrawTarget::stderr_with_hz(10));
        }
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// Measures elapsed and CPU time of the whole process.
pub(crate) struct Stopwatch {
    wall: Instant,
    cpu: Duration,
}

impl Stopwatch {
    pub(crate) fn start() -> Stopwatch {
        Stopwatch { wall: Instant::now(), cpu: process_cpu() }
    }

    /// Seconds on the wall.
    pub(crate) fn wall_seconds(&self) -> f64 {
        self.wall.elapsed().as_secs_f64()
    }

    /// CPU seconds of all threads together: what a busy machine cannot falsify. Wall seconds where
    /// the system does not tell.
    pub(crate) fn cpu_seconds(&self) -> f64 {
        let used = process_cpu().saturating_sub(self.cpu).as_secs_f64();
        if used > 0.0 { used } else { self.wall_seconds().max(1e-9) }
    }
}

#[cfg(unix)]
fn process_cpu() -> Duration {
    use rustix::time::{ClockId, clock_gettime};
    let time = clock_gettime(ClockId::ProcessCPUTime);
    Duration::new(time.tv_sec.unsigned_abs(), time.tv_nsec as u32)
}

#[cfg(not(unix))]
fn process_cpu() -> Duration {
    Duration::ZERO
}

/// Reads a number of threads: as many as the largest machines have, not as many as a slip of the
/// finger can type.
pub(crate) fn threads(text: &str) -> Result<usize, String> {
    const MOST: usize = 1_024;
    match text.parse() {
        Ok(number) if number <= MOST => Ok(number),
        _ => Err(format!("a number from 0 (one per core) to {MOST}")),
    }
}

/// Runs `work` on so many threads (0: as many as the machine has cores).
pub(crate) fn on_threads<R: Send>(
    threads: usize,
    work: impl FnOnce() -> R + Send,
) -> Result<R, crate::output::Fault> {
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads).build().map_err(|error| {
        crate::output::Fault::unusable(format!("cannot start threads: {error}"))
    })?;
    Ok(pool.install(work))
}
