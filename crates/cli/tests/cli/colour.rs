use super::*;

const ESCAPE: char = '\u{1b}';

#[test]
fn is_used_when_asked_for_and_not_in_a_pipe() {
    for arguments in [&["show", "amazons"][..], &["games"], &["demo", "--games", "in-trap"]] {
        let with = |when: &str| printed(&[arguments, &["--color", when]].concat());
        assert!(with("always").contains(ESCAPE), "{arguments:?}");
        assert!(!with("never").contains(ESCAPE), "{arguments:?}");
        assert!(!with("auto").contains(ESCAPE), "{arguments:?}");
        assert!(!printed(arguments).contains(ESCAPE), "{arguments:?}");
    }
    assert!(!run(&["show", "amazon"]).stderr.contains(ESCAPE));
    assert!(run(&["show", "amazon", "--color", "always"]).stderr.contains(ESCAPE));
    assert!(!printed(&["show", "amazons", "--json", "--color", "always"]).contains(ESCAPE));
}

#[test]
fn tells_nothing_that_plain_text_does_not() {
    let plain = printed(&["show", "game17", "--size", "3", "--color", "never"]);
    let coloured = printed(&["show", "game17", "--size", "3", "--color", "always"]);
    let mut stripped = String::new();
    let mut in_escape = false;
    for sign in coloured.chars() {
        match (in_escape, sign) {
            (false, ESCAPE) => in_escape = true,
            (false, sign) => stripped.push(sign),
            (true, 'm') => in_escape = false,
            (true, _) => {}
        }
    }
    assert_eq!(stripped, plain);
}
