// Building the page. Text enters it as text nodes and attribute values only.

function h(tag, attributes, ...children) {
  const element = document.createElement(tag);
  for (const [key, value] of Object.entries(attributes || {})) {
    if (value === null || value === undefined || value === false) continue;
    if (key === "class") element.className = value;
    else if (key === "on") for (const [name, call] of Object.entries(value)) element.addEventListener(name, call);
    else element.setAttribute(key, value === true ? "" : String(value));
  }
  element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined && child !== ""));
  return element;
}

// An element of a picture; `paint` are style properties, so that colours follow the theme.
function shape(tag, attributes, paint, ...children) {
  const element = document.createElementNS("http://www.w3.org/2000/svg", tag);
  for (const [key, value] of Object.entries(attributes || {})) element.setAttribute(key, String(value));
  Object.assign(element.style, paint || {});
  element.append(...children.flat(Infinity));
  return element;
}

function picture(width, height, ...children) {
  return shape("svg", { width, height, viewBox: `0 0 ${width} ${height}`, "aria-hidden": "true", focusable: "false" }, {}, children);
}

function byId(id) { return document.getElementById(id); }

function fill(element, ...children) {
  element.replaceChildren(...children.flat(Infinity).filter((child) => child !== null && child !== ""));
}

// Redraw with the reader's place kept: scroll position, open folds and focus stay where they were.
function refill(element, ...children) {
  const open = new Set();
  for (const fold of element.querySelectorAll("details[data-key]")) if (fold.open) open.add(fold.dataset.key);
  const held = element.contains(document.activeElement) ? document.activeElement.dataset.key : undefined;
  const top = element.scrollTop;
  fill(element, ...children);
  for (const fold of element.querySelectorAll("details[data-key]")) if (open.has(fold.dataset.key)) fold.open = true;
  element.scrollTop = top;
  if (held) {
    const again = element.querySelector(`[data-key="${CSS.escape(held)}"]`);
    if (again) again.focus({ preventScroll: true });
  }
}

// A name or an action that may be broken between its words: LostPerson|Timmy, Fire_|Region_|1.
function breakable(text) {
  return String(text).split(/(?<=[a-z])(?=[A-Z])|(?<=[_(,|:])/).flatMap((part, k) => (k ? [document.createElement("wbr"), part] : [part]));
}

function empty(text) { return h("p", { class: "empty" }, text); }

function number(value, digits) {
  if (value === null || value === undefined) return "-";
  if (digits !== undefined) return value.toFixed(digits);
  if (!Number.isInteger(value)) return String(Math.round(value * 1000) / 1000);
  const text = String(value);
  return Math.abs(value) < 1000 ? text : text.replace(/\B(?=(\d{3})+$)/g, ",");
}

function figure(name, value) {
  if (name === "runtime_s") return `${value.toFixed(1)} s`;
  return name in SHARES_OF_ONE ? value.toFixed(2) : number(Math.round(value));
}

const SHARES_OF_ONE = { transport_rate: 1, coverage: 1, balance: 1, failure_rate: 1 };

const RESULTS = {
  s: ["✓", "succeeded", "ok"],
  f: ["✗", "failed", "no"],
  i: ["–", "idle", "quiet"],
  p: ["✓", "counted as success with the others", "hm"],
  e: ["■", "says it is done", "hm"],
  ".": ["", "", ""],
};

// A canvas of a given height in CSS pixels, sharp on every screen; returns its drawing context.
function sized(canvas, width, height) {
  const dense = window.devicePixelRatio || 1;
  const w = Math.max(1, Math.round(width * dense));
  const k = Math.max(1, Math.round(height * dense));
  if (canvas.width !== w || canvas.height !== k) {
    canvas.width = w;
    canvas.height = k;
  }
  canvas.style.height = `${height}px`;
  const context = canvas.getContext("2d");
  context.setTransform(dense, 0, 0, dense, 0, 0);
  context.clearRect(0, 0, width, height);
  return context;
}

function table(titles, rows, name) {
  const head = titles.map(([text, kind]) => h("th", { class: kind || "", scope: "col" }, text));
  return h("div", { class: "scroll", tabindex: "0", role: "region", "aria-label": name },
    h("table", {}, h("thead", {}, h("tr", {}, head)), h("tbody", {}, rows)));
}
