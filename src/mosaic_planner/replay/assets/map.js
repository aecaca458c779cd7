// The map on the page: its canvas, zoom, what is shown, and what the pointer finds.

// `tall`: the share of the window's height that it may take.
class MapView extends MapPainter {
  constructor(episode, pick, tall) {
    super(episode);
    this.pick = pick;
    this.tall = tall;
    this.zoom = 1;
    this.centre = null;
    this.width = 0;
    this.height = 0;
    this.state = null;
    this.layers = { trails: true, moves: true, sight: true, beliefs: true };
    this.canvas = h("canvas", { role: "img", "aria-label": "Map" });
    this.tip = h("div", { class: "tip", hidden: true });
    const zoom = h("div", { class: "zoom" },
      h("button", { type: "button", "aria-label": "Zoom in", on: { click: () => this.zoomBy(1.5) } }, "+"),
      h("button", { type: "button", "aria-label": "Zoom out", on: { click: () => this.zoomBy(1 / 1.5) } }, "−"),
      h("button", { type: "button", "aria-label": "Show the whole map", on: { click: () => this.fit() } }, "⤢"));
    this.box = h("div", { class: "map" }, this.canvas, this.tip);
    const words = { trails: "trails", moves: "next moves", sight: "what it sees", beliefs: "what it believes" };
    const checks = Object.keys(words).map((key) => h("label", {},
      h("input", { type: "checkbox", checked: true, on: { change: (e) => { this.layers[key] = e.target.checked; this.draw(); } } }),
      words[key]));
    this.element = h("div", {}, this.box,
      h("div", { class: "under" }, h("div", { class: "layers", role: "group", "aria-label": "Shown on the map" }, checks), zoom),
      h("details", { class: "legend" }, h("summary", {}, "Legend"),
        h("ul", {}, episode.core.scene.legend.map(legendSign)),
        h("p", {}, "Discs are agents; a solid line is where an agent came from, a dashed one where it is about to go. "
          + "Dots in a cell count its intensity. A ring marks what the selected agent sees, a diamond where it believes a thing to be; "
          + "a line joins a wrong belief with the truth.")));
    this.follow();
  }

  follow() {
    const canvas = this.canvas;
    let from = null;
    canvas.addEventListener("pointerdown", (e) => { from = { x: e.clientX, y: e.clientY, centre: this.centre, moved: false }; });
    canvas.addEventListener("pointermove", (e) => {
      if (from !== null && e.buttons === 1 && this.zoom > 1) {
        const dx = (e.clientX - from.x) / this.scale;
        const dz = (e.clientY - from.y) / this.scale;
        if (Math.hypot(e.clientX - from.x, e.clientY - from.y) > 4) from.moved = true;
        this.centre = [from.centre[0] - dx, from.centre[1] + dz];
        this.place();
        this.draw();
      } else this.hover(e);
    });
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("click", (e) => {
      const hit = from !== null && from.moved ? null : this.hit(e);
      from = null;
      if (hit !== null && hit.agent !== undefined) this.pick(hit.agent);
    });
    canvas.addEventListener("wheel", (e) => {
      if (!e.ctrlKey && !e.metaKey) return; // a plain wheel scrolls the page
      e.preventDefault();
      this.zoomBy(e.deltaY < 0 ? 1.2 : 1 / 1.2);
    }, { passive: false });
  }

  hit(event) {
    const box = this.canvas.getBoundingClientRect();
    const x = event.clientX - box.left;
    const y = event.clientY - box.top;
    let best = null;
    let least = Infinity;
    for (const hit of this.hits) {
      const away = Math.hypot(hit.x - x, hit.y - y);
      if (away <= hit.r + 4 && away < least) { best = hit; least = away; }
    }
    return best;
  }

  hover(event) {
    const hit = this.hit(event);
    this.tip.hidden = hit === null;
    if (hit === null) return;
    this.tip.textContent = hit.text();
    const left = Math.min(hit.x + 12, this.width - 150);
    this.tip.style.left = `${Math.max(4, left)}px`;
    this.tip.style.top = `${Math.min(hit.y + 12, this.height - 40)}px`;
  }

  zoomBy(factor) {
    this.zoom = Math.min(12, Math.max(1, this.zoom * factor));
    if (this.zoom === 1) this.centre = null; // the whole map again
    this.canvas.style.touchAction = this.zoom > 1 ? "none" : "pan-y pinch-zoom";
    this.place();
    this.draw();
  }

  fit() { this.zoomBy(0); }

  // Size of the canvas and the way from world units to pixels.
  resize() {
    const [lowX, lowZ, highX, highZ] = this.episode.core.scene.bounds;
    const width = Math.max(160, this.box.clientWidth);
    const ratio = (highZ - lowZ) / Math.max(highX - lowX, 1e-6);
    this.width = width;
    this.height = Math.max(160, Math.min(width * ratio, window.innerHeight * this.tall));
    this.place();
  }

  place() {
    const [lowX, lowZ, highX, highZ] = this.episode.core.scene.bounds;
    const fit = Math.min(this.width / Math.max(highX - lowX, 1e-6), this.height / Math.max(highZ - lowZ, 1e-6));
    this.scale = fit * this.zoom;
    const middle = [(lowX + highX) / 2, (lowZ + highZ) / 2];
    if (this.centre === null) this.centre = middle;
    const halfW = this.width / 2 / this.scale;
    const halfH = this.height / 2 / this.scale;
    const hold = (v, low, high, half) => (high - low <= 2 * half ? (low + high) / 2 : Math.min(high - half, Math.max(low + half, v)));
    this.centre = [hold(this.centre[0], lowX, highX, halfW), hold(this.centre[1], lowZ, highZ, halfH)];
    this.drawBackdrop();
  }

  // `state`: before, frame, next (frames), part (0 to 1 of the way from before to frame),
  // agent (selected), sees (Set of names), believed (rows of the selected agent's team), moment.
  show(state) {
    this.state = state;
    this.draw();
  }

  draw() {
    const state = this.state;
    if (state === null || this.width === 0) return;
    const c = sized(this.canvas, this.width, this.height);
    c.drawImage(this.backdrop, 0, 0, this.width, this.height);
    this.hits = [];
    this.unit = this.episode.core.unit * this.scale;
    this.r = Math.min(15, Math.max(3.5, this.unit * 0.46));
    this.drawLevels(c, state.frame);
    this.drawPlaces(c, state);
    if (this.layers.trails) this.drawTrails(c, state);
    if (this.layers.moves && state.next !== null) this.drawMoves(c, state);
    if (this.layers.sight) this.drawSight(c, state);
    if (this.layers.beliefs) this.drawBeliefs(c, state);
    this.drawAgents(c, state);
    this.drawNames(c, state);
  }

  describe(text) { this.canvas.setAttribute("aria-label", text); }
}
