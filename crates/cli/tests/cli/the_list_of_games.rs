use super::*;

#[test]
fn names_every_game_and_its_options() {
    let stdout = printed(&["games"]);
    for name in GAMES {
        assert!(stdout.lines().any(|line| line.starts_with(name)), "{stdout}");
    }
    for option in ["--size", "--rounds", "--players", "--pieces FILE", "--move-limit"] {
        assert!(stdout.contains(option), "{option}\n{stdout}");
    }
}

#[test]
fn is_the_same_as_json() {
    let list = printed_json(&["games", "--json"]);
    let names: Vec<&str> =
        list.as_array().unwrap().iter().filter_map(|game| game["name"].as_str()).collect();
    assert_eq!(names, GAMES);
    assert_eq!(keys(&list[0]), ["name", "title", "summary", "options"]);
    assert_eq!(keys(&list[1]["options"][0]), ["name", "value", "help", "default", "is_file"]);
}
