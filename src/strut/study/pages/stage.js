// Stage: draws a stimulus on the canvas at the rate of the screen. Coordinates come as whole numbers, half the height
// of the picture being `unit`; between two samples every point moves on a straight line.
"use strict";

class Stage {
  constructor(canvas, stimulus) {
    this.canvas = canvas;
    this.stimulus = stimulus;
    this.context = canvas.getContext("2d");
    this.duration = (stimulus.frames - 1) / stimulus.rate_hz;
    this.now = new Float64Array(2 * stimulus.points);
    this.depth = new Float64Array(stimulus.points);
    this.frames = 0;
    this.playing = false;
    this.again = () => this.blank();  // what is drawn anew when the picture changes its size
    this.onend = () => { canvas.dataset.state = "ended"; };
    this.onframe = () => {};
    this.fit();
    new ResizeObserver(() => { this.fit(); if (!this.playing) this.again(); }).observe(canvas);
  }

  fit() {
    const scale = Math.min(window.devicePixelRatio || 1, 2);
    const width = Math.max(1, Math.round(this.canvas.clientWidth * scale));
    const height = Math.max(1, Math.round(width / this.stimulus.aspect));
    if (this.canvas.width !== width || this.canvas.height !== height) {
      this.canvas.width = width;
      this.canvas.height = height;
    }
    this.zoom = height / 2 / this.stimulus.unit;
  }

  play() {
    this.started = null;
    if (this.playing) return;
    this.playing = true;
    this.canvas.dataset.state = "playing";
    const step = (time) => {
      if (this.started === null) this.started = time;
      const seconds = (time - this.started) / 1000;
      this.draw(Math.min(seconds, this.duration));
      this.onframe(Math.min(seconds, this.duration));
      this.frames += 1;
      if (seconds < this.duration) requestAnimationFrame(step);
      else { this.playing = false; this.onend(); }
    };
    requestAnimationFrame(step);
  }

  blank() {
    const { context, canvas } = this;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.fillStyle = "#0c0f14";
    context.fillRect(0, 0, canvas.width, canvas.height);
    context.setTransform(this.zoom, 0, 0, this.zoom, canvas.width / 2, canvas.height / 2);
  }

  darken() {
    this.again = () => this.blank();
    this.blank();
  }

  fixation() {
    this.again = () => this.fixation();
    this.blank();
    const { context, stimulus } = this;
    const reach = 0.05 * stimulus.unit;
    context.strokeStyle = "#fff";
    context.lineWidth = 0.012 * stimulus.unit;
    context.beginPath();
    context.moveTo(-reach, 0); context.lineTo(reach, 0);
    context.moveTo(0, -reach); context.lineTo(0, reach);
    context.stroke();
  }

  // Five instants in one picture, the last one brightest, for people whose device asks for less motion.
  drawStill() {
    const count = 5;
    for (let k = 0; k < count; k += 1) {
      this.context.globalAlpha = 0.25 + 0.75 * k / (count - 1);
      this.draw(this.duration * k / (count - 1), k > 0);
    }
    this.context.globalAlpha = 1;
    this.again = () => this.drawStill();
  }

  draw(seconds, onto = false) {
    this.again = () => this.draw(seconds);
    const { stimulus, now } = this;
    const at = Math.min(seconds * stimulus.rate_hz, stimulus.frames - 1);
    const first = Math.min(Math.floor(at), stimulus.frames - 2);
    const share = at - first;
    const size = 2 * stimulus.points;
    for (let k = 0; k < size; k += 1) {
      const from = stimulus.xy[first * size + k];
      now[k] = from + share * (stimulus.xy[(first + 1) * size + k] - from);
    }
    if (stimulus.depth) {
      for (let k = 0; k < stimulus.points; k += 1) this.depth[k] = stimulus.depth[first * stimulus.points + k];
    }
    if (!onto) { this.blank(); this.drawGround(); }
    if (stimulus.kind === "points") this.drawPoints(0.014);
    else if (stimulus.kind === "sticks") this.drawSticks();
    else this.drawSolids();
  }

  drawGround() {
    const { context, stimulus } = this;
    context.strokeStyle = "#232b36";
    context.lineWidth = Math.max(1 / this.zoom, 0.003 * stimulus.unit);
    context.beginPath();
    for (const [x0, y0, x1, y1] of stimulus.grid) { context.moveTo(x0, y0); context.lineTo(x1, y1); }
    context.stroke();
  }

  drawPoints(share) {
    const { context, stimulus, now } = this;
    const radius = share * stimulus.unit;
    context.fillStyle = "#fff";
    context.beginPath();
    for (let k = 0; k < stimulus.points; k += 1) {
      context.moveTo(now[2 * k] + radius, now[2 * k + 1]);
      context.arc(now[2 * k], now[2 * k + 1], radius, 0, 2 * Math.PI);
    }
    context.fill();
  }

  drawSticks() {
    const { context, stimulus, now } = this;
    context.strokeStyle = "#e8ecf2";
    context.lineWidth = 0.016 * stimulus.unit;
    context.lineCap = "round";
    context.beginPath();
    for (const [a, b] of stimulus.bones) {
      context.moveTo(now[2 * a], now[2 * a + 1]);
      context.lineTo(now[2 * b], now[2 * b + 1]);
    }
    context.stroke();
    this.drawPoints(0.013);
  }

  drawSolids() {
    const { context, stimulus, now, depth } = this;
    const far = (shape) => {
      let sum = 0;
      for (let k = 0; k < shape.count; k += 1) sum += depth[shape.first + k];
      return sum / shape.count;
    };
    const ordered = stimulus.shapes.map((shape) => [far(shape), shape]).sort((a, b) => b[0] - a[0]);
    const nearest = ordered[ordered.length - 1][0];
    const range = Math.max(1, ordered[0][0] - nearest);
    for (const [away, shape] of ordered) {
      const light = 1 - 0.35 * (away - nearest) / range;
      const color = `rgb(${shape.color.map((part) => Math.round(255 * part * light)).join(" ")})`;
      const x = (k) => now[2 * (shape.first + k)], y = (k) => now[2 * (shape.first + k) + 1];
      if (shape.kind === "box") { this.drawBox(shape, light); continue; }
      if (shape.kind === "hull") { this.drawHull(shape, color); continue; }
      context.lineCap = "round";
      for (const [style, width] of [["#0c0f14", 2 * shape.radius + 0.012 * stimulus.unit], [color, 2 * shape.radius]]) {
        context.strokeStyle = style;
        context.lineWidth = width;
        context.beginPath();
        context.moveTo(x(0), y(0));
        context.lineTo(x(shape.count - 1) + 0.01, y(shape.count - 1));
        context.stroke();
      }
    }
  }

  drawHull(shape, color) {
    const { context, stimulus, now } = this;
    const points = [];
    for (let k = shape.first; k < shape.first + shape.count; k += 1) points.push([now[2 * k], now[2 * k + 1]]);
    points.sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    const half = (ordered) => { // monotone chain: keeps the turns to one side
      const kept = [];
      for (const [x, y] of ordered) {
        for (let n = kept.length; n > 1; n = kept.length) {
          const [[ax, ay], [bx, by]] = kept.slice(n - 2);
          if ((bx - ax) * (y - ay) - (by - ay) * (x - ax) > 0) break;
          kept.pop();
        }
        kept.push([x, y]);
      }
      return kept.slice(0, -1);
    };
    context.lineWidth = 0.006 * stimulus.unit;
    context.strokeStyle = "#0c0f14";
    context.fillStyle = color;
    context.beginPath();
    [...half(points), ...half(points.reverse())].forEach(([x, y], index) => {
      if (index) context.lineTo(x, y); else context.moveTo(x, y);
    });
    context.closePath();
    context.fill();
    context.stroke();
  }

  drawBox(shape, light) {
    const { context, stimulus, now, depth } = this;
    const faces = [[0, 1, 3, 2], [4, 5, 7, 6], [0, 1, 5, 4], [2, 3, 7, 6], [0, 2, 6, 4], [1, 3, 7, 5]];
    const shade = [0.72, 0.72, 0.85, 0.85, 0.6, 1.0];
    const far = (face) => face.reduce((sum, k) => sum + depth[shape.first + k], 0);
    context.lineWidth = 0.006 * stimulus.unit;
    context.strokeStyle = "#0c0f14";
    faces.map((face, index) => [far(face), face, shade[index]]).sort((a, b) => b[0] - a[0]).forEach(([, face, part]) => {
      context.fillStyle = `rgb(${shape.color.map((one) => Math.round(255 * one * light * part)).join(" ")})`;
      context.beginPath();
      face.forEach((k, index) => {
        const x = now[2 * (shape.first + k)], y = now[2 * (shape.first + k) + 1];
        if (index) context.lineTo(x, y); else context.moveTo(x, y);
      });
      context.closePath();
      context.fill();
      context.stroke();
    });
  }
}
window.Stage = Stage;
