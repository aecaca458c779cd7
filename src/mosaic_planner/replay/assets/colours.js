// Colours of the theme in use, read from the style sheet; never the only sign of a difference.

const AGENT_COLOURS = 7;
let palette = null;

function colour(name) {
  if (palette === null) palette = { style: getComputedStyle(document.documentElement), known: new Map() };
  let value = palette.known.get(name);
  if (value === undefined) {
    value = palette.style.getPropertyValue(`--${name}`).trim() || "#888";
    palette.known.set(name, value);
  }
  return value;
}

function forgetColours() { palette = null; }

function agentColour(i) { return colour(`a${i % AGENT_COLOURS}`); }

// Letters that tell agents apart: the initial, or the number where initials are used up.
function initials(names) {
  const used = new Map();
  for (const name of names) used.set(name.slice(0, 1), (used.get(name.slice(0, 1)) || 0) + 1);
  return names.map(function (name, i) {
    const first = Array.from(name)[0] || "?";
    return used.get(name.slice(0, 1)) === 1 ? first.toUpperCase() : String(i + 1);
  });
}

// Ink that can be read on an agent's disc: its colours are dark in the light theme and light in
// the dark one.
function onDisc() { return colour("card"); }
