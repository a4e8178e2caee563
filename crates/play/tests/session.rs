//! Live games under a storm of commands: legal, illegal, stale, foreign, repeated.
//!
//! The laws: no panic; an error leaves the session as it was; the updates make the equal session; what
//! is taken back and played again is the equal game.

use std::time::Duration;

use skirmish_play::faults::{AgentError, FaultKind};
use skirmish_play::journal::{Journal, record_of};
use skirmish_play::limits::FaultPolicy;
use skirmish_play::record::{Event, Participant, Record, Termination};
use skirmish_play::session::{
    Change, ClockTerms, Command, Refusal, Session, Terms, Update, Waiting,
};
use skirmish_rules::registry::Seating;
use skirmish_rules::{Games, Options, Random, Registry, Seat, Setup, Turn, open};

/// Commands for each of the games; `SKIRMISH_FUZZ_COMMANDS` asks for more.
fn commands() -> u64 {
    let asked = std::env::var("SKIRMISH_FUZZ_COMMANDS");
    asked.map_or(20_000, |text| text.parse().expect("a whole number"))
}

/// Small boards: games end often, and everything happens near an end.
fn session(game: &str, random: &mut Random, terms: Terms) -> (Session, Vec<Update>) {
    let mut options = Options::none();
    match game {
        "amazons" => options.set("size", 4 + random.below(3)),
        "game17" => {
            options.set("size", 3);
            options.set("rounds", 3);
            options.set("players", vec![0, 4, 7]);
        }
        _ => {}
    }
    let table = open(game, Setup { options: &options, position: None, random }).unwrap();
    let (session, begun) = Session::new(table, terms);
    (session, vec![begun])
}

fn participant(seat: Seat, agent: &str) -> Participant {
    Participant { seat, agent: agent.to_owned(), name: agent.to_owned(), version: None }
}

/// A turn that the rules allow, or something like one.
fn some_turn(session: &Session, random: &mut Random) -> String {
    let mut fork = session.table().fork();
    let choice = *fork.choices().last().unwrap();
    match random.below(8) {
        0 => "a1-a1/a1".to_owned(),
        1 => "pass".to_owned(),
        2 => "-".to_owned(),
        3 => "\u{202e}💥".to_owned(),
        _ => fork.play_randomly(choice, random).map_or("0,0".to_owned(), |played| played.text),
    }
}

fn some_seat(session: &Session, random: &mut Random) -> Seat {
    match (session.table().turn(), random.below(4)) {
        (Turn::Player(seat), 1..) => seat,
        _ => Seat(random.below(u32::from(session.table().seats()) + 2) as u16),
    }
}

fn some_ply(session: &Session, random: &mut Random) -> u32 {
    match random.below(8) {
        0 => random.below(session.ply() + 2),
        _ => session.ply(),
    }
}

fn some_command(session: &Session, random: &mut Random) -> Command {
    let seat = some_seat(session, random);
    match random.below(40) {
        0 => Command::Seat {
            player: participant(seat, ["human", "random", "cmd:./x"][random.below(3) as usize]),
            grants_take_back: random.below(2) == 0,
        },
        1 => Command::Start,
        2 => Command::Resign { seat },
        3 => Command::OfferDraw { seat },
        4 | 5 => Command::TakeBack { seat, to: random.below(session.ply() + 2) },
        6 => Command::Accept { seat },
        7 => Command::Decline { seat },
        8..=10 => Command::Redo { seat },
        11 => {
            let kind = [FaultKind::IllegalMove, FaultKind::Crash, FaultKind::Timeout]
                [random.below(3) as usize];
            let trouble = if random.below(2) == 0 {
                AgentError::mild(kind, "went wrong")
            } else {
                AgentError::fatal(kind, "went wrong for good")
            };
            Command::Fault { seat, trouble, log_tail: String::new() }
        }
        12 => Command::Tick,
        13 if random.below(20) == 0 => Command::Abort,
        14 => Command::Reopen,
        15..=19 => Command::Roll { ply: some_ply(session, random), roll: random.below(3) as u16 },
        _ => Command::Play {
            seat,
            ply: some_ply(session, random),
            text: some_turn(session, random),
            time_ms: None,
            cpu_ms: None,
            info: None,
        },
    }
}

fn some_terms(game: &str, random: &mut Random) -> Terms {
    let usual = Terms::usual(&Games::entry(game).unwrap());
    let policy = match random.below(4) {
        0 => FaultPolicy::Lose,
        1 => FaultPolicy::Skip,
        2 => FaultPolicy::Retry(2),
        _ => usual.policy,
    };
    let clock = (random.below(3) == 0)
        .then(|| ClockTerms { initial_ms: 400, increment_ms: u64::from(random.below(3)) });
    Terms { seed: Some(u64::from(random.below(1_000))), policy, clock, limits: None }
}

#[test]
fn no_command_breaks_a_session_and_its_updates_are_the_game() {
    for entry in Games::ENTRIES {
        let mut left = commands();
        let mut seed = 0;
        let mut endings = std::collections::BTreeSet::new();
        while left > 0 {
            seed += 1;
            println!("{} seed {seed}", entry.name);
            let mut random = Random::stream(seed, 17);
            let terms = some_terms(entry.name, &mut random);
            let (mut session, mut updates) = session(entry.name, &mut random, terms);
            // Most games get their players; some are left to chance.
            if random.below(8) > 0 {
                let table = session.table().fork();
                for seat in (0..table.seats()).map(Seat).filter(|seat| !table.is_zombie(*seat)) {
                    let player = participant(seat, "human");
                    let command = Command::Seat { player, grants_take_back: random.below(2) == 0 };
                    updates.extend(session.apply(command, Duration::ZERO).unwrap());
                }
                updates.extend(session.apply(Command::Start, Duration::ZERO).unwrap());
            }
            let mut now = Duration::ZERO;
            for _ in 0..300.min(left) {
                left -= 1;
                now += Duration::from_millis(u64::from(random.below(4)));
                if matches!(session.waits_for(), Waiting::Nature(_)) && random.below(4) > 0 {
                    updates.extend(session.play_nature(&mut random).unwrap());
                    continue;
                }
                let command = some_command(&session, &mut random);
                let before = session.snapshot();
                let done = session.apply(command.clone(), now);
                match done {
                    Ok(new) => {
                        let numbers: Vec<u64> = new.iter().map(|update| update.number).collect();
                        let expected = before.updates..session.updates();
                        assert_eq!(numbers, expected.collect::<Vec<_>>(), "{command:?}");
                        updates.extend(new);
                    }
                    Err(refusal) => {
                        assert_eq!(session.snapshot(), before, "{command:?}: {refusal}");
                    }
                }
            }
            check(&session, &updates);
            endings.extend(session.record().result.as_ref().map(|end| end.termination.name()));
        }
        println!("{}: {endings:?}", entry.name);
        // A game for many goes on without those who went wrong.
        let least = if entry.seating == Seating::Duel { 4 } else { 1 };
        assert!(endings.len() >= least, "{}: only {endings:?}", entry.name);
    }
}

/// The updates, as text and back, make the equal session; its record replays.
fn check(session: &Session, updates: &[Update]) {
    let lines: Vec<String> =
        updates.iter().map(|update| serde_json::to_string(update).unwrap()).collect();
    let read: Vec<Update> = lines.iter().map(|line| serde_json::from_str(line).unwrap()).collect();
    assert_eq!(read, updates);
    let again = Session::from_updates(&read).unwrap();
    assert_eq!(again.snapshot(), session.snapshot());
    let record = session.record();
    assert_eq!(record.replay(usize::MAX).unwrap().position(), session.table().position());
    let kept = record_of(&(lines.join("\n") + "\n")).unwrap().unwrap();
    assert_eq!(&kept, record);
    let text = serde_json::to_string(record).unwrap();
    assert_eq!(&serde_json::from_str::<Record>(&text).unwrap(), record);
}

#[test]
fn a_repeated_command_is_stale_and_changes_nothing() {
    let mut random = Random::seeded(1);
    let terms = Terms::usual(&Games::entry("amazons").unwrap());
    let (mut session, _) = session("amazons", &mut random, terms);
    for seat in [0, 1] {
        let player = participant(Seat(seat), "human");
        let command = Command::Seat { player, grants_take_back: false };
        session.apply(command, Duration::ZERO).unwrap();
    }
    session.apply(Command::Start, Duration::ZERO).unwrap();
    let text = session.table().turns().unwrap()[0].clone();
    let play = |seat| Command::Play {
        seat: Seat(seat),
        ply: 0,
        text: text.clone(),
        time_ms: None,
        cpu_ms: None,
        info: None,
    };
    assert_eq!(
        session.apply(play(1), Duration::ZERO).unwrap_err(),
        Refusal::NotToMove(Seat(1)),
        "a foreign seat"
    );
    session.apply(play(0), Duration::ZERO).unwrap();
    let stale = Refusal::Stale { ply: 1, given: 0 };
    assert_eq!(session.apply(play(0), Duration::ZERO).unwrap_err(), stale);
}

#[test]
fn what_is_taken_back_and_played_again_is_the_equal_game() {
    for entry in Games::ENTRIES {
        for seed in 0..10 {
            println!("{} seed {seed}", entry.name);
            let mut random = Random::seeded(seed);
            let terms = Terms::usual(entry);
            let (mut session, mut updates) = session(entry.name, &mut random, terms);
            let table = session.table().fork();
            for seat in (0..table.seats()).map(Seat).filter(|seat| !table.is_zombie(*seat)) {
                let player = participant(seat, "random");
                let command = Command::Seat { player, grants_take_back: true };
                updates.extend(session.apply(command, Duration::ZERO).unwrap());
            }
            updates.extend(session.apply(Command::Start, Duration::ZERO).unwrap());
            for _ in 0..40 {
                let new = match session.waits_for() {
                    Waiting::Nature(_) => session.play_nature(&mut random),
                    Waiting::Chance { sides } => {
                        let roll = random.below(u32::from(sides)) as u16;
                        let command = Command::Roll { ply: session.ply(), roll };
                        session.apply(command, Duration::ZERO)
                    }
                    Waiting::Player(seat) => {
                        let mut fork = session.table().fork();
                        let choice = fork.choices()[0];
                        let text = fork.play_randomly(choice, &mut random).unwrap().text;
                        let ply = session.ply();
                        let (time_ms, cpu_ms, info) = (None, None, None);
                        let command = Command::Play { seat, ply, text, time_ms, cpu_ms, info };
                        session.apply(command, Duration::ZERO)
                    }
                    Waiting::Over | Waiting::Start => break,
                };
                updates.extend(new.unwrap());
            }
            let before = session.snapshot();
            // To the first turn of a player's, and forward again.
            let player = session.record().seats[0].seat;
            let first = session
                .record()
                .events
                .iter()
                .position(|event| matches!(event, Event::Move { seat, .. } if *seat == player));
            let to = first.unwrap() as u32;
            let command = Command::TakeBack { seat: player, to };
            updates.extend(session.apply(command, Duration::ZERO).unwrap());
            assert_eq!(session.ply(), to);
            assert_eq!(session.waits_for(), Waiting::Player(player));
            while let Ok(new) = session.apply(Command::Redo { seat: player }, Duration::ZERO) {
                updates.extend(new);
            }
            let after = session.snapshot();
            assert_eq!((after.record, after.position), (before.record, before.position));
            assert_eq!((after.waits_for, after.undone), (before.waits_for, 0));
            check(&session, &updates);
        }
    }
}

#[test]
fn a_clock_that_runs_out_ends_the_game_at_the_next_look() {
    let mut random = Random::seeded(1);
    let clock = Some(ClockTerms { initial_ms: 1_000, increment_ms: 500 });
    let terms = Terms { clock, ..Terms::usual(&Games::entry("watch-your-back").unwrap()) };
    let (mut session, _) = session("watch-your-back", &mut random, terms);
    for seat in [0, 1] {
        let player = participant(Seat(seat), "human");
        let command = Command::Seat { player, grants_take_back: false };
        session.apply(command, Duration::ZERO).unwrap();
    }
    let at = Duration::from_millis;
    session.apply(Command::Start, at(5_000)).unwrap();
    assert_eq!(session.left_ms(Seat(0), at(5_400)), Some(600));
    let play = |ply, text: &str| Command::Play {
        seat: Seat((ply % 2) as u16),
        ply,
        text: text.to_owned(),
        time_ms: None,
        cpu_ms: None,
        info: None,
    };
    let updates = session.apply(play(0, "3,3"), at(5_600)).unwrap();
    let clock = Change::Clock { seat: Seat(0), left_ms: 900 };
    assert!(updates.iter().any(|update| update.what == clock), "{updates:?}");
    assert_eq!(session.left_ms(Seat(0), at(9_000)), Some(900), "only the mover's clock runs");
    assert!(session.apply(Command::Tick, at(6_500)).unwrap().is_empty());
    // The turn comes too late: the clock had run out before.
    session.apply(play(1, "4,4"), at(6_700)).unwrap();
    let result = session.record().result.as_ref().unwrap();
    assert_eq!((result.termination, &result.payoffs[..]), (Termination::Timeout, &[1.0, -1.0][..]));
    assert_eq!(session.ply(), 1);
}

#[test]
fn a_journal_goes_on_where_it_was_cut_and_is_never_overwritten() {
    let folder = tempfile::tempdir().unwrap();
    let path = folder.path().join("game.json");
    let mut random = Random::seeded(3);
    let terms = Terms::usual(&Games::entry("amazons").unwrap());
    let (mut session, begun) = session("amazons", &mut random, terms.clone());
    let mut journal = Journal::create(&path, false).unwrap();
    journal.write(&begun);
    for seat in [0, 1] {
        let player = participant(Seat(seat), "random");
        let command = Command::Seat { player, grants_take_back: true };
        journal.write(&session.apply(command, Duration::ZERO).unwrap());
    }
    journal.write(&session.apply(Command::Start, Duration::ZERO).unwrap());
    let play = |session: &mut Session| {
        let Waiting::Player(seat) = session.waits_for() else { panic!("{session:?}") };
        let text = session.table().turns().unwrap()[0].clone();
        let ply = session.ply();
        let (time_ms, cpu_ms, info) = (None, None, None);
        session
            .apply(Command::Play { seat, ply, text, time_ms, cpu_ms, info }, Duration::ZERO)
            .unwrap()
    };
    journal.write(&play(&mut session));
    journal.write(&play(&mut session));

    // While one program plays it, no other does; and no other game takes its place.
    let usual = |_: &Record| terms.clone();
    assert!(Journal::resume(&path, &usual).err().unwrap().message.contains("another program"));
    assert!(Journal::create(&path, false).err().unwrap().message.contains("exists already"));
    assert!(Journal::create(&path, true).err().unwrap().message.contains("another program"));
    drop(journal);

    // A kill in the middle of a line loses that line only.
    let text = std::fs::read_to_string(&path).unwrap();
    std::fs::write(&path, &text[..text.len() - 7]).unwrap();
    let (mut resumed, mut journal) = Journal::resume(&path, &usual).unwrap();
    assert_eq!(resumed.ply(), 1);
    journal.write(&play(&mut resumed));
    assert_eq!(resumed.snapshot(), session.snapshot());

    // The record of an interrupted game takes the journal's place, and goes on as well.
    journal.write(&resumed.apply(Command::Abort, Duration::ZERO).unwrap());
    journal.finish(resumed.record()).unwrap();
    let record: Record = serde_json::from_str(&std::fs::read_to_string(&path).unwrap()).unwrap();
    assert_eq!(record.result.as_ref().unwrap().termination, Termination::Interrupted);
    let (mut resumed, mut journal) = Journal::resume(&path, &usual).unwrap();
    journal.write(&resumed.apply(Command::Reopen, Duration::ZERO).unwrap());
    while resumed.waits_for() != Waiting::Over {
        journal.write(&play(&mut resumed));
    }
    journal.finish(resumed.record()).unwrap();
    assert!(Journal::resume(&path, &usual).err().unwrap().message.contains("the game is over"));
}

#[test]
fn updates_that_contradict_the_game_are_refused() {
    let mut random = Random::seeded(1);
    let terms = Terms::usual(&Games::entry("amazons").unwrap());
    let (mut session, mut updates) = session("amazons", &mut random, terms);
    for seat in [0, 1] {
        let player = participant(Seat(seat), "human");
        let command = Command::Seat { player, grants_take_back: false };
        updates.extend(session.apply(command, Duration::ZERO).unwrap());
    }
    updates.extend(session.apply(Command::Start, Duration::ZERO).unwrap());
    let number = session.updates();
    for what in [
        Change::Clock { seat: Seat(7), left_ms: 1 },
        Change::Left { seat: Seat(9), fault: None },
        Change::Declined { seat: Seat(2) },
        Change::Seated { player: participant(Seat(1), "human"), grants_take_back: false },
        Change::Seated { player: participant(Seat(5), "human"), grants_take_back: false },
        Change::Started,
        Change::Reopened,
        Change::TakenBack { to: 3 },
    ] {
        let wrong = [&updates[..], &[Update { number, what: what.clone() }]].concat();
        let error = Session::from_updates(&wrong).map(drop).unwrap_err();
        assert!(error.message.starts_with(&format!("update {number}: ")), "{what:?}: {error}");
    }
}
