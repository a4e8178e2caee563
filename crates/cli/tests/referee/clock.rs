//! What is charged to whom, also on a busy machine, and processes that play many games.

use super::*;

/// Turns of 5 ms of CPU, with the agent's own reading of its clock in `info`, and `{}` where it does
/// something beside.
const WORKS: &str = "
import json, os, sys, time
said = None
def say(message):
    sys.stdout.write(json.dumps(message) + '\\n')
    sys.stdout.flush()
def work():
    before = time.process_time()
    while time.process_time() - before < 0.005: pass
def clock():
    return time.process_time()
{}
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'start':
        say({'type': 'ready', 'wants': ['legal', 'quiet']})
        said = clock()
    elif message['type'] == 'choose':
        work()
        now = clock()
        used, said = now - said, now
        say({'type': 'play', 'ply': message['ply'], 'move': message['legal'][0],
             'info': {'ms': used * 1000}})
";

/// Milliseconds of CPU in each turn: by the agent's own clock, and as it was charged.
type Turns = Vec<(f64, f64)>;

/// Plays such an agent with every core busy with something else, twice over.
fn on_a_busy_machine(beside: &str, settings: &Settings) -> (Turns, Refereed) {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("works.py");
    std::fs::write(&path, WORKS.replacen("{}", beside, 1)).unwrap();
    let line = format!("cmd:python3 '{}'", path.display());
    let stop = std::sync::atomic::AtomicBool::new(false);
    let cores = std::thread::available_parallelism().map_or(2, usize::from);
    let refereed = std::thread::scope(|scope| {
        for _ in 0..2 * cores {
            scope.spawn(|| {
                while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                    std::hint::spin_loop();
                }
            });
        }
        let refereed = duel(&[&line, "random"], settings);
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
        refereed
    });
    let mut turns = Vec::new();
    for event in &refereed.record.events {
        if let Event::Move { cpu_ms: Some(charged), info: Some(info), .. } = event {
            turns.push((info["ms"].as_f64().unwrap(), *charged));
        }
    }
    (turns, refereed)
}

/// What an agent does between reading its own clock and falling asleep is its time as well; how long
/// that takes is up to the machine, which now and then does something of its own there. So a turn
/// is usually charged to within a fifth of what it used, which neither the wall nor the ticks of the
/// system could do, and in a game it evens out.
#[track_caller]
fn assert_charged_exactly(turns: &Turns) {
    assert!(turns.len() > 20, "{turns:?}");
    let mut off: Vec<f64> =
        turns.iter().map(|(used, charged)| (charged / used - 1.0).abs()).collect();
    off.sort_by(f64::total_cmp);
    let typical = off[off.len() / 2];
    let used: f64 = turns.iter().map(|(used, _)| used).sum();
    let charged: f64 = turns.iter().map(|(_, charged)| charged).sum();
    println!(
        "typically off by {:.2} %, in all by {:.2} %",
        100.0 * typical,
        100.0 * (charged / used - 1.0)
    );
    assert!(typical < 0.2, "typically off by {typical} of a turn: {turns:?}");
    assert!((0.9..1.1).contains(&(charged / used)), "{charged} ms for {used} ms: {turns:?}");
}

#[test]
fn an_honest_agent_is_charged_what_it_used_also_on_a_busy_machine() {
    let (turns, refereed) = on_a_busy_machine("", &settings());
    assert_clean(&refereed);
    assert_charged_exactly(&turns);
}

#[test]
fn an_honest_agent_is_not_lost_to_a_busy_machine() {
    // It has to wait for a second in some turns, as on a machine with much else to do, and is allowed
    // half of one of CPU, which is a hundred times what it needs: by the wall it would be stopped.
    let waits = "
work_only, turns = work, 0
def work():
    global turns
    work_only()
    turns += 1
    if turns % 16 == 1: time.sleep(1)
";
    let limits = Limits { cpu_move_s: 0.5, wall_s: 600.0, ..settings().limits };
    let (_, refereed) = on_a_busy_machine(waits, &Settings { limits, ..settings() });
    assert_clean(&refereed);
    let slow =
        |event: &&Event| matches!(event, Event::Move { time_ms: Some(ms), .. } if *ms > 500.0);
    assert!(refereed.record.events.iter().filter(slow).count() > 1);
}

#[test]
fn helpers_of_an_agent_are_charged_exactly_too() {
    // The work is done by a child, which tells what it has used; its parent only waits.
    let helper = "
ask, tell = os.pipe(), os.pipe()
if os.fork() == 0:
    while os.read(ask[0], 1):
        work()
        os.write(tell[1], ('%020d' % (time.process_time() * 1e9)).encode())
    os._exit(0)
helped = 0.0
def work():
    global helped
    os.write(ask[1], b'x')
    helped = int(os.read(tell[0], 20)) / 1e9
def clock():
    return time.process_time() + helped
";
    let limits = Limits { processes: 2, ..settings().limits };
    let (turns, refereed) = on_a_busy_machine(helper, &Settings { limits, ..settings() });
    assert_clean(&refereed);
    assert_charged_exactly(&turns);
}

#[test]
fn an_agent_that_allows_it_plays_many_games_in_one_process() {
    let agent = compiled();
    let start = table("watch-your-back", &Options::none());
    let mut referee = referee(&[&agent, &agent], start.as_ref(), &settings());
    let mut lengths = Vec::new();
    for game in 0..20 {
        let refereed = next_game(&mut referee, start.fork(), game);
        assert_clean(&refereed);
        lengths.push(refereed.record.events.len());
    }
    lengths.sort_unstable();
    lengths.dedup();
    assert!(lengths.len() > 5, "every game has a seed of its own");
}

#[test]
fn an_agent_that_leaves_though_it_said_it_would_stay_is_started_again() {
    let folder = TempDir::new().unwrap();
    let path = folder.path().join("it.py");
    let leaves = "
import json, sys
def say(message): print(json.dumps(message), flush=True)
for line in sys.stdin:
    message = json.loads(line)
    if message['type'] == 'start': say({'type': 'ready', 'wants': ['legal'], 'reuse': True})
    if message['type'] == 'choose':
        say({'type': 'play', 'ply': message['ply'], 'move': message['legal'][0]})
    if message['type'] == 'end': sys.exit(1)
";
    std::fs::write(&path, leaves).unwrap();
    let line = format!("cmd:python3 '{}'", path.display());
    let start = table("watch-your-back", &Options::none());
    let mut referee = referee(&[&line, "random"], start.as_ref(), &settings());
    for game in 0..3 {
        let refereed = next_game(&mut referee, start.fork(), game);
        assert_clean(&refereed);
    }
}
