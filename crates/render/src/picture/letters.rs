//! Letters as strokes, for pictures made of pixels: drawn by us, so that a picture needs no font.
//!
//! Each letter is a few lines through points of a grid, two digits a point: across and down. Capitals
//! stand on row 6, small letters begin at row 2, and tails reach row 8.

/// Rows from the top of a capital to the line it stands on.
const HEIGHT: f64 = 6.0;
/// The height of a capital as a part of the size of the text.
const CAPITAL: f64 = 0.70;
/// Between one letter and the next.
const GAP: f64 = 1.7;
/// The width of a space.
const SPACE: f64 = 1.5;

/// The strokes of a letter.
fn strokes(letter: char) -> &'static str {
    match letter {
        'A' => "062046 1434",
        'B' => "06003041423303 3344453606",
        'C' => "4130100105163645",
        'D' => "06003041453606",
        'E' => "40000646 0333",
        'F' => "400006 0333",
        'G' => "41301001051636454323",
        'H' => "0006 4046 0343",
        'I' => "0020 1016 0626",
        'J' => "4045361605",
        'K' => "0006 4004 1346",
        'L' => "000646",
        'M' => "0600234046",
        'N' => "06004640",
        'O' => "103041453616050110",
        'P' => "06003041423303",
        'Q' => "103041453616050110 2446",
        'R' => "06003041423303 2346",
        'S' => "413010010213334445361605",
        'T' => "0040 2026",
        'U' => "000516364540",
        'V' => "002640",
        'W' => "0016233640",
        'X' => "0046 4006",
        'Y' => "002340 2326",
        'Z' => "00400646",
        '0' => "103041453616050110",
        '1' => "012026 0646",
        '2' => "01103041420646",
        '3' => "01103041423323 334445361605",
        '4' => "36300444",
        '5' => "400003334445361605",
        '6' => "4130100105163645443303",
        '7' => "004016",
        '8' => "103041423313020110 1304051636454433",
        '9' => "0516364541301001021343",
        'a' => "3322120305162635 3236",
        'b' => "0006 0312223335261605",
        'c' => "3322120305162635",
        'd' => "3036 3322120305162635",
        'e' => "04343322120305162635",
        'f' => "30201116 0232",
        'g' => "3322120305162635 32372808",
        'h' => "0006 0312223336",
        'i' => "0206 00",
        'j' => "121708 10",
        'k' => "0006 3205 1436",
        'l' => "000516",
        'm' => "0206 03122326 23324346",
        'n' => "0206 0312223336",
        'o' => "122233352616050312",
        'p' => "0208 0312223335261605",
        'q' => "3238 3322120305162635",
        'r' => "0206 031222",
        's' => "3212031424352606",
        't' => "10152636 0232",
        'u' => "0205162635 3236",
        'v' => "022642",
        'w' => "0216233642",
        'x' => "0236 3206",
        'y' => "0205162635 32372808",
        'z' => "02320636",
        '.' => "06",
        ',' => "1607",
        ':' => "03 06",
        ';' => "13 1607",
        '!' => "0004 06",
        '?' => "01103041422324 26",
        '-' => "0424",
        '–' | '—' => "0444",
        '+' => "0343 2125",
        '−' => "0343",
        '=' => "0242 0444",
        '*' => "2125 0242 1135 3115",
        '/' => "0640",
        '\\' => "0046",
        '(' => "10020416",
        ')' => "00121406",
        '[' => "10000616",
        ']' => "00101606",
        '<' => "310335",
        '>' => "013305",
        '%' => "0640 01 45",
        '#' => "1016 3036 0242 0444",
        '\'' | '’' => "0002",
        '"' => "0002 2022",
        '_' => "0747",
        '&' => "4602011020310405162643",
        '@' => "2422132425344130100105163646",
        '|' => "0007",
        '~' => "04133443",
        '×' => "0135 3105",
        '·' => "03",
        '→' => "0343 214325",
        '…' => "06 26 46",
        ' ' => "",
        _ => "0040460600",
    }
}

/// The lines of a letter, and its width.
fn shape_of(letter: char) -> (Vec<Vec<(f64, f64)>>, f64) {
    if letter == ' ' {
        return (Vec::new(), SPACE);
    }
    let lines: Vec<Vec<(f64, f64)>> = strokes(letter)
        .split(' ')
        .map(|line| {
            let digits: Vec<f64> =
                line.chars().filter_map(|digit| digit.to_digit(10)).map(f64::from).collect();
            digits.chunks_exact(2).map(|point| (point[0], point[1])).collect()
        })
        .collect();
    let width = lines.iter().flatten().map(|(across, _)| *across).fold(0.0, f64::max);
    (lines, width)
}

/// How wide a line of text is.
pub(super) fn width_of(text: &str, size: f64) -> f64 {
    let unit = CAPITAL * size / HEIGHT;
    let widths: f64 = text.chars().map(|letter| shape_of(letter).1 + GAP).sum();
    (widths - GAP).max(0.0) * unit
}

/// The lines of a text that begins at `x` and stands on `y`.
pub(super) fn lines_of(text: &str, x: f64, y: f64, size: f64) -> Vec<Vec<(f64, f64)>> {
    let unit = CAPITAL * size / HEIGHT;
    let mut lines = Vec::new();
    let mut left = x;
    for letter in text.chars() {
        let (strokes, width) = shape_of(letter);
        for stroke in strokes {
            let place =
                |(across, down): (f64, f64)| (left + across * unit, y + (down - HEIGHT) * unit);
            lines.push(stroke.into_iter().map(place).collect());
        }
        left += (width + GAP) * unit;
    }
    lines
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Every point is two digits, and no letter leaves its grid.
    #[test]
    fn every_letter_is_whole() {
        for letter in (' '..='~').chain("–—−×·→…’".chars()) {
            for line in strokes(letter).split(' ') {
                assert!(line.len() % 2 == 0, "{letter}: {line}");
            }
            let (lines, width) = shape_of(letter);
            assert!(
                width <= 4.0 && lines.iter().flatten().all(|(_, down)| *down <= 8.0),
                "{letter}"
            );
        }
    }
}
