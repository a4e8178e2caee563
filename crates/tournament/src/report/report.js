"use strict";
// Sorts, filters and plays what is in the page. Boards come ready from the program: no rule is here.
(() => {
  const $ = (selector, root = document) => root.querySelector(selector);
  const $$ = (selector, root = document) => [...root.querySelectorAll(selector)];
  document.documentElement.classList.add("scripted");

  // A fault that is linked to is opened.
  const unfold = () => {
    const found = location.hash && document.getElementById(location.hash.slice(1));
    if (found instanceof HTMLDetailsElement) found.open = true;
  };
  addEventListener("hashchange", unfold);
  unfold();
  // Paper shows what a screen folds away.
  addEventListener("beforeprint", () => { for (const fold of $$("details")) fold.open = true; });

  // 1. Tables that sort.
  const value = (row, column) => {
    const cell = row.cells[column];
    const text = cell.dataset.value ?? cell.textContent.trim();
    const number = parseFloat(text.replace("½", ".5").replace("−", "-"));
    return Number.isNaN(number) ? text : number;
  };
  for (const table of $$("table.sortable")) {
    $$("thead th", table).forEach((head, column) => {
      const button = document.createElement("button");
      button.type = "button";
      button.append(...head.childNodes);
      head.append(button);
      button.addEventListener("click", () => {
        const down = head.getAttribute("aria-sort") === "ascending";
        for (const other of $$("thead th", table)) other.removeAttribute("aria-sort");
        head.setAttribute("aria-sort", down ? "descending" : "ascending");
        const rows = $$("tbody tr", table).map((row) => [value(row, column), row]);
        rows.sort(([a], [b]) => {
          const order = typeof a === "number" && typeof b === "number"
            ? a - b : String(a).localeCompare(String(b));
          return down ? -order : order;
        });
        $("tbody", table).append(...rows.map(([, row]) => row));
      });
    });
  }

  // 2. Games that are shown.
  const filter = $("form.filter");
  const sift = () => {
    const { agent, end } = filter.elements;
    const rows = $$("table.games tbody tr");
    let shown = 0;
    for (const row of rows) {
      const is = (!agent.value || row.dataset.agents.split(" ").includes(agent.value)) &&
        (!end.value || row.dataset.end === end.value);
      row.hidden = !is;
      shown += is ? 1 : 0;
    }
    $("output", filter).textContent = `${shown} of ${rows.length} games`;
  };
  if (filter) {
    filter.addEventListener("submit", (event) => event.preventDefault());
    filter.addEventListener("change", sift);
    sift();
  }

  // 3. A game that is played.
  const source = $("#replays");
  if (!source) return;
  const replays = JSON.parse(source.textContent);
  const player = $("#player");
  const board = $(".board", player);
  const range = $("input[type=range]", player);
  let replay = null, boards = null, turn = 0, timer = 0;

  const unpack = async (packed) => {
    const bytes = Uint8Array.from(atob(packed), (letter) => letter.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate-raw"));
    return JSON.parse(await new Response(stream).text());
  };

  const make = (tag, properties = {}, ...children) => {
    const element = Object.assign(document.createElement(tag), properties);
    element.append(...children);
    return element;
  };

  const laid = () => {
    const heads = () => make("tr", {}, make("th"), ...replay.column_labels.map((label) =>
      make("th", { textContent: label, scope: "col" })), make("th"));
    const rows = [heads()];
    for (let row = 0; row < replay.rows; row += 1) {
      const label = replay.row_labels[row];
      const line = make("tr", {}, make("th", { textContent: label, scope: "row" }));
      for (let column = 0; column < replay.columns; column += 1) line.append(make("td"));
      line.append(make("th", { textContent: label }));
      rows.push(line);
    }
    rows.push(heads());
    board.replaceChildren(...rows);
    board.classList.toggle("wraps", replay.wraps);
    board.style.setProperty("--letter", `${Math.min(1.6, 11 / replay.columns)}rem`);
  };

  const paint = (cell, look, isChanged) => {
    cell.className = [look.ground, look.mark, isChanged ? "changed" : ""].filter(Boolean).join(" ");
    cell.replaceChildren();
    const token = look.token;
    const seat = token ? token.seat : look.owner;
    if (token && seat === undefined) {
      cell.classList.add("blocked");
    }
    // A piece that is a disc in text is drawn as one.
    const isDisc = token && "○●".includes(token.symbol ?? " ");
    const text = isDisc ? "" : token ? (token.symbol ?? token.text) : seat === undefined ? "" : "·";
    if (!text && !token && look.ground === "open") return;
    const face = make("span", { className: isDisc ? "token disc" : "token", textContent: text });
    face.setAttribute("aria-hidden", "true");
    if (seat !== undefined) {
      // Two armies are light and dark discs; more are told apart by number, and by hue besides.
      const many = replay.many || seat > 1;
      face.classList.add(many ? "many" : `seat-${seat}`);
      if (many) {
        const player = replay.players.indexOf(seat);
        if (player < 0) face.classList.add("nobody");
        face.style.setProperty("--hue", String(Math.round(player * 137.5 + 40) % 360));
        // How many, and whose: small, because hues alone say nothing.
        if (!token || token.count !== undefined) {
          face.replaceChildren(String(token?.count ?? "·"), make("small", { textContent: String(seat) }));
        }
      }
    }
    const spoken = token ? token.name : look.ground === "open" ? "" : look.ground;
    cell.append(face, make("span", { className: "unseen", textContent: spoken }));
  };

  const show = (wanted) => {
    turn = Math.max(0, Math.min(wanted, replay.frames.length - 1));
    const frame = replay.frames[turn];
    const cells = $$("td", board);
    const changed = new Set(frame.changed);
    boards[turn].forEach((look, cell) => paint(cells[cell], replay.looks[look], changed.has(cell)));
    $(".caption", player).textContent = turn === 0 ? "The start" : `${turn}. ${frame.caption}`;
    const isEnd = turn === replay.frames.length - 1;
    $(".status", player).textContent = isEnd && replay.ending ? replay.ending : frame.status;
    $(".thought", player).textContent = frame.thought ? `thought: ${frame.thought}` : "";
    $(".mistake", player).textContent = frame.mistake ?? "";
    let said = turn;
    while (!replay.frames[said].panels) said -= 1;
    $(".panels", player).replaceChildren(...replay.frames[said].panels.flatMap((panel) =>
      [make("dt", { textContent: panel.label }), make("dd", { textContent: panel.value })]));
    range.value = String(turn);
    range.setAttribute("aria-valuetext", `turn ${turn} of ${replay.frames.length - 1}`);
    for (const now of $$(".turns [aria-current]", player)) now.removeAttribute("aria-current");
    const now = $(`.turns [data-turn="${turn}"]`, player);
    if (now) {
      now.setAttribute("aria-current", "step");
      const list = $(".turns", player);
      list.scrollTop = now.offsetTop - list.offsetTop - list.clientHeight / 2;
    }
    if (isEnd) pause();
  };

  const pause = () => {
    clearTimeout(timer);
    timer = 0;
    $("[data-do=play]", player).textContent = "play";
  };
  const play = () => {
    if (turn === replay.frames.length - 1) show(0);
    $("[data-do=play]", player).textContent = "pause";
    const tick = () => {
      show(turn + 1);
      if (turn < replay.frames.length - 1) timer = setTimeout(tick, Number($("select", player).value));
    };
    timer = setTimeout(tick, Number($("select", player).value));
  };

  // `find` says which board is shown first.
  const watch = async (number, find = () => 0) => {
    const packed = replays[number];
    if (!packed) return;
    pause();
    try {
      replay = await unpack(packed);
    } catch (error) {
      $("output").textContent = `This browser cannot unpack games: ${error.message}`;
      return;
    }
    let now = replay.start;
    boards = replay.frames.map((frame) => {
      if (frame.changes.length) now = now.slice();
      for (let at = 0; at < frame.changes.length; at += 2) now[frame.changes[at]] = frame.changes[at + 1];
      return now;
    });
    replay.many = replay.looks.some((look) => (look.token?.seat ?? look.owner ?? 0) > 1 || look.owner !== undefined);
    laid();
    const isAlone = player.hasAttribute("data-alone");
    $("#player-title").textContent = isAlone ? replay.title : `Game ${number}. ${replay.title}`;
    range.max = String(replay.frames.length - 1);
    // A list of a thousand turns helps nobody.
    $(".turns", player).replaceChildren(...(replay.frames.length > 600 ? [] : replay.frames.slice(1).map(
      (frame, at) => {
        const mark = frame.mistake ? " ?" : "";
        const jump = make("button", { type: "button", textContent: frame.caption + mark });
        jump.dataset.turn = String(at + 1);
        return make("li", {}, jump);
      })));
    // Open first: the list of turns can only be scrolled where it is seen.
    if (!player.open) player.showModal();
    const first = find(replay.frames);
    show(first);
    const link = first ? `#game-${number}-turn-${first}` : `#game-${number}`;
    if (location.hash !== link) history.replaceState(null, "", link);
  };

  document.addEventListener("click", (event) => {
    const button = event.target.closest("[data-watch]");
    if (button) watch(button.dataset.watch);
  });
  const deeds = {
    close: () => player.close(),
    first: () => show(0),
    back: () => { pause(); show(turn - 1); },
    play: () => (timer ? pause() : play()),
    next: () => { pause(); show(turn + 1); },
    last: () => show(replay.frames.length - 1),
  };
  player.addEventListener("click", (event) => {
    const button = event.target.closest("button");
    if (!button) return;
    if (button.dataset.turn) { pause(); show(Number(button.dataset.turn)); }
    else deeds[button.dataset.do]?.();
  });
  range.addEventListener("input", () => { pause(); show(Number(range.value)); });
  const keys = { ArrowLeft: "back", ArrowRight: "next", Home: "first", End: "last", " ": "play" };
  player.addEventListener("keydown", (event) => {
    const deed = keys[event.key];
    if (!deed || event.target instanceof HTMLSelectElement) return;
    if (event.key === " " && event.target instanceof HTMLButtonElement) return;
    event.preventDefault();
    deeds[deed]();
  });
  player.addEventListener("close", () => {
    pause();
    history.replaceState(null, "", location.pathname + location.search);
  });
  const linked = () => {
    const found = /^#game-(\d+)(?:-(turn|ply)-(\d+))?$/.exec(location.hash);
    if (!found) return;
    const [, game, unit, given] = found;
    const place = Number(given ?? 0);
    // Pages of old linked to the board after so many events.
    watch(game, unit === "ply"
      ? (frames) => frames.findLastIndex((frame) => frame.ply <= place) : () => place);
  };
  addEventListener("hashchange", linked);
  linked();
})();
