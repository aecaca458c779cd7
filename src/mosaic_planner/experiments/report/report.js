"use strict";
(() => {
  const read = (id) => JSON.parse(document.getElementById(id).textContent);
  const NS = "http://www.w3.org/2000/svg";
  const make = (parent, tag, attributes, text) => {
    const node = document.createElementNS(NS, tag);
    for (const [key, value] of Object.entries(attributes)) node.setAttribute(key, value);
    if (text !== undefined) node.textContent = text;
    parent.append(node);
    return node;
  };
  const element = (parent, tag, properties) => {
    const node = Object.assign(document.createElement(tag), properties);
    parent.append(node);
    return node;
  };
  const W = 460, H = 300, LEFT = 56, RIGHT = 12, TOP = 10, BOTTOM = 58;
  const nice = (span) => {
    const raw = span / 5, power = 10 ** Math.floor(Math.log10(raw)), unit = raw / power;
    return power * (unit <= 1 ? 1 : unit <= 2 ? 2 : unit <= 5 ? 5 : 10);
  };
  const short = (value) => String(+value.toPrecision(6));

  function drawPanel(holder, panel, hidden) {
    holder.replaceChildren();
    element(holder, "h4", { textContent: panel.title });
    const svg = make(holder, "svg", { viewBox: `0 0 ${W} ${H}`, role: "img", "aria-label": panel.title });
    const tip = element(holder, "div", { className: "tip" });
    const seen = panel.series.filter((s) => !hidden.has(s.label));
    const labels = [];
    for (const s of panel.series) for (const x of s.x) if (!labels.includes(x)) labels.push(x);
    const numeric = panel.kind === "line" && labels.every((x) => typeof x === "number");
    const at = (x) => (numeric ? x : labels.indexOf(x));
    const xs = labels.map(at);
    let x0 = Math.min(...xs), x1 = Math.max(...xs);
    if (!numeric) { x0 -= 0.5; x1 += 0.5; } else if (x0 === x1) { x0 -= 1; x1 += 1; }
    let [y0, y1] = panel.limits || [0, 0];
    if (!panel.limits) {
      const values = seen.flatMap((s) => s.y.filter((y) => y !== null));
      y0 = Math.min(0, ...values);
      y1 = Math.max(...values, 1e-9);
      const tops = seen.flatMap((s) => s.high.filter((y) => y !== null));
      y1 = Math.max(y1 * 1.05, Math.min(1.7 * y1, Math.max(0, ...tops)));
    }
    if (!(y1 > y0)) y1 = y0 + 1;
    const px = (x) => LEFT + ((at(x) - x0) / (x1 - x0)) * (W - LEFT - RIGHT);
    const py = (y) => H - BOTTOM - ((Math.max(y0, Math.min(y1, y)) - y0) / (y1 - y0)) * (H - TOP - BOTTOM);
    const step = nice(y1 - y0);
    for (let y = Math.ceil(y0 / step) * step; y <= y1 + step * 1e-6; y += step) {
      make(svg, "line", { class: "grid", x1: LEFT, x2: W - RIGHT, y1: py(y), y2: py(y) });
      make(svg, "text", { x: LEFT - 6, y: py(y) + 4, "text-anchor": "end" }, short(y));
    }
    let ticks = labels;
    if (numeric && labels.length > 10) {
      const every = nice(x1 - x0);
      ticks = [];
      for (let x = Math.ceil(x0 / every) * every; x <= x1; x += every) ticks.push(x);
    }
    for (const x of ticks) {
      const words = String(x).split(/(?<=[: -])/);
      const rows = words.length > 1 && String(x).length > 12 ? [words.slice(0, -1).join(""), words.at(-1)] : [String(x)];
      rows.forEach((row, i) => make(svg, "text", { x: numeric ? px(x) : px(x), y: H - BOTTOM + 16 + 13 * i, "text-anchor": "middle" }, row));
    }
    make(svg, "line", { class: "axis", x1: LEFT, x2: W - RIGHT, y1: py(y0), y2: py(y0) });
    make(svg, "text", { x: (LEFT + W - RIGHT) / 2, y: H - 8, "text-anchor": "middle" }, panel.x);
    make(svg, "text", { transform: `translate(14 ${(TOP + H - BOTTOM) / 2}) rotate(-90)`, "text-anchor": "middle" }, panel.y);
    const show = (event, s, i) => {
      const range = s.low[i] != null ? `  [${short(s.low[i])}, ${short(s.high[i])}]` : "";
      tip.textContent = `${s.label} at ${s.x[i]}: ${short(s.y[i])}${range}`;
      tip.style.display = "block";
      const box = holder.getBoundingClientRect();
      const left = Math.min(event.clientX - box.left + 12, box.width - tip.offsetWidth);
      tip.style.left = `${Math.max(0, left)}px`;
      tip.style.top = `${event.clientY - box.top + 14}px`;
    };
    const bars = seen.filter((s) => !s.paper);
    const width = ((W - LEFT - RIGHT) / (x1 - x0)) * 0.8 / Math.max(1, bars.length);
    seen.forEach((s) => {
      const points = s.x.map((x, i) => [x, s.y[i], i]).filter(([, y]) => y !== null);
      const own = bars.findIndex((b) => b.label === s.label.replace(/ \(paper\)$/, ""));
      const shift = panel.kind === "bar" ? (own - (bars.length - 1) / 2) * width : 0;
      if (panel.kind === "line" && points.length > 1) {
        const path = points.map(([x, y], i) => `${i ? "L" : "M"}${px(x).toFixed(1)} ${py(y).toFixed(1)}`).join("");
        make(svg, "path", { d: path, fill: "none", stroke: s.colour, "stroke-width": s.paper ? 1.3 : 2, "stroke-dasharray": s.paper ? "2 3" : s.dash ? "6 3" : "" });
      }
      for (const [x, y, i] of points) {
        if (s.low[i] != null && points.length <= 12) make(svg, "line", { x1: px(x) + shift, x2: px(x) + shift, y1: py(s.low[i]), y2: py(s.high[i]), stroke: panel.kind === "bar" ? "currentColor" : s.colour, "stroke-opacity": 0.6 });
        let mark;
        if (panel.kind === "bar" && !s.paper) mark = make(svg, "rect", { x: px(x) + shift - width * 0.46, y: py(y), width: width * 0.92, height: Math.max(1, py(y0) - py(y)), fill: s.colour, "fill-opacity": 0.85 });
        else mark = make(svg, "circle", { cx: px(x) + shift, cy: py(y), r: points.length > 12 ? 5 : 4, fill: s.paper ? "none" : s.colour, stroke: s.colour, opacity: points.length > 12 ? 0 : 1, "pointer-events": "all" });
        mark.addEventListener("mousemove", (event) => show(event, s, i));
        mark.addEventListener("mouseleave", () => { tip.style.display = "none"; });
      }
    });
  }

  for (const chart of read("chart-data")) {
    const box = element(document.getElementById("charts"), "section", { className: "chart" });
    element(box, "h3", { textContent: chart.title });
    const row = element(box, "div", { className: "panels" });
    const hidden = new Set();
    const holders = chart.panels.map((panel) => [element(row, "div", { className: "panel" }), panel]);
    const draw = () => holders.forEach(([holder, panel]) => drawPanel(holder, panel, hidden));
    const legend = element(box, "div", { className: "legend" });
    const names = new Map();
    for (const panel of chart.panels) for (const s of panel.series) if (!names.has(s.label)) names.set(s.label, s);
    for (const [label, s] of names) {
      const button = element(legend, "button", { type: "button" });
      button.setAttribute("aria-pressed", "true");
      const key = make(button, "svg", { width: 22, height: 10, "aria-hidden": "true" });
      make(key, "line", { x1: 0, x2: 22, y1: 5, y2: 5, stroke: s.colour, "stroke-width": 3, "stroke-dasharray": s.paper ? "2 3" : s.dash ? "6 3" : "" });
      button.append(label);
      button.addEventListener("click", () => {
        if (!hidden.delete(label)) hidden.add(label);
        button.setAttribute("aria-pressed", String(!hidden.has(label)));
        draw();
      });
    }
    const notes = element(box, "div", { className: "notes" });
    for (const note of chart.notes) element(notes, "p", { textContent: note });
    draw();
  }

  const rows = read("episode-data");
  const heads = ["Row", "At", "World", "Task", "Seed", "Success", "Transport", "Failure", "Steps", "Runtime, s", "Calls", "Ended by", "Episode"];
  const body = document.querySelector("#list tbody");
  const head = element(document.querySelector("#list thead"), "tr", {});
  let order = null;
  const fill = () => {
    const words = document.getElementById("filter").value.toLowerCase().split(/\s+/).filter(Boolean);
    const failed = document.getElementById("failed").checked;
    let found = rows.filter((r) => !(failed && r[5]) && words.every((w) => r.slice(0, 12).join(" ").toLowerCase().includes(w)));
    if (order) found = [...found].sort((a, b) => { const [i, sign] = order; return (a[i] > b[i] ? 1 : a[i] < b[i] ? -1 : 0) * sign; });
    document.getElementById("count").textContent = `${found.length} of ${rows.length}` + (found.length > 500 ? ", first 500 shown" : "");
    body.replaceChildren();
    for (const r of found.slice(0, 500)) {
      const line = element(body, "tr", {});
      r.slice(0, 12).forEach((value, i) => element(line, "td", { textContent: i === 5 ? (value ? "yes" : "no") : value }));
      const cell = element(line, "td", {});
      if (r[13]) { element(cell, "a", { href: r[13], textContent: "replay" }); cell.append(" "); }
      element(cell, "a", { href: r[12], textContent: "trace", title: `mosaic show ${decodeURIComponent(r[12])}` });
    }
  };
  heads.forEach((name, i) => {
    const cell = element(head, "th", {});
    cell.scope = "col";
    const button = element(cell, "button", { type: "button", textContent: name });
    button.addEventListener("click", () => { order = i > 11 ? null : [i, order && order[0] === i ? -order[1] : 1]; fill(); });
  });
  document.getElementById("filter").addEventListener("input", fill);
  document.getElementById("failed").addEventListener("change", fill);
  fill();
})();
