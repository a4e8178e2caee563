//! Where data goes and how failure is told.

use std::fmt;
use std::io::{self, IsTerminal, Write};
use std::process::ExitCode;

use anstream::AutoStream;
use anstyle::{Color, Style};
use serde::Serialize;
use skirmish_rules::draw::Look;
use skirmish_rules::palette;

/// Standard output: buffered, and without colours where they would not be seen.
pub(crate) struct Output {
    stream: io::BufWriter<AutoStream<io::Stdout>>,
    colour: bool,
}

impl Output {
    pub(crate) fn stdout() -> Output {
        let stream = AutoStream::auto(io::stdout());
        let colour = stream.current_choice() != anstream::ColorChoice::Never;
        Output { stream: io::BufWriter::new(stream), colour }
    }

    /// Whether colours will be seen.
    pub(crate) fn has_colour(&self) -> bool {
        self.colour
    }

    /// Whether a person is watching.
    pub(crate) fn is_terminal(&self) -> bool {
        io::stdout().is_terminal()
    }

    /// How to draw here: with the colours, characters and columns that there are.
    pub(crate) fn look(&self, ascii: bool) -> Look {
        let is_terminal = self.is_terminal();
        Look {
            ascii: ascii || (is_terminal && !has_unicode(|name| std::env::var(name).ok())),
            colour: self.colour,
            width: window_width().filter(|_| is_terminal).unwrap_or(Look::default().width),
        }
    }

    /// Prints data as one line of JSON.
    pub(crate) fn json(&mut self, data: &impl Serialize) -> io::Result<()> {
        serde_json::to_writer(&mut self.stream, data)?;
        self.stream.write_all(b"\n")
    }

    pub(crate) fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

impl Write for Output {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        self.stream.write(bytes)
    }
    fn flush(&mut self) -> io::Result<()> {
        self.stream.flush()
    }
}

/// Columns of the window that stdout is, if it is one and knows them.
fn window_width() -> Option<usize> {
    #[cfg(unix)]
    let columns = rustix::termios::tcgetwinsize(io::stdout()).ok()?.ws_col;
    #[cfg(not(unix))]
    let columns = ratatui::crossterm::terminal::size().ok()?.0;
    Some(usize::from(columns)).filter(|columns| *columns > 0)
}

/// Whether the terminal shows more than ASCII: unless the locale names another set of characters.
fn has_unicode(variable: impl Fn(&str) -> Option<String>) -> bool {
    let names = ["LC_ALL", "LC_CTYPE", "LANG"];
    let locale = names.into_iter().filter_map(variable).find(|value| !value.is_empty());
    locale.is_none_or(|locale| {
        let locale = locale.to_ascii_lowercase();
        let charset = locale.split_once('.').map(|(_, charset)| charset);
        charset.map_or(locale != "c" && locale != "posix", |charset| {
            charset.starts_with("utf-8") || charset.starts_with("utf8")
        })
    })
}

/// Why a command did not succeed.
#[derive(Debug)]
pub(crate) enum Fault {
    /// The answer is no: exit code 1. What there is to say has been said.
    No,
    /// Something from outside could not be used: exit code 2.
    Unusable {
        /// What was wrong.
        message: String,
        /// What would be right.
        hint: Option<String>,
    },
    /// A move the rules forbid: exit code 1.
    Illegal {
        /// What was wrong.
        message: String,
        /// What would be right.
        hint: Option<String>,
    },
    /// Our output is not read any more, which is no error.
    ClosedPipe,
}

impl Fault {
    pub(crate) fn unusable(message: impl Into<String>) -> Fault {
        Fault::Unusable { message: message.into(), hint: None }
    }

    #[must_use]
    pub(crate) fn or_hint(mut self, text: impl Into<String>) -> Fault {
        if let Fault::Unusable { hint, .. } | Fault::Illegal { hint, .. } = &mut self {
            hint.get_or_insert(text.into());
        }
        self
    }

    /// Tells the person on stderr, and the shell by an exit code.
    pub(crate) fn report(self) -> ExitCode {
        let (message, hint, code) = match self {
            Fault::ClosedPipe => return ExitCode::SUCCESS,
            Fault::No => return ExitCode::from(1),
            Fault::Illegal { message, hint } => (message, hint, 1),
            Fault::Unusable { message, hint } => (message, hint, 2),
        };
        say("error", palette::ERROR, &message);
        if let Some(hint) = hint {
            say("hint", palette::CODE, &hint);
        }
        ExitCode::from(code)
    }
}

fn say(what: &str, colour: Color, message: &dyn fmt::Display) {
    let style = Style::new().bold().fg_color(Some(colour));
    // With stderr closed there is no reader left.
    let _ = writeln!(anstream::stderr(), "{style}{what}:{style:#} {message}");
}

impl From<skirmish_rules::Error> for Fault {
    fn from(error: skirmish_rules::Error) -> Fault {
        use skirmish_rules::ErrorKind::{Illegal, NotAPlayersTurn};
        let (message, hint) = (error.message, error.hint);
        match error.kind {
            Illegal | NotAPlayersTurn => Fault::Illegal { message, hint },
            _ => Fault::Unusable { message, hint },
        }
    }
}

impl From<skirmish_play::trace::TraceError> for Fault {
    fn from(error: skirmish_play::trace::TraceError) -> Fault {
        Fault::Unusable { message: error.to_string(), hint: error.hint }
    }
}

impl From<io::Error> for Fault {
    fn from(error: io::Error) -> Fault {
        if error.kind() == io::ErrorKind::BrokenPipe {
            Fault::ClosedPipe
        } else {
            Fault::unusable(format!("cannot write: {error}"))
        }
    }
}

/// Tells the person something beside the data, on stderr.
pub(crate) fn note(text: impl fmt::Display) {
    // With stderr closed there is no reader left: `eprintln!` would panic.
    let _ = writeln!(io::stderr(), "{text}");
}

/// A number with commas between the thousands.
pub(crate) fn commas(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (place, digit) in digits.chars().enumerate() {
        if place > 0 && (digits.len() - place).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// So many of something: `1 game`, `2,000 games`.
pub(crate) fn counted(number: u64, thing: &str) -> String {
    format!("{} {thing}{}", commas(number), if number == 1 { "" } else { "s" })
}

/// A rate in the unit that keeps it short: `23.4 M`.
pub(crate) fn rate(per_second: f64) -> String {
    let (scaled, unit) = match per_second {
        rate if rate >= 1e9 => (rate / 1e9, " G"),
        rate if rate >= 1e6 => (rate / 1e6, " M"),
        rate if rate >= 1e3 => (rate / 1e3, " k"),
        rate => (rate, ""),
    };
    format!("{scaled:.*}{unit}", if scaled < 100.0 { 2 } else { 1 })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_locale_says_which_characters_there_are() {
        let with = |pairs: &'static [(&str, &str)]| {
            has_unicode(|name| {
                let pair = pairs.iter().find(|(other, _)| *other == name);
                pair.map(|(_, value)| (*value).to_owned())
            })
        };
        assert!(with(&[]) && with(&[("LANG", "de_DE.UTF-8")]) && with(&[("LANG", "C.utf8")]));
        assert!(with(&[("LC_ALL", ""), ("LC_CTYPE", "C.UTF-8"), ("LANG", "C")]));
        assert!(with(&[("LANG", "en_GB")]));
        assert!(!with(&[("LANG", "C")]) && !with(&[("LANG", "de_DE.ISO-8859-1")]));
        assert!(!with(&[("LC_ALL", "POSIX"), ("LANG", "de_DE.UTF-8")]));
    }
}
