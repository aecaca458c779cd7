// The whole team as a table: the map in words.

function held(episode, list) {
  const words = list.map(([item, amount]) => (amount === 1 && episode.props.has(item) ? item : `${item} ${amount}`));
  return words.join(", ") || "nothing";
}

function position(episode, body) {
  if (body === undefined) return "-";
  const heading = body[2] === null ? "" : ` facing ${number(body[2])}°`;
  return `(${number(body[0])}, ${number(episode.core.scene.rows_down ? 0 - body[1] : body[1])})${heading}`;
}

function disc(episode, name) {
  const i = episode.order.get(name);
  const element = h("span", { class: "disc", "aria-hidden": "true" }, initials(episode.core.agents)[i]);
  element.style.background = agentColour(i);
  return element;
}

class TeamTable {
  constructor(episode, pick) {
    this.episode = episode;
    this.rows = new Map();
    const rows = episode.core.agents.map((name) => {
      const cells = ["nowrap", "", "", ""].map((kind) => h("td", { class: kind }));
      const button = h("button", { type: "button", on: { click: () => pick(name) } }, disc(episode, name), name);
      const row = h("tr", { class: "pick" }, h("td", {}, button), cells);
      this.rows.set(name, { row, cells, button });
      return row;
    });
    this.element = table([["agent"], ["position"], ["holds"], ["action"], ["result"]], rows, "The team at this step");
  }

  show(state) {
    const { frame } = state;
    this.episode.core.agents.forEach((name, i) => {
      const { row, cells, button } = this.rows.get(name);
      const body = frame.agents.get(name);
      const act = frame.acts[i];
      const [sign, words, tone] = RESULTS[act.code];
      cells[0].textContent = position(this.episode, body);
      cells[1].textContent = body === undefined ? "-" : held(this.episode, body[3]);
      fill(cells[2], breakable(act.action || "-"));
      cells[3].textContent = `${sign} ${words}`;
      cells[3].className = tone;
      row.classList.toggle("chosen", name === state.agent);
      button.setAttribute("aria-pressed", String(name === state.agent));
    });
  }

  recolour() {
    for (const [name, { button }] of this.rows) button.firstChild.style.background = agentColour(this.episode.order.get(name));
  }
}
