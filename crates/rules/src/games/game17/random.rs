//! Zombies, and whole games between them.
//!
//! A zombie moves every piece it has, each to a uniformly random side. Both ways of playing
//! zombies here, order by order and the fast one for whole games, draw the same numbers for the
//! same things in the same sequence, so they play the same game from the same seed: first the
//! stacks by ascending square, as many words each as `split` takes, then one toss per tied square.

use super::position::{Action, Direction, Game17, Order, Position, ROOM};
use crate::cpu::{self, Work};
use crate::game::{Rules, Seat, Turn};
use crate::playout::{Choice, Playout, playout_by_turns, random_turn_by_definition, settle_all};
use crate::random::Random;

/// Sends each of `pieces` to a random side: how many go where, in the order of [`Direction::ALL`].
///
/// Two random bits make one piece's choice. One word serves 32 pieces, its low half giving one bit
/// to each and its high half the other, so that counting bits counts pieces.
#[inline(always)]
fn split(pieces: u16, random: &mut Random) -> [u32; 4] {
    let mut sent = [0; 4];
    let mut left = u32::from(pieces);
    while left > 0 {
        let drawn = left.min(32);
        let mask = u32::MAX >> (32 - drawn);
        let word = random.word();
        let (low, high) = (word as u32 & mask, (word >> 32) as u32 & mask);
        let (lows, highs) = (low.count_ones(), high.count_ones());
        let both = (low & high).count_ones();
        sent[0] += drawn + both - lows - highs;
        sent[1] += lows - both;
        sent[2] += highs - both;
        sent[3] += both;
        left -= drawn;
    }
    sent
}

impl Game17 {
    /// Appends the orders a zombie gives in the mover's place.
    ///
    /// Where orders were chosen before, those go on from the square after the last one.
    ///
    /// # Panics
    /// If no player is to move.
    pub fn zombie_orders(&self, position: &Position, random: &mut Random, out: &mut Vec<Order>) {
        let Turn::Player(Seat(mover)) = self.turn(position) else { panic!("no player is to move") };
        let first = position.orders().last().map_or(0, |order| usize::from(order.cell) + 1);
        let board = position.owners().iter().zip(position.numbers()).enumerate();
        for (cell, (owner, number)) in board.skip(first) {
            if *owner != mover {
                continue;
            }
            let sent = split(*number, random);
            for (direction, count) in Direction::ALL.into_iter().zip(sent) {
                if count > 0 {
                    out.push(Order { cell: cell as u16, direction, count: count as u16 });
                }
            }
        }
    }
}

impl Playout for Game17 {
    const CHOICES: &'static [Choice] = &[Choice::Turns, Choice::Steps];

    /// With [`Choice::Turns`] every owner plays as a zombie.
    fn random_turn(
        &self,
        position: &mut Position,
        choice: Choice,
        random: &mut Random,
        chosen: &mut Vec<Action>,
        rolls: &mut Vec<u16>,
    ) {
        if choice != Choice::Turns {
            random_turn_by_definition(self, position, choice, random, chosen, rolls);
            return;
        }
        let mut orders = Vec::new();
        self.zombie_orders(position, random, &mut orders);
        for action in orders.into_iter().map(Action::Order).chain([Action::End]) {
            self.play(position, action);
            chosen.push(action);
        }
        settle_all(self, position, random, rolls);
    }

    fn fresh_start(&self, _: &Position, random: &mut Random) -> Position {
        self.start(random)
    }

    fn playout(
        &self,
        position: &mut Position,
        choice: Choice,
        most: u64,
        random: &mut Random,
    ) -> u64 {
        if choice != Choice::Turns {
            return playout_by_turns(self, position, choice, most, random);
        }
        // A turn that was begun is finished the slow way; the fast way plays whole turns.
        let begun = u64::from(most > 0 && self.mid_turn(position));
        playout_by_turns(self, position, choice, begun, random);
        let most = most - begun;
        if most == 0 || self.turn(position) == Turn::Over {
            return begun;
        }
        // Each size class is compiled for sets of squares of its own width.
        begun
            + match self.size() {
                ..=8 => cpu::boosted(Zombies::<1> { game: self, position, most, random }),
                9..=11 => cpu::boosted(Zombies::<2> { game: self, position, most, random }),
                12..=16 => cpu::boosted(Zombies::<4> { game: self, position, most, random }),
                _ => cpu::boosted(Zombies::<7> { game: self, position, most, random }),
            }
    }
}

/// A game between zombies from a position between turns, on a board of at most `64 * WORDS`
/// squares, for `most` turns, at least 1.
struct Zombies<'a, const WORDS: usize> {
    game: &'a Game17,
    position: &'a mut Position,
    most: u64,
    random: &'a mut Random,
}

/// A square of the fast board. Aligned so that a square is addressed by a shift.
#[derive(Clone, Copy, Default)]
#[repr(align(8))]
struct Ground {
    owner: u16,
    number: u16,
    /// Pieces on their way here; 0 between turns. As wide as what is left of the eight bytes, so
    /// that the compiler has no reason to read more than was just written.
    arriving: u32,
}

/// The fast board, with everything that tells quickly whose turn it is and where pieces stand.
///
/// Whatever is looked up by square or owner has [`ROOM`] entries, so that a masked index needs no
/// check.
struct Battle<'a, const WORDS: usize> {
    neighbours: &'a [[u16; 4]; ROOM],
    ground: [Ground; ROOM],
    /// How many squares each owner has.
    squares: [u16; ROOM],
    /// The squares on which each owner has pieces, as bits.
    armies: [[u64; WORDS]; ROOM],
    /// How many squares have pieces on them.
    standing: u32,
    /// Whether all pieces belong to one owner.
    has_one_army: bool,
    // Room for the lists of one turn: squares left, squares reached, and those of them tied.
    left: [u16; ROOM],
    reached: [u16; ROOM],
    tied: [u16; ROOM],
}

impl<const WORDS: usize> Work for Zombies<'_, WORDS> {
    /// The number of turns played.
    type Output = u64;

    #[inline(always)]
    fn run(self) -> u64 {
        let Zombies { game, position, most, random } = self;
        // A copy of our own, which can stay in registers.
        let mut draws = random.clone();
        let mut battle = Battle::<WORDS>::new(game, position);
        // Places in the turn order of those who still have a square. Squares only ever go to a
        // mover, so an owner who has lost the last one never comes back.
        let holds = |battle: &Battle<WORDS>, place: u16| {
            battle.squares[usize::from(position.turn_order()[usize::from(place)])] > 0
        };
        let mut places: Vec<u16> =
            (0..game.seats()).filter(|place| holds(&battle, *place)).collect();
        let now = position.place().expect("the game goes on");
        let mut index = places.binary_search(&now).expect("the mover has a square");
        let mut round = position.round();
        let mut last = (round, now);
        let mut turns = 0;
        while turns < most && round < game.rounds() && (turns == 0 || !battle.has_one_army) {
            let Some(&place) = places.get(index) else {
                round += 1;
                places.retain(|place| holds(&battle, *place));
                index = 0;
                continue;
            };
            index += 1;
            if holds(&battle, place) {
                battle.turn(position.turn_order()[usize::from(place)], &mut draws);
                last = (round, place);
                turns += 1;
            }
        }
        *random = draws;
        let board = battle.ground.iter().map(|square| (square.owner, square.number));
        position.resume(game.rounds(), last, board);
        turns
    }
}

impl<'a, const WORDS: usize> Battle<'a, WORDS> {
    #[inline(always)]
    fn new(game: &'a Game17, position: &Position) -> Battle<'a, WORDS> {
        let mut battle = Battle {
            neighbours: game.neighbours(),
            ground: [Ground::default(); ROOM],
            squares: [0; ROOM],
            armies: [[0; WORDS]; ROOM],
            standing: 0,
            has_one_army: false,
            left: [0; ROOM],
            reached: [0; ROOM],
            tied: [0; ROOM],
        };
        let board = position.owners().iter().zip(position.numbers()).enumerate();
        for (cell, (&owner, &number)) in board {
            battle.ground[cell] = Ground { owner, number, arriving: 0 };
            battle.squares[usize::from(owner)] += 1;
            if number > 0 {
                battle.armies[usize::from(owner)][cell / 64] |= 1 << (cell % 64);
                battle.standing += 1;
            }
        }
        battle.has_one_army = battle.armies.iter().filter(|army| **army != [0; WORDS]).count() == 1;
        battle
    }

    /// One zombie's whole turn.
    ///
    /// Who wins a square is nearly a coin toss even where no coin is tossed, and a processor that
    /// guesses wrong pays more than the work costs. So the loops have no branches: conditions are
    /// counted and shifted instead. Measured on 14×14: a quarter faster than the plain way.
    #[inline(always)]
    fn turn(&mut self, mover: u16, random: &mut Random) {
        let mover_index = usize::from(mover) % ROOM;

        // 1. Every piece leaves, stacks by ascending square. A square is listed as reached when
        //    its first arrivals are counted.
        let army = std::mem::replace(&mut self.armies[mover_index], [0; WORDS]);
        let stacks = list(army, &mut self.left);
        let mut reached = 0;
        for index in 0..stacks {
            let cell = usize::from(self.left[index % ROOM]) % ROOM;
            let pieces = std::mem::take(&mut self.ground[cell].number);
            let sent = split(pieces, random);
            for (to, count) in self.neighbours[cell].into_iter().zip(sent) {
                let arriving = &mut self.ground[usize::from(to) % ROOM].arriving;
                self.reached[reached % ROOM] = to;
                reached += usize::from((*arriving == 0) & (count > 0));
                *arriving += count;
            }
        }
        if reached == 0 {
            return;
        }

        // 2. They arrive, in whatever order: only tosses have one.
        let (mut gained, mut settled, mut ties) = (0, 0, 0);
        let mut held = [0; WORDS];
        for index in 0..reached {
            let to = self.reached[index % ROOM];
            let cell = usize::from(to);
            let square = &mut self.ground[cell % ROOM];
            let arriving = std::mem::take(&mut square.arriving) as u16;
            let (staying, owner) = (square.number, square.owner);
            let foreign = owner != mover;
            let won = foreign & (arriving > staying);
            square.number = staying + arriving;
            square.owner = if won { mover } else { owner };
            settled += u32::from(staying == 0);
            gained += u16::from(won);
            self.tied[ties % ROOM] = to;
            ties += usize::from(foreign & (arriving == staying));
            let (word, bit) = (cell / 64 % WORDS, cell % 64);
            let owner = usize::from(owner) % ROOM;
            self.squares[owner] -= u16::from(won);
            self.armies[owner][word] &= !(u64::from(won) << bit);
            held[word] |= u64::from(won | !foreign) << bit;
        }

        // 3. Equals toss, by ascending square.
        if ties > 1 {
            self.tied[..ties].sort_unstable();
        }
        for index in 0..ties {
            if random.below(2) == 0 {
                continue;
            }
            let cell = usize::from(self.tied[index % ROOM]);
            let square = &mut self.ground[cell % ROOM];
            let owner = usize::from(std::mem::replace(&mut square.owner, mover)) % ROOM;
            let (word, bit) = (cell / 64 % WORDS, cell % 64);
            gained += 1;
            self.squares[owner] -= 1;
            self.armies[owner][word] &= !(1 << bit);
            held[word] |= 1 << bit;
        }
        self.squares[mover_index] += gained;
        self.armies[mover_index] = held;

        // 4. If one owner has all the pieces, it is the owner of whichever we look at.
        self.standing = self.standing + settled - stacks as u32;
        let any = self.ground[usize::from(self.reached[0]) % ROOM].owner;
        let army = &self.armies[usize::from(any) % ROOM];
        self.has_one_army = army.iter().map(|word| word.count_ones()).sum::<u32>() == self.standing;
    }
}

/// Lists the squares of a set, ascending, and returns how many there are.
///
/// Always writes four at a time, counting afterwards: what was written too much is overwritten.
/// Most owners have few stacks, so this rarely takes a branch the processor did not expect.
#[inline(always)]
fn list<const WORDS: usize>(set: [u64; WORDS], out: &mut [u16; ROOM]) -> usize {
    let mut length = 0;
    for (word, mut bits) in set.into_iter().enumerate() {
        let mut next = length;
        length += bits.count_ones() as usize;
        loop {
            for ahead in 0..4 {
                out[(next + ahead) % ROOM] = (word * 64) as u16 + bits.trailing_zeros() as u16;
                bits &= bits.wrapping_sub(1);
            }
            next += 4;
            if next >= length {
                break;
            }
        }
    }
    length
}
