// Who did what when: one lane per agent, marks above its bars, and what was truly finished.

const BAR = { s: 0.62, p: 0.62, f: 1, i: 0.2, e: 1, ".": 0 };
const BAR_WORDS = { s: "success", p: "success with the others only", f: "failed", i: "idle", e: "says it is done" };
const MARK_LETTERS = { cycle: "C", failure: "F", oscillation: "O", backtracking: "B", idle: "I", stagnation: "S", "false done": "D" };
const MARK_WORDS = {
  cycle: "cycle of actions", failure: "repeated failure", oscillation: "back and forth", backtracking: "going back",
  idle: "idling", stagnation: "stagnation of the team", "false done": "false claim to be done",
};

function barSign(code) {
  const bar = Math.max(2, BAR[code] * 14);
  return picture(16, 16, shape("rect", { x: 4, y: 15 - bar, width: 8, height: bar }, { fill: `var(--code-${code})` }));
}

class Timeline {
  constructor(episode, seek, pick) {
    this.episode = episode;
    this.canvas = h("canvas", { role: "img", "aria-label": "Timeline of all agents; the same as text is under Marks." });
    this.cursor = h("div", { class: "cursor" });
    this.strip = h("div", { class: "timeline" }, this.canvas, this.cursor);
    const found = new Set(episode.core.marks.map((mark) => mark[0]));
    const letters = Object.keys(MARK_WORDS).filter((kind) => found.has(kind));
    this.element = h("section", { class: "card wide" }, h("h2", {}, "Timeline"), this.strip,
      h("ul", { class: "key" }, Object.keys(BAR_WORDS).map((code) => h("li", {}, barSign(code), BAR_WORDS[code])),
        letters.map((kind) => h("li", {}, h("b", {}, MARK_LETTERS[kind]), MARK_WORDS[kind])),
        h("li", {}, h("b", {}, "▲"), "subtask truly done")));
    this.canvas.addEventListener("click", (e) => {
      const box = this.canvas.getBoundingClientRect();
      const lane = Math.floor((e.clientY - box.top - this.top) / this.lane);
      if (lane >= 0 && lane < episode.core.agents.length) pick(episode.core.agents[lane]);
      seek((e.clientX - box.left - this.left) / (box.width - this.left));
    });
  }

  draw(reach) {
    const { agents, codes, marks, subtasks } = this.episode.core;
    const width = this.strip.clientWidth;
    if (width === 0) return;
    this.lane = Math.max(3, Math.min(26, Math.floor(300 / agents.length)));
    this.named = this.lane >= 12;
    this.left = this.named ? Math.min(90, width * 0.2) : 0;
    this.top = 18;
    const bottom = this.top + this.lane * agents.length;
    const c = sized(this.canvas, width, bottom + 18);
    const span = width - this.left;
    const at = (i) => this.left + reach(i) * span;
    // A bar stands left of its moment: it is what happened on the way there.
    const wide = (i) => Math.max(1, at(i) - at(i - 1) - (span / this.episode.count > 6 ? 1.5 : 0));
    c.textBaseline = "middle";
    agents.forEach((name, k) => {
      const y = this.top + k * this.lane;
      if (this.named) {
        c.fillStyle = colour("ink");
        c.textAlign = "left";
        c.font = "12px system-ui, sans-serif";
        c.fillText(name, 0, y + this.lane * 0.62, this.left - 6);
      }
      c.fillStyle = colour("soft");
      c.fillRect(this.left, y + this.lane - 1, span, 1);
      const row = codes[name];
      const high = this.lane > 6 ? this.lane - 7 : this.lane - 1;
      for (let i = 1; i < row.length; i += 1) {
        const bar = BAR[row[i]] * high;
        if (bar === 0) continue;
        c.fillStyle = colour(`code-${row[i]}`);
        c.fillRect(at(i) - wide(i), y + this.lane - 1 - Math.max(1.5, bar), wide(i), Math.max(1.5, bar));
      }
    });
    for (const mark of marks) this.drawMark(c, mark, at);
    c.fillStyle = colour("good");
    c.textAlign = "center";
    c.font = "11px system-ui, sans-serif";
    for (const [, moment] of subtasks.true) if (moment > 0) c.fillText("▲", Math.min(width - 5, at(moment)), 8);
    this.drawAxis(c, at, bottom, width);
  }

  drawMark(c, mark, at) {
    const [kind, agent, first, last] = mark;
    const lane = agent ? this.episode.order.get(agent) : 0;
    const y = agent ? this.top + lane * this.lane + 2 : this.top - 4;
    if (agent && this.lane <= 6) return;
    const low = at(Math.max(0, first - 1)) + 1;
    const high = Math.max(low + 3, at(last) - 1);
    c.strokeStyle = colour("bad");
    c.lineWidth = 2;
    c.beginPath();
    c.moveTo(low, y);
    c.lineTo(high, y);
    c.stroke();
    if (this.lane < 14 && agent) return;
    c.font = "700 9px system-ui, sans-serif";
    c.textAlign = "left";
    c.lineWidth = 3;
    c.strokeStyle = colour("card");
    c.strokeText(MARK_LETTERS[kind], low, y + 1);
    c.fillStyle = colour("bad");
    c.fillText(MARK_LETTERS[kind], low, y + 1);
  }

  drawAxis(c, at, bottom, width) {
    const { steps } = this.episode.core;
    const last = steps[steps.length - 1];
    const every = [1, 2, 5, 10, 20, 50, 100, 200, 500, 1000, 2000, 5000].find((n) => last / n <= Math.max(4, width / 70)) || 10000;
    c.fillStyle = colour("quiet");
    c.font = "11px system-ui, sans-serif";
    steps.forEach((step, i) => {
      if (step % every !== 0) return;
      c.textAlign = i === 0 ? "left" : i === steps.length - 1 ? "right" : "center";
      c.fillText(String(step), at(i), bottom + 10);
    });
  }

  show(moment, reach) {
    const part = reach(moment);
    this.cursor.style.left = `calc(${this.left || 0}px + ${part} * (100% - ${this.left || 0}px) - 1px)`;
  }
}
