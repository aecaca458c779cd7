// Signs on the map and in its legend, drawn around (x, y) with half-width r.

function traceSymbol(c, symbol, x, y, r) {
  c.beginPath();
  if (symbol === "circle" || symbol === "dot" || symbol === "ring") c.arc(x, y, r, 0, 7);
  else if (symbol === "diamond") {
    c.moveTo(x, y - r); c.lineTo(x + r, y); c.lineTo(x, y + r); c.lineTo(x - r, y); c.closePath();
  } else if (symbol === "cross") {
    c.moveTo(x - r, y - r); c.lineTo(x + r, y + r); c.moveTo(x - r, y + r); c.lineTo(x + r, y - r);
  } else if (symbol === "person") {
    c.arc(x, y - r * 0.45, r * 0.42, 0, 7);
    c.moveTo(x + r * 0.8, y + r);
    c.arc(x, y + r, r * 0.8, 0, Math.PI, true);
    c.closePath();
  } else c.rect(x - r, y - r, 2 * r, 2 * r);
}

function drawSymbol(c, symbol, tone, letter, x, y, r, faint) {
  traceSymbol(c, symbol, x, y, r);
  c.lineWidth = Math.max(1, r / 5);
  c.strokeStyle = colour(tone);
  c.setLineDash(faint ? [Math.max(2, r / 3), Math.max(2, r / 3)] : []);
  if (!faint && symbol !== "ring" && symbol !== "cross") {
    c.fillStyle = colour(tone);
    c.fill();
  }
  c.stroke();
  c.setLineDash([]);
  if (letter && r >= 5) {
    c.fillStyle = faint ? colour(tone) : colour("halo");
    c.font = `700 ${Math.round(r * 1.25)}px system-ui, sans-serif`;
    c.textAlign = "center";
    c.textBaseline = "middle";
    c.fillText(letter, x, y + r * 0.08);
  }
}

// A cell of an area: the level is told by colour and by that many dots.
function drawCell(c, tone, level, x, y, size) {
  c.fillStyle = colour(`${tone}-${level}`);
  c.fillRect(x, y, size + 0.4, size + 0.4);
  if (level < 1 || size < 9) return;
  c.fillStyle = level === 1 ? colour("ink") : colour("halo");
  const gap = size / 4;
  for (let k = 0; k < level; k += 1) {
    c.beginPath();
    c.arc(x + size / 2 + (k - (level - 1) / 2) * gap, y + size * 0.74, Math.max(1, size * 0.07), 0, 7);
    c.fill();
  }
}

function writeLabel(c, text, x, y, size, bold) {
  c.font = `${bold ? 700 : 500} ${size}px system-ui, sans-serif`;
  c.textBaseline = "middle";
  c.lineWidth = 3;
  c.lineJoin = "round";
  c.strokeStyle = colour("halo");
  c.strokeText(text, x, y);
  c.fillStyle = colour("ink");
  c.fillText(text, x, y);
}

function arrowHead(c, from, to, size) {
  const angle = Math.atan2(to[1] - from[1], to[0] - from[0]);
  c.beginPath();
  c.moveTo(to[0], to[1]);
  c.lineTo(to[0] - size * Math.cos(angle - 0.5), to[1] - size * Math.sin(angle - 0.5));
  c.lineTo(to[0] - size * Math.cos(angle + 0.5), to[1] - size * Math.sin(angle + 0.5));
  c.closePath();
  c.fill();
}

// The same signs as small pictures for the legend.
function symbolShape(symbol, tone, x, y, r) {
  const paint = { fill: `var(--${tone})`, stroke: `var(--${tone})` };
  if (symbol === "circle" || symbol === "dot") return shape("circle", { cx: x, cy: y, r }, paint);
  if (symbol === "ring") return shape("circle", { cx: x, cy: y, r, "stroke-width": 2 }, { ...paint, fill: "none" });
  if (symbol === "diamond") return shape("path", { d: `M${x} ${y - r}L${x + r} ${y}L${x} ${y + r}L${x - r} ${y}Z` }, paint);
  if (symbol === "person") {
    return shape("g", {}, paint, shape("circle", { cx: x, cy: y - r * 0.45, r: r * 0.42 }),
      shape("path", { d: `M${x - r * 0.8} ${y + r}a${r * 0.8} ${r * 0.8} 0 0 1 ${r * 1.6} 0Z` }));
  }
  return shape("rect", { x: x - r, y: y - r, width: 2 * r, height: 2 * r }, paint);
}

function legendSign([symbol, tone, text, letter, level]) {
  const parts = [];
  if (symbol === "box" && level > 0) {
    parts.push(shape("rect", { x: 1, y: 1, width: 18, height: 18 }, { fill: `var(--${tone}-${level})` }));
    for (let k = 0; k < level; k += 1) {
      parts.push(shape("circle", { cx: 10 + (k - (level - 1) / 2) * 5, cy: 13.5, r: 1.5 }, { fill: level === 1 ? "var(--ink)" : "var(--halo)" }));
    }
  } else {
    parts.push(symbolShape(symbol, tone, 10, 10, 8));
    if (letter) parts.push(shape("text", { x: 10, y: 14, "text-anchor": "middle", "font-size": 11, "font-weight": 700 }, { fill: "var(--halo)" }, letter));
  }
  return h("li", {}, picture(20, 20, parts), text);
}
