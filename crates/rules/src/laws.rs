//! The laws every game obeys, checked by random play.
//!
//! A game is under these laws by being in a registry: nothing in this file names one. Each check
//! panics with the law, the game, the seed and the position, so that a failure can be replayed.

use std::collections::HashSet;

use crate::error::ErrorKind;
use crate::game::{Game, Seat, Turn};
use crate::perft::perft_by_steps;
use crate::playout::playout_by_turns;
use crate::random::Random;
use crate::registry::{Entry, Registry, Seating, Visitor};
use crate::setup::{Options, Setup};
use crate::table::{Open, Table};

/// Checks every law on one game of `R`, over random games from these seeds. Returns the number of
/// positions looked at.
///
/// # Panics
/// If a law is broken.
pub fn check<R: Registry>(name: &str, options: &Options, seeds: std::ops::Range<u64>) -> u64 {
    let mut positions = 0;
    for seed in seeds {
        let setup = Setup { options, position: None, random: &mut Random::seeded(seed) };
        let laws = Laws::<R> { seed, options: options.clone(), registry: std::marker::PhantomData };
        positions += R::open(name, setup, laws).expect("the laws are checked on a game that opens");
    }
    positions
}

struct Laws<R> {
    seed: u64,
    options: Options,
    registry: std::marker::PhantomData<R>,
}

/// How many turns of one game are looked at closely.
const CLOSE_LOOKS: usize = 12;
/// No game is followed longer than this, should it have no limit.
const MOST_TURNS: u64 = 3_000;

impl<R: Registry> Visitor for Laws<R> {
    type Output = u64;

    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> u64 {
        let place = format!("{} {:?} seed {}", entry.name, self.options, self.seed);
        the_entry_is_true(&entry, &game, &place);
        the_options_open_the_same_game::<R, G>(&entry, &game, &start, &place);
        fast_and_plain_playouts_agree(&game, &start, self.seed, &place);
        fast_and_plain_perft_agree(&game, &start, &place);

        let mut looked_at = 0;
        for (index, &choice) in G::CHOICES.iter().enumerate() {
            let mut random = Random::stream(self.seed, index as u64);
            // A few plies are chosen in advance to be looked at closely.
            let span = game.bound(&start).unwrap_or(200).clamp(1, 200) as u32;
            let close: HashSet<u64> =
                (0..CLOSE_LOOKS).map(|_| u64::from(random.below(span))).collect();
            let mut position = start.clone();
            let mut table = Open::new(entry, game.clone(), start.clone());
            let mut turns = 0;
            while game.turn(&position) != Turn::Over && turns < MOST_TURNS {
                let place = format!("{place} turn {turns}: {}", game.write_position(&position));
                let mut seen = vec![];
                if close.contains(&turns) {
                    look_closely(&entry, &game, [&start, &position], &mut random, &place);
                    seen.push(position.clone());
                }
                // Law: replaying the text of a turn and its rolls gives the equal position.
                let played = table.play_randomly(choice, &mut random).expect("a player is to move");
                let mut replayed = Open::new(entry, game.clone(), position.clone());
                replayed
                    .play(&played.text)
                    .unwrap_or_else(|error| panic!("{place}: `{}`: {error}", played.text));
                for roll in &played.rolls {
                    replayed.settle(roll.roll).unwrap_or_else(|error| panic!("{place}: {error}"));
                }
                assert_eq!(replayed.typed().1, table.typed().1, "{place}: `{}`", played.text);
                assert!(!table.mid_turn(), "{place}: a random turn is a whole turn");
                let is_foretold = played.rolls.is_empty() || entry.has_chance;
                assert!(is_foretold, "{place}: chance events are told in the entry");

                position = table.typed().1.clone();
                texts_and_keys_agree(&game, &position, &seen, &place);
                turns += 1;
                looked_at += 1;
            }
            let place = format!("{place} after {turns} turns");
            if let Some(bound) = game.bound(&start) {
                assert!(turns <= bound, "{place}: the bound was {bound}");
            }
            if game.turn(&position) == Turn::Over {
                the_end_is_final(&game, &position, &place);
            }
        }
        looked_at
    }
}

/// What the entry says of the game is so.
fn the_entry_is_true<G: Game>(entry: &Entry, game: &G, place: &str) {
    let is_duel = entry.seating == Seating::Duel;
    assert!(!is_duel || game.seats() == 2, "{place}: a duel has two seats");
    if let Some(name) = entry.players_option {
        let is_there = entry.options.iter().any(|option| option.name == name);
        assert!(is_there, "{place}: `{name}`, which seats players, is an option");
    }
}

fn the_options_open_the_same_game<R: Registry, G: Game>(
    entry: &Entry,
    game: &G,
    start: &G::Position,
    place: &str,
) {
    struct Reopened {
        options: Options,
        position: String,
    }
    impl Visitor for Reopened {
        type Output = (bool, bool);
        fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> (bool, bool) {
            (game.options() == self.options, game.write_position(&start) == self.position)
        }
    }
    let options = game.options();
    let position = game.write_position(start);
    let setup =
        Setup { options: &options, position: Some(&position), random: &mut Random::seeded(0) };
    let reopened = Reopened { options: options.clone(), position: position.clone() };
    let same = R::open(entry.name, setup, reopened).unwrap_or_else(|error| {
        panic!("{place}: reopening with {options:?} at {position}: {error}");
    });
    assert_eq!(same, (true, true), "{place}: settled options and start open the same game");
}

fn fast_and_plain_playouts_agree<G: Game>(game: &G, start: &G::Position, seed: u64, place: &str) {
    for &choice in G::CHOICES {
        let (mut fast, mut plain) = (start.clone(), start.clone());
        let turns = game.playout(&mut fast, choice, MOST_TURNS, &mut Random::seeded(seed));
        let same =
            playout_by_turns(game, &mut plain, choice, MOST_TURNS, &mut Random::seeded(seed));
        assert_eq!(turns, same, "{place}: playouts by {choice}");
        assert_eq!(fast, plain, "{place}: playouts by {choice}");
    }
}

fn fast_and_plain_perft_agree<G: Game>(game: &G, position: &G::Position, place: &str) {
    let leaves = perft_by_steps(game, position, 1);
    assert_eq!(game.perft(position, 1), leaves, "{place}: perft 1");
    if leaves <= 200 {
        assert_eq!(game.perft(position, 2), perft_by_steps(game, position, 2), "{place}: perft 2");
    }
}

/// Everything that is checked on the few positions looked at closely, also inside the turn.
fn look_closely<G: Game>(
    entry: &Entry,
    game: &G,
    [start, position]: [&G::Position; 2],
    random: &mut Random,
    place: &str,
) {
    if G::LISTED {
        fast_and_plain_perft_agree_once(game, position, place);
    }
    let mut position = position.clone();
    loop {
        match game.turn(&position) {
            Turn::Player(_) => {
                listed_is_legal_is_accepted(entry, game, [start, &position], random, place);
                symmetries_commute(game, &position, random, place);
                estimates_are_within_range(game, [start, &position], place);
                let mut actions = Vec::new();
                game.actions(&position, &mut actions);
                let action = actions[random.below(actions.len() as u32) as usize];
                game.play(&mut position, action);
            }
            Turn::Chance { sides } => {
                assert!(sides >= 2, "{place}: a chance event has outcomes");
                game.settle(&mut position, random.below(u32::from(sides)) as u16);
            }
            Turn::Over => break,
        }
        texts_and_keys_agree(game, &position, &[], place);
        if !game.mid_turn(&position) {
            break;
        }
    }
}

fn fast_and_plain_perft_agree_once<G: Game>(game: &G, position: &G::Position, place: &str) {
    assert_eq!(game.perft(position, 1), perft_by_steps(game, position, 1), "{place}: perft 1");
}

/// Legal actions are listed once, in a stable order; a player to move has at least one; they are
/// exactly what the checked door accepts; playing a clone leaves the original alone.
fn listed_is_legal_is_accepted<G: Game>(
    entry: &Entry,
    game: &G,
    [start, position]: [&G::Position; 2],
    random: &mut Random,
    place: &str,
) {
    let (mut actions, mut again) = (Vec::new(), Vec::new());
    game.actions(position, &mut actions);
    game.actions(position, &mut again);
    assert_eq!(actions, again, "{place}: the order of actions is stable");
    assert!(!actions.is_empty(), "{place}: a player to move has an action");
    let distinct: HashSet<_> = actions.iter().collect();
    assert_eq!(distinct.len(), actions.len(), "{place}: an action is listed once");

    let table = Open::new(*entry, game.clone(), position.clone());
    let steps = table.steps();
    let texts: HashSet<&str> = steps.iter().map(|step| step.text.as_str()).collect();
    assert_eq!(texts.len(), actions.len(), "{place}: different actions have different texts");
    let squares = game.view(position).squares.len();
    for (action, step) in actions.iter().zip(&steps).take(200) {
        assert!(game.is_legal(position, *action), "{place}: {action:?} is listed");
        let in_view = step.path.iter().all(|cell| usize::from(*cell) < squares);
        assert!(in_view, "{place}: {:?} points at the board", step.path);
        let mut stepped = table.clone();
        stepped.step(&step.text).unwrap_or_else(|error| panic!("{place}: {error}"));
        let mut played = position.clone();
        game.play(&mut played, *action);
        assert_eq!(stepped.typed().1, &played, "{place}: step `{}`", step.text);
        assert_eq!(table.typed().1, position, "{place}: a clone is independent");
    }

    // What the same game knows elsewhere, a little later and at the start: legal and accepted here
    // exactly if listed here.
    let mut elsewhere = position.clone();
    game.playout(&mut elsewhere, G::CHOICES[0], u64::from(random.below(8)), random);
    for elsewhere in [elsewhere, start.clone()] {
        let mut strangers = Vec::new();
        game.actions(&elsewhere, &mut strangers);
        for action in strangers.iter().take(200) {
            let legal = game.is_legal(position, *action);
            assert_eq!(legal, distinct.contains(action), "{place}: {action:?} is legal: {legal}");
        }
        for step in Open::new(*entry, game.clone(), elsewhere).steps().iter().take(200) {
            let mut door = table.clone();
            let accepted = door.step(&step.text).is_ok();
            let listed = texts.contains(step.text.as_str());
            assert_eq!(accepted, listed, "{place}: step `{}`", step.text);
            if !accepted {
                assert_eq!(door.typed().1, position, "{place}: a refused step changes nothing");
            }
        }
    }
    if let Some(turns) = table.turns() {
        let listed: HashSet<&str> = turns.iter().map(String::as_str).collect();
        assert_eq!(listed.len(), turns.len(), "{place}: a turn is listed once");
        let mut candidates: Vec<String> = turns.iter().take(50).cloned().collect();
        if let Some(others) =
            Open::new(*entry, game.clone(), strangers_position(game, position, random)).turns()
        {
            candidates.extend(others.into_iter().take(50));
        }
        for text in candidates {
            let mut door = table.clone();
            match door.play(&text) {
                Ok(spelling) => {
                    assert!(listed.contains(spelling.as_str()), "{place}: played `{spelling}`");
                }
                Err(error) => {
                    assert!(!listed.contains(text.as_str()), "{place}: `{text}`: {error}");
                    let kinds = [ErrorKind::Illegal, ErrorKind::Unreadable, ErrorKind::Unfinished];
                    assert!(kinds.contains(&error.kind), "{place}: {error:?}");
                    assert_eq!(door.typed().1, position, "{place}: a refusal changes nothing");
                }
            }
        }
    }
}

fn strangers_position<G: Game>(
    game: &G,
    position: &G::Position,
    random: &mut Random,
) -> G::Position {
    let mut elsewhere = position.clone();
    game.playout(&mut elsewhere, G::CHOICES[0], 2, random);
    elsewhere
}

/// The text of a position reads back to the equal position, and equal positions share keys.
fn texts_and_keys_agree<G: Game>(
    game: &G,
    position: &G::Position,
    others: &[G::Position],
    place: &str,
) {
    let text = game.write_position(position);
    let read = game
        .read_position(&text)
        .unwrap_or_else(|error| panic!("{place}: its own text is refused: {text}: {error}"));
    assert_eq!(&read, position, "{place}: {text}");
    assert_eq!(game.key(&read), game.key(position), "{place}: equal positions share a key");
    assert_eq!(game.write_position(&read), text, "{place}: a text is written in one way");
    assert!(!text.contains('\n'), "{place}: a position is one line");
    for other in others {
        if other != position {
            assert_ne!(game.key(other), game.key(position), "{place}: keys tell positions apart");
        }
    }
}

/// Turning the board and playing commute, and the turned board has the turned actions.
fn symmetries_commute<G: Game>(game: &G, position: &G::Position, random: &mut Random, place: &str) {
    let count = game.symmetries();
    assert_eq!(&game.image(0, position), position, "{place}: symmetry 0 is the identity");
    let which = random.below(count as u32) as usize;
    let image = game.image(which, position);
    assert_eq!(game.turn(&image), game.turn(position), "{place}: symmetry {which}");
    let (mut actions, mut of_image) = (Vec::new(), Vec::new());
    game.actions(position, &mut actions);
    game.actions(&image, &mut of_image);
    let mapped: HashSet<_> =
        actions.iter().map(|action| game.image_of_action(which, *action)).collect();
    assert_eq!(mapped, of_image.into_iter().collect(), "{place}: symmetry {which}");
    for &action in actions.iter().take(20) {
        let mut played_then_turned = position.clone();
        game.play(&mut played_then_turned, action);
        let mut turned_then_played = image.clone();
        game.play(&mut turned_then_played, game.image_of_action(which, action));
        assert_eq!(
            game.image(which, &played_then_turned),
            turned_then_played,
            "{place}: symmetry {which} and {action:?}"
        );
    }
}

/// A game that has a rule of thumb has it everywhere, and none promises more than a win.
fn estimates_are_within_range<G: Game>(
    game: &G,
    [start, position]: [&G::Position; 2],
    place: &str,
) {
    let Turn::Player(seat) = game.turn(position) else { return };
    let estimate = game.estimate(position, seat);
    if let (Turn::Player(first), false) = (game.turn(start), estimate.is_some()) {
        assert!(game.estimate(start, first).is_none(), "{place}: an estimate is given everywhere");
    }
    let value = estimate.unwrap_or(0.0);
    assert!(
        (-1.0..=1.0).contains(&value),
        "{place}: an estimate is a number from -1 to 1, not {value}"
    );
}

/// No player moves after the end, and what it is worth is within range.
fn the_end_is_final<G: Game>(game: &G, position: &G::Position, place: &str) {
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    assert!(actions.is_empty(), "{place}: no player moves after the end");
    for seat in 0..game.seats() {
        let payoff = game.payoff(position, Seat(seat));
        assert!((-1.0..=1.0).contains(&payoff), "{place}: payoff {payoff} of seat {seat}");
    }
    assert!(!game.view(position).status.is_empty(), "{place}: the end is told in a sentence");
}
