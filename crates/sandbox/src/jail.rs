//! The launcher: a short life between our process and an agent's, in which everything the agent
//! must not do is given up for good.
//!
//! The referee starts a launcher with `__jail` and a description (`skirmish` itself, or the small
//! `skirmish-launcher` where the referee is another program); that process puts
//! itself into a session of its own, lowers its limits, drops its rights (Landlock for files, TCP
//! and signals; seccomp for sockets, signals and new processes) and becomes the agent. A launcher,
//! and not code between fork and exec of a process with threads, because there hardly anything may
//! safely be called.

use std::net::{TcpListener, UdpSocket};
use std::os::unix::process::CommandExt;
use std::path::PathBuf;
use std::process::Command;

use landlock::{
    ABI, Access, AccessFs, AccessNet, CompatLevel, Compatible, PathBeneath, PathFd, Ruleset,
    RulesetAttr, RulesetCreatedAttr, RulesetStatus, Scope,
};
use nix::libc;
use nix::sys::resource::{Resource, setrlimit};
use nix::sys::signal::{Signal, kill};
use nix::unistd::{getpid, getppid, setsid};
use seccompiler::{
    BpfProgram, SeccompAction, SeccompCmpArgLen, SeccompCmpOp, SeccompCondition, SeccompFilter,
    SeccompRule, apply_filter,
};
use serde::{Deserialize, Serialize};

use skirmish_play::limits::Sandbox;

/// The word on the command line that makes our program a launcher.
pub const WORD: &str = "__jail";

/// The exit code of a launcher that could not do its work, which no shell and no agent is likely
/// to use.
pub const FAILED: u8 = 125;

/// What the launcher is to do.
#[derive(Clone, Debug, Serialize, Deserialize)]
pub(crate) struct Jail {
    pub(crate) program: PathBuf,
    pub(crate) arguments: Vec<String>,
    pub(crate) folder: PathBuf,
    pub(crate) readable: Vec<PathBuf>,
    pub(crate) writable: Vec<PathBuf>,
    pub(crate) address_space: u64,
    pub(crate) file_bytes: u64,
    pub(crate) forks: bool,
    pub(crate) sandbox: Sandbox,
    pub(crate) parent: i32,
}

/// What a program needs to start at all. No home folder, and of `/etc` only what says how this
/// machine is set up: a referee run by root must not hand out `/etc/shadow`.
const SYSTEM: &[&str] = &[
    "/usr",
    "/lib",
    "/lib32",
    "/lib64",
    "/bin",
    "/sbin",
    "/nix/store",
    "/etc/ld.so.cache",
    "/etc/ld.so.conf",
    "/etc/ld.so.conf.d",
    "/etc/ld.so.preload",
    "/etc/alternatives",
    "/etc/localtime",
    "/etc/timezone",
    "/etc/nsswitch.conf",
    "/etc/passwd",
    "/etc/group",
    "/etc/os-release",
    "/etc/python3",
    "/etc/ssl/openssl.cnf",
    "/etc/java-11-openjdk",
    "/etc/java-17-openjdk",
    "/etc/java-21-openjdk",
    "/proc/self",
    "/proc/cpuinfo",
    "/proc/meminfo",
    "/proc/stat",
    "/proc/version",
    "/proc/filesystems",
    "/proc/sys/vm",
    "/proc/sys/kernel/osrelease",
    "/proc/sys/kernel/random",
    "/sys/devices/system/cpu",
    "/sys/kernel/mm/transparent_hugepage",
    "/dev/urandom",
    "/dev/random",
    "/dev/zero",
];

/// Whether one protection holds on this machine.
#[derive(Clone, PartialEq, Eq, Debug, Serialize, Deserialize)]
pub struct Protection {
    /// What the agent cannot do.
    pub name: String,
    /// Whether it really cannot.
    pub holds: bool,
}

/// The life of a launcher: returns only if the agent cannot be started, with the reason.
pub fn launch(description: &str) -> String {
    if description == "--probe" {
        return match probe_here() {
            Ok(found) => {
                println!("{}", serde_json::to_string(&found).unwrap_or_default());
                std::process::exit(0)
            }
            Err(error) => error,
        };
    }
    let jail: Jail = match serde_json::from_str(description) {
        Ok(jail) => jail,
        Err(error) => return format!("cannot read what to launch: {error}"),
    };
    if let Err(error) = jail.enter() {
        return error;
    }
    let error = Command::new(&jail.program).args(&jail.arguments).exec();
    format!("cannot start `{}`: {error}", jail.program.display())
}

impl Jail {
    fn enter(&self) -> Result<(), String> {
        let failed = |what: &str, error: &dyn std::fmt::Display| format!("{what}: {error}");

        // 1. Alone in a session, and gone when the referee is gone.
        setsid().map_err(|error| failed("cannot open a session", &error))?;
        nix::sys::prctl::set_pdeathsig(Signal::SIGKILL)
            .map_err(|error| failed("cannot tie the agent to the referee", &error))?;
        if getppid().as_raw() != self.parent {
            return Err("the referee has gone already".to_owned());
        }
        close_what_was_inherited();

        // 2. Limits of the system, as a backstop behind what the referee measures. None on CPU time:
        //    with one the kernel counts by ticks, and both our clock and the agent's own become
        //    coarse (measured: steps of 4 ms in place of 1 µs).
        let limits = [
            (Resource::RLIMIT_AS, self.address_space),
            (Resource::RLIMIT_FSIZE, self.file_bytes),
            (Resource::RLIMIT_NOFILE, 1_024),
            (Resource::RLIMIT_CORE, 0),
        ];
        for (resource, most) in limits {
            let (_, hard) = nix::sys::resource::getrlimit(resource)
                .map_err(|error| failed("cannot read a limit", &error))?;
            let most = most.min(hard);
            setrlimit(resource, most, most)
                .map_err(|error| failed("cannot set a limit", &error))?;
        }
        std::env::set_current_dir(&self.folder).map_err(|error| {
            failed(&format!("cannot enter the folder `{}`", self.folder.display()), &error)
        })?;
        if self.sandbox == Sandbox::Off {
            return Ok(());
        }

        // 3. Rights.
        let strict = self.sandbox == Sandbox::Strict;
        match self.confine_files() {
            Ok(RulesetStatus::NotEnforced) if strict => {
                return Err("this kernel has no Landlock, which `strict` needs".to_owned());
            }
            Err(error) if strict => return Err(failed("cannot confine files", &error)),
            // `on` goes on with what there is; the probe at the start has said what is missing.
            Ok(_) | Err(_) => {}
        }
        match self.confine_calls() {
            Err(error) if strict => Err(failed("cannot confine system calls", &error)),
            _ => Ok(()),
        }
    }

    fn confine_files(&self) -> Result<RulesetStatus, landlock::RulesetError> {
        let abi = ABI::V6;
        let read = AccessFs::from_read(abi);
        let all = AccessFs::from_all(abi);
        let system = SYSTEM.iter().map(PathBuf::from);
        let readable = system.chain(self.readable.iter().cloned()).map(|path| (path, read));
        let writable = self.writable.iter().cloned().map(|path| (path, all));
        let null = std::iter::once((PathBuf::from("/dev/null"), all));
        // What is not there needs no rule.
        let rules = readable.chain(writable).chain(null).filter_map(|(path, access)| {
            let is_file = !path.is_dir();
            let access = if is_file { access & AccessFs::from_file(abi) } else { access };
            PathFd::new(path).ok().map(|opened| PathBeneath::new(opened, access))
        });
        let status = Ruleset::default()
            .set_compatibility(CompatLevel::BestEffort)
            .handle_access(all)?
            .handle_access(AccessNet::from_all(abi))?
            .scope(Scope::from_all(abi))?
            .create()?
            .add_rules(rules.map(Ok::<_, landlock::RulesetError>))?
            .restrict_self()?;
        Ok(status.ruleset)
    }

    fn confine_calls(&self) -> Result<(), seccompiler::Error> {
        let own = getpid().as_raw() as u64;
        let argument = |number, operator, value| {
            SeccompCondition::new(number, SeccompCmpArgLen::Dword, operator, value)
        };
        let mut rules: std::collections::BTreeMap<i64, Vec<SeccompRule>> =
            FORBIDDEN.iter().chain(OF_OLD).map(|call| (*call, Vec::new())).collect();
        let mut only = |call: i64, conditions: Vec<SeccompCondition>| {
            rules.insert(call, vec![SeccompRule::new(conditions)?]);
            Ok::<(), seccompiler::BackendError>(())
        };
        // Limits and cores of others are none of its business.
        for call in [libc::SYS_prlimit64, libc::SYS_sched_setaffinity] {
            let of_others =
                vec![argument(0, SeccompCmpOp::Ne, 0)?, argument(0, SeccompCmpOp::Ne, own)?];
            only(call, of_others)?;
        }
        // It stays tied to the referee.
        only(libc::SYS_prctl, vec![argument(0, SeccompCmpOp::Eq, libc::PR_SET_PDEATHSIG as u64)?])?;
        if !self.forks {
            // A process may raise signals in itself: `abort` does.
            only(libc::SYS_kill, vec![argument(0, SeccompCmpOp::Ne, own)?])?;
            only(libc::SYS_tgkill, vec![argument(0, SeccompCmpOp::Ne, own)?])?;
            // Threads are welcome, processes are not.
            let thread = libc::CLONE_THREAD as u64;
            only(libc::SYS_clone, vec![argument(0, SeccompCmpOp::MaskedEq(thread), 0)?])?;
            rules.extend(FORKS.iter().map(|call| (*call, Vec::new())));
        }
        // Files can be made to send signals, to anybody and of any kind.
        let senders: [(i64, &[u64]); 2] = [
            (libc::SYS_fcntl, &[libc::F_SETOWN as u64, F_SETSIG, F_SETOWN_EX]),
            (libc::SYS_ioctl, &[FIOSETOWN, SIOCSPGRP]),
        ];
        for (call, commands) in senders {
            let rule =
                |command: &u64| SeccompRule::new(vec![argument(1, SeccompCmpOp::Eq, *command)?]);
            rules.insert(call, commands.iter().map(rule).collect::<Result<_, _>>()?);
        }
        // On x86-64 every call exists a second time under a number with this bit.
        #[cfg(target_arch = "x86_64")]
        {
            let twins: Vec<i64> = rules.keys().map(|call| call | 0x4000_0000).collect();
            rules.extend(twins.into_iter().map(|call| (call, Vec::new())));
        }
        install(rules, libc::EPERM)?;
        if !self.forks {
            // The flags of `clone3` lie in memory, where a filter cannot look. Told that it does
            // not exist, the C library takes `clone`.
            install(std::iter::once((libc::SYS_clone3, Vec::new())).collect(), libc::ENOSYS)?;
        }
        Ok(())
    }
}

fn install(
    rules: std::collections::BTreeMap<i64, Vec<SeccompRule>>,
    answer: i32,
) -> Result<(), seccompiler::Error> {
    let filter = SeccompFilter::new(
        rules,
        SeccompAction::Allow,
        SeccompAction::Errno(answer as u32),
        std::env::consts::ARCH.try_into()?,
    )?;
    let program: BpfProgram = filter.try_into()?;
    apply_filter(&program)
}

// Commands of `fcntl` and `ioctl` that not every version of the C library's crate names.
const F_SETSIG: u64 = 10;
const F_SETOWN_EX: u64 = 15;
const FIOSETOWN: u64 = 0x8901;
const SIOCSPGRP: u64 = 0x8902;

/// Calls no player of a board game needs: the network, other processes, what Landlock leaves open on
/// files (owners, modes, times, attributes), memory that outlives a process or is charged to no one,
/// the machine itself, and ways around this very filter. (`socketpair` stays: event loops of several
/// languages want one, and it leads nowhere.)
const FORBIDDEN: &[i64] = &[
    libc::SYS_fchmod,
    libc::SYS_fchmodat,
    SYS_FCHMODAT2,
    libc::SYS_fchown,
    libc::SYS_fchownat,
    libc::SYS_setxattr,
    libc::SYS_lsetxattr,
    libc::SYS_fsetxattr,
    libc::SYS_removexattr,
    libc::SYS_lremovexattr,
    libc::SYS_fremovexattr,
    libc::SYS_utimensat,
    libc::SYS_shmget,
    libc::SYS_shmat,
    libc::SYS_shmctl,
    libc::SYS_msgget,
    libc::SYS_msgctl,
    libc::SYS_msgsnd,
    libc::SYS_semget,
    libc::SYS_semctl,
    libc::SYS_semtimedop,
    libc::SYS_mq_open,
    libc::SYS_mq_unlink,
    libc::SYS_memfd_create,
    libc::SYS_setuid,
    libc::SYS_setgid,
    libc::SYS_setreuid,
    libc::SYS_setregid,
    libc::SYS_setresuid,
    libc::SYS_setresgid,
    libc::SYS_setfsuid,
    libc::SYS_setfsgid,
    libc::SYS_setgroups,
    libc::SYS_fsopen,
    libc::SYS_fsmount,
    libc::SYS_fspick,
    libc::SYS_move_mount,
    libc::SYS_open_tree,
    libc::SYS_migrate_pages,
    libc::SYS_move_pages,
    libc::SYS_socket,
    libc::SYS_connect,
    libc::SYS_bind,
    libc::SYS_listen,
    libc::SYS_accept,
    libc::SYS_accept4,
    libc::SYS_io_uring_setup,
    libc::SYS_io_uring_enter,
    libc::SYS_io_uring_register,
    libc::SYS_setsid,
    libc::SYS_setpgid,
    libc::SYS_tkill,
    libc::SYS_rt_sigqueueinfo,
    libc::SYS_rt_tgsigqueueinfo,
    libc::SYS_pidfd_open,
    libc::SYS_pidfd_getfd,
    libc::SYS_pidfd_send_signal,
    libc::SYS_ptrace,
    libc::SYS_process_vm_readv,
    libc::SYS_process_vm_writev,
    libc::SYS_kcmp,
    libc::SYS_setpriority,
    libc::SYS_ioprio_set,
    libc::SYS_sched_setscheduler,
    libc::SYS_sched_setparam,
    libc::SYS_sched_setattr,
    libc::SYS_unshare,
    libc::SYS_setns,
    libc::SYS_chroot,
    libc::SYS_pivot_root,
    libc::SYS_mount,
    libc::SYS_umount2,
    libc::SYS_bpf,
    libc::SYS_perf_event_open,
    libc::SYS_userfaultfd,
    libc::SYS_add_key,
    libc::SYS_request_key,
    libc::SYS_keyctl,
    libc::SYS_init_module,
    libc::SYS_finit_module,
    libc::SYS_delete_module,
    libc::SYS_kexec_load,
    libc::SYS_reboot,
    libc::SYS_swapon,
    libc::SYS_swapoff,
    libc::SYS_settimeofday,
    libc::SYS_clock_settime,
    libc::SYS_clock_adjtime,
    libc::SYS_adjtimex,
    libc::SYS_sethostname,
    libc::SYS_setdomainname,
    libc::SYS_acct,
    libc::SYS_quotactl,
    libc::SYS_syslog,
    libc::SYS_open_by_handle_at,
];

/// `fchmodat2`, which is newer than some versions of the crate; the same on all machines.
const SYS_FCHMODAT2: i64 = 452;

/// Older ways to do the same, which newer machines do not have.
#[cfg(target_arch = "x86_64")]
const OF_OLD: &[i64] = &[
    libc::SYS_chmod,
    libc::SYS_chown,
    libc::SYS_lchown,
    libc::SYS_utime,
    libc::SYS_utimes,
    libc::SYS_futimesat,
];
#[cfg(not(target_arch = "x86_64"))]
const OF_OLD: &[i64] = &[];

#[cfg(target_arch = "x86_64")]
const FORKS: &[i64] = &[libc::SYS_fork, libc::SYS_vfork];
#[cfg(not(target_arch = "x86_64"))]
const FORKS: &[i64] = &[];

/// What the program that started us left open is not for agents.
#[allow(unsafe_code)]
fn close_what_was_inherited() {
    // SAFETY: the call takes no pointers, and descriptors are only marked to be closed by the exec
    // that follows: nothing in this process loses one it owns. No crate offers it safely.
    unsafe { libc::close_range(3, u32::MAX, libc::CLOSE_RANGE_CLOEXEC as i32) };
}

/// Tries, inside a jail, what an agent must not do.
fn probe_here() -> Result<Vec<Protection>, String> {
    let jail = Jail {
        program: PathBuf::new(),
        arguments: Vec::new(),
        folder: PathBuf::from("/"),
        readable: Vec::new(),
        writable: Vec::new(),
        address_space: u64::MAX,
        file_bytes: u64::MAX,
        forks: false,
        sandbox: Sandbox::On,
        parent: getppid().as_raw(),
    };
    let parent = getppid();
    let own = std::env::current_exe().and_then(|path| Ok((path.metadata()?.permissions(), path)));
    jail.enter()?;
    // Setting what is set already does no harm where it is not refused.
    let may_change = own.is_ok_and(|(mode, path)| std::fs::set_permissions(path, mode).is_ok());
    let protection = |name: &str, holds| Protection { name: name.to_owned(), holds };
    Ok(vec![
        protection("files of others", std::fs::read_dir("/").is_err() && !may_change),
        protection(
            "network",
            TcpListener::bind("127.0.0.1:0").is_err() && UdpSocket::bind("127.0.0.1:0").is_err(),
        ),
        protection("new processes", Command::new("/bin/true").spawn().is_err()),
        protection("signals to others", kill(parent, None).is_err()),
    ])
}
