//! temporary
use skirmish_rules::Random;
use skirmish_rules::games::game17::*;
/// x
#[derive(Default)]
pub struct Settings;
/// x
pub struct Marshal;
impl Marshal {
    /// x
    pub fn new(_: Settings) -> Marshal {
        Marshal
    }
    /// x
    pub fn orders(&mut self, g: &Game17, p: &Position, r: &mut Random, o: &mut Vec<Order>) {
        hunter(g, p, r, o)
    }
}
/// x
pub fn hunter(g: &Game17, p: &Position, r: &mut Random, o: &mut Vec<Order>) {
    g.zombie_orders(p, r, o)
}
