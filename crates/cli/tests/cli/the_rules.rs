use super::*;

#[test]
fn are_a_page_for_every_game() {
    for name in GAMES {
        let page = printed(&["rules", name]);
        assert!(page.starts_with("# "), "{name}: {page}");
        assert!(page.len() > 1_000, "{name}");
        assert_eq!(printed(&["rules", name, "--markdown"]), page);
    }
}

#[test]
fn of_an_unknown_game_are_not_known() {
    let (error, hint) = refused(2, &["rules", "in trap"]);
    assert_eq!(error, "unknown game `in trap`");
    assert!(hint.unwrap().starts_with("did you mean `in-trap`? known games: "));
}
