// What an agent believes beside what is true, errors marked by a sign, a colour and words.

const VERDICT_WORDS = {
  right: "right", off: "wrong place", lost: "lost: not where it was", false: "not there", unknown: "not known", wrong: "right place, wrong state", "": "",
};
const SIGNS = { right: "✓", off: "✗", lost: "?", false: "✗", unknown: "∅", wrong: "✗", "": "" };

// Not knowing of a thing is no wrong belief.
function isError(verdict) { return verdict !== "right" && verdict !== "unknown" && verdict !== ""; }

// A place in words, as the agent has it: moves along both axes of its own frame.
function fromAgent(episode, body, x, z) {
  if (body === undefined || x === null) return "-";
  const { unit, headings, directions } = episode.core;
  let dx = (x - body[0]) / unit;
  let dz = (z - body[1]) / unit;
  if (headings && body[2] !== null) {
    const a = body[2] * Math.PI / 180;
    [dx, dz] = [dx * Math.cos(a) - dz * Math.sin(a), dx * Math.sin(a) + dz * Math.cos(a)];
  }
  const [front, right, back, left] = directions;
  const words = [];
  if (Math.round(dx)) words.push(`${dx > 0 ? right : left} ${Math.abs(Math.round(dx))}`);
  if (Math.round(dz)) words.push(`${dz > 0 ? front : back} ${Math.abs(Math.round(dz))}`);
  return words.join(", ") || "here";
}

function truthOf(episode, frame, agent, name, row) {
  const me = frame.agents.get(agent);
  const place = frame.places.get(name);
  const mate = frame.agents.get(name);
  if (place !== undefined && place[3] & 1) return "gone";
  const at = place || mate;
  if (at === undefined) return row !== undefined && row[3] === "false" ? "not there" : "-";
  const told = (key) => key === "intensity" || key === "grabbed" || row === undefined || row[8].includes(key);
  const states = place === undefined ? [] : place[4].filter(([key, value]) => value !== "" && told(key))
    .map(([key, value]) => `${key} ${typeof value === "boolean" ? (value ? "yes" : "no") : value}`);
  const holder = place !== undefined && place[2] ? [`held by ${place[2]}`] : [];
  return [fromAgent(episode, me, at[0], at[1]), ...states, ...holder].join("; ");
}

function errorWords(row) {
  const words = row[9].slice();
  if (row[3] === "off") words.unshift(`wrong place by ${number(row[4], 1)}`);
  else if (isError(row[3]) && row[3] !== "wrong") words.unshift(VERDICT_WORDS[row[3]]);
  return words.join("; ");
}

function nameIn(line) {
  const end = line.indexOf(" (");
  return line.startsWith("- ") && end > 2 ? line.slice(2, end) : "";
}

function memoryLines(episode, state, detail, frame) {
  const told = lines(detail, detail.lines[state.agent] || []);
  if (told.length === 0) return empty("No memory lines are in the prompt of this method.");
  return h("ul", { class: "lines" }, told.map(function (line) {
    const name = nameIn(line);
    const row = detail.beliefs.get(name);
    const bad = row !== undefined && isError(row[3]);
    const judged = row !== undefined && row[3] !== "";
    return h("li", { class: bad ? "error" : "" }, h("span", {}, breakable(line.replace(/^- /, ""))),
      h("span", {}, judged ? h("span", { class: bad ? "no" : "ok" }, `${SIGNS[row[3]]} ${bad ? `${errorWords(row)} ` : ""}`) : null,
        judged ? h("span", { class: "quiet" }, `truly: ${truthOf(episode, frame, state.agent, name, row)}`) : null));
  }));
}

function beliefTable(episode, state, detail, frame, onlyErrors) {
  const me = frame.agents.get(state.agent);
  const rows = [...detail.beliefs].filter(([name, row]) => name !== state.agent && (!onlyErrors || isError(row[3])));
  const wrong = rows.filter(([, row]) => isError(row[3])).length;
  const unknown = rows.filter(([, row]) => row[3] === "unknown").length;
  if (rows.length === 0) return empty(onlyErrors ? "No errors." : "Nothing is believed.");
  const shown = rows.slice(0, 400);
  return [
    h("p", { class: "quiet" }, `${rows.length - unknown} things believed, ${wrong} with an error${unknown ? `; ${unknown} more are there, but not known` : ""}${rows.length > shown.length ? `; the first ${shown.length} are listed` : ""}`),
    table([["thing"], ["believed"], ["truly"], ["verdict"], ["age", "num"], ["sure", "num"]], shown.map(([name, row]) => h("tr", { class: isError(row[3]) ? "error" : "" },
      h("td", {}, breakable(name), h("span", { class: "quiet" }, ` ${row[0]}`)),
      h("td", {}, [row[1] === null ? "not known" : fromAgent(episode, me, row[1], row[2]), row[8], row[7] ? `held by ${row[7]}` : ""].filter(Boolean).join("; ")),
      h("td", {}, truthOf(episode, frame, state.agent, name, row)),
      h("td", { class: isError(row[3]) ? "no" : row[3] === "unknown" ? "quiet" : "ok" }, `${SIGNS[row[3]]} ${isError(row[3]) ? errorWords(row) : VERDICT_WORDS[row[3]]}`),
      h("td", { class: "num" }, row[1] === null ? "-" : number(row[5])),
      h("td", { class: "num" }, row[1] === null ? "-" : `${Math.round(row[6] * 100)} %`))), "Beliefs beside the truth"),
  ];
}

class BeliefsPanel {
  constructor(episode) {
    this.episode = episode;
    this.then = false;
    this.onlyErrors = false;
    this.state = null;
    this.body = h("div", {});
    const name = `when-${episode.number}`;
    const choose = (label, then) => h("label", {}, h("input", { type: "radio", name, checked: then === false,
      on: { change: () => { this.then = then; this.show(this.state); } } }), label);
    this.element = h("div", {},
      h("div", { class: "switch", role: "group", "aria-label": "Which beliefs" }, choose("after this step", false), choose("when it decided", true),
        h("label", {}, h("input", { type: "checkbox", on: { change: (e) => { this.onlyErrors = e.target.checked; this.show(this.state); } } }), "only errors")),
      this.body);
  }

  show(state) {
    this.state = state;
    const moment = this.then && state.moment > 0 ? state.moment - 1 : state.moment;
    const detail = this.episode.detail(moment);
    const frame = this.episode.frame(moment);
    if (detail === null || frame === null) {
      fill(this.body, empty("This page was made without details."));
      return;
    }
    refill(this.body,
      h("h3", {}, `Memory lines of ${state.agent}, beside the truth`), memoryLines(this.episode, state, detail, frame),
      h("h3", {}, "All beliefs"), beliefTable(this.episode, state, detail, frame, this.onlyErrors));
  }
}
