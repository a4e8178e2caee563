//! Options, starts, and what is shown.

use super::*;

#[test]
fn an_action_is_small() {
    assert!(size_of::<Action>() <= 8);
}

// Opening a game

struct Opened;

impl Visitor for Opened {
    type Output = (Options, String);
    fn visit<G: crate::Game>(self, _: Entry, game: G, start: G::Position) -> Self::Output {
        (game.options(), game.write_position(&start))
    }
}

fn open(options: &Options, position: Option<&str>) -> Result<(Options, String)> {
    let mut random = Random::seeded(7);
    Family::open(Setup { options, position, random: &mut random }, Opened)
}

#[test]
fn a_start_deals_every_owner_one_square_with_four_pieces() {
    let (options, text) = open(&Options::none(), None).unwrap();
    assert_eq!(
        options,
        Options::none().with("size", 14).with("rounds", 50).with("players", json!([]))
    );
    let game = Game17::new(14, 50, &[]);
    let start = game.read_position(&text).unwrap();
    assert!(start.squares().iter().all(|squares| *squares == 1));
    assert!(start.numbers().iter().all(|number| *number == 4));
    assert_ne!(start.owners(), start.turn_order());
    // What a record keeps opens the same game again.
    assert_eq!(open(&options, Some(&text)), Ok((options, text)));
}

#[test]
fn the_size_comes_from_the_position_unless_it_is_said() {
    let text = "0:4,3:4/1:4,2:4 0,3,2,1 0 0";
    let (options, _) = open(&Options::none(), Some(text)).unwrap();
    assert_eq!(options.get("size"), Some(&Value::from(2)));
    assert!(open(&Options::none().with("size", 2), Some(text)).is_ok());
    let error = open(&Options::none().with("size", 3), Some(text)).unwrap_err();
    assert_eq!(error.message, "the position has 2 rows, but the board has 3");
    let error = open(&Options::none(), Some(&"/".repeat(1 << 20))).unwrap_err();
    assert_eq!(error.message, "the position has more than 20 rows");
    assert!(open(&Options::none().with("size", 21), None).is_err());
    assert!(open(&Options::none().with("rounds", 10_001), None).is_err());
}

#[test]
fn players_are_a_list_or_a_word() {
    let players = |value: Value| -> Result<Value> {
        let options = Options::none().with("size", 3).with("players", value);
        open(&options, None).map(|(options, _)| options.get("players").unwrap().clone())
    };
    assert_eq!(players(json!([5, 0])), Ok(json!([0, 5])));
    assert_eq!(players(json!("5, 0")), Ok(json!([0, 5])));
    assert_eq!(players(json!("8")), Ok(json!([8])));
    assert_eq!(players(json!(8)), Ok(json!([8])));
    assert_eq!(players(json!(" None ")), Ok(json!([])));
    assert_eq!(players(Value::Null), Ok(json!([])));
    assert_eq!(players(json!("all")), Ok(json!([0, 1, 2, 3, 4, 5, 6, 7, 8])));
    for wrong in [
        json!("9"),
        json!([9]),
        json!("1,1"),
        json!([1, 1]),
        json!("x"),
        json!([-1]),
        json!([0.5]),
        json!(true),
        json!("1,,2"),
    ] {
        let error = players(wrong).unwrap_err();
        assert_eq!(
            error.hint.unwrap(),
            "`players` is `none`, `all`, or different owners from 0 to 8, as in `0,5,17`"
        );
    }
}

// Screens

#[test]
fn a_view_names_owners_pieces_and_leaders() {
    let (_, position) = draw('a', "a4 b2 c0 c1 c1 c1 a0 b1 b0");
    let game = Game17::new(3, 50, &[1]);
    let view = game.view(&position);
    assert!(view.wraps);
    let token = view.squares[0].token.as_ref().unwrap();
    assert_eq!((token.text.as_str(), token.name.as_str()), ("0:4", "4 pieces of owner 0"));
    assert_eq!((token.seat, token.count), (Some(Seat(0)), Some(4)));
    assert_eq!((view.squares[2].owner, view.squares[2].token.is_none()), (Some(Seat(2)), true));
    assert_eq!(view.status, "owner 0 (a zombie) to move, with 2 squares and 4 pieces");
    let panels: Vec<String> =
        view.panels.iter().map(|panel| format!("{}: {}", panel.label, panel.value)).collect();
    assert_eq!(
        panels,
        [
            "round: 1 of 50",
            "owners left: 3",
            "leading: owner 2 with 4 squares",
            "owner 1: 3 squares, 3 pieces"
        ]
    );
}

#[test]
fn a_view_points_at_orders_and_tosses() {
    let (game, mut position) = draw('a', "a4 b2 c1 c1 c1 c1 c1 c1 c1");
    let order = Action::Order(Order { cell: 0, direction: Direction::East, count: 2 });
    assert_eq!(game.path(&position, order), [0, 1]);
    assert!(game.path(&position, Action::End).is_empty());
    game.play(&mut position, order);
    let marked = |position: &Position| -> Vec<usize> {
        let view = game.view(position);
        (0..9).filter(|cell| view.squares[*cell].mark == Some(Mark::Chosen)).collect()
    };
    assert_eq!(marked(&position), [0]);
    game.play(&mut position, Action::End);
    assert_eq!(marked(&position), [1]);
    assert_eq!(
        game.view(&position).status,
        "a coin decides between owner 1 and owner 0 for square 0,1"
    );
    game.settle(&mut position, 1);
    assert!(marked(&position).is_empty());
}

#[test]
fn the_status_of_a_finished_game_says_who_won() {
    let (game, position) = draw('a', "a4 b0 c0 c0 c0 c0 b0 b0 b0");
    let position = play(&game, &position, "-", &[]).unwrap();
    assert_eq!(
        game.view(&position).status,
        "one owner has all the pieces: owner 1 and owner 2 won with 4 squares each"
    );
    let start = Game17::new(14, 0, &[]).start(&mut Random::seeded(1));
    assert_eq!(
        Game17::new(14, 0, &[]).view(&start).status,
        "all rounds are played: 196 owners won with 1 square each"
    );
}
