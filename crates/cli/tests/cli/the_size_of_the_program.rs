//! What is built into the program is in it once.

/// How often the bytes in the middle of `part` are in the program.
fn copies(program: &[u8], part: &[u8]) -> usize {
    let middle = part.len() / 2;
    let probe = &part[middle..(middle + 200).min(part.len())];
    program.windows(probe.len()).filter(|bytes| *bytes == probe).count()
}

#[test]
fn networks_and_rules_are_in_the_program_once() {
    let program = std::fs::read(assert_cmd::cargo::cargo_bin!("skirmish")).unwrap();
    for net in skirmish_zero::nets::SHIPPED {
        assert_eq!(copies(&program, net.bytes), 1, "the network {}", net.name);
    }
    for entry in <skirmish_rules::Games as skirmish_rules::Registry>::ENTRIES {
        assert_eq!(copies(&program, (entry.rules)().as_bytes()), 1, "the rules of {}", entry.name);
    }
}
