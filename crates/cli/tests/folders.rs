//! Two tournaments in one process, each with agents in a folder of its own. A test of its own, since
//! it looks at the working folder of the process.

#![cfg(target_os = "linux")]

use std::path::Path;

use skirmish_play::record::Record;
use skirmish_search::{Roster, Stop};
use skirmish_tournament::match_runner;
use skirmish_tournament::runner::Run;
use skirmish_tournament::schedule::Schedule;
use skirmish_tournament::settings::Settings;
use skirmish_tournament::store::Store;

/// Plays the tournament whose agents lie in this folder, and reads its games.
fn played(folder: &Path) -> Vec<Record> {
    let mut settings = Settings::read(
        "game = \"in-trap\"\nformat = \"round-robin\"\ngames = 4\n\
         agents = [\"python:agents/mine.py\", \"random\"]\nout = \"games\"\n",
    )
    .unwrap();
    settings.folder = Some(folder.to_owned());
    settings.launcher = Some(assert_cmd::cargo::cargo_bin!("skirmish").to_owned());
    let schedule = Schedule::new(&settings).unwrap();
    let stop = Stop::new();
    let match_runner = match_runner(&settings, Roster::built_in(), &stop).unwrap();
    let out = settings.to_open(settings.out.as_deref().unwrap());
    let (mut store, found) = Store::open(&out, &settings).unwrap();
    let run = Run {
        schedule: &schedule,
        match_runner: &match_runner,
        shard: None,
        concurrency: 1,
        pin: false,
        stop,
    };
    let outcome = run.play(&mut store, found.kept, &mut |_| {}).unwrap();
    assert!(outcome.is_complete);
    let lines = std::fs::read_to_string(folder.join("games/games.jsonl")).unwrap();
    lines.lines().map(|line| serde_json::from_str(line).unwrap()).collect()
}

#[test]
fn two_tournaments_in_one_process_play_the_agents_of_their_own_folders() {
    let here = std::env::current_dir().unwrap();
    let folders = ["return state.legal[0]", "raise ValueError('mine')"].map(|body| {
        let folder = tempfile::tempdir().unwrap();
        std::fs::create_dir(folder.path().join("agents")).unwrap();
        let text = format!("def choose(state):\n    {body}\n");
        std::fs::write(folder.path().join("agents/mine.py"), text).unwrap();
        folder
    });
    let [good, bad] = std::thread::scope(|scope| {
        let runs = [0, 1].map(|which| {
            let folder = folders[which].path();
            scope.spawn(move || played(folder))
        });
        runs.map(|run| run.join().unwrap())
    });
    assert_eq!((good.len(), bad.len()), (4, 4));
    assert!(good.iter().all(|record| record.faults.is_empty()), "{:?}", good[0].faults);
    assert!(bad.iter().all(|record| !record.faults.is_empty()));
    // Lines stay as they were written: a record says nothing about where it was played.
    let named =
        |record: &Record| record.seats.iter().any(|seat| seat.agent == "python:agents/mine.py");
    assert!(good.iter().chain(&bad).all(named), "{:?}", good[0].seats);
    assert_eq!(std::env::current_dir().unwrap(), here);
}
