//! The net file: safetensors with a description in JSON.
//!
//! A file comes from outside, so everything in it is checked here, once, and nothing is trusted
//! before: after [`Net::from_bytes`] every tensor of the one list in [`tensors`] is there, has its
//! shape and holds finite numbers.

use std::collections::{BTreeMap, HashMap};
use std::io::Read as _;
use std::path::Path;

use crate::encoding::Shape;
use half::f16;
use safetensors::tensor::{Dtype, SafeTensors, TensorView};
use serde::{Deserialize, Serialize};
use serde_json::{Map, Value};
use skirmish_rules::error::{Error, ErrorKind, Result, nearest, quote};
use skirmish_rules::random::Random;

/// Channels between the board and the policy's logits.
pub(super) const POLICY_CHANNELS: usize = 32;
/// Numbers between the pooled board and the value's logits.
pub(super) const VALUE_CHANNELS: usize = 64;
/// Logits of the value: win, draw and loss for the player to move.
pub(super) const OUTCOMES: usize = 3;

/// The format this version reads and writes.
const FORMAT: u32 = 1;
/// The entry of the file's metadata that holds the description.
const ENTRY: &str = "skirmish";

/// No net is larger: 1,000 times those that ship.
const MOST_BYTES: u64 = 1 << 30;

/// Reads a file that is not larger than `most` bytes. A path that names a device or a
/// much larger file is an error, and does not fill the memory.
pub(crate) fn read_at_most(path: &Path, most: u64) -> std::io::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let file = std::fs::File::open(path)?;
    if !file.metadata()?.is_file() {
        return Err(std::io::Error::other("it is not a file"));
    }
    file.take(most + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 > most {
        return Err(std::io::Error::other(format!("it is larger than {} MiB", most >> 20)));
    }
    Ok(bytes)
}

/// The longest side of a board.
const LONGEST_SIDE: usize = 26;

/// The shape for a board of another size.
pub(super) fn on_board(shape: Shape, height: usize, width: usize) -> Result<Shape> {
    let sides = 2..=LONGEST_SIDE;
    if !sides.contains(&height) || !sides.contains(&width) {
        return Err(Error::new(
            ErrorKind::Option,
            format!("a net cannot evaluate a board of {height}x{width}"),
        )
        .hint(format!("each side has 2 to {LONGEST_SIDE} squares")));
    }
    Ok(Shape { height, width, ..shape })
}

/// What a net file says about its net.
#[derive(Clone, PartialEq, Debug, Serialize, Deserialize)]
pub struct About {
    /// The version of the file's format.
    pub format: u32,
    /// The game it plays, by its name in the registry.
    pub game: String,
    /// The options of the game it was trained with.
    #[serde(default)]
    pub options: Map<String, Value>,
    /// The rows and answers it was trained with.
    pub shape: Shape,
    /// Channels of the tower.
    pub channels: usize,
    /// Residual blocks of the tower.
    pub blocks: usize,
    /// The blocks that also look at the whole board, in ascending order.
    pub pooled: Vec<usize>,
    /// How it was trained: minutes, steps, games, settings.
    #[serde(default)]
    pub trained: Value,
}

impl About {
    /// Checks the numbers, so that all products of them are small.
    fn check(&self) -> Result<()> {
        if self.format != FORMAT {
            return Err(fault(format!("the net has format {}", self.format))
                .hint(format!("this version reads format {FORMAT}")));
        }
        let shape = &self.shape;
        on_board(*shape, shape.height, shape.width)?;
        for (name, value, least, most) in [
            ("planes", shape.planes, 1, 1024),
            ("scalars", shape.scalars, 0, 1024),
            ("policy_planes", shape.policy_planes, 1, 1024),
            ("channels", self.channels, 1, 1024),
            ("blocks", self.blocks, 0, 256),
        ] {
            if !(least..=most).contains(&value) {
                return Err(fault(format!("the net has `{name}` {value}"))
                    .hint(format!("from {least} to {most} is possible")));
            }
        }
        let ascending = self.pooled.windows(2).all(|pair| pair[0] < pair[1]);
        if !ascending || self.pooled.last().is_some_and(|&last| last >= self.blocks) {
            return Err(fault(format!("the net pools in blocks {:?}", self.pooled)).hint(format!(
                "an ascending list of numbers below {}, the number of blocks",
                self.blocks
            )));
        }
        Ok(())
    }
}

/// A net: its description and its weights.
#[derive(Clone, PartialEq, Debug)]
pub struct Net {
    about: About,
    tensors: BTreeMap<String, Vec<f32>>,
}

impl Net {
    /// Reads a net file.
    pub fn read(path: impl AsRef<Path>) -> Result<Net> {
        let path = path.as_ref();
        let place = quote(&path.display().to_string());
        let bytes = read_at_most(path, MOST_BYTES)
            .map_err(|error| fault(format!("cannot read the net {place}: {error}")))?;
        Net::from_bytes(&bytes).map_err(|error| error.within(format!("net {place}")))
    }

    /// Reads the content of a net file.
    pub fn from_bytes(bytes: &[u8]) -> Result<Net> {
        let (_, header) = SafeTensors::read_metadata(bytes).map_err(not_safetensors)?;
        let file = SafeTensors::deserialize(bytes).map_err(not_safetensors)?;
        let entry = header.metadata().as_ref().and_then(|metadata| metadata.get(ENTRY));
        let entry = entry.ok_or_else(|| {
            fault(format!("the file has no metadata entry `{ENTRY}`"))
                .hint("a net saved by `skirmish` has one; other models cannot be read")
        })?;
        let about: About = serde_json::from_str(entry)
            .map_err(|error| fault(format!("the metadata entry `{ENTRY}` is wrong: {error}")))?;
        about.check()?;

        let expected = tensors(&about);
        if let Some(stranger) = file.names().iter().find(|name| !expected.contains_key(**name)) {
            let error = fault(format!("the net has an unknown tensor {}", quote(stranger)));
            return Err(match nearest(stranger, expected.keys().map(String::as_str)) {
                Some(name) => error.hint(format!("perhaps `{name}`")),
                None => error,
            });
        }
        let mut tensors = BTreeMap::new();
        for (name, shape) in expected {
            let view = file
                .tensor(&name)
                .map_err(|_| fault(format!("the net has no tensor `{name}` {shape:?}")))?;
            if view.shape() != shape {
                return Err(fault(format!("tensor `{name}` has shape {:?}", view.shape()))
                    .hint(format!("its shape is {shape:?} in this net")));
            }
            let numbers = numbers(&view).map_err(|error| error.within(format!("`{name}`")))?;
            tensors.insert(name, numbers);
        }
        Ok(Net { about, tensors })
    }

    /// The content of a net file with these weights, as 32-bit numbers.
    pub fn to_bytes(&self) -> Vec<u8> {
        let about = serde_json::to_string(&self.about).expect("a description is plain JSON");
        let shapes = tensors(&self.about);
        let bytes: Vec<Vec<u8>> = (self.tensors.values())
            .map(|numbers| numbers.iter().flat_map(|number| number.to_le_bytes()).collect())
            .collect();
        let views = shapes.iter().zip(&bytes).map(|((name, shape), bytes)| {
            let view = TensorView::new(Dtype::F32, shape.clone(), bytes);
            (name, view.expect("a tensor has as many numbers as its shape says"))
        });
        let metadata = HashMap::from([(ENTRY.to_owned(), about)]);
        safetensors::serialize(views, Some(metadata)).expect("names and shapes are few and short")
    }

    /// A net with random weights, each layer of about the strength of its input: for tests and
    /// benchmarks.
    ///
    /// # Errors
    ///
    /// If the description is impossible.
    pub fn random(about: About, seed: u64) -> Result<Net> {
        about.check()?;
        let mut random = Random::seeded(seed);
        let tensors = tensors(&about)
            .into_iter()
            .map(|(name, shape)| {
                let inputs: usize = shape[..shape.len() - 1].iter().product();
                let bound = if shape.len() == 1 { 0.1 } else { (3.0 / inputs as f32).sqrt() };
                let mut number = || (random.word() >> 40) as f32 / (1u64 << 24) as f32;
                let count = shape.iter().product();
                (name, (0..count).map(|_| (2.0 * number() - 1.0) * bound).collect())
            })
            .collect();
        Ok(Net { about, tensors })
    }

    /// What the file says about the net.
    pub fn about(&self) -> &About {
        &self.about
    }

    /// The rows and answers the net was trained with; a [`Tower`](super::Tower) may be made for
    /// another size of board.
    pub fn shape(&self) -> &Shape {
        &self.about.shape
    }

    /// The numbers of a tensor, the last index running fastest.
    pub(super) fn tensor(&self, name: &str) -> &[f32] {
        self.tensors.get(name).expect("a net has every tensor of the list")
    }
}

/// Every tensor of a net by name, with its shape: the one list.
fn tensors(about: &About) -> BTreeMap<String, Vec<usize>> {
    let &About { shape, channels, blocks, ref pooled, .. } = about;
    let mut list = BTreeMap::new();
    let mut add = |name: &str, shape: &[usize]| list.insert(name.to_owned(), shape.to_vec());
    add("stem.weight", &[3, 3, shape.planes, channels]);
    add("stem.scalars", &[shape.scalars, channels]);
    add("stem.bias", &[channels]);
    for block in 0..blocks {
        for half in ["first", "second"] {
            add(&format!("block.{block}.{half}.weight"), &[3, 3, channels, channels]);
            add(&format!("block.{block}.{half}.bias"), &[channels]);
        }
    }
    for block in pooled {
        add(&format!("block.{block}.pool.weight"), &[2 * channels, channels]);
        add(&format!("block.{block}.pool.bias"), &[channels]);
    }
    add("policy.squares.weight", &[channels, POLICY_CHANNELS]);
    add("policy.squares.bias", &[POLICY_CHANNELS]);
    add("policy.pool.weight", &[2 * channels, POLICY_CHANNELS]);
    add("policy.out.weight", &[POLICY_CHANNELS, shape.policy_planes]);
    add("policy.out.bias", &[shape.policy_planes]);
    add("value.hidden.weight", &[2 * channels, VALUE_CHANNELS]);
    add("value.hidden.bias", &[VALUE_CHANNELS]);
    add("value.out.weight", &[VALUE_CHANNELS, OUTCOMES]);
    add("value.out.bias", &[OUTCOMES]);
    // What only training asks for.
    add("ownership.weight", &[channels, 1]);
    add("ownership.bias", &[1]);
    for name in ["score", "moves_left"] {
        add(&format!("{name}.weight"), &[VALUE_CHANNELS, 1]);
        add(&format!("{name}.bias"), &[1]);
    }
    list
}

fn numbers(view: &TensorView) -> Result<Vec<f32>> {
    let numbers: Vec<f32> = match view.dtype() {
        Dtype::F16 => view
            .data()
            .as_chunks()
            .0
            .iter()
            .map(|&bytes| f16::from_le_bytes(bytes).into())
            .collect(),
        Dtype::F32 => {
            view.data().as_chunks().0.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect()
        }
        other => {
            return Err(fault(format!("the numbers are {other:?}")).hint("F16 and F32 can be read"));
        }
    };
    match numbers.iter().position(|number| !number.is_finite()) {
        Some(index) => Err(fault(format!("number {index} is {}", numbers[index]))
            .hint("all numbers of a net are finite; this one was saved after training broke down")),
        None => Ok(numbers),
    }
}

fn fault(message: String) -> Error {
    Error::new(ErrorKind::Unreadable, message)
}

fn not_safetensors(error: impl std::fmt::Display) -> Error {
    fault(format!("not a safetensors file: {error}")).hint("a net file ends in `.safetensors`")
}

#[cfg(test)]
pub(super) mod tests {
    use super::*;
    use proptest::prelude::*;

    pub(in crate::net) fn about(shape: Shape, channels: usize, blocks: usize) -> About {
        let pooled = (0..blocks).filter(|block| block % 3 == 2).collect();
        let (game, options) = ("amazons".to_owned(), Map::new());
        About { format: 1, game, options, shape, channels, blocks, pooled, trained: Value::Null }
    }

    impl Net {
        pub(in crate::net) fn scale_all(&mut self, factor: f32) {
            self.tensors.values_mut().flatten().for_each(|number| *number *= factor);
        }
    }

    fn small() -> About {
        let shape =
            Shape { height: 4, width: 3, planes: 2, scalars: 1, policy_planes: 2, wraps: false };
        about(shape, 4, 3)
    }

    /// What is said of a file whose description was changed.
    fn complaint(change: impl Fn(&mut Net)) -> Error {
        let mut net = Net::random(small(), 1).unwrap();
        change(&mut net);
        Net::from_bytes(&net.to_bytes()).unwrap_err()
    }

    #[test]
    fn a_net_reads_back() {
        let net = Net::random(small(), 1).unwrap();
        assert_eq!(Net::from_bytes(&net.to_bytes()).unwrap(), net);
    }

    #[test]
    fn a_wrong_file_is_told_what_is_wrong() {
        let error = Net::from_bytes(b"GIF89a").unwrap_err();
        assert!(error.message.starts_with("not a safetensors file"), "{error}");

        let empty = safetensors::serialize(Vec::<(&str, TensorView)>::new(), None).unwrap();
        assert!(Net::from_bytes(&empty).unwrap_err().message.contains("no metadata entry"));

        let error = complaint(|net| net.about.format = 2);
        assert_eq!(error.hint.as_deref(), Some("this version reads format 1"));
        assert!(complaint(|net| net.about.shape.width = 99).message.contains("4x99"));

        let error = complaint(|net| net.tensors.get_mut("stem.bias").unwrap()[2] = f32::NAN);
        assert_eq!(error.message, "`stem.bias`: number 2 is NaN");

        let error = Net::read("/nowhere/at.all").unwrap_err();
        assert!(error.message.starts_with("cannot read the net `/nowhere/at.all`"), "{error}");
    }

    #[test]
    fn a_tensor_that_is_missing_misnamed_or_misshapen_is_named() {
        let net = Net::random(small(), 1).unwrap();
        let with = |old: &str, new: &str| {
            // The header is JSON at the start of the file; both texts have one length.
            assert_eq!(old.len(), new.len());
            let mut bytes = net.to_bytes();
            let at = bytes.windows(old.len()).position(|part| part == old.as_bytes()).unwrap();
            bytes[at..at + old.len()].copy_from_slice(new.as_bytes());
            Net::from_bytes(&bytes).unwrap_err()
        };
        let error = with("\"stem.bias", "\"stem.bios");
        assert_eq!(error.message, "the net has an unknown tensor `stem.bios`");
        assert_eq!(error.hint.as_deref(), Some("perhaps `stem.bias`"));
        let error = with("[3,3,2,4]", "[3,3,4,2]");
        assert_eq!(error.message, "tensor `stem.weight` has shape [3, 3, 4, 2]");
        let error = with("\\\"channels\\\":4", "\\\"channels\\\":5");
        assert!(error.hint.is_some(), "{error}");
        let error = with("\\\"pooled\\\":[2]", "\\\"pooled\\\":[ ]");
        assert!(error.message.contains("unknown tensor `block.2.pool"), "{error}");
        let error = with("\\\"pooled\\\":[2]", "\\\"pooled\\\":[3]");
        assert_eq!(error.message, "the net pools in blocks [3]");
        let error = with("\\\"blocks\\\":3", "\\\"blocks\\\":4");
        assert!(error.message.contains("no tensor `block.3.first.bias` [4]"), "{error}");
    }

    proptest! {
        #![proptest_config(ProptestConfig::with_cases(300))]
        #[test]
        fn a_damaged_file_is_refused_or_read_but_never_panics(
            cut in 0usize..6000, place in 0usize..1500, byte in any::<u8>(),
        ) {
            let mut bytes = Net::random(small(), 1).unwrap().to_bytes();
            let length = bytes.len();
            bytes[place % length] = byte;
            let _ = Net::from_bytes(&bytes);
            prop_assert!(Net::from_bytes(&bytes[..cut % length]).is_err());
        }
    }
}
