// What spans the episode: subtasks, messages, marks, and how the episode was made.

const LISTED = 200;

function spanRow(text, spans, done, count, title) {
  const share = (i) => `${(100 * i) / Math.max(1, count - 1)}%`;
  const bar = h("div", { class: "bar" });
  for (const [first, last] of spans) {
    const piece = h("i", {});
    piece.style.left = share(first);
    piece.style.width = `calc(${share(last - first)} + 2px)`;
    bar.append(piece);
  }
  if (done !== null) {
    const tick = h("b", {});
    tick.style.left = `calc(${share(done)} - 2px)`;
    bar.append(tick);
  }
  return h("li", { class: "span" }, h("span", { class: "text" }, breakable(text), h("span", { class: "quiet" }, ` ${title}`)), bar);
}

class SubtaskList {
  constructor(episode) {
    const { subtasks, steps } = episode.core;
    this.episode = episode;
    this.count = h("p", { class: "quiet" });
    const step = (i) => steps[i];
    const truth = subtasks.true.map(([text, done]) => spanRow(text, [], done, episode.count, `done in step ${step(done)}`));
    const told = subtasks.told.slice(0, LISTED).map(function ([text, spans, done]) {
      const open = spans.length ? `open ${spans.map(([a, b]) => (a === b ? step(a) : `${step(a)}-${step(b)}`)).slice(0, 4).join(", ")}${spans.length > 4 ? ", ..." : ""}` : "";
      return spanRow(text, spans, done, episode.count, [open, done === null ? "" : `believed done in step ${step(done)}`].filter(Boolean).join("; "));
    });
    const more = subtasks.told.length - told.length;
    this.element = h("section", { class: "card" }, h("h2", {}, "Subtasks"), this.count,
      h("h3", {}, "Truly done, by the score"), truth.length ? h("ul", { class: "spans", tabindex: "0", "aria-label": "Subtasks truly done" }, truth) : empty("None."),
      h("h3", {}, "As the planner words them"), told.length ? h("ul", { class: "spans", tabindex: "0", "aria-label": "Subtasks as the planner words them" }, told) : empty("This planner states none."),
      more > 0 ? h("p", { class: "quiet" }, `${more} more wordings are not listed.`) : null);
  }

  show(state) {
    const { subtasks } = this.episode.core;
    const done = subtasks.true.filter(([, moment]) => moment <= state.moment).length;
    this.element.style.setProperty("--now", `${(100 * state.moment) / Math.max(1, this.episode.count - 1)}%`);
    this.count.textContent = `${done} of ${subtasks.total} truly done after this step`;
  }
}

// Scroll a list, and nothing else, so that one of its entries can be seen.
function bringIntoView(list, entry) {
  if (entry === null) return;
  const top = entry.offsetTop - list.offsetTop;
  if (top < list.scrollTop || top + entry.offsetHeight > list.scrollTop + list.clientHeight) list.scrollTop = Math.max(0, top - 40);
}

class MessageList {
  constructor(episode) {
    this.episode = episode;
    this.body = h("ol", { class: "log", tabindex: "0", "aria-label": "Messages" });
    this.element = h("section", { class: "card" }, h("h2", {}, "Messages between agents"), this.body);
  }

  show(state) {
    const { messages, steps } = this.episode.core;
    let until = messages.length;
    while (until > 0 && messages[until - 1][0] > state.moment) until -= 1;
    const shown = messages.slice(Math.max(0, until - 60), until + 10);
    refill(this.body, shown.map(([moment, sender, text]) => h("li", { class: moment === state.moment ? "now" : moment > state.moment ? "later" : "" },
      h("span", { class: "tag" }, `step ${steps[moment]}`), h("b", {}, `${sender}: `), text)));
    bringIntoView(this.body, this.body.querySelector(".now"));
  }
}

class MarkList {
  constructor(episode, go) {
    this.episode = episode;
    this.go = go;
    this.mine = false;
    this.shown = "";
    this.body = h("ol", { class: "log", tabindex: "0", "aria-label": "Marks" });
    this.note = h("p", { class: "quiet" });
    this.element = h("section", { class: "card" }, h("h2", {}, "Marks: what went wrong on the way"),
      h("div", { class: "switch" }, h("label", {}, h("input", { type: "checkbox", on: { change: (e) => { this.mine = e.target.checked; this.show(this.state); } } }), "only the selected agent")),
      this.note, this.body);
  }

  show(state) {
    this.state = state;
    const all = this.episode.core.marks.filter((mark) => !this.mine || mark[1] === state.agent);
    // The marks around this moment, so that a long episode stays readable.
    let near = all.findIndex((mark) => mark[3] >= state.moment);
    if (near < 0) near = all.length;
    const first = Math.max(0, Math.min(near - LISTED / 2, all.length - LISTED));
    const shown = all.slice(first, first + LISTED);
    const key = [this.mine ? state.agent : "", first].join();
    if (key !== this.shown) {
      this.shown = key;
      this.note.textContent = all.length === 0 ? "None found." : `${all.length} found${all.length > shown.length ? `, ${shown.length} around this step are listed` : ""}.`;
      this.items = shown.map((mark, k) => [mark, h("li", {}, h("span", { class: "tag" }, mark[0]),
        h("button", { type: "button", class: "link", "data-key": `mark-${first + k}`, on: { click: () => this.go(mark) } }, mark[4]))]);
      refill(this.body, this.items.map(([, item]) => item));
    }
    for (const [mark, item] of this.items || []) item.classList.toggle("now", mark[2] <= state.moment && state.moment <= mark[3]);
    if (!this.body.contains(document.activeElement)) bringIntoView(this.body, this.body.querySelector(".now"));
  }
}

const METRIC_WORDS = {
  success: "success", transport_rate: "transport rate", coverage: "coverage", balance: "balance", failure_rate: "failure rate", agent_steps: "agent steps",
  runtime_s: "runtime, s", llm_calls: "model calls", prompt_tokens: "prompt tokens", planning_steps: "planning steps", idle_actions: "idle actions",
  safe_actions: "actions added by the coordinator", rejected: "rejected proposals", false_done: "false claims to be done", output_tokens: "output tokens", waiting_s: "waiting for rate limits, s", end: "ended by",
};

function aboutCard(episode) {
  const { metrics, about } = episode.core;
  const rows = Object.entries(METRIC_WORDS).filter(([key]) => key in metrics).map(([key, words]) => {
    const value = metrics[key];
    const text = typeof value === "boolean" ? (value ? "yes" : "no") : typeof value === "number" ? number(value) : String(value || "the trace is torn");
    return [h("dt", {}, words), h("dd", {}, text)];
  });
  const made = about.map(([key, value]) => (key === "settings" ? null : [h("dt", {}, key), h("dd", {}, value)]));
  const settings = about.find(([key]) => key === "settings");
  return h("section", { class: "card" }, h("h2", {}, "Result"), h("dl", { class: "pair" }, rows),
    h("h3", {}, "How it was made"), h("dl", { class: "pair" }, made.filter(Boolean)),
    settings ? h("details", {}, h("summary", {}, "Settings"), h("pre", { tabindex: "0" }, settings[1])) : null);
}
