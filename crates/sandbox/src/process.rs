//! One running agent: its pipes, its clock, its memory, its end.
//!
//! Everything an agent uses is read from outside, where it cannot lie. Nothing here waits without a
//! bound, and whatever happens the process, all it started and its scratch folder are gone when the
//! value is dropped.

use std::collections::BTreeMap;
use std::io::{ErrorKind, Read, Write};
use std::os::fd::AsFd;
use std::os::unix::fs::MetadataExt;
use std::os::unix::process::ExitStatusExt;
use std::path::{Path, PathBuf};
use std::process::{Child, ChildStderr, ChildStdin, ChildStdout, Command, ExitStatus, Stdio};
use std::time::{Duration, Instant};

use nix::fcntl::{FcntlArg, OFlag, fcntl};
use nix::poll::{PollFd, PollFlags, PollTimeout, poll};
use nix::sys::signal::{Signal, kill, killpg};
use nix::time::{ClockId, clock_getcpuclockid, clock_gettime};
use nix::unistd::{Pid, getpid};
use skirmish_search::Stop;

use crate::jail::{FAILED, Jail};
use crate::launcher::Launcher;
use crate::scratch::Scratch;
use skirmish_play::faults::{AgentError, FaultKind, harmless};
use skirmish_play::limits::{Limits, Sandbox};

/// The longest line an agent may send.
pub(crate) const LONGEST_LINE: usize = 1 << 20;
/// How often a thinking agent is looked at. Its CPU time is known exactly when it answers; this
/// bounds how far beyond its limits one that does not answer can go.
const POLL_INTERVAL: Duration = Duration::from_millis(20);
/// How long an agent that was told of the end may take to leave by itself.
const SHUTDOWN_GRACE: Duration = Duration::from_millis(300);
/// Memory of an empty interpreter that is not held against the agent.
const MOST_BASELINE: u64 = 256 << 20;
/// Address space above the allowance: runtimes reserve far more than they use.
const RESERVED: u64 = 4 << 30;
/// Threads an agent may have: more than any runtime starts by itself, fewer than a machine can bear.
const MOST_THREADS: u64 = 512;
/// What is kept of a log: this much of its beginning, and as much of its end.
const KEPT: usize = 256 << 10;

/// A program to run as an agent.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Program {
    /// The file to execute.
    pub(crate) path: PathBuf,
    pub(crate) arguments: Vec<String>,
    /// Where it runs, and what it may read.
    pub(crate) folder: PathBuf,
    /// What else it may read: its interpreter.
    pub(crate) readable: Vec<PathBuf>,
    /// Set on top of the few variables every agent gets.
    pub(crate) environment: Vec<(String, String)>,
}

/// The log of an agent: its beginning and its end.
#[derive(Debug, Default)]
pub(crate) struct Log {
    head: Vec<u8>,
    tail: Vec<u8>,
    bytes: u64,
}

impl Log {
    fn add(&mut self, bytes: &[u8]) {
        self.bytes += bytes.len() as u64;
        let room = KEPT.saturating_sub(self.head.len()).min(bytes.len());
        self.head.extend_from_slice(&bytes[..room]);
        self.tail.extend_from_slice(&bytes[room..]);
        if self.tail.len() > 2 * KEPT {
            self.tail.drain(..self.tail.len() - KEPT);
        }
    }

    /// What was kept, with a note of what was not.
    pub(crate) fn text(&self) -> String {
        let mut text = String::from_utf8_lossy(&self.head).into_owned();
        let left_out = self.bytes - (self.head.len() + self.tail.len()) as u64;
        if left_out > 0 {
            text.push_str(&format!("\n[{left_out} bytes left out]\n"));
        }
        text.push_str(&String::from_utf8_lossy(&self.tail));
        text
    }

    /// The last lines, short enough for a record.
    pub(crate) fn last_lines(&self) -> String {
        let end = if self.tail.is_empty() { &self.head } else { &self.tail };
        let text = String::from_utf8_lossy(&end[end.len().saturating_sub(4_000)..]).into_owned();
        let lines: Vec<&str> = text.lines().filter(|line| !line.trim().is_empty()).collect();
        let shown = &lines[lines.len().saturating_sub(8)..];
        shown.iter().map(|line| harmless(line, 300)).collect::<Vec<_>>().join("\n")
    }
}

/// A running agent.
#[derive(Debug)]
pub(crate) struct Process {
    child: Child,
    pid: Pid,
    clock: ClockId,
    input: Option<ChildStdin>,
    output: ChildStdout,
    log_pipe: ChildStderr,
    unsent: Vec<u8>,
    received: Vec<u8>,
    /// How much of `received` is known to hold no end of a line.
    searched: usize,
    pub(crate) log: Log,
    limits: Limits,
    baseline: u64,
    /// What the clock showed before it went away with the process.
    last_cpu: Duration,
    /// The processes of an agent that may have several.
    session_processes: SessionProcesses,
    /// Whether it runs without a sandbox.
    is_free: bool,
    /// When it was last looked at.
    looked: Instant,
    /// How it ended, once it has.
    ended: Option<ExitStatus>,
    /// Whether the end was our doing.
    killed: bool,
    scratch: Scratch,
}

/// Until when an answer has to be there.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Deadline {
    pub(crate) wall: Duration,
    /// What the clock of the process may show.
    pub(crate) cpu: Option<Duration>,
}

impl Process {
    pub(crate) fn start(
        launcher: &Launcher,
        program: &Program,
        limits: &Limits,
        sandbox: Sandbox,
    ) -> Result<Process, AgentError> {
        let failed = |what: String| AgentError::fatal(FaultKind::StartFailure, what);
        let scratch =
            Scratch::new().map_err(|error| failed(format!("got no scratch folder: {error}")))?;
        let jail = Jail {
            program: program.path.clone(),
            arguments: program.arguments.clone(),
            folder: program.folder.clone(),
            readable: std::iter::once(&program.folder)
                .chain(&program.readable)
                .filter_map(|path| std::path::absolute(path).ok())
                .collect(),
            writable: vec![scratch.path().to_owned()],
            address_space: (limits.memory_mb << 20).saturating_add(RESERVED),
            file_bytes: 256 << 20,
            forks: limits.processes > 1,
            sandbox,
            parent: getpid().as_raw(),
        };
        let description = serde_json::to_string(&jail)
            .map_err(|error| failed(format!("has an odd name: {error}")))?;
        let mut command = Command::new(&launcher.program);
        command.args(&launcher.words).arg(description);
        // The working folder may be another user's. The launcher goes to the agent's by itself.
        command.current_dir("/");
        command.stdin(Stdio::piped()).stdout(Stdio::piped()).stderr(Stdio::piped());
        if sandbox != Sandbox::Off {
            // What the person at the keyboard has in the environment may be secret.
            command.env_clear();
            let path = std::env::var_os("PATH").unwrap_or_else(|| "/usr/bin:/bin".into());
            command.env("PATH", path).env("LANG", "C.UTF-8").env("HOME", scratch.path());
        }
        command.env("TMPDIR", scratch.path());
        command.envs(program.environment.iter().map(|(key, value)| (key, value)));
        let mut child =
            command.spawn().map_err(|error| failed(format!("could not be launched: {error}")))?;
        let pid = Pid::from_raw(child.id() as i32);
        let pipes = (child.stdin.take(), child.stdout.take(), child.stderr.take());
        let (Some(input), Some(output), Some(log_pipe)) = pipes else {
            return Err(failed("could not be given pipes".to_owned()));
        };
        let clock = clock_getcpuclockid(pid)
            .map_err(|error| failed(format!("has no clock to read: {error}")))?;
        let process = Process {
            child,
            pid,
            clock,
            input: Some(input),
            output,
            log_pipe,
            unsent: Vec::new(),
            received: Vec::new(),
            searched: 0,
            log: Log::default(),
            limits: *limits,
            baseline: MOST_BASELINE,
            last_cpu: Duration::ZERO,
            session_processes: SessionProcesses::default(),
            is_free: sandbox == Sandbox::Off,
            looked: Instant::now(),
            ended: None,
            killed: false,
            scratch,
        };
        let pipes = [
            unblock(process.input.as_ref().expect("given above")),
            unblock(&process.output),
            unblock(&process.log_pipe),
        ];
        if let Some(error) = pipes.into_iter().find_map(Result::err) {
            return Err(failed(format!("could not be given pipes: {error}")));
        }
        Ok(process)
    }

    /// CPU time used so far: of the process, or of all it started where it may start some.
    pub(crate) fn cpu(&mut self) -> Duration {
        if self.ended.is_some() {
            return self.last_cpu;
        }
        if self.limits.processes <= 1 {
            return clock_gettime(self.clock).map_or(self.last_cpu, Duration::from);
        }
        self.session_processes.look(self.pid);
        self.last_cpu = self.last_cpu.max(self.session_processes.cpu());
        self.last_cpu
    }

    /// From here on memory counts above what is in use now.
    pub(crate) fn set_baseline(&mut self) {
        self.baseline = resident(self.pid, "VmRSS:").unwrap_or(0).min(MOST_BASELINE);
    }

    /// Bytes of memory the process has had at most, as long as it runs.
    pub(crate) fn memory(&self) -> Option<u64> {
        if self.ended.is_some() { None } else { resident(self.pid, "VmHWM:") }
    }

    /// Queues a line, and sends what the pipe takes. An agent that does not read is found out when
    /// it is asked something.
    pub(crate) fn send(&mut self, line: &str) {
        self.unsent.extend_from_slice(line.as_bytes());
        self.unsent.push(b'\n');
        self.push();
    }

    fn push(&mut self) {
        let Some(input) = &mut self.input else { return self.unsent.clear() };
        while !self.unsent.is_empty() {
            match input.write(&self.unsent) {
                Ok(0) => break,
                Ok(sent) => drop(self.unsent.drain(..sent)),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => break,
                // It no longer reads; whether it is dead shows on its output.
                Err(_) => {
                    self.input = None;
                    self.unsent.clear();
                    break;
                }
            }
        }
    }

    /// Whether the agent has said something no one asked for.
    pub(crate) fn has_spoken(&mut self) -> bool {
        self.take_log();
        let _ = self.pull();
        !self.received.is_empty()
    }

    /// Reads what there is. False at the end of the output.
    fn pull(&mut self) -> bool {
        let mut chunk = [0; 1 << 14];
        // More than the longest line need not be held: it is a fault already.
        while self.received.len() <= LONGEST_LINE {
            match self.output.read(&mut chunk) {
                Ok(0) => return false,
                Ok(length) => self.received.extend_from_slice(&chunk[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(error) if error.kind() == ErrorKind::WouldBlock => return true,
                Err(_) => return false,
            }
        }
        true
    }

    fn take_log(&mut self) {
        let mut chunk = [0; 1 << 14];
        // A bounded helping: an agent that writes without end must not keep us here.
        for _ in 0..64 {
            match self.log_pipe.read(&mut chunk) {
                Ok(0) => return,
                Ok(length) => self.log.add(&chunk[..length]),
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => return,
            }
        }
    }

    fn take_line(&mut self) -> Option<Vec<u8>> {
        let found = self.received[self.searched..].iter().position(|byte| *byte == b'\n');
        let Some(place) = found else {
            self.searched = self.received.len();
            return None;
        };
        let end = self.searched + place;
        let mut line: Vec<u8> = self.received.drain(..=end).collect();
        self.searched = 0;
        line.pop();
        Some(line)
    }

    /// Waits for the next line. Every limit is watched meanwhile; who breaks one is stopped.
    pub(crate) fn line(&mut self, deadline: Deadline, stop: &Stop) -> Result<Vec<u8>, AgentError> {
        let asked = Instant::now();
        loop {
            if let Some(line) = self.take_line() {
                return Ok(line);
            }
            if self.received.len() > LONGEST_LINE {
                self.kill();
                let what = "sent a line of more than 1 MiB".to_owned();
                return Err(AgentError::fatal(FaultKind::Protocol, what));
            }
            if stop.is_stopped() {
                self.kill();
                return Err(AgentError::fatal(FaultKind::Crash, "was interrupted"));
            }
            let waited = asked.elapsed();
            if waited >= deadline.wall {
                // The answer may have come while we were not looking: the machine's fault.
                if self.pull() && self.received.contains(&b'\n') {
                    continue;
                }
                self.kill();
                let what = format!(
                    "gave no answer within {} s on the wall",
                    tidy(deadline.wall.as_secs_f64())
                );
                return Err(AgentError::fatal(FaultKind::Timeout, what));
            }
            self.wait(POLL_INTERVAL.min(deadline.wall - waited));
            self.push();
            self.take_log();
            if !self.pull() && !self.received.contains(&b'\n') {
                return Err(self.end_of_output());
            }
            if self.received.len() > self.searched {
                continue;
            }
            self.watch(deadline.cpu)?;
        }
    }

    /// Checks what an agent has come to while others were thinking, if that was long ago.
    pub(crate) fn watch_after_a_while(&mut self) -> Result<(), AgentError> {
        if self.looked.elapsed() > POLL_INTERVAL { self.watch(None) } else { Ok(()) }
    }

    /// Checks memory, log, processes and, where it is limited, the clock of a thinking agent.
    pub(crate) fn watch(&mut self, most_cpu: Option<Duration>) -> Result<(), AgentError> {
        let trouble = self.exceeded_limit(most_cpu);
        if trouble.is_some() {
            self.kill();
        }
        trouble.map_or(Ok(()), Err)
    }

    fn exceeded_limit(&mut self, most_cpu: Option<Duration>) -> Option<AgentError> {
        self.looked = Instant::now();
        if let Some(most) = most_cpu
            && self.cpu() > most
        {
            // The caller knows which limit this was.
            return Some(AgentError::fatal(FaultKind::Timeout, String::new()));
        }
        // Whom nothing hinders from starting others is watched for it, once it is ready: scripts that
        // look for their interpreter start some before.
        let many = self.limits.processes > 1;
        let is_watched = self.is_free && self.baseline > 0 && may_have_children(self.pid);
        if many || is_watched {
            self.session_processes.look(self.pid);
        }
        let used = match many {
            true => Some(self.session_processes.memory()),
            false => resident(self.pid, "VmHWM:"),
        };
        let most = self.baseline + (self.limits.memory_mb << 20);
        if let Some(used) = used
            && used > most
        {
            let what = format!(
                "used {} MiB of memory, {} MiB are allowed beside the {} MiB it started with",
                used >> 20,
                self.limits.memory_mb,
                self.baseline >> 20
            );
            return Some(AgentError::fatal(FaultKind::Memory, what));
        }
        let processes = self.session_processes.members.len();
        if processes > self.limits.processes as usize {
            let allowed = match self.limits.processes {
                1 => "1 is allowed".to_owned(),
                many => format!("{many} are allowed"),
            };
            let what = format!("runs {processes} processes, {allowed}");
            return Some(AgentError::fatal(FaultKind::Crash, what));
        }
        let threads: u64 = match many {
            true => self.session_processes.members.keys().map(|number| threads(*number)).sum(),
            false => threads(self.pid.as_raw()),
        };
        if threads > MOST_THREADS {
            let what = format!("runs {threads} threads, {MOST_THREADS} are allowed");
            return Some(AgentError::fatal(FaultKind::Crash, what));
        }
        let most = self.limits.output_mb << 20;
        let place = match () {
            () if self.log.bytes > most => "to its log",
            () if self.scratch.bytes(most) > most => "into its scratch folder",
            () => return None,
        };
        let what = format!("wrote more than {} MiB {place}", self.limits.output_mb);
        Some(AgentError::fatal(FaultKind::Protocol, what))
    }

    fn wait(&self, time: Duration) {
        let mut watched = vec![
            PollFd::new(self.output.as_fd(), PollFlags::POLLIN),
            PollFd::new(self.log_pipe.as_fd(), PollFlags::POLLIN),
        ];
        if let Some(input) = &self.input
            && !self.unsent.is_empty()
        {
            watched.push(PollFd::new(input.as_fd(), PollFlags::POLLOUT));
        }
        let time =
            PollTimeout::try_from(time + Duration::from_micros(999)).unwrap_or(PollTimeout::MAX);
        let _ = poll(&mut watched, time);
        // A log that was closed is always ready: without this we would spin.
        let log_closed = watched[1].revents().is_some_and(|what| what.contains(PollFlags::POLLHUP));
        if log_closed && watched[0].revents().is_some_and(|what| what.is_empty()) {
            std::thread::sleep(Duration::from_millis(1));
        }
    }

    /// The output has ended: why?
    fn end_of_output(&mut self) -> AgentError {
        // A process that ends closes its pipes a moment before it can be asked how it ended.
        let closed = Instant::now();
        self.last_cpu = self.cpu();
        while self.ended.is_none() && closed.elapsed() < Duration::from_secs(1) {
            self.ended = self.child.try_wait().ok().flatten();
            if self.ended.is_none() {
                std::thread::sleep(Duration::from_millis(1));
            }
        }
        if self.ended.is_none() {
            self.kill();
        }
        self.take_log();
        let Some(status) = self.ended else {
            return AgentError::fatal(FaultKind::Crash, "ended in an unknown way");
        };
        if self.killed && status.signal() == Some(9) {
            return AgentError::fatal(FaultKind::Protocol, "closed its output");
        }
        death(status, &self.log.last_lines())
    }

    /// Hands over the log so far; the next game starts with an empty one.
    pub(crate) fn take_log_for_good(&mut self, log: &mut String) {
        self.take_log();
        *log = std::mem::take(&mut self.log).text();
    }

    /// Says goodbye: closes the agent's input and lets it leave by itself for a moment.
    pub(crate) fn dismiss(&mut self) {
        self.push();
        self.input = None;
        let told = Instant::now();
        while self.ended.is_none() && told.elapsed() < SHUTDOWN_GRACE {
            self.take_log();
            self.received.clear();
            self.searched = 0;
            let open = self.pull();
            self.ended = self.child.try_wait().ok().flatten();
            if self.ended.is_none() {
                if open {
                    self.wait(Duration::from_millis(5));
                } else {
                    std::thread::sleep(Duration::from_micros(200));
                }
            }
        }
        self.kill();
    }

    /// Ends the process and everything it started.
    pub(crate) fn kill(&mut self) {
        // The group first, also when the process itself is gone. A launcher that has not got as far
        // as having a group is reached by its number, which is ours until it is waited for.
        if self.ended.is_none() {
            self.last_cpu = self.cpu().max(self.last_cpu);
        }
        let _ = killpg(self.pid, Signal::SIGKILL);
        if self.ended.is_none() {
            let _ = kill(self.pid, Signal::SIGKILL);
            self.killed = true;
            self.ended = self.child.wait().ok();
        }
        self.take_log();
    }
}

impl Drop for Process {
    fn drop(&mut self) {
        self.kill();
    }
}

/// What an end means.
fn death(status: ExitStatus, last_lines: &str) -> AgentError {
    let last = last_lines.lines().last().unwrap_or_default();
    let words = if last.is_empty() { String::new() } else { format!("; its last words: {last}") };
    if let Some(signal) = status.signal() {
        let name = Signal::try_from(signal).map_or("an unknown signal", Signal::as_str);
        let what = format!("was ended by signal {signal} ({name}){words}");
        return AgentError::fatal(named_by_memory(last_lines), what);
    }
    let code = status.code().unwrap_or(-1);
    if code == i32::from(FAILED) && last.starts_with("launcher: ") {
        return AgentError::fatal(
            FaultKind::StartFailure,
            format!("was not started: {}", &last[10..]),
        );
    }
    AgentError::fatal(named_by_memory(last_lines), format!("ended with exit code {code}{words}"))
}

/// A program that is refused memory ends itself, and says so on its log in its language's words.
fn named_by_memory(last_lines: &str) -> FaultKind {
    const WORDS: [&str; 6] = [
        "MemoryError",
        "bad_alloc",
        "out of memory",
        "OutOfMemoryError",
        "memory allocation of",
        "Cannot allocate memory",
    ];
    let said = WORDS.iter().any(|word| last_lines.contains(word));
    if said { FaultKind::Memory } else { FaultKind::Crash }
}

/// A number of seconds as people write it.
pub(crate) fn tidy(number: f64) -> String {
    let text = format!("{number:.3}");
    text.trim_end_matches('0').trim_end_matches('.').to_owned()
}

fn unblock(pipe: &impl AsFd) -> nix::Result<()> {
    let flags = OFlag::from_bits_retain(fcntl(pipe, FcntlArg::F_GETFL)?);
    fcntl(pipe, FcntlArg::F_SETFL(flags | OFlag::O_NONBLOCK)).map(|_| ())
}

/// A line of `/proc/PID/status` in bytes.
fn resident(pid: Pid, key: &str) -> Option<u64> {
    let status = std::fs::read_to_string(format!("/proc/{pid}/status")).ok()?;
    let line = status.lines().find_map(|line| line.strip_prefix(key))?;
    Some(line.trim().trim_end_matches(" kB").parse::<u64>().ok()? << 10)
}

/// Whether a process may have children. Quicker than looking through all processes there are, which
/// is left to those that do.
fn may_have_children(pid: Pid) -> bool {
    let Ok(tasks) = std::fs::read_dir(format!("/proc/{pid}/task")) else { return true };
    let children = |task: std::fs::DirEntry| std::fs::read(task.path().join("children"));
    // Not every system says.
    tasks.flatten().any(|task| children(task).map_or(true, |children| !children.is_empty()))
}

/// How many threads a process has: each is a folder.
fn threads(number: i32) -> u64 {
    std::fs::metadata(format!("/proc/{number}/task")).map_or(1, |tasks| tasks.nlink().max(3) - 2)
}

/// One process of an agent that may have several.
#[derive(Debug)]
struct Member {
    /// When it was born: numbers are given out again.
    born: i64,
    /// What its own clock shows, exactly.
    cpu: Duration,
    /// What children have used that it has waited for, in the 10 ms the system counts by here.
    waited: Duration,
}

/// An agent's process and everything in its session: children that left it are in there still.
#[derive(Debug, Default)]
struct SessionProcesses {
    members: BTreeMap<i32, Member>,
    /// What those had used that are gone, when they were last seen. The system forgets the time of
    /// children that no one waits for; we must not.
    gone: Duration,
}

impl SessionProcesses {
    fn look(&mut self, leader: Pid) {
        let Ok(folder) = std::fs::read_dir("/proc") else { return };
        let numbers = folder.flatten().filter_map(|entry| entry.file_name().to_str()?.parse().ok());
        let found = numbers.filter_map(|number: i32| Some((number, member(leader, number)?)));
        let before = std::mem::replace(&mut self.members, found.collect());
        let is_gone = |(number, member): &(&i32, &Member)| {
            self.members.get(*number).is_none_or(|now| now.born != member.born)
        };
        self.gone += before.iter().filter(is_gone).map(|(_, member)| member.cpu).sum::<Duration>();
    }

    /// CPU time of all of them: exact for those that live, and for those that are gone the larger of
    /// what we saw them use and what they were waited for.
    fn cpu(&self) -> Duration {
        let living: Duration = self.members.values().map(|member| member.cpu).sum();
        let waited: Duration = self.members.values().map(|member| member.waited).sum();
        living + self.gone.max(waited)
    }

    fn memory(&self) -> u64 {
        let of = |number: &i32| resident(Pid::from_raw(*number), "VmRSS:").unwrap_or(0);
        self.members.keys().map(of).sum()
    }
}

fn member(leader: Pid, number: i32) -> Option<Member> {
    let stat =
        std::fs::read_to_string(Path::new("/proc").join(number.to_string()).join("stat")).ok()?;
    // The name, in brackets, may hold anything; what follows is numbers from field 3 on.
    let fields: Vec<&str> = stat.rsplit_once(')')?.1.split_whitespace().collect();
    let field = |number: usize| fields.get(number - 3)?.parse::<i64>().ok();
    if field(6)? != i64::from(leader.as_raw()) {
        return None;
    }
    let clock = clock_getcpuclockid(Pid::from_raw(number)).ok()?;
    let cpu = Duration::from(clock_gettime(clock).ok()?);
    let ticks = field(16)? + field(17)?;
    // Every Linux shows ticks of 10 ms here.
    let waited = Duration::from_millis(10 * ticks.max(0) as u64);
    Some(Member { born: field(22)?, cpu, waited })
}
