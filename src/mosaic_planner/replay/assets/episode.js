// One episode on the page: its map, its panels, its timeline and its lists.

const TABS = [["decision", "Decision"], ["beliefs", "Beliefs"], ["calls", "Model calls"], ["team", "Team"]];

class EpisodeView {
  constructor(episode, letter, player) {
    this.episode = episode;
    this.player = player;
    this.tab = "decision";
    this.moment = -1;
    const pick = (name) => player.select(name);
    const seek = (part) => player.seekPart(episode.number, part);
    this.map = new MapView(episode, pick, letter ? 0.56 : 0.7);
    this.timeline = new Timeline(episode, seek, pick);
    this.team = new TeamTable(episode, pick);
    this.beliefs = new BeliefsPanel(episode);
    this.subtasks = new SubtaskList(episode);
    this.marks = new MarkList(episode, (mark) => player.goMark(episode.number, mark));
    this.messages = episode.core.messages.length ? new MessageList(episode) : null;
    this.buildPanels(letter);
    const name = letter ? `Episode ${letter}` : "Episode";
    this.element = h("article", { class: "episode", "aria-label": name },
      h("section", { class: "card" }, letter ? h("h2", {}, `${letter}: ${episode.core.title}`) : h("h2", { class: "hidden" }, "Map"), this.facts(), this.map.element),
      h("section", { class: "card side", "aria-label": "Selected agent" }, this.tablist, this.panels),
      this.timeline.element);
    this.lists = h("div", { class: "columns" }, this.subtasks.element, this.marks.element,
      this.messages === null ? null : this.messages.element, aboutCard(episode));
  }

  buildPanels(letter) {
    const id = (key) => `${key}-${letter || "one"}`;
    this.buttons = TABS.map(([key, words]) => h("button", { type: "button", role: "tab", id: `tab-${id(key)}`, "aria-controls": `panel-${id(key)}`,
      on: { click: () => this.open(key), keydown: (e) => this.turn(e) } }, words));
    this.tablist = h("div", { class: "tabs", role: "tablist", "aria-label": "Views of the selected agent" }, this.buttons);
    this.bodies = TABS.map(([key]) => h("div", { class: "panel", role: "tabpanel", tabindex: "0", id: `panel-${id(key)}`, "aria-labelledby": `tab-${id(key)}` }));
    this.panels = this.bodies;
    this.bodies[1].append(this.beliefs.element);
    this.bodies[3].append(this.team.element);
    this.open("decision");
  }

  turn(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (step === undefined) return;
    event.preventDefault();
    event.stopPropagation();
    const k = (TABS.findIndex(([key]) => key === this.tab) + step + TABS.length) % TABS.length;
    this.open(TABS[k][0]);
    this.buttons[k].focus();
  }

  open(key) {
    this.tab = key;
    TABS.forEach(([name], k) => {
      this.buttons[k].setAttribute("aria-selected", String(name === key));
      this.buttons[k].tabIndex = name === key ? 0 : -1;
      this.bodies[k].hidden = name !== key;
    });
    if (this.state) this.showPanel();
  }

  facts() {
    const { core, count } = this.episode;
    const won = core.metrics.success;
    this.now = h("li", { hidden: this.player.episodes.length < 2 });
    return h("ul", { class: "facts" },
      h("li", { class: won ? "good" : "bad" }, won ? "✓ mission accomplished" : core.complete ? `✗ not accomplished (${core.end})` : "✗ the trace is torn"),
      h("li", {}, `${core.agents.length} agent${core.agents.length === 1 ? "" : "s"}`), h("li", {}, `${core.steps[count - 1]} steps`),
      h("li", {}, `${core.series.t[count - 1].toFixed(1)} s`), h("li", {}, `${number(core.metrics.llm_calls)} model calls`), this.now);
  }

  resize(reach) {
    this.map.resize();
    this.timeline.draw(reach);
    if (this.map.state !== null) this.map.draw();
  }

  recolour() {
    this.team.recolour();
    if (this.state) this.showPanel();
  }

  // `part`: how far the agents are on their way from the moment before to `moment`, 0 to 1.
  async show(moment, agent, part, reach, quick) {
    const { episode } = this;
    if (episode.needs(moment).length > 0) await episode.load(moment);
    const frame = episode.frame(moment);
    const before = part < 1 ? episode.frame(moment - 1) : null;
    const detail = quick && this.state && this.state.moment === moment ? this.state.detail : episode.detail(moment);
    const sees = detail === null ? [] : [...(detail.sees[agent] || []), ...detail.all].map((n) => detail.texts[n]);
    const state = { moment, agent, frame, before, part, next: episode.frame(moment + 1), detail,
      sees: new Set(sees), believed: detail === null ? new Map() : detail.beliefs };
    const same = this.state && this.state.moment === moment && this.state.agent === agent;
    this.state = state;
    this.map.show(state);
    if (same) return;
    this.timeline.show(moment, reach);
    this.subtasks.show(state);
    this.marks.show(state);
    if (this.messages !== null) this.messages.show(state);
    this.showPanel();
    const step = episode.core.steps[moment];
    fill(this.now, `now: step ${step}, ${episode.core.series.t[moment].toFixed(1)} s`);
    const i = episode.order.get(agent);
    const act = frame.acts[i];
    const body = frame.agents.get(agent);
    this.words = `step ${step}. ${agent} at ${position(episode, body)}${act && act.action ? `, ${act.action}: ${RESULTS[act.code][1]}` : ""}`;
    this.map.describe(`Map after ${this.words}. The whole team is in the Team tab as a table.`);
  }

  showPanel() {
    const k = TABS.findIndex(([key]) => key === this.tab);
    if (this.tab === "decision") refill(this.bodies[k], decisionPanel(this.episode, this.state));
    else if (this.tab === "beliefs") this.beliefs.show(this.state);
    else if (this.tab === "calls") refill(this.bodies[k], callsPanel(this.episode, this.state));
    else this.team.show(this.state);
  }
}
