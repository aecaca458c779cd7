// Putting the page together.

function showBanner(player, parting) {
  const banner = byId("banner");
  banner.hidden = false;
  const parts = [];
  if (parting.why_not.length) parts.push(h("p", { class: "hm" }, `Not the same mission: different ${parting.why_not.join(", ")}.`));
  if (parting.step === null) parts.push(h("p", {}, "Both episodes take the same actions from beginning to end."));
  else {
    const some = parting.differences.slice(0, 3).map(([agent, a, b]) => `${agent}: ${a || "nothing"} (A), ${b || "nothing"} (B)`).join("; ");
    const more = parting.differences.length - 3;
    parts.push(h("p", {}, h("b", {}, `They part in step ${parting.step}. `), some, more > 0 ? ` and ${more} more agents` : ""));
    parts.push(h("button", { type: "button", on: { click: () => {
      const { core } = player.episodes[0];
      const i = player.episodes[0].at("step", parting.step);
      player.agent = parting.differences[0][0];
      player.seekValue(player.clock === "time" ? core.series.t[i] : parting.step);
    } } }, "Go there"));
    if (parting.state !== null && parting.state !== parting.step) parts.push(h("p", { class: "quiet" }, `What is true differs from step ${parting.state} on.`));
  }
  fill(banner, parts);
}

function bindControls(player) {
  const slider = byId("slider");
  const speed = byId("speed");
  const agent = byId("agent");
  fill(speed, SPEEDS.map((s) => h("option", { value: s, selected: s === player.speed }, `${s} steps/s`)));
  fill(agent, player.names().map((name) => h("option", { value: name }, name)));
  const limits = () => { slider.max = String(player.ticks.length - 1); };
  limits();
  byId("play").addEventListener("click", () => player.play());
  byId("back").addEventListener("click", () => player.seek(player.tick - 1));
  byId("ahead").addEventListener("click", () => player.seek(player.tick + 1));
  byId("first").addEventListener("click", () => player.seek(0));
  byId("last").addEventListener("click", () => player.seek(player.ticks.length - 1));
  slider.addEventListener("input", () => player.seek(Number(slider.value)));
  speed.addEventListener("change", () => { player.speed = Number(speed.value); });
  agent.addEventListener("change", () => player.select(agent.value));
  byId("clock-label").hidden = player.episodes.length < 2;
  byId("clock").addEventListener("change", (e) => { player.setClock(e.target.value); limits(); });
  player.onShown = function (moments) {
    slider.value = String(player.tick);
    agent.value = player.agent;
    const words = player.clock === "time" ? `${player.ticks[player.tick].toFixed(1)} s`
      : `step ${player.ticks[player.tick]} of ${player.ticks[player.ticks.length - 1]}`;
    const times = player.clock === "time" ? "" : player.episodes.map((episode, e) => `${episode.core.series.t[moments[e]].toFixed(1)} s`).join(" / ");
    byId("where").textContent = times ? `${words} · ${times}` : words;
    slider.setAttribute("aria-valuetext", byId("where").textContent);
    byId("back").disabled = byId("first").disabled = player.tick === 0;
    byId("ahead").disabled = byId("last").disabled = player.tick === player.ticks.length - 1;
  };
  player.onPlaying = function () {
    const button = byId("play");
    button.textContent = player.playing ? "❚❚ Pause" : "▶ Play";
    button.setAttribute("aria-label", player.playing ? "Pause" : "Play");
  };
  player.onSaid = (text) => { byId("status").textContent = text; };
  player.onProblem = problem;
}

function bindKeys(player) {
  const faster = (by) => {
    const k = Math.max(0, Math.min(SPEEDS.length - 1, SPEEDS.indexOf(player.speed) + by));
    player.speed = SPEEDS[k];
    byId("speed").value = String(SPEEDS[k]);
  };
  const zoom = (factor) => player.views.forEach((view) => view.map.zoomBy(factor));
  const keys = {
    " ": () => player.play(), ArrowRight: (far) => player.seek(player.tick + far), ArrowLeft: (far) => player.seek(player.tick - far),
    Home: () => player.seek(0), End: () => player.seek(player.ticks.length - 1),
    ",": () => faster(-1), ".": () => faster(1), j: () => player.selectBy(1), k: () => player.selectBy(-1),
    n: () => player.nextMark(1), p: () => player.nextMark(-1), "+": () => zoom(1.5), "-": () => zoom(1 / 1.5), 0: () => player.views.forEach((view) => view.map.fit()),
  };
  document.addEventListener("keydown", function (event) {
    const on = event.target;
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    const writes = on instanceof HTMLSelectElement || (on instanceof HTMLInputElement && on.type !== "range" && on.type !== "checkbox");
    if (writes) return;
    const presses = on instanceof HTMLButtonElement || on instanceof HTMLInputElement || (on instanceof HTMLElement && on.tagName === "SUMMARY");
    if (event.key === " " && presses && on.id !== "slider") return;
    const act = keys[event.key];
    if (act === undefined) return;
    event.preventDefault();
    act(event.shiftKey ? 10 : 1);
  });
}

const THEMES = ["system", "light", "dark"];

function bindTools(player) {
  const help = byId("help-button");
  help.addEventListener("click", () => {
    byId("help").hidden = !byId("help").hidden;
    help.setAttribute("aria-expanded", String(!byId("help").hidden));
  });
  let theme = 0;
  const repaint = () => {
    forgetColours();
    for (const view of player.views) view.recolour();
    player.redraw();
  };
  byId("theme-button").addEventListener("click", () => {
    theme = (theme + 1) % THEMES.length;
    if (theme === 0) delete document.documentElement.dataset.theme;
    else document.documentElement.dataset.theme = THEMES[theme];
    byId("theme-button").textContent = `Theme: ${THEMES[theme]}`;
    repaint();
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", repaint);
  let waiting = 0;
  window.addEventListener("resize", () => {
    clearTimeout(waiting);
    waiting = setTimeout(() => player.redraw(), 80);
  });
}

function problem(error) {
  const box = byId("problem");
  box.hidden = false;
  box.textContent = `This page cannot show the episode: ${error && error.message ? error.message : error}`;
}

const SHORT_MISSION = 260;

function showMission(text) {
  if (text.length <= SHORT_MISSION) byId("mission").textContent = text;
  else fill(byId("mission"), h("details", {}, h("summary", {}, `${text.slice(0, SHORT_MISSION).trimEnd()}…`), text));
}

async function begin() {
  if (typeof DecompressionStream === "undefined") throw new Error("the browser is too old; it needs DecompressionStream (Chrome 80, Firefox 113, Safari 16.4)");
  const about = await unpack("about");
  const cores = await Promise.all(Array.from({ length: about.episodes }, (_, e) => unpack(`e${e}-core`)));
  const episodes = cores.map((core, e) => new Episode(e, core));
  const player = new Player(episodes);
  const two = episodes.length > 1;
  byId("title").textContent = two ? `${cores[0].title} (A) beside ${cores[1].title} (B)` : cores[0].title;
  showMission(cores[0].mission);
  document.title = byId("title").textContent;
  for (const id of ["stage", "lists"]) byId(id).classList.add(two ? "two" : "one");
  bindControls(player);
  player.views = episodes.map((episode, e) => new EpisodeView(episode, two ? "AB"[e] : "", player));
  fill(byId("stage"), player.views.map((view) => view.element));
  fill(byId("lists"), player.views.map((view) => view.lists));
  const specs = cores.map(chartsOf);
  byId("figures-key").textContent = two ? "Totals of both episodes: A solid, B dashed." : "Up to the step shown; click a chart to go to a step.";
  const names = [...new Set(specs.flatMap((list) => list.map((spec) => spec.name)))];
  player.charts = names.map((name) => new Chart(specs.map((list) => list.find((spec) => spec.name === name)), episodes, (part) => player.seekPart(0, part)));
  fill(byId("figures"), player.charts.map((chart) => chart.element));
  if (about.parting !== null) showBanner(player, about.parting);
  bindKeys(player);
  bindTools(player);
  await player.redraw();
  document.documentElement.dataset.ready = "yes";
}

begin().catch(problem);
