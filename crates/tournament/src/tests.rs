//! Laws of the schedules, for every number of agents from none to forty, and of the store.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};

use skirmish_rules::{Random, Seat};
use skirmish_search::{Roster, Stop};

use super::knockout::bracket;
use super::schedule::{Plan, Results, Schedule, ScheduledGame, Verdict, gauntlet, round_robin};
use super::settings::{AgentSettings, Settings, differences};
use super::standings::summarise;
use super::store::{GameSummary, StoredGame, Used};
use super::summary::{self, Standing, Summary};
use super::swiss::{Pairings, newcomers, pair};

const MOST: usize = 40;

fn settings(format: &str, agents: usize, more: &str) -> Settings {
    let text = format!("game = \"watch-your-back\"\nformat = \"{format}\"\nagents = []\n{more}");
    let mut settings: Settings = toml::from_str(&text).unwrap();
    let agent =
        |number| AgentSettings { spec: "random".to_owned(), name: Some(format!("a{number}")) };
    settings.agents = (0..agents).map(agent).collect();
    settings
}

fn schedule(settings: &Settings) -> Schedule {
    Schedule::new(settings).unwrap()
}

/// Plays a schedule to its end with results that someone makes up. Looks at every plan on the way:
/// what was planned stays planned, whatever else is finished.
fn play(
    schedule: &Schedule,
    mut result: impl FnMut(&ScheduledGame) -> Vec<f64>,
) -> (Plan, Results) {
    let mut results = Results::new();
    loop {
        let plan = schedule.plan(&results);
        let due: Vec<ScheduledGame> = plan.missing(&results).cloned().collect();
        let Some(first) = due.first() else {
            assert!(plan.is_final, "nothing to play and no end");
            return (plan, results);
        };
        // One game alone changes nothing that was planned.
        results.insert(first.key, clean(result(first)));
        let next = schedule.plan(&results);
        assert!(plan.games.iter().zip(&next.games).all(|(a, b)| a == b));
        assert!(next.games.len() >= plan.games.len());
        for due in &due[1..] {
            results.insert(due.key, clean(result(due)));
        }
    }
}

/// A game without faults.
fn clean(points: Vec<f64>) -> Verdict {
    Verdict { forfeited: vec![false; points.len()], points }
}

fn coin(random: &mut Random) -> Vec<f64> {
    let first = f64::from(random.below(3)) / 2.0;
    vec![first, 1.0 - first]
}

#[test]
fn in_a_round_robin_everybody_meets_everybody_once_and_begins_half_the_time() {
    for count in 0..=MOST {
        let rounds = round_robin(count);
        let mut met = BTreeSet::new();
        let mut begun = vec![0_i32; count];
        for round in &rounds {
            let players: BTreeSet<usize> = round.iter().flat_map(|(a, b)| [*a, *b]).collect();
            assert_eq!(players.len(), 2 * round.len(), "no agent plays twice in a round");
            for (first, second) in round {
                assert!(met.insert((*first.min(second), *first.max(second))));
                begun[*first] += 1;
                begun[*second] -= 1;
            }
        }
        assert_eq!(met.len(), count * count.saturating_sub(1) / 2);
        assert!(begun.iter().all(|more| more.abs() <= 1), "{count}: {begun:?}");
        let plan = if count < 2 { continue } else { settings("round-robin", count, "games = 3") };
        let plan = schedule(&plan).plan(&Results::new());
        assert_eq!(plan.games.len(), 3 * met.len());
        fair_openings(&plan);
    }
}

/// Two games from each opening, with changed seats; every key once.
fn fair_openings(plan: &Plan) {
    let keys: HashSet<_> = plan.games.iter().map(|due| due.key).collect();
    assert_eq!(keys.len(), plan.games.len(), "every game is another one");
    let mut units: BTreeMap<u64, Vec<&ScheduledGame>> = BTreeMap::new();
    for (place, due) in plan.games.iter().enumerate() {
        assert_eq!(due.number, place as u64 + 1);
        units.entry(due.unit).or_default().push(due);
    }
    for games in units.values() {
        match games[..] {
            [_] => {}
            [first, second] => {
                assert_eq!(first.opening, second.opening);
                let reversed: Vec<usize> = second.agents.iter().rev().copied().collect();
                assert_eq!(first.agents, reversed);
            }
            _ => panic!("{} games in a unit", games.len()),
        }
    }
}

#[test]
fn in_a_gauntlet_the_first_meets_each_other() {
    for count in 0..=MOST {
        let pairs: Vec<(usize, usize)> = gauntlet(count).concat();
        assert_eq!(pairs.len(), count.saturating_sub(1));
        assert!(pairs.iter().all(|(a, b)| *a == 0 || *b == 0));
        let others: BTreeSet<usize> = pairs.iter().map(|(a, b)| a + b).collect();
        assert_eq!(others.len(), pairs.len());
    }
}

#[test]
fn in_a_swiss_system_nobody_meets_twice_while_that_can_be_avoided() {
    for count in 0..=MOST {
        for (seed, games) in [(1, 1_u64), (2, 2)] {
            println!("{count} agents, {games} games, seed {seed}");
            let mut random = Random::stream(seed, count as u64);
            let mut players = newcomers(count);
            let rounds = if count <= 10 { count + 3 } else { count.min(14) };
            for round in 1..=rounds {
                let Pairings { pairs, bye } = pair(&players, games == 2);
                let seated: BTreeSet<usize> =
                    pairs.iter().flat_map(|(a, b)| [*a, *b]).chain(bye).collect();
                assert_eq!(seated.len(), count, "every agent is paired or waits");
                assert_eq!(bye.is_some(), count % 2 == 1);
                let again = pairs.iter().any(|(a, b)| players[*a].met[*b] > 0);
                if again {
                    // By another way of looking at it: is there really no way?
                    assert!(2 * round > count, "round {round}");
                    assert!(count > 10 || !can_avoid(&players, bye), "round {round}");
                }
                for (a, b) in &pairs {
                    let points = f64::from(random.below(2 * games as u32 + 1)) / 2.0;
                    for (own, other, points, sign) in
                        [(*a, *b, points, 1), (*b, *a, games as f64 - points, -1)]
                    {
                        players[own].score += points;
                        players[own].met[other] += 1;
                        players[own].begun += sign * (games % 2) as i64;
                        players[own].began_last = sign == 1;
                    }
                }
                if let Some(bye) = bye {
                    players[bye].byes += 1;
                    players[bye].score += games as f64;
                }
                // Without rematches every agent waits about equally often, and begins about as often
                // as not.
                let byes = players.iter().map(|player| player.byes);
                let (least, most) = (byes.clone().min().unwrap_or(0), byes.max().unwrap_or(0));
                assert!(most - least <= 1 || 2 * round > count, "{least} to {most} byes");
                let begun = players.iter().map(|player| player.begun.abs()).max().unwrap_or(0);
                assert!(begun <= 2 || 2 * round > count, "someone began {begun} times more often");
            }
        }
    }
}

/// Whether every agent but one who waits can meet someone new: by trying everything.
fn can_avoid(players: &[super::swiss::Player], bye: Option<usize>) -> bool {
    fn search(players: &[super::swiss::Player], left: &[usize]) -> bool {
        let Some((first, others)) = left.split_first() else { return true };
        others.iter().enumerate().any(|(place, other)| {
            let mut rest = others.to_vec();
            rest.remove(place);
            players[*first].met[*other] == 0 && search(players, &rest)
        })
    }
    let all: Vec<usize> = (0..players.len()).filter(|player| Some(*player) != bye).collect();
    search(players, &all)
}

#[test]
fn a_swiss_system_pairs_equals_and_its_plan_never_changes_its_mind() {
    for count in [2, 3, 4, 5, 8, 13, 30] {
        let mut random = Random::seeded(count as u64);
        let settings = settings("swiss", count, "rounds = 5\ngames = 2");
        let (plan, results) = play(&schedule(&settings), |_| coin(&mut random));
        assert_eq!(plan.games.len(), 5 * (count / 2) * 2);
        assert_eq!(plan.total, Some(plan.games.len() as u64));
        assert_eq!(results.len(), plan.games.len());
        assert_eq!(plan.rounds.len(), 5);
        fair_openings(&plan);
    }
    // Who always wins meets others who always win.
    let settings = settings("swiss", 16, "rounds = 4\ngames = 2");
    let (plan, _) = play(&schedule(&settings), |due| {
        if due.agents[0] < due.agents[1] { vec![1.0, 0.0] } else { vec![0.0, 1.0] }
    });
    let last =
        plan.rounds[3].pairings.iter().find(|pairing| pairing.first == 0 || pairing.second == 0);
    assert_eq!(last.map(|pairing| pairing.first.max(pairing.second)), Some(1));
}

#[test]
fn who_loses_by_faults_again_and_again_leaves_a_swiss_system() {
    // Of nine agents the last three never make a legal turn.
    let settings = settings("swiss", 9, "rounds = 5\ngames = 2");
    let schedule = schedule(&settings);
    let mut results = Results::new();
    let mut random = Random::seeded(1);
    let plan = loop {
        let plan = schedule.plan(&results);
        let due: Vec<ScheduledGame> = plan.missing(&results).cloned().collect();
        if due.is_empty() {
            break plan;
        }
        for due in due {
            let verdict = match due.agents.iter().position(|agent| *agent >= 6) {
                Some(seat) => Verdict {
                    points: vec![seat as f64, 1.0 - seat as f64],
                    forfeited: vec![seat == 0, seat == 1],
                },
                None => clean(coin(&mut random)),
            };
            results.insert(due.key, verdict);
        }
    };
    assert!(plan.is_final);
    let withdrawn: Vec<usize> =
        plan.rounds.iter().flat_map(|round| round.withdrawn.clone()).collect();
    assert_eq!(withdrawn.iter().copied().collect::<BTreeSet<_>>(), BTreeSet::from([6, 7, 8]));
    assert_eq!(plan.total, Some(plan.games.len() as u64));
    assert!(plan.rounds.iter().all(|round| round.byes.len() <= 1));
    let last = plan.rounds.last().unwrap();
    assert!(last.pairings.iter().all(|pairing| pairing.first < 6 && pairing.second < 6));
}

#[test]
fn a_knockout_has_one_champion_and_everybody_else_loses_once() {
    assert_eq!(bracket(4), [Some(0), Some(3), Some(1), Some(2)]);
    for count in 2..=MOST {
        let slots = bracket(count);
        assert_eq!(slots.iter().flatten().collect::<BTreeSet<_>>().len(), count);
        assert!(slots.chunks(2).all(|pair| pair.iter().flatten().count() > 0), "an empty pairing");
        let mut random = Random::seeded(count as u64);
        let settings = settings("knockout", count, "");
        let (plan, _) = play(&schedule(&settings), |_| coin(&mut random));
        let pairings: Vec<_> = plan.rounds.iter().flat_map(|round| &round.pairings).collect();
        assert_eq!(pairings.len(), count - 1);
        let mut losers: Vec<usize> = pairings
            .iter()
            .map(|pairing| pairing.first + pairing.second - pairing.winner.unwrap())
            .collect();
        losers.sort_unstable();
        losers.dedup();
        assert_eq!(losers.len(), count - 1);
        assert!(plan.rounds.last().unwrap().name == "final");
        fair_openings(&plan);
    }
}

#[test]
fn a_tied_pairing_of_a_knockout_plays_on_and_then_the_higher_seed_wins() {
    let settings = settings("knockout", 2, "extra_pairs = 2");
    let (plan, _) = play(&schedule(&settings), |_| vec![0.5, 0.5]);
    assert_eq!(plan.games.len(), 2 + 4);
    let pairing = &plan.rounds[0].pairings[0];
    assert_eq!((pairing.winner, pairing.note.as_deref()), (Some(0), Some("by the higher seed")));
    let (plan, _) = play(&schedule(&settings), |due| {
        let wins = due.opening == 1;
        if !wins {
            vec![0.5, 0.5]
        } else if due.agents[0] == 1 {
            vec![1.0, 0.0]
        } else {
            vec![0.0, 1.0]
        }
    });
    let pairing = &plan.rounds[0].pairings[0];
    assert_eq!((plan.games.len(), pairing.winner), (4, Some(1)));
}

#[test]
fn in_a_free_for_all_everybody_plays_equally_often_in_every_seat() {
    for count in 1..=MOST {
        for seats in [1, 2, 3, 4, count] {
            let seats = seats.min(count);
            let games = 3 * count * seats;
            let mut settings = settings("free-for-all", count, &format!("games = {games}"));
            settings.seats = Some(seats as u16);
            settings.game = "game17".to_owned();
            let plan = schedule(&settings).plan(&Results::new());
            let mut played = vec![0; count];
            let mut sat = vec![vec![0_i64; seats]; count];
            for due in &plan.games {
                assert_eq!(due.agents.iter().collect::<BTreeSet<_>>().len(), seats);
                for (seat, agent) in due.agents.iter().enumerate() {
                    played[*agent] += 1;
                    sat[*agent][seat] += 1;
                }
            }
            assert!(played.iter().max().unwrap() - played.iter().min().unwrap() <= 1);
            let even = (3 * seats) as f64;
            let worst = sat.iter().flatten().map(|times| (*times as f64 - even).abs());
            let worst = worst.fold(0.0, f64::max);
            assert!(worst <= if seats == count { 0.0 } else { 6.0 }, "{count}/{seats}: {worst}");
        }
    }
}

#[test]
fn a_ladder_ends_when_it_is_decided_whatever_else_was_played() {
    let settings = settings("ladder", 2, "[sprt]\nelo0 = 0.0\nelo1 = 50.0");
    let (plan, results) = play(&schedule(&settings), |due| {
        if due.agents[0] == 0 { vec![1.0, 0.0] } else { vec![0.0, 1.0] }
    });
    assert!(plan.counted <= plan.games.len() && plan.counted > 4, "{}", plan.counted);
    assert!(plan.games.len() < 500);
    // More games than were asked for change nothing.
    let mut random = Random::seeded(1);
    let even = schedule(&settings);
    let (open, _) = play(&even, |_| coin(&mut random));
    assert!(open.counted > 0);
    assert_eq!(schedule(&settings).plan(&results).counted, plan.counted);
    fair_openings(&plan);
}

#[test]
fn shards_are_parts_of_the_whole_that_keep_pairs_together() {
    let settings = settings("round-robin", 7, "games = 5");
    let plan = schedule(&settings).plan(&Results::new());
    for shards in [1, 2, 3, 8, 1_000] {
        let mut owner: HashMap<u64, u64> = HashMap::new();
        let mut count = 0;
        for shard in 1..=shards {
            for due in plan.games.iter().filter(|due| Schedule::is_of_shard(due, shard, shards)) {
                count += 1;
                assert_eq!(*owner.entry(due.unit).or_insert(shard), shard);
            }
        }
        assert_eq!(count, plan.games.len());
    }
}

#[test]
fn a_game_has_another_key_when_anything_that_bears_on_it_changes() {
    let base = settings("round-robin", 3, "games = 2");
    let keys = |settings: &Settings| -> HashSet<_> {
        schedule(settings).plan(&Results::new()).games.iter().map(|due| due.key).collect()
    };
    let before = keys(&base);
    let mut longer = base.clone();
    longer.games = Some(10);
    assert!(keys(&longer).is_superset(&before), "a longer tournament holds the shorter one");
    let changes: [fn(&mut Settings); 6] = [
        |settings| settings.seed = 1,
        |settings| settings.options.set("move_limit", 100),
        |settings| settings.limits.nodes = Some(10),
        |settings| settings.openings.plies = Some(1),
        |settings| settings.openings.positions = vec!["x".to_owned()],
        |settings| settings.agents.iter_mut().for_each(|agent| agent.spec = "greedy".to_owned()),
    ];
    for change in changes {
        let mut changed = base.clone();
        change(&mut changed);
        assert!(keys(&changed).is_disjoint(&before));
        assert!(!differences(&base.binding(), &changed.binding()).is_empty());
    }
    let mut harmless = base.clone();
    (harmless.concurrency, harmless.pin, harmless.title) = (7, true, Some("x".to_owned()));
    assert_eq!(keys(&harmless), before);
    assert_eq!(differences(&base.binding(), &harmless.binding()), Vec::<String>::new());
}

#[test]
fn names_are_made_where_none_are_given_and_no_two_are_alike() {
    let text = "game = \"amazons\"\nformat = \"round-robin\"\nagents = [\"random\", \"random\", \
                { spec = \"random\", name = \"random 2\" }, \"negamax:depth=1\", \
                \"negamax:depth=2\", \"python:class/anna/agent.py\", \"cmd:python3 ben/agent.py\", \
                \"python:a/greedy.py\"]";
    let names = Settings::read(text).unwrap().names();
    assert_eq!(
        names,
        [
            "random",
            "random 3",
            "random 2",
            "negamax",
            "negamax:depth=2",
            "anna/agent",
            "ben/agent",
            "greedy"
        ]
    );
}

#[test]
fn settings_that_make_no_sense_are_refused_with_a_hint() {
    let whole = "game = \"amazons\"\nformat = \"swiss\"\nagents = [\"random\", \"greedy\"]\n";
    for (text, message, hint) in [
        ("gmae = 1", "line 4: there is no setting `gmae`", "did you mean `game`?"),
        ("[limits]\nmemory = 3", "there is no setting `memory`", "`memory_mb`"),
        ("rounds = \"x\"", "line 4: invalid type", ""),
        ("rounds = 0", "`rounds` is a number from 1", ""),
        ("seats = 2", "`seats` is a setting of the format free-for-all", "leave it out"),
        ("[options]\nsiez = 6", "amazons has no option `siez`", "did you mean `size`?"),
        ("[limits]\nfault = \"die\"", "`fault` is `die`", "`retry=N`"),
        ("[limits]\ntime = \"soon\"", "`time` is `soon`", "50ms"),
        // The name it had before.
        ("[limits]\nthink = \"soon\"", "`time` is `soon`", "50ms"),
        ("[limits]\ncpu_s = -1.0", "`cpu_s` is more than nothing", ""),
    ] {
        let error = Settings::read(&format!("{whole}{text}\n")).unwrap_err();
        assert!(error.message.contains(message), "{text}: {}", error.message);
        let given = error.hint.clone().unwrap_or_default();
        assert!(given.contains(hint), "{text}: {given}");
    }
    for (text, message) in [
        ("game = \"amazons\"\nformat = \"swiss\"", "agents` is missing"),
        ("game = \"chess\"\nformat = \"swiss\"\nagents = []", "chess"),
        ("game = \"amazons\"\nformat = \"swis\"\nagents = []", "no choice `swis`"),
        ("game = \"amazons\"\nformat = \"swiss\"\nagents = [\"random\"]", "at least two agents"),
        ("game = \"amazons\"\nformat = \"ladder\"\nagents = [\"random\"]", "exactly two"),
        ("game = \"amazons\"\nformat = \"swiss\"\nagents = [\"random\", \"human\"]", "people"),
        (
            "game = \"amazons\"\nformat = \"swiss\"\nagents = [{ spec = \"random\", nmae = \"x\" }]",
            "`nmae`",
        ),
        ("game = \"amazons\"\nformat = \"free-for-all\"\nagents = [\"random\"]", "a game for two"),
    ] {
        let error = Settings::read(text).unwrap_err();
        assert!(error.message.contains(message), "{text}: {}", error.message);
    }
}

/// A summary of made-up results: `result` gives the points of the agent that sits first.
fn summary_of(settings: &Settings, result: impl Fn(usize, usize) -> f64) -> Summary {
    summary_with(settings, |due| {
        let first = result(due.agents[0], due.agents[1]);
        vec![first, 1.0 - first]
    })
}

/// The same with the points of both.
fn summary_with(settings: &Settings, result: impl Fn(&ScheduledGame) -> Vec<f64>) -> Summary {
    let schedule = schedule(settings);
    let (plan, _) = play(&schedule, &result);
    let match_runner = super::match_runner(settings, Roster::built_in(), &Stop::new()).unwrap();
    let names = settings.names();
    let kept = |due: &ScheduledGame| {
        let slip = GameSummary {
            turns: 0,
            key: due.key,
            number: due.number,
            round: due.round,
            agents: due.agents.clone(),
            names: due.agents.iter().map(|agent| names[*agent].clone()).collect(),
            seats: vec![Seat(0), Seat(1)],
            points: result(due),
            scores: None,
            termination: "normal".to_owned(),
            sentence: String::new(),
            plies: 0,
            started: 0.0,
            seconds: 1.0,
            used: vec![Used { turns: 2, total_ms: 4.0, longest_ms: 3.0, ..Used::default() }; 2],
            programs: vec![],
            faults: vec![],
            stderr: vec![],
            overload: None,
        };
        (due.key, StoredGame::elsewhere(slip))
    };
    summarise(&schedule, &match_runner, &plan.games.iter().map(kept).collect(), None)
}

#[test]
fn tables_are_as_worked_out_by_hand() {
    // a0 wins all of its games, a1 beats a2, and a1 and a3 as well as a2 and a3 draw.
    let result = |first: usize, second: usize| match (first.min(second), first.max(second)) {
        (0, _) | (1, 2) => f64::from(u8::from(first < second)),
        _ => 0.5,
    };
    let table = |summary: &Summary| -> Vec<(u32, String, u64, f64)> {
        let row = |standing: &Standing| {
            let summary::Result::Points { score, .. } = standing.result else { panic!() };
            (standing.rank, summary.agents[standing.agent].name.clone(), standing.wins, score)
        };
        summary.standings.iter().map(row).collect()
    };
    let named = |rows: &[(u32, &str, u64, f64)]| -> Vec<(u32, String, u64, f64)> {
        rows.iter()
            .map(|(rank, name, wins, score)| (*rank, (*name).to_owned(), *wins, *score))
            .collect()
    };
    let four = summary_of(&settings("round-robin", 4, "games = 2"), result);
    assert_eq!(
        table(&four),
        named(&[(1, "a0", 6, 6.0), (2, "a1", 2, 3.0), (3, "a3", 0, 2.0), (4, "a2", 0, 1.0)])
    );
    let tie_breaks = |summary: &Summary| -> Vec<(Option<f64>, Option<f64>, f64)> {
        let row = |standing: &Standing| match standing.result {
            summary::Result::Points { buchholz, sonneborn_berger, byes, .. } => {
                (buchholz, sonneborn_berger, byes)
            }
            summary::Result::Places { .. } => panic!(),
        };
        summary.standings.iter().map(row).collect()
    };
    // a1 beat a2 (1 point) and drew with a3 (2 points): 1 + 2 / 2.
    let sonneborn: Vec<f64> = tie_breaks(&four).iter().map(|row| row.1.unwrap()).collect();
    assert_eq!(sonneborn, [6.0, 2.0, 2.0, 1.0]);
    let score = four.cross_table[1][3].unwrap();
    assert_eq!((score.wins, score.draws, score.losses), (0, 2, 0));
    assert!(four.cross_table[2][2].is_none());
    assert_eq!(four.verdict.as_deref(), Some("a0 has won"));
    assert_eq!((four.standings[0].usage.mean_ms, four.standings[0].usage.worst_ms), (2.0, 3.0));

    // Three rounds of three: every agent waits once, which is worth two points.
    let three = summary_of(&settings("swiss", 3, "games = 2\nrounds = 3"), result);
    assert_eq!(table(&three), named(&[(1, "a0", 4, 6.0), (2, "a1", 2, 4.0), (3, "a2", 0, 2.0)]));
    // a0 met a1 (4) and a2 (2) and waited (6, like itself); beat both: 4 + 2.
    assert_eq!(tie_breaks(&three)[0], (Some(12.0), Some(6.0), 2.0));
    assert_eq!(tie_breaks(&three)[2], (Some(12.0), Some(0.0), 2.0));

    let cup = summary_of(&settings("knockout", 4, ""), result);
    let reached = |place: usize| match &cup.standings[place].result {
        summary::Result::Points { reached, .. } => reached.clone().unwrap(),
        summary::Result::Places { .. } => panic!(),
    };
    assert_eq!((reached(0), reached(1)), ("champion".to_owned(), "lost in the final".to_owned()));
    assert_eq!(reached(3), "lost in the semi-final");

    let csv = super::standings::csv(&four);
    let mut lines = csv.lines();
    assert!(lines.next().unwrap().starts_with("rank,agent,spec,games,wins,draws,losses,score,"));
    assert!(lines.next().unwrap().starts_with("1,a0,random,6,6,0,0,6,0,,6.000,,"), "{csv}");
}

/// Those in `broken` never make a turn: a game between two of them is forfeited by both. Else the
/// agent that comes first in the list wins.
fn among(broken: &[usize], due: &ScheduledGame) -> Vec<f64> {
    match (broken.contains(&due.agents[0]), broken.contains(&due.agents[1])) {
        (true, true) => vec![0.0, 0.0],
        (true, false) => vec![0.0, 1.0],
        (false, true) => vec![1.0, 0.0],
        (false, false) if due.agents[0] < due.agents[1] => vec![1.0, 0.0],
        (false, false) => vec![0.0, 1.0],
    }
}

/// Name, wins, losses and points of each agent, best first, and how far it came.
fn rows(summary: &Summary) -> Vec<(usize, u64, u64, u64, f64, Option<String>)> {
    let row = |standing: &Standing| {
        let summary::Result::Points { losses, score, reached, .. } = &standing.result else {
            panic!()
        };
        (standing.agent, standing.games, standing.wins, *losses, *score, reached.clone())
    };
    summary.standings.iter().map(row).collect()
}

#[test]
fn a_game_that_both_forfeit_is_nobodys_and_says_nothing_of_strength() {
    // a0 and a1 do not start; a2 beats a3 and both of them.
    for more in ["games = 2", "games = 3"] {
        let settings = settings("round-robin", 4, more);
        let games = settings.games();
        let summary = summary_with(&settings, |due| among(&[0, 1], due));
        let rows = rows(&summary);
        let whole = |times: u64| (times * games) as f64;
        assert_eq!(rows[0], (2, 3 * games, 3 * games, 0, whole(3), None));
        assert_eq!(rows[1], (3, 3 * games, 2 * games, games, whole(2), None));
        // Neither has won anything, and what both lost is a loss for either.
        assert_eq!(rows[2], (0, 3 * games, 0, 3 * games, 0.0, None));
        assert_eq!(rows[3], (1, 3 * games, 0, 3 * games, 0.0, None));
        assert_eq!((summary.standings[2].rank, summary.standings[3].rank), (3, 3));
        for (row, column) in [(0, 1), (1, 0)] {
            let score = summary.cross_table[row][column].unwrap();
            assert_eq!((score.wins, score.draws, score.losses), (0, 0, games));
            assert_eq!((score.both_forfeited, score.elo), (games, None));
        }
        let ratings: Vec<f64> = (0..4)
            .map(|agent| {
                let standing = summary.standings.iter().find(|row| row.agent == agent).unwrap();
                standing.rating.unwrap().value
            })
            .collect();
        // With an odd number of games one of them has begun more often.
        let is_even = games.is_multiple_of(2);
        assert!(!is_even || (ratings[0] - ratings[1]).abs() < 1e-6, "{ratings:?}");
        let csv = super::standings::csv(&summary);
        let lines: Vec<&str> = csv.lines().collect();
        let whole = 3 * games;
        assert!(lines[3].starts_with(&format!("3,a0,random,{whole},0,0,{whole},0,")), "{csv}");
        assert!(lines[4].starts_with(&format!("3,a1,random,{whole},0,0,{whole},0,")), "{csv}");
    }
    // Where nothing else was played there is no rating, no better one and no winner.
    let both = summary_with(&settings("round-robin", 2, "games = 4"), |_| vec![0.0, 0.0]);
    assert!(both.standings.iter().all(|row| row.rank == 1 && row.rating.is_none()));
    assert!(both.standings.iter().all(|row| row.superiority.is_none()));
    assert!(both.verdict.as_ref().is_some_and(|verdict| verdict.contains("no agent has won")));
    // A pair with one such game is none; its other game counts.
    let half = summary_with(&settings("round-robin", 2, "games = 2"), |due| {
        if due.agents[0] == 0 { vec![1.0, 0.0] } else { vec![0.0, 0.0] }
    });
    let score = half.cross_table[0][1].unwrap();
    assert_eq!((score.wins, score.losses, score.both_forfeited), (1, 1, 1));
    assert_eq!((half.standings[0].agent, half.standings[0].rank), (0, 1));
    let one_game = summary_of(&settings("round-robin", 2, "games = 1"), |_, _| 1.0);
    assert_eq!(score.elo, one_game.cross_table[0][1].unwrap().elo);
    assert_eq!(
        half.standings[0].rating.unwrap().value,
        one_game.standings[0].rating.unwrap().value
    );
    // In a gauntlet too.
    let gauntlet = summary_with(&settings("gauntlet", 3, "games = 2"), |due| among(&[0, 1], due));
    assert_eq!(rows(&gauntlet)[0].0, 2);
    assert!(rows(&gauntlet)[1..].iter().all(|row| row.2 == 0 && row.4 == 0.0));
}

#[test]
fn in_a_swiss_system_a_game_that_both_forfeit_is_worth_nothing_to_either() {
    let settings = settings("swiss", 4, "games = 2\nrounds = 3\nwithdraw_after = 0");
    let summary = summary_with(&settings, |due| among(&[2, 3], due));
    let points: Vec<(usize, f64)> = rows(&summary).iter().map(|row| (row.0, row.4)).collect();
    assert_eq!(points, [(0, 6.0), (1, 4.0), (2, 0.0), (3, 0.0)]);
    let breaks = |place: usize| match &summary.standings[place].result {
        summary::Result::Points { buchholz, sonneborn_berger, .. } => {
            (buchholz.unwrap(), sonneborn_berger.unwrap())
        }
        summary::Result::Places { .. } => panic!(),
    };
    // a2 met a0 (6) and a1 (4); a3 adds nothing.
    assert_eq!([breaks(2), breaks(3)], [(10.0, 0.0), (10.0, 0.0)]);
    // Points of an opponent that was met in forfeited games only are no tie-break either.
    let plan = &summary.rounds;
    let nobodys = plan.iter().flat_map(|round| &round.pairings);
    let nobodys = nobodys.filter(|pairing| pairing.first.min(pairing.second) == 2);
    assert!(nobodys.clone().count() == 1);
    assert!(
        nobodys.clone().all(|pairing| (pairing.first_score, pairing.second_score) == (0.0, 0.0))
    );
}

#[test]
fn in_a_knockout_nobody_goes_on_by_forfeits_of_both() {
    let reached = |summary: &Summary| -> Vec<Option<String>> {
        let mut all = vec![None; summary.agents.len()];
        rows(summary).into_iter().for_each(|row| all[row.0] = row.5);
        all
    };
    let of = |words: &[&str]| words.iter().map(|word| Some((*word).to_owned())).collect::<Vec<_>>();
    let cup = |count: usize, broken: &[usize]| {
        summary_with(&settings("knockout", count, "extra_pairs = 1"), |due| among(broken, due))
    };
    // a1 and a2 meet and are both out; a0 is the champion without a final, since it beat a3.
    let four = cup(4, &[1, 2]);
    assert_eq!(
        reached(&four),
        of(&[
            "champion",
            "forfeited in the semi-final",
            "forfeited in the semi-final",
            "lost in the semi-final"
        ])
    );
    assert_eq!(four.verdict.as_deref(), Some("a0 has won"));
    assert_eq!(four.rounds[1].byes, [0]);
    assert!(four.is_complete && four.rounds[0].pairings.iter().any(|pairing| pairing.both_out));
    // Games of the tie were played: no one is out for one bad start.
    assert_eq!(rows(&four).iter().find(|row| row.0 == 1).unwrap().1, 4);
    // Both finalists forfeit.
    let two = cup(2, &[0, 1]);
    assert_eq!(reached(&two), of(&["forfeited in the final"; 2]));
    assert!(
        two.verdict.as_deref().is_some_and(|verdict| !verdict.contains("a0")),
        "{:?}",
        two.verdict
    );
    // a0 waits for a1 and a2, who are both out: it has beaten no one.
    let three = cup(3, &[0, 1, 2]);
    assert!(!reached(&three).contains(&Some("champion".to_owned())));
    assert!(three.standings.iter().all(|row| row.rank == 1));
    let three = cup(3, &[1, 2]);
    assert_eq!(reached(&three)[0].as_deref(), Some("met no opponent"));
    // Whichever agents are broken, for every field of eight: no one broken becomes champion or wins a pairing,
    // and there is a champion where someone works and has beaten someone.
    for mask in 0..256_usize {
        let broken: Vec<usize> = (0..8).filter(|agent| mask >> agent & 1 == 1).collect();
        let summary = cup(8, &broken);
        assert!(summary.is_complete, "{broken:?}");
        let winners = summary.rounds.iter().flat_map(|round| &round.pairings);
        let mut winners = winners.filter_map(|pairing| pairing.winner);
        assert!(winners.all(|winner| !broken.contains(&winner)), "{broken:?}");
        let best = (0..8).find(|agent| !broken.contains(agent));
        let champion =
            reached(&summary).iter().position(|text| text.as_deref() == Some("champion"));
        assert_eq!(champion, best, "{broken:?}");
    }
}

#[test]
fn a_ladder_learns_nothing_from_games_that_both_forfeit() {
    let settings = settings("ladder", 2, "games = 200\n[sprt]\nelo0 = 0.0\nelo1 = 50.0");
    let summary = summary_with(&settings, |_| vec![0.0, 0.0]);
    let test = summary.sprt.unwrap();
    assert_eq!((test.llr, test.decision.as_str()), (0.0, "undecided"));
    assert_eq!(summary.games.len(), 200);
    // Every second pair has no winner: the others decide as if there were no more.
    let alone = summary_of(&settings, |first, _| f64::from(u8::from(first == 0)));
    let mixed = summary_with(&settings, |due| match due.opening % 2 {
        0 => vec![0.0, 0.0],
        _ => among(&[], due),
    });
    assert_eq!(mixed.sprt.unwrap().llr, alone.sprt.unwrap().llr);
    assert!(mixed.games.len() > alone.games.len());
}

#[test]
fn a_table_of_nothing_is_a_table() {
    let settings = settings("round-robin", 3, "");
    let match_runner = super::match_runner(&settings, Roster::built_in(), &Stop::new()).unwrap();
    let summary = summarise(&schedule(&settings), &match_runner, &HashMap::new(), None);
    assert_eq!((summary.standings.len(), summary.is_complete), (3, false));
    assert!(summary.standings.iter().all(|row| row.rank == 1 && row.rating.is_none()));
    assert_eq!((summary.verdict, summary.history.len()), (None, 0));
}
