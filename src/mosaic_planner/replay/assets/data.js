// Packed data: base64, gzip, JSON; the core at once, chunks when a step is looked at.

const KEPT_CHUNKS = 8;

async function unpack(id) {
  const packed = atob(document.getElementById(id).textContent);
  const bytes = new Uint8Array(packed.length);
  for (let i = 0; i < packed.length; i += 1) bytes[i] = packed.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return JSON.parse(await new Response(stream).text());
}

function applied(before, change) {
  const now = new Map(before);
  for (const key of Object.keys(change)) {
    if (change[key] === null) now.delete(key);
    else now.set(key, change[key]);
  }
  return now;
}

// Every moment of a frame chunk, each standing by itself again.
function readFrames(chunk) {
  let agents = new Map();
  let places = new Map();
  let levels = new Map();
  return chunk.steps.map(function (step) {
    agents = applied(agents, step.a);
    places = applied(places, step.p);
    levels = applied(levels, step.l);
    const acts = step.d.map(([text, code]) => ({ action: chunk.texts[text], code }));
    return { agents, places, levels, acts, moves: new Map(Object.entries(step.m)) };
  });
}

function readDetails(chunk) {
  let beliefs = new Map();
  return chunk.steps.map(function (step) {
    beliefs = applied(beliefs, step.b);
    return { ...step, beliefs, texts: chunk.texts };
  });
}

// One episode: `core` is there from the start, `frame(i)` and `detail(i)` once `load(i)` is done.
class Episode {
  constructor(number, core) {
    this.number = number;
    this.core = core;
    this.count = core.steps.length;
    this.chunks = new Map();
    this.props = new Map(core.scene.props.map((prop) => [prop.name, prop]));
    this.order = new Map(core.agents.map((name, i) => [name, i]));
  }

  find(kind, i) {
    const list = kind === "f" ? this.core.frames : this.core.details;
    let low = 0;
    let high = list.length - 1;
    while (low <= high) {
      const middle = (low + high) >> 1;
      if (i < list[middle][0]) high = middle - 1;
      else if (i > list[middle][1]) low = middle + 1;
      else return middle;
    }
    return -1;
  }

  chunk(kind, i) {
    const number = this.find(kind, i);
    if (number < 0) return null;
    const key = kind + number;
    let known = this.chunks.get(key);
    if (known === undefined) {
      const first = (kind === "f" ? this.core.frames : this.core.details)[number][0];
      known = { first, values: null, done: null };
      known.done = unpack(`e${this.number}-${key}`).then(function (chunk) {
        known.values = kind === "f" ? readFrames(chunk) : readDetails(chunk);
      });
    } else {
      this.chunks.delete(key);
    }
    this.chunks.set(key, known);
    if (this.chunks.size > KEPT_CHUNKS) this.chunks.delete(this.chunks.keys().next().value);
    return known;
  }

  // What the page needs to show moment i: its frame, the neighbours', its details and the
  // details of the moment before (what was believed when it decided).
  needs(i) {
    const wanted = [this.chunk("f", i), this.chunk("d", i)];
    if (i > 0) wanted.push(this.chunk("f", i - 1), this.chunk("d", i - 1));
    if (i + 1 < this.count) wanted.push(this.chunk("f", i + 1));
    return wanted.filter((chunk) => chunk !== null && chunk.values === null);
  }

  async load(i) {
    await Promise.all(this.needs(i).map((chunk) => chunk.done));
  }

  value(kind, i) {
    const chunk = i < 0 || i >= this.count ? null : this.chunk(kind, i);
    return chunk === null || chunk.values === null ? null : chunk.values[i - chunk.first];
  }

  frame(i) { return this.value("f", i); }

  detail(i) { return this.value("d", i); }

  // Number of the last moment at or before a planning step or a simulated time.
  at(clock, value) {
    const list = clock === "time" ? this.core.series.t : this.core.steps;
    let low = 0;
    let high = list.length;
    while (low < high) {
      const middle = (low + high) >> 1;
      if (list[middle] <= value) low = middle + 1;
      else high = middle;
    }
    return Math.max(0, low - 1);
  }
}
