// What the model was asked and answered in this step; prompts are folded.

function callHead(call) {
  const usage = call.usage;
  const cached = usage.cached_tokens ? ` (${number(usage.cached_tokens)} cached)` : "";
  const who = call.agent ? ` for ${call.agent}` : "";
  return `${call.module}${who}: ${call.latency_s.toFixed(2)} s, ${number(usage.input_tokens)}${cached} tokens in, ${number(usage.output_tokens)} out`;
}

function callBlock(episode, detail, call, key) {
  const prompt = call.messages.map(function ([role, textId, numbers, images]) {
    const text = textId ? episode.core.texts[textId] || "" : lines(detail, numbers).join("\n");
    const title = `${role}${textId ? ", the same in every call" : ""}${images ? `, with ${images} images` : ""}`;
    return h("details", { "data-key": `${key}-${role}` }, h("summary", {}, `${title}: ${number(text.length)} characters`),
      h("pre", { tabindex: "0" }, text));
  });
  const facts = [`counted prompt: ${number(call.prompt_tokens)} tokens`, `attempts: ${call.attempts}`];
  const cost = detail.texts[call.cost];
  if (Number(cost) > 0) facts.push(`cost: ${cost} USD`);
  const failure = detail.texts[call.failure];
  return h("div", { class: "call" },
    h("p", {}, h("b", {}, callHead(call))),
    failure ? h("p", { class: "no" }, `✗ ${failure}: ${lines(detail, call.detail).join("\n")}`) : null,
    h("p", { class: "quiet" }, facts.join("; ")),
    h("details", { "data-key": key }, h("summary", {}, "Prompt"), prompt),
    h("h3", {}, "Answer"), h("pre", { tabindex: "0" }, lines(detail, call.reply).join("\n") || "(empty)"));
}

function callsPanel(episode, state) {
  const { detail, agent } = state;
  if (detail === null) return [empty("This page was made without details.")];
  const mine = detail.calls.filter((call) => !call.agent || call.agent === agent);
  const others = detail.calls.length - mine.length;
  const note = others ? h("p", { class: "quiet" }, `${others} more calls were made for other agents; select one to see them.`) : null;
  if (mine.length === 0) return [empty("No model call was made in this step."), note];
  return [mine.map((call, k) => callBlock(episode, detail, call, `call-${k}`)), note];
}
