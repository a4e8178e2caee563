//! Drawn examples.

use super::*;
use crate::game::{Ending, Rules, Seat, Turn};
use crate::table::{Open, Table};

const GAME: WatchYourBack = WatchYourBack { move_limit: Some(512) };

/// A drawn board: `.` empty, `W`, `B`, `X` corner, `#` removed; spaces are for the eye.
fn draw(board: &str, phase: Phase, turn: u32) -> Position {
    let signs: Vec<char> = board
        .chars()
        .filter(|sign| !sign.is_whitespace())
        .map(|c| if c == '.' { '-' } else { c })
        .collect();
    GAME.position(&signs.try_into().expect("64 squares"), phase, turn).unwrap()
}

fn after(position: Position, turns: &[&str]) -> Position {
    use crate::registry::Family as _;
    let mut table = Open::new(Family::ENTRY, GAME, position);
    for turn in turns {
        table.play(turn).unwrap();
    }
    *table.typed().1
}

fn rows(position: &Position) -> String {
    let mut text = String::new();
    for square in 0..64 {
        if square % 8 == 0 {
            text.push('\n');
        }
        text.push(if position.square(square) == '-' { '.' } else { position.square(square) });
    }
    text
}

const EVEN: &str = "
    X . . . . . . X
    . . . . . . . .
    . B W . W . . .
    . . . . . . . .
    . . . B . . . .
    . . . . . . . .
    . . . . . . . B
    X W . . . . . X";

#[test]
fn a_piece_that_enters_kills_before_it_can_be_killed() {
    // Black enters between two white pieces, but the left one is flanked by Black now and dies.
    let position = after(draw(EVEN, Phase::Placing, 7), &["3,2"]);
    assert_eq!(position.square(2 + 16), '-', "{}", rows(&position));
    assert_eq!(position.square(3 + 16), 'B', "{}", rows(&position));
}

#[test]
fn a_piece_that_enters_a_trap_dies_and_still_counts() {
    let board = "
        X . . . . . . X
        . . . . . . . .
        . . W . W . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        X . . . . . . X";
    let position = after(draw(board, Phase::Placing, 5), &["3,2"]);
    assert_eq!(position.pieces(1), 0, "{}", rows(&position));
    assert_eq!(position.turn(), 6);
}

#[test]
fn a_corner_is_hostile_to_both_sides() {
    let flanked = "
        X B . . . . . X
        . . W . . . . .
        . . . . . . . .
        . . . . . . . .
        W . . . . . . .
        . B . . B . . .
        W . . . . . . .
        X . . . . . . X";
    let position = after(draw(flanked, Phase::Moving, 0), &["2,1-2,0"]);
    assert_eq!(position.square(1), '-', "{}", rows(&position));
}

#[test]
fn standing_pieces_are_never_killed_by_their_own_side() {
    // White has walked between two black pieces earlier; a white move elsewhere does not kill it.
    let board = "
        X . . . . . . X
        . . . . . . . .
        . B W B . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . W . .
        . . . . . . . .
        X . . . . . . X";
    let position = after(draw(board, Phase::Moving, 4), &["5,5-5,6"]);
    assert_eq!(position.square(2 + 16), 'W');
}

#[test]
fn a_jump_goes_over_either_colour_and_captures_nothing_by_itself() {
    let board = "
        X . . . . . . X
        . . . . . . . .
        . . . W B . . .
        . . . W . . . .
        . . . . . . . .
        . . . . . . . .
        . B . . . . . .
        X . . . . . . X";
    let position = after(draw(board, Phase::Moving, 0), &["3,2-5,2"]);
    assert_eq!(position.square(4 + 16), 'B', "{}", rows(&position));
    let position = after(draw(board, Phase::Moving, 0), &["3,2-3,4"]);
    assert_eq!(position.square(3 + 32), 'W', "{}", rows(&position));
}

#[test]
fn a_piece_on_the_rim_is_lost_when_the_board_shrinks() {
    let board = "
        X . . W . . . X
        . B . . . . . .
        . . . . . . . .
        . . . . W . . B
        . . . . . . B .
        . . . W . . B .
        . . . . . . . .
        X . . . . . . X";
    let shrunk = after(draw(board, Phase::Moving, 127), &["6,4-5,4"]);
    let expected = "
########
#X....X#
#......#
#...W..#
#....B.#
#..W..B#
#X....X#
########";
    assert_eq!(rows(&shrunk), expected);
    assert_eq!(shrunk.turn(), 128);
}

#[test]
fn a_win_on_the_turn_of_a_shrink_prevents_the_shrink() {
    let board = "
        X . . W . . . X
        . . . . . . . .
        . . . . . . . .
        . . B W . . . B
        . . . . B . . .
        . . . . . . . .
        . . . . . . . .
        X . . . . . . X";
    // Black kills the second last white piece on turn 128 and keeps its own on the rim.
    let over = after(draw(board, Phase::Moving, 127), &["4,4-4,3"]);
    assert_eq!(over.phase(), Phase::Completed);
    assert_eq!(over.square(7 + 24), 'B', "{}", rows(&over));
    assert_eq!(GAME.payoff(&over, Seat(1)), 1.0);
}

#[test]
fn the_corners_of_a_shrink_eliminate_one_after_the_other() {
    // The top-left corner kills the white piece at 2,3 (black behind it at 2,4). So when the
    // bottom-left corner looks up at 2,4, no white piece is behind the black one any more.
    let board = "
        # # # # # # # #
        # X . . . . X #
        # . . . . . . #
        # . W . . W . #
        # . B . . W . #
        # . . . . . . #
        # X . B . W X #
        # # # # # # # #";
    let position = draw(board, Phase::Moving, 191);
    let shrunk = after(position, &["3,6-3,5"]);
    let expected = "
########
########
##X..X##
##...W##
##B..W##
##XB.X##
########
########";
    assert_eq!(rows(&shrunk), expected);
}

#[test]
fn the_first_win_check_comes_after_the_last_placement() {
    let open = "
        X . . . . . . X
        . . . . . . . .
        . . W . . . . .
        . . W . . . . .
        . . . . . . . .
        . . . . . . . .
        . . . . . . . .
        X . . . . . . X";
    let before = draw(open, Phase::Placing, 23);
    assert_eq!(GAME.turn(&before), Turn::Player(Seat(1)));
    let over = after(before, &["5,5"]);
    assert_eq!((over.phase(), over.turn()), (Phase::Completed, 0));
    assert_eq!(GAME.payoff(&over, Seat(0)), 1.0);
}

/// After both shrinks: the lone white pair and black pair cannot move.
const STUCK: &str = "
    # # # # # # # #
    # # # # # # # #
    # # X W B X # #
    # # W B W B # #
    # # B W B W # #
    # # X B W X # #
    # # # # # # # #
    # # # # # # # #";

#[test]
fn a_deadlock_is_a_draw_where_a_limit_is_set_and_goes_on_where_none_is() {
    let text = STUCK.split_whitespace().collect::<String>().replace('.', "-");
    let squares: [char; 64] = text.chars().collect::<Vec<_>>().try_into().unwrap();
    let drawn = GAME.position(&squares, Phase::Completed, 200).unwrap();
    assert_eq!((GAME.turn(&drawn), GAME.ending(&drawn)), (Turn::Over, Ending::Deadlock));
    assert!(GAME.position(&squares, Phase::Moving, 200).is_err());

    let endless = WatchYourBack::new(None);
    let mut position = endless.position(&squares, Phase::Moving, 200).unwrap();
    for turn in 201..210 {
        let mut actions = Vec::new();
        endless.actions(&position, &mut actions);
        assert_eq!(actions, [Action::PASS]);
        endless.play(&mut position, Action::PASS);
        assert_eq!(position.turn(), turn);
    }
}

#[test]
fn the_move_limit_draws_the_game() {
    let board = "
        # # # # # # # #
        # # # # # # # #
        # # X W . X # #
        # # . . . W # #
        # # B . . . # #
        # # X . B X # #
        # # # # # # # #
        # # # # # # # #";
    let drawn = after(draw(board, Phase::Moving, 511), &["4,5-3,5"]);
    assert_eq!((drawn.phase(), GAME.ending(&drawn)), (Phase::Completed, Ending::MoveLimit));
    assert_eq!([0, 1].map(|seat| GAME.payoff(&drawn, Seat(seat))), [0.0, 0.0]);
}

#[test]
fn refusals_name_the_reason() {
    let refuse = |board: &str, phase, turn, text: &str| {
        use crate::registry::Family as _;
        let mut table = Open::new(Family::ENTRY, GAME, draw(board, phase, turn));
        table.play(text).unwrap_err().message
    };
    let placing = |text| refuse(EVEN, Phase::Placing, 8, text);
    assert_eq!(placing("0,0"), "illegal turn `0,0` for white: `0,0` is a corner");
    assert_eq!(placing("1,2"), "illegal turn `1,2` for white: `1,2` is occupied");
    assert_eq!(placing("3,6"), "illegal turn `3,6` for white: white places on rows 0 to 5");
    assert_eq!(placing("pass"), "illegal turn `pass` for white: pieces are still being placed");
    assert_eq!(placing("3,9"), "cannot read the move `3,9`: `3,9` is not a square");
    let moving = |text| refuse(EVEN, Phase::Moving, 0, text);
    assert_eq!(moving("pass"), "illegal turn `pass` for white: white has a move and must take it");
    assert_eq!(moving("2,2-4,2"), "illegal turn `2,2-4,2` for white: `4,2` is occupied");
    assert_eq!(
        moving("2,2-2,4"),
        "illegal turn `2,2-2,4` for white: there is no piece to jump over on `2,3`"
    );
    assert_eq!(
        moving("1,2-1,3"),
        "illegal turn `1,2-1,3` for white: no white piece stands on `1,2`"
    );
}
