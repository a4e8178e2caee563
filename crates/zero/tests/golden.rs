//! The tower against answers that JAX gave, which `data/make_golden.py` wrote.

use safetensors::SafeTensors;
use skirmish_zero::net::{Net, Tower, reference};

const FILE: &[u8] = include_bytes!("data/golden.safetensors");

#[test]
fn answers_agree_with_those_of_jax() {
    let file = SafeTensors::deserialize(FILE).unwrap();
    for name in ["plain", "torus"] {
        let data = |part: &str| file.tensor(&format!("{name}.{part}")).unwrap().data();
        let net = Net::from_bytes(data("net")).unwrap();
        let (expected, _) = data("answers").as_chunks();
        let expected: Vec<f32> = expected.iter().map(|&bytes| f32::from_le_bytes(bytes)).collect();
        let (height, width) = (net.shape().height, net.shape().width);

        let mut answers = vec![f32::NAN; expected.len()];
        Tower::new(&net, height, width).unwrap().evaluate(data("rows"), &mut answers);
        let plain = reference::evaluate(&net, height, width, data("rows")).unwrap();
        for (index, expected) in expected.iter().enumerate() {
            for (who, answer) in [("tower", answers[index]), ("reference", plain[index])] {
                let error = (answer - expected).abs();
                assert!(
                    error < 1e-4,
                    "{name}: number {index} is {expected} with JAX, {answer} from the {who}"
                );
            }
        }
    }
}
