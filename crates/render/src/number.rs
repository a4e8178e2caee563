//! Numbers for people.

/// A number for an axis: `2.5`, `340`, `12k`, `1.5M`.
pub fn short(value: f64) -> String {
    let size = value.abs();
    let shown = if size >= 1e6 {
        format!("{:.1}M", value / 1e6)
    } else if size >= 10_000.0 {
        format!("{:.0}k", value / 1e3)
    } else if size >= 20.0 || size == 0.0 {
        format!("{value:.0}")
    } else if size >= 1.0 {
        format!("{value:.1}").trim_end_matches(".0").to_owned()
    } else {
        format!("{value:.2}")
    };
    shown.replace(".0M", "M")
}

/// A number with its sign and so many decimals. What rounds to zero is `+0`, never `-0`.
pub fn signed(value: f64, decimals: usize) -> String {
    let shown = format!("{value:+.decimals$}");
    let is_zero = shown.chars().all(|c| !c.is_ascii_digit() || c == '0');
    if is_zero && value.is_finite() { shown.replacen('-', "+", 1) } else { shown }
}

/// A whole number with its thousands set apart: `1 234 567`.
pub fn thousands(value: f64) -> String {
    let digits = format!("{value:.0}");
    let mut shown = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) && shown != "-" {
            shown.push('\u{2009}');
        }
        shown.push(digit);
    }
    shown
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_short_or_set_apart() {
        assert_eq!(thousands(1_234_567.0), "1\u{2009}234\u{2009}567");
        assert_eq!(thousands(-123.0), "-123");
        assert_eq!(short(0.25), "0.25");
        assert_eq!(short(2_000_000.0), "2M");
        assert_eq!(
            (short(10.0), short(-2.5), short(1_000.0)),
            ("10".into(), "-2.5".into(), "1000".into())
        );
    }

    #[test]
    fn nothing_is_minus_zero() {
        for (value, decimals, shown) in [
            (-0.0, 0, "+0"),
            (-0.4, 0, "+0"),
            (-0.004, 2, "+0.00"),
            (-0.5001, 0, "-1"),
            (12.34, 1, "+12.3"),
            (-120.0, 0, "-120"),
            (f64::NEG_INFINITY, 0, "-inf"),
        ] {
            assert_eq!(signed(value, decimals), shown, "{value}");
        }
    }
}
