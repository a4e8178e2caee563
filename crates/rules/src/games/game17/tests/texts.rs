//! Positions and turns as text.

use super::*;

#[test]
fn every_position_reads_back_even_inside_a_turn() {
    for size in 1..=5 {
        let game = Game17::new(size, 12, &[]);
        let mut pending = 0;
        for seed in 0..20 {
            let mut random = Random::stream(seed, u64::from(size));
            let mut position = game.start(&mut random);
            loop {
                let text = game.write_position(&position);
                let read = game.read_position(&text).unwrap();
                assert_eq!(read, position, "{text}");
                assert_eq!(game.key(&read), game.key(&position));
                match game.turn(&position) {
                    Turn::Over => break,
                    Turn::Chance { .. } => {
                        pending += 1;
                        game.settle(&mut position, random.below(2) as u16);
                    }
                    Turn::Player(_) => {
                        let mut actions = Vec::new();
                        game.actions(&position, &mut actions);
                        let action = actions[random.below(actions.len() as u32) as usize];
                        game.play(&mut position, action);
                    }
                }
            }
        }
        assert!(size == 1 || pending > 0, "no toss came up on size {size}");
    }
}

#[test]
fn the_text_of_a_position_is_as_documented() {
    let game = Game17::new(2, 50, &[]);
    let texts = [
        "0:4,3:4/1:4,2:4 0,3,2,1 0 0",
        "0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4",
        "0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 0,0:e4 .",
        "0:8,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 0,0:e4 . 1",
        "0:0,0:8/1:0,0:8 0,3,2,1 12 over",
        "0:4,3:4/1:4,2:4 0,3,2,1 50 over",
    ];
    for text in texts {
        assert_eq!(game.read_position(text).unwrap().to_string(), text);
    }
    let mut position = game.read_position(texts[3]).unwrap();
    // The toss for 0,1 is won, the one for 1,0 still open.
    assert_eq!(position.tossed_for(), Some(2));
    game.settle(&mut position, 0);
    // Owner 3 has lost the only square, so owner 2 is next.
    assert_eq!(position.to_string(), "0:0,0:8/1:8,2:4 0,3,2,1 0 2");
}

#[test]
fn impossible_positions_are_refused_in_words() {
    let game = Game17::new(2, 50, &[]);
    let cases = [
        ("", "the position has no squares"),
        ("0:4,3:4/1:4,2:4", "the position has no turn order"),
        ("0:4,3:4/1:4,2:4 0,1,2,3 0", "the position has no place in the turn order"),
        ("0:4,3:4 0,3,2,1 0 0", "the position has 1 rows, but the board has 2"),
        ("0:4/1:4/2:4 0,3,2,1 0 0", "the position has more rows, but the board has 2"),
        (
            "0:4,3:4/1:4,2:4,3:4 0,3,2,1 0 0",
            "row 1 of the position has more squares, but the board has 2 columns",
        ),
        ("0:4,34/1:4,2:4 0,3,2,1 0 0", "cannot read the square `34` in row 0"),
        ("0:4,3:+4/1:4,2:4 0,3,2,1 0 0", "`+4` is no number of pieces"),
        ("0:4,:4/1:4,2:4 0,3,2,1 0 0", "`` is no owner"),
        ("0:4,3:70000/1:4,2:4 0,3,2,1 0 0", "`70000` is no number of pieces"),
        ("0:4,4:4/1:4,2:4 0,3,2,1 0 0", "the owner `4` of square `0,1` is not below 4"),
        (
            "0:30000,3:30000/1:4,2:4 0,3,2,1 0 0",
            "there are 60008 pieces, more than the 60000 a board may hold",
        ),
        ("0:0,3:0/1:0,2:0 0,3,2,1 0 0", "there is no piece on the board"),
        ("0:4,3:4/1:4,2:4 0,3,2 0 0", "a 2×2 board has 4 turns, not 3"),
        ("0:4,3:4/1:4,2:4 0,3,2,3 0 0", "owner `3` is twice in the turn order"),
        ("0:4,3:4/1:4,2:4 0,3,2,9 0 0", "the owner `9` in the turn order is not below 4"),
        ("0:4,3:4/1:4,2:4 0,3,2,x 0 0", "`x` is no owner in the turn order"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 51 over", "round `51` is beyond the 50 rounds of this game"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 50 0", "the game is over after 50 rounds"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 4", "the place `4` in the turn order is not below 4"),
        ("0:4,0:4/1:4,2:4 0,3,2,1 0 1", "owner 3 at place `1` of the turn order has no square"),
        (
            "0:4,3:4/1:4,2:4 0,3,2,1 7 over",
            "two owners have pieces in round `7` of 50: it is not over",
        ),
        (
            "0:4,3:4/1:4,2:4 0,3,2,1 50 over 0,0:n1",
            "a game that is over has no orders, but `0,0:n1` follows",
        ),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,1:n1", "order `0,1:n1` is for a square of owner 3"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0", "cannot read the order `0,0`"),
        (
            "0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:n1 .",
            "no square is tied, so the turn cannot wait for a toss",
        ),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:n4 . 1", "all tosses are settled, so the turn is over"),
        ("0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:n4 . x", "a toss is `0` or `1`, not `x`"),
    ];
    for (text, message) in cases {
        let error = game.read_position(text).unwrap_err();
        assert_eq!((error.kind, error.message.as_str()), (ErrorKind::Position, message), "{text}");
    }
    let error = game.read_position("0:4,0:4/1:4,2:4 0,3,2,1 0 1").unwrap_err();
    assert_eq!(error.hint.unwrap(), "the next owner with a square is at place 2");
}

#[test]
fn turns_are_read_as_people_type_them() {
    let (game, position) = draw('a', "a4 a4 c1 c1 c1 c1 c1 c1 c1");
    let canonical = game.read_turn(&position, "0,0:n2 0,1:e1").unwrap();
    for typed in [
        "  0,0:N2   0,1:E1 ",
        "0, 0 : n 2 0 ,1:e1",
        "0,0 north 2; 0,1 East 1",
        "0,1:e1, 0,0:n1, 0,0:n1",
        "00,00:n02 0,1:e1",
        "0,0:n2\t0,1:e1\n",
    ] {
        assert_eq!(game.read_turn(&position, typed), Ok(canonical.clone()), "{typed}");
    }
    for typed in ["-", " - ", "none"] {
        assert_eq!(game.read_turn(&position, typed), Ok(vec![Action::End]));
    }
    for typed in
        ["", ".", "0,0:n", "0,0:x1", "0,0", "0 0:n1", "- 0,0:n1", "0,0:n1 -", "0,0:ñ1", "é"]
    {
        let error = game.read_turn(&position, typed).unwrap_err();
        assert_eq!(error.kind, ErrorKind::Unreadable, "{typed}");
        assert!(error.hint.is_some());
    }
    // Inside a turn, the rest may be nothing.
    let mut begun = position.clone();
    game.play(&mut begun, canonical[0]);
    for typed in ["", ".", "-"] {
        assert_eq!(game.read_turn(&begun, typed), Ok(vec![Action::End]));
    }
    assert_eq!(game.read_turn(&begun, "0,1:e1"), Ok(canonical[1..].to_vec()));
    let late = Action::Order(Order { cell: 0, direction: Direction::North, count: 1 });
    assert_eq!(
        game.objection(&begun, late),
        "order `0,0:n1` comes too late: orders ascend by row, column and n s e w"
    );
}

#[test]
fn any_text_is_read_or_refused() {
    let game = Game17::new(14, 50, &[]);
    let start = game.start(&mut Random::seeded(1));
    let text = game.write_position(&start);
    let large = 1 << 20;
    for piece in
        ["/", ",", ":", "0:4,", "0,0:n1 ", "9", "-", ".", " ", "\u{1f9df}", "\u{0}", "0:4/"]
    {
        let garbage = piece.repeat(large / piece.len());
        assert!(game.read_position(&garbage).is_err());
        assert!(game.read_turn(&start, &garbage).is_err());
        // The turn may happen to be legal there, one piece of it.
        let _ = game.read_position(&format!("{text} {garbage}"));
        let _ = super::super::notation::size_of(&garbage);
    }
    let mut random = Random::seeded(2);
    let characters: Vec<char> = "0123456789,:/. nsewover-ü".chars().collect();
    for _ in 0..20_000 {
        let mut changed: Vec<char> = "0:4,3:4/1:4,2:4 0,3,2,1 0 0 0,0:s4 .".chars().collect();
        for _ in 0..=random.below(3) {
            let place = random.below(changed.len() as u32) as usize;
            changed[place] = characters[random.below(characters.len() as u32) as usize];
        }
        let changed: String = changed.into_iter().collect();
        let small = Game17::new(2, 50, &[]);
        if let Ok(position) = small.read_position(&changed) {
            let again = small.read_position(&position.to_string());
            assert_eq!(again, Ok(position), "{changed}");
        }
    }
}
