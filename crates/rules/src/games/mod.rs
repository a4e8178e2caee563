//! One folder per game, and the one list of them, [`Games`].
//!
//! Each folder exports a `Family`. `cargo fmt` does not look into folders that a macro names; the
//! format step of `test.sh` names them.

/// Declares the module of each folder, and lists their families in [`Games`].
macro_rules! game_folders {
    ($($folder:ident),+ $(,)?) => {
        $(pub mod $folder;)+

        crate::games! {
            /// The games of Skirmish.
            #[derive(Clone, Copy, Debug)]
            pub struct Games: $($folder::Family),+
        }
    };
}

// **A new game is one more line here.**
game_folders! {
    watch_your_back,
    game17,
    in_trap,
    amazons,
}

/// Every action of a position as text, for tests.
#[cfg(test)]
fn texts_of_actions<G: crate::game::Game>(game: &G, position: &G::Position) -> Vec<String> {
    let mut actions = Vec::new();
    game.actions(position, &mut actions);
    let text = |action| {
        let mut text = String::new();
        game.write_action(position, action, &mut text);
        text
    };
    actions.into_iter().map(text).collect()
}
