"use strict";

/* A graph on a canvas: its layout with open bodies, drawing, and what is under a point. */

const HEIGHT = 36, TITLE = 22, INSIDE = 14, BETWEEN = 24, STUB = 12;

class Scene {
  constructor(model) {
    this.model = model;
    this.open = new Set();
    this.at = [];
    this.graphOf = [];
    model.graphs.forEach((graph, number) => graph.nodes.forEach((node, place) => {
      this.at[node[0]] = [number, place];
    }));
    this.outer = [];
    model.graphs.forEach((graph, number) => graph.nodes.forEach((node) => {
      for (const [tag, inner] of node[5] || []) this.outer[inner] = [node[0], tag];
    }));
    this.arrange();
  }

  /* Compute the boxes of all nodes that are visible. Each is {layer, x, y, w, h, bodies}; x and y are its corner. */
  arrange() {
    this.boxes = [];
    this.frames = [];
    this.edges = [];
    this.box = new Map();
    const size = this.place(0, 0, 0);
    this.width = size.w;
    this.height = size.h;
  }

  /* Return how a graph grows where layers are open: extra height by rank, and extra width of each open node. */
  growth(number) {
    const graph = this.model.graphs[number];
    const wide = new Map(), tall = new Array(graph.ranks.length).fill(0);
    for (const node of graph.nodes) {
      if (!node[5] || !this.open.has(node[0])) continue;
      const sizes = node[5].map(([, inner]) => this.sizeOf(inner));
      const w = Math.max(node[3], sizes.reduce((sum, s) => sum + s.w, 0) + BETWEEN * (sizes.length - 1) + 2 * INSIDE);
      const h = HEIGHT + TITLE + Math.max(...sizes.map((s) => s.h)) + INSIDE;
      const rank = graph.ranks[node[4]];
      tall[node[4]] = Math.max(tall[node[4]], h - (rank[1] - rank[0]));
      wide.set(node, { w, h, extra: w - node[3], sizes });
    }
    return { wide, tall };
  }

  sizeOf(number) {
    const graph = this.model.graphs[number], { wide, tall } = this.growth(number);
    const rows = new Map();
    for (const [node, grown] of wide) rows.set(node[4], (rows.get(node[4]) || 0) + grown.extra);
    return { w: graph.size[0] + Math.max(0, ...rows.values()), h: graph.size[1] + tall.reduce((a, b) => a + b, 0) };
  }

  place(number, left, top) {
    const graph = this.model.graphs[number], { wide, tall } = this.growth(number);
    const size = this.sizeOf(number);
    const before = [0];
    for (const extra of tall) before.push(before[before.length - 1] + extra);
    const rows = new Map();
    for (const [node, grown] of wide) {
      if (!rows.has(node[4])) rows.set(node[4], []);
      rows.get(node[4]).push([node[1], grown.extra]);
    }
    const slack = (size.w - graph.size[0]) / 2;
    const across = (x, rank) => {
      let shifted = x + slack;
      for (const [centre, extra] of rows.get(rank) || []) {
        shifted += x > centre + .5 ? extra / 2 : x < centre - .5 ? -extra / 2 : 0;
      }
      return shifted;
    };
    graph.nodes.forEach((node) => {
      const [layer, x, , w, rank] = node, grown = wide.get(node);
      const room = graph.ranks[rank][1] - graph.ranks[rank][0] + tall[rank];
      const box = { layer, w: grown ? grown.w : w, h: grown ? grown.h : HEIGHT, inner: Boolean(node[5]), open: Boolean(grown) };
      box.x = left + across(x, rank) - box.w / 2;
      box.y = top + graph.ranks[rank][0] + before[rank] + (room - box.h) / 2;
      this.boxes.push(box);
      this.box.set(layer, box);
      if (!grown) return;
      let inside = box.x + INSIDE;
      node[5].forEach(([tag, inner], place) => {
        const { w: bw, h: bh } = grown.sizes[place];
        this.frames.push({ x: inside - 6, y: box.y + HEIGHT - 2, w: bw + 12, h: bh + TITLE + 8, tag });
        this.place(inner, inside, box.y + HEIGHT + TITLE);
        inside += bw + BETWEEN;
      });
    });
    const below = (rank) => top + graph.ranks[rank][1] + before[rank] + tall[rank];
    const above = (rank) => top + graph.ranks[rank][0] + before[rank];
    const leaving = (box, rank) => [box.x + box.w / 2, box.y + box.h, box.x + box.w / 2, below(rank)];
    const trunks = new Map();
    for (const [place, ways] of Object.entries(graph.trunks)) {
      const node = graph.nodes[place], box = this.box.get(node[0]), line = leaving(box, node[4]);
      ways.forEach((x, step) => {
        const rank = node[4] + 1 + step, at = left + across(x, rank);
        line.push(at, above(rank), at, below(rank));
      });
      trunks.set(Number(place), line);
      this.edges.push({ line, from: node[0], to: -1, y0: line[1], y1: line[line.length - 1] });
    }
    for (const [a, b] of graph.edges) {
      const from = this.box.get(graph.nodes[a][0]), to = this.box.get(graph.nodes[b][0]);
      const passed = graph.nodes[b][4] - graph.nodes[a][4] - 1, trunk = trunks.get(a);
      const start = passed > 0 ? trunk.slice(2 + 4 * passed, 4 + 4 * passed) : leaving(from, graph.nodes[a][4]);
      const middle = to.x + to.w / 2, line = [...start, middle, above(graph.nodes[b][4]), middle, to.y];
      this.edges.push({ line, from: from.layer, to: to.layer, y0: line[1], y1: to.y, trunk, passed });
    }
    for (const [a, b] of graph.cut) {
      const from = this.box.get(graph.nodes[a][0]), to = this.box.get(graph.nodes[b][0]);
      for (const [x, y] of [[from.x + from.w / 2 + 8, from.y + from.h], [to.x + to.w / 2 - 8, to.y - STUB]]) {
        this.edges.push({ line: [x, y, x, y + STUB], from: from.layer, to: to.layer, y0: y, y1: y + STUB, cut: true });
      }
    }
    return size;
  }

  /* Open the bodies around a layer, so that it is visible. */
  reveal(layer) {
    let changed = false, number = this.at[layer][0];
    while (this.outer[number]) {
      const [around] = this.outer[number];
      if (!this.open.has(around)) { this.open.add(around); changed = true; }
      number = this.at[around][0];
    }
    if (changed) this.arrange();
  }

  toggle(layer) {
    const box = this.box.get(layer);
    if (!box || !box.inner) return false;
    if (!this.open.delete(layer)) this.open.add(layer);
    this.arrange();
    return true;
  }

  hit(x, y) {
    for (let i = this.boxes.length - 1; i >= 0; i--) {
      const box = this.boxes[i];
      if (x >= box.x && x <= box.x + box.w && y >= box.y && y <= box.y + box.h) return box.layer;
    }
    return -1;
  }

  /* Return the layers in the row of another one, from left to right. */
  row(layer) {
    const [number, place] = this.at[layer], graph = this.model.graphs[number], rank = graph.nodes[place][4];
    return graph.nodes.filter((node) => node[4] === rank).sort((a, b) => a[1] - b[1]).map((node) => node[0]);
  }
}

/* A canvas with a scene that can be moved and enlarged. */
class View {
  constructor(host, model, index, on) {
    this.model = model;
    this.index = index;
    this.on = on;
    this.scene = new Scene(model);
    this.selected = -1;
    this.scale = 1;
    this.x = 0;
    this.y = 0;
    this.root = document.createElement("div");
    this.root.className = "view";
    this.canvas = document.createElement("canvas");
    this.canvas.tabIndex = 0;
    this.canvas.setAttribute("role", "application");
    this.canvas.setAttribute("aria-label", `Graph of ${model.title}, ${model.layers.length} layers`);
    this.map = document.createElement("canvas");
    this.map.className = "map";
    this.map.setAttribute("aria-hidden", "true");
    this.tip = document.createElement("div");
    this.tip.className = "tip";
    this.tip.hidden = true;
    this.root.append(this.canvas, this.map, this.tip);
    if (on.labels) {
      const label = document.createElement("div");
      label.className = "label";
      label.textContent = model.title;
      this.root.append(label);
    }
    host.append(this.root);
    this.pointers();
    new ResizeObserver(() => this.resize()).observe(this.root);
    this.resize();
    this.home();
  }

  resize() {
    const ratio = window.devicePixelRatio || 1, { clientWidth: w, clientHeight: h } = this.root;
    const first = !this.w;
    this.x += (w - (this.w || w)) / 2;
    this.w = w;
    this.h = h;
    this.canvas.width = w * ratio;
    this.canvas.height = h * ratio;
    this.map.width = 18 * ratio;
    this.map.height = h * ratio;
    if (first) this.home();
    this.draw();
  }

  /* Show the beginning of the graph at a size that can be read. */
  home() {
    const whole = Math.min((this.w - 60) / this.scene.width, (this.h - 40) / this.scene.height);
    this.scale = Math.max(Math.min(1, whole), Math.min(1, Math.max(.7, (this.w - 60) / this.scene.width)));
    this.x = (this.w - 18 - this.scene.width * this.scale) / 2;
    if (this.scene.width * this.scale > this.w) this.toTop();
    this.y = this.scene.height * this.scale < this.h - 40 ? (this.h - this.scene.height * this.scale) / 2 : 20;
    this.draw();
  }

  toTop() {
    const first = this.scene.boxes[0];
    if (first) this.x = this.w / 2 - (first.x + first.w / 2) * this.scale;
  }

  fit() {
    this.scale = Math.min(1.2, (this.w - 48) / this.scene.width, (this.h - 24) / this.scene.height);
    this.x = (this.w - 18 - this.scene.width * this.scale) / 2;
    this.y = (this.h - this.scene.height * this.scale) / 2;
    this.draw();
  }

  zoom(factor, x = this.w / 2, y = this.h / 2) {
    const scale = Math.min(3, Math.max(.002, this.scale * factor));
    this.x = x - (x - this.x) * scale / this.scale;
    this.y = y - (y - this.y) * scale / this.scale;
    this.scale = scale;
    this.draw();
  }

  show(layer) {
    this.scene.reveal(layer);
    const box = this.scene.box.get(layer);
    if (this.scale < .45) this.scale = .9;
    this.x = this.w / 2 - (box.x + box.w / 2) * this.scale;
    this.y = this.h * .42 - (box.y + Math.min(box.h, HEIGHT) / 2) * this.scale;
    this.draw();
  }

  /* Return where a layer is on the screen. */
  screen(layer) {
    const box = this.scene.box.get(layer), area = this.canvas.getBoundingClientRect();
    return [area.left + this.x + (box.x + box.w / 2) * this.scale, area.top + this.y + (box.y + 8) * this.scale];
  }

  draw() {
    if (this.waiting) return;
    this.waiting = true;
    requestAnimationFrame(() => { this.waiting = false; this.paint(); });
  }

  paint() {
    const ratio = window.devicePixelRatio || 1, context = this.canvas.getContext("2d"), { scene, scale } = this;
    const colours = this.on.colours(), fill = this.on.fill;
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.canvas.width, this.canvas.height);
    context.setTransform(ratio * scale, 0, 0, ratio * scale, ratio * this.x, ratio * this.y);
    const left = -this.x / scale, top = -this.y / scale, right = left + this.w / scale, bottom = top + this.h / scale;
    const seen = (box) => box.x + box.w >= left && box.x <= right && box.y + box.h >= top && box.y <= bottom;
    const opened = scene.boxes.filter((box) => box.open && seen(box));
    for (const box of opened) this.paintBox(context, box, colours, fill(this.index, box.layer), true);
    context.lineWidth = 1 / scale;
    context.setLineDash([5, 3]);
    context.strokeStyle = colours.line;
    for (const frame of scene.frames) if (seen(frame)) this.paintFrame(context, frame, colours);
    context.setLineDash([]);
    this.paintEdges(context, scene.edges, colours);
    for (const box of scene.boxes) {
      if (!box.open && seen(box)) this.paintBox(context, box, colours, fill(this.index, box.layer), false);
    }
    this.paintMap(colours);
  }

  paintFrame(context, frame, colours) {
    context.fillStyle = colours.page;
    context.globalAlpha = .55;
    context.fillRect(frame.x, frame.y, frame.w, frame.h);
    context.globalAlpha = 1;
    context.strokeRect(frame.x, frame.y, frame.w, frame.h);
    if (this.scale < .3) return;
    context.fillStyle = colours.faint;
    context.textAlign = "left";
    context.font = "11px system-ui, sans-serif";
    context.fillText(frame.tag, frame.x + 7, frame.y + 15);
  }

  paintEdges(context, edges, colours) {
    const top = -this.y / this.scale, bottom = top + this.h / this.scale;
    const path = (line, end) => {
      let drawing = false;
      for (let i = 2; i < end; i += 2) {
        const [x, y, u, v] = [line[i - 2], line[i - 1], line[i], line[i + 1]];
        if (v < top || y > bottom) { drawing = false; continue; }
        if (!drawing) context.moveTo(x, y);
        drawing = true;
        if (Math.abs(u - x) < .5) context.lineTo(u, v);
        else context.bezierCurveTo(x, (y + v) / 2, u, (y + v) / 2, u, v);
      }
    };
    const stroke = (chosen) => {
      context.beginPath();
      for (const edge of chosen) path(edge.line, edge.line.length);
      context.stroke();
    };
    const inView = edges.filter((edge) => edge.y1 >= top && edge.y0 <= bottom);
    context.lineWidth = Math.max(1.1, .7 / this.scale);
    context.strokeStyle = colours.line;
    stroke(inView.filter((edge) => !edge.cut));
    context.setLineDash([2, 3]);
    stroke(inView.filter((edge) => edge.cut));
    context.setLineDash([]);
    if (this.selected < 0) return;
    const near = edges.filter((edge) => edge.from === this.selected || edge.to === this.selected);
    context.strokeStyle = colours.accent;
    context.lineWidth = Math.max(2, 1.4 / this.scale);
    stroke(near);
    context.beginPath();
    for (const edge of near) if (edge.passed > 0 && edge.to === this.selected) path(edge.trunk, 4 * edge.passed + 4);
    context.stroke();
  }

  paintBox(context, box, colours, fill, open) {
    const layer = this.model.layers[box.layer], { scale } = this, mark = this.on.mark(this.index, box.layer);
    context.fillStyle = open ? colours.cold : fill;
    context.strokeStyle = mark ? colours[mark] : colours.line;
    context.lineWidth = mark ? Math.max(2, 1 / scale) : Math.max(.8, .5 / scale);
    context.beginPath();
    if (scale > .25) context.roundRect(box.x, box.y, box.w, box.h, 5);
    else context.rect(box.x, box.y, box.w, box.h);
    context.fill();
    if (open) {
      context.fillStyle = fill;
      context.fillRect(box.x + 1, box.y + 1, box.w - 2, HEIGHT - 5);
    }
    if (scale > .12 || mark) context.stroke();
    if (box.layer === this.selected) {
      context.strokeStyle = colours.accent;
      context.lineWidth = Math.max(3, 2 / scale);
      context.stroke();
    }
    if (scale < .28) return;
    context.fillStyle = this.on.ink(this.index, box.layer);
    context.textAlign = "center";
    const middle = box.x + box.w / 2;
    context.font = "12.5px system-ui, sans-serif";
    context.fillText(layer.t, middle, box.y + (layer.d ? 15 : 22));
    context.font = "10.5px system-ui, sans-serif";
    if (layer.d) context.fillText(layer.d, middle, box.y + 29);
    if (box.inner) {
      context.textAlign = "right";
      context.fillText(open ? "▾" : "▸", box.x + box.w - 5, box.y + 14);
    }
    if (layer.f) {
      context.fillStyle = colours[layer.f.some(([severity]) => severity === "error") ? "error" : "warn"];
      context.beginPath();
      context.arc(box.x + 1, box.y + 1, 5, 0, 7);
      context.fill();
    }
  }

  /* The strip at the right: the whole graph from top to bottom, with findings, changes and what is in view. */
  paintMap(colours) {
    const ratio = window.devicePixelRatio || 1, context = this.map.getContext("2d"), { scene } = this;
    const unit = this.h / Math.max(scene.height, 1), key = [this.on.look(), scene.open.size, scene.height, this.h, ratio].join();
    if (this.stripKey !== key) {
      this.stripKey = key;
      this.strip = this.paintStrip(colours, unit, ratio);
    }
    context.setTransform(1, 0, 0, 1, 0, 0);
    context.clearRect(0, 0, this.map.width, this.map.height);
    if (this.strip.height) context.drawImage(this.strip, 0, 0);
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    const top = -this.y / this.scale * unit, height = this.h / this.scale * unit;
    context.strokeStyle = colours.accent;
    context.lineWidth = 1.5;
    context.strokeRect(1, Math.max(1, top), 16, Math.max(4, Math.min(height, this.h - 2)));
  }

  paintStrip(colours, unit, ratio) {
    const strip = document.createElement("canvas"), context = strip.getContext("2d");
    strip.width = this.map.width;
    strip.height = this.map.height;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const box of this.scene.boxes) {
      const layer = this.model.layers[box.layer], mark = this.on.mark(this.index, box.layer);
      context.fillStyle = this.on.fill(this.index, box.layer);
      context.fillRect(5, box.y * unit, 8, Math.max(1, HEIGHT * unit));
      if (layer.f || mark) {
        context.fillStyle = colours[mark || (layer.f.some(([severity]) => severity === "error") ? "error" : "warn")];
        context.fillRect(0, box.y * unit, 4, Math.max(2, HEIGHT * unit));
      }
    }
    return strip;
  }

  pointers() {
    const { canvas } = this, held = new Map();
    let moved = 0;
    canvas.addEventListener("pointerdown", (event) => {
      held.set(event.pointerId, [event.offsetX, event.offsetY]);
      canvas.setPointerCapture(event.pointerId);
      moved = 0;
    });
    canvas.addEventListener("pointermove", (event) => {
      const before = held.get(event.pointerId), now = [event.offsetX, event.offsetY];
      if (!before) return this.hover(...now);
      if (held.size === 2) {
        const [other] = [...held].filter(([id]) => id !== event.pointerId).map(([, place]) => place);
        const distance = (a, b) => Math.hypot(a[0] - b[0], a[1] - b[1]) || 1;
        this.zoom(distance(now, other) / distance(before, other), (now[0] + other[0]) / 2, (now[1] + other[1]) / 2);
      } else {
        moved += Math.abs(now[0] - before[0]) + Math.abs(now[1] - before[1]);
        this.x += now[0] - before[0];
        this.y += now[1] - before[1];
        if (moved > 4) canvas.classList.add("dragging");
        this.draw();
      }
      held.set(event.pointerId, now);
      this.tip.hidden = true;
    });
    const up = (event) => {
      if (held.delete(event.pointerId) && moved <= 4 && event.type === "pointerup" && !held.size) {
        const layer = this.under(event.offsetX, event.offsetY);
        if (layer >= 0) this.on.select(this.index, layer, event.detail);
      }
      canvas.classList.remove("dragging");
    };
    canvas.addEventListener("pointerup", up);
    canvas.addEventListener("pointercancel", up);
    canvas.addEventListener("pointerleave", () => { this.tip.hidden = true; });
    canvas.addEventListener("dblclick", (event) => {
      const layer = this.under(event.offsetX, event.offsetY);
      if (layer >= 0) this.toggle(layer);
    });
    canvas.addEventListener("wheel", (event) => {
      event.preventDefault();
      if (event.ctrlKey || event.metaKey) return this.zoom(Math.exp(-event.deltaY * .01), event.offsetX, event.offsetY);
      const step = event.deltaMode === 1 ? 30 : 1;
      this.x -= (event.shiftKey ? event.deltaY : event.deltaX) * step;
      this.y -= (event.shiftKey ? 0 : event.deltaY) * step;
      this.draw();
    }, { passive: false });
    this.map.addEventListener("pointerdown", (event) => this.jump(event));
    this.map.addEventListener("pointermove", (event) => event.buttons && this.jump(event));
  }

  jump(event) {
    const y = event.offsetY / this.h * this.scene.height;
    this.y = this.h / 2 - y * this.scale;
    this.draw();
  }

  under(x, y) {
    return this.scene.hit((x - this.x) / this.scale, (y - this.y) / this.scale);
  }

  hover(x, y) {
    const layer = this.under(x, y);
    this.canvas.style.cursor = layer >= 0 ? "pointer" : "";
    this.tip.hidden = layer < 0;
    if (layer < 0) return;
    const found = this.model.layers[layer], number = this.on.number(this.index, layer);
    this.tip.textContent = `${found.t}  ${found.p}${found.n}${number ? `  ${number}` : ""}`;
    this.tip.style.left = `${Math.min(x + 14, this.w - 200)}px`;
    this.tip.style.top = `${y + 18}px`;
  }

  toggle(layer) {
    const before = this.scene.box.get(layer);
    const [x, y] = [before.x + before.w / 2, before.y];
    if (!this.scene.toggle(layer)) return;
    const after = this.scene.box.get(layer);
    this.x += (x - after.x - after.w / 2) * this.scale;
    this.y += (y - after.y) * this.scale;
    this.draw();
  }
}
