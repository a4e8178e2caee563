"""Runs somebody's Python agent, unmodified, and speaks agent protocol 1 for it.

Started by the referee as `python -c THIS '{"target": …, "name": …, "kind": …, "path": …}'`, in the folder of
the agent. Only the standard library is used, and nothing newer than Python 3.6: agents choose the
interpreter, not we. The referee trusts nothing that happens here; it measures from outside.

The kinds of agent, told apart by what the module holds:

  native      def choose(state)                                     any game
  player      class Player: __init__(colour), action(turns), update(action)
  get_mover   def get_mover(owner, owners, numbers, turn_order, num_rounds)
  make_moves  def make_moves(owner, rounds_left, owners, numbers)
  in-trap     def SomeAgent(env), returning (type, id, direction)
"""

import sys

# The agent's folder is not searched before the host has everything it needs: a file in it may be
# called `json.py` or `random.py`, and is nobody's but the agent's.
if sys.path and sys.path[0] == "":
    del sys.path[0]

import importlib
import importlib.util
import inspect
import json
import operator
import os
import random
import tokenize  # Tracebacks are written with it, some versions import it only then.
import traceback
import types


# The pipes. Agents print: what they print goes to the log, and what they read is empty.

def take_the_pipes():
    incoming = os.fdopen(os.dup(0), "r", encoding="utf-8", newline="\n")
    outgoing = os.fdopen(os.dup(1), "w", encoding="utf-8", newline="\n")
    nothing = os.open(os.devnull, os.O_RDONLY)
    os.dup2(nothing, 0)
    os.close(nothing)
    os.dup2(2, 1)
    sys.stdin = open(os.devnull)
    sys.stdout = sys.stderr
    return incoming, outgoing


class Wrong(Exception):
    """Something the author of the agent should read as a sentence."""


class NotATurn(Exception):
    """The agent returned something that is no turn of the game."""


# Loading.

def prepare(game, target, more):
    """Makes ready for the agent's modules: from here on they are found, before all others."""
    if game in ("game17", "in-trap"):
        meet_numpy()
    folder = os.path.dirname(target) if os.path.isabs(target) else os.getcwd()
    sys.path[0:0] = [folder] + more
    if game == "game17":
        stand_in_for_game17()


def load(target):
    if not os.path.isabs(target):
        return importlib.import_module(target)
    folder, file = os.path.split(target)
    stem = os.path.splitext(file)[0]
    sys.argv = [target]
    # Modules that import each other by bare name must meet this very module; a file called
    # `random.py` must not become everybody's `random`.
    name = stem if stem not in sys.modules else "agent_" + stem
    try:
        return load_file(name, target)
    except ImportError as error:
        packages = packages_around(folder)
        own = packages and error.name and error.name.split(".")[0] == os.path.basename(packages[0])
        if not packages or not own and "relative import" not in str(error):
            raise
    # It counts on being part of its package, which was not imported by its name.
    top = packages[0]
    load_file(os.path.basename(top), os.path.join(top, "__init__.py"), [top])
    return importlib.import_module(".".join([os.path.basename(p) for p in packages] + [stem]))


def packages_around(folder):
    """The packages a folder is part of, outermost first, as far as they say so in a file."""
    packages = []
    while os.path.exists(os.path.join(folder, "__init__.py")):
        packages.insert(0, folder)
        folder = os.path.dirname(folder)
    return packages


def load_file(name, path, inside=None):
    spec = importlib.util.spec_from_file_location(name, path, submodule_search_locations=inside)
    if spec is None:
        raise Wrong("`%s` is not a Python file" % path)
    module = importlib.util.module_from_spec(spec)
    sys.modules[name] = module
    try:
        spec.loader.exec_module(module)
    except BaseException:
        sys.modules.pop(name, None)
        raise
    return module


KINDS = ["native", "player", "get_mover", "make_moves", "in-trap"]


def find(module, game, name, kind):
    """The object that plays, and its kind."""
    if kind is None and name is None:
        usual = {"native": "choose", "player": "Player", "get_mover": "get_mover",
                 "make_moves": "make_moves"}
        # What the original tools look for comes first: there `choose` may be any helper. Of the two
        # kinds of Game 17 the original takes `make_moves`.
        fitting = {"watch-your-back": ["player"], "game17": ["make_moves", "get_mover"]}
        for candidate in fitting.get(game, []) + ["native"]:
            found = getattr(module, usual[candidate], None)
            if callable(found):
                return found, candidate
        if game == "in-trap":
            return find_in_trap(module), "in-trap"
        wanted = ["`choose(state)`"] + {
            "watch-your-back": ["`class Player`"],
            "game17": ["`make_moves`", "`get_mover`"],
        }.get(game, [])
        raise Wrong("the module holds no %s" % " and no ".join(wanted))
    if kind is None:
        kind = kind_of(name, getattr(module, name, None), game)
    if name is None:
        usual = {"native": "choose", "player": "Player"}.get(kind, kind)
        found = find_in_trap(module) if kind == "in-trap" else getattr(module, usual, None)
        name = usual
    else:
        found = getattr(module, name, None)
    if not callable(found):
        raise Wrong("the module holds no `%s`" % name)
    return found, kind


def kind_of(name, found, game):
    if name in ("make_moves", "get_mover"):
        return name
    if name == "choose":
        return "native"
    if game == "watch-your-back" and inspect.isclass(found):
        return "player"
    if game == "game17":
        return "make_moves"
    if game == "in-trap":
        return "in-trap"
    return "native"


def find_in_trap(module):
    own = [(name, thing) for name, thing in vars(module).items() if inspect.isfunction(thing)]
    named = [(name, thing) for name, thing in own if name.lower().endswith("agent")]
    if not named:
        named = [(name, thing) for name, thing in own
                 if thing.__module__ == module.__name__ and takes(thing, 1)]
    if len(named) > 1:
        here = [(name, thing) for name, thing in named if thing.__module__ == module.__name__]
        named = here or named
    if not named:
        raise Wrong("the module holds no `choose(state)` and no agent function of one argument")
    if len(named) > 1:
        names = ", ".join(sorted(name for name, _ in named))
        raise Wrong("the module holds several agents (%s): name one after the path, "
                    "`python:PATH:NAME`" % names)
    return named[0][1]


def takes(function, number):
    """Whether a function has to be given exactly so many arguments."""
    try:
        parameters = list(inspect.signature(function).parameters.values())
    except (TypeError, ValueError):
        return False
    needed = [p for p in parameters
              if p.default is p.empty and p.kind in (p.POSITIONAL_ONLY, p.POSITIONAL_OR_KEYWORD)]
    return len(needed) == number and all(p.kind != p.VAR_POSITIONAL for p in parameters)


# Values as agents write them: numbers of any library, lists and tuples alike.

def whole(value):
    try:
        return operator.index(value)
    except TypeError:
        pass
    number = float(value)
    if not number.is_integer():
        raise ValueError("%r is not a whole number" % (value,))
    return int(number)


def pair(value):
    first, second = value
    return whole(first), whole(second)


def not_a_turn(value, why=""):
    shown = " ".join(repr(value).split())
    if len(shown) > 100:
        shown = shown[:100] + "…"
    return NotATurn("returned `%s`, which is not a turn%s" % (shown, ": " + why if why else ""))


def watch_your_back_text(action):
    if action is None:
        return "pass"
    try:
        first, second = action
        try:
            return "%d,%d" % (whole(first), whole(second))
        except (TypeError, ValueError):
            return "%d,%d-%d,%d" % (pair(first) + pair(second))
    except (TypeError, ValueError):
        raise not_a_turn(action, "a square is `(x, y)`, a move `((x, y), (x, y))`, a forfeit None")


def watch_your_back_action(text):
    if text == "pass":
        return None
    squares = [tuple(int(number) for number in square.split(",")) for square in text.split("-")]
    return squares[0] if len(squares) == 1 else tuple(squares)


def game17_text(moves):
    if moves is None:
        return "-"
    orders = []
    try:
        for square, direction, count in moves:
            row, column = pair(square)
            count = whole(count)
            # Raw values are strict: only these four letters, no count below 0, no square outside.
            if str(direction) not in ("n", "s", "e", "w") or count < 0 or row < 0 or column < 0:
                raise not_a_turn(((row, column), str(direction), count))
            orders.append("%d,%d:%s%d" % (row, column, direction, count))
    except (TypeError, ValueError) as error:
        raise not_a_turn(moves, str(error))
    return " ".join(orders) if orders else "-"


# Boards for agents that expect arrays.

class Grid(list):
    """A square array for machines without numpy: rows that also answer to `grid[row, column]`."""

    def __getitem__(self, place):
        if isinstance(place, tuple):
            return list.__getitem__(list.__getitem__(self, place[0]), place[1])
        return list.__getitem__(self, place)

    def __setitem__(self, place, value):
        if isinstance(place, tuple):
            list.__getitem__(self, place[0])[place[1]] = value
        else:
            list.__setitem__(self, place, value)

    @property
    def shape(self):
        return (len(self), len(list.__getitem__(self, 0)) if self else 0)

    def copy(self):
        return Grid([list(row) for row in self])


# What boards are made of, where it is installed. An agent's own `numpy.py` is not meant.
numpy = None


def meet_numpy():
    global numpy
    try:
        importlib.import_module("numpy.random")
        numpy = sys.modules["numpy"]
    except ImportError:
        numpy = None


def array(rows, kind=None):
    if numpy is None:
        return Grid([list(row) for row in rows])
    return numpy.array(rows, dtype=kind or int)


def seed_numpy(seed):
    """Seeds whichever numpy was imported, if it has something to seed."""
    found = getattr(getattr(sys.modules.get("numpy"), "random", None), "seed", None)
    if callable(found):
        found(seed % 2 ** 32)


def game17_board(position):
    board, order, turn_round, _ = position.split(" ")[:4]
    squares = [[square.split(":") for square in row.split(",")] for row in board.split("/")]
    owners = [[int(owner) for owner, _ in row] for row in squares]
    numbers = [[int(number) for _, number in row] for row in squares]
    return owners, numbers, [int(owner) for owner in order.split(",")], int(turn_round)


def stand_in_for_game17():
    """What players import from the Game 17 package, on machines where it is not installed."""
    try:
        if numpy is None or importlib.util.find_spec("game17") is not None:
            return
    except (ImportError, ValueError):
        return
    steps = {"n": (-1, 0), "s": (1, 0), "e": (0, 1), "w": (0, -1)}

    def find_owned_pieces(owner, owners, numbers):
        owned = numpy.argwhere((owners == owner) & (numbers > 0))
        return numpy.column_stack((owned, numbers[tuple(owned.T)]))

    def destination(square, direction, board_size):
        return (numpy.asarray(square) + steps[direction]) % board_size

    def update_board(owner, moves, owners, numbers):
        leaving, coming = numpy.zeros_like(numbers), numpy.zeros_like(numbers)
        for square, direction, count in moves:
            square = tuple(square)
            if owners[square] != owner:
                return
            leaving[square] += count
            coming[tuple(destination(square, direction, len(owners)))] += count
        if (leaving > numbers).any():
            return
        numbers -= leaving
        tossed = numpy.random.random(numbers.shape) < 0.5
        taken = (coming > numbers) | ((coming == numbers) & tossed)
        owners[(coming > 0) & taken] = owner
        numbers += coming

    def make_moves(owner, *rest):
        owners, numbers = rest[-2:]
        moves = []
        for row, column, count in find_owned_pieces(owner, owners, numbers):
            shares = numpy.random.multinomial(count, [0.25] * 4)
            moves += [(numpy.array([row, column]), side, int(share))
                      for side, share in zip("nsew", shares) if share]
        return moves

    package = types.ModuleType("game17")
    package.__path__ = []
    inner = types.ModuleType("game17.game17")
    for module in (package, inner):
        module.find_owned_pieces = find_owned_pieces
        module.destination = destination
        module.update_board = update_board
    zombie = types.ModuleType("game17.zombie")
    zombie.make_moves = make_moves
    package.game17, package.zombie = inner, zombie
    sys.modules.update({"game17": package, "game17.game17": inner, "game17.zombie": zombie})


DIRECTIONS = {"NW": (-1, -1), "N": (-1, 0), "NE": (-1, 1), "W": (0, -1), "E": (0, 1),
              "SW": (1, -1), "S": (1, 0), "SE": (1, 1)}
WORDS = {"NW": "northwest", "N": "north", "NE": "northeast", "W": "west", "E": "east",
         "SW": "southwest", "S": "south", "SE": "southeast"}
PIECES = [
    ("Spawner", "SP", 0, [[1, 1, 1], [1, 0, 1], [1, 1, 1]]),
    ("Flier", "FL", 5, [[2, 2, 2], [2, 0, 2], [1, 2, 1]]),
    ("Jumper", "JP", 5, [[0, 3, 0], [3, 0, 3], [0, 3, 0]]),
    ("Dasher", "DS", 5, [[3, 0, 3], [0, 0, 0], [3, 0, 3]]),
    ("Charger", "CH", 5, [[2, 3, 2], [1, 0, 1], [1, 1, 1]]),
    ("Crazy-Crab", "CC", 5, [[0, 1, 0], [4, 0, 4], [0, 0, 0]]),
    ("Swinger", "SW", 5, [[2, 0, 2], [3, 0, 3], [1, 0, 1]]),
    ("Left-Swinger", "LS", 5, [[4, 1, 0], [1, 0, 0], [0, 0, 0]]),
    ("Right-Swinger", "RS", 5, [[0, 1, 4], [0, 0, 1], [0, 0, 0]]),
]
OFF = (-1, -1)


class InTrap:
    """The environment In-Trap agents are called with: the board, and moves to try on copies."""

    DIRECTION = DIRECTIONS
    MANA_INIT_P1, MANA_INIT_P2, MANA_REP, MANA_GET = 4, 5, 1, 1

    def __init__(self, position, pieces):
        board, player, mana, played = position.split(" ")[:4]
        cells = [[cell for part in row.split(",")
                  for cell in (["."] * len(part) if part.strip(".") == "" else [part])]
                 for row in board.split("/")]
        self.n_row = len(cells)
        self.n_col = len(cells[0])
        self.direction_list = list(DIRECTIONS)
        self.player_turn = int(player)
        self.winner = 0
        # The turn that is to be played, counted from 1.
        self.n_turns = int(played) + 1
        # By the number of the player: `mana[1]`, `mana[2]`.
        self.mana = [0] + [int(part) for part in mana.split(",")]
        self.pieces = [None]
        for name, display, cost, movement in pieces:
            for color in (1, 2):
                self.pieces.append({
                    "name": name, "display": display, "cost": cost, "color": color,
                    "movement": [list(row) for row in movement], "position": OFF,
                    "id": len(self.pieces), "queue": 0,
                })
        self.n_pieces = len(self.pieces) - 1
        numbers = {"%s%d" % (piece["display"], piece["color"]): piece["id"]
                   for piece in self.pieces if piece}
        rows = [[0] * self.n_col for _ in range(self.n_row)]
        for row, line in enumerate(cells):
            for column, cell in enumerate(line):
                if cell != ".":
                    rows[row][column] = numbers[cell]
                    self.pieces[numbers[cell]]["position"] = (row, column)
        self.board = array(rows, "int32")

    def __deepcopy__(self, _):
        other = object.__new__(type(self))
        other.__dict__.update(self.__dict__)
        other.board = self.board.copy()
        other.pieces = [piece and dict(piece) for piece in self.pieces]
        other.mana = list(self.mana)
        return other

    def __repr__(self):
        show = lambda number: "  X " if not number else " %s%d" % (
            self.pieces[int(number)]["display"], self.pieces[int(number)]["color"])
        rows = ["".join(show(number) for number in row) for row in self.board]
        mana = ["Player %d Mana: %d" % (player, self.mana[player]) for player in (1, 2)]
        return "\n".join(["Turn %d" % self.n_turns] + rows + mana) + "\n"

    def wrap(self, row, col):
        return row % self.n_row, col % self.n_col

    def _to(self, place, direction, distance):
        step = DIRECTIONS[direction]
        return self.wrap(place[0] + step[0] * distance, place[1] + step[1] * distance)

    def _distance(self, piece, direction):
        step = DIRECTIONS[direction]
        return piece["movement"][step[0] + 1][step[1] + 1]

    def check_move(self, mtype, id, direction, error_message=False):
        objection = self._objection(mtype, id, direction)
        if objection and error_message:
            print(objection)
        return objection is None

    def _objection(self, mtype, id, direction):
        if mtype not in (1, 2) or not 1 <= id <= self.n_pieces or direction not in DIRECTIONS:
            return "there is no such move"
        piece = self.pieces[id]
        if piece["color"] != self.player_turn:
            return "the piece is the opponent's"
        if mtype == 1:
            if piece["position"] != OFF:
                return "the piece is on the board already"
            if piece["cost"] > self.mana[self.player_turn]:
                return "there is not enough mana"
            target = self._to(self.pieces[self.player_turn]["position"], direction, 1)
        else:
            if piece["position"] == OFF:
                return "the piece is not on the board"
            target = self._to(piece["position"], direction, self._distance(piece, direction))
        return None if self.board[target] == 0 else "the square is taken"

    def check_capture(self, mtype, id, direction):
        # As in the original, a piece off the board answers too: from (-1, -1), the last square. Its
        # agents were tuned with that.
        piece = self.pieces[id]
        captured = []
        for distance in range(1, self._distance(piece, direction)):
            number = int(self.board[self._to(piece["position"], direction, distance)])
            if number and self.pieces[number]["color"] != self.player_turn:
                captured.append(number)
        return captured

    def remove_piece(self, id):
        self.board[self.pieces[id]["position"]] = 0
        self.pieces[id]["position"] = OFF

    def place_piece(self, id, pos):
        self.board[pos] = id
        self.pieces[id]["position"] = pos

    def update_queue(self):
        pass

    def move(self, mtype, id, direction, check_validity=True, error_message=False):
        if mtype not in (1, 2) or not 1 <= id <= self.n_pieces or direction not in DIRECTIONS:
            return False
        if check_validity and not self.check_move(mtype, id, direction, error_message):
            return False
        piece = self.pieces[id]
        player = self.player_turn
        if mtype == 1:
            spawner = self.pieces[player]["position"]
            self.mana[player] -= piece["cost"]
            self.place_piece(id, self._to(spawner, direction, 1))
        else:
            start = piece["position"]
            captured = self.check_capture(mtype, id, direction)
            for number in captured:
                self.remove_piece(number)
            self.mana[player] += len(captured) * self.MANA_GET
            if 3 - player in captured:
                self.winner = player
            self.remove_piece(id)
            self.place_piece(id, self._to(start, direction, self._distance(piece, direction)))
        self.mana[player] += self.MANA_REP
        self.n_turns += 1
        self.player_turn = 3 - player
        return True


def in_trap_text(action, env):
    try:
        mtype, number, direction = action
        if isinstance(mtype, str):
            mtype = {"spawn": 1, "move": 2}[mtype.lower()]
        mtype, number = whole(mtype), whole(number)
        if (mtype, number) == (-1, -1):
            return "pass"
        verb = {1: "spawn", 2: "move"}[mtype]
        word = WORDS.get(str(direction), str(direction))
        if not 1 <= number <= env.n_pieces or word not in WORDS.values():
            raise not_a_turn(action)
        piece = env.pieces[number]
    except (TypeError, ValueError, KeyError):
        raise not_a_turn(action, "a turn is `(type, id, direction)`")
    # The text names a piece by its sign alone, and would mean one's own.
    if piece["color"] != env.player_turn:
        raise not_a_turn(action, "piece %d is the opponent's" % number)
    return "%s %s %s" % (verb, piece["display"], word)


# The kinds.

class State:
    """What `choose(state)` is given."""

    def __init__(self, start):
        self.game = start["game"]
        self.options = start["options"]
        self.seat = start["seat"]
        self.seats = start["seats"]
        self.seed = start["seed"]
        self.limits = start["limits"]
        self.start = start["position"]
        self.position = start["position"]
        self.moves = []
        self.ply = 0
        self.legal = None
        self.cpu_left = None


class Native:
    wants = ["legal", "position"]

    def __init__(self, choose, start):
        self.choose_ = choose
        self.state = State(start)

    def hear(self, message):
        if "move" in message:
            self.state.moves.append(message["move"])

    def choose(self, message):
        state = self.state
        state.ply = message["ply"]
        state.position = message["position"]
        state.legal = message["legal"]
        state.cpu_left = message["clock"]["cpu_left_s"]
        chosen = self.choose_(state)
        text = chosen if isinstance(chosen, str) else self.text(chosen)
        state.moves.append(text)
        return text

    def refused(self):
        self.state.moves.pop()

    def text(self, chosen):
        if self.state.game == "watch-your-back":
            return watch_your_back_text(chosen)
        if self.state.game == "game17":
            return game17_text(chosen)
        raise not_a_turn(chosen, "`choose` returns a text")


class CoursePlayer:
    wants = []

    def __init__(self, player, start):
        _, phase, count = start["position"].split(" ")
        if (phase, count) != ("placing", "0"):
            raise Wrong("a `Player` knows nothing of what was played before it, "
                        "so it plays from the start only")
        # Old code compares with `is`: these two are the interned strings.
        colour = "white" if start["seat"] == 0 else "black"
        self.actions = 0
        self.player = player(colour)

    def hear(self, message):
        self.actions += 1
        self.player.update(watch_your_back_action(message["move"]))

    def choose(self, message):
        turns = self.actions if self.actions < 24 else self.actions - 24
        text = watch_your_back_text(self.player.action(turns))
        self.actions += 1
        return text

    def refused(self):
        self.actions -= 1


class BasicMover:
    wants = ["position", "quiet"]

    def __init__(self, make_moves, start):
        self.make_moves = make_moves
        self.owner = start["seat"]
        # The package's first version did not tell the rounds that are left.
        self.tells_rounds = not takes(make_moves, 3)
        self.rounds = int(start["options"]["rounds"])

    def hear(self, message):
        pass

    def choose(self, message):
        owners, numbers, _, turn_round = game17_board(message["position"])
        rounds_left = [self.rounds - 1 - turn_round] if self.tells_rounds else []
        return game17_text(self.make_moves(
            self.owner, *rounds_left, array(owners), array(numbers)))


class AdvancedMover:
    wants = ["position", "quiet"]

    def __init__(self, get_mover, start):
        owners, numbers, order, _ = game17_board(start["position"])
        # By name, as the original does: the order of the parameters is the author's.
        self.mover = get_mover(owner=start["seat"], owners=array(owners), numbers=array(numbers),
                               turn_order=order, num_rounds=int(start["options"]["rounds"]))

    def hear(self, message):
        pass

    def choose(self, message):
        owners, numbers, _, _ = game17_board(message["position"])
        return game17_text(self.mover(array(owners), array(numbers)))


class InTrapAgent:
    wants = ["position", "quiet"]

    def __init__(self, agent, start):
        self.agent = agent
        given = start["options"].get("pieces")
        self.pieces = PIECES if not isinstance(given, list) else [
            (piece["name"], piece["display"], piece["cost"], piece["movement"]) for piece in given]

    def hear(self, message):
        pass

    def choose(self, message):
        env = InTrap(message["position"], self.pieces)
        return in_trap_text(self.agent(env), InTrap(message["position"], self.pieces))


HOSTS = {"native": Native, "player": CoursePlayer, "make_moves": BasicMover,
         "get_mover": AdvancedMover, "in-trap": InTrapAgent}


# The conversation.

def fault_of(error):
    if isinstance(error, NotATurn):
        return "illegal-move"
    return "memory" if isinstance(error, MemoryError) else "crash"


def told(error):
    """An exception in one line; its traceback goes to the log."""
    try:
        traceback.print_exc()
        sys.stderr.flush()
    except Exception:
        # The agent may have left nothing to write with; its fault is told all the same.
        pass
    if isinstance(error, Wrong):
        return str(error)
    what = "".join(traceback.format_exception_only(type(error), error)).strip()
    if isinstance(error, ModuleNotFoundError) and error.name:
        what += missing(error.name.split(".")[0])
    return what


def missing(name):
    """What to do about a module that is not there."""
    folders = os.path.dirname(os.path.abspath(sys.argv[0])).split(os.sep)
    if name in folders:
        return "; it lies in its own package: name it `python:%s.MODULE`, from the folder above" % name
    if name == "game17" and importlib.util.find_spec("numpy") is None:
        name = "numpy"
    return "; `--python PATH` names a Python that has `%s`" % name


def main():
    incoming, outgoing = take_the_pipes()
    asked = json.loads(sys.argv[1])

    def say(message):
        outgoing.write(json.dumps(message) + "\n")
        outgoing.flush()

    module = found = sort = start = host = trouble = None
    answered = False
    for line in incoming:
        message = json.loads(line)
        kind = message["type"]
        if kind == "start":
            try:
                random.seed(message["seed"])
                if module is None:
                    prepare(message["game"], asked["target"], asked["path"])
                    module = load(asked["target"])
                    found, sort = find(module, message["game"], asked["name"], asked["kind"])
                seed_numpy(message["seed"])
            except Exception as error:
                say({"type": "fail", "what": told(error), "fault": fault_of(error)})
                return
            version = getattr(module, "__version__", None)
            say({"type": "ready", "name": asked["name"] or module.__name__,
                 "version": version if isinstance(version, str) else None,
                 "wants": HOSTS[sort].wants, "reuse": getattr(module, "REUSE", False) is True})
            # From here on it is on the clock: constructors count. They wait for the next message, when
            # the clock has certainly begun.
            host = trouble = None
            start = message
            continue
        if host is None and trouble is None and kind in ("hear", "choose"):
            try:
                host = HOSTS[sort](found, start)
            except Exception as error:
                trouble = error, told(error)
        if kind == "hear":
            try:
                if trouble is None:
                    host.hear(message)
            except Exception as error:
                trouble = error, told(error)
        elif kind == "refused":
            # Who failed to answer has nothing to take back.
            if answered and hasattr(host, "refused"):
                host.refused()
        elif kind == "choose":
            answered = False
            try:
                if trouble is None:
                    text = host.choose(message)
                    sys.stdout.flush()
                    answered = True
                    say({"type": "play", "ply": message["ply"], "move": text})
                    continue
                error, what = trouble
            except NotATurn as raised:
                error, what = raised, str(raised)
            except Exception as raised:
                error, what = raised, told(raised)
            say({"type": "fail", "ply": message["ply"], "what": what, "fault": fault_of(error)})


main()
