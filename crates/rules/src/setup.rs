//! Opening a game: its options, its start, and what each option may be.

use std::collections::BTreeMap;
use std::ops::RangeInclusive;

use serde::{Deserialize, Serialize};
use serde_json::Value;

use crate::error::{Error, Result, nearest, quote};
use crate::random::Random;

/// What one option of a game is.
#[derive(Clone, Copy, Debug, Serialize)]
pub struct OptionSpec {
    /// Its name in settings, records and (with `-` for `_`) on the command line.
    pub name: &'static str,
    /// What its value looks like: `N`, `COLUMNSxROWS`.
    pub value: &'static str,
    /// One sentence on what it means.
    pub help: &'static str,
    /// What holds when it is not given.
    pub default: &'static str,
    /// Whether the command line is given a file whose JSON content is the value.
    pub is_file: bool,
}

/// Options by name. A value from the command line is a string; one from a record may be any JSON.
#[derive(Clone, PartialEq, Eq, Debug, Default, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Options(BTreeMap<String, Value>);

impl Options {
    /// No options: everything as the game has it by default.
    pub fn none() -> Options {
        Options::default()
    }

    /// The same options with one more.
    #[must_use]
    pub fn with(mut self, name: &str, value: impl Into<Value>) -> Options {
        self.set(name, value);
        self
    }

    /// Sets one option.
    pub fn set(&mut self, name: &str, value: impl Into<Value>) {
        self.0.insert(name.to_owned(), value.into());
    }

    /// The value of an option, if it was given.
    pub fn get(&self, name: &str) -> Option<&Value> {
        self.0.get(name)
    }

    /// The options given, by name.
    pub fn iter(&self) -> impl Iterator<Item = (&str, &Value)> {
        self.0.iter().map(|(name, value)| (name.as_str(), value))
    }

    /// A whole number within `range`, or `default` when the option was not given.
    pub fn whole(&self, name: &str, range: RangeInclusive<u32>, default: u32) -> Result<u32> {
        Ok(self.whole_or_none(name, range, Some(default), false)?.unwrap_or(default))
    }

    /// A whole number within `range`, or `none`.
    pub fn limit(
        &self,
        name: &str,
        range: RangeInclusive<u32>,
        default: Option<u32>,
    ) -> Result<Option<u32>> {
        self.whole_or_none(name, range, default, true)
    }

    fn whole_or_none(
        &self,
        name: &str,
        range: RangeInclusive<u32>,
        default: Option<u32>,
        may_be_none: bool,
    ) -> Result<Option<u32>> {
        let Some(value) = self.get(name) else { return Ok(default) };
        let number = match value {
            Value::Number(number) => number.as_u64(),
            Value::String(text) => {
                if may_be_none && text.trim().eq_ignore_ascii_case("none") {
                    return Ok(None);
                }
                text.trim().parse().ok()
            }
            Value::Null if may_be_none => return Ok(None),
            _ => None,
        };
        match number.and_then(|number| u32::try_from(number).ok()) {
            Some(number) if range.contains(&number) => Ok(Some(number)),
            _ => Err(bad_value(name, value).hint(format!(
                "`{name}` is a whole number from {} to {}{}",
                range.start(),
                range.end(),
                if may_be_none { ", or `none`" } else { "" },
            ))),
        }
    }
}

/// An error that names an option and what it was set to.
pub fn bad_value(name: &str, value: &Value) -> Error {
    let shown = match value {
        Value::String(text) => quote(text),
        other => quote(&other.to_string()),
    };
    Error::option(format!("option `{name}` cannot be {shown}"))
}

/// How to open a game.
#[derive(Debug)]
pub struct Setup<'a> {
    /// The options that differ from the default.
    pub options: &'a Options,
    /// The position to start from; the game's own start if `None`.
    pub position: Option<&'a str>,
    /// Where a random start is drawn from. The drawn start is data from then on: its text is kept
    /// in the record, and the generator is not needed to replay.
    pub random: &'a mut Random,
}

impl Setup<'_> {
    /// Refuses options the game does not have.
    pub fn check_names(&self, game: &str, known: &[OptionSpec]) -> Result<()> {
        for (name, _) in self.options.iter() {
            if known.iter().any(|spec| spec.name == name) {
                continue;
            }
            let names: Vec<&str> = known.iter().map(|spec| spec.name).collect();
            let hint = match nearest(name, names.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None => format!("`{game}` has the options {}", names.join(", ")),
            };
            return Err(Error::option(format!("`{game}` has no option {}", quote(name))).hint(hint));
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_may_be_given_as_text_or_as_json() {
        for value in [Value::from(8), Value::from("8"), Value::from(" 8 ")] {
            assert_eq!(Options::none().with("size", value).whole("size", 1..=20, 14), Ok(8));
        }
        assert_eq!(Options::none().whole("size", 1..=20, 14), Ok(14));
    }

    #[test]
    fn a_wrong_number_is_refused_with_its_range() {
        let error = Options::none().with("size", "99").whole("size", 1..=20, 14).unwrap_err();
        assert_eq!(error.message, "option `size` cannot be `99`");
        assert_eq!(error.hint.unwrap(), "`size` is a whole number from 1 to 20");
        for value in [Value::from(-1), Value::from(2.5), Value::Null, Value::from("none")] {
            assert!(Options::none().with("size", value).whole("size", 1..=20, 14).is_err());
        }
    }
}
