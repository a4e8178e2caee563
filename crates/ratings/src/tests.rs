//! Published figures, examples by hand, laws over anything that could come in, and players of known
//! strength found again.

use skirmish_rules::Random;

use super::*;

fn close(found: f64, expected: f64, tolerance: f64) {
    assert!((found - expected).abs() <= tolerance, "found {found}, expected {expected}");
}

fn pairs(pairs: [u64; 5]) -> Tally {
    let mut tally = Tally::default();
    // 0, ½, 1, 1½ and 2 points; a point is counted here as a win and a loss.
    let games = [(0.0, 0.0), (0.0, 0.5), (1.0, 0.0), (1.0, 0.5), (1.0, 1.0)];
    for (count, (first, second)) in pairs.into_iter().zip(games) {
        (0..count).for_each(|_| tally.add_pair(first, second));
    }
    tally
}

fn singles(wins: u64, losses: u64, draws: u64) -> Tally {
    Tally { wins, draws, losses, ..Tally::default() }
}

/// A uniform number from 0 to 1.
fn uniform(random: &mut Random) -> f64 {
    (random.word() >> 11) as f64 / (1_u64 << 53) as f64
}

// ---- two players ----

#[test]
fn three_quarters_of_the_points_are_191_elo() {
    let tally = singles(60, 10, 30);
    assert_eq!(tally.score(), 0.75);
    close(tally.elo().value, 190.85, 0.01);
    // By hand: variance (60·0.0625 + 30·0.0625 + 10·0.5625)/99 = 0.11364, error 0.03371; 95 % of
    // Student's distribution with 99 degrees of freedom lie within 1.98422.
    close(tally.standard_error(), 0.033_710, 1e-6);
    close(tally.elo().low, elo_of(0.683_112), 0.1);
    close(tally.elo().high, elo_of(0.816_888), 0.1);
    close(score_of(elo_of(0.31)), 0.31, 1e-12);
}

/// The figures of fastchess's own tests (app/tests/elo_test.cpp), to 1 % as there: its intervals are
/// those of a normal distribution, a little narrower than Student's.
#[test]
fn elo_is_what_fastchess_finds() {
    let near = |found: f64, expected: f64| close(found, expected, 0.01 * expected.abs());
    let tally = singles(76, 89, 123);
    near(tally.normalised_elo().value, -20.76);
    near(tally.normalised_elo().error(), 40.13);
    near(tally.likelihood_of_superiority(), 0.1553);

    let tally = singles(136, 96, 111);
    near(tally.elo().value, 40.70);
    near(tally.elo().error(), 30.43);
    near(tally.normalised_elo().value, 49.77);
    near(tally.normalised_elo().error(), 36.77);
    near(tally.likelihood_of_superiority(), 0.9960);

    let tally = singles(34, 356, 0);
    near(tally.normalised_elo().value, -508.44);
    near(tally.normalised_elo().error(), 34.48);

    let tally = pairs([34, 54, 31 + 32, 64, 75]);
    near(tally.elo().value, 55.58);
    near(tally.elo().error(), 27.65);
    near(tally.normalised_elo().value, 57.94);
    near(tally.normalised_elo().error(), 28.28);

    let tally = pairs([332, 433, 457 + 41, 333, 334]);
    near(tally.elo().value, -8.64);
    near(tally.elo().error(), 10.33);
    near(tally.normalised_elo().error(), 10.96);
    near(tally.likelihood_of_superiority(), 0.0505);
}

#[test]
fn a_sweep_is_sure_of_as_much_as_wilsons_interval() {
    // 10 of 10: n/(n + z²) = 10/13.841.
    let elo = singles(10, 0, 0).elo();
    assert_eq!(elo.value, MOST_ELO);
    close(elo.low, elo_of(10.0 / 13.841_458_8), 1e-3);
    // Nothing played: anything goes, and no player is ahead.
    let nothing = Tally::default();
    assert_eq!(nothing.elo(), Estimate { value: 0.0, low: -MOST_ELO, high: MOST_ELO });
    close(nothing.likelihood_of_superiority(), 0.5, 1e-12);
}

#[test]
fn pairs_that_split_vary_less_than_single_games() {
    let paired = pairs([0, 0, 50, 0, 0]);
    assert!(paired.standard_error() < singles(50, 50, 0).standard_error());
    // A game without its partner: all are counted one by one.
    let mut odd = paired;
    odd.add(1.0);
    assert!(odd.standard_error() > singles(51, 50, 0).standard_error() * 0.999);
}

/// How often the truth lies in the interval, over many matches.
#[test]
fn elo_intervals_hold_the_truth_19_times_in_20() {
    let mut random = Random::seeded(5);
    // (Elo, part of the games drawn, pairs of games in a match)
    for (elo, drawn, count) in [(0.0, 0.3, 50), (120.0, 0.2, 20), (-300.0, 0.1, 100)] {
        let (mut held, matches) = (0, 2_000);
        for _ in 0..matches {
            let mut tally = Tally::default();
            for _ in 0..count {
                // The opening favours one side: the two games of a pair depend on each other.
                let bias = 0.2 * (uniform(&mut random) - 0.5);
                let mut play = |bias: f64| {
                    let win = score_of(elo) - drawn / 2.0 + bias;
                    let drawn = drawn.min(2.0 * score_of(elo));
                    match uniform(&mut random) {
                        chance if chance < win => 1.0,
                        chance if chance < win + drawn => 0.5,
                        _ => 0.0,
                    }
                };
                let (first, second) = (play(bias), play(-bias));
                tally.add_pair(first, second);
            }
            let found = tally.elo();
            held += i32::from(found.low <= elo && elo <= found.high);
        }
        let rate = f64::from(held) / f64::from(matches);
        assert!((0.925..0.975).contains(&rate), "{elo} Elo: {rate}");
    }
}

// ---- the test of two claims ----

/// The figures of fastchess's own tests (app/tests/sprt_test.cpp), which hold to 1 % there.
#[test]
fn the_ratio_is_what_fastchess_finds() {
    let ratio = |tally: Tally, elo0: f64, elo1: f64, scale: Scale| {
        let sprt = Sprt { elo0, elo1, scale, ..Sprt::default() };
        sprt.judge(&tally).log_likelihood_ratio
    };
    use Scale::{Logistic, Normalised};
    close(ratio(singles(36_433, 36_027, 68_692), 0.0, 2.0, Normalised), 0.92, 0.01);
    close(ratio(singles(10_871, 10_650, 20_431), -1.75, 0.25, Normalised), 2.30, 0.02);
    close(ratio(singles(21_404, 21_184, 40_708), 0.5, 2.5, Logistic), -1.57, 0.02);
    close(ratio(singles(57_433, 57_030, 106_593), 0.0, 2.0, Logistic), -2.59, 0.02);
    close(ratio(pairs([365, 16_618, 36_229, 16_974, 390]), 0.0, 2.0, Normalised), 2.25, 0.02);
    close(ratio(pairs([127, 4_883, 10_712, 5_150, 104]), -1.75, 0.25, Normalised), 3.01, 0.02);
    close(ratio(pairs([223, 9_863, 21_279, 10_037, 246]), 0.5, 2.5, Logistic), -3.07, 0.02);
    close(ratio(pairs([871, 26_175, 55_983, 26_678, 821]), 0.0, 2.0, Logistic), -4.98, 0.03);
    // Where fastchess stops its iteration early (nothing but pairs won, nothing but draws), and for
    // few games: the greatest likelihoods under either claim, searched for by SciPy's SLSQP.
    close(ratio(pairs([0, 0, 0, 0, 104]), 0.0, 5.0, Normalised), 2.094_955, 1e-4);
    close(ratio(singles(0, 0, 16_700), 0.0, 5.0, Normalised), -3.450_542, 1e-4);
    close(ratio(pairs([34, 54, 63, 64, 75]), 0.0, 20.0, Normalised), 4.490_197, 1e-4);
    close(ratio(pairs([2, 3, 10, 8, 9]), -10.0, 20.0, Normalised), 1.670_680, 1e-4);
}

#[test]
fn the_bounds_are_walds() {
    let verdict = Sprt { alpha: 0.05, beta: 0.10, ..Sprt::default() }.judge(&Tally::default());
    assert_eq!((verdict.log_likelihood_ratio, verdict.decision), (0.0, Decision::Open));
    close(verdict.lower, (0.10_f64 / 0.95).ln(), 1e-12);
    close(verdict.upper, (0.90_f64 / 0.05).ln(), 1e-12);
}

#[test]
fn what_is_no_test_is_refused() {
    assert!(Sprt::default().check().is_ok());
    for wrong in [
        Sprt { elo0: 5.0, elo1: 5.0, ..Sprt::default() },
        Sprt { elo1: f64::NAN, ..Sprt::default() },
        Sprt { alpha: 0.0, ..Sprt::default() },
        Sprt { beta: 0.5, ..Sprt::default() },
    ] {
        let error = wrong.check().unwrap_err();
        assert!(error.hint.is_some(), "{error}");
    }
}

/// Claims that are true are shown at the promised rate, whatever the scale and with pairs or
/// without. (A test may only be surer than it says: it stops a little beyond its bounds.)
#[test]
fn a_test_errs_no_more_often_than_it_says() {
    let mut random = Random::seeded(11);
    for (scale, paired) in
        [(Scale::Logistic, true), (Scale::Logistic, false), (Scale::Normalised, true)]
    {
        let sprt = Sprt { elo0: 0.0, elo1: 60.0, alpha: 0.10, beta: 0.05, scale };
        let drawn: f64 = 0.3;
        // Normalised Elo into a score: times the spread of a game, which is nearly that of an even
        // one with these draws.
        let spread = (0.25 * (1.0 - drawn)).sqrt();
        for (elo, wrong, most) in [
            (sprt.elo0, Decision::Accepted, sprt.alpha),
            (sprt.elo1, Decision::Rejected, sprt.beta),
        ] {
            let score = match scale {
                Scale::Logistic => score_of(elo),
                Scale::Normalised => 0.5 + elo / (800.0 / std::f64::consts::LN_10) * spread,
            };
            let (mut errors, tests) = (0, 400);
            for _ in 0..tests {
                let mut tally = Tally::default();
                let decision = loop {
                    let mut play = || match uniform(&mut random) {
                        chance if chance < score - drawn / 2.0 => 1.0,
                        chance if chance < score + drawn / 2.0 => 0.5,
                        _ => 0.0,
                    };
                    for _ in 0..4 {
                        let (first, second) = (play(), play());
                        if paired {
                            tally.add_pair(first, second);
                        } else {
                            tally.add(first);
                            tally.add(second);
                        }
                    }
                    let verdict = sprt.judge(&tally);
                    if verdict.decision != Decision::Open {
                        break verdict.decision;
                    }
                };
                errors += i32::from(decision == wrong);
            }
            let rate = f64::from(errors) / f64::from(tests);
            // Three standard deviations of 400 tests above the promise.
            let allowed = most + 3.0 * (most * (1.0 - most) / f64::from(tests)).sqrt();
            assert!(rate <= allowed, "{scale:?} {elo} Elo: wrong {rate}, promised {most}");
            assert!(rate > 0.0, "{scale:?} {elo} Elo: never wrong is a test that waits too long");
        }
    }
}

// ---- many players ----

const BARE: Settings = Settings { prior: 0.0, replicates: 0, seed: 0 };
const NATURAL: f64 = std::f64::consts::LN_10 / 400.0;

/// Baseball, American League East 1987, home team first: Agresti, "Categorical Data Analysis"
/// (2002), tables 10.10 and 10.11, as checked by the R package BradleyTerry2
/// (tests/testthat/test-baseball.R).
#[test]
fn baseball_comes_out_as_in_agresti() {
    // Milwaukee, Detroit, Toronto, New York, Boston, Cleveland, Baltimore: home wins and losses.
    let home = [
        [(0, 0), (4, 3), (4, 2), (4, 3), (6, 1), (4, 2), (6, 0)],
        [(3, 3), (0, 0), (4, 2), (4, 3), (6, 0), (6, 1), (4, 3)],
        [(2, 5), (4, 3), (0, 0), (2, 4), (4, 3), (4, 2), (6, 0)],
        [(3, 3), (5, 1), (2, 5), (0, 0), (4, 3), (4, 2), (6, 1)],
        [(5, 1), (2, 5), (3, 3), (4, 2), (0, 0), (5, 2), (6, 0)],
        [(2, 5), (3, 3), (3, 4), (4, 3), (4, 2), (0, 0), (2, 4)],
        [(2, 5), (1, 5), (1, 6), (2, 4), (1, 6), (3, 4), (0, 0)],
    ];
    let mut games = Vec::new();
    for (first, row) in home.iter().enumerate() {
        for (second, (won, lost)) in row.iter().enumerate() {
            for number in 0..won + lost {
                let points = f64::from(u8::from(number < *won));
                games.push(Duel { first, second, points, sample: games.len() as u64 });
            }
        }
    }
    let ratings = bradley_terry(7, &games, &BARE);
    close(ratings.first_move.value * NATURAL, 0.302, 5e-4);
    let strengths: Vec<f64> =
        ratings.players.iter().map(|player| (player.value * NATURAL).exp()).collect();
    let total: f64 = strengths.iter().sum();
    let published = [0.220, 0.190, 0.164, 0.157, 0.137, 0.088, 0.044];
    for (strength, published) in strengths.iter().zip(published) {
        close(strength / total, published, 5e-4);
    }

    // Without the advantage of the home team: every game both ways around, as half a game each.
    let turned = games.iter().map(|game| Duel {
        first: game.second,
        second: game.first,
        points: 1.0 - game.points,
        ..*game
    });
    let both: Vec<Duel> = games.iter().copied().chain(turned).collect();
    let ratings = bradley_terry(7, &both, &BARE);
    close(ratings.first_move.value, 0.0, 1e-6);
    let published = [1.58, 1.44, 1.29, 1.25, 1.11, 0.68, 0.0];
    for (player, published) in ratings.players.iter().zip(published) {
        close((player.value - ratings.players[6].value) * NATURAL, published, 5e-3);
    }
    // "Standard errors are about 0.3" (of a difference, in logarithms), so 0.2 for one team.
    let settings = Settings { prior: 0.0, replicates: 300, seed: 1 };
    for player in bradley_terry(7, &games, &settings).players {
        close(player.error() * NATURAL / 1.96, 0.22, 0.06);
    }
}

/// Three quarters of the points against one opponent are 191 Elo, draws or not, and both colours
/// cancel.
#[test]
fn two_players_have_the_elo_of_their_score() {
    let game =
        |first: usize, points: f64, sample: u64| Duel { first, second: 1 - first, points, sample };
    let drawn = [game(0, 1.0, 0), game(1, 0.5, 0)];
    let split = [game(0, 1.0, 0), game(1, 0.0, 0), game(0, 1.0, 1), game(1, 1.0, 1)];
    // 191 by hand for the first; the second has an advantage of the first mover as well.
    let ratings = bradley_terry(2, &drawn, &BARE);
    let difference = ratings.players[0].value - ratings.players[1].value;
    assert!(difference > 190.0, "{difference}");
    let ratings = bradley_terry(2, &split, &Settings { replicates: 0, ..Settings::default() });
    close(ratings.players[0].value, -ratings.players[1].value, 1e-9);
    assert!(ratings.players[0].value > 20.0);
}

/// One player, one opponent far too often beaten to be anything but average: the interval is that
/// of a Beta distribution, by hand.
#[test]
fn no_games_leave_the_prior() {
    let settings = Settings { replicates: 4_000, ..Settings::default() };
    let ratings = bradley_terry(1, &[], &settings);
    assert_eq!(ratings.players.len(), 1);
    // One player is its own mean.
    assert_eq!(ratings.players[0].value, 0.0);
    // The advantage of the first move is not anchored: the middle 95 % of a logistic distribution,
    // ln(0.975/0.025) = 3.66 on both sides, 636 Elo.
    close(ratings.first_move.high, 636.4, 40.0);
    close(ratings.first_move.low, -636.4, 40.0);
    close(ratings.first_move.value, 0.0, 1e-9);
}

/// The strengths of choix 0.4.1 (`ilsr_rankings` and `mm_rankings` with alpha 0 agree to all digits
/// given), which shares nothing with ours but the model.
#[test]
fn rankings_come_out_as_in_choix() {
    let expect = |games: &[&[usize]], published: [f64; 5]| {
        let royale = |order: &&[usize]| {
            let finish = |(place, player): (usize, &usize)| Finish {
                player: *player,
                score: -(place as f64),
                won: place == 0,
                forfeited: false,
            };
            order.iter().enumerate().map(finish).collect()
        };
        let games: Vec<Royale> = games.iter().map(royale).collect();
        for (found, published) in plackett_luce(5, &games, &BARE).iter().zip(published) {
            close(found.value, published, 1e-4);
        }
    };
    expect(
        &[
            &[0, 1, 2, 3, 4],
            &[1, 0, 3, 2, 4],
            &[0, 2, 1, 4, 3],
            &[2, 0, 1, 3, 4],
            &[0, 1, 3, 4, 2],
            &[4, 0, 1, 2, 3],
            &[1, 2, 0, 3, 4],
            &[0, 3, 1, 2, 4],
        ],
        [273.145_269, 147.565_297, -35.167_348, -118.704_128, -266.839_090],
    );
    expect(
        &[&[0, 1, 2], &[2, 0, 3], &[3, 4], &[4, 1, 0], &[1, 2, 3, 4], &[0, 4], &[2, 1]],
        [73.561_606, 142.403_814, 133.688_648, -112.777_689, -236.876_379],
    );
}

fn finish(player: usize, score: f64) -> Finish {
    Finish { player, score, won: false, forfeited: false }
}

#[test]
fn ties_are_half_a_win_each() {
    // Two players: as Bradley and Terry with draws.
    let royales = [
        vec![finish(0, 3.0), finish(1, 1.0)],
        vec![finish(0, 2.0), finish(1, 2.0)],
        vec![finish(1, 5.0), finish(0, 0.0)],
        vec![finish(0, 4.0), finish(1, 0.0)],
    ];
    let found = plackett_luce(2, &royales, &BARE);
    close(found[0].value - found[1].value, elo_of(2.5 / 4.0), 1e-6);

    // All alike: no player is ahead, however many they are.
    for players in [3, 8, 9, 10, 50, 196] {
        let tied: Royale = (0..players).map(|player| finish(player, 1.0)).collect();
        for found in plackett_luce(players, &[tied], &BARE) {
            close(found.value, 0.0, 1e-6);
        }
    }

    // Two that tie before a third, and behind it.
    let royales = [
        vec![finish(0, 0.0), finish(1, 1.0), finish(2, 1.0)],
        vec![finish(0, 1.0), finish(1, 0.0), finish(2, 0.0)],
    ];
    // By hand: with strengths x, 1, 1 the likelihood is x/((x+2)²(x+1)). It is greatest where
    // 1/x = 2/(x+2) + 1/(x+1), which is 2x² + x − 2 = 0.
    let x: f64 = (17_f64.sqrt() - 1.0) / 4.0;
    let found = plackett_luce(3, &royales, &BARE);
    close((found[0].value - found[1].value) * NATURAL, x.ln(), 1e-6);
    close(found[1].value, found[2].value, 1e-9);
}

// ---- laws ----

fn finite(estimates: impl IntoIterator<Item = Estimate>) {
    for Estimate { value, low, high } in estimates {
        assert!(value.is_finite() && low.is_finite() && high.is_finite());
        assert!(low <= value && value <= high, "{low} {value} {high}");
    }
}

#[test]
fn any_tally_gives_finite_numbers_that_turn_around() {
    let mut random = Random::seeded(3);
    for round in 0..500 {
        let mut tally = Tally::default();
        // From nothing to thousands, often with something missing altogether.
        let mut count = || match random.below(3) {
            0 => 0,
            1 => random.below(4),
            _ => random.below(5_000),
        };
        let counts: [u64; 5] = std::array::from_fn(|_| u64::from(count()));
        if round % 2 == 0 {
            tally.merge(&pairs(counts));
        } else {
            tally = singles(counts[0], counts[1], counts[2]);
        }
        let turned = tally.reversed();
        assert_eq!(turned.reversed(), tally);
        finite([tally.elo(), tally.normalised_elo()]);
        close(tally.elo().value, -turned.elo().value, 1e-6);
        close(tally.elo().low, -turned.elo().high, 1e-6);
        let superior = tally.likelihood_of_superiority();
        close(superior + turned.likelihood_of_superiority(), 1.0, 1e-9);
        for scale in [Scale::Logistic, Scale::Normalised] {
            let sprt = Sprt { elo0: -15.0, elo1: 15.0, scale, ..Sprt::default() };
            let ratio = sprt.judge(&tally).log_likelihood_ratio;
            assert!(ratio.is_finite());
            let back = sprt.judge(&turned).log_likelihood_ratio;
            close(ratio, -back, 1e-6 * ratio.abs().max(1.0));
        }
    }
}

#[test]
fn everybody_has_a_finite_rating_connected_or_not() {
    let settings = Settings { replicates: 20, ..Settings::default() };
    for players in [0, 1, 2, 3, 30, 196] {
        // No games; one game; a ladder in which each always beats the next; two islands.
        let duel =
            |first: usize, second: usize, sample: u64| Duel { first, second, points: 1.0, sample };
        let ladder: Vec<Duel> = (1..players)
            .flat_map(|player| (0..50).map(move |sample| duel(player - 1, player, sample)))
            .collect();
        let islands: Vec<Duel> = (2..players).map(|player| duel(player, player - 2, 0)).collect();
        // Nonsense says nothing.
        let odd = vec![duel(players, 0, 0), duel(0, 0, 0), duel(0, players + 7, 0)];
        for games in [vec![], ladder.iter().take(1).copied().collect(), ladder, islands, odd] {
            for prior in [1.0, 0.0, f64::NAN] {
                let ratings = bradley_terry(players, &games, &Settings { prior, ..settings });
                assert_eq!(ratings.players.len(), players);
                finite(ratings.players.iter().copied().chain([ratings.first_move]));
                let mean = ratings.players.iter().map(|player| player.value).sum::<f64>();
                close(mean / players.max(1) as f64, 0.0, 1e-6);
            }
        }
    }
}

#[test]
fn any_number_of_players_in_one_game_is_rated_and_nobody_is_sure_after_it() {
    let settings = Settings { replicates: 100, ..Settings::default() };
    let mut random = Random::seeded(9);
    for players in [0, 1, 2, 3, 17, 50, 120, 196] {
        let game: Royale =
            (0..players).map(|player| finish(player, f64::from(random.below(12)))).collect();
        for games in [vec![], vec![vec![]], vec![game.clone()], vec![game.clone(), game]] {
            let found = plackett_luce(players, &games, &settings);
            assert_eq!(found.len(), players);
            finite(found.iter().copied());
            let places = placings(players, &games, 196.0);
            finite(places.iter().flat_map(|place| [place.win_rate, place.score, place.rank]));
            if players > 1 && games.len() < 2 {
                for one in &found {
                    assert!(one.error() > 150.0, "sure of ±{} after a game", one.error());
                }
                assert!(places.iter().all(|place| place.score.error() > 90.0));
            }
        }
    }
}

#[test]
fn the_order_of_players_and_games_does_not_matter() {
    let mut random = Random::seeded(21);
    let players = 6;
    let games: Vec<Royale> = (0..20)
        .map(|_| (0..players).map(|player| finish(player, f64::from(random.below(9)))).collect())
        .collect();
    let found = plackett_luce(players, &games, &BARE);
    let mut new: Vec<usize> = (0..players).collect();
    random.shuffle(&mut new);
    let mut renamed: Vec<Royale> = games
        .iter()
        .map(|game| game.iter().map(|one| Finish { player: new[one.player], ..*one }).collect())
        .collect();
    renamed.iter_mut().for_each(|game| random.shuffle(game));
    random.shuffle(&mut renamed);
    let again = plackett_luce(players, &renamed, &BARE);
    for player in 0..players {
        close(found[player].value, again[new[player]].value, 1e-6);
    }
    // The same seed, the same intervals.
    let settings = Settings { replicates: 50, seed: 4, ..Settings::default() };
    assert_eq!(
        plackett_luce(players, &games, &settings),
        plackett_luce(players, &games, &settings)
    );
}

#[test]
fn placings_are_means_of_what_was_got() {
    let games = vec![
        vec![finish(0, 10.0), Finish { won: true, ..finish(1, 30.0) }, finish(2, 10.0)],
        vec![Finish { won: true, ..finish(0, 20.0) }, finish(1, 5.0)],
    ];
    let places = placings(3, &games, 196.0);
    assert_eq!((places[0].games, places[0].wins), (2, 1));
    assert_eq!(places[0].score.value, 15.0);
    // Second and third shared, then first: (2.5 + 1)/2.
    assert_eq!(places[0].rank.value, 1.75);
    // Student's with one degree of freedom: 12.706 · √(50/2) = 63.5 squares either way.
    close(places[0].score.high, 15.0 + 63.53, 0.01);
    assert_eq!(places[0].score.low, 0.0);
    // One game leaves everything open; Wilson's interval for 0 of 1 ends at z²/(1 + z²).
    assert_eq!((places[2].score.low, places[2].score.high), (0.0, 196.0));
    close(places[2].win_rate.high, 0.7935, 1e-4);
}

// ---- players of known strength ----

/// Tournaments of simulated players: how often does the interval hold the true strength?
#[test]
fn players_of_known_strength_are_found_within_their_intervals() {
    let mut random = Random::seeded(31);
    let truth = [-250.0, -100.0, -30.0, 40.0, 120.0, 220.0];
    let advantage = 35.0;
    let settings = Settings { replicates: 200, ..Settings::default() };
    let (mut held, mut held_first, mut error) = (0, 0, 0.0);
    let tournaments = 60;
    for _ in 0..tournaments {
        let mut games = Vec::new();
        for first in 0..truth.len() {
            for second in 0..truth.len() {
                for sample in 0..if first == second { 0 } else { 8 } {
                    let expected = score_of(truth[first] - truth[second] + advantage);
                    let points = f64::from(u8::from(uniform(&mut random) < expected));
                    games.push(Duel { first, second, points, sample });
                }
            }
        }
        let ratings = bradley_terry(truth.len(), &games, &settings);
        for (found, truth) in ratings.players.iter().zip(truth) {
            held += usize::from(found.low <= truth && truth <= found.high);
            error += (found.value - truth).abs();
        }
        let found = ratings.first_move;
        held_first += usize::from(found.low <= advantage && advantage <= found.high);
    }
    let rate = held as f64 / (tournaments * truth.len()) as f64;
    assert!((0.90..=0.99).contains(&rate), "{rate}");
    assert!(held_first * 100 >= tournaments * 87, "{held_first} of {tournaments}");
    let error = error / (tournaments * truth.len()) as f64;
    assert!(error < 45.0, "off by {error} Elo on average");
}

#[test]
fn players_of_known_strength_are_found_in_games_of_many() {
    let mut random = Random::seeded(41);
    let truth = [-200.0, -150.0, -50.0, 0.0, 0.0, 80.0, 120.0, 200.0];
    let settings = Settings { replicates: 200, ..Settings::default() };
    let (mut held, tournaments) = (0, 60);
    for _ in 0..tournaments {
        let games: Vec<Royale> = (0..25)
            .map(|_| {
                // Plackett and Luce's order is that of exponential waiting times.
                let wait = |(player, elo): (usize, &f64)| {
                    let time = -(1.0 - uniform(&mut random)).ln() / (elo * NATURAL).exp();
                    finish(player, -time)
                };
                truth.iter().enumerate().map(wait).collect()
            })
            .collect();
        let found = plackett_luce(truth.len(), &games, &settings);
        held += (found.iter().zip(truth))
            .filter(|(found, truth)| found.low <= *truth && *truth <= found.high)
            .count();
    }
    let rate = held as f64 / (tournaments * truth.len()) as f64;
    assert!((0.90..=0.99).contains(&rate), "{rate}");
}

#[test]
fn players_that_forfeit_a_game_of_many_are_behind_the_others_and_not_compared() {
    let out = |player: usize, score: f64| Finish { forfeited: true, ..finish(player, score) };
    let rated = |games: &[Royale]| -> Vec<f64> {
        let found = plackett_luce(3, games, &Settings { replicates: 0, ..Settings::default() });
        found.iter().map(|found| found.value).collect()
    };
    // All have: nothing is known.
    let nothing = rated(&[]);
    assert_eq!(rated(&[vec![out(0, 9.0), out(1, 0.0), out(2, 3.0)]]), nothing);
    // Two have, whatever they held: each is behind the third, and that is all.
    let both = rated(&[vec![finish(0, 1.0), out(1, 9.0), out(2, 0.0)]]);
    close(both[1], both[2], 1e-9);
    assert!(both[0] > both[1]);
    assert_eq!(both, rated(&[vec![finish(0, 0.0), out(1, 0.0), out(2, 50.0)]]));
    let places = placings(3, &[vec![finish(0, 0.0), out(1, 9.0), out(2, 0.0)]], 9.0);
    let ranks: Vec<f64> = places.iter().map(|placing| placing.rank.value).collect();
    assert_eq!(ranks, [1.0, 2.5, 2.5]);
}
