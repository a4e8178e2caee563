//! The competitions of the original tool, with the files they leave behind.
//!
//! Where the original writes a set of players, they come in the order of their numbers here.

use std::collections::{BTreeMap, BTreeSet};
use std::path::Path;

use skirmish_rules::{Error, ErrorKind, Result};

use super::league::{League, Played};
use super::table::{Column, python_float, real_word, table};
use skirmish_play::game17_json::Diffs;

/// How a competition is played, and where its files go.
#[derive(Clone, Debug)]
pub struct Competition<'a> {
    /// The folder for the files. It exists.
    pub folder: &'a Path,
    /// Games of the battle royale; for `vs-zombies`, of each player.
    pub games: u64,
    /// Players whose turns take longer on average, in seconds, are banned. No one is if it is 0
    /// or less.
    pub time_threshold: f64,
}

/// What has become of the players in some games.
#[derive(Default)]
struct Standing {
    wins: BTreeMap<u16, u64>,
    /// The slowest average of a turn; `None` where no one has measured any.
    slowest: BTreeMap<u16, Option<f64>>,
    banned: BTreeSet<u16>,
}

impl Standing {
    /// Takes note of the times, and bans those that were too slow.
    fn time(&mut self, played: &Played, threshold: f64) {
        for (player, time) in &played.times {
            if threshold > 0.0 && time.is_some_and(|time| time > threshold) {
                self.banned.insert(*player);
            }
            let slowest = self.slowest.entry(*player).or_default();
            *slowest = slower(*slowest, *time);
        }
    }

    /// The players in groups that tie, the best first and the banned last.
    fn ranks(&self, players: &[u16]) -> Vec<Vec<u16>> {
        let mut by_wins: BTreeMap<u64, Vec<u16>> = BTreeMap::new();
        let mut banned = Vec::new();
        for player in players {
            if self.banned.contains(player) {
                banned.push(*player);
            } else {
                let wins = self.wins.get(player).copied().unwrap_or(0);
                by_wins.entry(wins).or_default().push(*player);
            }
        }
        let mut ranks: Vec<Vec<u16>> = by_wins.into_values().rev().collect();
        if !banned.is_empty() {
            ranks.push(banned);
        }
        ranks
    }

    /// The table of wins and times.
    fn summary(&self, players: &[u16]) -> String {
        let wins = |player: &u16| match self.wins.get(player) {
            _ if self.banned.contains(player) => "banned".to_owned(),
            Some(wins) => wins.to_string(),
            None => "0".to_owned(),
        };
        let time = |player: &u16| {
            self.slowest.get(player).copied().flatten().map_or("0".to_owned(), real_word)
        };
        let rows: Vec<String> = players.iter().map(ToString::to_string).collect();
        table(
            &rows,
            &[
                ("games won", Column::Words(players.iter().map(wins).collect())),
                ("max time", Column::Words(players.iter().map(time).collect())),
            ],
        )
    }
}

/// A battle royale of every agent, then run-offs within the groups that tie: each against each, once.
/// Returns the groups, the best first. `done` is called after every game.
pub fn rank(
    league: &mut League,
    competition: &Competition<'_>,
    done: &mut dyn FnMut(&Played),
) -> Result<Vec<Vec<u16>>> {
    let groups = battle_royale(league, competition, done)?;
    let mut ranks = Vec::new();
    for (number, group) in groups.into_iter().enumerate() {
        if group.len() == 1 {
            ranks.push(group);
        } else {
            ranks.extend(round_robin(league, competition, &group, number, done)?);
        }
    }
    let rows: Vec<String> = (0..ranks.len()).map(|rank| rank.to_string()).collect();
    let players = Column::Words(ranks.iter().map(|group| list(group)).collect());
    write(competition.folder, "ranks.txt", &(table(&rows, &[("players", players)]) + "\n"))?;
    Ok(ranks)
}

fn battle_royale(
    league: &mut League,
    competition: &Competition<'_>,
    done: &mut dyn FnMut(&Played),
) -> Result<Vec<Vec<u16>>> {
    let players: Vec<u16> = league.entrants().keys().copied().collect();
    let mut standing = Standing::default();
    for game in 0..competition.games {
        let allowed: Vec<u16> =
            players.iter().filter(|player| !standing.banned.contains(player)).copied().collect();
        let played = league.play(&allowed)?;
        write_game(competition.folder, &format!("battle-royale-{game}.json"), &played.diffs)?;
        standing.time(&played, competition.time_threshold);
        for winner in played.winners(&allowed) {
            if !standing.banned.contains(&winner) {
                *standing.wins.entry(winner).or_default() += 1;
            }
        }
        done(&played);
    }
    let summary = standing.summary(&players) + "\n";
    write(competition.folder, "battle-royale-summary.txt", &summary)?;
    Ok(standing.ranks(&players))
}

/// Each against each, once. Files of the first group have no number.
fn round_robin(
    league: &mut League,
    competition: &Competition<'_>,
    players: &[u16],
    group: usize,
    done: &mut dyn FnMut(&Played),
) -> Result<Vec<Vec<u16>>> {
    let mut standing = Standing::default();
    let mut outcomes: Vec<([u16; 2], Vec<u16>)> = Vec::new();
    for (place, first) in players.iter().enumerate() {
        for second in &players[place + 1..] {
            if standing.banned.contains(first) || standing.banned.contains(second) {
                continue;
            }
            let pair = [*first, *second];
            let played = league.play(&pair)?;
            write_game(competition.folder, &format!("{first} vs {second}.json"), &played.diffs)?;
            standing.time(&played, competition.time_threshold);
            let winners = played.winners(&pair);
            if !winners.is_empty() {
                outcomes.push((pair, winners));
            }
            done(&played);
        }
    }
    outcomes.retain(|(pair, _)| !pair.iter().any(|player| standing.banned.contains(player)));
    for winner in outcomes.iter().flat_map(|(_, winners)| winners) {
        *standing.wins.entry(*winner).or_default() += 1;
    }
    let suffix = if group == 0 { String::new() } else { format!("-{group}") };
    let rows: Vec<String> =
        outcomes.iter().map(|([first, second], _)| format!("{first} vs {second}")).collect();
    let winners = Column::Words(outcomes.iter().map(|(_, winners)| list(winners)).collect());
    let games = table(&rows, &[("winner", winners)]) + "\n";
    write(competition.folder, &format!("round-robin{suffix}.txt"), &games)?;
    let summary = standing.summary(players) + "\n";
    write(competition.folder, &format!("round-robin-summary{suffix}.txt"), &summary)?;
    Ok(standing.ranks(players))
}

/// Every player by itself against zombies. `done` is called after every game.
pub fn vs_zombies(
    league: &mut League,
    competition: &Competition<'_>,
    done: &mut dyn FnMut(&Played),
) -> Result<()> {
    let players: Vec<u16> = league.entrants().keys().copied().collect();
    let mut text = "player\tnum_wins\tmax_time\n".to_owned();
    for player in players {
        let (mut wins, mut slowest) = (0, None::<f64>);
        for _ in 0..competition.games {
            let played = league.play_alone(player)?;
            // As in the original: the times of games that were won.
            if !played.winners(&[0]).is_empty() {
                wins += 1;
                slowest = slower(slowest, played.times[&0]);
            }
            done(&played);
        }
        let slowest = slowest.map_or("0".to_owned(), python_float);
        text.push_str(&format!("{player}\t{wins}\t{slowest}\n"));
    }
    write(competition.folder, "vs-zombies.txt", &text)
}

/// The longer time. A player that never had a turn has none, which the original writes as 0.
fn slower(one: Option<f64>, other: Option<f64>) -> Option<f64> {
    one.into_iter().chain(other.filter(|time| *time > 0.0)).reduce(f64::max)
}

fn list(players: &[u16]) -> String {
    let players: Vec<String> = players.iter().map(ToString::to_string).collect();
    players.join(", ")
}

fn write(folder: &Path, name: &str, text: &str) -> Result<()> {
    let path = folder.join(name);
    std::fs::write(&path, text).map_err(|error| cannot_write(&path, &error))
}

fn write_game(folder: &Path, name: &str, diffs: &Diffs) -> Result<()> {
    let path = folder.join(name);
    let text = serde_json::to_vec(diffs).map_err(|error| cannot_write(&path, &error))?;
    std::fs::write(&path, text).map_err(|error| cannot_write(&path, &error))
}

fn cannot_write(path: &Path, error: &dyn std::fmt::Display) -> Error {
    Error::new(ErrorKind::Unreadable, format!("{}: cannot write: {error}", path.display()))
}
