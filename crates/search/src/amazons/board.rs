//! Sets of cells that can be shifted, and the flood fills made of them.
//!
//! Distances are found layer by layer for all cells at once: one layer of queen moves is an
//! occluded fill along each of the eight rays, one layer of king moves is the set and its
//! neighbours. Nothing here looks at single cells.

use skirmish_rules::cells::{Cells, Wide};
use skirmish_rules::cpu::boosted;
use skirmish_rules::games::amazons::{Amazons, Position};

use super::evaluate::{self, Evaluation, Field, Terms};

/// A set of cells that can be shifted as a whole.
///
/// The large loops over it are methods here, so that they are compiled in this crate, once for each
/// set, however many crates call them.
pub trait Board: Cells {
    /// Whether boards of at most 8×8 are worth a copy of the loops: they are opened on this set.
    const FITS_EIGHT: bool;
    /// Whether boards ten columns wide are worth a copy of their own.
    const FITS_TEN: bool;
    /// Whether boards of 9 to 16 rows and columns are.
    const FITS_SIXTEEN: bool;

    /// What each of these positions of one board is made of; `terms` is as long as `fields`.
    fn find_terms(size: (u16, u16), fields: &[Field<Self>], terms: &mut [Terms]);
    /// Everything the evaluation knows about a position: see [`evaluate::analyse`].
    fn analyse(game: &Amazons<Self>, position: &Position<Self>) -> Evaluation<Self>;

    /// Every cell's number grows by `cells`; what leaves the set is lost.
    fn up(self, cells: u32) -> Self;
    /// Every cell's number shrinks by `cells`; what leaves the set is lost.
    fn down(self, cells: u32) -> Self;
    /// The first column of a board of this width, carried on as far as there is room.
    fn first_column(width: u32) -> Self;
}

const fn column(width: u32, room: u32) -> u128 {
    let mut set = 0;
    let mut cell = 0;
    while cell < room {
        set |= 1 << cell;
        cell += width;
    }
    set
}

/// The loops, as functions that nothing can be generic over.
macro_rules! loops {
    () => {
        fn find_terms(size: (u16, u16), fields: &[Field<Self>], terms: &mut [Terms]) {
            boosted(evaluate::FindTerms { size, fields, terms });
        }
        fn analyse(game: &Amazons<Self>, position: &Position<Self>) -> Evaluation<Self> {
            boosted(evaluate::Analyse { game, position })
        }
    };
}

macro_rules! word_board {
    ($word:ty, eight: $eight:literal, ten and sixteen: $more:literal) => {
        impl Board for $word {
            const FITS_EIGHT: bool = $eight;
            const FITS_TEN: bool = $more;
            const FITS_SIXTEEN: bool = $more;
            loops!();
            #[inline(always)]
            fn up(self, cells: u32) -> Self {
                self.unbounded_shl(cells)
            }
            #[inline(always)]
            fn down(self, cells: u32) -> Self {
                self.unbounded_shr(cells)
            }
            #[inline(always)]
            fn first_column(width: u32) -> Self {
                // The usual widths are constants where the width is known to the compiler.
                const EIGHT: $word = column(8, <$word>::BITS) as $word;
                const TEN: $word = column(10, <$word>::BITS) as $word;
                match width {
                    8 => EIGHT,
                    10 => TEN,
                    _ => column(width, <$word>::BITS) as $word,
                }
            }
        }
    };
}
// More than 8×8 on one word are strips, like 16×4: legal, and rare.
word_board!(u64, eight: true, ten and sixteen: false);
word_board!(u128, eight: false, ten and sixteen: true);

impl Board for Wide<11> {
    const FITS_EIGHT: bool = false;
    const FITS_TEN: bool = false;
    const FITS_SIXTEEN: bool = true;
    loops!();
    #[inline(always)]
    fn up(self, cells: u32) -> Self {
        let words = self.words();
        let (whole, bits) = ((cells / 64) as usize, cells % 64);
        let word = |index: Option<usize>| index.map_or(0, |index| words[index]);
        Wide::from_words(std::array::from_fn(|index| {
            let low = word(index.checked_sub(whole));
            let before = word(index.checked_sub(whole + 1));
            (low << bits) | before.unbounded_shr(64 - bits)
        }))
    }
    #[inline(always)]
    fn down(self, cells: u32) -> Self {
        let words = self.words();
        let (whole, bits) = ((cells / 64) as usize, cells % 64);
        let word = |index: usize| words.get(index).copied().unwrap_or(0);
        Wide::from_words(std::array::from_fn(|index| {
            (word(index + whole) >> bits) | word(index + whole + 1).unbounded_shl(64 - bits)
        }))
    }
    fn first_column(width: u32) -> Self {
        let mut set = Self::default();
        (0..Self::ROOM as u16).step_by(width as usize).for_each(|cell| set.insert(cell));
        set
    }
}

/// The shape of the board: what lies beside what.
#[derive(Clone, Copy, Debug)]
pub(super) struct Shape<C> {
    width: u32,
    /// All cells of the board.
    pub(super) full: C,
    first_column: C,
    last_column: C,
}

impl<C: Board> Shape<C> {
    #[inline(always)]
    pub(super) fn new(width: u32, height: u32) -> Self {
        let first_column = C::first_column(width);
        Shape {
            width,
            full: (!C::default()).down(C::ROOM as u32 - width * height),
            first_column,
            last_column: first_column.up(width - 1),
        }
    }

    /// These cells and their neighbours; beyond the last row there may be cells too many.
    #[inline(always)]
    pub(super) fn around(&self, from: C) -> C {
        let row = from | (from.up(1) & !self.first_column) | (from.down(1) & !self.last_column);
        row | row.up(self.width) | row.down(self.width)
    }

    /// The cells of `through` that can be walked to from `from`, a king's step at a time.
    #[inline(always)]
    pub(super) fn flood(&self, from: C, through: C) -> C {
        let mut reached = self.around(from) & through;
        loop {
            let next = self.around(reached) & through;
            if next == reached {
                return reached;
            }
            reached = next | reached;
        }
    }
}

/// The ground of one position, ready to be flooded: which cells are empty, and how far a ray that
/// arrives at a cell has come over empty cells only.
///
/// `WIDTH` is the board's width where it is worth compiling for, or 0. `STEPS` doublings must reach
/// across the board: 3 up to 8 cells a side, 4 up to 16, 5 up to 32.
pub(super) struct Ground<C, const WIDTH: u32, const STEPS: usize> {
    shape: Shape<C>,
    /// The cells an amazon or an arrow may come to.
    pub(super) empty: C,
    /// For east, south, south-east and south-west: the cells whose last 1, 2, 4, … cells on the
    /// way, themselves included, are empty.
    up: [[C; 4]; STEPS],
    /// The same for west, north, north-west and north-east.
    down: [[C; 4]; STEPS],
}

impl<C: Board, const WIDTH: u32, const STEPS: usize> Ground<C, WIDTH, STEPS> {
    #[inline(always)]
    pub(super) fn new(width: u16, height: u16, blocked: C) -> Self {
        let width = if WIDTH == 0 { u32::from(width) } else { WIDTH };
        let shape = Shape::<C>::new(width, u32::from(height));
        let empty = shape.full & !blocked;
        let mut ground =
            Ground { shape, empty, up: [[empty; 4]; STEPS], down: [[empty; 4]; STEPS] };
        // A ray that steps east cannot arrive in the first column, nor one that steps west in the
        // last.
        let (east, west) = (empty & !shape.first_column, empty & !shape.last_column);
        let rays = ground.rays();
        ground.up[0] = [east, empty, east, west];
        ground.down[0] = [west, empty, west, east];
        for step in 1..STEPS {
            for (ray, shift) in rays.into_iter().enumerate() {
                let up = ground.up[step - 1][ray];
                ground.up[step][ray] = up & up.up(shift << (step - 1));
            }
            for (ray, shift) in rays.into_iter().enumerate() {
                let down = ground.down[step - 1][ray];
                ground.down[step][ray] = down & down.down(shift << (step - 1));
            }
        }
        ground
    }

    #[inline(always)]
    fn rays(&self) -> [u32; 4] {
        let width = if WIDTH == 0 { self.shape.width } else { WIDTH };
        [1, width, width + 1, width - 1]
    }

    /// The cells themselves and all that queens on them reach in one move.
    #[inline(always)]
    pub(super) fn queens(&self, from: C) -> C {
        let rays = self.rays();
        let (mut up, mut down) = ([from; 4], [from; 4]);
        for step in 0..STEPS {
            for ray in 0..4 {
                up[ray] |= up[ray].up(rays[ray] << step) & self.up[step][ray];
            }
            for ray in 0..4 {
                down[ray] |= down[ray].down(rays[ray] << step) & self.down[step][ray];
            }
        }
        let [a, b, c, d]: [C; 4] = std::array::from_fn(|ray| up[ray] | down[ray]);
        (a | b) | (c | d)
    }

    /// The empty cells among these and their neighbours.
    #[inline(always)]
    pub(super) fn kings(&self, from: C) -> C {
        self.around(from) & self.empty
    }

    /// These cells and their neighbours, empty or not.
    #[inline(always)]
    pub(super) fn around(&self, from: C) -> C {
        self.shape.around(from)
    }

    /// For every cell the number of empty neighbours, as four binary digits, the lowest first.
    #[inline(always)]
    pub(super) fn liberties(&self) -> [C; 4] {
        let width = self.rays()[1];
        let empty = self.empty;
        // 1. Each row: the cell with its two sides, as a number from 0 to 3.
        let (west, east) =
            (empty.up(1) & !self.shape.first_column, empty.down(1) & !self.shape.last_column);
        let pair = [west ^ east, west & east];
        let triple = [pair[0] ^ empty, pair[1] | (pair[0] & empty)];
        // 2. The triples above and below, from 0 to 6.
        let [a0, a1] = triple.map(|digit| digit.up(width));
        let [b0, b1] = triple.map(|digit| digit.down(width));
        let low = a0 ^ b0;
        let carry = a0 & b0;
        let middle = a1 ^ b1 ^ carry;
        let high = (a1 & b1) | (carry & (a1 ^ b1));
        // 3. And the pair beside the cell, from 0 to 8.
        let carry = low & pair[0];
        let low = low ^ pair[0];
        let carry_high = (middle & pair[1]) | (carry & (middle ^ pair[1]));
        let middle = middle ^ pair[1] ^ carry;
        [low, middle, high ^ carry_high, high & carry_high]
    }
}

/// Calls `$body` with `Ground` settled to the type that suits the board: the usual widths are
/// compiled with constant shifts, which on two-word sets are twice as fast. Each set of cells has
/// only the copies that its boards are worth; the last arm is right for all.
macro_rules! with_ground {
    ($cells:ty, $width:expr, $height:expr, $blocked:expr, |$ground:ident| $body:expr) => {{
        let (width, height): (u16, u16) = ($width, $height);
        match (width, height) {
            (8, ..=8) if <$cells>::FITS_EIGHT => {
                let $ground = Ground::<$cells, 8, 3>::new(width, height, $blocked);
                $body
            }
            (10, ..=16) if <$cells>::FITS_TEN => {
                let $ground = Ground::<$cells, 10, 4>::new(width, height, $blocked);
                $body
            }
            (..=8, ..=8) if <$cells>::FITS_EIGHT => {
                let $ground = Ground::<$cells, 0, 3>::new(width, height, $blocked);
                $body
            }
            (..=16, ..=16) if <$cells>::FITS_SIXTEEN => {
                let $ground = Ground::<$cells, 0, 4>::new(width, height, $blocked);
                $body
            }
            _ => {
                let $ground = Ground::<$cells, 0, 5>::new(width, height, $blocked);
                $body
            }
        }
    }};
}
pub(super) use with_ground;
