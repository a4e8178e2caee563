//! One game as a page: the viewer of a tournament's page, the mistakes, every turn.

use std::collections::BTreeMap;

use maud::{Markup, html};
use skirmish_play::analysis::Annotation;
use skirmish_play::faults::{harmless, place};
use skirmish_play::record::Record;
use skirmish_play::replay::Replay;
use skirmish_render::Document;
use skirmish_rules::{Result, Seat};

use super::{packed, player, replays_element};

/// A game that gets a page of its own.
#[derive(Clone, Copy, Debug)]
pub struct OneGame<'a> {
    /// Its number, where it was one of many; else 1.
    pub number: u64,
    /// The game.
    pub record: &'a Record,
    /// Who judged it.
    pub agent: &'a str,
    /// Every turn that was judged.
    pub turns: &'a [Annotation],
}

/// The mistakes among judged turns, the worst first.
pub fn worst(turns: &[Annotation]) -> Vec<&Annotation> {
    let mut worst: Vec<&Annotation> = turns.iter().filter(|turn| turn.mistake).collect();
    worst.sort_by(|one, other| other.loss.total_cmp(&one.loss));
    worst
}

/// What to call the player in a seat: `white (greedy)`, or `white` where the name is not known.
pub fn called(record: &Record, seat_name: &str, seat: Seat) -> String {
    match record.seats.iter().find(|player| player.seat == seat) {
        Some(player) => format!("{seat_name} ({})", harmless(&player.name, 60)),
        None => seat_name.to_owned(),
    }
}

/// A page that needs nothing beside itself.
pub fn game_page(game: OneGame<'_>) -> Result<String> {
    let OneGame { number, record, agent, turns } = game;
    let replay = Replay::of_record(record.clone())?;
    let table = record.replay(0)?;
    let who = |seat: Seat| called(record, &table.seat_name(seat), seat);
    let packed = packed::packed(record.clone(), turns)?;
    let replays = BTreeMap::from([(number, packed.as_str())]);
    let link = |turn: usize| format!("#game-{number}-turn-{turn}");
    let has_own = turns.iter().any(|turn| turn.own_value.is_some());
    let value = |value: f32| format!("{:+.2}", value + 0.0);
    let mistakes = worst(turns);
    let body = html! {
        header {
            h1 { (replay.title) }
            p.verdict { (replay.ending.as_deref().unwrap_or("The game is not finished.")) }
            dl.facts {
                div { dt { "turns" } dd { (replay.turns()) } }
                div { dt { "mistakes" } dd { (mistakes.len()) } }
                div { dt { "judged by" } dd { (agent) } }
            }
            p.script { button type="button" data-watch=(number) { "watch the game" } }
            output {}
        }
        section id="mistakes" {
            h2 { "Mistakes" }
            @if mistakes.is_empty() { p { "None that cost 0.30 or more." } }
            @else { ol { @for turn in mistakes { li {
                a href=(link(turn.turn)) { "Turn " (turn.turn) }
                ": " (who(turn.seat)) " played " code { (turn.text) } ", "
                code { (turn.best) } " was better by " (format!("{:.2}", turn.loss)) "."
            } } } }
        }
        section id="turns" {
            h2 { "Turns" }
            div.wide { table.sortable {
                caption {
                    "Values go from -1 (lost) to +1 (won) for " (table.seat_name(Seat(0)))
                    ", before the turn."
                }
                thead { tr {
                    th scope="col" { "turn" } th scope="col" { "player" } th scope="col" { "move" }
                    th scope="col" { "value" }
                    @if has_own { th scope="col" { "the player’s own" } }
                    th scope="col" { "loss" } th scope="col" { "better" }
                } }
                tbody { @for turn in turns { tr {
                    td { a href=(link(turn.turn)) { (turn.turn) } }
                    td { (who(turn.seat)) } td { (turn.text) }
                    td { (value(turn.value)) }
                    @if has_own { td { (turn.own_value.map_or_else(|| "–".to_owned(), value)) } }
                    td { (format!("{:.2}", turn.loss)) }
                    td { @if turn.mistake { (turn.best) } }
                } } }
            } }
        }
        (faults(record))
        (player(true))
        (replays_element(&replays))
    };
    Ok(Document {
        title: &replay.title,
        style: include_str!("report.css"),
        body: &body.into_string(),
        script: include_str!("report.js"),
    }
    .html())
}

fn faults(record: &Record) -> Markup {
    html! { @if !record.faults.is_empty() { section id="faults" {
        h2 { "Faults" }
        ul { @for fault in &record.faults { li {
            (place(fault.turn, fault.ply)) ": " strong { (fault.kind.name()) } ". "
            (fault.sentence.trim_end_matches('.')) "; it cost " (super::cost(&fault.cost)) "."
        } } }
    } } }
}
