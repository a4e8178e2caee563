//! The small launcher does what `skirmish __jail` does.

#![cfg(target_os = "linux")]

use std::path::Path;

use skirmish_play::seeding::Seeds;
use skirmish_rules::table::open;
use skirmish_rules::{Options, Random, Setup};
use skirmish_sandbox::{AgentSpec, Launcher, Limits, Sandbox, Settings};
use skirmish_search::{Allowance, Roster, Stop};

fn settings(readable: &Path) -> Settings {
    Settings {
        roster: Roster::built_in(),
        limits: Limits { cpu_s: 20.0, cpu_move_s: 10.0, wall_s: 120.0, ..Limits::default() },
        cost: None,
        sandbox: Sandbox::On,
        allowance: Allowance::default(),
        seed: 1,
        python: None,
        python_kind: None,
        readable: vec![readable.to_owned()],
        folder: None,
        stop: Stop::new(),
        launcher: Launcher::at(env!("CARGO_BIN_EXE_skirmish-launcher")),
    }
}

#[test]
fn a_refereed_game_is_played_through_the_small_launcher() {
    let examples = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/agents");
    let player = examples.canonicalize().unwrap().join("random-player.py");
    let settings = settings(player.parent().unwrap());
    let agents: [AgentSpec; 2] = [format!("python:{}", player.display()), "random".to_owned()]
        .map(|line| line.parse().unwrap());
    let (options, mut random) = (Options::none(), Random::seeded(1));
    let setup = Setup { options: &options, position: None, random: &mut random };
    let table = open("watch-your-back", setup).unwrap();
    let mut referee = skirmish_sandbox::referee(&agents, table.as_ref(), &settings).unwrap();
    let (mut session, _) = referee.open(table);
    let refereed = referee.play(&mut session, Seeds::of(1), &mut |_, _| {}).unwrap();
    let record = refereed.record;
    assert_eq!(record.faults, [], "{:?}", record.result);
    assert_eq!(record.replay(usize::MAX).unwrap().position(), session.table().position());
    assert!(record.result.is_some());
}

#[test]
fn the_small_launcher_confines_as_well_as_the_large_one() {
    let found = Launcher::at(env!("CARGO_BIN_EXE_skirmish-launcher")).probe().unwrap();
    assert!(!found.is_empty());
    // As `skirmish` reports on the same machine: what does not hold here is the kernel's business.
    assert!(found.iter().any(|protection| protection.holds), "{found:?}");
}
