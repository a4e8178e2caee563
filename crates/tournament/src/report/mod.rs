//! The page that tells of a tournament.
//!
//! All tables are in the page as it is written, so that it can be read without its script: on paper,
//! aloud, in ten years. The script sorts, filters and plays games; it is given boards (`packed`) and
//! knows no rule.

mod game;
mod packed;

pub use game::{OneGame, called, game_page, worst};

use std::collections::BTreeMap;

use maud::{Markup, PreEscaped, html};
use rayon::prelude::*;
use skirmish_render::{Bar, Chart, Curve, Document, bars, thousands};

use super::summary::{FaultNoted, GamePlayed, Mistakes, Result as Came, Round, Standing, Summary};
use skirmish_play::faults::place;
use skirmish_ratings::Estimate;

/// More curves than this no one can follow: the best are drawn.
const MOST_CURVES: usize = 10;
/// More columns than this no page can show: the cross-table of the best is drawn.
const MOST_COLUMNS: usize = 40;

/// A page that needs nothing beside itself.
pub fn page(summary: &Summary) -> String {
    let body = html! {
        a.skip href="#standings" { "to the standings" }
        (head(summary))
        (notes(summary))
        section id="standings" { h2 { "Standings" } (standings(summary)) (ratings(summary)) }
        (cross_table(summary))
        (history(summary))
        (rounds(summary))
        (games(summary))
        (mistakes(summary))
        (faults(summary))
        (usage(summary))
        (settings(summary))
    };
    Document {
        title: &summary.title,
        style: include_str!("report.css"),
        body: &body.into_string(),
        script: include_str!("report.js"),
    }
    .html()
}

fn name(summary: &Summary, agent: usize) -> &str {
    &summary.agents[agent].name
}

fn head(summary: &Summary) -> Markup {
    let played = summary.games.len() as f64;
    let games = match summary.planned {
        Some(planned) if !summary.is_complete => {
            format!("{} of {}", thousands(played), thousands(planned as f64))
        }
        _ => thousands(played),
    };
    html! {
        header {
            h1 { (summary.title) }
            @if let Some(verdict) = &summary.verdict { p.verdict { (verdict) } }
            p { (summary.game_title) ", " (summary.format_sentence) "." }
            dl.facts {
                div { dt { "games" } dd { (games) } }
                div { dt { "agents" } dd { (summary.agents.len()) } }
                div { dt { "faults" } dd { (summary.faults.len()) } }
                div { dt { "seed" } dd { (summary.seed) } }
                div { dt { "time of all games" } dd { (span(summary.game_seconds)) } }
            }
            @if let (Some(started), Some(finished)) = (&summary.started, &summary.finished) {
                p.small { "From " (moment(started)) " to " (moment(finished)) " UTC." }
            }
        }
    }
}

/// What a reader must know before trusting the tables.
fn notes(summary: &Summary) -> Markup {
    html! {
        @if !summary.is_complete {
            p.note role="note" {
                strong { "Not finished. " }
                "This is how it stands; the same command goes on with the games that are left."
            }
        }
        @if !summary.overload.is_empty() {
            div.note role="note" {
                strong { "The machine was overloaded. " }
                "Slow turns in these games are perhaps not the agents’ fault."
                ul { @for line in &summary.overload { li { (line) } } }
            }
        }
        @if !summary.notes.is_empty() {
            div.note role="note" { ul { @for line in &summary.notes { li { (line) } } } }
        }
        @if let Some(test) = &summary.sprt {
            p {
                "Sequential test of " (signed(test.elo0)) " against " (signed(test.elo1))
                " Elo: log-likelihood ratio " (format!("{:.2}", test.llr)) " between "
                (format!("{:.2}", test.lower)) " and " (format!("{:.2}", test.upper)) ", "
                strong { (test.decision) } "."
            }
        }
    }
}

fn standings(summary: &Summary) -> Markup {
    let any = |found: fn(&Came) -> bool| summary.standings.iter().any(|line| found(&line.result));
    let has_byes = any(|came| matches!(came, Came::Points { byes, .. } if *byes > 0.0));
    let has_breaks = any(|came| matches!(came, Came::Points { buchholz: Some(_), .. }));
    let has_stage = any(|came| matches!(came, Came::Points { reached: Some(_), .. }));
    let places = summary.is_free_for_all;
    html! {
        div.wide {
            table.sortable {
                caption {
                    "Best first. Ratings in Elo, 0 for the mean of all, with 95 % intervals."
                }
                thead { tr {
                    th scope="col" { "rank" } th scope="col" { "agent" } th scope="col" { "games" }
                    @if places {
                        th scope="col" { "won" } th scope="col" { "squares" }
                        th scope="col" { "place" } th scope="col" { "win rate, %" }
                    } @else {
                        th scope="col" { abbr title="wins" { "+" } }
                        th scope="col" { abbr title="draws" { "=" } }
                        th scope="col" { abbr title="losses" { "−" } }
                        th scope="col" { "score" }
                        @if has_byes { th scope="col" { "of it byes" } }
                        @if has_breaks {
                            th scope="col" { "Buchholz" } th scope="col" { "Sonneborn–Berger" }
                        }
                        @if has_stage { th scope="col" { "reached" } }
                    }
                    th scope="col" { "rating" } th scope="col" { "stronger than the next" }
                    th scope="col" { "faults" }
                } }
                tbody { @for line in &summary.standings {
                    tr {
                        td { (line.rank) } th scope="row" { (name(summary, line.agent)) }
                        td { (line.games) }
                        @match &line.result {
                            Came::Places { squares, place, win_rate } => {
                                td { (line.wins) } (estimate(Some(squares), 1))
                                (estimate(Some(place), 2))
                                (estimate(Some(&scaled(win_rate, 100.0)), 0))
                            }
                            Came::Points {
                                draws, losses, score, byes, buchholz, sonneborn_berger, reached,
                            } => {
                                td { (line.wins) } td { (draws) } td { (losses) }
                                td { strong { (points(*score)) } }
                                @if has_byes { td { (points(*byes)) } }
                                @if has_breaks {
                                    td { (maybe(*buchholz, points)) }
                                    td { (maybe(*sonneborn_berger, points)) }
                                }
                                @if has_stage { td { (reached.as_deref().unwrap_or("–")) } }
                            }
                        }
                        (estimate(line.rating.as_ref(), 0))
                        td { (maybe(line.superiority, |part| format!("{:.0} %", 100.0 * part))) }
                        td { @if line.faults > 0 {
                            a href={ "#faults-" (line.agent) } { (line.faults) }
                        } @else { "0" } }
                    }
                } }
            }
        }
    }
}

/// The ratings as a picture. The numbers are in the table above it.
fn ratings(summary: &Summary) -> Markup {
    let rated = |line: &Standing| line.rating.map(|rating| (line.agent, rating));
    let rows: Vec<Bar<'_>> = (summary.standings.iter().filter_map(rated))
        .map(|(agent, Estimate { value, low, high })| Bar {
            name: name(summary, agent),
            value,
            low,
            high,
        })
        .collect();
    html! { @if !rows.is_empty() { figure {
        figcaption { "Ratings with 95 % intervals, in Elo" }
        (PreEscaped(bars("Ratings with 95 % intervals, in Elo", &rows)))
    } } }
}

fn cross_table(summary: &Summary) -> Markup {
    let shown: Vec<&Standing> = summary.standings.iter().take(MOST_COLUMNS).collect();
    let score = |row: &Standing, column: &Standing| {
        summary.cross_table.get(row.agent).and_then(|line| line[column.agent])
    };
    html! { @if !summary.cross_table.is_empty() && !shown.is_empty() { section {
        h2 { "Who beat whom" }
        div.wide { table.cross {
            caption {
                "Games won, drawn and lost by the agent of the row against that of the column."
                @if summary.standings.len() > MOST_COLUMNS {
                    " The best " (MOST_COLUMNS) " of " (summary.standings.len()) "."
                }
            }
            thead { tr {
                th scope="col" { "agent" }
                @for column in &shown {
                    th scope="col" { abbr title=(name(summary, column.agent)) { (column.rank) } }
                }
            } }
            tbody { @for row in &shown { tr {
                th scope="row" { (row.rank) ". " (name(summary, row.agent)) }
                @for column in &shown {
                    @if row.agent == column.agent { td.self { span aria-hidden="true" { "·" } } }
                    @else if let Some(met) = score(row, column) {
                        @let games = (met.wins + met.draws + met.losses).max(1) as f64;
                        @let part = (met.wins as f64 + 0.5 * met.draws as f64) / games;
                        td style=(format!("--part:{:.0}%", 100.0 * part)) {
                            (met.wins) "–" (met.draws) "–" (met.losses)
                        }
                    } @else { td { "–" } }
                }
            } } }
        } }
    } } }
}

fn history(summary: &Summary) -> Markup {
    if summary.history.len() < 2 {
        return html! {};
    }
    let best = summary.standings.iter().take(MOST_CURVES);
    let curves: Vec<Curve<'_>> = best
        .map(|line| Curve {
            name: name(summary, line.agent),
            points: (summary.history.iter())
                .filter_map(|moment| {
                    let rating = moment.ratings.get(line.agent).copied().flatten()?;
                    Some((moment.games as f64, rating, 0.0))
                })
                .collect(),
        })
        .collect();
    let title = if summary.standings.len() > MOST_CURVES {
        format!("Ratings of the best {MOST_CURVES}")
    } else {
        "Ratings".to_owned()
    };
    let chart = Chart { name: &title, against: "games", curves: &curves };
    html! { section { h2 { "Ratings over time" } div.history { (PreEscaped(chart.figure())) }
        p.small { "Elo after so many games of the schedule." }
    } }
}

fn rounds(summary: &Summary) -> Markup {
    let whole = |number: f64| points(number);
    let line = |round: &Round| {
        html! {
            details open[summary.rounds.len() <= 3] {
                summary { (capitalised(&round.name)) }
                table {
                    thead { tr {
                        th scope="col" { "pairing" } th scope="col" { "result" }
                        th scope="col" { "decided" }
                    } }
                    tbody {
                        @for pairing in &round.pairings { tr {
                            td { (name(summary, pairing.first)) " – " (name(summary, pairing.second)) }
                            td { (whole(pairing.first_score)) " : " (whole(pairing.second_score)) }
                            td {
                                @if let Some(winner) = pairing.winner { (name(summary, winner)) }
                                @if let Some(note) = &pairing.note { " " (note) }
                            }
                        } }
                        @for bye in &round.byes { tr {
                            td { (name(summary, *bye)) } td { "bye" } td {}
                        } }
                        @for gone in &round.withdrawn { tr {
                            td { (name(summary, *gone)) } td { "withdrawn" }
                            td { "lost too many games by faults" }
                        } }
                    }
                }
            }
        }
    };
    html! { @if !summary.rounds.is_empty() { section {
        h2 { "Rounds" } @for round in &summary.rounds { (line(round)) }
    } } }
}

fn games(summary: &Summary) -> Markup {
    // Replays are worked out side by side: there may be thousands.
    let replays: Vec<Option<String>> = (summary.games.par_iter())
        .map(|game| {
            game.record.clone().and_then(|record| packed::packed(record, &game.mistakes).ok())
        })
        .collect();
    let by_number: BTreeMap<u64, &str> = (summary.games.iter().zip(&replays))
        .filter_map(|(game, replay)| Some((game.number, replay.as_deref()?)))
        .collect();
    let has_rounds = !summary.rounds.is_empty();
    let row = |game: &GamePlayed, has_replay: bool| {
        html! {
            tr data-agents=(agents_of(game)) data-end=(game.termination) {
                td { (game.number) }
                @if has_rounds { td { (game.round) } }
                td { @for (place, seat) in game.seats.iter().enumerate() {
                    @if place > 0 { ", " }
                    span title=(seat.name) {
                        @if seat.points == 1.0 { strong { (name(summary, seat.agent)) } }
                        @else { (name(summary, seat.agent)) }
                        @if let Some(score) = seat.score { " " (score) }
                    }
                } }
                td { (result(game)) }
                td { (game.sentence) @if game.overloaded { " (overloaded)" } }
                td { (game.turns) }
                td.script { @if has_replay {
                    button type="button" data-watch=(game.number) {
                        "watch" span.unseen { " game " (game.number) }
                    }
                } }
            }
        }
    };
    html! { section id="games" {
        h2 { "Games" }
        @if summary.games.is_empty() { p { "None yet." } } @else {
            form.script.filter aria-label="Which games are shown" {
                label { "agent " select name="agent" {
                    option value="" { "all" }
                    @for (number, agent) in summary.agents.iter().enumerate() {
                        option value=(number) { (agent.name) }
                    }
                } }
                label { "ended " select name="end" {
                    option value="" { "in any way" }
                    @for end in endings(summary) { option value=(end) { (end) } }
                } }
                output {}
            }
            div.wide { table.games {
                caption { "Every game, the winner in bold." }
                thead { tr {
                    th scope="col" { "game" } @if has_rounds { th scope="col" { "round" } }
                    th scope="col" { "seats" } th scope="col" { "result" } th scope="col" { "how" }
                    th scope="col" { "turns" } th.script scope="col" { span.unseen { "replay" } }
                } }
                tbody { @for (game, replay) in summary.games.iter().zip(&replays) {
                    (row(game, replay.is_some()))
                } }
            } }
            @if replays.iter().any(Option::is_none) {
                p.small {
                    "Not every game can be watched here: the page would be too large. All of them \
                     are in games.jsonl: "
                    code { "skirmish replay games.jsonl --game NUMBER" } "."
                }
            }
            (player(false))
            (replays_element(&by_number))
        }
    } }
}

/// The games of a page, by number.
fn replays_element(replays: &BTreeMap<u64, &str>) -> Markup {
    // Base64 and digits only, so nothing in it can end the element.
    html! {
        script type="application/json" id="replays" {
            (PreEscaped(serde_json::to_string(replays).unwrap_or_default()))
        }
    }
}

/// Where games are watched; empty until one is chosen. On the page of one game it is named by its
/// title alone.
fn player(is_alone: bool) -> Markup {
    html! {
        dialog id="player" aria-labelledby="player-title" data-alone[is_alone] {
            div.bar {
                h3 id="player-title" {}
                button type="button" data-do="close" aria-label="Close" { "×" }
            }
            div.stage {
                div.board-frame { table.board {} }
                div.beside { dl.panels {} ol.turns aria-label="Turns" {} }
            }
            p.caption {}
            p.status role="status" {}
            p.thought.small {}
            p.mistake {}
            div.controls {
                button type="button" data-do="first" aria-label="To the start" { "|◀" }
                button type="button" data-do="back" aria-label="One turn back" { "◀" }
                button type="button" data-do="play" { "play" }
                button type="button" data-do="next" aria-label="One turn on" { "▶" }
                button type="button" data-do="last" aria-label="To the end" { "▶|" }
                input type="range" min="0" value="0" step="1" aria-label="Turn";
                label { "speed " select name="speed" {
                    option value="2000" { "slow" } option value="700" selected { "usual" }
                    option value="200" { "fast" } option value="50" { "very fast" }
                } }
            }
            p.small { "Keys: ← and → step, Home and End jump, space plays, Esc closes." }
        }
    }
}

fn mistakes(summary: &Summary) -> Markup {
    let Some(analysed) = &summary.analysed else { return html! {} };
    let rate = |of: &Mistakes| {
        if of.turns == 0 {
            return "–".to_owned();
        }
        format!("{:.1}", 100.0 * of.mistakes as f64 / of.turns as f64)
    };
    let with: Vec<&GamePlayed> =
        summary.games.iter().filter(|game| !game.mistakes.is_empty()).collect();
    let who = |game: &GamePlayed, seat| {
        let found = game.seats.iter().find(|taken| taken.seat == seat);
        found.map_or("", |taken| name(summary, taken.agent)).to_owned()
    };
    html! { section id="mistakes" {
        h2 { "Mistakes" }
        div.wide { table.sortable {
            caption {
                "Turns after which a position was worth a lot less, as " code { (analysed.agent) }
                " sees it, in " (analysed.games) " games."
            }
            thead { tr {
                th scope="col" { "agent" } th scope="col" { "turns" } th scope="col" { "mistakes" }
                th scope="col" { "of 100 turns" }
            } }
            tbody { @for line in &summary.standings { @if let Some(of) = &line.mistakes { tr {
                th scope="row" { (name(summary, line.agent)) }
                td { (of.turns) } td { (of.mistakes) } td { (rate(of)) }
            } } } }
        } }
        @if !with.is_empty() { details {
            summary { "All of them" }
            ul { @for game in with { @for turn in &game.mistakes { li {
                a href={ "#game-" (game.number) "-turn-" (turn.turn) } {
                    "Game " (game.number) ", turn " (turn.turn)
                }
                ": " (who(game, turn.seat)) " played " code { (turn.text) } ", "
                code { (turn.best) } " was better by " (format!("{:.2}", turn.loss)) "."
            } } } }
        } }
    } }
}

fn faults(summary: &Summary) -> Markup {
    let mut of: BTreeMap<usize, Vec<&FaultNoted>> = BTreeMap::new();
    for fault in &summary.faults {
        of.entry(fault.agent).or_default().push(fault);
    }
    html! { section id="faults" {
        h2 { "Faults" }
        @if of.is_empty() { p { "None: every agent kept the rules and its limits." } }
        @for (agent, faults) in of {
            @let kinds = kinds(&faults);
            details id={ "faults-" (agent) } {
                summary { (name(summary, agent)) ": " (kinds) }
                ul { @for fault in faults { li {
                    "Game " (fault.game) ", " (place(fault.turn, fault.ply)) ": " strong { (fault.kind) } ". "
                    (fault.sentence.trim_end_matches('.')) "; it cost " (cost(&fault.cost)) "."
                    @if fault.overloaded { " The machine was overloaded at the time." }
                    @if !fault.stderr.trim().is_empty() {
                        details { summary { "what it wrote to stderr" } pre { (fault.stderr) } }
                    }
                } } }
            }
        }
    } }
}

fn usage(summary: &Summary) -> Markup {
    let any_memory = summary.standings.iter().any(|line| line.usage.memory_mb.is_some());
    html! { @if !summary.standings.is_empty() { section {
        h2 { "Time and memory" }
        div.wide { table.sortable {
            caption {
                "Milliseconds a turn: CPU time where the referee measured it, else on the clock."
            }
            thead { tr {
                th scope="col" { "agent" } th scope="col" { "turns" } th scope="col" { "mean" }
                th scope="col" { "longest" } th scope="col" { "measured" }
                @if any_memory { th scope="col" { "memory, MiB" } }
            } }
            tbody { @for line in &summary.standings { @let usage = &line.usage; tr {
                th scope="row" { (name(summary, line.agent)) }
                td { (usage.turns) } td { (milliseconds(usage.mean_ms)) }
                td { (milliseconds(usage.worst_ms)) }
                td { @if usage.is_cpu { "CPU" } @else { "clock" } }
                @if any_memory { td { (maybe(usage.memory_mb, |mb| format!("{mb:.0}"))) } }
            } } }
        } }
    } } }
}

fn settings(summary: &Summary) -> Markup {
    let text = serde_json::to_string_pretty(&summary.settings).unwrap_or_default();
    html! { section {
        h2 { "Settings" }
        table {
            caption { "The agents and the lines that name them." }
            thead { tr { th scope="col" { "agent" } th scope="col" { "line" } } }
            tbody { @for agent in &summary.agents { tr {
                th scope="row" { (agent.name) } td { code { (agent.spec) } }
            } } }
        }
        details { summary { "All settings" } pre { (text) } }
        p.small { "Seed " (summary.seed) ". Made by Skirmish " (summary.version) "." }
    } }
}

// Words and numbers.

fn agents_of(game: &GamePlayed) -> String {
    let agents: Vec<String> = game.seats.iter().map(|seat| seat.agent.to_string()).collect();
    agents.join(" ")
}

fn endings(summary: &Summary) -> Vec<&str> {
    let mut endings: Vec<&str> =
        summary.games.iter().map(|game| game.termination.as_str()).collect();
    endings.sort_unstable();
    endings.dedup();
    endings
}

/// `1 – 0`, or who won a game of many.
fn result(game: &GamePlayed) -> String {
    let shown: Vec<String> = game.seats.iter().map(|seat| points(seat.points)).collect();
    if shown.len() == 2 { shown.join(" – ") } else { String::new() }
}

/// `3 timeout, 1 crash`.
fn kinds(faults: &[&FaultNoted]) -> String {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for fault in faults {
        *counts.entry(&fault.kind).or_default() += 1;
    }
    let counts: Vec<String> =
        counts.iter().map(|(kind, count)| format!("{count} × {kind}")).collect();
    counts.join(", ")
}

fn cost(cost: &str) -> &str {
    match cost {
        "game" => "the game",
        "turn" => "the turn",
        other => other,
    }
}

fn maybe(value: Option<f64>, shown: impl Fn(f64) -> String) -> String {
    value.map_or_else(|| "–".to_owned(), shown)
}

/// A cell with a value and its interval.
fn estimate(value: Option<&Estimate>, digits: usize) -> Markup {
    html! { td data-value=[value.map(|found| found.value)] {
        @if let Some(Estimate { value, low, high }) = value {
            (format!("{value:.digits$}")) " "
            span.interval { (format!("({low:.digits$} to {high:.digits$})")) }
        } @else { "–" }
    } }
}

fn scaled(estimate: &Estimate, by: f64) -> Estimate {
    let Estimate { value, low, high } = *estimate;
    Estimate { value: value * by, low: low * by, high: high * by }
}

/// Points as people write them: `2½`.
fn points(value: f64) -> String {
    let whole = value.floor();
    match value - whole {
        rest if rest.abs() < 1e-9 => format!("{whole:.0}"),
        rest if (rest - 0.5).abs() < 1e-9 && whole == 0.0 => "½".to_owned(),
        rest if (rest - 0.5).abs() < 1e-9 => format!("{whole:.0}½"),
        _ => format!("{value:.2}"),
    }
}

fn signed(value: f64) -> String {
    skirmish_render::number::signed(value, 0)
}

fn milliseconds(value: f64) -> String {
    if value >= 100.0 { format!("{value:.0}") } else { format!("{value:.2}") }
}

/// `2 h 5 min`, `12 s`.
fn span(seconds: f64) -> String {
    let whole = seconds.max(0.0).round() as u64;
    match whole {
        0..60 => format!("{seconds:.1} s"),
        60..3600 => format!("{} min {} s", whole / 60, whole % 60),
        _ => format!("{} h {} min", whole / 3600, whole % 3600 / 60),
    }
}

/// `2026-05-01T22:10:05Z` as `2026-05-01 22:10:05`.
fn moment(stamp: &str) -> String {
    stamp.replace('T', " ").split(['.', 'Z']).next().unwrap_or_default().to_owned()
}

fn capitalised(text: &str) -> String {
    let mut letters = text.chars();
    letters.next().map_or_else(String::new, |first| first.to_uppercase().chain(letters).collect())
}

#[cfg(test)]
mod tests;
