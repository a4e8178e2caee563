//! The laws, on every game there is and on one that exists only here.
//!
//! [`WithNim`] is the registry of Skirmish with one more game, in a folder of its own (`nim/`). It
//! gets every law, perft, random games, the table and the error messages without a word
//! about Nim anywhere else. The flawed brothers of Nim show that each law bites.

mod nim;

use serde_json::{Value, json};
use skirmish_rules::games::in_trap::Pieces;
use skirmish_rules::table::{Table, open_from};
use skirmish_rules::{
    Choice, Entry, ErrorKind, Family as _, Game, Games, Options, Random, Registry, Result, Setup,
    Turn, Visitor, games, laws,
};

/// The games of Skirmish, and Nim.
pub(crate) struct WithNim;

impl Registry for WithNim {
    const ENTRIES: &'static [Entry] = &{
        let mut entries = [nim::Family::ENTRY; Games::ENTRIES.len() + 1];
        let mut place = 0;
        while place < Games::ENTRIES.len() {
            entries[place] = Games::ENTRIES[place];
            place += 1;
        }
        entries
    };

    fn open<V: Visitor>(name: &str, setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        let entry = Self::entry(name)?;
        if name != nim::Family::ENTRY.name {
            return Games::open(name, setup, visitor);
        }
        setup.check_names(entry.name, entry.options)?;
        nim::Family::open(setup, visitor)
    }
}

/// Checks every law of one game, and says what was looked at.
fn obeys(name: &str, options: &Options, seeds: std::ops::Range<u64>) {
    println!("{name} {options:?} seeds {seeds:?}");
    let positions = laws::check::<WithNim>(name, options, seeds);
    println!("    {positions} positions");
    assert!(positions > 0, "{name} {options:?}: no position was looked at");
}

fn with(name: &str, value: impl Into<Value>) -> Options {
    Options::none().with(name, value)
}

#[test]
fn every_game_obeys_the_laws_with_its_usual_options() {
    assert_eq!(WithNim::ENTRIES.len(), Games::ENTRIES.len() + 1);
    for entry in WithNim::ENTRIES {
        obeys(entry.name, &Options::none(), 0..4);
    }
}

#[test]
fn amazons_obeys_the_laws_on_small_boards() {
    for (size, seeds) in [("2x2", 0..20), ("2x5", 0..20), ("4x4", 0..20), ("5x4", 0..15)] {
        obeys("amazons", &with("size", size), seeds);
    }
    obeys("amazons", &with("size", "9x7").with("amazons", 3), 0..4);
    // As many as there is room for.
    obeys("amazons", &with("size", "4x5").with("amazons", 8), 0..10);
}

#[test]
fn amazons_obeys_the_laws_on_large_boards() {
    obeys("amazons", &with("size", "20x20"), 0..1);
    obeys("amazons", &with("size", "26x26").with("amazons", 2), 0..1);
    obeys("amazons", &with("size", "26x3"), 0..2);
    obeys("amazons", &with("size", "12x11"), 0..1);
}

#[test]
fn game17_obeys_the_laws_on_every_kind_of_board() {
    for (size, seeds) in [(1, 0..2), (2, 0..20), (3, 0..20), (5, 0..5)] {
        obeys("game17", &with("size", size), seeds);
    }
    obeys("game17", &with("size", 4).with("players", "all").with("rounds", 7), 0..4);
    obeys("game17", &with("size", 3).with("players", "0,5").with("rounds", 1), 0..4);
    obeys("game17", &with("size", 20).with("rounds", 1).with("players", "17"), 0..1);
}

#[test]
fn in_trap_obeys_the_laws_on_every_kind_of_board() {
    for (size, seeds) in [(4, 0..20), (7, 0..20), (9, 0..6), (12, 0..4), (20, 0..1)] {
        obeys("in-trap", &with("size", size), seeds);
    }
    obeys("in-trap", &with("move_limit", "none"), 0..2);
    obeys("in-trap", &with("move_limit", 1), 0..4);
}

#[test]
fn in_trap_obeys_the_laws_with_pieces_of_ones_own() {
    let piece = |name: &str, cost: u32, movement: [[u32; 3]; 3]| json!({"name": name, "display": name, "cost": cost, "movement": movement});
    // On 6×6: leaps that end where they began (6, 12), that go round more than once (7, 13, 601),
    // pieces for nothing, a piece no player can pay for, and one that cannot move.
    let odd = json!([
        piece("S", 0, [[1, 7, 0], [6, 0, 5], [0, 12, 13]]),
        piece("round", 0, [[7, 13, 601], [5, 0, 11], [6, 12, 600]]),
        piece("dear", 1_000_000, [[1, 1, 1], [1, 0, 1], [1, 1, 1]]),
        piece("stone", 2, [[0, 0, 0], [0, 0, 0], [0, 0, 0]]),
        piece("é2", 1, [[1_000_000, 999_999, 4], [3, 0, 2], [1, 2, 3]]),
    ]);
    for size in [4, 6, 7, 9] {
        obeys("in-trap", &with("pieces", odd.clone()).with("size", size), 0..4);
    }
    // A spawner that cannot move at all: its player has to pass until there is mana.
    let stuck = json!([
        piece("S", 0, [[0, 0, 0], [0, 0, 0], [0, 0, 0]]),
        piece("A", 9, [[0, 3, 0], [3, 0, 3], [0, 3, 0]]),
    ]);
    obeys("in-trap", &with("pieces", stuck.clone()), 0..6);
    obeys("in-trap", &with("pieces", json!([stuck[0]])), 0..2);
    // More pieces than the usual nine, all symmetric, on small and on large boards.
    let many: Vec<Value> = (0..30)
        .map(|number| {
            let far = number % 5 + 1;
            piece(&format!("P{number}"), number % 4, [[far; 3], [far, 0, far], [far; 3]])
        })
        .collect();
    for size in [6, 10] {
        obeys("in-trap", &with("pieces", many.clone()).with("size", size), 0..3);
    }
    let standard = Pieces::standard().to_json();
    obeys("in-trap", &with("pieces", standard), 0..1);
}

#[test]
fn watch_your_back_obeys_the_laws_with_any_limit() {
    obeys("watch-your-back", &with("move_limit", 20), 0..20);
    obeys("watch-your-back", &with("move_limit", 1), 0..3);
    obeys("watch-your-back", &with("move_limit", 128), 0..3);
    obeys("watch-your-back", &with("move_limit", 192), 0..3);
    obeys("watch-your-back", &with("move_limit", "none"), 0..3);
}

#[test]
fn nim_obeys_the_laws_with_any_heaps() {
    for heaps in [&[1][..], &[7], &[1, 2], &[3, 3], &[3, 0, 5], &[9, 1, 4, 2], &[20, 20]] {
        obeys("heaps", &with("heaps", nim::option(heaps)), 0..10);
    }
}

#[test]
fn pieces_are_conserved_in_game17() {
    let pieces = |table: &dyn Table| -> u32 {
        let squares = table.view().squares;
        squares.iter().filter_map(|square| square.token.as_ref()?.count).sum()
    };
    for (size, seed) in [(1, 1), (2, 2), (3, 3), (6, 4), (14, 5)] {
        println!("size {size} seed {seed}");
        let mut random = Random::seeded(seed);
        let mut table = opened("game17", &with("size", size), None, &mut random);
        let (at_start, choices) = (pieces(table.as_ref()), table.choices());
        assert_eq!(at_start, 4 * u32::from(table.seats()));
        for turn in 0..300 {
            if table.turn() == Turn::Over {
                break;
            }
            table.play_randomly(choices[turn % choices.len()], &mut random).unwrap();
            assert_eq!(pieces(table.as_ref()), at_start, "size {size} seed {seed} turn {turn}");
        }
    }
}

fn opened(
    name: &str,
    options: &Options,
    position: Option<&str>,
    random: &mut Random,
) -> Box<dyn Table> {
    open_from::<WithNim>(name, Setup { options, position, random }).unwrap()
}

fn refused(name: &str, options: &Options, position: Option<&str>) -> skirmish_rules::Error {
    let setup = Setup { options, position, random: &mut Random::seeded(0) };
    open_from::<WithNim>(name, setup).err().expect("this does not open")
}

struct Perft(u32);

impl Visitor for Perft {
    type Output = u64;
    fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> u64 {
        game.perft(&start, self.0)
    }
}

fn perft(name: &str, options: &Options, depth: u32) -> u64 {
    let setup = Setup { options, position: None, random: &mut Random::seeded(0) };
    WithNim::open(name, setup, Perft(depth)).unwrap()
}

#[test]
fn the_turns_of_nim_are_those_counted_by_hand() {
    // From heaps of 1 and 2: `a-1`, `b-1`, `b-2`; then 2, 2 and 1 turns; then 1, 1, 1 and 0.
    let small = with("heaps", "1,2");
    let counts: Vec<u64> = (0..=4).map(|depth| perft("heaps", &small, depth)).collect();
    assert_eq!(counts, [1, 3, 5, 3, 0]);
    // Ways to take from one heap of ten in so many turns, something left or not: "10 choose d".
    let one_heap = with("heaps", "10");
    let counts: Vec<u64> = (0..=11).map(|depth| perft("heaps", &one_heap, depth)).collect();
    assert_eq!(counts, [1, 10, 45, 120, 210, 252, 210, 120, 45, 10, 1, 0]);
}

#[test]
fn nim_is_played_at_the_table_like_every_game() {
    let mut table = opened("heaps", &Options::none(), None, &mut Random::seeded(0));
    assert_eq!(table.entry().title, "Nim");
    assert_eq!(table.position(), "3,4,5 first");
    assert_eq!(table.turns().unwrap().len(), 12);
    assert_eq!(table.steps().iter().map(|step| &step.text).collect::<Vec<_>>(), ["a-", "b-", "c-"]);

    assert_eq!(table.play(" B-3 ").unwrap(), "b-3");
    assert_eq!(table.position(), "3,1,5 second");
    table.step("c-").unwrap();
    assert!(table.mid_turn());
    assert_eq!(table.position(), "3,1,5 second c-");
    assert_eq!(table.play("5").unwrap(), "5");
    let error = table.play("c-1").unwrap_err();
    assert_eq!(error.message, "illegal turn `c-1` for first: heap `c` is empty");
    assert_eq!(table.play("a-2-2").unwrap_err().kind, ErrorKind::Unreadable);
    assert_eq!(table.play("a-").unwrap_err().kind, ErrorKind::Unfinished);
    assert_eq!(table.position(), "3,1,0 first");

    let mut again = opened("heaps", &Options::none(), Some("3,1,0 first"), &mut Random::seeded(0));
    assert_eq!(again.key(), table.key());
    for turn in ["a-2", "b-1", "a-1"] {
        again.play(turn).unwrap();
    }
    assert_eq!(again.turn(), Turn::Over);
    assert_eq!(again.payoffs(), [1.0, -1.0]);
    assert_eq!(again.view().status, "first wins: nothing is left");
    assert_eq!(again.play("a-1").unwrap_err().kind, ErrorKind::NotAPlayersTurn);
    assert_eq!(table.position(), "3,1,0 first", "the other table has not moved");
}

#[test]
fn random_games_of_nim_come_for_free() {
    struct Lengths;
    impl Visitor for Lengths {
        type Output = Vec<u64>;
        fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> Vec<u64> {
            let one = |seed| {
                let mut position = start.clone();
                game.playout(&mut position, Choice::Turns, u64::MAX, &mut Random::seeded(seed))
            };
            (0..200).map(one).collect()
        }
    }
    println!("seeds 0..200");
    let options = Options::none();
    let setup = Setup { options: &options, position: None, random: &mut Random::seeded(0) };
    let lengths = WithNim::open("heaps", setup, Lengths).unwrap();
    assert!(lengths.iter().all(|length| (3..=12).contains(length)), "{lengths:?}");
    assert!(lengths.iter().any(|length| *length != lengths[0]), "{lengths:?}");

    let mut random = Random::seeded(3);
    let mut table = opened("heaps", &with("heaps", "30,30"), None, &mut random);
    while table.turn() != Turn::Over {
        let before: u16 = nim::heaps(&table.position()).iter().sum();
        let played = table.play_randomly(Choice::Steps, &mut random).unwrap();
        let after: u16 = nim::heaps(&table.position()).iter().sum();
        assert!(after < before, "`{}` took nothing", played.text);
    }
    let error = table.fork().play_randomly(Choice::Steps, &mut random).unwrap_err();
    assert_eq!(error.message, "the game is over");
}

#[test]
fn an_unknown_game_is_told_which_games_there_are() {
    let error = refused("heap", &Options::none(), None);
    assert_eq!(error.kind, ErrorKind::UnknownGame);
    assert_eq!(error.message, "unknown game `heap`");
    assert_eq!(
        error.hint.unwrap(),
        format!("did you mean `heaps`? known games: {}", names::<WithNim>())
    );
    assert_eq!(Games::entry("heaps").unwrap_err().message, "unknown game `heaps`");
    let error = Games::entry("checkers").unwrap_err();
    assert_eq!(error.hint.unwrap(), format!("known games: {}", names::<Games>()));
}

fn names<R: Registry>() -> String {
    R::ENTRIES.iter().map(|entry| entry.name).collect::<Vec<_>>().join(", ")
}

#[test]
fn an_option_no_game_has_is_told_which_options_there_are() {
    let error = refused("heaps", &with("heap", "1"), None);
    assert_eq!(error.kind, ErrorKind::Option);
    assert_eq!(error.message, "`heaps` has no option `heap`");
    assert_eq!(error.hint.unwrap(), "did you mean `heaps`?");

    let error = refused("amazons", &with("heaps", "1"), None);
    assert_eq!(error.message, "`amazons` has no option `heaps`");
    assert_eq!(error.hint.unwrap(), "`amazons` has the options size, amazons");

    let error = refused("heaps", &with("heaps", "3,x"), None);
    assert_eq!(error.message, "option `heaps` cannot be `3,x`");
    assert_eq!(error.hint.unwrap(), "heaps are 1 to 9 numbers from 0 to 99, as in `3,4,5`");

    let error = refused("heaps", &Options::none(), Some("3,4 first"));
    assert_eq!(error.kind, ErrorKind::Position);
    assert_eq!(error.message, "`3,4` are not the heaps of this game");
}

games! {
    /// Games that break a law each.
    pub(crate) struct Flawed:
        nim::Flawed<0>,
        nim::Flawed<1>,
        nim::Flawed<2>,
        nim::Flawed<3>,
        nim::Flawed<4>,
        nim::Flawed<5>,
        nim::Flawed<6>,
        nim::Flawed<7>,
        nim::Flawed<8>,
        nim::Flawed<9>,
        nim::Flawed<10>,
}

/// Checks the laws on a game that breaks one: this panics, and the message names the law.
fn breaks(name: &str) {
    let seeds = 0..20;
    println!("{name} seeds {seeds:?}");
    laws::check::<Flawed>(name, &Options::none(), seeds);
}

#[test]
#[should_panic(expected = "an action is listed once")]
fn a_game_that_lists_an_action_twice_breaks_a_law() {
    breaks("lists-a-heap-twice");
}

#[test]
#[should_panic(expected = "is legal: true")]
fn a_game_that_accepts_more_than_it_lists_breaks_a_law() {
    breaks("accepts-an-empty-heap");
}

#[test]
#[should_panic(expected = ": symmetry 1")]
fn a_game_whose_image_plays_differently_breaks_a_law() {
    breaks("mirrors-the-action-wrongly");
}

#[test]
#[should_panic(expected = "turn 0: 3,4,5 first: 2,4,5 first")]
fn a_game_whose_text_tells_too_little_breaks_a_law() {
    breaks("forgets-the-mover-in-its-text");
}

#[test]
#[should_panic(expected = "different actions have different texts")]
fn a_game_with_one_text_for_two_actions_breaks_a_law() {
    breaks("calls-all-heaps-alike");
}

#[test]
#[should_panic(expected = "the bound was 3")]
fn a_game_that_outlasts_its_bound_breaks_a_law() {
    breaks("promises-too-short-a-game");
}

#[test]
#[should_panic(expected = "no player moves after the end")]
fn a_game_that_goes_on_after_its_end_breaks_a_law() {
    breaks("goes-on-after-the-end");
}

#[test]
#[should_panic(expected = ": perft 1")]
fn a_game_that_counts_differently_when_it_counts_fast_breaks_a_law() {
    breaks("counts-too-much");
}

#[test]
#[should_panic(expected = "playouts by steps")]
fn a_game_that_plays_differently_when_it_plays_fast_breaks_a_law() {
    breaks("hurries-its-random-games");
}

#[test]
#[should_panic(expected = "`players`, which seats players, is an option")]
fn a_game_that_seats_players_by_an_option_it_lacks_breaks_a_law() {
    breaks("seats-players-by-no-option");
}

#[test]
#[should_panic(expected = "an estimate is a number from -1 to 1, not 7")]
fn a_game_that_estimates_more_than_a_win_breaks_a_law() {
    breaks("boasts-of-more-than-a-win");
}
