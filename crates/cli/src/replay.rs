//! `skirmish replay`: a recorded game in the terminal, turn by turn; or the games in a folder.
//!
//! The screen is a value: [`Screen::on`] takes a key, [`Screen::draw`] draws, and neither touches
//! the terminal, so both are tested without one.

use std::io::{BufRead, IsTerminal, Read, Write};
use std::path::PathBuf;
use std::time::{Duration, Instant};

use clap::Args;
use ratatui::Frame as Canvas;
use ratatui::crossterm::event::{self, Event, KeyCode, KeyEvent, KeyEventKind, KeyModifiers};
use ratatui::layout::{Constraint, Layout, Rect};
use ratatui::style::{Color, Modifier, Style, Stylize};
use ratatui::text::{Line, Span};
use ratatui::widgets::{Block, Clear, Gauge, Paragraph, Wrap};
use skirmish_play::faults::harmless;
use skirmish_play::files::{self, Listed};
use skirmish_play::replay::Replay;
use skirmish_rules::draw::{Look, board};
use skirmish_rules::view::Frame;
use skirmish_rules::view::Mark;

use crate::Done;
use crate::export::{one_turn, told};
use crate::output::{Fault, Output, commas, note};

/// Watch a recorded game, turn by turn.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish demo --records games                     makes some records
  skirmish replay games/watch-your-back.json        watch it
  skirmish replay games/in-trap.json --turn 30      begin there
  skirmish replay games                             the games in the folder
  skirmish replay games --game amazons              one of them, by number or name
  skirmish replay battle-royale-3.json --play       a game of the original Game 17 tool, moving
  skirmish replay tournament/games.jsonl --game 12  one of many, one a line
  skirmish replay games/amazons.json --all | less   every position, as text

Keys: right and left step, space plays and stops, + and - change the speed, g and a number jump to \
a turn, home and end go to the ends, page up and down go ten turns, q quits, ? tells all this.

Turns are counted from 1, and the board of turn 30 is the one after it; turn 0 is the start. A coin \
toss of Game 17 is no turn of its own. Where standard output is no terminal, the last board is \
printed, or the one of `--turn`, or with `--all` every one. What an engine thought of its turn is \
told with it. `skirmish export` makes pictures.

With a folder: its games with `number`, `file`, `game`, `players`, `result` and `turns`; on a terminal \
one is asked for. With --json the same as a list.")]
pub(crate) struct Arguments {
    /// A record, a journal, one of many (JSON Lines), the JSON of the original Game 17 tool, or a
    /// folder with any of these.
    #[arg(value_name = "FILE or FOLDER")]
    file: PathBuf,
    /// Which game of a file or a folder with many, counted from 1; in a folder also by name.
    #[arg(long, value_name = "N")]
    game: Option<String>,
    /// Begin at the board after this turn; 0 is the start.
    #[arg(long, value_name = "N")]
    turn: Option<usize>,
    /// Begin at the board after so many events.
    #[arg(long, value_name = "N", hide = true, conflicts_with = "turn")]
    ply: Option<usize>,
    /// Print every board instead of showing a screen.
    #[arg(long, conflicts_with_all = ["ply", "turn"])]
    all: bool,
    /// Of a folder: print the list as JSON.
    #[arg(long, conflicts_with_all = ["all", "game"])]
    json: bool,
    /// Print instead of showing a screen, also on a terminal.
    #[arg(long)]
    print: bool,
    /// Begin to play at once.
    #[arg(long)]
    play: bool,
    /// Turns a second.
    #[arg(long, value_name = "N", value_parser = parse_speed)]
    speed: Option<f64>,
    /// Draw with plain characters only.
    #[arg(long)]
    ascii: bool,
}

fn parse_speed(text: &str) -> Result<f64, String> {
    match text.parse() {
        Ok(speed) if (0.1..=1_000.0).contains(&speed) => Ok(speed),
        _ => Err("turns a second, from 0.1 to 1000".to_owned()),
    }
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let Some(replay) = chosen(arguments, output)? else { return Ok(()) };
    let look = output.look(arguments.ascii);
    let start = one_turn(&replay, arguments.turn, arguments.ply)?;
    if arguments.all || arguments.print || !output.is_terminal() {
        let turns = if arguments.all {
            0..=replay.turns()
        } else {
            let turn = start.unwrap_or(replay.turns());
            turn..=turn
        };
        writeln!(output, "{}", replay.title)?;
        for turn in turns {
            writeln!(output)?;
            write!(output, "{}", told(&replay, turn, look)?)?;
        }
        return Ok(());
    }
    // A game for hundreds has thousands of turns.
    let usual = if replay.turns() > 1_000 { 32.0 } else { 2.0 };
    let speed = arguments.speed.unwrap_or(usual);
    let mut screen = Screen::new(replay, start.unwrap_or(0), speed, look)?;
    screen.is_playing = arguments.play;
    show(&mut screen)
}

/// The game that is meant; `None` where a folder was only listed.
fn chosen(arguments: &Arguments, output: &mut Output) -> Result<Option<Replay>, Fault> {
    let Arguments { file, game, .. } = arguments;
    if !file.is_dir() {
        if arguments.json {
            return Err(Fault::unusable("`--json` lists the games in a folder")
                .or_hint("a record is JSON already"));
        }
        let number = match game.as_deref().map(str::parse) {
            None => None,
            Some(Ok(number)) => Some(number),
            Some(Err(_)) => {
                return Err(Fault::unusable("`--game` is the number of a game in the file")
                    .or_hint("games have names only in a folder"));
            }
        };
        return Ok(Some(Replay::open(file, number)?));
    }
    let listing = files::list(file)?;
    for unreadable in &listing.unreadable {
        note(format_args!("passed over: {unreadable}"));
    }
    let games = &listing.games;
    if games.is_empty() && !arguments.json {
        return Err(Fault::unusable(format!("{}: there are no games in it", file.display()))
            .or_hint("`skirmish match --records DIR` keeps games"));
    }
    if let Some(name) = game {
        return open_listed(games, name).map(Some);
    }
    if arguments.json {
        output.json(&games.iter().map(listed).collect::<Vec<_>>())?;
        return Ok(None);
    }
    list(games, output)?;
    if arguments.print || !output.is_terminal() || !std::io::stdin().is_terminal() {
        let name = file.display();
        note(format_args!("`skirmish replay {name} --game N` shows one"));
        return Ok(None);
    }
    write!(output, "\nwhich game? number or name, nothing to leave: ")?;
    output.flush()?;
    let mut line = String::new();
    std::io::stdin().lock().take(4_096).read_line(&mut line)?;
    match line.trim() {
        "" | "q" => Ok(None),
        name => open_listed(games, name).map(Some),
    }
}

/// The game of this number or name.
fn open_listed(games: &[Listed], name: &str) -> Result<Replay, Fault> {
    let by_number =
        name.parse().ok().and_then(|number: usize| games.iter().find(|game| game.number == number));
    let is_named = |game: &&Listed| {
        let file = file_name(game);
        file == name || file.split('.').next() == Some(name)
    };
    // A file with many games names none of them.
    let by_name = || games.iter().find(|game| game.in_file.is_none() && is_named(game));
    let Some(game) = by_number.or_else(by_name) else {
        let numbers = || games.iter().map(|game| game.number);
        let (first, last) = (numbers().min().unwrap_or(1), numbers().max().unwrap_or(1));
        return Err(Fault::unusable(format!("there is no game `{name}`"))
            .or_hint(format!("the games are numbered {first} to {last}")));
    };
    Ok(Replay::open(&game.file, game.in_file)?)
}

fn file_name(game: &Listed) -> String {
    game.file.file_name().unwrap_or_default().to_string_lossy().into_owned()
}

fn listed(game: &Listed) -> serde_json::Value {
    serde_json::json!({
        "number": game.number, "file": file_name(game), "game": game.title,
        "players": game.players, "result": game.result, "turns": game.turns,
    })
}

/// A table of games, no wider than the window.
fn list(games: &[Listed], output: &mut Output) -> Done {
    let rows = games.iter().map(|game| {
        let result = game.result.as_deref().unwrap_or("not finished");
        [
            game.number.to_string(),
            harmless(&file_name(game), 40),
            game.title.clone(),
            game.players.clone(),
            commas(game.turns as u64),
            result.to_owned(),
        ]
    });
    let heads = ["game", "file", "rules", "players", "turns", "result"].map(str::to_owned);
    let rows: Vec<[String; 6]> = std::iter::once(heads).chain(rows).collect();
    let width = |column: usize| rows.iter().map(|row| row[column].chars().count()).max();
    let widths: Vec<usize> = (0..6).map(|column| width(column).unwrap_or(0)).collect();
    let total = output.look(false).width;
    for row in &rows {
        let mut line = String::new();
        for (column, text) in row.iter().enumerate() {
            let width = widths[column];
            // Numbers stand on the right.
            let cell = match column {
                0 | 4 => format!("{text:>width$}"),
                _ => format!("{text:width$}"),
            };
            line.push_str(&cell);
            line.push_str("  ");
        }
        let line = line.trim_end();
        if output.is_terminal() && line.chars().count() > total {
            let cut: String = line.chars().take(total.saturating_sub(1)).collect();
            writeln!(output, "{cut}…")?;
        } else {
            writeln!(output, "{line}")?;
        }
    }
    Ok(())
}

/// Shows the screen until it is left. The terminal is put back in order, also by a panic.
fn show(screen: &mut Screen) -> Done {
    let mut terminal = ratatui::try_init()?;
    let done = (|| {
        let mut next = Instant::now();
        loop {
            let mut trouble = Ok(());
            terminal.draw(|canvas| trouble = screen.draw(canvas))?;
            trouble?;
            let wait = if screen.is_playing {
                next.saturating_duration_since(Instant::now())
            } else {
                Duration::from_secs(3_600)
            };
            if event::poll(wait)?
                && let Event::Key(key) = event::read()?
                && key.kind != KeyEventKind::Release
                && screen.on(key) == Then::Leave
            {
                return Ok(());
            }
            if screen.is_playing && Instant::now() >= next {
                screen.tick();
                next = Instant::now() + Duration::from_secs_f64(1.0 / screen.speed);
            }
        }
    })();
    ratatui::restore();
    done
}

/// What follows from a key.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Then {
    Stay,
    Leave,
}

struct Screen {
    replay: Replay,
    turn: usize,
    is_playing: bool,
    /// Turns a second.
    speed: f64,
    look: Look,
    /// The number being typed after `g`.
    jump: Option<String>,
    shows_help: bool,
    /// The frame on the screen: drawn again and again, made once.
    frame: Frame,
}

const HELP: &[(&str, &str)] = &[
    ("→ l n", "one turn on"),
    ("← h b", "one turn back"),
    ("space", "play, stop"),
    ("+ -", "faster, slower"),
    ("g 120 ⏎", "jump to turn 120"),
    ("home end", "the start, the end"),
    ("pgup pgdn", "ten turns back, on"),
    ("? ", "this help"),
    ("q esc", "quit"),
];

impl Screen {
    fn new(replay: Replay, turn: usize, speed: f64, look: Look) -> Result<Screen, Fault> {
        let frame = replay.frame(turn)?;
        let (jump, shows_help, is_playing) = (None, false, false);
        Ok(Screen { replay, turn, is_playing, speed, look, jump, shows_help, frame })
    }

    /// Time passes while playing.
    fn tick(&mut self) {
        self.go(self.turn + 1);
        if self.turn == self.replay.turns() {
            self.is_playing = false;
        }
    }

    fn go(&mut self, turn: usize) {
        self.turn = turn.min(self.replay.turns());
    }

    fn on(&mut self, key: KeyEvent) -> Then {
        if key.modifiers.contains(KeyModifiers::CONTROL) && key.code == KeyCode::Char('c') {
            return Then::Leave;
        }
        if std::mem::take(&mut self.shows_help) {
            return Then::Stay;
        }
        if self.jump.is_some() {
            self.type_jump(key.code);
            return Then::Stay;
        }
        match key.code {
            KeyCode::Char('q') | KeyCode::Esc => return Then::Leave,
            KeyCode::Right | KeyCode::Char('l' | 'n') => self.step(self.turn + 1),
            KeyCode::Left | KeyCode::Char('h' | 'b') => self.step(self.turn.saturating_sub(1)),
            KeyCode::PageDown | KeyCode::Down => self.step(self.turn + 10),
            KeyCode::PageUp | KeyCode::Up => self.step(self.turn.saturating_sub(10)),
            KeyCode::Home => self.step(0),
            KeyCode::End => self.step(self.replay.turns()),
            KeyCode::Char(' ' | 'p') => {
                // Playing on at the end is playing again.
                if !self.is_playing && self.turn == self.replay.turns() {
                    self.turn = 0;
                }
                self.is_playing = !self.is_playing;
            }
            KeyCode::Char('+' | '=') => self.speed = (self.speed * 2.0).min(1_024.0),
            KeyCode::Char('-') => self.speed = (self.speed / 2.0).max(0.125),
            KeyCode::Char('g') => self.jump = Some(String::new()),
            KeyCode::Char('?') => self.shows_help = true,
            _ => {}
        }
        Then::Stay
    }

    fn step(&mut self, turn: usize) {
        self.is_playing = false;
        self.go(turn);
    }

    fn type_jump(&mut self, code: KeyCode) {
        let typed = self.jump.get_or_insert_default();
        match code {
            KeyCode::Char(digit) if digit.is_ascii_digit() && typed.len() < 9 => typed.push(digit),
            KeyCode::Backspace => {
                typed.pop();
            }
            KeyCode::Enter => {
                let turn = typed.parse().unwrap_or(self.turn);
                self.jump = None;
                self.step(turn);
            }
            KeyCode::Esc | KeyCode::Char('q') => self.jump = None,
            _ => {}
        }
    }

    fn draw(&mut self, canvas: &mut Canvas<'_>) -> Done {
        if self.frame.turn != self.turn {
            self.frame = self.replay.frame(self.turn)?;
        }
        let [top, bar, keys] =
            Layout::vertical([Constraint::Min(3), Constraint::Length(1), Constraint::Length(1)])
                .areas(canvas.area());
        let lines = self.board(top);
        let wide = lines.iter().map(Line::width).max().unwrap_or(0) as u16 + 4;
        let beside = top.width.saturating_sub(wide);
        if beside > 24 {
            let [left, right] = Layout::horizontal([Constraint::Length(wide), Constraint::Min(24)])
                .spacing(1)
                .areas(top);
            self.draw_board(canvas, left, lines);
            self.draw_facts(canvas, right);
        } else {
            let high = (lines.len() as u16 + 2).min(top.height.saturating_sub(4).max(3));
            let [above, below] =
                Layout::vertical([Constraint::Length(high), Constraint::Min(0)]).areas(top);
            self.draw_board(canvas, above, lines);
            self.draw_facts(canvas, below);
        }
        self.draw_bar(canvas, bar);
        self.draw_keys(canvas, keys);
        if self.shows_help {
            draw_help(canvas);
        }
        Ok(())
    }

    /// The board, with the squares of the last turn in brackets; where it is too large, of counted
    /// pieces only the owner.
    fn board(&self, area: Rect) -> Vec<Line<'static>> {
        let mut view = self.frame.view.clone();
        for cell in &self.frame.changed {
            view.square(*cell).mark = Some(Mark::Chosen);
        }
        let look = Look { width: usize::from(area.width.saturating_sub(2)), ..self.look };
        let lines = styled(board(&view, look), look.colour);
        let is_too_large = lines.iter().any(|line| line.width() > look.width)
            || lines.len() + 2 > usize::from(area.height);
        if !is_too_large {
            return lines;
        }
        for square in &mut view.squares {
            let Some(owner) = square.owner else { continue };
            if let Some(token) = &mut square.token {
                token.text = owner.to_string();
                token.count = None;
            }
            if square.token.is_none() {
                square.owner = None;
            }
        }
        styled(board(&view, look), look.colour)
    }

    fn draw_board(&self, canvas: &mut Canvas<'_>, area: Rect, lines: Vec<Line<'static>>) {
        let block = Block::bordered().title(format!(" {} ", self.replay.title)).title_style(bold());
        let is_cut = lines.iter().any(|line| line.width() as u16 > area.width.saturating_sub(2))
            || lines.len() as u16 > area.height.saturating_sub(2);
        let block = if is_cut { block.title_bottom(" the window is too small ") } else { block };
        canvas.render_widget(Paragraph::new(lines).block(block), area);
    }

    fn draw_facts(&self, canvas: &mut Canvas<'_>, area: Rect) {
        if area.height < 2 {
            return;
        }
        let mut lines = vec![
            Line::from(Span::styled(self.frame.caption.clone(), bold())),
            Line::from(self.frame.view.status.clone()),
        ];
        if let Some(thought) = self.replay.thought(self.turn) {
            lines.push(Line::from(format!("thought: {thought}")).italic());
        }
        lines.push(Line::default());
        for panel in &self.frame.view.panels {
            lines.push(Line::from(vec![
                Span::from(format!("{}: ", panel.label)).dim(),
                Span::from(panel.value.clone()),
            ]));
        }
        // The turns around this one, as far as there is room.
        let room = usize::from(area.height).saturating_sub(lines.len() + 2);
        if room > 2 && !self.replay.caption(0).is_empty() {
            lines.push(Line::default());
            let first = (self.turn + 1).saturating_sub(room / 2).max(1);
            for turn in (first..=self.replay.turns()).take(room) {
                let value = self.replay.thought(turn).and_then(|thought| thought.value);
                let value = value.map_or(String::new(), |value| format!("  {:+.2}", value + 0.0));
                let text = format!("{turn:4}  {}{value}", self.replay.caption(turn));
                let here = turn == self.turn;
                let mark = if here { "▸" } else { " " };
                let style = if here { bold() } else { Style::new().add_modifier(Modifier::DIM) };
                lines.push(Line::from(Span::styled(format!("{mark}{text}"), style)));
            }
        }
        canvas.render_widget(Paragraph::new(lines).wrap(Wrap { trim: false }), area);
    }

    fn draw_bar(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let (turn, turns) = (self.turn, self.replay.turns());
        let label = format!("turn {turn} of {turns}");
        let ratio = if turns == 0 { 1.0 } else { turn as f64 / turns as f64 };
        let style = if self.look.colour {
            Style::new().fg(Color::Cyan).bg(Color::DarkGray)
        } else {
            Style::new()
        };
        let gauge = Gauge::default().ratio(ratio).label(label).gauge_style(style);
        canvas.render_widget(gauge.use_unicode(!self.look.ascii), area);
    }

    fn draw_keys(&self, canvas: &mut Canvas<'_>, area: Rect) {
        let line = match &self.jump {
            Some(typed) => format!(" jump to turn: {typed}_   enter: go   esc: stay here"),
            None => {
                let playing = if self.is_playing { "stop" } else { "play" };
                let speed = self.speed;
                format!(
                    " space {playing}   ←→ step   +- speed {speed}/s   g jump   home end   ? help   q quit"
                )
            }
        };
        let line = if self.look.ascii { line.replace("←→", "<- ->") } else { line };
        canvas.render_widget(Paragraph::new(line).add_modifier(Modifier::DIM), area);
    }
}

fn bold() -> Style {
    Style::new().add_modifier(Modifier::BOLD)
}

fn draw_help(canvas: &mut Canvas<'_>) {
    let lines: Vec<Line<'_>> =
        HELP.iter().map(|(keys, what)| Line::from(format!(" {keys:10} {what}"))).collect();
    let area = canvas.area();
    let (width, height) = (36.min(area.width), (HELP.len() as u16 + 2).min(area.height));
    let help = Rect {
        x: area.x + (area.width - width) / 2,
        y: area.y + (area.height - height) / 2,
        width,
        height,
    };
    canvas.render_widget(Clear, help);
    let block = Block::bordered().title(" keys ").title_bottom(" any key ");
    canvas.render_widget(Paragraph::new(lines).block(block), help);
}

/// Parts with the styles of `anstyle` as those of the screen.
fn styled(lines: Vec<Vec<(String, anstyle::Style)>>, colour: bool) -> Vec<Line<'static>> {
    let span = |(text, style): (String, anstyle::Style)| {
        let mut look = Style::new();
        if colour {
            look.fg = style.get_fg_color().and_then(|colour| match colour {
                anstyle::Color::Ansi(colour) => Some(Color::Indexed(colour as u8)),
                anstyle::Color::Ansi256(colour) => Some(Color::Indexed(colour.0)),
                anstyle::Color::Rgb(_) => None,
            });
        }
        let effects = style.get_effects();
        for (effect, modifier) in [
            (anstyle::Effects::BOLD, Modifier::BOLD),
            (anstyle::Effects::DIMMED, Modifier::DIM),
            (anstyle::Effects::INVERT, Modifier::REVERSED),
        ] {
            if effects.contains(effect) {
                look = look.add_modifier(modifier);
            }
        }
        Span::styled(text, look)
    };
    lines.into_iter().map(|line| Line::from_iter(line.into_iter().map(span))).collect()
}

#[cfg(test)]
mod tests {
    use ratatui::Terminal;
    use ratatui::backend::TestBackend;
    use skirmish_play::record::Record;
    use skirmish_rules::{Options, Random, Setup, open};

    use super::*;

    fn screen(game: &str, size: Option<u16>) -> Screen {
        let mut options = Options::none();
        if let Some(size) = size {
            options.set("size", size);
        }
        let mut random = Random::seeded(3);
        let setup = Setup { options: &options, position: None, random: &mut random };
        let mut table = open(game, setup).unwrap();
        let choice = table.choices()[0];
        let record = Record::random(table.as_mut(), choice, 60, 3).unwrap();
        let replay = Replay::of_record(record).unwrap();
        Screen::new(replay, 0, 2.0, Look::default()).unwrap()
    }

    fn press(screen: &mut Screen, keys: &str) -> Then {
        let mut then = Then::Stay;
        for key in keys.chars() {
            let code = match key {
                '>' => KeyCode::Right,
                '<' => KeyCode::Left,
                '^' => KeyCode::Home,
                '$' => KeyCode::End,
                'v' => KeyCode::PageDown,
                '\n' => KeyCode::Enter,
                key => KeyCode::Char(key),
            };
            then = screen.on(KeyEvent::new(code, KeyModifiers::NONE));
        }
        then
    }

    fn drawn(screen: &mut Screen, width: u16, height: u16) -> String {
        let mut terminal = Terminal::new(TestBackend::new(width, height)).unwrap();
        terminal.draw(|canvas| screen.draw(canvas).unwrap()).unwrap();
        terminal.backend().to_string()
    }

    #[test]
    fn keys_step_jump_play_and_leave() {
        let mut screen = screen("amazons", Some(6));
        let turns = screen.replay.turns();
        assert!(turns > 12, "{turns}");
        for (keys, turn) in [
            (">>>", 3),
            ("<", 2),
            ("<<<", 0),
            ("v", 10),
            ("^", 0),
            ("$", turns),
            (">", turns),
            ("g7\n", 7),
            ("g99999\n", turns),
            ("g\n", turns),
            ("g1x2q", turns),
            ("hb", turns - 2),
        ] {
            assert_eq!(press(&mut screen, keys), Then::Stay, "{keys}");
            assert_eq!(screen.turn, turn, "{keys}");
            drawn(&mut screen, 100, 30);
        }
        press(&mut screen, "++-");
        assert_eq!(screen.speed, 4.0);
        // Playing stops at the end, and begins anew there.
        press(&mut screen, "$ ");
        assert_eq!((screen.turn, screen.is_playing), (0, true));
        (0..turns).for_each(|_| screen.tick());
        assert_eq!((screen.turn, screen.is_playing), (turns, false));
        // A key closes the help and does nothing else.
        assert_eq!(press(&mut screen, "?q"), Then::Stay);
        assert_eq!(press(&mut screen, "q"), Then::Leave);
    }

    #[test]
    fn the_screen_is_as_it_was() {
        let mut amazons = screen("amazons", Some(6));
        press(&mut amazons, ">>>>>");
        insta::assert_snapshot!("amazons", drawn(&mut amazons, 78, 16));
        press(&mut amazons, "?");
        insta::assert_snapshot!("help", drawn(&mut amazons, 60, 14));
        let mut game17 = screen("game17", Some(5));
        press(&mut game17, "g12\n");
        insta::assert_snapshot!("game17", drawn(&mut game17, 50, 24));
    }

    /// Any game in any window: something is drawn, and nothing panics.
    #[test]
    fn no_window_is_too_small_or_too_large() {
        for game in ["watch-your-back", "game17", "in-trap", "amazons"] {
            let mut screen = screen(game, None);
            press(&mut screen, "v>");
            for (width, height) in [(1, 1), (5, 2), (20, 6), (80, 24), (200, 60), (30, 100)] {
                drawn(&mut screen, width, height);
                press(&mut screen, "?");
                drawn(&mut screen, width, height);
                press(&mut screen, "?");
            }
        }
    }

    #[test]
    fn a_board_too_wide_for_the_window_keeps_its_owners() {
        let mut screen = screen("game17", None);
        let wide = drawn(&mut screen, 160, 24);
        let narrow = drawn(&mut screen, 80, 24);
        assert!(wide.contains(":4") && !narrow.contains(":4"), "{wide}{narrow}");
        assert!(!narrow.contains("too small"), "{narrow}");
    }
}
