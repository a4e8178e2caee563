//! The colours of terminal output, each of which is readable on a light and on a dark background.
//!
//! All of them are taken from the 6×6×6 cube and the greys of the 256-colour palette. Terminals
//! show those as they are, while the sixteen named colours follow the theme: bright yellow cannot
//! be read on white, and "bright black" is the background itself in some themes.

use anstyle::{Ansi256Color, Color};

use crate::game::Seat;

/// Headings.
pub const HEADING: Color = Color::Ansi256(Ansi256Color(32));
/// Code in running text, and hints.
pub const CODE: Color = Color::Ansi256(Ansi256Color(30));
/// Errors.
pub const ERROR: Color = Color::Ansi256(Ansi256Color(160));
/// What stays in the background: empty squares, walls, seats without a player.
pub const GREY: Color = Color::Ansi256(Ansi256Color(243));

/// Seats in turn. The first two, orange and blue, are told apart by colour-blind readers too.
const SEATS: [u8; 12] = [166, 32, 28, 163, 100, 30, 160, 98, 130, 61, 64, 132];

/// The colour of a seat. Later seats use the same colours again: a colour never says alone whose
/// piece it is.
pub fn seat(seat: Seat) -> Color {
    Color::Ansi256(Ansi256Color(SEATS[seat.index() % SEATS.len()]))
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The contrast of a palette entry with white and with black, as WCAG 2 defines it.
    fn contrasts(color: Color) -> [f64; 2] {
        let Color::Ansi256(Ansi256Color(number)) = color else { panic!("{color:?} has no value") };
        let rgb = match number {
            16..=231 => {
                let level = |step: u8| [0, 95, 135, 175, 215, 255][usize::from(step)];
                [(number - 16) / 36, (number - 16) / 6 % 6, (number - 16) % 6].map(level)
            }
            232..=255 => [8 + 10 * (number - 232); 3],
            _ => panic!("colour {number} follows the theme"),
        };
        let linear = |value: u8| match f64::from(value) / 255.0 {
            value if value <= 0.03928 => value / 12.92,
            value => ((value + 0.055) / 1.055).powf(2.4),
        };
        let [red, green, blue] = rgb.map(linear);
        let luminance = 0.2126 * red + 0.7152 * green + 0.0722 * blue;
        [1.05 / (luminance + 0.05), (luminance + 0.05) / 0.05]
    }

    #[test]
    fn every_colour_is_readable_on_white_and_on_black() {
        let seats = (0..30).map(|number| seat(Seat(number)));
        for color in [HEADING, CODE, ERROR, GREY].into_iter().chain(seats) {
            let [on_white, on_black] = contrasts(color);
            assert!(on_white >= 3.5 && on_black >= 3.5, "{color:?}: {on_white} {on_black}");
        }
        // The check itself: white on white is no contrast, black on white is 21 to 1.
        assert_eq!(contrasts(Color::Ansi256(Ansi256Color(231)))[0], 1.0);
        assert_eq!(contrasts(Color::Ansi256(Ansi256Color(16)))[0], 21.0);
    }
}
