//! How many positions a second the self-play search gives to the network, on all cores, with a
//! network that costs nothing: `cargo run --release -p skirmish-zero --example pool_speed`.

use std::time::Instant;

use skirmish_zero::open::open_pool;

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let games = [
        ("amazons", r#"{"size":"6x6"}"#),
        ("amazons", r#"{"size":"8x8"}"#),
        ("amazons", r#"{"size":"10x10"}"#),
        ("in-trap", "{}"),
        ("watch-your-back", "{}"),
    ];
    println!("{} threads", rayon::current_num_threads());
    for (name, options) in games {
        let settings = r#"{"games": 512, "simulations": 64, "fast_simulations": 16}"#;
        let mut pool = open_pool(name, options, settings)?;
        let (shape, count) = (pool.shape(), pool.rows());
        let mut rows = vec![0; count * shape.row_bytes()];
        let mut nets = vec![0; count];
        // Small differences between actions, so that the search has something to follow.
        let answers: Vec<u16> =
            (0..count * shape.answer()).map(|number| 0x2c00 + (number % 997) as u16).collect();
        pool.step(None, &mut rows, &mut nets)?;
        for _ in 0..300 {
            pool.step(Some(&answers), &mut rows, &mut nets)?;
        }
        let _ = pool.statistics();
        let started = Instant::now();
        for _ in 0..400 {
            pool.step(Some(&answers), &mut rows, &mut nets)?;
        }
        let seconds = started.elapsed().as_secs_f64();
        let statistics = pool.statistics();
        let evaluations = statistics["evaluations"].as_f64().unwrap_or(0.0);
        assert!(evaluations == 400.0 * count as f64, "a row was empty: {statistics}");
        println!("{name:16} {options:20} {:>9.0} evaluations/s", evaluations / seconds);
    }
    Ok(())
}
