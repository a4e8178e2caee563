//! Many games leave nothing behind: no processes, no descriptors, no folders. A test of its own,
//! because in its process no one else may open or start anything meanwhile.

#![cfg(target_os = "linux")]

use std::collections::BTreeSet;
use std::path::PathBuf;

use skirmish_rules::Options;
use skirmish_sandbox::{Launcher, Limits, Sandbox, Settings};
use skirmish_search::{Allowance, Roster, Stop};
use skirmish_tournament::matches::MatchSettings;

fn names(folder: impl Into<PathBuf>) -> BTreeSet<String> {
    let entries = std::fs::read_dir(folder.into()).unwrap().flatten();
    entries.map(|entry| entry.file_name().to_string_lossy().into_owned()).collect()
}

/// Processes whose parent is ours, dead ones that no one has waited for included.
fn children() -> usize {
    let own = std::process::id().to_string();
    let is_ours = |number: &String| {
        let stat = std::fs::read_to_string(format!("/proc/{number}/stat")).unwrap_or_default();
        let parent = stat.rsplit_once(')').and_then(|(_, rest)| rest.split_whitespace().nth(1));
        parent == Some(own.as_str())
    };
    names("/proc").iter().filter(|number| is_ours(number)).count()
}

fn scratch_folders() -> usize {
    let prefix = format!("skirmish-{}-", std::process::id());
    names(std::env::temp_dir()).iter().filter(|name| name.starts_with(&prefix)).count()
}

/// How many games; set in the environment for a long run by hand.
fn games() -> u64 {
    let asked = std::env::var("SKIRMISH_LEAK_GAMES").ok();
    asked.map_or(200, |number| number.parse().expect("a number of games"))
}

#[test]
fn many_games_leave_nothing_behind() {
    let program = assert_cmd::cargo::cargo_bin!("skirmish");
    let settings = Settings {
        roster: Roster::built_in(),
        limits: Limits::default(),
        cost: None,
        sandbox: Sandbox::On,
        allowance: Allowance::default(),
        seed: 1,
        python: None,
        python_kind: None,
        readable: Vec::new(),
        folder: None,
        stop: Stop::new(),
        launcher: Launcher::at(program),
    };
    let threads = rayon::ThreadPoolBuilder::new().num_threads(2).build().unwrap();
    // Agents that are kept from game to game, that are not, that end in the middle, that do not start.
    let kept = format!("cmd:'{}' __agent", program.display());
    let anew = format!("cmd:'{}' __agent once", program.display());
    let dies = "cmd:head -c 100".to_owned();
    for (line, games) in [(&kept, games()), (&anew, games()), (&dies, 20)] {
        let contest = MatchSettings {
            game: "in-trap".to_owned(),
            options: Options::none(),
            position: None,
            folder: None,
            agents: vec![line.parse().unwrap(), anew.parse().unwrap()],
            games,
            seed: 1,
            allowance: Allowance::default(),
            opening: 0,
            roster: Roster::built_in(),
            names: vec![],
            kept: 64,
            stop: settings.stop.clone(),
            referee: Some(settings.clone()),
        };
        let before = (names("/proc/self/fd").len(), children(), scratch_folders());
        let results = threads.install(|| contest.play(&|_| {})).unwrap();
        assert_eq!(results.len() as u64, games);
        let faults: usize = results.iter().map(|played| played.record.faults.len()).sum();
        assert_eq!(faults > 0, line == &dies, "{line}: {faults} faults");
        let after = (names("/proc/self/fd").len(), children(), scratch_folders());
        assert_eq!(after, before, "descriptors, processes, folders after {games} games of {line}");
        assert_eq!((after.1, after.2), (0, 0));
    }
}
