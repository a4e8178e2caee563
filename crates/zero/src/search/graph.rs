//! One node for a position, by however many ways it is reached.
//!
//! With [`Settings::shares`](super::Settings::shares) the tree is a graph: a choice that leads to a
//! position evaluated before is linked to its node, without another evaluation. Only positions equally
//! many actions from the beginning are shared, so no way leads back to where it came from.
//!
//! A value found below a shared node would reach one of its parents only. So nothing is summed up in
//! the backup: every node on the path takes the means of its children as they are now, weighted by the
//! visits of the choice. Its other parents take them over when they are next visited.

#[cfg(test)]
mod tests;

use std::collections::HashMap;
use std::mem;

use skirmish_rules::Turn;

use super::{NO_NODE, Node, Simulation, Tree, for_mover};
use crate::encoding::Encode;

/// The evaluated positions of a tree.
#[derive(Clone, Default, Debug)]
pub(super) struct Known {
    /// Nodes by the key of the position and the actions from the beginning to it.
    nodes: HashMap<(u64, u32), u32>,
    /// Actions from the beginning to the root.
    root: u32,
}

impl Known {
    pub(super) fn clear(&mut self) {
        self.nodes.clear();
        self.root = 0;
    }

    /// Bytes it takes: an entry and a byte for the table, which is full at seven eighths.
    pub(super) fn bytes(&self) -> usize {
        self.nodes.capacity() * 8 / 7 * (size_of::<((u64, u32), u32)>() + 1)
    }
}

impl Node {
    /// The mean of the values found from here, for this player.
    fn mean_for(&self, mover: u8) -> f32 {
        match self.proven {
            Some(proven) => for_mover(proven, mover),
            None if self.mover == mover => self.total / self.visits as f32,
            None => -self.total / self.visits as f32,
        }
    }
}

impl<G: Encode> Tree<G> {
    fn mark(&self, game: &G, simulation: &Simulation<G>) -> (u64, u32) {
        (game.key(&simulation.position), self.known.root + simulation.path.len() as u32)
    }

    /// The node of a simulation's leaf, if the position was evaluated before.
    pub(super) fn shared(&mut self, game: &G, simulation: &Simulation<G>) -> Option<u32> {
        if !self.settings.shares {
            return None;
        }
        let number = *self.known.nodes.get(&self.mark(game, simulation))?;
        // Two positions may have one key: the actions of another must never be played here.
        let node = &self.nodes[number as usize];
        self.actions.clear();
        game.actions(&simulation.position, &mut self.actions);
        let is_same = matches!(game.turn(&simulation.position), Turn::Player(seat) if seat.0 == u16::from(node.mover))
            && self.edges_of(node).iter().map(|edge| edge.action).eq(self.actions.iter().copied());
        is_same.then_some(number)
    }

    /// Remembers the node of a simulation's leaf.
    pub(super) fn remember(&mut self, game: &G, simulation: &Simulation<G>, node: u32) {
        if self.settings.shares {
            let mark = self.mark(game, simulation);
            self.known.nodes.insert(mark, node);
        }
    }

    /// Whether a child knows more than its parent has taken from it: its mean serves as it is.
    pub(super) fn is_ahead(&self, child: u32, visits: u32) -> bool {
        self.settings.shares && self.nodes[child as usize].visits > visits
    }

    /// Ends a simulation: removes its virtual losses, and recomputes the nodes on its path from their
    /// children.
    pub(super) fn recount(&mut self, simulation: &Simulation<G>) {
        for (&edge, &node) in simulation.path.iter().zip(&simulation.nodes).rev() {
            self.edges[edge as usize].virtual_losses -= 1;
            self.recount_node(node);
        }
    }

    fn recount_node(&mut self, number: u32) {
        let node = &self.nodes[number as usize];
        let (mut total, mut visits) = (node.value, 1);
        let (mut best, mut is_known) = (-1, true);
        let first = node.first as usize;
        for edge in &mut self.edges[first..first + usize::from(node.count)] {
            let Some(child) = self.nodes.get(edge.child as usize) else {
                is_known = false;
                continue;
            };
            let done = edge.visits - u32::from(edge.virtual_losses);
            let sum = done as f32 * child.mean_for(node.mover);
            edge.total = sum - f32::from(edge.virtual_losses);
            total += sum;
            visits += done;
            match child.proven {
                Some(proven) => best = best.max(for_mover(proven, node.mover) as i8),
                None => is_known = false,
            }
        }
        // Short of a win everything must be known, and the best of it counts.
        let is_proven = best > 0 || is_known;
        let node = &mut self.nodes[number as usize];
        (node.total, node.visits) = (total, visits);
        if is_proven {
            node.proven = Some(for_mover(best, node.mover) as i8);
        }
    }

    /// Keeps what lies behind a choice at the root and forgets the rest. False where nothing does.
    pub fn keep(&mut self, choice: usize) -> bool {
        let child = self.choices().get(choice).map_or(NO_NODE, |edge| edge.child);
        if child == NO_NODE || self.nodes[child as usize].count == 0 {
            self.clear();
            return false;
        }
        let (old_nodes, old_edges) = (mem::take(&mut self.nodes), mem::take(&mut self.edges));
        // Breadth first: a node's new number is known when its first parent's edges are copied.
        let mut order = vec![child];
        let mut numbers = vec![NO_NODE; old_nodes.len()];
        numbers[child as usize] = 0;
        let mut next = 0;
        while next < order.len() {
            let mut node = old_nodes[order[next] as usize];
            let first = node.first as usize;
            node.first = self.edges.len() as u32;
            for edge in &old_edges[first..first + usize::from(node.count)] {
                let mut edge = *edge;
                if edge.child != NO_NODE {
                    let number = &mut numbers[edge.child as usize];
                    if *number == NO_NODE {
                        *number = order.len() as u32;
                        order.push(edge.child);
                    }
                    edge.child = *number;
                }
                self.edges.push(edge);
            }
            self.nodes.push(node);
            next += 1;
        }
        let known = mem::take(&mut self.known.nodes).into_iter();
        let kept = known.map(|(mark, node)| (mark, numbers[node as usize]));
        self.known.nodes = kept.filter(|(_, number)| *number != NO_NODE).collect();
        self.known.root += 1;
        true
    }
}
