//! What holds in every game, and random play.

use super::*;

#[test]
fn pieces_are_never_lost_and_squares_are_always_counted() {
    for size in 1..=6 {
        for choice in [Choice::Turns, Choice::Steps] {
            let game = Game17::new(size, 20, &[]);
            let mut random = Random::stream(17, u64::from(size));
            let mut position = game.start(&mut random);
            let mut bound = game.bound(&position).unwrap();
            while game.turn(&position) != Turn::Over {
                assert_eq!(game.playout(&mut position, choice, 1, &mut random), 1);
                assert_eq!(pieces_on(&position), 4 * u32::from(size * size));
                let mut counted = BTreeMap::new();
                for owner in position.owners() {
                    *counted.entry(Seat(*owner)).or_insert(0) += 1;
                }
                assert_eq!(game.scores(&position), counted.into_iter().collect::<Vec<_>>());
                let left = game.bound(&position).unwrap();
                assert!(left < bound);
                bound = left;
            }
        }
    }
}

#[test]
fn the_fast_way_plays_the_same_game_as_the_slow_one() {
    let mut both_endings = [0; 2];
    for size in (1..=17).chain([20]) {
        for seed in 0..if size < 6 { 60 } else { 6 } {
            let game = Game17::new(size, 50, &[]);
            let mut random = Random::stream(seed, u64::from(size));
            let mut fast = game.start(&mut random);
            let mut slow = fast.clone();
            let mut slow_random = random.clone();
            // Stopped now and then, and for single turns, to start from everywhere.
            for most in [0, 1, 1, 17, 100, u64::MAX, 5] {
                let turns = game.playout(&mut fast, Choice::Turns, most, &mut random);
                let expected =
                    playout_by_turns(&game, &mut slow, Choice::Turns, most, &mut slow_random);
                assert_eq!((turns, &fast), (expected, &slow), "size {size}, seed {seed}");
                assert_eq!(random, slow_random);
            }
            assert_eq!(game.turn(&fast), Turn::Over);
            both_endings[usize::from(fast.round() == 50)] += 1;
        }
    }
    assert!(both_endings.iter().all(|games| *games > 50), "{both_endings:?}");
}

#[test]
fn a_playout_goes_on_from_inside_a_turn() {
    let game = Game17::new(4, 50, &[]);
    for seed in 0..20 {
        let mut random = Random::seeded(seed);
        let mut fast = game.start(&mut random);
        game.playout(&mut fast, Choice::Turns, 20, &mut random);
        let mut actions = Vec::new();
        game.actions(&fast, &mut actions);
        game.play(&mut fast, *actions.last().unwrap());
        let (mut slow, mut slow_random) = (fast.clone(), random.clone());
        let turns = game.playout(&mut fast, Choice::Turns, 30, &mut random);
        assert_eq!(turns, playout_by_turns(&game, &mut slow, Choice::Turns, 30, &mut slow_random));
        assert_eq!(fast, slow);
    }
}

#[test]
fn a_last_army_read_from_text_ends_the_game_after_one_turn_in_both_ways() {
    let (game, position) = draw('b', "a4 b0 c0 a1 a1 a1 a1 a1 a1");
    let (mut fast, mut slow) = (position.clone(), position);
    let mut random = Random::seeded(1);
    assert_eq!(game.playout(&mut fast, Choice::Turns, 9, &mut random), 1);
    assert_eq!(playout_by_turns(&game, &mut slow, Choice::Turns, 9, &mut random), 1);
    assert_eq!(fast, slow);
    assert_eq!(game.turn(&fast), Turn::Over);
}

#[test]
fn a_zombie_sends_each_piece_to_a_uniformly_random_side() {
    // Far from anybody else's squares, for stacks below, at and above the pieces one word serves.
    let mut random = Random::seeded(5);
    for stack in [1_u16, 3, 31, 32, 33, 64, 200] {
        let game = Game17::new(3, 50, &[]);
        let numbers = [0, 0, 0, 0, stack, 0, 0, 0, 1];
        let order: Vec<u16> = (0..9).collect();
        let position =
            game.arrange(&[0, 0, 0, 0, 0, 0, 0, 0, 1], &numbers, &order, 0, Some(0)).unwrap();
        let draws = 20_000 / u32::from(stack) + 2_000;
        let mut sent = [0; 4];
        for _ in 0..draws {
            let mut orders = Vec::new();
            game.zombie_orders(&position, &mut random, &mut orders);
            assert_eq!(orders.iter().map(|order| order.count).sum::<u16>(), stack);
            assert!(orders.iter().all(|order| order.cell == 4 && order.count > 0));
            for order in orders {
                sent[order.direction as usize] += u32::from(order.count);
            }
        }
        let expected = f64::from(draws) * f64::from(stack) / 4.0;
        let deviation = chi_squared(&sent.map(f64::from), &[expected; 4]);
        // Three degrees of freedom: 16.3 is passed once in a thousand times.
        assert!(deviation < 16.3, "{deviation} for stacks of {stack}: {sent:?}");
    }
}

#[test]
fn pieces_of_one_stack_choose_independently() {
    let (game, position) = draw('a', "a2 b1 b1 b1");
    let mut random = Random::seeded(8);
    let mut seen: BTreeMap<Vec<(Direction, u16)>, f64> = BTreeMap::new();
    let draws = 16_000;
    for _ in 0..draws {
        let mut orders = Vec::new();
        game.zombie_orders(&position, &mut random, &mut orders);
        let split = orders.iter().map(|order| (order.direction, order.count)).collect();
        *seen.entry(split).or_default() += 1.0;
    }
    // Both to one side, 1 in 16 for each; to two different sides, 1 in 8.
    assert_eq!(seen.len(), 10);
    let share =
        |split: &Vec<(Direction, u16)>| if split.len() == 1 { 1.0 / 16.0 } else { 1.0 / 8.0 };
    let expected: Vec<f64> = seen.keys().map(|split| share(split) * f64::from(draws)).collect();
    let found: Vec<f64> = seen.values().copied().collect();
    let deviation = chi_squared(&found, &expected);
    // Nine degrees of freedom: 27.9 is passed once in a thousand times.
    assert!(deviation < 27.9, "{deviation}: {seen:?}");
}

fn chi_squared(found: &[f64], expected: &[f64]) -> f64 {
    found.iter().zip(expected).map(|(found, expected)| (found - expected).powi(2) / expected).sum()
}

#[test]
fn a_random_turn_is_what_it_says_it_was() {
    let game = Game17::new(4, 30, &[]);
    for choice in Game17::CHOICES {
        let mut random = Random::seeded(4);
        let mut position = game.start(&mut random);
        while game.turn(&position) != Turn::Over {
            let mut replayed = position.clone();
            let (mut chosen, mut rolls) = (Vec::new(), Vec::new());
            game.random_turn(&mut position, *choice, &mut random, &mut chosen, &mut rolls);
            for action in chosen {
                assert!(game.is_legal(&replayed, action));
                game.play(&mut replayed, action);
            }
            for roll in rolls {
                game.settle(&mut replayed, roll);
            }
            assert_eq!(replayed, position);
        }
    }
}

/// Where a map of the board takes a square, as row and column, and a direction.
struct Map {
    square: fn(i64, i64) -> (i64, i64),
    direction: fn(Direction) -> Direction,
}

#[test]
fn whole_turns_commute_with_turning_mirroring_and_shifting_the_board() {
    use Direction::{East, North, South, West};
    // These three give all eight ways to lay a square on itself, and all shifts.
    let maps = [
        Map {
            square: |row, column| (column, -row),
            direction: |direction| match direction {
                North => East,
                East => South,
                South => West,
                West => North,
            },
        },
        Map {
            square: |row, column| (row, -column),
            direction: |direction| match direction {
                East => West,
                West => East,
                other => other,
            },
        },
        Map { square: |row, column| (row + 1, column + 2), direction: |direction| direction },
    ];
    for size in 1..=7_u16 {
        let game = Game17::new(size, 30, &[]);
        let wide = i64::from(size);
        for Map { square, direction } in &maps {
            let moved = |row: i64, column: i64| {
                let (row, column) = square(row, column);
                (row.rem_euclid(wide), column.rem_euclid(wide))
            };
            let image = |position: &Position| -> Position {
                let (mut owners, mut numbers) =
                    (position.owners().to_vec(), position.numbers().to_vec());
                for row in 0..wide {
                    for column in 0..wide {
                        let (from, (to_row, to_column)) = (row * wide + column, moved(row, column));
                        let to = (to_row * wide + to_column) as usize;
                        owners[to] = position.owners()[from as usize];
                        numbers[to] = position.numbers()[from as usize];
                    }
                }
                let order = position.turn_order();
                game.arrange(&owners, &numbers, order, position.round(), position.place()).unwrap()
            };
            let mut random = Random::stream(9, u64::from(size));
            let mut position = game.start(&mut random);
            while game.turn(&position) != Turn::Over {
                let mut orders = Vec::new();
                game.zombie_orders(&position, &mut random, &mut orders);
                let raw: Vec<RawOrder> = orders
                    .iter()
                    .map(|order| {
                        let (row, column) =
                            moved(i64::from(order.cell / size), i64::from(order.cell % size));
                        let count = i64::from(order.count);
                        RawOrder { row, column, direction: direction(order.direction), count }
                    })
                    .collect();
                let mut seen = image(&position);
                for order in game.check_orders(&seen, &raw).unwrap() {
                    game.play(&mut seen, Action::Order(order));
                }
                game.play(&mut seen, Action::End);
                for order in orders {
                    game.play(&mut position, Action::Order(order));
                }
                game.play(&mut position, Action::End);
                // Tosses come in row order, so only their number is the same in the image.
                while let Turn::Chance { .. } = game.turn(&position) {
                    assert_eq!(game.turn(&seen), Turn::Chance { sides: 2 });
                    game.settle(&mut position, 1);
                    game.settle(&mut seen, 1);
                }
                assert_eq!(seen, image(&position));
            }
        }
    }
}

// Text
