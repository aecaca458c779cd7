// Small charts that follow the slider: one line per series, drawn once, and a moving cursor.

const DASHES = [[], [5, 3], [2, 2], [8, 3, 2, 3], [1, 3], [10, 4]];
const CHART_HEIGHT = 64;

// What a page shows of an episode's figures, in order: [title, unit words, lines].
function chartsOf(core) {
  const { figures, shares, modules, terms, cost } = core.series;
  const one = (name) => [[name, figures[name]]];
  const words = { model_s: "model", world_s: "world", solver_s: "solver" };
  const list = [
    ["Subtasks done", "share", one("transport_rate"), "transport_rate"],
    ["Coverage", "share", one("coverage"), "coverage"],
    ["Balance", "share", one("balance"), "balance"],
    ["Failed actions", "share", one("failure_rate"), "failure_rate"],
    ["Agent steps", "", one("agent_steps"), "agent_steps"],
    ["Runtime", "s", Object.entries(shares).map(([k, v]) => [words[k], v]), "runtime_s"],
    ["Model calls", "", Object.entries(modules), "llm_calls"],
    ["Prompt tokens", "", one("prompt_tokens"), "prompt_tokens"],
  ];
  if (Object.keys(terms).length > 0) list.push(["Cost by term", "of the joint action", Object.entries(terms), "cost"]);
  return list.map(([title, unit, lines, name]) => ({ title, unit, lines, name, total: name === "cost" ? cost : figures[name] }));
}

function lineSign(k, main) {
  const canvas = h("canvas", { width: 36, height: 16, "aria-hidden": "true" });
  const c = canvas.getContext("2d");
  c.scale(2, 2);
  strokeAs(c, k, main);
  c.beginPath();
  c.moveTo(0, 4);
  c.lineTo(18, 4);
  c.stroke();
  return canvas;
}

function strokeAs(c, k, other) {
  c.strokeStyle = other ? colour("a1") : agentColour(k === 0 ? 0 : k + 1);
  c.setLineDash(other ? DASHES[1] : DASHES[k % DASHES.length]);
  c.lineWidth = 1.8;
}

// One chart. With two episodes only the totals are drawn: A solid, B dashed.
class Chart {
  constructor(specs, episodes, seek) {
    this.specs = specs;
    this.episodes = episodes;
    this.two = specs.length > 1;
    this.lines = this.two
      ? specs.map((spec, e) => [e === 0 ? "A" : "B", spec === undefined ? [] : spec.total, e])
      : specs[0].lines.map(([name, values]) => [name, values, 0]);
    this.name = specs.find((spec) => spec !== undefined).name;
    this.canvas = h("canvas", { "aria-hidden": "true" });
    this.cursors = episodes.map(() => h("div", { class: "cursor" }));
    this.value = h("p", { class: "value" });
    this.keys = this.lines.length > 1 ? h("ul", {}) : null;
    const spec = specs.find((s) => s !== undefined);
    this.plot = h("div", { class: "plot" }, this.canvas, this.cursors);
    this.element = h("section", { class: "chart" },
      h("h3", {}, spec.title, spec.unit ? h("small", { class: "quiet" }, ` ${spec.unit}`) : null),
      this.value, this.plot, this.keys);
    this.canvas.addEventListener("click", (e) => {
      const box = this.canvas.getBoundingClientRect();
      seek((e.clientX - box.left) / box.width);
    });
    let high = 0;
    for (const [, values] of this.lines) for (const v of values) if (v > high) high = v;
    this.high = this.name in SHARES_OF_ONE ? 1 : high || 1;
    this.low = Math.min(0, ...this.lines.map(([, values]) => values.reduce((a, b) => Math.min(a, b === null ? 0 : b), 0)));
  }

  draw(reach) {
    const width = this.plot.clientWidth;
    if (width === 0) return;
    const c = sized(this.canvas, width, CHART_HEIGHT);
    c.strokeStyle = colour("line");
    c.lineWidth = 1;
    const y = (v) => CHART_HEIGHT - 3 - (v - this.low) / (this.high - this.low || 1) * (CHART_HEIGHT - 8);
    c.beginPath();
    c.moveTo(0, y(0));
    c.lineTo(width, y(0));
    c.stroke();
    this.lines.forEach(([, values, e], k) => {
      strokeAs(c, k, this.two && e === 1);
      c.beginPath();
      let pen = false;
      const jump = Math.max(1, Math.floor(values.length / (2 * width)));
      for (let i = 0; i < values.length; i += jump) {
        if (values[i] === null) { pen = false; continue; }
        const x = reach(e, i) * width;
        if (pen) c.lineTo(x, y(values[i])); else c.moveTo(x, y(values[i]));
        pen = true;
      }
      c.stroke();
    });
    c.setLineDash([]);
    if (this.keys) fill(this.keys, this.lines.map(([name], k) => h("li", {}, lineSign(k, this.two && k === 1), h("span", {}, name))));
    this.labels = this.keys ? [...this.keys.querySelectorAll("span")] : [];
  }

  show(moments, reach) {
    const texts = this.specs.map((spec, e) => (spec === undefined ? "-" : this.worded(spec.total[moments[e]])));
    fill(this.value, texts.join("  ·  "));
    this.cursors.forEach((cursor, e) => { cursor.style.left = `calc(${reach(e, moments[e]) * 100}% - 1px)`; });
    (this.labels || []).forEach((label, k) => {
      const [name, values, e] = this.lines[k];
      label.textContent = `${name} ${this.worded(values[moments[e]])}`;
    });
  }

  worded(value) {
    if (value === null || value === undefined) return "-";
    return this.name === "cost" ? number(value, 2) : figure(this.name, value);
  }
}
