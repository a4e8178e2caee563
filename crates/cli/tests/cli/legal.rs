use super::*;

#[test]
fn turns_are_as_many_as_the_rules_say() {
    for (arguments, count) in [
        (&["legal", "amazons"][..], 2_176),
        (&["legal", "amazons", "--size", "6"], 544),
        (&["legal", "watch-your-back"], 46),
        (&["legal", "in-trap"], 8),
        (&["legal", "amazons", "--steps"], 4),
        (&["legal", "game17", "--size", "3"], 17),
        (&["legal", "amazons", "--position", "Q*/*q w"], 0),
    ] {
        assert_eq!(printed(arguments).lines().count(), count, "{arguments:?}");
    }
}

#[test]
fn turns_can_be_played_as_they_are_listed() {
    let listed = printed(&["legal", "amazons", "--size", "4"]);
    for turn in listed.lines().step_by(17) {
        printed(&["show", "amazons", "--size", "4", "--moves", turn]);
    }
}

#[test]
fn steps_as_json_point_at_squares() {
    let found = printed_json(&["legal", "amazons", "--size", "4", "--steps", "--json"]);
    assert_eq!(keys(&found), ["game", "options", "position", "turn", "steps"]);
    assert_eq!(found["steps"][0], json!({"text": "a2-", "path": [8]}));
    let found = printed_json(&["legal", "watch-your-back", "--json"]);
    assert_eq!(keys(&found), ["game", "options", "position", "turn", "turns", "steps"]);
    assert_eq!(found["turns"].as_array().unwrap().len(), 46);
}
