//! The networks that ship: each can be read, says what its definition says, and plays.

use skirmish_rules::registry::Entry;
use skirmish_rules::{Options, Random, Result, Seat, Turn};
use skirmish_search::{Allowance, Stop};
use skirmish_zero::encoding::Encode;
use skirmish_zero::net::{Net, reference};
use skirmish_zero::nets::{SHIPPED, Shipped, ready, roster};
use skirmish_zero::open::{Learner, open};

fn options(net: &Shipped) -> Options {
    match net.game {
        "amazons" => Options::none().with("size", format!("{}x{}", net.board.1, net.board.0)),
        _ => Options::none(),
    }
}

/// Rows of positions from random games.
fn rows<G: Encode>(game: &G, start: &G::Position, count: u64) -> Vec<u8> {
    let mut rows = Vec::new();
    for number in 0..count {
        let mut random = Random::stream(21, number);
        let mut position = start.clone();
        for _ in 0..random.below(30) {
            let mut actions = Vec::new();
            let mut next = position.clone();
            game.random_turn(&mut next, G::CHOICES[0], &mut random, &mut actions, &mut Vec::new());
            if game.turn(&next) == Turn::Over {
                break;
            }
            position = next;
        }
        let mut row = vec![0; game.shape().row_bytes()];
        game.encode(&position, &mut row);
        rows.extend(row);
    }
    rows
}

#[test]
fn every_network_says_what_its_definition_says() {
    struct Compare(&'static Shipped);
    impl Learner for Compare {
        type Output = ();
        fn meet<G: Encode>(self, entry: Entry, game: G, start: G::Position) -> Result<()> {
            let net = Net::from_bytes(self.0.bytes)?;
            let shape = game.shape();
            let rows = rows(&game, &start, 4);
            let expected = reference::evaluate(&net, shape.height, shape.width, &rows)?;
            for batch in [1, 8] {
                let mut found = vec![0.0; expected.len()];
                ready(&net, entry.name, &shape, batch)?.evaluate(&rows, &mut found);
                for (found, expected) in found.iter().zip(&expected) {
                    let close = 1e-4 * expected.abs().max(1.0);
                    assert!(
                        (found - expected).abs() < close,
                        "{}: {found} {expected}",
                        self.0.name
                    );
                }
            }
            Ok(())
        }
    }
    for net in SHIPPED {
        open(net.game, &options(net), Compare(net)).unwrap();
    }
}

#[test]
fn every_network_beats_random_play() {
    struct Play(&'static Shipped);
    impl Learner for Play {
        type Output = f32;
        fn meet<G: Encode>(self, entry: Entry, game: G, start: G::Position) -> Result<f32> {
            let mut score = 0.0;
            for number in 0..2 {
                let mine = Seat(number);
                let network = format!("zero:visits=24,net={}", self.0.name).parse()?;
                let mut players = [
                    roster().agent(&network, entry.name, &game, 1)?,
                    roster().agent(&"random".parse()?, entry.name, &game, 1)?,
                ];
                let mut position = start.clone();
                while let Turn::Player(seat) = game.turn(&position) {
                    let player = &mut players[usize::from(seat != mine)];
                    let thought =
                        player.choose(&game, &position, &Allowance::default(), &Stop::new());
                    for action in thought.actions {
                        assert!(game.is_legal(&position, action));
                        game.play(&mut position, action);
                    }
                }
                score += game.payoff(&position, mine);
            }
            Ok(score)
        }
    }
    for net in SHIPPED {
        let score = open(net.game, &options(net), Play(net)).unwrap();
        assert_eq!(score, 2.0, "{} did not win both games", net.name);
    }
}

#[test]
fn a_network_for_another_game_is_refused_in_words() {
    struct Wrong;
    impl Learner for Wrong {
        type Output = ();
        fn meet<G: Encode>(self, entry: Entry, game: G, _: G::Position) -> Result<()> {
            for (line, message) in [
                ("zero:net=in-trap", "the network plays `in-trap`, not `amazons`"),
                ("zero:net=nowhere.safetensors", "there is no network `nowhere.safetensors`"),
                ("zero:visit=3", "`zero` has no setting `visit`"),
            ] {
                let refused =
                    roster().agent(&line.parse()?, entry.name, &game, 1).err().expect(line);
                assert_eq!(refused.message, message);
            }
            Ok(())
        }
    }
    open("amazons", &Options::none(), Wrong).unwrap();
}
