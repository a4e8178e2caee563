//! The transposition table: positions already searched, shared by all threads of a search.
//!
//! Two words an entry, written without a lock: the first holds the key mixed with the second, so a
//! pair torn by two threads writing at once does not fit its key and is not found.

use std::sync::atomic::{AtomicU64, Ordering};

/// What is known of a value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Bound {
    /// It is at least this.
    Lower,
    /// It is at most this.
    Upper,
    /// It is this.
    Exact,
}

/// What was found at a position.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Found {
    /// The value for the mover, wins counted from the position itself.
    pub value: i32,
    /// What is known of it.
    pub bound: Bound,
    /// How many whole turns ahead it was searched.
    pub depth: u8,
    /// The code of the best move.
    pub best: u32,
}

impl Found {
    /// Value 24 bits, depth 8, bound 2, move 30.
    fn pack(self) -> u64 {
        let bound = match self.bound {
            Bound::Lower => 1,
            Bound::Upper => 2,
            Bound::Exact => 3,
        };
        (self.value as u64 & 0xff_ffff) << 40
            | u64::from(self.depth) << 32
            | bound << 30
            | u64::from(self.best & 0x3fff_ffff)
    }

    fn unpack(word: u64) -> Option<Found> {
        let bound = match word >> 30 & 3 {
            1 => Bound::Lower,
            2 => Bound::Upper,
            3 => Bound::Exact,
            _ => return None,
        };
        Some(Found {
            // Shifted up and down again to bring the sign back.
            value: ((word >> 40) as u32 as i32) << 8 >> 8,
            bound,
            depth: (word >> 32) as u8,
            best: word as u32 & 0x3fff_ffff,
        })
    }
}

/// The table.
#[derive(Debug)]
pub struct Table {
    entries: Box<[[AtomicU64; 2]]>,
}

impl Table {
    /// A table of at most so many bytes.
    pub fn with_bytes(bytes: usize) -> Table {
        let entries = (bytes / 16).max(1);
        // A power of two not above: the low bits of the key are the place.
        let entries = 1_usize << entries.ilog2();
        Table { entries: (0..entries).map(|_| [AtomicU64::new(0), AtomicU64::new(0)]).collect() }
    }

    fn entry(&self, key: u64) -> &[AtomicU64; 2] {
        &self.entries[key as usize & (self.entries.len() - 1)]
    }

    /// What is known of the position with this key.
    #[inline]
    pub fn find(&self, key: u64) -> Option<Found> {
        let [check, data] = self.entry(key);
        let word = data.load(Ordering::Relaxed);
        (check.load(Ordering::Relaxed) ^ word == key).then(|| Found::unpack(word)).flatten()
    }

    /// Notes what was found. A deeper search of another position is kept half of the time, so that
    /// old ones do not clog the table.
    #[inline]
    pub fn store(&self, key: u64, found: Found) {
        let [check, data] = self.entry(key);
        let old_word = data.load(Ordering::Relaxed);
        let same = check.load(Ordering::Relaxed) ^ old_word == key;
        if let Some(old) = Found::unpack(old_word) {
            let deeper = old.depth > found.depth.saturating_add(2);
            let keep = if same { found.bound != Bound::Exact } else { key >> 63 == 1 };
            if deeper && keep {
                return;
            }
        }
        let word = found.pack();
        check.store(key ^ word, Ordering::Relaxed);
        data.store(word, Ordering::Relaxed);
    }

    /// Forgets everything.
    pub fn clear(&self) {
        for [check, data] in &self.entries {
            check.store(0, Ordering::Relaxed);
            data.store(0, Ordering::Relaxed);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_stored_is_found_again() {
        let table = Table::with_bytes(1 << 12);
        for value in [0, 1, -1, 1_000_000, -1_000_000, 99_999, -99_999] {
            for bound in [Bound::Lower, Bound::Upper, Bound::Exact] {
                let found = Found { value, bound, depth: 7, best: 0x3fff_ffff };
                table.clear();
                table.store(42, found);
                assert_eq!(table.find(42), Some(found));
                assert_eq!(table.find(42 + (1 << 40)), None, "another key in the same place");
            }
        }
    }
}
