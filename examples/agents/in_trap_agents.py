"""Three In-Trap agents: each is a function of the environment that returns a move.

    skirmish referee in-trap python:examples/agents/in_trap_agents.py:HeuristicAgent random

A move is `(type, id, direction)`: type 1 spawns and 2 moves, `id` is a place in `env.pieces`, and
the direction one of `env.direction_list`.
"""

import copy
import random


def moves(env):
    return [(kind, piece["id"], direction)
            for piece in env.pieces if piece and piece["color"] == env.player_turn
            for kind in (1, 2) for direction in env.direction_list
            if env.check_move(kind, piece["id"], direction)]


def RandomAgent(env):
    return random.choice(moves(env) or [(-1, -1, -1)])


def HeuristicAgent(env):
    """The best after one move: pieces, mana, and whose spawner can be taken."""
    me = env.player_turn

    def value(move):
        after = copy.deepcopy(env)
        after.move(*move)
        if after.winner:
            return 1000
        total = random.random() + after.mana[me] - after.mana[3 - me]
        for piece in after.pieces[1:]:
            if piece["position"] == (-1, -1):
                continue
            mine = piece["color"] == me
            total += 6 if mine else -5
            after.player_turn = piece["color"]
            targets = [after.check_capture(2, piece["id"], side) for side in after.direction_list]
            total += (50 if mine else -55) * sum(3 - piece["color"] in taken for taken in targets)
        return total

    return max(moves(env) or [(-1, -1, -1)], key=value)


def NegamaxAgent(env, depth=2):
    """Sees a win in its own move, and avoids giving the opponent one."""
    def search(node, depth):
        if node.winner:
            return -1, None
        if depth == 0:
            return 0, None
        best, chosen = -2, []
        for move in moves(node):
            after = copy.deepcopy(node)
            after.move(*move)
            value = -search(after, depth - 1)[0]
            if value > best:
                best, chosen = value, [move]
            elif value == best:
                chosen.append(move)
            if best == 1:
                break
        return best, random.choice(chosen or [(-1, -1, -1)])

    return search(env, depth)[1]
