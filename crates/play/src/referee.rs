//! One game after the other between the same players, and what came of each.

use skirmish_rules::table::Table;
use skirmish_rules::{Result, Seat};
use skirmish_search::{Allowance, Stop};

use crate::agent_spec::AgentSpec;
use crate::driver::{self, Drive, Seated, Thinking};
use crate::limits::{FaultPolicy, Limits};
use crate::record::Record;
use crate::seeding::Seeds;
use crate::session::{Session, Terms, Update};

/// How games are played, whatever plays them.
#[derive(Clone, Debug)]
pub struct GameSettings {
    /// What programs may use, to be noted in the record.
    pub limits: Option<Limits>,
    /// What a fault costs; the usual of the game where nothing is said.
    pub policy: Option<FaultPolicy>,
    /// How long built-in agents think that set no limit of their own.
    pub allowance: Allowance,
    /// What everything random is drawn from.
    pub seed: u64,
    /// Whether engines are timed by the CPU of their thread instead of the clock on the wall.
    pub times_by_cpu: bool,
    /// Ends the game from outside: what was played so far is the record.
    pub stop: Stop,
}

/// A refereed game.
#[derive(Debug)]
pub struct Refereed {
    /// The game, whatever happened.
    pub record: Record,
    /// What each player used, in the order of the agents.
    pub thinking: Vec<Thinking>,
    /// What each external agent wrote to its log.
    pub logs: Vec<(Seat, String)>,
    /// CPU seconds each external agent used.
    pub cpu_s: Vec<(Seat, f64)>,
    /// Bytes of memory each external agent had at most, where that could be read.
    pub memory: Vec<(Seat, u64)>,
}

/// Players that play one game after the other. Processes of agents that allow it are kept from one
/// game to the next.
pub struct Referee {
    settings: GameSettings,
    players: Vec<Seated>,
}

impl std::fmt::Debug for Referee {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        let agents: Vec<String> =
            self.players.iter().map(|player| player.agent.to_string()).collect();
        f.debug_struct("Referee").field("agents", &agents).finish_non_exhaustive()
    }
}

impl Referee {
    /// A referee for these players.
    pub fn new(players: Vec<Seated>, settings: GameSettings) -> Referee {
        Referee { settings, players }
    }

    /// Calls the players by these names, in their order.
    #[must_use]
    pub fn calling(mut self, names: Vec<String>) -> Referee {
        for (player, name) in self.players.iter_mut().zip(names) {
            player.name = Some(name);
        }
        self
    }

    /// Sets up a game on this table. Limits are noted where they bind: built-in agents have none.
    pub fn open(&self, table: Box<dyn Table>) -> (Session, Update) {
        let is_external =
            |who: &AgentSpec| matches!(who, AgentSpec::Command(_) | AgentSpec::Python { .. });
        let has_limits = self.players.iter().any(|player| is_external(&player.agent));
        let usual = Terms::usual(&table.entry());
        let terms = Terms {
            seed: Some(self.settings.seed),
            limits: self.settings.limits.filter(|_| has_limits),
            policy: self.settings.policy.unwrap_or(usual.policy),
            ..usual
        };
        Session::new(table, terms)
    }

    /// Plays a session to its end: the players take their seats, unless the session is one that goes
    /// on, and then turn after turn. Faults are part of the record; an error comes back only for a
    /// line that names no agent.
    pub fn play(
        &mut self,
        session: &mut Session,
        seeds: Seeds,
        watcher: &mut dyn FnMut(&Session, &Update),
    ) -> Result<Refereed> {
        let GameSettings { allowance, times_by_cpu, stop, .. } = &self.settings;
        let drive =
            Drive { seeds, allowance: *allowance, times_by_cpu: *times_by_cpu, stop: stop.clone() };
        driver::seat(session, &mut self.players, &drive, watcher)?;
        let thinking = driver::play(session, &mut self.players, &drive, watcher);
        let mut refereed = Refereed {
            record: session.record().clone(),
            thinking,
            logs: Vec::new(),
            cpu_s: Vec::new(),
            memory: Vec::new(),
        };
        let seats = driver::player_seats(session);
        for (seat, thinking) in seats.into_iter().zip(&refereed.thinking) {
            let usage = &thinking.usage;
            refereed.logs.extend(usage.log.clone().map(|log| (seat, log)));
            refereed.cpu_s.extend(usage.cpu_s.map(|cpu_s| (seat, cpu_s)));
            refereed.memory.extend(usage.memory.map(|bytes| (seat, bytes)));
        }
        Ok(refereed)
    }
}
