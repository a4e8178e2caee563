//! A page of Markdown as a terminal shows it: headings, lists, code, and tables with lines.
//!
//! It knows the part of Markdown that our pages use, and is small for that. (A library was tried:
//! it brought a sixth of the build with it.) What it does not know stays as it was written.

use anstyle::Style;
use ratatui::text::Span;
use skirmish_rules::palette;

const HEADING: Style = Style::new().bold().fg_color(Some(palette::HEADING));
const CODE: Style = Style::new().fg_color(Some(palette::CODE));
const STRONG: Style = Style::new().bold();
const EMPHASIS: Style = Style::new().italic();
const LINES: Style = Style::new().fg_color(Some(palette::GREY));

/// The page for a window of so many columns, with styles.
pub(crate) fn typeset(page: &str, width: usize, ascii: bool) -> String {
    let paper = Paper { width: width.max(20), ascii };
    let mut text = String::new();
    let mut was_item = false;
    for block in blocks(page) {
        let is_item = matches!(block, Block::Item { .. });
        // Items of a list stand together; everything else has a blank line before it.
        let goes_on = is_item && was_item;
        if !text.is_empty() && !goes_on {
            text.push('\n');
        }
        was_item = is_item;
        for line in paper.block(&block) {
            text.push_str(line.trim_end());
            text.push('\n');
        }
    }
    text
}

/// What a page is made of.
#[derive(Debug, PartialEq)]
enum Block<'a> {
    Heading(&'a str),
    Paragraph(String),
    Item { indent: usize, marker: &'a str, text: String },
    Code(Vec<&'a str>),
    Table { columns: Vec<Alignment>, rows: Vec<Vec<&'a str>> },
}

#[derive(Clone, Copy, Debug, PartialEq)]
enum Alignment {
    Left,
    Centre,
    Right,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut blocks = Vec::new();
    // Whether the next line of text goes on with the last block.
    let mut is_open = false;
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        let trimmed = line.trim();
        if trimmed.starts_with("```") {
            blocks.push(Block::Code(
                lines.by_ref().take_while(|line| !line.trim().starts_with("```")).collect(),
            ));
            is_open = false;
        } else if let Some(columns) = lines.peek().and_then(|next| table_columns(line, next)) {
            lines.next();
            let mut rows = vec![table_cells(trimmed)];
            while let Some(row) = lines.next_if(|line| line.trim().starts_with('|')) {
                rows.push(table_cells(row.trim()));
            }
            blocks.push(Block::Table { columns, rows });
            is_open = false;
        } else if trimmed.is_empty() {
            is_open = false;
        } else if line.starts_with('#') {
            blocks.push(Block::Heading(line.trim_start_matches('#').trim()));
            is_open = false;
        } else if let Some((marker, text)) = item(trimmed) {
            let indent = line.len() - line.trim_start().len();
            blocks.push(Block::Item { indent, marker, text: text.to_owned() });
            is_open = true;
        } else {
            match blocks.last_mut() {
                Some(Block::Paragraph(text) | Block::Item { text, .. }) if is_open => {
                    text.push(' ');
                    text.push_str(trimmed);
                }
                _ => blocks.push(Block::Paragraph(trimmed.to_owned())),
            }
            is_open = true;
        }
    }
    blocks
}

/// The marker of a list item and what follows it.
fn item(line: &str) -> Option<(&str, &str)> {
    let (marker, text) = line.split_once(' ')?;
    let number = marker.strip_suffix('.').filter(|digits| !digits.is_empty());
    let is_marker = matches!(marker, "-" | "*" | "+")
        || number.is_some_and(|digits| digits.bytes().all(|digit| digit.is_ascii_digit()));
    is_marker.then(|| (marker, text.trim_start()))
}

/// The columns of the table that these two lines begin, if they begin one.
fn table_columns(head: &str, rule: &str) -> Option<Vec<Alignment>> {
    let is_row = |line: &str| line.trim().starts_with('|');
    let is_rule = rule.contains('-') && rule.trim().chars().all(|c| "|-: ".contains(c));
    (is_row(head) && is_row(rule) && is_rule).then(|| {
        let column = |cell: &str| match (cell.starts_with(':'), cell.ends_with(':')) {
            (true, true) => Alignment::Centre,
            (false, true) => Alignment::Right,
            _ => Alignment::Left,
        };
        table_cells(rule.trim()).into_iter().map(column).collect()
    })
}

/// The cells of a row. A `|` in code is part of its cell.
fn table_cells(row: &str) -> Vec<&str> {
    let row = row.strip_prefix('|').unwrap_or(row);
    let row = row.strip_suffix('|').unwrap_or(row);
    let mut is_code = false;
    row.split(|c| {
        is_code ^= c == '`';
        c == '|' && !is_code
    })
    .map(str::trim)
    .collect()
}

/// Text without a break in it: parts, each in one style.
type Word = Vec<(String, Style)>;
/// The same for a line.
type Line = Vec<(String, Style)>;

/// How many columns a text takes.
fn width_of(text: &str) -> usize {
    Span::raw(text).width()
}

fn word_width(word: &Word) -> usize {
    word.iter().map(|(text, _)| width_of(text)).sum()
}

/// The words of a text with its `code`, **strong** and *emphasised* parts styled.
fn words(text: &str, base: Style) -> Vec<Word> {
    let mut words = vec![Word::new()];
    for (text, style) in spans(text, base) {
        for (place, part) in text.split(' ').enumerate() {
            if place > 0 {
                words.push(Word::new());
            }
            if !part.is_empty() {
                words.last_mut().expect("there is a word").push((part.to_owned(), style));
            }
        }
    }
    words.retain(|word| !word.is_empty());
    words
}

/// The parts of a text and their styles.
fn spans(text: &str, base: Style) -> Vec<(String, Style)> {
    let mut spans: Vec<(String, Style)> = Vec::new();
    let mut rest = text;
    while !rest.is_empty() {
        let marked = [("`", CODE), ("**", STRONG), ("*", EMPHASIS)]
            .into_iter()
            .find_map(|(mark, style)| marked(rest, mark).map(|(part, rest)| (part, rest, style)));
        if let Some((part, after, style)) = marked {
            // Code holds no other marks; strong and emphasised text does.
            if style == CODE {
                spans.push((part.to_owned(), style));
            } else {
                spans.extend(self::spans(part, style));
            }
            rest = after;
        } else if let Some((label, target, after)) = link(rest) {
            // A link into our own folder is nothing a reader of the terminal can follow.
            let target =
                if target.contains("://") { format!(" ({target})") } else { String::new() };
            spans.push((format!("{label}{target}"), base));
            rest = after;
        } else {
            let next = rest.chars().next().expect("there is more");
            match spans.last_mut() {
                Some((text, style)) if *style == base => text.push(next),
                _ => spans.push((next.to_string(), base)),
            }
            rest = &rest[next.len_utf8()..];
        }
    }
    spans
}

/// The part between two marks at the start of a text, and what follows.
fn marked<'a>(text: &'a str, mark: &str) -> Option<(&'a str, &'a str)> {
    let inner = text.strip_prefix(mark)?;
    let end = inner.find(mark).filter(|end| *end > 0)?;
    let part = &inner[..end];
    // `2 * 3 * 4` has no emphasis in it.
    let is_loose = mark != "`" && (part.starts_with(' ') || part.ends_with(' '));
    (!is_loose).then(|| (part, &inner[end + mark.len()..]))
}

/// The label and the target of a link at the start of a text, and what follows.
fn link(text: &str) -> Option<(&str, &str, &str)> {
    let (label, rest) = text.strip_prefix('[')?.split_once("](")?;
    let (target, rest) = rest.split_once(')')?;
    (!label.contains(']') && !target.contains(' ')).then_some((label, target, rest))
}

/// What a page is set on.
struct Paper {
    width: usize,
    ascii: bool,
}

/// Longer lines are hard to read, however wide the window is.
const WIDEST_TEXT: usize = 100;

/// How far code is set in.
const CODE_INDENT: usize = 4;

impl Paper {
    fn block(&self, block: &Block) -> Vec<String> {
        let width = self.width.min(WIDEST_TEXT);
        match block {
            Block::Heading(text) => self.wrapped(text, HEADING, width),
            Block::Paragraph(text) => self.wrapped(text, Style::new(), width),
            Block::Item { indent, marker, text } => {
                let bullet = if self.ascii { "-" } else { "•" };
                let marker = if marker.ends_with('.') { marker } else { bullet };
                let hang = indent + width_of(marker) + 1;
                let first = format!("{:indent$}{marker} ", "");
                self.wrapped(text, Style::new(), width.saturating_sub(hang).max(10))
                    .into_iter()
                    .enumerate()
                    .map(|(place, line)| match place {
                        0 => format!("{first}{line}"),
                        _ => format!("{:hang$}{line}", ""),
                    })
                    .collect()
            }
            Block::Code(lines) => {
                let indents = lines.iter().filter(|line| !line.trim().is_empty());
                let indent = indents.map(|line| line.len() - line.trim_start().len()).min();
                let indent = indent.unwrap_or(0);
                let set = |line: &&str| {
                    let code = self.characters(line.get(indent..).unwrap_or("").trim_end());
                    format!("{:CODE_INDENT$}{CODE}{code}{CODE:#}", "")
                };
                lines.iter().map(set).collect()
            }
            Block::Table { columns, rows } => self.table(columns, rows),
        }
    }

    fn wrapped(&self, text: &str, base: Style, width: usize) -> Vec<String> {
        self.lines(words(text, base), width).iter().map(|line| styled(line)).collect()
    }

    /// Words in lines of at most so many columns; a word that is longer than a line is cut.
    fn lines(&self, words: Vec<Word>, width: usize) -> Vec<Line> {
        let mut lines: Vec<Line> = vec![Vec::new()];
        let mut used = 0;
        for word in words {
            let mut word: Word =
                word.into_iter().map(|(text, style)| (self.characters(&text), style)).collect();
            let mut gap = usize::from(used > 0);
            if used + gap + word_width(&word) > width && used > 0 {
                lines.push(Vec::new());
                (used, gap) = (0, 0);
            }
            while word_width(&word) > width {
                let rest = cut(&mut word, width);
                lines.last_mut().expect("there is a line").extend(word);
                lines.push(Vec::new());
                word = rest;
            }
            let line = lines.last_mut().expect("there is a line");
            if gap > 0 {
                // A space between two words of code is part of the code.
                let before = line.last().map_or(Style::new(), |(_, style)| *style);
                let after = word.first().map_or(Style::new(), |(_, style)| *style);
                line.push((" ".to_owned(), if before == after { after } else { Style::new() }));
            }
            used += gap + word_width(&word);
            line.extend(word);
        }
        lines
    }

    /// The text in characters that the terminal has.
    fn characters(&self, text: &str) -> String {
        if !self.ascii {
            return text.to_owned();
        }
        let plain = |c: char| match c {
            '×' => "x".to_owned(),
            '–' | '—' | '−' => "-".to_owned(),
            '…' => "...".to_owned(),
            '·' => ".".to_owned(),
            '≤' => "<=".to_owned(),
            '≥' => ">=".to_owned(),
            '‘' | '’' => "'".to_owned(),
            '“' | '”' => "\"".to_owned(),
            c => c.to_string(),
        };
        text.chars().map(plain).collect()
    }

    fn table(&self, columns: &[Alignment], rows: &[Vec<&str>]) -> Vec<String> {
        let cell = |row: &[&str], column: usize, base: Style| {
            words(row.get(column).copied().unwrap_or(""), base)
        };
        let natural: Vec<usize> = (0..columns.len())
            .map(|column| {
                let cells = rows.iter().map(|row| cell(row, column, STRONG));
                let width = |words: Vec<Word>| {
                    words.iter().map(word_width).sum::<usize>() + words.len().saturating_sub(1)
                };
                cells.map(width).max().unwrap_or(0).max(1)
            })
            .collect();
        let longest: Vec<usize> = (0..columns.len())
            .map(|column| {
                let words = rows.iter().flat_map(|row| cell(row, column, STRONG));
                words.map(|word| word_width(&word)).max().unwrap_or(0).max(1)
            })
            .collect();
        // In a narrow window the spaces beside the lines go before words are cut.
        let room = |padding| self.width.saturating_sub((2 * padding + 1) * columns.len() + 1);
        let padding = usize::from(longest.iter().sum::<usize>() <= room(1));
        let widths = shrunk(natural, &longest, room(padding));

        let set: Vec<Vec<Vec<Line>>> = rows
            .iter()
            .enumerate()
            .map(|(place, row)| {
                let base = if place == 0 { STRONG } else { Style::new() };
                let set = |column| self.lines(cell(row, column, base), widths[column]);
                (0..columns.len()).map(set).collect()
            })
            .collect();
        let is_tall = set.iter().skip(1).flatten().any(|lines| lines.len() > 1);
        let aligned: Vec<Alignment> = (0..columns.len())
            .map(|column| match columns[column] {
                Alignment::Left if is_numeric(rows, column) => Alignment::Right,
                alignment => alignment,
            })
            .collect();

        let [top, middle, bottom] =
            if self.ascii { ["+-++"; 3] } else { ["┌─┬┐", "├─┼┤", "└─┴┘"] };
        let upright = if self.ascii { "|" } else { "│" };
        let rule = |parts| rule(&widths, padding, parts);
        let mut lines = vec![rule(top)];
        for (place, row) in set.iter().enumerate() {
            if place == 1 || (place > 1 && is_tall) {
                lines.push(rule(middle));
            }
            for part in 0..row.iter().map(Vec::len).max().unwrap_or(0) {
                let mut line = format!("{LINES}{upright}{LINES:#}");
                for ((cell, width), alignment) in row.iter().zip(&widths).zip(&aligned) {
                    let spans = cell.get(part).map_or(&[][..], |line| &line[..]);
                    let used: usize = spans.iter().map(|(text, _)| width_of(text)).sum();
                    let spare = width.saturating_sub(used);
                    let left = match alignment {
                        Alignment::Left => 0,
                        Alignment::Centre => spare / 2,
                        Alignment::Right => spare,
                    };
                    let right = spare - left + padding;
                    let left = left + padding;
                    line.push_str(&format!(
                        "{:left$}{}{:right$}{LINES}{upright}{LINES:#}",
                        "",
                        styled(spans),
                        ""
                    ));
                }
                lines.push(line);
            }
        }
        lines.push(rule(bottom));
        lines
    }
}

/// Keeps as much of a word as fits into a line and returns the rest.
fn cut(word: &mut Word, width: usize) -> Word {
    let mut used = 0;
    for place in 0..word.len() {
        let (text, style) = word[place].clone();
        for (at, character) in text.char_indices() {
            used += width_of(&text[at..at + character.len_utf8()]);
            if used > width && (place, at) != (0, 0) {
                let mut rest = word.split_off(place);
                rest[0].0 = text[at..].to_owned();
                if at > 0 {
                    word.push((text[..at].to_owned(), style));
                }
                return rest;
            }
        }
    }
    Word::new()
}

fn styled(spans: &[(String, Style)]) -> String {
    spans.iter().map(|(text, style)| format!("{style}{text}{style:#}")).collect()
}

/// A line of a table: left end, stroke, crossing and right end.
fn rule(widths: &[usize], padding: usize, parts: &str) -> String {
    let [left, stroke, crossing, right] =
        parts.chars().collect::<Vec<_>>().try_into().expect("four parts");
    let strokes: Vec<String> =
        widths.iter().map(|width| String::from(stroke).repeat(width + 2 * padding)).collect();
    format!("{LINES}{left}{}{right}{LINES:#}", strokes.join(&String::from(crossing)))
}

/// Widths that fit into a line: the widest columns give way first, and no column becomes narrower
/// than its longest word as long as another one can give.
fn shrunk(mut widths: Vec<usize>, longest: &[usize], room: usize) -> Vec<usize> {
    for floor in [longest, &vec![1; widths.len()]] {
        while widths.iter().sum::<usize>() > room {
            let places = 0..widths.len();
            let widest = places.filter(|at| widths[*at] > floor[*at]).max_by_key(|at| widths[*at]);
            let Some(widest) = widest else { break };
            widths[widest] -= 1;
        }
    }
    widths
}

/// Whether a column of a table holds numbers.
fn is_numeric(rows: &[Vec<&str>], column: usize) -> bool {
    let mut cells = rows.iter().skip(1).filter_map(|row| row.get(column)).filter(|c| !c.is_empty());
    let is_number = |cell: &&str| {
        cell.chars().all(|c| c.is_ascii_digit() || ",.-+%".contains(c))
            && cell.chars().any(|c| c.is_ascii_digit())
    };
    cells.clone().next().is_some() && cells.all(is_number)
}

#[cfg(test)]
mod tests {
    use super::*;
    use skirmish_rules::{Games, Registry};

    fn plain(page: &str, width: usize, ascii: bool) -> String {
        anstream::adapter::strip_str(&typeset(page, width, ascii)).to_string()
    }

    #[test]
    fn tables_have_lines_and_their_numbers_stand_under_each_other() {
        let page = "| name | meaning | default |\n|---|---|---:|\n| `size` | from **2** to 26 | 10 |\n| a | | 9 |\n";
        assert_eq!(
            plain(page, 80, false),
            "\
┌──────┬──────────────┬─────────┐
│ name │ meaning      │ default │
├──────┼──────────────┼─────────┤
│ size │ from 2 to 26 │      10 │
│ a    │              │       9 │
└──────┴──────────────┴─────────┘
"
        );
        assert_eq!(
            plain("| n | 5 × 5 |\n|---|---|\n| 1 | 2,176 |\n| 22 | |", 80, true),
            "\
+----+-------+
|  n | 5 x 5 |
+----+-------+
|  1 | 2,176 |
| 22 |       |
+----+-------+
"
        );
        // A `|` in code does not end a cell, and a line with strokes alone is no table.
        assert_eq!(table_cells("| `a|b` | c |"), ["`a|b`", "c"]);
        assert_eq!(blocks("|a|\ntext"), [Block::Paragraph("|a| text".to_owned())]);
    }

    #[test]
    fn a_table_that_is_too_wide_is_wrapped_where_its_text_is_longest() {
        let page = "| a | long |\n|---|---|\n| one two | three four five six |\n| b | c |\n";
        assert_eq!(
            plain(page, 25, true),
            "\
+---------+-------------+
| a       | long        |
+---------+-------------+
| one two | three four  |
|         | five six    |
+---------+-------------+
| b       | c           |
+---------+-------------+
"
        );
    }

    #[test]
    fn text_is_wrapped_and_marks_become_styles() {
        let page = "## A `b` **c**\n\nOne *two* three\nfour.\n- five\n  six 2 * 3\n- `x|y`\n\n10. seven\n\n```\n    code\n      more\n```\n";
        assert_eq!(
            plain(page, 20, false),
            "A b c\n\nOne two three four.\n\n• five six 2 * 3\n• x|y\n10. seven\n\n    code\n      more\n"
        );
        let styled = typeset("a **b** *c* `d`", 80, false);
        for part in [
            format!("{STRONG}b{STRONG:#}"),
            format!("{EMPHASIS}c{EMPHASIS:#}"),
            format!("{CODE}d{CODE:#}"),
        ] {
            assert!(styled.contains(&part), "{styled:?}");
        }
        assert_eq!(
            plain("see [the page](page.md), [x](https://x.org)", 80, false),
            "see the page, x (https://x.org)\n"
        );
        assert_eq!(
            plain("abcdefghijklmnopqrstuvwxyz", 20, false),
            "abcdefghijklmnopqrst\nuvwxyz\n"
        );
    }

    /// The letters and digits of a text in order of the alphabet: a cell that is wrapped stands
    /// among the lines of its neighbours.
    fn letters(text: &str) -> String {
        let mut letters: Vec<char> = text.chars().filter(|c| c.is_alphanumeric()).collect();
        letters.sort_unstable();
        letters.into_iter().collect()
    }

    #[test]
    fn every_page_fits_its_window_and_loses_no_word() {
        for entry in Games::ENTRIES {
            for width in [50, 60, 80, 100, 200] {
                for ascii in [false, true] {
                    let page = plain((entry.rules)(), width, ascii);
                    assert!(!page.contains("```") && !page.contains("**"), "{}", entry.name);
                    assert!(!page.lines().any(|line| line.starts_with("# ")), "{}", entry.name);
                    assert!(!page.contains("|---"), "{}", entry.name);
                    assert!(!page.contains("\n\n\n"), "{}", entry.name);
                    // Code is not wrapped: its lines mean something. Its pages keep to 80 columns.
                    let too_wide = |line: &&str| {
                        width_of(line) > width && (width >= 80 || !line.starts_with("    "))
                    };
                    let wide: Vec<&str> = page.lines().filter(too_wide).collect();
                    assert!(wide.is_empty(), "{} at {width}: {wide:#?}", entry.name);
                    if !ascii {
                        assert_eq!(letters(&page), letters((entry.rules)()), "{}", entry.name);
                    }
                    if ascii {
                        assert!(page.is_ascii(), "{}: {page}", entry.name);
                    }
                }
            }
        }
    }
}
