// Small charts that follow the slider: one line per series, drawn once, and a moving cursor.

const DASHES = ["", "5 3", "2 2", "8 3 2 3", "1 3", "10 4"];
const CHART_HEIGHT = 64;
const CHART_WIDTH = 400;

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

function lineStyle(k, other) {
  const ink = other ? "a1" : `a${k % AGENT_COLOURS}`;
  return [{ "stroke-width": 1.8, "stroke-dasharray": other ? DASHES[1] : DASHES[k % DASHES.length], "vector-effect": "non-scaling-stroke" },
    { stroke: `var(--${ink})`, fill: "none" }];
}

function lineSign(k, other) {
  const [attributes, paint] = lineStyle(k, other);
  return picture(18, 8, shape("path", { d: "M0 4H18", ...attributes }, paint));
}

// One chart. With two episodes only the totals are drawn: A solid, B dashed.
class Chart {
  constructor(specs, episodes, seek) {
    const spec = specs.find((s) => s !== undefined);
    this.specs = specs;
    this.two = specs.length > 1;
    this.name = spec.name;
    this.lines = this.two
      ? specs.map((s, e) => [e === 0 ? "A" : "B", s === undefined ? [] : s.total, e])
      : spec.lines.map(([name, values]) => [name, values, 0]);
    this.cursors = episodes.map(() => h("div", { class: "cursor" }));
    this.value = h("p", { class: "value" });
    this.labels = this.lines.map(() => h("span", {}));
    const keys = this.lines.length < 2 ? null
      : h("ul", {}, this.labels.map((label, k) => h("li", {}, lineSign(k, this.two && k === 1), label)));
    this.plot = shape("svg", { viewBox: `0 0 ${CHART_WIDTH} ${CHART_HEIGHT}`, preserveAspectRatio: "none", "aria-hidden": "true", focusable: "false" });
    const box = h("div", { class: "plot" }, this.plot, this.cursors);
    box.addEventListener("click", (e) => {
      const place = box.getBoundingClientRect();
      seek((e.clientX - place.left) / place.width);
    });
    this.element = h("section", { class: "chart" },
      h("h3", {}, spec.title, spec.unit ? h("small", { class: "quiet" }, ` ${spec.unit}`) : null), this.value, box, keys);
    const all = this.lines.flatMap(([, values]) => values.filter((v) => v !== null));
    this.high = this.name in SHARES_OF_ONE ? 1 : all.reduce((a, b) => Math.max(a, b), 0) || 1;
    this.low = all.reduce((a, b) => Math.min(a, b), 0);
  }

  // `reach(e, i)`: how far along the width moment i of episode e is, 0 to 1.
  draw(reach) {
    const y = (v) => CHART_HEIGHT - 3 - ((v - this.low) / (this.high - this.low || 1)) * (CHART_HEIGHT - 8);
    const lines = this.lines.map(([, values, e], k) => {
      const parts = [];
      const jump = Math.max(1, Math.floor(values.length / (2 * CHART_WIDTH)));
      let pen = false;
      for (let i = 0; i < values.length; i += jump) {
        if (values[i] !== null) parts.push(`${pen ? "L" : "M"}${(reach(e, i) * CHART_WIDTH).toFixed(1)} ${y(values[i]).toFixed(1)}`);
        pen = values[i] !== null;
      }
      const [attributes, paint] = lineStyle(k, this.two && e === 1);
      return shape("path", { d: parts.join("") || "M0 0", ...attributes }, paint);
    });
    fill(this.plot, shape("path", { d: `M0 ${y(0).toFixed(1)}H${CHART_WIDTH}`, "vector-effect": "non-scaling-stroke" }, { stroke: "var(--line)" }), lines);
  }

  show(moments, reach) {
    const texts = this.specs.map((spec, e) => (spec === undefined ? "-" : this.worded(spec.total[moments[e]])));
    this.value.textContent = texts.join("  ·  ");
    this.cursors.forEach((cursor, e) => { cursor.style.left = `calc(${reach(e, moments[e]) * 100}% - 1px)`; });
    this.lines.forEach(([name, values, e], k) => { this.labels[k].textContent = `${name} ${this.worded(values[moments[e]])}`; });
  }

  worded(value) {
    if (value === null || value === undefined) return "-";
    return this.name === "cost" ? number(value, 2) : figure(this.name, value);
  }
}
