//! `skirmish export`: a recorded game, or one position of it, as pictures or text.

use std::io::{BufWriter, Write};
use std::path::{Path, PathBuf};

use clap::Args;
use skirmish_play::replay::Replay;
use skirmish_render::picture::{Animation, MOST_FRAMES, Scene, picture, sheet, svg};
use skirmish_rules::draw::{Look, draw};
use skirmish_rules::view::Frame;

use crate::Done;
use crate::output::{Fault, Output, counted, note};

/// Make pictures or text of a recorded game.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish demo --records games                               makes some records
  skirmish export games/amazons.json --gif -o amazons.gif     the whole game, moving
  skirmish export games/amazons.json --svg -o amazons.svg     the whole game on one page
  skirmish export games/amazons.json --svg --turn 40 -o 40.svg  one position
  skirmish export battle-royale-3.json --gif -o battle.gif    a game of the original Game 17 tool
  skirmish export tournament/games.jsonl --game 12 --text

FILE is a record or a journal of this program, a file of many records, one a line (`--game` says \
which), or the JSON of the original Game 17 tool; gzip is unpacked. Turns are counted from 1, and the \
picture of turn 40 is the board after it; turn 0 is the start. Of a long game, pictures of turns at equal distances are taken: \
`--every` says how far. Without -o, SVG and text go to standard output.")]
pub(crate) struct Arguments {
    /// The game.
    #[arg(value_name = "FILE")]
    file: PathBuf,
    /// As SVG: a position, or a page with many.
    #[arg(long, group = "form")]
    svg: bool,
    /// As GIF: a position, or a moving picture.
    #[arg(long, group = "form")]
    gif: bool,
    /// As text.
    #[arg(long, group = "form")]
    text: bool,
    /// The board after this turn, instead of the whole game; 0 is the start.
    #[arg(long, value_name = "N")]
    turn: Option<usize>,
    /// The board after so many events.
    #[arg(long, value_name = "N", hide = true, conflicts_with = "turn")]
    ply: Option<usize>,
    /// Which game of a file with many, counted from 1.
    #[arg(long, value_name = "N")]
    game: Option<usize>,
    /// Show every Nth turn only.
    #[arg(long, value_name = "N", value_parser = clap::value_parser!(u64).range(1..))]
    every: Option<u64>,
    /// How long a picture of a GIF is shown, in milliseconds.
    #[arg(long, value_name = "MS", value_parser = clap::value_parser!(u16).range(20..=60_000))]
    delay: Option<u16>,
    /// Plain characters only, in text.
    #[arg(long)]
    ascii: bool,
    /// Where to write; an ending of `.svg`, `.gif` or `.txt` chooses the format.
    #[arg(short, long, value_name = "OUT")]
    output: Option<PathBuf>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Form {
    Svg,
    Gif,
    Text,
}

/// Pictures on a page, and in a moving picture, unless more were asked for.
const ON_A_PAGE: usize = 24;
const IN_MOTION: usize = 300;

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let form = form(arguments)?;
    let replay = Replay::open(&arguments.file, arguments.game)?;
    let turns = turns(arguments, &replay, form)?;
    if form == Form::Gif {
        return gif(arguments, &replay, &turns, output);
    }
    let text = match form {
        Form::Svg if arguments.ply.or(arguments.turn).is_some() => svg(&scene(&replay, turns[0])?),
        Form::Svg => {
            let frames =
                turns.iter().map(|turn| replay.frame(*turn)).collect::<Result<Vec<Frame>, _>>()?;
            sheet(&replay.title, replay.ending.as_deref().unwrap_or("not finished"), &frames)
        }
        _ => {
            let look = Look { ascii: arguments.ascii, ..Look::default() };
            let mut text = format!("{}\n", replay.title);
            for turn in turns {
                text.push('\n');
                text.push_str(&told(&replay, turn, look)?);
            }
            text
        }
    };
    match &arguments.output {
        Some(path) => std::fs::write(path, text).map_err(|error| cannot_write(path, &error)),
        None => Ok(output.write_all(text.as_bytes())?),
    }
}

/// The board after a turn, in words and characters, and what its player said it thought.
pub(crate) fn told(replay: &Replay, turn: usize, look: Look) -> Result<String, Fault> {
    let frame = replay.frame(turn)?;
    let mut text = format!("turn {}: {}\n{}", frame.turn, frame.caption, draw(&frame.view, look));
    if let Some(thought) = replay.thought(frame.turn) {
        text.push_str(&format!("thought: {thought}\n"));
    }
    Ok(text)
}

fn form(arguments: &Arguments) -> Result<Form, Fault> {
    let ending = arguments.output.as_ref().and_then(|path| path.extension()?.to_str());
    match (arguments.svg, arguments.gif, arguments.text, ending) {
        (true, ..) | (_, false, false, Some("svg")) => Ok(Form::Svg),
        (_, true, ..) | (_, _, false, Some("gif")) => Ok(Form::Gif),
        (_, _, true, _) | (_, _, _, Some("txt")) => Ok(Form::Text),
        _ => {
            let message = match ending {
                Some(ending) => format!("`.{ending}` is not supported"),
                None => "no format was chosen".to_owned(),
            };
            Err(Fault::unusable(message).or_hint(
                "use `--svg`, `--gif` or `--text`, or a file ending in .svg, .gif or .txt",
            ))
        }
    }
}

/// The turns to show.
fn turns(arguments: &Arguments, replay: &Replay, form: Form) -> Result<Vec<usize>, Fault> {
    if let Some(turn) = one_turn(replay, arguments.turn, arguments.ply)? {
        return Ok(vec![turn]);
    }
    let most = match form {
        Form::Svg => ON_A_PAGE,
        Form::Gif => IN_MOTION,
        Form::Text => usize::MAX,
    };
    let all = replay.turns();
    let every = match arguments.every {
        Some(every) => every as usize,
        None => all.div_ceil(most - 1).max(1),
    };
    let mut turns: Vec<usize> = (0..=all).step_by(every).collect();
    if turns.last() != Some(&all) {
        turns.push(all);
    }
    if form == Form::Gif && turns.len() > MOST_FRAMES {
        return Err(Fault::unusable(format!("a GIF of {} pictures", turns.len())).or_hint(
            format!(
                "`--every {}` makes it one of {MOST_FRAMES} at most",
                all.div_ceil(MOST_FRAMES - 1)
            ),
        ));
    }
    Ok(turns)
}

/// The turn that is asked for by its number or by the number of events until then.
pub(crate) fn one_turn(
    replay: &Replay,
    turn: Option<usize>,
    ply: Option<usize>,
) -> Result<Option<usize>, Fault> {
    let wrong = |what: String, most: usize, thing: &str| {
        let hint = format!("the game has {}", counted(most as u64, thing));
        Err(Fault::unusable(format!("there is no {what}")).or_hint(hint))
    };
    match (turn, ply) {
        (Some(turn), _) if turn > replay.turns() => {
            wrong(format!("turn {turn}"), replay.turns(), "turn")
        }
        (None, Some(ply)) if ply > replay.plies() => {
            wrong(format!("ply {ply}"), replay.plies(), "event")
        }
        (Some(turn), _) => Ok(Some(turn)),
        (None, ply) => Ok(ply.map(|ply| replay.turn_at(ply))),
    }
}

fn scene(replay: &Replay, turn: usize) -> Result<Scene, Fault> {
    Ok(picture(&replay.title, &replay.frame(turn)?))
}

fn gif(arguments: &Arguments, replay: &Replay, turns: &[usize], output: &mut Output) -> Done {
    let writer: Box<dyn Write> = match &arguments.output {
        Some(path) => {
            let file = std::fs::File::create(path).map_err(|error| cannot_write(path, &error))?;
            Box::new(BufWriter::new(file))
        }
        None if output.is_terminal() => {
            return Err(Fault::unusable("a GIF cannot be shown here")
                .or_hint("write it to a file: `-o game.gif`"));
        }
        None => Box::new(Piped(BufWriter::new(std::io::stdout()))),
    };
    // Some scenes from all over the game have all its colours.
    let stride = turns.len().div_ceil(24);
    let samples = turns
        .iter()
        .step_by(stride)
        .map(|turn| scene(replay, *turn))
        .collect::<Result<Vec<_>, _>>()?;
    let mut animation = Animation::begin(writer, &samples)?;
    // About a minute for a game of some length, and time to read for a short one.
    let usual = (60_000 / turns.len().max(1)).clamp(60, 900) as u16;
    let delay = arguments.delay.unwrap_or(usual) / 10;
    for (number, turn) in turns.iter().enumerate() {
        let is_last = number + 1 == turns.len();
        animation.add(&scene(replay, *turn)?, if is_last { delay.max(300) } else { delay })?;
    }
    if let Some(path) = &arguments.output {
        note(format_args!("{}: {}", path.display(), counted(turns.len() as u64, "picture")));
    }
    Ok(())
}

/// A pipe whose reader may leave early: that is no error.
struct Piped<W: Write>(W);

impl<W: Write> Write for Piped<W> {
    fn write(&mut self, bytes: &[u8]) -> std::io::Result<usize> {
        match self.0.write(bytes) {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(bytes.len()),
            written => written,
        }
    }

    fn flush(&mut self) -> std::io::Result<()> {
        match self.0.flush() {
            Err(error) if error.kind() == std::io::ErrorKind::BrokenPipe => Ok(()),
            flushed => flushed,
        }
    }
}

fn cannot_write(path: &Path, error: &std::io::Error) -> Fault {
    Fault::unusable(format!("{}: cannot write: {error}", path.display()))
}
