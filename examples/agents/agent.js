// An agent in plain JavaScript: any legal turn of any game.
//
//     skirmish referee watch-your-back 'cmd:node examples/agents/agent.js' random
//
// Agent protocol 1: one JSON object a line, on stdin and stdout; stderr is the agent's own log.

const say = (message) => process.stdout.write(JSON.stringify(message) + "\n");

require("readline").createInterface({ input: process.stdin }).on("line", (line) => {
  const message = JSON.parse(line);
  if (message.type === "start") {
    say({ type: "ready", name: "node-random", wants: ["legal"], reuse: true });
  } else if (message.type === "choose") {
    const legal = message.legal || ["-"];
    const move = legal[Math.floor(Math.random() * legal.length)];
    say({ type: "play", ply: message.ply, move });
  }
});
