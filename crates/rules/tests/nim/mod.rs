//! Nim with a few heaps, called `heaps`: one more game than the product has, in a registry of the
//! tests.
//!
//! A few heaps; a turn takes one or more from a single heap; the player who takes the last one wins. A
//! turn is two actions, the heap and the number, so that everything about unfinished turns is put
//! to the test too. Heaps are called `a`, `b`, `c` …; a turn reads `b-3`, a position `3,4,5 first`,
//! inside a turn `3,4,5 first b-`.
//!
//! Beside it stand its flawed brothers, each with one mistake that a law has to notice.

use std::fmt::Write as _;

use serde_json::Value;
use skirmish_rules::error::quote;
use skirmish_rules::setup::bad_value;
use skirmish_rules::view::{Mark, Token};
use skirmish_rules::{
    Entry, Error, ErrorKind, Heuristics, Notation, OptionSpec, Options, Playout, Result, Rules,
    Seat, Setup, Show, Symmetry, Turn, Turns, View, Visitor,
};

const MOST_HEAPS: usize = 9;
const MOST_IN_A_HEAP: u16 = 99;
const NAMES: [&str; 2] = ["first", "second"];
const HEAPS_HINT: &str = "heaps are 1 to 9 numbers from 0 to 99, as in `3,4,5`";
const TURN_HINT: &str = "a turn reads like `b-3`: heap, number taken";

/// The game, ready to be opened.
pub(crate) struct Family;

impl skirmish_rules::Family for Family {
    const ENTRY: Entry = entry("heaps");

    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        open(Self::ENTRY, Flaw::None, &setup, visitor)
    }
}

/// What may be wrong with a game.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Flaw {
    None,
    ListsAHeapTwice,
    AcceptsAnEmptyHeap,
    MirrorsTheActionWrongly,
    ForgetsTheMoverInItsText,
    CallsAllHeapsAlike,
    PromisesTooShortAGame,
    GoesOnAfterTheEnd,
    CountsTooMuch,
    HurriesItsRandomGames,
    SeatsPlayersByNoOption,
    BoastsOfMoreThanAWin,
}

/// The flawed brothers, by name.
const FLAWED: [(&str, Flaw); 11] = [
    ("lists-a-heap-twice", Flaw::ListsAHeapTwice),
    ("accepts-an-empty-heap", Flaw::AcceptsAnEmptyHeap),
    ("mirrors-the-action-wrongly", Flaw::MirrorsTheActionWrongly),
    ("forgets-the-mover-in-its-text", Flaw::ForgetsTheMoverInItsText),
    ("calls-all-heaps-alike", Flaw::CallsAllHeapsAlike),
    ("promises-too-short-a-game", Flaw::PromisesTooShortAGame),
    ("goes-on-after-the-end", Flaw::GoesOnAfterTheEnd),
    ("counts-too-much", Flaw::CountsTooMuch),
    ("hurries-its-random-games", Flaw::HurriesItsRandomGames),
    ("seats-players-by-no-option", Flaw::SeatsPlayersByNoOption),
    ("boasts-of-more-than-a-win", Flaw::BoastsOfMoreThanAWin),
];

/// One of the flawed brothers, ready to be opened.
pub(crate) struct Flawed<const NUMBER: usize>;

impl<const NUMBER: usize> skirmish_rules::Family for Flawed<NUMBER> {
    const ENTRY: Entry = Entry {
        players_option: match FLAWED[NUMBER].1 {
            Flaw::SeatsPlayersByNoOption => Some("players"),
            _ => None,
        },
        ..entry(FLAWED[NUMBER].0)
    };

    fn open<V: Visitor>(setup: Setup<'_>, visitor: V) -> Result<V::Output> {
        open(Self::ENTRY, FLAWED[NUMBER].1, &setup, visitor)
    }
}

const fn entry(name: &'static str) -> Entry {
    Entry {
        name,
        title: "Nim",
        summary: "take from one heap at a time; who takes the last one wins",
        rules: || "# Nim\n\nTake one or more from a single heap. Who takes the last one wins.\n",
        options: &[OptionSpec {
            name: "heaps",
            value: "A,B,…",
            help: "how many are in each heap at the start",
            default: "3,4,5",
            is_file: false,
        }],
        ..Entry::DEFAULT
    }
}

fn open<V: Visitor>(entry: Entry, flaw: Flaw, setup: &Setup<'_>, visitor: V) -> Result<V::Output> {
    let heaps = match setup.options.get("heaps") {
        None => vec![3, 4, 5],
        Some(value) => value
            .as_str()
            .and_then(read_heaps)
            .ok_or_else(|| bad_value("heaps", value).hint(HEAPS_HINT))?,
    };
    let game = Nim { heaps, flaw };
    let start = match setup.position {
        Some(text) => game.read_position(text)?,
        None => Position { heaps: game.heaps.clone(), mover: 0, chosen: None },
    };
    Ok(visitor.visit(entry, game, start))
}

fn read_heaps(text: &str) -> Option<Vec<u16>> {
    let heap = |text: &str| text.trim().parse().ok().filter(|heap| *heap <= MOST_IN_A_HEAP);
    let heaps: Vec<u16> = text.split(',').take(MOST_HEAPS + 1).map(heap).collect::<Option<_>>()?;
    (heaps.len() <= MOST_HEAPS).then_some(heaps)
}

fn write_heaps(heaps: &[u16]) -> String {
    heaps.iter().map(u16::to_string).collect::<Vec<_>>().join(",")
}

fn heap_name(heap: usize) -> char {
    char::from(b'a' + heap as u8)
}

/// Nim with its heaps settled.
#[derive(Clone, Debug)]
pub(crate) struct Nim {
    heaps: Vec<u16>,
    flaw: Flaw,
}

#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Position {
    heaps: Vec<u16>,
    mover: u8,
    /// The heap the mover takes from, once it is chosen.
    chosen: Option<usize>,
}

impl Position {
    fn mirrored(&self) -> Position {
        let last = self.heaps.len() - 1;
        Position {
            heaps: self.heaps.iter().rev().copied().collect(),
            mover: self.mover,
            chosen: self.chosen.map(|heap| last - heap),
        }
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Action {
    Heap(usize),
    Take(u16),
}

impl Rules for Nim {
    type Position = Position;
    type Action = Action;

    fn seats(&self) -> u16 {
        2
    }

    fn turn(&self, position: &Position) -> Turn {
        match position.heaps.iter().all(|heap| *heap == 0) {
            true => Turn::Over,
            false => Turn::Player(Seat(u16::from(position.mover))),
        }
    }

    fn actions(&self, position: &Position, out: &mut Vec<Action>) {
        if let Some(heap) = position.chosen {
            out.extend((1..=position.heaps[heap]).map(Action::Take));
            return;
        }
        let heaps = position.heaps.iter().enumerate();
        out.extend(heaps.filter(|(_, heap)| **heap > 0).map(|(heap, _)| Action::Heap(heap)));
        match self.flaw {
            Flaw::ListsAHeapTwice => out.extend(out.first().copied()),
            Flaw::GoesOnAfterTheEnd if out.is_empty() => out.push(Action::Heap(0)),
            _ => {}
        }
    }

    fn play(&self, position: &mut Position, action: Action) {
        match (action, position.chosen) {
            (Action::Heap(heap), _) => position.chosen = Some(heap),
            (Action::Take(number), Some(heap)) => {
                position.heaps[heap] -= number;
                position.chosen = None;
                position.mover ^= 1;
            }
            (Action::Take(_), None) => panic!("a heap is chosen before anything is taken"),
        }
    }

    fn payoff(&self, position: &Position, seat: Seat) -> f32 {
        match self.turn(position) {
            Turn::Over if seat.0 == u16::from(position.mover) => -1.0,
            Turn::Over => 1.0,
            _ => 0.0,
        }
    }

    fn mid_turn(&self, position: &Position) -> bool {
        position.chosen.is_some()
    }

    fn is_legal(&self, position: &Position, action: Action) -> bool {
        let mut legal = Vec::new();
        self.actions(position, &mut legal);
        let empty_heap = position.chosen.is_none() && matches!(action, Action::Heap(_));
        legal.contains(&action) || (self.flaw == Flaw::AcceptsAnEmptyHeap && empty_heap)
    }

    fn bound(&self, position: &Position) -> Option<u64> {
        let left: u64 = position.heaps.iter().map(|heap| u64::from(*heap)).sum();
        Some(if self.flaw == Flaw::PromisesTooShortAGame { left / 4 } else { left })
    }

    fn options(&self) -> Options {
        Options::none().with("heaps", write_heaps(&self.heaps))
    }
}

impl Notation for Nim {
    fn write_position(&self, position: &Position) -> String {
        let mover = match self.flaw {
            Flaw::ForgetsTheMoverInItsText => 0,
            _ => usize::from(position.mover),
        };
        let mut text = format!("{} {}", write_heaps(&position.heaps), NAMES[mover]);
        if let Some(heap) = position.chosen {
            write!(text, " {}-", heap_name(heap)).expect("a string takes all text");
        }
        text
    }

    fn read_position(&self, text: &str) -> Result<Position> {
        let wrong = |message: String| {
            Error::new(ErrorKind::Position, message).hint("a position reads like `3,4,5 first`")
        };
        let mut words = text.split_whitespace();
        let heaps = words.next().unwrap_or_default();
        let heaps = read_heaps(heaps)
            .filter(|heaps| heaps.len() == self.heaps.len())
            .ok_or_else(|| wrong(format!("{} are not the heaps of this game", quote(heaps))))?;
        let mover = words.next().unwrap_or_default();
        let mover = NAMES
            .iter()
            .position(|name| *name == mover)
            .ok_or_else(|| wrong(format!("{} is not a player", quote(mover))))?;
        let mut position = Position { heaps, mover: mover as u8, chosen: None };
        if let Some(chosen) = words.next() {
            let chosen = chosen.trim_end_matches('-');
            let heaps = position.heaps.iter().enumerate();
            let mut standing = heaps.filter(|(_, heap)| **heap > 0).map(|(heap, _)| heap);
            position.chosen = standing.find(|heap| heap_name(*heap).to_string() == chosen);
            if position.chosen.is_none() {
                return Err(wrong(format!("{} is not a heap to take from", quote(chosen))));
            }
        }
        match words.next() {
            Some(extra) => Err(wrong(format!("{} is left over", quote(extra)))),
            None => Ok(position),
        }
    }

    fn write_action(&self, _: &Position, action: Action, out: &mut String) {
        let written = match action {
            Action::Heap(_) if self.flaw == Flaw::CallsAllHeapsAlike => write!(out, "a-"),
            Action::Heap(heap) => write!(out, "{}-", heap_name(heap)),
            Action::Take(number) => write!(out, "{number}"),
        };
        written.expect("a string takes all text");
    }

    fn read_turn(&self, position: &Position, text: &str) -> Result<Vec<Action>> {
        let unreadable = || {
            let message = format!("cannot read the turn {}", quote(text));
            Error::new(ErrorKind::Unreadable, message).hint(TURN_HINT)
        };
        let text = text.trim();
        let (heap, number) = match text.split_once('-') {
            Some((heap, number)) => (Some(heap.trim()), number.trim()),
            None => (None, text),
        };
        let mut actions = Vec::new();
        if let Some(heap) = heap {
            let mut heaps = 0..position.heaps.len();
            let named = |number: &usize| heap.eq_ignore_ascii_case(&heap_name(*number).to_string());
            let heap = heaps.find(named).ok_or_else(unreadable)?;
            if position.chosen != Some(heap) {
                actions.push(Action::Heap(heap));
            }
        }
        if !number.is_empty() {
            actions.push(Action::Take(number.parse().map_err(|_| unreadable())?));
        }
        // A number alone is the rest of a turn whose heap has been chosen.
        match (actions.first(), position.chosen) {
            (Some(Action::Take(_)), None) | (None, _) => Err(unreadable()),
            _ => Ok(actions),
        }
    }

    fn objection(&self, position: &Position, action: Action) -> String {
        match (action, position.chosen) {
            (Action::Heap(_), Some(_)) => "a heap has been chosen".to_owned(),
            (Action::Heap(heap), None) => format!("heap `{}` is empty", heap_name(heap)),
            (Action::Take(0), _) => "at least one has to be taken".to_owned(),
            (Action::Take(_), Some(heap)) => {
                format!("heap `{}` has only {}", heap_name(heap), position.heaps[heap])
            }
            (Action::Take(_), None) => "a heap has to be chosen first".to_owned(),
        }
    }

    fn seat_name(&self, seat: Seat) -> String {
        NAMES[seat.index()].to_owned()
    }
}

impl Show for Nim {
    fn view(&self, position: &Position) -> View {
        let mut view = View::board(1, position.heaps.len() as u16);
        view.column_labels =
            (0..position.heaps.len()).map(|heap| heap_name(heap).to_string()).collect();
        for (heap, number) in position.heaps.iter().enumerate() {
            let square = view.square(heap as u16);
            square.mark = (position.chosen == Some(heap)).then_some(Mark::Chosen);
            square.token = (*number > 0).then(|| Token {
                seat: None,
                text: number.to_string(),
                symbol: None,
                name: "heap".to_owned(),
                count: Some(u32::from(*number)),
            });
        }
        let mover = NAMES[usize::from(position.mover)];
        let other = NAMES[usize::from(position.mover ^ 1)];
        view.status = match self.turn(position) {
            Turn::Over => format!("{other} wins: nothing is left"),
            _ => format!("{mover} to take"),
        };
        view
    }

    fn path(&self, position: &Position, action: Action) -> Vec<u16> {
        match action {
            Action::Heap(heap) => vec![heap as u16],
            Action::Take(_) => position.chosen.map(|heap| heap as u16).into_iter().collect(),
        }
    }
}

impl Heuristics for Nim {
    /// The player to move wins unless the heaps, written in binary, cancel each other out.
    fn estimate(&self, position: &Position, seat: Seat) -> Option<f32> {
        let is_lost = position.heaps.iter().fold(0, |sum, heap| sum ^ heap) == 0;
        let value = match (position.chosen, is_lost) {
            (Some(_), _) => 0.0,
            (None, true) => -0.9,
            (None, false) => 0.9,
        };
        let value = if self.flaw == Flaw::BoastsOfMoreThanAWin { 7.0 } else { value };
        Some(if seat.0 == u16::from(position.mover) { value } else { -value })
    }
}

impl Symmetry for Nim {
    /// A row of heaps is the same game seen from the other end.
    fn symmetries(&self) -> usize {
        2
    }

    fn image(&self, which: usize, position: &Position) -> Position {
        if which == 0 { position.clone() } else { position.mirrored() }
    }

    fn image_of_action(&self, which: usize, action: Action) -> Action {
        match action {
            Action::Heap(heap) if which == 1 && self.flaw != Flaw::MirrorsTheActionWrongly => {
                Action::Heap(self.heaps.len() - 1 - heap)
            }
            action => action,
        }
    }
}

impl Turns for Nim {
    fn perft(&self, position: &Position, depth: u32) -> u64 {
        let flawed = u64::from(self.flaw == Flaw::CountsTooMuch);
        skirmish_rules::perft::perft_by_steps(self, position, depth) + flawed
    }
}

impl Playout for Nim {
    fn playout(
        &self,
        position: &mut Position,
        choice: skirmish_rules::Choice,
        most: u64,
        random: &mut skirmish_rules::Random,
    ) -> u64 {
        let most = if self.flaw == Flaw::HurriesItsRandomGames { most.min(1) } else { most };
        skirmish_rules::playout::playout_by_turns(self, position, choice, most, random)
    }
}

/// The heaps of a position's text, for tests that look into it.
pub(crate) fn heaps(position: &str) -> Vec<u16> {
    position.split(' ').next().and_then(read_heaps).expect("a position begins with its heaps")
}

/// An option value that is a list of heaps.
pub(crate) fn option(heaps: &[u16]) -> Value {
    Value::from(write_heaps(heaps))
}
