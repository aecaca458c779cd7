// Drawing on the map: a background that is drawn once, and what moves, drawn for every picture.

const TRAIL = 15;
const TRAIL_IN_CROWD = 3;
const OWN_TRAIL = 150;

// Needs of its heir: width, height, scale (pixels per world unit), centre, r (an agent's radius),
// unit (a move in pixels), backdrop (a canvas) and hits (what the pointer can find).
class MapPainter {
  constructor(episode) {
    this.episode = episode;
    this.labels = initials(episode.core.agents);
    this.backdrop = document.createElement("canvas");
    this.hits = [];
  }

  px(x) { return this.width / 2 + (x - this.centre[0]) * this.scale; }

  py(z) { return this.height / 2 - (z - this.centre[1]) * this.scale; }

  drawBackdrop() {
    const c = sized(this.backdrop, this.width, this.height);
    const { bounds, grid, areas } = this.episode.core.scene;
    c.fillStyle = colour("bg");
    c.fillRect(0, 0, this.width, this.height);
    c.fillStyle = colour("map");
    c.fillRect(this.px(bounds[0]), this.py(bounds[3]), (bounds[2] - bounds[0]) * this.scale, (bounds[3] - bounds[1]) * this.scale);
    for (const area of areas) if (area.words.length === 1) this.floor(c, area);
    if (grid > 0 && grid * this.scale >= 4) {
      c.strokeStyle = colour("grid");
      c.lineWidth = 1;
      c.beginPath();
      for (let x = bounds[0]; x <= bounds[2] + 1e-9; x += grid) { c.moveTo(this.px(x), this.py(bounds[1])); c.lineTo(this.px(x), this.py(bounds[3])); }
      for (let z = bounds[1]; z <= bounds[3] + 1e-9; z += grid) { c.moveTo(this.px(bounds[0]), this.py(z)); c.lineTo(this.px(bounds[2]), this.py(z)); }
      c.stroke();
    }
    for (const area of areas) {
      if (area.words.length === 1) continue;
      const size = area.size * this.scale;
      for (const [x, z] of area.cells) drawCell(c, area.tone, 0, this.px(x) - size / 2, this.py(z) - size / 2, size);
    }
  }

  floor(c, area) {
    const size = area.size * this.scale;
    c.fillStyle = colour(area.tone);
    for (const [x, z] of area.cells) c.fillRect(this.px(x) - size / 2, this.py(z) - size / 2, size + 0.5, size + 0.5);
  }

  drawLevels(c, frame) {
    for (const area of this.episode.core.scene.areas) {
      const levels = frame.levels.get(area.name);
      if (levels === undefined) continue;
      const size = area.size * this.scale;
      area.cells.forEach(([x, z], k) => {
        const level = levels.charCodeAt(k) - 48;
        if (level > 0) drawCell(c, area.tone, Math.min(3, level), this.px(x) - size / 2, this.py(z) - size / 2, size);
      });
    }
  }

  body(state, name) {
    const now = state.frame.agents.get(name);
    if (now === undefined) return null;
    const was = state.before === null ? undefined : state.before.agents.get(name);
    const part = was === undefined ? 1 : state.part;
    const mix = (k) => (part >= 1 ? now[k] : was[k] + (now[k] - was[k]) * part);
    return { x: this.px(mix(0)), y: this.py(mix(1)), heading: now[2], held: now[3] };
  }

  spot(state, name, place) {
    const carrier = place[2] ? this.body(state, place[2]) : null;
    if (carrier !== null) return [carrier.x + this.r * 0.9, carrier.y - this.r * 0.9];
    return [this.px(place[0]), this.py(place[1])];
  }

  drawPlaces(c, state) {
    for (const [name, place] of state.frame.places) {
      const prop = this.episode.props.get(name) || { symbol: "diamond", tone: "plain", letter: "", kind: "" };
      if (place[3] & 1) continue;
      const [x, y] = this.spot(state, name, place);
      const r = this.symbolSize(prop) * (place[2] ? 0.75 : 1);
      if (prop.symbol === "box") this.drawBox(c, prop, place, x, y);
      else if (prop.symbol === "dot") { if (!(place[3] & 2)) drawSymbol(c, "circle", "plain", "", x, y, r, false); }
      else if (prop.symbol) drawSymbol(c, prop.symbol, prop.tone, prop.letter, x, y, r, (place[3] & 2) > 0);
      if (prop.symbol || prop.kind === "") this.hits.push({ x, y, r: Math.max(r, 5), text: () => this.placeWords(name, prop, place) });
    }
  }

  symbolSize(prop) {
    if (prop.symbol === "dot") return Math.max(1.5, this.r * 0.24);
    return prop.w > 0 ? Math.max(3, (prop.w * this.scale) / 2) : this.r * 0.92;
  }

  placeWords(name, prop, place) {
    const states = place[4].map(([key, value]) => `${key} ${value}`).join(", ");
    return [`${name}${prop.kind ? ` (${prop.kind})` : ""} at ${position(this.episode, [place[0], place[1], null])}`,
      states, place[2] ? `held by ${place[2]}` : ""].filter(Boolean).join("\n");
  }

  agentWords(name, body, act) {
    return [`${name} at ${position(this.episode, body)}`, body[3].length ? `holds ${held(this.episode, body[3])}` : "",
      act && act.action ? `${act.action}: ${RESULTS[act.code][1]}` : ""].filter(Boolean).join("\n");
  }

  drawBox(c, prop, place, x, y) {
    const w = Math.max(2, prop.w * this.scale);
    const k = Math.max(2, prop.h * this.scale);
    c.fillStyle = colour(prop.tone);
    c.globalAlpha = 0.75;
    c.fillRect(x - w / 2, y - k / 2, w, k);
    c.globalAlpha = 1;
    c.strokeStyle = colour("plain");
    c.lineWidth = 1;
    c.strokeRect(x - w / 2, y - k / 2, w, k);
  }

  drawTrails(c, state) {
    const { way, agents } = this.episode.core;
    c.lineJoin = "round";
    agents.forEach((name, i) => {
      const mine = name === state.agent;
      const first = Math.max(0, state.moment - (mine ? OWN_TRAIL : agents.length > 12 ? TRAIL_IN_CROWD : TRAIL));
      c.strokeStyle = agentColour(i);
      c.globalAlpha = mine ? 0.75 : 0.3;
      c.lineWidth = mine ? 2.5 : 1.5;
      c.beginPath();
      let pen = false;
      for (let k = first; k < state.moment; k += 1) {
        const x = way[name][2 * k];
        if (x === null) { pen = false; continue; }
        if (pen) c.lineTo(this.px(x), this.py(way[name][2 * k + 1]));
        else c.moveTo(this.px(x), this.py(way[name][2 * k + 1]));
        pen = true;
      }
      const end = this.body(state, name);
      if (pen && end !== null) c.lineTo(end.x, end.y);
      c.stroke();
    });
    c.globalAlpha = 1;
  }

  drawMoves(c, state) {
    for (const [name, [, points]] of state.next.moves) {
      const i = this.episode.order.get(name);
      const mine = name === state.agent;
      const path = points.map(([x, z]) => [this.px(x), this.py(z)]);
      const end = this.body(state, name);
      if (end !== null) path[0] = [end.x, end.y];
      c.strokeStyle = agentColour(i);
      c.fillStyle = agentColour(i);
      c.globalAlpha = mine ? 1 : this.episode.core.agents.length > 20 ? 0.22 : 0.55;
      c.lineWidth = mine ? 2.5 : 1.5;
      c.setLineDash([5, 4]);
      c.beginPath();
      path.forEach(([x, y], k) => { if (k) c.lineTo(x, y); else c.moveTo(x, y); });
      c.stroke();
      c.setLineDash([]);
      arrowHead(c, path[path.length - 2], path[path.length - 1], mine ? 10 : 7);
    }
    c.globalAlpha = 1;
  }

  drawSight(c, state) {
    const body = this.body(state, state.agent);
    if (body === null) return;
    const [range, fov] = this.episode.core.scene.sight;
    if (range > 0) {
      const turn = ((body.heading === null ? 0 : body.heading) - 90) * Math.PI / 180;
      const half = fov >= 360 ? Math.PI : fov * Math.PI / 360;
      c.beginPath();
      if (fov < 360) c.moveTo(body.x, body.y);
      c.arc(body.x, body.y, range * this.scale, turn - half, turn + half);
      c.closePath();
      c.globalAlpha = 0.12;
      c.fillStyle = colour("accent");
      c.fill();
      c.globalAlpha = 0.8;
      c.strokeStyle = colour("accent");
      c.lineWidth = 1.2;
      c.stroke();
      c.globalAlpha = 1;
    }
    c.strokeStyle = colour("accent");
    c.lineWidth = 2;
    for (const name of state.sees) {
      const place = state.frame.places.get(name);
      const mate = place === undefined ? this.body(state, name) : null;
      if (place === undefined && mate === null) continue;
      if (place !== undefined && place[3] & 1) continue;
      const prop = this.episode.props.get(name);
      if (prop !== undefined && !prop.symbol) continue;
      const [x, y] = mate === null ? this.spot(state, name, place) : [mate.x, mate.y];
      c.beginPath();
      if (prop !== undefined && prop.symbol === "box") {
        c.rect(x - (prop.w * this.scale) / 2, y - (prop.h * this.scale) / 2, prop.w * this.scale, prop.h * this.scale);
      } else c.arc(x, y, prop === undefined ? this.r * 1.32 : Math.max(3.5, this.symbolSize(prop) * 1.4), 0, 7);
      c.stroke();
    }
  }

  drawBeliefs(c, state) {
    for (const [name, row] of state.believed) {
      const [kind, x, z, verdict] = row;
      if (x === null || (verdict !== "off" && verdict !== "false" && verdict !== "lost")) continue;
      const at = [this.px(x), this.py(z)];
      const place = state.frame.places.get(name);
      const mate = state.frame.agents.get(name);
      c.strokeStyle = colour("bad");
      c.lineWidth = 1.8;
      const truth = place !== undefined ? this.spot(state, name, place) : mate !== undefined ? [this.px(mate[0]), this.py(mate[1])] : null;
      if (truth !== null) {
        c.setLineDash([2, 3]);
        c.beginPath();
        c.moveTo(at[0], at[1]);
        c.lineTo(truth[0], truth[1]);
        c.stroke();
        c.setLineDash([]);
      }
      traceSymbol(c, "diamond", at[0], at[1], this.r * 0.85);
      c.stroke();
      this.hits.push({ x: at[0], y: at[1], r: this.r * 0.8, text: () => `${name} (${kind}) is believed here: ${VERDICT_WORDS[verdict]}` });
    }
  }

  drawAgents(c, state) {
    const names = this.episode.core.agents;
    const turn = names.map((name, i) => [name, i]).sort((a, b) => (a[0] === state.agent) - (b[0] === state.agent));
    for (const [name, i] of turn) {
      const body = this.body(state, name);
      if (body === null) continue;
      const mine = name === state.agent;
      const { x, y } = body;
      if (body.heading !== null) {
        const turnTo = (body.heading - 90) * Math.PI / 180;
        c.fillStyle = agentColour(i);
        c.beginPath();
        c.moveTo(x + this.r * 1.7 * Math.cos(turnTo), y + this.r * 1.7 * Math.sin(turnTo));
        c.arc(x, y, this.r, turnTo + 0.9, turnTo - 0.9 + 2 * Math.PI);
        c.closePath();
        c.fill();
      }
      c.beginPath();
      c.arc(x, y, this.r, 0, 7);
      c.fillStyle = agentColour(i);
      c.fill();
      c.lineWidth = mine ? 3 : 1.5;
      c.strokeStyle = mine ? colour("ink") : colour("halo");
      c.stroke();
      if (this.r >= 6) {
        c.fillStyle = onDisc();
        c.font = `700 ${Math.round(this.r * 1.1)}px system-ui, sans-serif`;
        c.textAlign = "center";
        c.textBaseline = "middle";
        c.fillText(this.labels[i], x, y + 0.5);
      }
      this.drawBadges(c, state, i, body);
      this.hits.push({ x, y, r: this.r, agent: name, text: () => this.agentWords(name, state.frame.agents.get(name), state.frame.acts[i]) });
    }
  }

  // Held things as small squares below, a failed action as a cross above.
  drawBadges(c, state, i, body) {
    if (this.r < 5) return;
    const act = state.frame.acts[i];
    const r = this.r * 0.3;
    let k = 0;
    const all = body.held.reduce((sum, [, amount]) => sum + Math.min(amount, 4), 0);
    for (const [item, amount] of body.held) {
      const tone = { sand: "sand", water: "water", person: "person" }[item.toLowerCase()] || "item";
      for (let n = 0; n < Math.min(amount, 4); n += 1) {
        const x = body.x + (k - (all - 1) / 2) * r * 2.2;
        const y = body.y + this.r + r * 0.9;
        c.fillStyle = colour(tone);
        c.strokeStyle = colour("halo");
        c.lineWidth = 1;
        c.fillRect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
        c.strokeRect(x - r * 0.9, y - r * 0.9, r * 1.8, r * 1.8);
        k += 1;
      }
    }
    if (act && act.code === "f") {
      const x = body.x - this.r * 0.9;
      const y = body.y - this.r * 0.9;
      for (const [width, ink] of [[r * 1.3, colour("halo")], [r * 0.65, colour("code-f")]]) {
        c.strokeStyle = ink;
        c.lineWidth = width;
        traceSymbol(c, "cross", x, y, r * 1.1);
        c.stroke();
      }
    }
  }

  // Names where there is room: the selected agent first, then agents, then props and areas.
  drawNames(c, state) {
    // No name may cover an agent.
    const taken = this.episode.core.agents.map((name) => this.body(state, name)).filter((body) => body !== null)
      .map(({ x, y }) => [x - this.r, y - this.r, x + this.r, y + this.r]);
    const size = this.width < 420 ? 10 : 12;
    const write = (text, x, y, r, bold) => {
      c.font = `${bold ? 700 : 500} ${size}px system-ui, sans-serif`;
      const w = c.measureText(text).width;
      const away = Math.max(r, 0) + size * 0.7;
      for (const [left, middle] of [[x + r + 3, y], [x - r - 3 - w, y], [x - w / 2, y - away], [x - w / 2, y + away]]) {
        const box = [left - 2, middle - size / 2 - 1, left + w + 2, middle + size / 2 + 1];
        if (box[0] < 0 || box[2] > this.width || box[1] < 0 || box[3] > this.height) continue;
        if (taken.some((t) => box[0] < t[2] && box[2] > t[0] && box[1] < t[3] && box[3] > t[1])) continue;
        taken.push(box);
        c.textAlign = "left";
        writeLabel(c, text, left, middle, size, bold);
        return;
      }
    };
    const names = this.episode.core.agents;
    const sorted = [...names].sort((a, b) => (b === state.agent) - (a === state.agent));
    for (const name of sorted) {
      if (this.unit < 9 && name !== state.agent) continue;
      const body = this.body(state, name);
      if (body !== null) write(name, body.x, body.y, this.r, name === state.agent);
    }
    if (this.unit < 7) return;
    // The largest first: furniture keeps its name where there is no room for every cup.
    for (const prop of this.episode.core.scene.props) {
      const place = state.frame.places.get(prop.name);
      if (!prop.label || place === undefined || place[3] & 1) continue;
      const [x, y] = this.spot(state, prop.name, place);
      write(prop.title || prop.name, x, y, prop.symbol === "box" || !prop.symbol ? -this.r : this.symbolSize(prop), false);
    }
  }
}
