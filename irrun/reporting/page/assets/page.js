"use strict";

/* Joins the views, the panel, the search and the keys. */

(() => {
  const data = JSON.parse(document.getElementById("data").textContent);
  const byId = (id) => document.getElementById(id);
  const root = document.documentElement, dark = matchMedia("(prefers-color-scheme: dark)");
  const partner = data.models.map(() => new Map()), marks = data.models.map(() => new Map());
  for (const [first, second] of data.pairs || []) {
    partner[0].set(first, second);
    partner[1].set(second, first);
  }
  for (const [kind, ...sides] of data.changes || []) {
    sides.slice(0, 2).forEach((layer, side) => {
      const word = kind === "added" ? "good" : kind === "removed" ? "error" : "warn";
      const isFollowing = sides[6];
      if (layer >= 0 && !isFollowing && marks[side].get(layer) !== "good") marks[side].set(layer, word);
    });
  }
  let heat = "", theme = "", colours = {}, scale = null, active = 0;

  /* -- colours */

  function read() {
    const style = getComputedStyle(root), found = {};
    for (const name of ["page", "ink", "faint", "line", "accent", "warn", "error", "good", "product", "activation", "normalization", "pooling",
      "movement", "arithmetic", "sequence", "quantization", "end", "constant", "other", "cold", "heat-0", "heat-1", "heat-2", "heat-3"]) {
      found[name] = style.getPropertyValue(`--${name}`).trim();
    }
    colours = found;
    colours.steps = ["heat-0", "heat-1", "heat-2", "heat-3"].map((name) => found[name].match(/\w\w/g).map((part) => parseInt(part, 16)));
  }

  function setTheme(name) {
    theme = name;
    root.dataset.theme = name || (dark.matches ? "dark" : "light");
    read();
    views.forEach((view) => view.draw());
  }

  function scaled(value) {
    const [low, high, log] = scale;
    const place = log ? Math.log(Math.max(value, low)) - Math.log(low) : value - low;
    const whole = log ? Math.log(high) - Math.log(low) : high - low;
    return whole > 0 ? Math.min(1, Math.max(0, place / whole)) : value > 0 ? 1 : 0;
  }

  function heatColour(value) {
    const place = scaled(value) * 3, step = Math.min(2, Math.floor(place)), part = place - step;
    const mixed = colours.steps[step].map((from, i) => Math.round(from + (colours.steps[step + 1][i] - from) * part));
    return `rgb(${mixed})`;
  }

  function fill(model, layer) {
    const found = data.models[model].layers[layer];
    if (!heat) return colours[found.k];
    return heat in found.h ? heatColour(found.h[heat]) : colours.cold;
  }

  function ink(model, layer) {
    const value = heat ? data.models[model].layers[layer].h[heat] : undefined;
    if (value === undefined) return colours.ink;
    const isDark = root.dataset.theme === "dark", hot = scaled(value);
    return isDark ? (hot > .55 ? "#14171c" : colours.ink) : (hot > .5 ? "#ffffff" : colours.ink);
  }

  function number(model, layer) {
    const value = heat ? data.models[model].layers[layer].h[heat] : undefined;
    const [, label, unit] = data.models[model].heats.find(([key]) => key === heat) || [];
    return value === undefined ? "" : `${label} ${short(value)} ${unit}`;
  }

  function setHeat(key) {
    heat = key;
    const found = data.models.flatMap((model) => model.heats).find(([name]) => name === key);
    const values = data.models.flatMap((model) => model.layers).map((layer) => layer.h[key]).filter((value) => value !== undefined);
    const legend = byId("legend");
    legend.replaceChildren();
    if (found) {
      const log = found[3], positive = values.filter((value) => value > 0);
      const high = Math.max(...values, 0), low = log ? Math.max(Math.min(...positive, high || 1), high / 1e6) : Math.min(...values, 0);
      scale = [low, high, log];
      const ends = [low, high].map((value) => element("span", { textContent: `${short(value)} ${found[2]}` }));
      legend.append(...(low < high ? [ends[0], element("i"), ends[1]] : [element("i"), ends[1]]));
    }
    byId("heat").value = key;
    views.forEach((view) => view.draw());
  }

  /* -- selection */

  function select(model, layer, { follow = false } = {}) {
    active = model;
    views.forEach((view, index) => {
      const own = index === model ? layer : partner[model].get(layer);
      view.selected = own === undefined ? -1 : own;
      if (own !== undefined && (follow || index !== model)) view.show(own);
      view.draw();
    });
    details.layer(model, layer);
    const found = data.models[model].layers[layer];
    byId("live").textContent = `${found.t} ${found.n}, ${found.d}`;
  }

  function deselect() {
    views.forEach((view) => { view.selected = -1; view.draw(); });
    details.summary();
  }

  /* Return the layer where reading begins: the first change, the largest own error, the first finding of the linter. */
  function first() {
    for (const [, one, other, , , , , follows] of data.changes || []) {
      if (!follows && one >= 0) return [0, one];
      if (!follows && other >= 0) return [1, other];
    }
    const { layers } = data.models[0], own = (place) => layers[place].h.own || 0;
    const worst = [...layers.keys()].reduce((a, b) => (own(b) > own(a) ? b : a), 0);
    if (layers.length && own(worst) > 0) return [0, worst];
    for (const severity of ["error", "warning"]) {
      const place = layers.findIndex((layer) => (layer.f || []).some((item) => item[0] === severity));
      if (place >= 0) return [0, place];
    }
    return null;
  }

  /* Show the first finding in the graphs, beside the summary, coloured by what a run has shown: errors, or times. */
  function open() {
    const shown = ["error", "time"].find((name) => data.models[0].heats.some(([key]) => key === name));
    if (shown) setHeat(shown);
    const place = first();
    if (!place) return;
    select(...place, { follow: true });
    details.summary();
  }

  /* -- search */

  const search = byId("search"), found = byId("found");
  let hits = [], chosen = 0;

  function look(text) {
    const words = text.toLowerCase().split(/\s+/).filter(Boolean);
    if (!words.length) return [];
    const ranked = [];
    data.models.forEach((model, index) => model.layers.forEach((layer, place) => {
      const name = `${layer.t} ${layer.p}${layer.n}`.toLowerCase();
      const more = () => `${name} ${layer.i} ${layer.out.map((row) => row[2].join(" ")).join(" ")} ${layer.in.map((row) => row[2] < 0 ? row[3] : "").join(" ")}`.toLowerCase();
      const direct = words.every((word) => name.includes(word));
      if (direct || words.every((word) => more().includes(word))) {
        const exact = layer.n.toLowerCase() === text.trim().toLowerCase();
        ranked.push([exact ? 0 : direct ? 1 : 2, index, place]);
      }
    }));
    return ranked.sort((a, b) => a[0] - b[0]).map(([, index, place]) => [index, place]);
  }

  function list() {
    hits = look(search.value);
    chosen = 0;
    const shown = hits.slice(0, 60).map(([model, place], index) => {
      const layer = data.models[model].layers[place];
      const side = data.models.length > 1 ? `  (${model ? "right" : "left"})` : "";
      return element("li", { role: "option", id: `hit${index}`, click: () => choose(index) },
        element("span", { className: "type", textContent: layer.t }), ` ${layer.p}${layer.n}  ${layer.d}${side}`);
    });
    const more = hits.length > 60 ? [element("li", { className: "more", textContent: `and ${hits.length - 60} more` })] : [];
    const none = search.value.trim() && !hits.length ? [element("li", { className: "more", textContent: "no layer matches" })] : [];
    found.replaceChildren(...shown, ...more, ...none);
    found.hidden = !search.value.trim();
    search.setAttribute("aria-expanded", String(!found.hidden));
    highlight();
  }

  function highlight() {
    [...found.children].forEach((item, index) => item.setAttribute("aria-selected", String(index === chosen && hits.length > 0)));
    const item = found.children[chosen];
    search.setAttribute("aria-activedescendant", item ? item.id : "");
    if (item && item.scrollIntoView) item.scrollIntoView({ block: "nearest" });
  }

  function choose(index) {
    const hit = hits[index];
    if (!hit) return;
    found.hidden = true;
    search.setAttribute("aria-expanded", "false");
    select(hit[0], hit[1], { follow: true });
    views[hit[0]].canvas.focus();
  }

  search.addEventListener("input", list);
  search.addEventListener("focus", () => { if (search.value.trim()) list(); });
  search.addEventListener("keydown", (event) => {
    const step = { ArrowDown: 1, ArrowUp: -1 }[event.key];
    if (step) {
      chosen = Math.max(0, Math.min(Math.min(hits.length, 60) - 1, chosen + step));
      highlight();
      event.preventDefault();
    } else if (event.key === "Enter") choose(chosen);
    else if (event.key === "Escape") {
      found.hidden = true;
      views[active].canvas.focus();
      event.stopPropagation();
    }
  });
  document.addEventListener("pointerdown", (event) => { if (!event.target.closest(".search")) found.hidden = true; });

  /* -- keys */

  function move(key) {
    const view = views[active], layer = view.selected, model = data.models[active];
    if (layer < 0) return select(active, view.scene.boxes[0].layer, { follow: true });
    const row = view.scene.row(layer), place = row.indexOf(layer);
    const target = {
      ArrowUp: () => model.layers[layer].in.map((input) => input[2]).find((source) => source >= 0),
      ArrowDown: () => model.layers[layer].out.flatMap((output) => output[3])[0],
      ArrowLeft: () => row[place - 1],
      ArrowRight: () => row[place + 1],
    }[key]();
    if (target !== undefined) select(active, target, { follow: true });
  }

  document.addEventListener("keydown", (event) => {
    if (event.target.closest("input, select, dialog") || event.ctrlKey || event.metaKey || event.altKey) return;
    const view = views[active], { key } = event;
    const inGraph = event.target === document.body || event.target.tagName === "CANVAS";
    if (key === "/") search.focus(), search.select();
    else if (key === "?") byId("keys").showModal();
    else if (key === "+" || key === "=") view.zoom(1.25);
    else if (key === "-") view.zoom(.8);
    else if (key === "0") view.fit();
    else if (key === "Escape") deselect();
    else if (inGraph && key.startsWith("Arrow")) move(key);
    else if (inGraph && key === "Enter" && view.selected >= 0) view.toggle(view.selected);
    else return;
    event.preventDefault();
  });

  /* -- start */

  const views = [];
  const details = new Details(byId("panel"), data, (model, layer) => select(model, layer, { follow: true }));
  root.dataset.theme = dark.matches ? "dark" : "light";
  read();
  const on = {
    colours: () => colours, look: () => heat + root.dataset.theme, fill, ink, number, mark: (model, layer) => marks[model].get(layer), labels: data.models.length > 1,
    select: (model, layer) => { select(model, layer); },
  };
  data.models.forEach((model, index) => {
    const view = new View(byId("views"), model, index, on);
    view.canvas.addEventListener("focus", () => { active = index; });
    views.push(view);
  });
  views.forEach((view) => { view.resize(); view.home(); });
  const kinds = new Map(data.models.flatMap((model) => model.heats).map(([key, label]) => [key, label]));
  byId("heat").append(new Option("by kind of operation", ""), ...[...kinds].map(([key, label]) => new Option(label, key)));
  byId("heat").addEventListener("change", (event) => setHeat(event.target.value));
  byId("in").addEventListener("click", () => views.forEach((view) => view.zoom(1.25)));
  byId("out").addEventListener("click", () => views.forEach((view) => view.zoom(.8)));
  byId("fit").addEventListener("click", () => views.forEach((view) => view.fit()));
  byId("help").addEventListener("click", () => byId("keys").showModal());
  byId("theme").addEventListener("click", () => setTheme(root.dataset.theme === "dark" ? "light" : "dark"));
  dark.addEventListener("change", () => { if (!theme) setTheme(""); });
  details.summary();
  open();
  window.report = { data, views, select, setHeat, setTheme };
})();
