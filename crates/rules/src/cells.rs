//! Sets of squares, as bits.
//!
//! A board's squares are numbered row by row from the top left. Small boards fit one machine word,
//! larger ones two or more; the games are generic over the set, so that a 6×6 board does not pay
//! for 20×20.

use std::fmt::Debug;
use std::hash::Hash;
use std::ops::{BitAnd, BitAndAssign, BitOr, BitOrAssign, BitXor, Not};

/// A set of squares numbered from 0.
pub trait Cells:
    Copy
    + Eq
    + Hash
    + Debug
    + Default
    + Send
    + Sync
    + BitAnd<Output = Self>
    + BitOr<Output = Self>
    + BitXor<Output = Self>
    + Not<Output = Self>
    + BitAndAssign
    + BitOrAssign
    + 'static
{
    /// How many squares there is room for.
    const ROOM: usize;

    /// The set with this one square.
    fn single(cell: u16) -> Self;
    /// Whether the square is in the set.
    fn contains(&self, cell: u16) -> bool;
    /// The lowest square, if there is one.
    fn first(&self) -> Option<u16>;
    /// How many squares are in the set.
    fn count(&self) -> u32;

    /// Whether no square is in the set.
    #[inline]
    fn is_empty(&self) -> bool {
        *self == Self::default()
    }
    /// Whether the two sets share a square.
    #[inline]
    fn meets(&self, other: Self) -> bool {
        !(*self & other).is_empty()
    }
    /// Puts the square in.
    #[inline]
    fn insert(&mut self, cell: u16) {
        *self |= Self::single(cell);
    }
    /// Takes the square out.
    #[inline]
    fn remove(&mut self, cell: u16) {
        *self &= !Self::single(cell);
    }
    /// The squares in ascending order.
    #[inline]
    fn iter(self) -> CellIter<Self> {
        CellIter(self)
    }
}

/// The squares of a set in ascending order.
#[derive(Clone, Debug)]
pub struct CellIter<C>(C);

impl<C: Cells> Iterator for CellIter<C> {
    type Item = u16;
    #[inline]
    fn next(&mut self) -> Option<u16> {
        let cell = self.0.first()?;
        self.0.remove(cell);
        Some(cell)
    }
}

macro_rules! word_cells {
    ($word:ty) => {
        impl Cells for $word {
            const ROOM: usize = <$word>::BITS as usize;
            #[inline]
            fn single(cell: u16) -> Self {
                1 << cell
            }
            #[inline]
            fn contains(&self, cell: u16) -> bool {
                (*self >> cell) & 1 != 0
            }
            #[inline]
            fn first(&self) -> Option<u16> {
                (*self != 0).then(|| self.trailing_zeros() as u16)
            }
            #[inline]
            fn count(&self) -> u32 {
                self.count_ones()
            }
        }
    };
}
word_cells!(u64);
word_cells!(u128);

/// A set of squares on a board too large for one or two words.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Wide<const WORDS: usize>([u64; WORDS]);

impl<const WORDS: usize> Wide<WORDS> {
    /// The set with these words, square 0 in the lowest bit of the first.
    #[inline]
    pub fn from_words(words: [u64; WORDS]) -> Self {
        Wide(words)
    }

    /// The words of the set, square 0 in the lowest bit of the first.
    #[inline]
    pub fn words(&self) -> &[u64; WORDS] {
        &self.0
    }
}

impl<const WORDS: usize> Default for Wide<WORDS> {
    fn default() -> Self {
        Wide([0; WORDS])
    }
}

impl<const WORDS: usize> Cells for Wide<WORDS> {
    const ROOM: usize = WORDS * 64;
    #[inline]
    fn single(cell: u16) -> Self {
        let mut set = Self::default();
        set.0[usize::from(cell / 64)] = 1 << (cell % 64);
        set
    }
    #[inline]
    fn contains(&self, cell: u16) -> bool {
        (self.0[usize::from(cell / 64)] >> (cell % 64)) & 1 != 0
    }
    #[inline]
    fn first(&self) -> Option<u16> {
        let word = self.0.iter().position(|word| *word != 0)?;
        Some(word as u16 * 64 + self.0[word].trailing_zeros() as u16)
    }
    #[inline]
    fn count(&self) -> u32 {
        self.0.iter().map(|word| word.count_ones()).sum()
    }
    #[inline]
    fn insert(&mut self, cell: u16) {
        self.0[usize::from(cell / 64)] |= 1 << (cell % 64);
    }
    #[inline]
    fn remove(&mut self, cell: u16) {
        self.0[usize::from(cell / 64)] &= !(1 << (cell % 64));
    }
}

macro_rules! wide_operator {
    ($operator:ident, $method:ident) => {
        impl<const WORDS: usize> $operator for Wide<WORDS> {
            type Output = Self;
            #[inline]
            fn $method(self, other: Self) -> Self {
                Wide(std::array::from_fn(|i| self.0[i].$method(other.0[i])))
            }
        }
    };
}
wide_operator!(BitAnd, bitand);
wide_operator!(BitOr, bitor);
wide_operator!(BitXor, bitxor);

impl<const WORDS: usize> Not for Wide<WORDS> {
    type Output = Self;
    #[inline]
    fn not(self) -> Self {
        Wide(self.0.map(|word| !word))
    }
}

impl<const WORDS: usize> BitAndAssign for Wide<WORDS> {
    #[inline]
    fn bitand_assign(&mut self, other: Self) {
        *self = *self & other;
    }
}

impl<const WORDS: usize> BitOrAssign for Wide<WORDS> {
    #[inline]
    fn bitor_assign(&mut self, other: Self) {
        *self = *self | other;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn a_set_behaves_like_a_sorted_list<C: Cells>() {
        let mut set = C::default();
        let cells = [0, 3, C::ROOM as u16 - 1, C::ROOM as u16 / 2];
        for cell in cells {
            set.insert(cell);
        }
        let mut sorted = cells.to_vec();
        sorted.sort_unstable();
        assert_eq!(set.iter().collect::<Vec<_>>(), sorted);
        assert_eq!(set.count(), 4);
        assert!(set.contains(3) && !set.contains(4));
        assert!(!set.meets(!set) && set.meets(C::single(3)));
        set.remove(3);
        assert_eq!(set.iter().collect::<Vec<_>>(), [sorted[0], sorted[2], sorted[3]]);
        assert!(C::default().is_empty() && C::default().first().is_none());
    }

    #[test]
    fn sets_of_every_width_behave_alike() {
        a_set_behaves_like_a_sorted_list::<u64>();
        a_set_behaves_like_a_sorted_list::<u128>();
        a_set_behaves_like_a_sorted_list::<Wide<7>>();
    }
}
