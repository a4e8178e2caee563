//! Every text reader of the rules, fed with everything people and broken programs may send.
//!
//! The law: no panic, no endless loop, no memory without bound. A text is refused with words that
//! help, or it is read; a position that is read writes a text that reads back to the equal
//! position, and the game is playable from it. All draws come from printed seeds.

use std::ops::Range;

use proptest::prelude::*;
use proptest::test_runner::{Config, RngAlgorithm, TestRng, TestRunner};
use serde_json::{Value, json};
use skirmish_rules::draw::{Look, draw};
use skirmish_rules::games::in_trap::Pieces;
use skirmish_rules::perft::perft_by_steps;
use skirmish_rules::playout::{playout_by_turns, settle_all};
use skirmish_rules::table::Open;
use skirmish_rules::{
    Entry, Error, Game, Games, Options, Random, Registry, Result, Seat, Setup, Table, Turn,
    Visitor, open,
};

/// Games to start from: every one registered, and more of those whose options matter to readers.
fn openings() -> Vec<(&'static str, Options)> {
    let with = |name: &str, value: Value| Options::none().with(name, value);
    let mut openings: Vec<(&str, Options)> =
        Games::ENTRIES.iter().map(|entry| (entry.name, Options::none())).collect();
    openings.extend([
        ("amazons", with("size", json!("4x5"))),
        ("amazons", with("size", json!("26x26"))),
        ("game17", with("size", json!(1))),
        ("game17", with("size", json!(2)).with("rounds", 3)),
        ("game17", with("size", json!(4)).with("players", "all")),
        ("in-trap", with("size", json!(4)).with("move_limit", "none")),
        ("in-trap", with("size", json!(9))),
        ("watch-your-back", with("move_limit", json!("none"))),
        ("watch-your-back", with("move_limit", json!(30))),
    ]);
    openings
}

/// Opens a game, from a position's text if one is given, and does something with it.
fn visit<V: Visitor>(
    name: &str,
    options: &Options,
    position: Option<&str>,
    visitor: V,
) -> Result<V::Output> {
    Games::open(name, Setup { options, position, random: &mut Random::seeded(1) }, visitor)
}

/// Texts of positions and turns from random games, unfinished turns and the end included.
struct Samples {
    seed: u64,
}

impl Visitor for Samples {
    type Output = (Vec<String>, Vec<String>);

    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) -> Self::Output {
        let mut random = Random::seeded(self.seed);
        let (mut positions, mut turns) = (vec![game.write_position(&start)], Vec::new());
        for _ in 0..4 {
            let mut position = start.clone();
            let length = game.bound(&start).unwrap_or(300).clamp(1, 300) as u32;
            let most = u64::from(random.below(length));
            game.playout(&mut position, G::CHOICES[0], most, &mut random);
            positions.push(game.write_position(&position));
            let mut table = Open::new(entry, game.clone(), position.clone());
            for choice in G::CHOICES.iter().take(2) {
                if let Ok(played) = table.play_randomly(*choice, &mut random) {
                    turns.push(played.text);
                }
            }
            while let Turn::Player(_) = game.turn(&position) {
                let mut actions = Vec::new();
                game.actions(&position, &mut actions);
                game.play(&mut position, actions[random.below(actions.len() as u32) as usize]);
                positions.push(game.write_position(&position));
                if !game.mid_turn(&position) {
                    break;
                }
            }
        }
        (positions, turns)
    }
}

const SEASONING: [&str; 46] = [
    " ",
    "  ",
    "\t",
    "\n",
    "\r\n",
    "\0",
    "0",
    "1",
    "2",
    "9",
    "10",
    "00",
    "-1",
    "-",
    "--",
    "+1",
    "65535",
    "65536",
    "4294967295",
    "4294967296",
    "18446744073709551616",
    "999999999999999999999999",
    "1000000000",
    "1e9",
    "0x10",
    "/",
    "//",
    ",",
    ",,",
    ":",
    ".",
    ";",
    "*",
    "#",
    "Q",
    "q",
    "W",
    "X",
    "SP1",
    "é",
    "🦀",
    "\u{301}",
    "\u{202e}",
    "Ⅳ",
    "over",
    "completed",
];

/// Text with a few small accidents.
fn spoil(text: &str, random: &mut Random) -> String {
    let mut signs: Vec<char> = text.chars().collect();
    for _ in 0..=random.below(3) {
        let place =
            |signs: &[char], random: &mut Random| random.below(signs.len() as u32 + 1) as usize;
        let (a, b) = (place(&signs, random), place(&signs, random));
        let part: Range<usize> = a.min(b)..a.max(b).min(a.min(b) + 12);
        match random.below(9) {
            0 => drop(signs.drain(part)),
            1 => {
                let copy: Vec<char> = signs[part].to_vec();
                signs.splice(b..b, copy);
            }
            2 if !signs.is_empty() => {
                let (last, len) = (signs.len() - 1, signs.len());
                signs.swap(a.min(last), b % len);
            }
            3 => signs.truncate(a),
            4 => drop(signs.drain(..a)),
            5 => {
                // A number becomes another number.
                if let Some(at) = (a..signs.len()).find(|at| signs[*at].is_ascii_digit()) {
                    let number = [0, 1, 7, 8, 23, 24, 127, 128, 129, 192, 200, 511, 512, 60_000]
                        [random.below(14) as usize];
                    signs.splice(at..=at, number.to_string().chars());
                }
            }
            6 => {
                let words: Vec<char> = signs.iter().map(char::to_ascii_uppercase).collect();
                signs = words;
            }
            _ => {
                let extra = SEASONING[random.below(SEASONING.len() as u32) as usize];
                signs.splice(a..a, extra.chars());
            }
        }
    }
    signs.into_iter().collect()
}

/// Random text of the signs readers know, and some they do not.
fn gibberish(random: &mut Random) -> String {
    (0..random.below(40))
        .map(|_| SEASONING[random.below(SEASONING.len() as u32) as usize])
        .collect()
}

/// What a refusal owes the reader: a line that is not empty, not endless, and no sentence.
fn reads_well(error: &Error) {
    for text in [Some(&error.message), error.hint.as_ref()].into_iter().flatten() {
        assert!(!text.trim().is_empty(), "{error:?}");
        assert!(text.chars().count() < 1_000, "{} signs: {error:?}", text.chars().count());
        assert!(!text.contains(['\n', '\r', '\0']), "{error:?}");
        assert!(!text.ends_with('.'), "{error:?}");
        assert!(!text.starts_with(|c: char| c.is_ascii_uppercase()), "{error:?}");
    }
}

/// A position that was read is as good as any.
struct IsPlayable<'a> {
    random: &'a mut Random,
    place: &'a str,
}

impl Visitor for IsPlayable<'_> {
    type Output = ();

    fn visit<G: Game>(self, entry: Entry, game: G, start: G::Position) {
        let IsPlayable { random, place } = self;
        // 1. Its text is its own.
        let text = game.write_position(&start);
        let read = game
            .read_position(&text)
            .unwrap_or_else(|error| panic!("{place}: its own text `{text}` is refused: {error}"));
        assert_eq!(read, start, "{place}: {text}");
        assert_eq!(game.key(&read), game.key(&start), "{place}: {text}");

        // 2. It can be looked at.
        let look = |position: &G::Position| {
            let view = game.view(position);
            assert!(!draw(&view, Look { colour: true, ..Look::default() }).is_empty());
            for seat in 0..game.seats().min(3) {
                assert!((-1.0..=1.0).contains(&game.payoff(position, Seat(seat))));
            }
            let _ = (game.ending(position), game.bound(position));
        };
        look(&start);
        let table = Open::new(entry, game.clone(), start.clone());
        let steps = table.steps();
        let is_players = matches!(table.turn(), Turn::Player(_));
        assert_eq!(steps.is_empty(), !is_players, "{place}: {text}");

        // 3. It can be played from, the fast way and the plain way alike.
        let mut position = start;
        settle_all(&game, &mut position, random, &mut Vec::new());
        for &choice in G::CHOICES.iter().take(2) {
            let seed = random.word();
            let (mut fast, mut plain) = (position.clone(), position.clone());
            let turns = game.playout(&mut fast, choice, 20, &mut Random::seeded(seed));
            let same = playout_by_turns(&game, &mut plain, choice, 20, &mut Random::seeded(seed));
            assert_eq!((turns, &fast), (same, &plain), "{place}: {text}: playouts by {choice}");
            let later = game.write_position(&fast);
            assert_eq!(game.read_position(&later).as_ref(), Ok(&fast), "{place}: {text}: {later}");
            look(&fast);
        }
        if G::LISTED && !game.mid_turn(&position) {
            let count = game.perft(&position, 1);
            assert_eq!(count, perft_by_steps(&game, &position, 1), "{place}: {text}: perft");
        }
    }
}

#[test]
fn positions_are_read_or_refused_and_what_is_read_is_playable() {
    let seeds = 0..6;
    println!("seeds {seeds:?}");
    let (mut read, mut refused) = (0, 0);
    for seed in seeds {
        for (name, options) in openings() {
            let mut random = Random::stream(seed, 1);
            let (positions, _) = visit(name, &options, None, Samples { seed }).unwrap();
            // Long texts take longer to read and to play from, and differ less.
            let rounds = if positions[0].len() > 500 { 40 } else { 400 };
            for round in 0..rounds {
                let sample = &positions[random.below(positions.len() as u32) as usize];
                let text = match round % 16 {
                    0 => gibberish(&mut random),
                    1 => sample.clone(),
                    _ => spoil(sample, &mut random),
                };
                let place = format!("{name} {options:?} seed {seed} round {round} `{text}`");
                let visitor = IsPlayable { random: &mut Random::seeded(round), place: &place };
                // Mostly with the board the game was opened for, sometimes with any.
                let none = Options::none();
                let options = if round % 5 == 0 { &none } else { &options };
                match visit(name, options, Some(&text), visitor) {
                    Ok(()) => read += 1,
                    Err(error) => {
                        refused += 1;
                        reads_well(&error);
                    }
                }
            }
        }
    }
    println!("{read} read, {refused} refused");
    assert!(read > 1_000 && refused > 1_000, "{read} read, {refused} refused");
}

/// Plays texts on a table; what is refused leaves the table as it was.
fn throw_at(table: &dyn Table, text: &str, place: &str) -> bool {
    let before = table.position();
    let mut stepped = table.fork();
    let mut played = table.fork();
    if let Err(error) = stepped.step(text) {
        reads_well(&error);
        assert_eq!(stepped.position(), before, "{place}");
    }
    match played.play(text) {
        Ok(spelling) => {
            let mut again = table.fork();
            assert_eq!(again.play(&spelling).as_ref(), Ok(&spelling), "{place}");
            assert_eq!(again.position(), played.position(), "{place}: `{spelling}`");
            true
        }
        Err(error) => {
            reads_well(&error);
            assert_eq!(played.position(), before, "{place}");
            false
        }
    }
}

fn table(name: &str, options: &Options, position: Option<&str>) -> Box<dyn Table> {
    open(name, Setup { options, position, random: &mut Random::seeded(1) }).unwrap()
}

#[test]
fn turns_are_played_or_refused() {
    let seeds = 0..3;
    println!("seeds {seeds:?}");
    let (mut played, mut refused) = (0, 0);
    for seed in seeds {
        for (name, options) in openings() {
            let mut random = Random::stream(seed, 2);
            let (positions, turns) = visit(name, &options, None, Samples { seed }).unwrap();
            for (number, position) in positions.iter().enumerate() {
                let table = table(name, &options, Some(position));
                let legal: Vec<String> = match table.turns().filter(|turns| turns.len() < 2_000) {
                    Some(turns) => turns,
                    None => table.steps().into_iter().map(|step| step.text).collect(),
                };
                for round in 0..80 {
                    let samples = if round % 2 == 0 { &legal } else { &turns };
                    let drawn = random.below(samples.len().max(1) as u32) as usize;
                    let sample = samples.get(drawn).map_or("", String::as_str);
                    let text = match round % 8 {
                        0 => gibberish(&mut random),
                        1 => sample.to_owned(),
                        _ => spoil(sample, &mut random),
                    };
                    let place = format!(
                        "{name} {options:?} seed {seed} position {number} round {round} `{text}`"
                    );
                    match throw_at(table.as_ref(), &text, &place) {
                        true => played += 1,
                        false => refused += 1,
                    }
                }
            }
        }
    }
    println!("{played} played, {refused} refused");
    assert!(played > 500 && refused > 1_000, "{played} played, {refused} refused");
}

/// What a megabyte may be made of.
const MORTAR: [&str; 40] = [
    "a", "0", "1", "8", "9", "10", "/", "//", ",", " ", "\t", ".", "-", ":", ";", "*", "#", "Q",
    "q", "W", "X", "[", "{", "\"", "\\", "é", "🦀", "\u{301}", "a1", "a1-", "1,", "0:4,", "0:4/",
    "0,0:n0 ", "0,0:n1 ", "SP1,", "....,", "8/", "10/", "26/",
];

/// A megabyte of one thing.
fn megabyte_of(brick: &str) -> String {
    brick.repeat((1 << 20) / brick.len())
}

#[test]
fn a_megabyte_of_anything_is_no_trouble_as_a_position() {
    for entry in Games::ENTRIES {
        let none = Options::none();
        let (positions, _) = visit(entry.name, &none, None, Samples { seed: 0 }).unwrap();
        let own = &positions[positions.len() - 1];
        for brick in MORTAR {
            let wall = megabyte_of(brick);
            for text in [
                wall.clone(),
                format!("{own}{wall}"),
                format!("{own} {wall}"),
                format!("{wall}{own}"),
                own.replacen(' ', &format!(" {wall}"), 1),
                own.replacen(' ', &wall, 1),
            ] {
                let place = format!("{} with a megabyte of `{brick}`", entry.name);
                let visitor = IsPlayable { random: &mut Random::seeded(0), place: &place };
                if let Err(error) = visit(entry.name, &none, Some(&text), visitor) {
                    reads_well(&error);
                }
            }
        }
    }
}

#[test]
fn a_megabyte_of_anything_is_no_trouble_as_a_turn() {
    for entry in Games::ENTRIES {
        let none = Options::none();
        let (positions, turns) = visit(entry.name, &none, None, Samples { seed: 0 }).unwrap();
        let inside_a_turn =
            positions.iter().map(|position| table(entry.name, &none, Some(position)));
        let tables: Vec<Box<dyn Table>> = inside_a_turn
            .filter(|table| table.mid_turn())
            .take(1)
            .chain([table(entry.name, &none, None)])
            .collect();
        for brick in MORTAR {
            let wall = megabyte_of(brick);
            let place = format!("{} with a megabyte of `{brick}`", entry.name);
            for table in &tables {
                for text in
                    [wall.clone(), format!("{}{wall}", turns[0]), format!("{wall} {}", turns[0])]
                {
                    throw_at(table.as_ref(), &text, &place);
                }
            }
        }
    }
}

#[test]
fn a_count_of_turns_at_its_end_goes_on_counting_sides() {
    let options = Options::none().with("move_limit", "none");
    let gone = "########";
    let rows = [gone, gone, "##XWWX##", "##4##", "##4##", "##XBBX##", gone, gone];
    let last = rows.join("/");
    let mut table = table("watch-your-back", &options, Some(&format!("{last} moving 1000000000")));
    let mut movers = Vec::new();
    for _ in 0..6 {
        movers.push(table.turn());
        table.play_randomly(table.choices()[0], &mut Random::seeded(0)).unwrap();
        let position = table.position();
        let again = self::table("watch-your-back", &options, Some(&position));
        assert_eq!(again.key(), table.key(), "{position}");
    }
    assert!(movers.windows(2).all(|pair| pair[0] != pair[1]), "{movers:?}");
}

#[test]
fn a_megabyte_of_orders_that_send_nothing_is_one_empty_turn() {
    let options = Options::none().with("size", 2);
    let mut table = table("game17", &options, Some("0:8,3:4/1:4,2:4 0,3,2,1 0 0"));
    assert_eq!(table.play(&megabyte_of("0,0:n0 ")).unwrap(), "-");
}

/// Any JSON, with the words our options know thrown in.
fn any_json() -> impl Strategy<Value = Value> {
    let word = prop::sample::select(vec![
        "none",
        "all",
        "8",
        "9x7",
        "9×7",
        "x",
        "0,1",
        "0,0",
        "26x26",
        "-1",
        "[]",
        "",
        " ",
        "10x",
        "é",
        "1e3",
        "4294967296",
    ]);
    let leaf = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::from),
        (-3i64..30).prop_map(Value::from),
        any::<u64>().prop_map(Value::from),
        any::<f64>().prop_map(Value::from),
        word.prop_map(Value::from),
        ".{0,12}".prop_map(Value::from),
    ];
    leaf.prop_recursive(4, 40, 6, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..6).prop_map(Value::from),
            prop::collection::btree_map("[a-z]{1,8}", inner, 0..4)
                .prop_map(|map| Value::Object(map.into_iter().collect())),
        ]
    })
}

/// Runs a law on drawn values, from a fixed seed.
fn for_any<S: Strategy>(cases: u32, strategy: &S, law: impl Fn(S::Value)) {
    let seed = [17; 32];
    println!("proptest seed: 32 times {}", seed[0]);
    let config = Config { cases, failure_persistence: None, ..Config::default() };
    let random = TestRng::from_seed(RngAlgorithm::ChaCha, &seed);
    let mut runner = TestRunner::new_with_rng(config, random);
    let checked = runner.run(strategy, |value| {
        law(value);
        Ok(())
    });
    checked.unwrap_or_else(|failure| panic!("{failure}"));
}

#[test]
fn any_text_is_read_or_refused_as_a_position_and_as_a_turn() {
    for entry in Games::ENTRIES {
        let start = table(entry.name, &Options::none(), None);
        for_any(2_000, &".{0,80}", |text| {
            throw_at(start.as_ref(), &text, entry.name);
            let visitor = IsPlayable { random: &mut Random::seeded(0), place: &text };
            if let Err(error) = visit(entry.name, &Options::none(), Some(&text), visitor) {
                reads_well(&error);
            }
        });
    }
}

#[test]
fn options_are_taken_or_refused_whatever_they_are() {
    for entry in Games::ENTRIES {
        for option in entry.options {
            for_any(600, &any_json(), |value| {
                let options = Options::none().with(option.name, value);
                let place = format!("{} {options:?}", entry.name);
                let visitor = IsPlayable { random: &mut Random::seeded(0), place: &place };
                if let Err(error) = visit(entry.name, &options, None, visitor) {
                    reads_well(&error);
                    assert!(error.message.contains(option.name), "{place}: {error}");
                    assert!(error.hint.is_some(), "{place}: {error}");
                }
            });
            for brick in MORTAR {
                let options = Options::none().with(option.name, megabyte_of(brick));
                if let Err(error) = visit(entry.name, &options, None, Samples { seed: 0 }) {
                    reads_well(&error);
                }
            }
        }
        for_any(300, &".{0,20}", |name| {
            let options = Options::none().with(&name, 1);
            if let Err(error) = visit(entry.name, &options, None, Samples { seed: 0 }) {
                reads_well(&error);
            }
        });
        let options = Options::none().with(&megabyte_of("é"), 1);
        reads_well(&visit(entry.name, &options, None, Samples { seed: 0 }).err().unwrap());
    }
    for brick in MORTAR {
        reads_well(&Games::entry(&megabyte_of(brick)).unwrap_err());
    }
}

/// Pieces that were read are written and read again, and played with.
fn pieces_are_good(file: &Value, place: &str) -> bool {
    match Pieces::read(file) {
        Err(error) => {
            reads_well(&error);
            assert!(error.hint.is_some(), "{place}: {error}");
            false
        }
        Ok(pieces) => {
            assert_eq!(Pieces::read(&pieces.to_json()), Ok(pieces), "{place}");
            for size in [4, 9] {
                let options = Options::none().with("pieces", file.clone()).with("size", size);
                let visitor = IsPlayable { random: &mut Random::seeded(0), place };
                visit("in-trap", &options, None, visitor).unwrap();
            }
            true
        }
    }
}

#[test]
fn a_pieces_file_is_used_or_refused_whatever_it_holds() {
    for_any(1_000, &any_json(), |file| {
        pieces_are_good(&file, &format!("{file}"));
        // The same where a piece, a field or a number belongs.
        for path in ["/0", "/3/name", "/3/display", "/3/cost", "/3/movement", "/3/movement/1/2"] {
            let mut spoilt = Pieces::standard().to_json();
            *spoilt.pointer_mut(path).unwrap() = file.clone();
            pieces_are_good(&spoilt, &format!("{path}: {file}"));
        }
    });
}

#[test]
fn a_pieces_file_with_slips_of_the_pen_is_used_or_refused() {
    let seeds = 0..4;
    println!("seeds {seeds:?}");
    let standard = Pieces::standard().to_json().to_string();
    let (mut used, mut refused) = (0, 0);
    for seed in seeds {
        let mut random = Random::stream(seed, 3);
        for round in 0..500 {
            let text = spoil(&standard, &mut random);
            let place = format!("seed {seed} round {round}: {text}");
            match pieces_are_good(&Value::from(text), &place) {
                true => used += 1,
                false => refused += 1,
            }
        }
    }
    println!("{used} used, {refused} refused");
    assert!(used > 50 && refused > 50, "{used} used, {refused} refused");
}

#[test]
fn a_megabyte_of_anything_is_no_trouble_as_a_pieces_file() {
    let standard = Pieces::standard().to_json().to_string();
    let nested = ["[", "{\"a\":", "[{\"movement\":[", "[[[[[[[[,"];
    for brick in MORTAR.into_iter().chain(nested) {
        let wall = megabyte_of(brick);
        for text in [wall.clone(), format!("{standard}{wall}"), format!("[{wall}]")] {
            pieces_are_good(&Value::from(text), brick);
        }
        let mut spoilt = Pieces::standard().to_json();
        for key in ["name", "display", "cost"] {
            spoilt[2][key] = Value::from(wall.clone());
            pieces_are_good(&spoilt, brick);
        }
    }
    let many = Value::from(vec![Pieces::standard().to_json()[0].clone(); 10_000]);
    assert!(!pieces_are_good(&many, "ten thousand pieces"));
}
