//! A seeded source of random numbers.
//!
//! The rules never draw; the caller that plays random games passes one of these in. The generator is named
//! (xoshiro256++) and the way of drawing below a bound is written here, so a seed means the same
//! games on every machine and after every update of a library.

use rand_xoshiro::Xoshiro256PlusPlus;
use rand_xoshiro::rand_core::{Rng, SeedableRng};

/// A seeded source of random numbers.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Random(Xoshiro256PlusPlus);

impl Random {
    /// The generator that belongs to this seed.
    pub fn seeded(seed: u64) -> Random {
        Random(Xoshiro256PlusPlus::seed_from_u64(seed))
    }

    /// An independent generator for item `index` of a run: game 17 of a match is the same game
    /// whichever thread plays it.
    pub fn stream(seed: u64, index: u64) -> Random {
        Random::seeded(seed ^ (index + 1).wrapping_mul(0x9e37_79b9_7f4a_7c15).rotate_left(31))
    }

    /// 64 random bits.
    #[inline]
    pub fn word(&mut self) -> u64 {
        self.0.next_u64()
    }

    /// A whole number below `bound`, each exactly equally likely (Lemire's method).
    ///
    /// # Panics
    /// If `bound` is 0.
    #[inline]
    pub fn below(&mut self, bound: u32) -> u32 {
        assert!(bound > 0, "nothing to draw from");
        loop {
            let product = (self.word() >> 32) * u64::from(bound);
            // The low half tells whether this draw falls into the uneven remainder.
            let low = product as u32;
            if low >= bound || low >= bound.wrapping_neg() % bound {
                return (product >> 32) as u32;
            }
        }
    }

    /// Puts `items` into an order drawn uniformly from all orders.
    pub fn shuffle<T>(&mut self, items: &mut [T]) {
        for last in (1..items.len()).rev() {
            let other = self.below(last as u32 + 1) as usize;
            items.swap(last, other);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_means_the_same_numbers_for_ever() {
        let mut random = Random::seeded(1);
        let drawn: Vec<u32> = (0..8).map(|_| random.below(100)).collect();
        assert_eq!(drawn, [81, 74, 10, 74, 18, 59, 98, 52]);
    }

    #[test]
    fn every_number_below_the_bound_is_drawn_equally_often() {
        let mut random = Random::seeded(7);
        let mut counts = [0; 6];
        for _ in 0..60_000 {
            counts[random.below(6) as usize] += 1;
        }
        assert!(counts.iter().all(|count| (9_700..10_300).contains(count)), "{counts:?}");
    }
}
