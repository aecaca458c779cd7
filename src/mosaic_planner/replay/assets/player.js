// The clock of the page: ticks are moments, or in a comparison the steps or times of both episodes.

const SPEEDS = [0.5, 1, 2, 4, 8, 16, 32];

class Player {
  constructor(episodes) {
    this.episodes = episodes;
    this.views = [];
    this.charts = [];
    this.clock = "step";
    this.tick = 0;
    this.playing = false;
    this.speed = 2;
    this.agent = episodes[0].core.agents[0];
    this.busy = false;
    this.started = 0;
    this.makeTicks();
  }

  makeTicks() {
    const all = new Set();
    for (const episode of this.episodes) for (const v of this.clock === "time" ? episode.core.series.t : episode.core.steps) all.add(v);
    this.ticks = [...all].sort((a, b) => a - b);
  }

  moment(e) { return this.episodes[e].at(this.clock, this.ticks[this.tick]); }

  // Where a moment of an episode is along the width of a chart, 0 to 1.
  reach(e, i) {
    const { core } = this.episodes[e];
    const value = this.clock === "time" ? core.series.t[i] : core.steps[i];
    const low = this.ticks[0];
    const high = this.ticks[this.ticks.length - 1];
    return high > low ? (value - low) / (high - low) : 0;
  }

  seekPart(e, part) {
    const low = this.ticks[0];
    const high = this.ticks[this.ticks.length - 1];
    this.seekValue(low + Math.max(0, Math.min(1, part)) * (high - low));
  }

  seekValue(value) {
    let best = 0;
    this.ticks.forEach((tick, k) => { if (Math.abs(tick - value) < Math.abs(this.ticks[best] - value)) best = k; });
    this.seek(best);
  }

  goMark(e, mark) {
    if (mark[1]) this.agent = mark[1];
    const { core } = this.episodes[e];
    this.seekValue(this.clock === "time" ? core.series.t[mark[3]] : core.steps[mark[3]]);
  }

  nextMark(direction) {
    const here = this.moment(0);
    const ends = this.episodes[0].core.marks.map((mark) => mark[3]).sort((a, b) => a - b);
    const wanted = direction > 0 ? ends.find((m) => m > here) : ends.reverse().find((m) => m < here);
    const mark = this.episodes[0].core.marks.find((m) => m[3] === wanted);
    if (mark !== undefined) this.goMark(0, mark);
  }

  seek(tick) {
    this.tick = Math.max(0, Math.min(this.ticks.length - 1, tick));
    this.pause();
    this.show(1);
  }

  select(name) {
    this.agent = name;
    this.show(1);
  }

  selectBy(step) {
    const names = this.names();
    const k = names.indexOf(this.agent);
    this.select(names[(k + step + names.length) % names.length]);
  }

  names() { return [...new Set(this.episodes.flatMap((episode) => episode.core.agents))]; }

  play() {
    if (this.playing) { this.pause(); return; }
    if (this.tick >= this.ticks.length - 1) this.tick = 0;
    this.playing = true;
    this.started = performance.now();
    this.onPlaying();
    requestAnimationFrame((now) => this.advance(now));
  }

  pause() {
    if (!this.playing) return;
    this.playing = false;
    this.onPlaying();
    this.announce();
  }

  interval() { return 1000 / this.speed; }

  async advance(now) {
    if (!this.playing) return;
    const passed = (now - this.started) / this.interval();
    if (passed >= 1) {
      if (this.tick >= this.ticks.length - 1) { this.pause(); return; }
      // A slow page skips ticks rather than fall behind the clock.
      this.tick = Math.min(this.ticks.length - 1, this.tick + Math.min(Math.floor(passed), 4));
      this.started = now;
      await this.show(this.smooth() ? 0 : 1);
    } else if (this.smooth() && !this.busy) await this.show(Math.min(1, passed * 1.25), true);
    requestAnimationFrame((later) => this.advance(later));
  }

  smooth() { return this.speed <= 8 && !matchMedia("(prefers-reduced-motion: reduce)").matches; }

  async show(part, quick) {
    const turn = (this.turn = (this.turn || 0) + 1);
    this.busy = true;
    const moments = this.episodes.map((_, e) => this.moment(e));
    try {
      await Promise.all(this.views.map((view, e) => {
        const agent = this.episodes[e].order.has(this.agent) ? this.agent : this.episodes[e].core.agents[0];
        const moving = moments[e] > 0 && this.clock === "step" ? part : 1;
        return view.show(moments[e], agent, moving, (i) => this.reach(e, i), quick);
      }));
    } catch (error) {
      this.onProblem(error);
    }
    this.busy = false;
    if (turn !== this.turn) return;
    if (!quick) {
      for (const chart of this.charts) chart.show(moments, (e, i) => this.reach(e, i));
      this.onShown(moments);
      if (!this.playing) this.announce();
    }
  }

  announce() { this.onSaid(this.views.map((view) => view.words || "").join(" — ")); }

  setClock(clock) {
    const value = this.episodes[0].core[clock === "time" ? "series" : "steps"];
    const moment = this.moment(0);
    this.clock = clock;
    this.makeTicks();
    this.seekValue(clock === "time" ? value.t[moment] : value[moment]);
    this.redraw();
  }

  redraw() {
    this.views.forEach((view, e) => view.resize((i) => this.reach(e, i)));
    for (const chart of this.charts) chart.draw((e, i) => this.reach(e, i));
    for (const view of this.views) view.state = null;
    return this.show(1);
  }
}
