//! A tournament while it is played: a screen in a terminal, lines elsewhere.

use std::collections::VecDeque;
use std::io::{self, Stderr};
use std::time::{Duration, Instant};

use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;
use ratatui::crossterm::event::{self, Event as Input, KeyCode, KeyModifiers};
use ratatui::crossterm::execute;
use ratatui::crossterm::terminal::{
    EnterAlternateScreen, LeaveAlternateScreen, disable_raw_mode, enable_raw_mode,
};
use ratatui::layout::{Constraint, Layout};
use ratatui::style::{Style, Stylize};
use ratatui::text::Line;
use ratatui::widgets::{Block, Gauge, Paragraph, Row, Table};
use skirmish_search::Stop;
use skirmish_tournament::runner::Event;
use skirmish_tournament::settings::{Format, Settings};
use skirmish_tournament::store::{GameSummary, StoredGame};

use crate::output::{commas, note};

/// Faults that are shown.
const SHOWN_FAULTS: usize = 6;
/// How often the screen is drawn.
const FRAME: Duration = Duration::from_millis(100);

/// A person who looks on.
pub(crate) trait Live {
    /// These were there before.
    fn found(&mut self, kept: &[StoredGame]);
    /// Something has happened.
    fn hear(&mut self, event: Event<'_>);
}

/// No one.
pub(crate) struct Silent;

impl Live for Silent {
    fn found(&mut self, _: &[StoredGame]) {}
    fn hear(&mut self, _: Event<'_>) {}
}

/// How an agent stands so far.
#[derive(Clone, Debug, Default)]
struct Tallied {
    name: String,
    games: u64,
    points: f64,
    squares: f64,
    faults: u64,
}

/// Everything there is to show.
#[derive(Clone, Debug)]
pub(crate) struct Progress {
    title: String,
    is_free_for_all: bool,
    agents: Vec<Tallied>,
    kept: u64,
    total: Option<u64>,
    /// Games of this run, and since when.
    played: u64,
    began: Instant,
    faults: VecDeque<String>,
    overloaded: u64,
}

impl Progress {
    pub(crate) fn new(settings: &Settings) -> Progress {
        let tallied = |name: String| Tallied { name, ..Tallied::default() };
        Progress {
            title: settings.title(),
            is_free_for_all: settings.format == Format::FreeForAll,
            agents: settings.names().into_iter().map(tallied).collect(),
            kept: 0,
            total: None,
            played: 0,
            began: Instant::now(),
            faults: VecDeque::new(),
            overloaded: 0,
        }
    }

    fn add(&mut self, slip: &GameSummary) {
        self.kept += 1;
        self.overloaded += u64::from(slip.overload.is_some());
        for (place, agent) in slip.agents.iter().enumerate() {
            let Some(tallied) = self.agents.get_mut(*agent) else { continue };
            tallied.games += 1;
            tallied.points += slip.points[place];
            let squares = slip.scores.as_ref().map_or(0.0, |scores| f64::from(scores[place]));
            tallied.squares += if slip.has_forfeited(place) { 0.0 } else { squares };
            let seat = slip.seats[place];
            tallied.faults += slip.faults.iter().filter(|fault| fault.seat == seat).count() as u64;
        }
        for fault in &slip.faults {
            let place = slip.seats.iter().position(|seat| *seat == fault.seat);
            let name = place.and_then(|place| slip.names.get(place)).map_or("?", String::as_str);
            let text = format!("{name}, game {}: {}", slip.number, fault.sentence);
            self.faults.push_back(text);
            if self.faults.len() > SHOWN_FAULTS {
                self.faults.pop_front();
            }
        }
    }

    fn hear(&mut self, event: Event<'_>) {
        match event {
            Event::Plan { plan, kept, due } => {
                self.total = plan.total.or(Some((kept + due) as u64).filter(|_| plan.is_final));
            }
            Event::Stored(game) => {
                self.played += 1;
                self.add(&game.slip);
            }
            Event::Tick => {}
        }
    }

    /// Games a second of this run.
    fn rate(&self) -> f64 {
        self.played as f64 / self.began.elapsed().as_secs_f64().max(1e-3)
    }

    fn left(&self) -> Option<String> {
        let left = self.total?.saturating_sub(self.kept);
        (self.played > 0).then(|| span(left as f64 / self.rate().max(1e-9)))
    }

    /// The part that is done; nothing if that is not known.
    fn part(&self) -> f64 {
        self.total.map_or(0.0, |total| self.kept as f64 / total.max(self.kept).max(1) as f64)
    }

    /// Best first.
    fn order(&self) -> Vec<&Tallied> {
        let merit = |agent: &Tallied| {
            let won = if self.is_free_for_all { agent.squares } else { agent.points };
            if agent.games == 0 { -1.0 } else { won / agent.games as f64 }
        };
        let mut order: Vec<&Tallied> = self.agents.iter().collect();
        order.sort_by(|a, b| merit(b).total_cmp(&merit(a)));
        order
    }

    fn summary(&self) -> String {
        let total = self.total.map_or_else(String::new, |total| format!("/{}", commas(total)));
        let left = self.left().map_or_else(String::new, |left| format!(", {left} left"));
        format!("{}{total} games, {:.1} games/s{left}", commas(self.kept), self.rate())
    }
}

/// Lines on stderr: few at the beginning, fewer later.
pub(crate) struct Lines {
    progress: Progress,
    next: Instant,
    pause: Duration,
    told_faults: u64,
}

impl Lines {
    pub(crate) fn new(progress: Progress) -> Lines {
        let pause = Duration::from_secs(2);
        Lines { progress, next: Instant::now() + pause, pause, told_faults: 0 }
    }
}

impl Live for Lines {
    fn found(&mut self, kept: &[StoredGame]) {
        kept.iter().for_each(|kept| self.progress.add(&kept.slip));
        if !kept.is_empty() {
            let count = kept.len() as u64;
            note(format_args!(
                "going on: {} are kept already",
                crate::output::counted(count, "game")
            ));
        }
    }

    fn hear(&mut self, event: Event<'_>) {
        /// A broken agent must not fill the log of a night.
        const MOST_FAULTS: u64 = 20;
        self.progress.hear(event);
        if let Event::Stored(game) = event {
            for fault in &game.slip.faults {
                self.told_faults += 1;
                if self.told_faults <= MOST_FAULTS {
                    note(format_args!("fault in game {}: {}", game.slip.number, fault.sentence));
                }
                if self.told_faults == MOST_FAULTS {
                    note("further faults are told in the report only");
                }
            }
        }
        if Instant::now() >= self.next {
            let best = self.progress.order();
            let best: Vec<String> =
                best.iter().take(3).map(|agent| standing(agent, &self.progress)).collect();
            note(format_args!("{}; {}", self.progress.summary(), best.join(", ")));
            self.pause = (self.pause * 2).min(Duration::from_secs(60));
            self.next = Instant::now() + self.pause;
        }
    }
}

fn standing(agent: &Tallied, progress: &Progress) -> String {
    if progress.is_free_for_all {
        let squares = agent.squares / agent.games.max(1) as f64;
        return format!("{} {squares:.1} squares", agent.name);
    }
    format!("{} {}/{}", agent.name, agent.points, agent.games)
}

/// A screen of its own on stderr.
pub(crate) struct Dashboard {
    terminal: Terminal<CrosstermBackend<Stderr>>,
    progress: Progress,
    drawn: Instant,
    stop: Stop,
}

impl Dashboard {
    pub(crate) fn new(progress: Progress, stop: &Stop) -> io::Result<Dashboard> {
        enable_raw_mode()?;
        let begun = execute!(io::stderr(), EnterAlternateScreen)
            .and_then(|()| Terminal::new(CrosstermBackend::new(io::stderr())));
        let terminal = begun.inspect_err(|_| drop(disable_raw_mode()))?;
        let drawn = Instant::now().checked_sub(FRAME).unwrap_or_else(Instant::now);
        Ok(Dashboard { terminal, progress, drawn, stop: stop.clone() })
    }

    fn listen(&mut self) {
        while event::poll(Duration::ZERO).unwrap_or(false) {
            let Ok(Input::Key(key)) = event::read() else { continue };
            let interrupts =
                key.code == KeyCode::Char('c') && key.modifiers.contains(KeyModifiers::CONTROL);
            if interrupts || matches!(key.code, KeyCode::Char('q') | KeyCode::Esc) {
                self.stop.stop();
            }
        }
    }

    fn draw(&mut self) {
        self.drawn = Instant::now();
        let is_stopped = self.stop.is_stopped();
        let progress = &self.progress;
        // A terminal that cannot be drawn on has no reader.
        let _ = self.terminal.draw(|frame| show(frame, progress, is_stopped));
    }
}

fn show(frame: &mut ratatui::Frame<'_>, progress: &Progress, is_stopped: bool) {
    let faults = progress.faults.len().min(SHOWN_FAULTS) as u16;
    let [top, table, bottom, keys] = Layout::vertical([
        Constraint::Length(3),
        Constraint::Min(4),
        Constraint::Length(if faults == 0 { 0 } else { faults + 2 }),
        Constraint::Length(1),
    ])
    .areas(frame.area());

    let gauge = Gauge::default()
        .block(Block::bordered().title(format!(" {} ", progress.title)))
        .gauge_style(Style::new().cyan())
        .ratio(progress.part().clamp(0.0, 1.0))
        .label(progress.summary());
    frame.render_widget(gauge, top);

    let last = if progress.is_free_for_all { "squares" } else { "score" };
    let rows = progress.order().into_iter().enumerate().map(|(place, agent)| {
        let games = agent.games.max(1) as f64;
        let score = if progress.is_free_for_all {
            format!("{:.1}", agent.squares / games)
        } else {
            format!("{:.1} %", 100.0 * agent.points / games)
        };
        let row = Row::new([
            (place + 1).to_string(),
            agent.name.clone(),
            agent.games.to_string(),
            agent.points.to_string(),
            score,
            agent.faults.to_string(),
        ]);
        if agent.faults > 0 { row.yellow() } else { row }
    });
    let widths = [
        Constraint::Length(4),
        Constraint::Min(12),
        Constraint::Length(7),
        Constraint::Length(8),
        Constraint::Length(9),
        Constraint::Length(6),
    ];
    let standings = Table::new(rows, widths)
        .header(Row::new(["#", "agent", "games", "points", last, "faults"]).bold())
        .block(Block::bordered().title(" standings so far "));
    frame.render_widget(standings, table);

    if faults > 0 {
        let lines: Vec<Line<'_>> =
            progress.faults.iter().map(|fault| Line::from(fault.as_str())).collect();
        let last = Paragraph::new(lines).block(Block::bordered().title(" last faults "));
        frame.render_widget(last, bottom);
    }
    let overload = match progress.overloaded {
        0 => String::new(),
        games => format!("   the machine was overloaded in {games} games"),
    };
    let hint = if is_stopped {
        "stopping: finished games are kept".to_owned()
    } else {
        format!("q stops; the same command goes on{overload}")
    };
    frame.render_widget(Line::from(hint).dim(), keys);
}

impl Live for Dashboard {
    fn found(&mut self, kept: &[StoredGame]) {
        kept.iter().for_each(|kept| self.progress.add(&kept.slip));
    }

    fn hear(&mut self, event: Event<'_>) {
        self.progress.hear(event);
        if self.drawn.elapsed() >= FRAME {
            self.listen();
            self.draw();
        }
    }
}

impl Drop for Dashboard {
    fn drop(&mut self) {
        let _ = execute!(io::stderr(), LeaveAlternateScreen);
        let _ = disable_raw_mode();
    }
}

/// A time as people say it.
pub(crate) fn span(seconds: f64) -> String {
    let whole = seconds.round().clamp(0.0, 1e12) as u64;
    match whole {
        _ if seconds < 9.95 => format!("{seconds:.2} s"),
        0..60 => format!("{whole} s"),
        60..3_600 => format!("{} min {} s", whole / 60, whole % 60),
        3_600..172_800 => format!("{} h {} min", whole / 3_600, whole / 60 % 60),
        _ => format!("{} days", whole / 86_400),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use ratatui::backend::TestBackend;

    #[test]
    fn the_screen_shows_standings_speed_and_faults() {
        let settings = Settings::read(
            "title = \"A class\"\ngame = \"amazons\"\nformat = \"round-robin\"\n\
             agents = [\"greedy\", { spec = \"random\", name = \"Anna\" }]",
        )
        .unwrap();
        let mut progress = Progress::new(&settings);
        (progress.kept, progress.played, progress.total) = (5, 5, Some(10));
        let anna = &mut progress.agents[1];
        (anna.games, anna.points, anna.faults) = (5, 4.5, 1);
        progress.faults.push_back("Anna, game 3: white (Anna) failed".to_owned());
        let mut terminal = Terminal::new(TestBackend::new(80, 14)).unwrap();
        terminal.draw(|frame| show(frame, &progress, false)).unwrap();
        let screen = terminal.backend().to_string();
        println!("{screen}");
        for words in ["A class", "5/10 games", " left", "last faults", "Anna, game 3", "q stops"] {
            assert!(screen.contains(words), "{words}");
        }
        let place = |word: &str| screen.find(word).unwrap();
        assert!(place("Anna  ") < place("greedy"), "the best comes first");
        assert!(screen.contains("90.0 %"));
    }

    #[test]
    fn times_are_told_as_people_tell_them() {
        let told = [0.5, 12.0, 185.0, 7_260.0, 400_000.0].map(span);
        assert_eq!(told, ["0.50 s", "12 s", "3 min 5 s", "2 h 1 min", "4 days"]);
    }
}
