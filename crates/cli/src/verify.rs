//! `skirmish verify`: replay other people's games through our rules.

use std::io::Write;
use std::path::PathBuf;

use clap::Args;
use serde::Serialize;
use skirmish_play::trace::{Report, verify};

use crate::Done;
use crate::output::{Fault, Output, commas, counted};
use crate::progress::{Progress, on_threads, threads};

/// Replay traces and perft tables and compare everything they give.
#[derive(Args, Debug)]
#[command(after_help = "\
Examples:
  skirmish verify games.jsonl
  skirmish verify data/*.jsonl.gz data/*.perft.txt --threads 2

A trace is JSON Lines, one game a line, plain or gzip; a perft table has lines `FEN ; depth ; leaves`. \
The last line is the total over all files: `verified G games, P positions, 0 mismatches`. Exit code 1 \
when something differs, 2 when a file cannot be read.

With --json: `games`, `positions`, `counts` (lines of perft tables), `mismatches`, and `first`, the \
first mismatches with `file`, `line`, `ply`, `what`, `expected`, `found`.")]
pub(crate) struct Arguments {
    /// Traces and perft tables.
    #[arg(required = true, value_name = "FILE")]
    files: Vec<PathBuf>,
    /// Threads to use; 0 means one per core.
    #[arg(long, value_name = "N", default_value_t = 0, value_parser = threads)]
    threads: usize,
    /// Print JSON.
    #[arg(long)]
    json: bool,
}

#[derive(Serialize)]
struct Verified {
    games: u64,
    positions: u64,
    counts: u64,
    mismatches: u64,
    first: Vec<Difference>,
}

#[derive(Serialize)]
struct Difference {
    file: String,
    line: usize,
    ply: Option<usize>,
    what: String,
    expected: String,
    found: String,
}

pub(crate) fn run(arguments: &Arguments, output: &mut Output) -> Done {
    let sizes: Vec<u64> = arguments
        .files
        .iter()
        .map(|file| std::fs::metadata(file).map_or(0, |metadata| metadata.len()))
        .collect();
    let progress = Progress::new(sizes.iter().sum(), "bytes");
    let mut total = Report::default();
    let mut before = 0;
    for (file, size) in arguments.files.iter().zip(&sizes) {
        let report =
            on_threads(arguments.threads, || verify(file, &|read| progress.set(before + read)))??;
        before += size;
        if !arguments.json {
            let mut parts = Vec::new();
            if report.games > 0 || report.counts == 0 {
                parts.push(counted(report.games, "game"));
                parts.push(counted(report.positions, "position"));
            }
            if report.counts > 0 {
                parts.push(counted(report.counts, "perft count"));
            }
            parts.push(mismatches(report.mismatches));
            writeln!(output, "{}: {}", file.display(), parts.join(", "))?;
            for mismatch in &report.first {
                writeln!(output, "{mismatch}")?;
            }
        }
        total.games += report.games;
        total.positions += report.positions;
        total.counts += report.counts;
        total.mismatches += report.mismatches;
        let room = Report::SHOWN.saturating_sub(total.first.len());
        total.first.extend(report.first.into_iter().take(room));
    }
    drop(progress);
    if arguments.json {
        output.json(&Verified {
            games: total.games,
            positions: total.positions,
            counts: total.counts,
            mismatches: total.mismatches,
            first: total
                .first
                .into_iter()
                .map(|mismatch| Difference {
                    file: mismatch.file.display().to_string(),
                    line: mismatch.line,
                    ply: mismatch.ply,
                    what: mismatch.what,
                    expected: mismatch.expected,
                    found: mismatch.found,
                })
                .collect(),
        })?;
    } else {
        writeln!(
            output,
            "verified {}, {}, {}",
            counted(total.games, "game"),
            counted(total.positions, "position"),
            mismatches(total.mismatches)
        )?;
    }
    if total.mismatches > 0 {
        output.flush()?;
        return Err(Fault::No);
    }
    Ok(())
}

fn mismatches(number: u64) -> String {
    // `counted` knows plurals in `s` alone.
    format!("{} mismatch{}", commas(number), if number == 1 { "" } else { "es" })
}
