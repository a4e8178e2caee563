//! The one line of text that names and tunes an agent: `name` or `name:key=value,key=value`.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::str::FromStr;
use std::time::Duration;

use skirmish_rules::error::{nearest, quote};
use skirmish_rules::{Error, ErrorKind, Result};

/// An agent as it was asked for.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Spec {
    /// Which agent.
    pub name: String,
    settings: BTreeMap<String, String>,
}

fn wrong(message: String) -> Error {
    Error::new(ErrorKind::Option, message)
}

impl FromStr for Spec {
    type Err = Error;

    fn from_str(text: &str) -> Result<Spec> {
        let (name, rest) = text.trim().split_once(':').unwrap_or((text.trim(), ""));
        if name.is_empty() {
            return Err(wrong(format!("the agent {} has no name", quote(text)))
                .hint("an agent reads like `greedy` or `alphabeta:time=0.2s,threads=2`"));
        }
        let mut settings = BTreeMap::new();
        for pair in rest.split(',').map(str::trim).filter(|pair| !pair.is_empty()) {
            let (key, value) = pair.split_once('=').unwrap_or((pair, "on"));
            if settings.insert(key.trim().to_owned(), value.trim().to_owned()).is_some() {
                return Err(wrong(format!("the agent {} sets {} twice", quote(text), quote(key))));
            }
        }
        Ok(Spec { name: name.trim().to_lowercase(), settings })
    }
}

impl fmt::Display for Spec {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.name)?;
        for (place, (key, value)) in self.settings.iter().enumerate() {
            write!(f, "{}{key}={value}", if place == 0 { ':' } else { ',' })?;
        }
        Ok(())
    }
}

impl Spec {
    /// The named agent as it comes.
    pub fn plain(name: &str) -> Spec {
        Spec { name: name.to_owned(), settings: BTreeMap::new() }
    }

    /// The same with the files it names found from this folder: values that look like paths and name
    /// something there.
    #[must_use]
    pub fn within(&self, folder: &Path) -> Spec {
        let mut spec = self.clone();
        for value in spec.settings.values_mut() {
            let looks_like_a_path = value.contains('/') || value.ends_with(".safetensors");
            let path = folder.join(&*value);
            if looks_like_a_path && path.exists() {
                *value = path.to_string_lossy().into_owned();
            }
        }
        spec
    }

    /// Refuses settings the agent does not have.
    pub fn allow(&self, known: &[&str]) -> Result<()> {
        for key in self.settings.keys() {
            if known.contains(&key.as_str()) {
                continue;
            }
            let hint = match nearest(key, known.iter().copied()) {
                Some(meant) => format!("did you mean `{meant}`?"),
                None if known.is_empty() => format!("`{}` has no settings", self.name),
                None => format!("`{}` has the settings {}", self.name, known.join(", ")),
            };
            return Err(wrong(format!("`{}` has no setting {}", self.name, quote(key))).hint(hint));
        }
        Ok(())
    }

    fn bad(&self, key: &str, value: &str, right: &str) -> Error {
        wrong(format!("`{}` cannot have {key}={}", self.name, quote(value)))
            .hint(format!("`{key}` is {right}"))
    }

    /// Any text, if it was set.
    pub fn text(&self, key: &str) -> Option<&str> {
        self.settings.get(key).map(String::as_str)
    }

    /// A whole number, if it was set.
    pub fn whole(&self, key: &str, most: u64) -> Result<Option<u64>> {
        let Some(value) = self.settings.get(key) else { return Ok(None) };
        let digits = value.replace('_', "");
        match digits.parse::<u64>() {
            Ok(number) if (1..=most).contains(&number) => Ok(Some(number)),
            _ => Err(self.bad(key, value, &format!("a whole number from 1 to {most}"))),
        }
    }

    /// A decimal number, if it was set.
    pub fn decimal(&self, key: &str, most: f64) -> Result<Option<f64>> {
        let Some(value) = self.settings.get(key) else { return Ok(None) };
        match value.parse::<f64>() {
            Ok(number) if (0.0..=most).contains(&number) => Ok(Some(number)),
            _ => Err(self.bad(key, value, &format!("a number from 0 to {most}"))),
        }
    }

    /// A time like `0.2s`, `50ms` or `2` (seconds), if it was set.
    pub fn time(&self, key: &str) -> Result<Option<Duration>> {
        let Some(value) = self.settings.get(key) else { return Ok(None) };
        read_time(value)
            .map(Some)
            .ok_or_else(|| self.bad(key, value, "a time like `0.2s`, `50ms` or `1m`, up to a day"))
    }

    /// Something that is on or off, if it was set.
    pub fn switch(&self, key: &str) -> Result<Option<bool>> {
        let Some(value) = self.settings.get(key) else { return Ok(None) };
        match value.as_str() {
            "on" | "true" | "yes" | "1" => Ok(Some(true)),
            "off" | "false" | "no" | "0" => Ok(Some(false)),
            _ => Err(self.bad(key, value, "`on` or `off`")),
        }
    }

    /// One of several words, if it was set.
    pub fn word(&self, key: &str, words: &[&'static str]) -> Result<Option<&'static str>> {
        let Some(value) = self.settings.get(key) else { return Ok(None) };
        match words.iter().find(|word| *word == value) {
            Some(word) => Ok(Some(word)),
            None => Err(self.bad(key, value, &format!("one of {}", words.join(", ")))),
        }
    }
}

/// A time like `0.2s`, `50ms`, `1m` or `2` (seconds): more than nothing, up to a day.
pub fn read_time(text: &str) -> Option<Duration> {
    let text = text.trim();
    let (number, unit) = match text.find(|c: char| c.is_ascii_alphabetic()) {
        Some(place) => text.split_at(place),
        None => (text, "s"),
    };
    let scale = match unit {
        "ms" => 0.001,
        "s" => 1.0,
        "m" | "min" => 60.0,
        "h" => 3600.0,
        _ => return None,
    };
    let seconds = number.trim().parse::<f64>().ok()? * scale;
    (seconds > 0.0 && seconds <= 86_400.0).then(|| Duration::from_secs_f64(seconds))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_reads_back_to_the_equal_agent() {
        for line in
            ["random", "alphabeta:depth=4", "alphabeta:threads=2,time=0.2s", "mcts:reuse=on"]
        {
            assert_eq!(line.parse::<Spec>().unwrap().to_string(), line);
        }
        let spec: Spec = " AlphaBeta: time = 200ms , threads=2 ".parse().unwrap();
        assert_eq!(spec.to_string(), "alphabeta:threads=2,time=200ms");
        assert_eq!(spec.time("time").unwrap(), Some(Duration::from_millis(200)));
        assert_eq!(spec.whole("threads", 64).unwrap(), Some(2));
    }

    #[test]
    fn a_wrong_setting_is_named_with_what_would_be_right() {
        let spec: Spec = "alphabeta:dept=4".parse().unwrap();
        let error = spec.allow(&["depth", "time"]).unwrap_err();
        assert_eq!(error.message, "`alphabeta` has no setting `dept`");
        assert_eq!(error.hint.unwrap(), "did you mean `depth`?");
        let spec: Spec = "alphabeta:depth=0,time=-1s".parse().unwrap();
        assert_eq!(
            spec.whole("depth", 64).unwrap_err().hint.unwrap(),
            "`depth` is a whole number from 1 to 64"
        );
        assert!(spec.time("time").is_err());
        assert!("".parse::<Spec>().is_err());
        assert!("a:b=1,b=2".parse::<Spec>().is_err());
    }

    #[test]
    fn times_are_read_with_their_units() {
        assert_eq!(read_time("50ms"), Some(Duration::from_millis(50)));
        assert_eq!(read_time("0.5"), Some(Duration::from_millis(500)));
        assert_eq!(read_time("2 m"), Some(Duration::from_secs(120)));
        for text in ["", "s", "-1s", "0s", "1e99s", "nan", "inf", "5 parsecs", "90000s"] {
            assert_eq!(read_time(text), None, "{text}");
        }
    }
}
