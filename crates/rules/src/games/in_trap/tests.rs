//! The rules by example: small boards, drawn, and what becomes of them.

use serde_json::{Value, json};

use super::pieces::{DIRECTION_NAMES, MOST_PIECES, Pieces};
use super::position::{Action, InTrap, Position};
use super::{Family, SMALL_ROOM};
use crate::cells::{Cells, Wide};
use crate::error::{Error, ErrorKind, Result};
use crate::game::{Ending, Game, Notation, Rules, Seat, Show, Symmetry, Turn};
use crate::games::texts_of_actions as legal;
use crate::perft::{Turns, perft_by_steps};
use crate::playout::{Choice, Playout, playout_by_turns};
use crate::random::Random;
use crate::registry::{Entry, Family as _, Visitor};
use crate::setup::{Options, Setup};

type Standard = InTrap<u64, SMALL_ROOM>;

fn standard() -> Standard {
    InTrap::new(6, Pieces::standard(), Some(200))
}

/// The standard pieces with other distances for one of them.
fn with_movement(sign: &str, movement: Value) -> Pieces {
    let mut file = Pieces::standard().to_json();
    let piece = file.as_array_mut().unwrap().iter_mut().find(|piece| piece["display"] == sign);
    piece.unwrap()["movement"] = movement;
    Pieces::read(&file).unwrap()
}

/// A drawn board, the player to move and both players' mana.
fn draw<C: Cells, const ROOM: usize>(
    game: &InTrap<C, ROOM>,
    board: &str,
    mover: u32,
    mana: [u32; 2],
) -> Position<C, ROOM> {
    let rows: Vec<String> = board
        .lines()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.split_whitespace().collect::<Vec<_>>().join(","))
        .collect();
    let text = format!("{} {mover} {},{} 10", rows.join("/"), mana[0], mana[1]);
    game.read_position(&text).unwrap()
}

/// Reads a turn, checks it as the table does, and plays it.
fn play<G: Game>(game: &G, position: &mut G::Position, text: &str) -> Result<()> {
    for action in game.read_turn(position, text)? {
        if !game.is_legal(position, action) {
            return Err(Error::new(ErrorKind::Illegal, game.objection(position, action)));
        }
        game.play(position, action);
    }
    Ok(())
}

/// Plays one turn on a drawn board of the standard game and compares it with another drawing.
#[track_caller]
fn expect(before: &str, mover: u32, turn: &str, after: &str, mana: [u32; 2]) {
    let game = standard();
    let mut position = draw(&game, before, mover, [10, 10]);
    play(&game, &mut position, turn).unwrap();
    let mut expected = draw(&game, after, 3 - mover, mana);
    expected.moves = 11;
    assert_eq!(game.write_position(&position), game.write_position(&expected));
    assert_eq!(position, expected);
}

#[test]
fn the_game_starts_with_two_spawners_and_no_way_to_pay_for_a_piece() {
    let game = standard();
    let start = game.start();
    assert_eq!(
        game.write_position(&start),
        "....,SP2,./....../....../....../....../.,SP1,.... 1 4,5 0"
    );
    let spawner_moves: Vec<String> =
        DIRECTION_NAMES.iter().map(|name| format!("move SP {name}")).collect();
    assert_eq!(legal(&game, &start), spawner_moves);
}

#[test]
fn a_leap_captures_what_it_passes_and_not_its_own_side() {
    let before = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .  JP1 FL2 DS1  .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let after = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .   .   .  DS1 JP1  .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    expect(before, 1, "move JP east", after, [12, 10]);
}

#[test]
fn a_leap_around_the_edge_captures_on_both_sides_of_it() {
    let before = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
        FL2 CC1  .   .  JP2  .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let after = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .   .   .  CC1  .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    expect(before, 1, "move CC west", after, [13, 10]);
}

#[test]
fn three_pieces_can_fall_to_one_leap() {
    let before = "
         .   .   .   .  SP2  .
         .  FL1  .   .   .   .
         .   .  JP1  .   .   .
         .   .   .  CH1  .   .
         .   .   .   .  LS2  .
         .  SP1  .   .   .   .
    ";
    let after = "
        LS2  .   .   .  SP2  .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    expect(before, 2, "move LS northwest", after, [10, 14]);
}

#[test]
fn two_ways_to_the_same_square_capture_different_pieces() {
    let before = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
        FL2 JP1  .  CH2  .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let west = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .   .   .  CH2 JP1  .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let east = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
        FL2  .   .   .  JP1  .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    expect(before, 1, "move JP west", west, [12, 10]);
    expect(before, 1, "move JP east", east, [12, 10]);
}

#[test]
fn a_captured_piece_comes_back_for_its_full_price() {
    let game = standard();
    let board = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .  JP1 FL2  .   .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let mut position = draw(&game, board, 1, [0, 5]);
    play(&game, &mut position, "move JP east").unwrap();
    assert_eq!(position.mana, [2, 5]);
    play(&game, &mut position, "spawn FL southwest").unwrap();
    assert_eq!(position.mana, [2, 1]);
    assert_eq!(
        game.write_position(&position),
        "....,SP2,./...,FL2,../....,JP1,./....../....../.,SP1,.... 1 2,1 12"
    );
}

#[test]
fn a_piece_is_spawned_around_the_edge_too() {
    let game = standard();
    let mut position = game.start();
    play(&game, &mut position, "move SP west").unwrap();
    play(&game, &mut position, "spawn RS north").unwrap();
    play(&game, &mut position, "spawn DS southwest").unwrap();
    assert_eq!(
        game.write_position(&position),
        "....,SP2,DS1/....../....../....../....../SP1,...,RS2,. 2 1,1 3"
    );
}

#[test]
fn landing_on_a_piece_is_never_allowed() {
    let game = standard();
    let board = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .  JP1  .   .  FL2  .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let position = draw(&game, board, 1, [4, 0]);
    let texts = legal(&game, &position);
    assert!(!texts.contains(&"move JP east".to_owned()));
    assert!(!texts.contains(&"move JP west".to_owned()));
    // Three squares south or north of the Jumper stands its own spawner.
    assert!(!texts.contains(&"move JP south".to_owned()));
    assert_eq!(texts.len(), 8, "{texts:?}");
}

#[test]
fn capturing_the_spawner_wins_and_the_move_is_completed() {
    let game = standard();
    let board = "
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  JP1 SP2 FL2  .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let mut position = draw(&game, board, 1, [4, 0]);
    play(&game, &mut position, "move JP east").unwrap();
    assert_eq!(game.turn(&position), Turn::Over);
    assert_eq!(game.ending(&position), Ending::Normal);
    assert_eq!([0, 1].map(|seat| game.payoff(&position, Seat(seat))), [1.0, -1.0]);
    assert!(legal(&game, &position).is_empty());
    let text = "....../....../....,JP1,./....../....../.,SP1,.... 2 7,0 11";
    assert_eq!(game.write_position(&position), text);
    assert_eq!(game.read_position(text), Ok(position));
}

#[test]
fn two_hundred_moves_are_a_draw_unless_the_last_one_wins() {
    let game = standard();
    let text = "....../....../.,JP1,SP2,.../....../....../.,SP1,.... 1 4,0 199";
    let start = game.read_position(text).unwrap();
    assert_eq!(game.bound(&start), Some(1));

    let mut won = start.clone();
    play(&game, &mut won, "move JP east").unwrap();
    assert_eq!((game.turn(&won), game.ending(&won)), (Turn::Over, Ending::Normal));
    assert_eq!(game.payoff(&won, Seat(0)), 1.0);

    let mut drawn = start;
    play(&game, &mut drawn, "move SP east").unwrap();
    assert_eq!((game.turn(&drawn), game.ending(&drawn)), (Turn::Over, Ending::MoveLimit));
    assert_eq!([0, 1].map(|seat| game.payoff(&drawn, Seat(seat))), [0.0, 0.0]);
    assert_eq!(game.bound(&drawn), Some(0));
    assert_eq!(game.view(&drawn).status, "a draw: no spawner has fallen in 200 moves");
}

#[test]
fn a_player_with_nothing_to_do_passes_and_earns_the_mana_of_the_turn() {
    let rooted = json!([[0, 0, 0], [0, 0, 0], [0, 0, 0]]);
    let file = json!([
        {"name": "Tree", "display": "T", "cost": 0, "movement": rooted},
        {"name": "Bird", "display": "B", "cost": 6, "movement": [[0, 2, 0], [0, 0, 0], [0, 0, 0]]},
    ]);
    let game = InTrap::<u64, SMALL_ROOM>::new(4, Pieces::read(&file).unwrap(), None);
    let mut position = game.start();
    assert_eq!(legal(&game, &position), ["pass"]);
    assert!(game.is_legal(&position, Action::PASS));
    assert_eq!(game.view(&position).status, "player 1 can neither spawn nor move and has to pass");
    assert!(game.path(&position, Action::PASS).is_empty());
    for _ in 0..3 {
        play(&game, &mut position, "pass").unwrap();
    }
    assert_eq!((position.mana, position.moves), ([6, 6], 3));
    // Around the edge, the other tree takes one of the eight squares.
    assert_eq!(legal(&game, &position).len(), 7);
    let error = play(&game, &mut position, "pass").unwrap_err();
    assert_eq!(error.message, "a player passes only when there is nothing else to do");
    play(&game, &mut position, "spawn B south").unwrap();
    assert_eq!(game.bound(&position), None);
}

#[test]
fn a_distance_that_goes_all_the_way_around_cannot_be_used() {
    let pieces = with_movement("JP", json!([[6, 12, 0], [1, 0, 600], [0, 0, 0]]));
    let game = Standard::new(6, pieces, Some(200));
    let board = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .  JP1  .   .   .   .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let mut position = draw(&game, board, 1, [0, 0]);
    let jumps: Vec<String> =
        legal(&game, &position).into_iter().filter(|text| text.contains("JP")).collect();
    assert_eq!(jumps, ["move JP west"]);
    let error = play(&game, &mut position, "move JP east").unwrap_err();
    assert_eq!(error.message, "`JP` cannot move east: its 600 squares end where they began");
}

#[test]
fn a_leap_longer_than_the_board_captures_the_whole_line_once_and_never_itself() {
    let pieces = with_movement("JP", json!([[0, 0, 0], [0, 0, 13], [0, 0, 0]]));
    let game = Standard::new(6, pieces, Some(200));
    let board = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .  JP1  .  DS2 FL1 CH2
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
    ";
    let mut position = draw(&game, board, 1, [0, 0]);
    play(&game, &mut position, "move JP east").unwrap();
    assert_eq!(
        game.write_position(&position),
        "....,SP2,./....../..,JP1,.,FL1,./....../....../.,SP1,.... 2 3,0 11"
    );
}

#[test]
fn without_a_limit_only_a_spawner_ends_the_game() {
    let game = Standard::new(6, Pieces::standard(), None);
    let text = "....,SP2,./....../....../....../....../.,SP1,.... 1 4,5 999999";
    let position = game.read_position(text).unwrap();
    assert_eq!(game.turn(&position), Turn::Player(Seat(0)));
    assert_eq!(game.bound(&position), None);
}

/// Something that holds for the game with all settings.
trait Law {
    fn holds<C: Cells, const ROOM: usize>(game: &InTrap<C, ROOM>);
}

/// Holds the law against every concrete type, with sizes and pieces of many kinds.
fn on_many_games<L: Law>() {
    let mut file = Pieces::standard().to_json();
    let mut random = Random::seeded(23);
    for number in 0..31 {
        let mut movement = [0, 1, 2].map(|_| [0, 1, 2].map(|_| random.below(9)));
        movement[1][1] = 0;
        file.as_array_mut().unwrap().push(json!({
            "name": format!("Piece {number}"),
            "display": format!("P{number}"),
            "cost": number % 7,
            "movement": movement,
        }));
    }
    let forty = Pieces::read(&file).unwrap();
    L::holds(&standard());
    L::holds(&InTrap::<u64, SMALL_ROOM>::new(4, Pieces::standard(), Some(60)));
    L::holds(&InTrap::<u64, SMALL_ROOM>::new(8, Pieces::standard(), Some(200)));
    L::holds(&InTrap::<Wide<7>, SMALL_ROOM>::new(9, Pieces::standard(), None));
    L::holds(&InTrap::<Wide<7>, SMALL_ROOM>::new(20, Pieces::standard(), Some(200)));
    L::holds(&InTrap::<u64, MOST_PIECES>::new(6, forty.clone(), Some(200)));
    L::holds(&InTrap::<Wide<7>, MOST_PIECES>::new(11, forty, Some(1000)));
}

/// Positions along a random game.
fn walk<C: Cells, const ROOM: usize>(
    game: &InTrap<C, ROOM>,
    seed: u64,
    mut each: impl FnMut(&Position<C, ROOM>),
) {
    let (mut position, mut random) = (game.start(), Random::seeded(seed));
    each(&position);
    while position.moves < 150 && game.playout(&mut position, Choice::Steps, 1, &mut random) == 1 {
        each(&position);
    }
}

#[test]
fn quick_random_games_are_the_same_as_slow_ones() {
    struct Same;
    impl Law for Same {
        fn holds<C: Cells, const ROOM: usize>(game: &InTrap<C, ROOM>) {
            for seed in 0..12 {
                for choice in [Choice::Steps, Choice::Turns] {
                    let (mut fast, mut slow) = (game.start(), game.start());
                    let mut random = [Random::seeded(seed), Random::seeded(seed)];
                    let turns = game.playout(&mut fast, choice, 400, &mut random[0]);
                    let expected = playout_by_turns(game, &mut slow, choice, 400, &mut random[1]);
                    assert_eq!((turns, &fast), (expected, &slow), "seed {seed}, {choice}");
                    assert_eq!(random[0], random[1]);
                }
            }
        }
    }
    on_many_games::<Same>();
}

#[test]
fn quick_counts_are_the_same_as_slow_ones() {
    struct Same;
    impl Law for Same {
        fn holds<C: Cells, const ROOM: usize>(game: &InTrap<C, ROOM>) {
            for depth in 0..=3 {
                let start = game.start();
                assert_eq!(game.perft(&start, depth), perft_by_steps(game, &start, depth));
            }
            let mut late = game.start();
            late.moves = game.move_limit.map_or(0, |limit| limit - 1);
            assert_eq!(game.perft(&late, 2), perft_by_steps(game, &late, 2));
        }
    }
    on_many_games::<Same>();
}

#[test]
fn what_is_listed_is_exactly_what_is_legal_and_each_once() {
    struct Exactly;
    impl Law for Exactly {
        fn holds<C: Cells, const ROOM: usize>(game: &InTrap<C, ROOM>) {
            walk(game, 5, |position| {
                let mut listed = Vec::new();
                game.actions(position, &mut listed);
                assert!(listed.is_sorted_by(|one, other| one < other));
                assert_eq!(listed.is_empty(), game.turn(position) == Turn::Over);
                let every = (0..MOST_PIECES + 2).flat_map(|piece| {
                    (0..DIRECTION_NAMES.len()).map(move |direction| Action::new(piece, direction))
                });
                for action in every.chain([Action::PASS]) {
                    assert_eq!(game.is_legal(position, action), listed.contains(&action));
                    if !listed.contains(&action) {
                        assert_ne!(game.objection(position, action), "nothing forbids it");
                    }
                }
            });
        }
    }
    on_many_games::<Exactly>();
}

#[test]
fn text_reads_back_to_the_equal_thing() {
    struct RoundTrip;
    impl Law for RoundTrip {
        fn holds<C: Cells, const ROOM: usize>(game: &InTrap<C, ROOM>) {
            walk(game, 7, |position| {
                let text = game.write_position(position);
                let read = game.read_position(&text).unwrap();
                assert_eq!(&read, position);
                assert_eq!(game.key(&read), game.key(position));
                let mut actions = Vec::new();
                game.actions(position, &mut actions);
                for action in actions {
                    let mut text = String::new();
                    game.write_action(position, action, &mut text);
                    assert_eq!(game.read_turn(position, &text), Ok(vec![action]));
                }
            });
        }
    }
    on_many_games::<RoundTrip>();
}

#[test]
fn the_game_looks_the_same_through_every_symmetry() {
    struct LooksTheSame;
    impl Law for LooksTheSame {
        fn holds<C: Cells, const ROOM: usize>(game: &InTrap<C, ROOM>) {
            let mut random = Random::seeded(9);
            walk(game, 9, |position| {
                assert_eq!(&game.image(0, position), position);
                let which = random.below(game.symmetries() as u32) as usize;
                let image = game.image(which, position);
                let (mut actions, mut listed) = (Vec::new(), Vec::new());
                game.actions(position, &mut actions);
                game.actions(&image, &mut listed);
                let mut images: Vec<Action> =
                    actions.iter().map(|&action| game.image_of_action(which, action)).collect();
                for (&action, &action_image) in actions.iter().zip(&images) {
                    let (mut played, mut image_played) = (position.clone(), image.clone());
                    game.play(&mut played, action);
                    game.play(&mut image_played, action_image);
                    assert_eq!(game.image(which, &played), image_played);
                }
                images.sort_unstable();
                assert_eq!(images, listed);
            });
        }
    }
    on_many_games::<LooksTheSame>();
}

#[test]
fn the_standard_game_has_seventy_two_symmetries() {
    let game = standard();
    assert_eq!(game.symmetries(), 72);
    // The mirror exchanges left and right, and so the two swingers.
    let position = draw(
        &game,
        "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
        LS1  .   .   .   .   .
         .   .  FL2  .   .   .
         .   .   .   .   .   .
         .  SP1  .   .   .   .
        ",
        1,
        [4, 5],
    );
    let images: Vec<String> = (0..72)
        .map(|which| game.write_position(&game.image(which, &position)))
        .filter(|text| text.contains("RS1,./"))
        .collect();
    assert!(
        images.iter().any(|text| {
            text == "SP2,...../....../....,RS1,./..,FL2,.../....../...,SP1,.. 1 4,5 10"
        }),
        "{images:?}"
    );
    let mut distinct: Vec<String> =
        (0..72).map(|which| game.write_position(&game.image(which, &position))).collect();
    distinct.sort_unstable();
    distinct.dedup();
    assert_eq!(distinct.len(), 72);
}

#[test]
fn symmetries_follow_from_the_pieces() {
    let ring = json!([[1, 1, 1], [1, 0, 1], [1, 1, 1]]);
    let piece = |sign: &str, cost: u32, movement: &Value| {
        let (name, display) = (sign, sign);
        json!({"name": name, "display": display, "cost": cost, "movement": movement})
    };
    let symmetries = |file: Value| {
        InTrap::<u64, SMALL_ROOM>::new(5, Pieces::read(&file).unwrap(), None).symmetries()
    };
    // Alone, the spawner looks the same from all sides.
    assert_eq!(symmetries(json!([piece("S", 0, &ring)])), 25 * 8);
    // A northward leaper leaves the mirror; with a southward twin, up and down are alike too,
    // unless the twin has another price. On this board leaps of 7 and 12 are alike.
    let north = json!([[0, 7, 0], [0, 0, 0], [0, 0, 0]]);
    let south = json!([[0, 0, 0], [0, 0, 0], [0, 12, 0]]);
    let spawner = piece("S", 0, &ring);
    assert_eq!(symmetries(json!([spawner, piece("N", 1, &north)])), 25 * 2);
    assert_eq!(symmetries(json!([spawner, piece("N", 1, &north), piece("Z", 1, &south)])), 25 * 4);
    assert_eq!(symmetries(json!([spawner, piece("N", 1, &north), piece("Z", 2, &south)])), 25 * 2);
}

#[test]
fn a_position_that_cannot_be_is_refused_with_the_place_and_a_hint() {
    let cases = [
        ("", "the position `` has 0 parts"),
        ("a b c d e f", "the position `a b c d e f` has more than four parts"),
        ("....../.. 1 4,5 0", "the board has 2 rows"),
        (
            "....,SP2/....../....../....../....../.,SP1,.... 1 4,5 0",
            "row 0: `....,SP2` has only 5 squares",
        ),
        (
            "....,SP2,./......./....../....../....../.,SP1,.... 1 4,5 0",
            "row 1: `.......` has too many squares",
        ),
        (
            "....,SP2,./..,,..../....../....../....../.,SP1,.... 1 4,5 0",
            "row 1: there is an empty entry in `..,,....`",
        ),
        (
            "....,SP2,./....../..,XX1,.../....../....../.,SP1,.... 1 4,5 0",
            "row 2: no piece has the sign `XX`",
        ),
        (
            "....,SP2,./....../..,FL3,.../....../....../.,SP1,.... 1 4,5 0",
            "row 2: `FL3` does not end in a player",
        ),
        (
            "....,SP2,./..,FL1,.../..,FL1,.../....../....../.,SP1,.... 1 4,5 0",
            "row 2: `FL1` is on the board twice",
        ),
        ("....../....../....../....../....../...... 1 4,5 0", "neither spawner is on the board"),
        ("....../....../....../....../....../.,SP1,.... 1 4,5 0", "`SP2` is missing"),
        ("....,SP2,./....../....../....../....../.,SP1,.... 3 4,5 0", "the player to move is `3`"),
        ("....,SP2,./....../....../....../....../.,SP1,.... 1 4 0", "the mana is `4`"),
        ("....,SP2,./....../....../....../....../.,SP1,.... 1 4,-5 0", "the mana is `4,-5`"),
        (
            "....,SP2,./....../....../....../....../.,SP1,.... 1 4,1000000001 0",
            "the mana is `4,1000000001`",
        ),
        (
            "....,SP2,./....../....../....../....../.,SP1,.... 1 4,5 201",
            "the number of moves played is `201`",
        ),
    ];
    for (text, expected) in cases {
        let error = standard().read_position(text).unwrap_err();
        assert_eq!(error.message, expected);
        assert_eq!(error.kind, ErrorKind::Position);
        assert!(error.hint.is_some(), "no hint: {error}");
    }
}

#[test]
fn no_text_makes_the_readers_panic() {
    let game = standard();
    let mut texts = vec![
        "....,SP2,./..,FL1,.../....../....../....../.,SP1,.... 1 4,5 0".to_owned(),
        "spawn FL north".to_owned(),
        "move sp south-east".to_owned(),
        "pass".to_owned(),
    ];
    let alphabet: Vec<char> = ".,/ 12SPFLé\u{0}\u{202e}9-nortwsudegmv".chars().collect();
    let mut random = Random::seeded(31);
    for round in 0..40_000 {
        let mut text: Vec<char> = texts[round % texts.len()].chars().collect();
        for _ in 0..=random.below(3) {
            let place = random.below(text.len() as u32 + 1) as usize;
            let letter = alphabet[random.below(alphabet.len() as u32) as usize];
            match random.below(3) {
                0 => text.insert(place, letter),
                1 if place < text.len() => text[place] = letter,
                _ if place < text.len() => drop(text.remove(place)),
                _ => text.extend_from_within(..),
            }
        }
        let text: String = text.into_iter().collect();
        if let Ok(position) = game.read_position(&text) {
            let written = game.write_position(&position);
            assert_eq!(game.read_position(&written), Ok(position));
        }
        let _ = game.read_turn(&game.start(), &text);
    }
    for letter in [".", ",", "/", " ", "SP1,", "9", "é", "1 "] {
        texts.push(letter.repeat(1 << 20));
    }
    for text in texts.iter().skip(4) {
        assert!(game.read_position(text).unwrap_err().message.len() < 400);
        let start = texts[0].replace("4,5", text);
        assert!(game.read_position(&start).unwrap_err().message.len() < 400);
        for turn in [text.clone(), format!("move {text} north"), format!("move SP {text}")] {
            assert!(game.read_turn(&game.start(), &turn).unwrap_err().message.len() < 400);
        }
    }
}

#[test]
fn turns_may_be_typed_as_people_type() {
    let game = standard();
    let position = game.start();
    for text in [
        "move SP northeast",
        "  MOVE  sp   NorthEast ",
        "move sp ne",
        "move sp north-east",
        "move SP north east",
    ] {
        assert_eq!(game.read_turn(&position, text), Ok(vec![Action::new(0, 2)]), "{text}");
    }
    assert_eq!(game.read_turn(&position, " Pass"), Ok(vec![Action::PASS]));
}

#[test]
fn a_turn_that_cannot_be_read_is_refused_with_what_would_be_right() {
    let cases = [
        ("", "cannot read the turn ``"),
        ("fly SP north", "cannot read the turn `fly SP north`"),
        ("move SP", "cannot read the turn `move SP`"),
        ("pass now", "cannot read the turn `pass now`"),
        ("move XX north", "cannot read the turn `move XX north`: no piece has the sign `XX`"),
        ("move SP nroth", "cannot read the turn `move SP nroth`: no direction is called `nroth`"),
    ];
    let game = standard();
    for (text, expected) in cases {
        let error = game.read_turn(&game.start(), text).unwrap_err();
        assert_eq!(error.message, expected);
        assert_eq!(error.kind, ErrorKind::Unreadable);
        assert!(error.hint.is_some(), "no hint: {error}");
    }
    let error = game.read_turn(&game.start(), "move SP nroth").unwrap_err();
    assert!(error.hint.unwrap().starts_with("did you mean `north`?"));
}

#[test]
fn an_illegal_turn_is_refused_with_the_reason() {
    let game = standard();
    let board = "
         .   .   .   .  SP2  .
         .   .   .   .   .   .
         .   .   .   .   .   .
         .  DS1  .   .   .   .
        FL1  .  CH2  .   .   .
         .  SP1  .   .   .   .
    ";
    let position = draw(&game, board, 1, [4, 5]);
    let cases = [
        (
            "spawn FL north",
            "illegal turn `spawn FL north` for player 1: `FL` is on the board, and only a piece \
             off it can be spawned",
        ),
        (
            "move JP north",
            "illegal turn `move JP north` for player 1: `JP` is off the board, and only a piece \
             on it can move",
        ),
        ("spawn JP north", "`JP` costs 5 mana and 4 are left"),
        ("move SP northeast", "`CH2` stands on row 4, column 2"),
        ("move SP northwest", "`FL1` stands on row 4, column 0"),
        ("move DS north", "`DS` cannot move north"),
        ("pass", "a player passes only when there is nothing else to do"),
    ];
    for (text, expected) in cases {
        let error = play(&game, &mut position.clone(), text).unwrap_err();
        assert_eq!(error.message, expected);
        assert_eq!(error.kind, ErrorKind::Illegal);
    }
}

#[test]
fn signs_that_differ_in_case_alone_have_to_be_typed_exactly() {
    let mut file = Pieces::standard().to_json();
    file[1]["display"] = json!("x");
    file[2]["display"] = json!("X");
    let game = Standard::new(6, Pieces::read(&file).unwrap(), None);
    let start = game.start();
    assert_eq!(game.read_turn(&start, "spawn x north"), Ok(vec![Action::new(1, 1)]));
    assert_eq!(game.read_turn(&start, "spawn X north"), Ok(vec![Action::new(2, 1)]));
    assert_eq!(game.read_turn(&start, "spawn ds north"), Ok(vec![Action::new(3, 1)]));
}

#[test]
fn a_screen_sees_the_pieces_the_mana_and_what_waits() {
    let game = standard();
    let mut position = game.start();
    play(&game, &mut position, "move SP north").unwrap();
    let view = game.view(&position);
    assert!(view.wraps);
    let token = view.squares[25].token.as_ref().unwrap();
    assert_eq!((token.text.as_str(), token.name.as_str()), ("SP1", "player 1's Spawner"));
    let panels: Vec<String> =
        view.panels.iter().map(|panel| format!("{}: {}", panel.label, panel.value)).collect();
    let waiting = |player: u8| {
        format!("player {player} off the board: FL 5, JP 5, DS 5, CH 5, CC 5, SW 5, LS 5, RS 5")
    };
    let (first, second) = (waiting(1), waiting(2));
    assert_eq!(
        panels,
        ["player 1 mana: 5", &first, "player 2 mana: 5", &second, "moves played: 1 of 200"]
    );
    assert_eq!(view.status, "player 2 to spawn or move a piece");
    // A spawn points at the spawner and the new piece's square, a move at the piece and its
    // landing.
    assert_eq!(game.path(&position, Action::new(1, 1)), [4, 34]);
    assert_eq!(game.path(&position, Action::new(0, 6)), [4, 10]);
    let won = game.read_position("....../....../....../....../....../.,SP1,.... 2 4,5 9").unwrap();
    assert_eq!(game.view(&won).status, "player 1 has captured player 2's spawner and won");
}

/// What a game says of itself once opened: its options, its start and how often it looks alike.
struct Describe;

impl Visitor for Describe {
    type Output = (Options, String, usize);
    fn visit<G: Game>(self, _: Entry, game: G, start: G::Position) -> Self::Output {
        (game.options(), game.write_position(&start), game.symmetries())
    }
}

fn describe(options: &Options, position: Option<&str>) -> Result<(Options, String, usize)> {
    Family::open(Setup { options, position, random: &mut Random::seeded(0) }, Describe)
}

#[test]
fn a_game_opens_again_from_its_own_options() {
    let custom = with_movement("JP", json!([[0, 9, 0], [0, 0, 0], [0, 0, 0]]));
    let twelve: Vec<Value> = (0..12)
        .map(|number| {
            let mut piece = Pieces::standard().to_json()[1].clone();
            piece["display"] = json!(format!("P{number}"));
            piece
        })
        .collect();
    for options in [
        Options::none(),
        Options::none().with("size", "4").with("move_limit", "none"),
        Options::none().with("size", 20).with("pieces", custom.to_json()),
        Options::none().with("pieces", custom.to_json().to_string()),
        Options::none().with("pieces", twelve.clone()),
        Options::none().with("size", 12).with("pieces", twelve),
    ] {
        let opened = describe(&options, None).unwrap();
        assert_eq!(describe(&opened.0, Some(&opened.1)), Ok(opened));
    }
    let (options, start, _) = describe(&Options::none().with("size", 4), None).unwrap();
    assert_eq!(start, "..,SP2,./..../..../.,SP1,.. 1 4,5 0");
    assert_eq!(options, Options::none().with("size", 4).with("move_limit", 200));
}

#[test]
fn wrong_options_are_refused() {
    let cases = [
        (Options::none().with("size", 3), "option `size` cannot be `3`"),
        (Options::none().with("size", 21), "option `size` cannot be `21`"),
        (Options::none().with("move_limit", 0), "option `move_limit` cannot be `0`"),
        (Options::none().with("pieces", "[]"), "option `pieces`: there are 0 pieces in the list"),
    ];
    for (options, expected) in cases {
        assert_eq!(describe(&options, None).unwrap_err().message, expected);
    }
    let error = describe(&Options::none(), Some("nonsense")).unwrap_err();
    assert_eq!(error.kind, ErrorKind::Position);
}
