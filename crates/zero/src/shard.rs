//! Games of self-play on disk.
//!
//! A shard is a file of gzip members, each a few games as JSON Lines: `zcat` reads it, so does
//! anything that reads JSON. Members check themselves, so what a crash left half written is noticed
//! and dropped, and files can be joined with `cat`.

use std::io::{Read, Write};

use flate2::Compression;
use flate2::bufread::GzDecoder;
use flate2::write::GzEncoder;
use serde::{Deserialize, Serialize};
use skirmish_rules::{Error, ErrorKind, Result};

/// One game of self-play.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Played {
    /// The version of the encodings that the numbers of the actions belong to.
    pub encoding: u32,
    /// The position the search took over at, after the opening.
    pub start: String,
    /// Which network sat at which seat: 0 the newest, 1 an older one.
    pub nets: [u8; 2],
    /// What the game was worth to seat 0.
    pub result: f32,
    /// How it came to an end.
    pub end: End,
    /// Every action, by its place in the policy.
    pub actions: Vec<u16>,
    /// What the search found, where it was a full one: samples to learn from.
    pub searches: Vec<Search>,
}

/// How a game of self-play came to an end.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Serialize, Deserialize)]
#[serde(rename_all = "kebab-case")]
pub enum End {
    /// By the rules.
    Over,
    /// No player could change the result any more.
    Settled,
    /// A player resigned.
    Resigned,
}

/// A full search.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct Search {
    /// Before which action.
    pub ply: u32,
    /// What the position was worth to the player to move, as the search found.
    pub value: f32,
    /// The improved policy: places in the policy, and probabilities in ten-thousandths.
    pub policy: Vec<(u16, u16)>,
}

/// No member that we write unpacks to more: a few games are some tens of kilobytes.
const MOST_MEMBER: u64 = 256 << 20;

/// Games as one gzip member, ready to be appended to a file.
pub fn pack(games: &[Played]) -> Vec<u8> {
    // All text first: JSON is written in crumbs, and a compressor fed with crumbs is ten times slower.
    let mut text = Vec::new();
    for game in games {
        serde_json::to_writer(&mut text, game).expect("games are plain data");
        text.push(b'\n');
    }
    let mut encoder = GzEncoder::new(Vec::new(), Compression::new(4));
    encoder.write_all(&text).expect("writing to memory");
    encoder.finish().expect("writing to memory")
}

/// What was read from a shard.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Unpacked {
    /// The games of all whole members.
    pub games: Vec<Played>,
    /// Bytes at the end that are no whole member: what a crash left behind.
    pub torn: usize,
}

/// Reads members until the end or the first that is not whole.
pub fn unpack(bytes: &[u8]) -> Result<Unpacked> {
    let mut unpacked = Unpacked::default();
    let mut rest = bytes;
    while !rest.is_empty() {
        let mut text = String::new();
        let mut decoder = GzDecoder::new(rest);
        let read = (&mut decoder).take(MOST_MEMBER + 1).read_to_string(&mut text);
        if text.len() as u64 > MOST_MEMBER {
            return Err(Error::new(
                ErrorKind::Unreadable,
                "the shard has a member of over 256 MiB",
            )
            .hint("shards are written by `skirmish zero train`, a few games a member"));
        }
        if read.is_err() {
            unpacked.torn = rest.len();
            break;
        }
        rest = decoder.into_inner();
        for line in text.lines() {
            let game = serde_json::from_str(line).map_err(|error| {
                Error::new(ErrorKind::Unreadable, format!("a game in the shard: {error}"))
                    .hint("shards are written by `skirmish zero train` of the same version")
            })?;
            unpacked.games.push(game);
        }
    }
    Ok(unpacked)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bomb_is_refused() {
        let mut encoder = GzEncoder::new(Vec::new(), Compression::fast());
        let blank = vec![b' '; 1 << 20];
        for _ in 0..=256 {
            encoder.write_all(&blank).unwrap();
        }
        let error = unpack(&encoder.finish().unwrap()).unwrap_err();
        assert!(error.message.contains("256 MiB"), "{error}");
    }

    fn game(result: f32) -> Played {
        Played {
            encoding: 1,
            start: "somewhere".to_owned(),
            nets: [0, 1],
            result,
            end: End::Settled,
            actions: vec![3, 1, 4],
            searches: vec![Search { ply: 1, value: 0.25, policy: vec![(1, 9_000), (2, 1_000)] }],
        }
    }

    #[test]
    fn what_is_packed_can_be_unpacked_and_a_torn_end_is_dropped() {
        let mut bytes = pack(&[game(1.0), game(0.0)]);
        bytes.extend(pack(&[game(-1.0)]));
        let whole = unpack(&bytes).unwrap();
        assert_eq!(whole.games, [game(1.0), game(0.0), game(-1.0)]);
        assert_eq!(whole.torn, 0);
        let first = pack(&[game(1.0), game(0.0)]).len();
        for cut in first + 1..bytes.len() {
            let torn = unpack(&bytes[..cut]).unwrap();
            assert_eq!((torn.games.len(), torn.torn), (2, cut - first));
        }
    }
}
