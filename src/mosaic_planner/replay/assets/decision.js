// The decision of the selected agent in the selected step: what it did, why, and what else it could.

const VERDICTS = {
  chosen: "✓ chosen", ineligible: "✗ cannot work", excluded: "✗ excluded", costlier: "costs more", merged: "same as a better one", "": "proposed",
};

function lines(detail, numbers) { return numbers.map((n) => detail.texts[n]); }

function outcomeLine(detail, agent) {
  const row = detail.out[agent];
  if (row === undefined) return h("p", { class: "empty" }, "Nothing was carried out in this step.");
  const [action, code, words, steps, effects] = row;
  const [sign, result, tone] = RESULTS[code];
  const why = detail.texts[words];
  const parts = [`${steps} primitive step${steps === 1 ? "" : "s"}`, ...lines(detail, effects)];
  return h("div", {},
    h("p", { class: "act" }, h("span", { class: "did mono" }, breakable(detail.texts[action])),
      h("span", { class: tone }, `${sign} ${result}${why ? `: ${why}` : ""}`)),
    h("p", { class: "quiet" }, parts.join("; ")));
}

function signed(value, plain) { return plain || value < 0 ? number(value, 2) : `+${number(value, 2)}`; }

function candidateTable(detail, agent) {
  const rows = detail.cand[agent] || [];
  if (rows.length === 0) return empty("No candidate of this agent could be read from the answer.");
  const terms = [...new Set(rows.flatMap((row) => Object.keys(row[4])))];
  const costed = rows.some((row) => row[3] !== null);
  const titles = [["rank", "num"], ["action"], ["verdict in plain words"], ...(costed ? [["cost", "num"], ...terms.map((t) => [t, "num"])] : [])];
  const body = rows.map(function ([action, rank, source, cost, costs, verdict, detailText, clash]) {
    const won = verdict === "chosen";
    const words = detail.texts[detailText];
    const cells = [
      h("td", { class: "num" }, source === "safe" ? "safe" : String(rank + 1)),
      h("td", { class: "mono" }, breakable(detail.texts[action])),
      h("td", { class: "plain" }, h("b", {}, VERDICTS[verdict] === undefined ? verdict : VERDICTS[verdict]), clash ? h("span", { class: "quiet" }, ` (${clash})`) : null,
        words ? `: ${words}` : ""),
      costed ? h("td", { class: "num" }, cost === null ? "-" : signed(cost, won)) : null,
      ...(costed ? terms.map((t) => h("td", { class: "num" }, t in costs ? signed(costs[t], won) : "-")) : []),
    ];
    return h("tr", { class: won ? "chosen" : "" }, cells);
  });
  return [table(titles, body, `Candidates of ${agent}`),
    costed ? h("p", { class: "quiet" }, "Costs of the chosen action are its own; of the others, what they would add.") : null];
}

const SAID = { reason: "Reason", subtask: "Subtask", memory: "Memory", failure_reason: "Why it failed" };

function saidBlock(detail, agent) {
  const parts = Object.entries(SAID).filter(([key]) => detail.said[key] !== undefined)
    .map(([key, title]) => [h("dt", {}, title), h("dd", {}, lines(detail, detail.said[key]).join("\n"))]);
  const rejected = (detail.said.rejections || []).map((row) => lines(detail, row)).filter(([who]) => who === agent || who === "");
  if (parts.length === 0 && rejected.length === 0) return null;
  return h("div", {}, h("h3", {}, "What the model said"), parts.length ? h("dl", { class: "pair" }, parts) : null,
    rejected.map(([who, text, reason]) => h("p", { class: "hm" }, `Not understood: “${text}”: ${reason}`)));
}

function seenLine(detail, agent) {
  const own = lines(detail, detail.sees[agent] || []);
  const all = lines(detail, detail.all);
  return h("details", { "data-key": "seen" },
    h("summary", {}, `Sees ${own.length + all.length} things${own.length ? `, among them ${own.slice(0, 6).join(", ")}${own.length > 6 ? ", ..." : ""}` : ""}`),
    own.length > 6 ? h("p", {}, own.join(", ")) : null,
    h("p", { class: "quiet" }, all.length ? `Everybody sees: ${all.join(", ")}` : "Nothing is seen by everybody."),
    h("pre", { tabindex: "0" }, lines(detail, detail.text[agent] || []).join("\n")));
}

function decisionPanel(episode, state) {
  const { detail, agent, frame } = state;
  const body = frame.agents.get(agent);
  const step = episode.core.steps[state.moment];
  const head = h("p", { class: "act" }, disc(episode, agent), h("b", {}, agent),
    h("span", { class: "quiet" }, `at ${position(episode, body)}, holds ${body === undefined ? "-" : held(episode, body[3])}`));
  if (detail === null) return [head, empty("This page was made without details.")];
  if (step === 0 || state.moment === 0) return [head, empty("The start: nobody has decided anything yet."), seenLine(detail, agent)];
  const why = lines(detail, detail.why[agent] || []);
  return [
    head, h("h3", {}, `What happened in step ${step}`), outcomeLine(detail, agent), seenLine(detail, agent),
    h("h3", {}, "Why this action"), why.length ? h("ul", { class: "words" }, why.map((line) => h("li", {}, line.trim()))) : empty("No coordinator's decision is in the trace."),
    h("h3", {}, "Candidates"), candidateTable(detail, agent), saidBlock(detail, agent),
    detail.notes.length ? h("div", {}, h("h3", {}, "Notes"), detail.notes.map((note) => h("p", { class: "hm" }, lines(detail, note).join("\n")))) : null,
  ];
}
