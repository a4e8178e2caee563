//! One folder per game. Each exports a `Family`, and [`crate::registry::Games`] lists them.

pub mod amazons;
pub mod game17;
pub mod in_trap;
pub mod watch_your_back;

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
