//! How fast this machine evaluates positions: evaluations a second on one core, for a few nets and
//! boards.
//!
//! `cargo run --release -p skirmish-zero --example tower_speed [folder]`; with a folder, the nets
//! are also written there, for `tower_speed.py` to ask ONNX Runtime the same.

use rustix::time::{ClockId, clock_gettime};
use serde_json::{Map, Value};
use skirmish_rules::random::Random;
use skirmish_zero::encoding::Shape;
use skirmish_zero::net::{About, Net, Tower, reference};

fn main() {
    let folder = std::env::args().nth(1);
    println!("{:<12} {:>9} {:>9} {:>9}   evaluations/s, one core", "net", 1, 8, 32);
    for (blocks, channels, side) in [(6, 64, 6), (8, 64, 8), (8, 64, 10), (8, 96, 10)] {
        let name = format!("{blocks}x{channels}@{side}");
        let shape = Shape {
            height: side,
            width: side,
            planes: 12,
            scalars: 2,
            policy_planes: 1,
            wraps: false,
        };
        let about = About {
            format: 1,
            game: "amazons".to_owned(),
            options: Map::new(),
            shape,
            channels,
            blocks,
            pooled: (0..blocks).filter(|block| block % 3 == 2).collect(),
            trained: Value::Null,
        };
        let net = Net::random(about, 1).expect("the description is possible");
        if let Some(folder) = &folder {
            std::fs::write(format!("{folder}/{name}.safetensors"), net.to_bytes())
                .expect("the folder is writable");
        }
        let mut random = Random::seeded(2);
        let rows: Vec<u8> =
            (0..32 * shape.row_bytes()).map(|_| (random.word() & random.word()) as u8).collect();
        let some = &rows[..2 * shape.row_bytes()];
        let expected = reference::evaluate(&net, side, side, some).expect("the board is possible");
        let (mut error, mut checksum) = (0.0, 0.0);
        let speeds = [1, 8, 32].map(|batch| {
            let tower = Tower::for_batches(&net, side, side, batch);
            let mut tower = tower.expect("the board is possible");
            let mut answers = vec![0.0; expected.len()];
            tower.evaluate(some, &mut answers);
            let errors = answers.iter().zip(&expected).map(|(a, b): (&f32, &f32)| (a - b).abs());
            error = errors.fold(error, f32::max);
            checksum = answers.iter().sum::<f32>();

            let rows = &rows[..batch * shape.row_bytes()];
            let mut answers = vec![0.0; batch * shape.answer()];
            // CPU time, and the best of some short runs: others may share the machine.
            let best = (0..5).map(|_| {
                let (start, mut evaluations) = (cpu_seconds(), 0);
                while cpu_seconds() < start + 0.15 {
                    tower.evaluate(rows, &mut answers);
                    evaluations += batch;
                }
                evaluations as f64 / (cpu_seconds() - start)
            });
            best.fold(0.0, f64::max)
        });

        assert!(error < 1e-4, "{name}: the answers are off by {error}");
        let [one, eight, many] = speeds;
        println!(
            "{name:<12} {one:>9.0} {eight:>9.0} {many:>9.0}   checksum {checksum:.4}, error {error:.1e}"
        );
    }
}

fn cpu_seconds() -> f64 {
    let time = clock_gettime(ClockId::ProcessCPUTime);
    time.tv_sec as f64 + time.tv_nsec as f64 * 1e-9
}
