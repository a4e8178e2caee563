//! Tables of text as pandas prints a data frame: `DataFrame.to_string`.

/// One column of a table.
#[derive(Clone, PartialEq, Debug)]
pub enum Column {
    /// Things of many kinds, each already spelled.
    Words(Vec<String>),
    /// Whole numbers.
    Whole(Vec<i64>),
    /// Numbers.
    Real(Vec<f64>),
}

impl Column {
    /// The cells as they are written.
    fn cells(&self) -> Vec<String> {
        match self {
            Column::Words(words) => words.clone(),
            Column::Whole(numbers) => {
                numbers.iter().map(|number| signed(&number.to_string())).collect()
            }
            Column::Real(numbers) => reals(numbers),
        }
    }
}

/// The table: a name for each row, and columns with names. No line end after the last row.
pub fn table(rows: &[String], columns: &[(&str, Column)]) -> String {
    if rows.is_empty() {
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        return format!("Empty DataFrame\nColumns: [{}]\nIndex: []", names.join(", "));
    }
    let widest =
        |texts: &[String]| texts.iter().map(|text| text.chars().count()).max().unwrap_or(0);
    let margin = widest(rows);
    let mut lines = vec![format!("{:margin$}", "")];
    lines.extend(rows.iter().map(|row| format!("{row:margin$}")));
    for (name, column) in columns {
        // Numbers keep a place for their sign, and so do their names.
        let lead = if matches!(column, Column::Words(_)) { "" } else { " " };
        let mut cells = vec![format!("{lead}{name}")];
        cells.extend(column.cells());
        let width = widest(&cells);
        for (line, cell) in lines.iter_mut().zip(cells) {
            line.push_str(&format!(" {cell:>width$}"));
        }
    }
    lines.join("\n")
}

/// A number among things of other kinds: six decimals, without the zeros at its end.
pub fn real_word(number: f64) -> String {
    let text = format!("{number:.6}");
    let text = text.trim_end_matches('0');
    signed(&if text.ends_with('.') { format!("{text}0") } else { text.to_owned() })
}

/// A number as Python writes it by itself.
pub fn python_float(number: f64) -> String {
    if number == 0.0 {
        return "0.0".to_owned();
    }
    let exponent = number.abs().log10().floor();
    if (-4.0..16.0).contains(&exponent) {
        let text = number.to_string();
        return if text.contains('.') { text } else { format!("{text}.0") };
    }
    exponential(&format!("{number:e}"))
}

/// With a place for the sign.
fn signed(text: &str) -> String {
    if text.starts_with('-') { text.to_owned() } else { format!(" {text}") }
}

/// `5e-7` as Python writes it: `5e-07`.
fn exponential(text: &str) -> String {
    let Some((digits, exponent)) = text.split_once('e') else { return text.to_owned() };
    let (sign, exponent) = match exponent.strip_prefix('-') {
        Some(exponent) => ('-', exponent),
        None => ('+', exponent),
    };
    format!("{digits}e{sign}{exponent:0>2}")
}

/// A column of numbers: alike, with six decimals or fewer; with exponents where one is smaller.
fn reals(numbers: &[f64]) -> Vec<String> {
    let is_tiny = |number: &f64| *number != 0.0 && number.abs() < 1e-6;
    if numbers.iter().any(is_tiny) {
        return numbers
            .iter()
            .map(|number| signed(&exponential(&format!("{number:.6e}"))))
            .collect();
    }
    let mut texts: Vec<String> =
        numbers.iter().map(|number| signed(&format!("{number:.6}"))).collect();
    while texts.iter().all(|text| text.ends_with('0') && !text.ends_with(".0")) {
        texts.iter_mut().for_each(|text| text.truncate(text.len() - 1));
    }
    texts
}

#[cfg(test)]
mod tests {
    use super::*;

    fn rows(names: &[&str]) -> Vec<String> {
        names.iter().map(|name| (*name).to_owned()).collect()
    }

    /// Every text here was printed by pandas 3.1.1.
    #[test]
    fn tables_are_those_of_pandas() {
        let words = |words: &[&str]| Column::Words(rows(words));
        let max_time = Column::Words([0.000_123_456, 0.00123, 0.25].map(real_word).to_vec());
        assert_eq!(
            table(
                &rows(&["1", "2", "3"]),
                &[("games won", words(&["25", "7", "banned"])), ("max time", max_time)]
            ),
            "  games won  max time\n1        25  0.000123\n2         7   0.00123\n3    banned      0.25"
        );
        assert_eq!(
            table(
                &rows(&["1", "2", "10"]),
                &[
                    ("games won", words(&["0", "0", "banned"])),
                    (
                        "max time",
                        Column::Words(vec!["0".to_owned(), real_word(0.5), real_word(1e-7)])
                    )
                ]
            ),
            "   games won max time\n1          0        0\n2          0      0.5\n10    banned      0.0"
        );
        assert_eq!(
            table(&rows(&["0", "1", "2"]), &[("players", words(&["3", "1, 2", "4"]))]),
            "  players\n0       3\n1    1, 2\n2       4"
        );
        assert_eq!(
            table(&[], &[("games won", words(&[])), ("max time", words(&[]))]),
            "Empty DataFrame\nColumns: [games won, max time]\nIndex: []"
        );
        assert_eq!(
            table(&rows(&["1 vs 2", "10 vs 2"]), &[("winner", words(&["1", "10"]))]),
            "        winner\n1 vs 2       1\n10 vs 2     10"
        );
        assert_eq!(
            table(&rows(&["3", "17", "150"]), &[("squares", Column::Whole(vec![40, 1, 155]))]),
            "     squares\n3         40\n17         1\n150      155"
        );
        for (numbers, expected) in [
            (vec![0.000_123, 0.5], "      times\n1  0.000123\n2  0.500000"),
            (vec![0.000_123, -1.0], "      times\n1  0.000123\n2 -1.000000"),
            (vec![0.00001, 123.5], "       times\n1    0.00001\n2  123.50000"),
            (vec![5e-7, 0.01], "          times\n1  5.000000e-07\n2  1.000000e-02"),
        ] {
            assert_eq!(table(&rows(&["1", "2"]), &[("times", Column::Real(numbers))]), expected);
        }
        assert_eq!(
            table(&rows(&["1", "2"]), &[("times", Column::Whole(vec![-1, -1]))]),
            "   times\n1     -1\n2     -1"
        );
    }

    /// Every text here was written by Python's `repr`.
    #[test]
    fn numbers_are_those_of_python() {
        for (number, expected) in [
            (0.0, "0.0"),
            (0.000_123_4, "0.0001234"),
            (0.000_012_34, "1.234e-05"),
            (3e-7, "3e-07"),
            (2.0, "2.0"),
            (-1.5, "-1.5"),
        ] {
            assert_eq!(python_float(number), expected);
        }
    }
}
