use super::*;

#[test]
fn are_the_same_on_any_number_of_threads() {
    for name in GAMES {
        let play = |threads: &str| {
            let mut arguments = vec!["playouts", name, "--games", "200", "--seed", "5"];
            if name == "game17" {
                arguments.extend(["--size", "5"]);
            }
            arguments.extend(["--threads", threads, "--json"]);
            printed_json(&arguments)
        };
        let (one, two) = (play("1"), play("2"));
        let expected = [
            "game",
            "options",
            "choice",
            "seed",
            "games",
            "turns",
            "shortest",
            "longest",
            "mean_length",
            "results",
            "endings",
            "cpu_seconds",
            "games_per_cpu_second",
            "turns_per_cpu_second",
            "checksum",
        ];
        assert_eq!(keys(&one), expected);
        for key in ["games", "turns", "shortest", "longest", "results", "endings", "checksum"] {
            assert_eq!(one[key], two[key], "{name}: {key}");
        }
        assert_eq!(one["games"], 200);
    }
}

#[test]
fn are_drawn_in_the_way_that_is_asked_for_and_printed() {
    let checksum = |choice: &str| {
        let arguments = ["playouts", "amazons", "--size", "5", "--games", "50", "--choice", choice];
        let stdout = printed(&arguments);
        let first = format!("50 random games of amazons, choice by {choice}, seed 0");
        assert_eq!(stdout.lines().next(), Some(first.as_str()));
        stdout.lines().last().unwrap().to_owned()
    };
    let mut checksums = ["steps", "two-stage", "turns"].map(checksum);
    checksums.sort();
    assert!(checksums.iter().all(|line| line.starts_with("checksum ")), "{checksums:?}");
    assert!(checksums.windows(2).all(|pair| pair[0] != pair[1]), "{checksums:?}");
    let usual = printed(&["playouts", "amazons", "--size", "5", "--games", "1"]);
    assert!(usual.contains("choice by two-stage"), "{usual}");
}

#[test]
fn by_a_choice_the_game_does_not_offer_are_refused() {
    let (error, hint) = refused(2, &["playouts", "in-trap", "--choice", "two-stage"]);
    assert_eq!(error, "`in-trap` cannot be played by the choice `two-stage`");
    assert_eq!(hint.unwrap(), "it offers steps, turns");
}

#[test]
fn may_be_none_and_may_be_cut_short() {
    let none = printed_json(&["playouts", "in-trap", "--games", "0", "--json"]);
    assert_eq!((&none["games"], &none["turns"]), (&json!(0), &json!(0)));
    let arguments = ["--games", "10", "--most-turns", "5", "--json"];
    let short = printed_json(&[&["playouts", "watch-your-back"], &arguments[..]].concat());
    assert_eq!(short["results"], json!({"unfinished": 10}));
    assert_eq!(short["turns"], 50);
}
