//! Golden playthroughs: one whole random game of each, as text that people can read.
//!
//! Whatever changes in the rules, the notation, the views or the drawing shows up here as a
//! readable difference. The commit that changes a snapshot says why.

use std::fmt::Write as _;

use skirmish_rules::draw::{Look, draw};
use skirmish_rules::table::Table;
use skirmish_rules::{Options, Random, Seat, Setup, Turn, open};

/// The board is drawn so often.
const TURNS_BETWEEN_DRAWINGS: usize = 10;
/// So many legal steps are shown.
const STEPS_SHOWN: usize = 6;

fn playthrough(game: &str, options: &Options, seed: u64) -> String {
    write_playthrough(game, options, seed).expect("a string takes all text")
}

fn write_playthrough(game: &str, options: &Options, seed: u64) -> Result<String, std::fmt::Error> {
    let mut random = Random::seeded(seed);
    let setup = Setup { options, position: None, random: &mut random };
    let mut table = open(game, setup).expect("the options are right");
    let choice = table.choices()[0];
    let mut text = String::new();
    let out = &mut text;

    writeln!(out, "{}: {}", table.entry().title, table.entry().summary)?;
    for (name, value) in table.options().iter() {
        writeln!(out, "option {name} = {value}")?;
    }
    let seats: Vec<String> =
        (0..table.seats().min(4)).map(|seat| table.seat_name(Seat(seat))).collect();
    let more = if table.seats() > 4 { " …" } else { "" };
    writeln!(out, "{} seats: {}{more}", table.seats(), seats.join(", "))?;
    writeln!(out, "random turns by {choice}, seed {seed}")?;
    writeln!(out, "start: {}", table.position())?;

    let mut turns = 0;
    while let Turn::Player(seat) = table.turn() {
        if turns % TURNS_BETWEEN_DRAWINGS == 0 {
            writeln!(out)?;
            describe(out, table.as_ref())?;
            writeln!(out)?;
        }
        let name = table.seat_name(seat);
        let played = table.play_randomly(choice, &mut random).expect("a player is to move");
        let rolls: String = played.rolls.iter().map(|roll| roll.roll.to_string()).collect();
        let rolls = if rolls.is_empty() { rolls } else { format!(" (tosses {rolls})") };
        writeln!(out, "{}. {name}: {}{rolls}", turns + 1, played.text)?;
        writeln!(out, "    {}", table.position())?;
        turns += 1;
    }

    writeln!(out, "\nover after {turns} turns: {:?}\n", table.ending().expect("it is over"))?;
    describe(out, table.as_ref())?;
    let payoffs: Vec<String> = table
        .payoffs()
        .iter()
        .enumerate()
        .map(|(seat, payoff)| format!("{} {payoff:+}", table.seat_name(Seat(seat as u16))))
        .collect();
    writeln!(out, "payoffs: {}", payoffs.join(", "))?;
    Ok(text)
}

/// The drawn board, and what may be chosen.
fn describe(out: &mut String, table: &dyn Table) -> std::fmt::Result {
    out.push_str(&draw(&table.view(), Look { ascii: true, ..Look::default() }));
    let steps = table.steps();
    let shown: Vec<String> =
        steps.iter().take(STEPS_SHOWN).map(|step| format!("`{}`", step.text)).collect();
    let more = if steps.len() > STEPS_SHOWN { " …" } else { "" };
    if steps.is_empty() {
        return writeln!(out, "nothing may be chosen");
    }
    writeln!(out, "{} steps: {}{more}", steps.len(), shown.join(" "))?;
    match table.turns() {
        Some(turns) => writeln!(out, "{} turns", turns.len()),
        None => writeln!(out, "turns are not listed"),
    }
}

#[test]
fn a_game_of_watch_your_back() {
    insta::assert_snapshot!(playthrough("watch-your-back", &Options::none(), 1));
}

#[test]
fn a_game_of_game17_on_four_by_four() {
    let options = Options::none().with("size", 4).with("rounds", 12).with("players", "0,5");
    insta::assert_snapshot!(playthrough("game17", &options, 1));
}

#[test]
fn a_game_of_in_trap() {
    insta::assert_snapshot!(playthrough("in-trap", &Options::none(), 3));
}

#[test]
fn a_game_of_amazons_on_six_by_six() {
    insta::assert_snapshot!(playthrough("amazons", &Options::none().with("size", 6), 1));
}
