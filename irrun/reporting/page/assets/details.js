"use strict";

/* The panel: the summary of a model, or what is known of a layer. Every text is set as text, never as markup. */

const SEVERAL = 40, RANKED = 10;

function element(tag, options = {}, ...children) {
  const made = document.createElement(tag);
  for (const [key, value] of Object.entries(options)) {
    if (key === "click") made.addEventListener("click", value);
    else if (key in made && key !== "list") made[key] = value;
    else made.setAttribute(key, value);
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}

function section(title, ...children) {
  return children.length ? [element("h3", { textContent: title }), ...children] : [];
}

function rows(pairs) {
  return element("table", {}, ...pairs.map(([name, value, faint, title]) => element("tr", { className: faint ? "default" : "" },
    element("td", { textContent: name, title: title || "" }), element("td", { textContent: value, className: "pre" }))));
}

function short(value) {
  if (value === null || value === undefined) return "–";
  if (Number.isInteger(value) && Math.abs(value) < 1e15) return value.toLocaleString("en");
  return Math.abs(value) >= 1e5 || Math.abs(value) < 1e-3 ? value.toExponential(2) : String(Number(value.toPrecision(4)));
}

function finding([severity, code, message]) {
  return element("div", { className: `finding ${severity}` }, `${message} `, element("code", { textContent: `${severity} ${code}` }));
}

function histogram(counts) {
  const space = "http://www.w3.org/2000/svg", most = Math.max(...counts.bins, 1), wide = 100 / Math.max(counts.bins.length, 1);
  const drawing = document.createElementNS(space, "svg");
  drawing.setAttribute("class", "histogram");
  drawing.setAttribute("viewBox", "0 0 100 40");
  drawing.setAttribute("preserveAspectRatio", "none");
  drawing.setAttribute("role", "img");
  drawing.setAttribute("aria-label", `histogram of ${counts.size} values from ${short(counts.min)} to ${short(counts.max)}`);
  counts.bins.forEach((count, place) => {
    const bar = document.createElementNS(space, "rect"), tall = count ? Math.max(38 * count / most, .8) : 0;
    const places = { x: place * wide, y: 40 - tall, width: wide * .9, height: tall };
    for (const [key, value] of Object.entries(places)) bar.setAttribute(key, value);
    drawing.append(bar);
  });
  const axis = element("div", { className: "axis" }, element("span", { textContent: short(counts.min) }),
    element("span", { textContent: `mean ${short(counts.mean)}, std ${short(counts.std)}` }), element("span", { textContent: short(counts.max) }));
  const odd = [["NaN", counts.nan], ["Inf", counts.inf]].filter(([, count]) => count).map(([word, count]) => `${short(count)} ${word}`);
  const zeros = counts.zeros ? `${short(100 * counts.zeros / counts.sampled)} % zeros` : "";
  const sample = counts.sampled < counts.size ? `a sample of ${short(counts.sampled)} of ${short(counts.size)} values` : `${short(counts.size)} values`;
  const about = element("div", { className: "axis" }, element("span", { textContent: [sample, zeros, ...odd].filter(Boolean).join(", ") }));
  return [drawing, axis, about];
}

class Details {
  constructor(panel, data, go) {
    this.panel = panel;
    this.data = data;
    this.go = go;
  }

  clear(...children) {
    this.panel.replaceChildren(...children.flat());
    this.panel.scrollTop = 0;
  }

  link(model, layer, text) {
    const found = this.data.models[model].layers[layer];
    return element("button", { className: "link", textContent: text || `${found.t} ${found.n}`, click: () => this.go(model, layer) });
  }

  /* The summary of the models, with findings and changes. */
  summary() {
    const parts = [];
    this.data.models.forEach((model, index) => {
      const named = [model.file, model.name].filter((text) => text && text !== model.title).map((text) => element("p", { className: "name", textContent: text }));
      parts.push(element("h2", { textContent: model.title }), ...named);
      parts.push(rows(model.summary.map(([name, value]) => [name, value])));
      const found = model.layers.flatMap((layer, place) => (layer.f || []).map((item) => [item, place]));
      const list = [...model.findings.map((item) => [item, -1]), ...found].slice(0, 200).map(([item, place]) => {
        const line = finding(item);
        if (place >= 0) line.prepend(this.link(index, place), " ");
        return line;
      });
      parts.push(...this.ranked(index));
      parts.push(...section(`Findings of the linter (${model.findings.length + found.length})`, ...list));
    });
    this.data.models.forEach((model, index) => parts.push(...this.modules(index)));
    if (this.data.changes) parts.unshift(...this.changes());
    this.clear(parts);
  }

  /* The slowest layers, and those with the largest errors; errors belong to both models, and are listed once. */
  ranked(index) {
    const { layers, heats } = this.data.models[index];
    const lists = [["time", "Slowest layers"], ...(index ? [] : [["own", "Largest own errors"], ["error", "Largest errors"]])];
    return lists.filter(([key]) => heats.some((row) => row[0] === key)).flatMap(([key, title]) => {
      const [, , unit] = heats.find((row) => row[0] === key);
      const places = [...layers.keys()].filter((place) => layers[place].h[key] > 0).sort((a, b) => layers[b].h[key] - layers[a].h[key]);
      const found = places.slice(0, RANKED).map((place) => element("li", {}, this.link(index, place), ` ${short(layers[place].h[key])} ${unit}`));
      return section(title, ...(found.length ? [element("ol", { className: "ranked" }, ...found)] : []));
    });
  }

  /* The layers by module, the parts of their names between slashes: folded, with their number, time and largest error. */
  modules(index) {
    const { layers, title } = this.data.models[index], root = { inner: new Map(), places: [] };
    layers.forEach((layer, place) => {
      let at = root;
      for (const part of layer.n.split("/").slice(0, -1).filter(Boolean)) {
        if (!at.inner.has(part)) at.inner.set(part, { inner: new Map(), places: [] });
        at = at.inner.get(part);
      }
      at.places.push(place);
    });
    const all = (module) => [...module.places, ...[...module.inner.values()].flatMap(all)];
    const build = (name, module) => {
      let only = module, label = name;
      while (!only.places.length && only.inner.size === 1) {
        const [[part, inner]] = only.inner;
        [label, only] = [`${label}/${part}`, inner];
      }
      const places = all(only), sum = places.reduce((total, place) => total + (layers[place].h.time || 0), 0);
      const worst = Math.max(...places.map((place) => layers[place].h.own || 0));
      const facts = [`${short(places.length)} layers`, sum ? `${short(sum)} ms` : "", worst ? `own error ${short(worst)}` : ""];
      const made = element("details", { className: "module" }, element("summary", { textContent: `${label}  ${facts.filter(Boolean).join(", ")}` }));
      made.addEventListener("toggle", () => {
        if (!made.open || made.children.length > 1) return;
        made.append(...[...only.inner].map(([part, inner]) => build(part, inner)));
        made.append(...only.places.map((place) => element("div", {}, this.link(index, place))));
      });
      return made;
    };
    const word = this.data.models.length > 1 ? `Modules of ${title}` : "Modules";
    return section(word, ...[...root.inner].map(([name, module]) => build(name, module)));
  }

  changes() {
    const all = this.data.changes, direct = all.filter((change) => !change[7]);
    if (!all.length) return section("Difference", element("p", { textContent: "The models are equal." }));
    const list = element("ul", { className: "plain" }, ...direct.slice(0, 300).map((change) => this.change(change)));
    const more = direct.length > 300 ? [element("p", { textContent: `and ${direct.length - 300} more` })] : [];
    const following = all.length - direct.length;
    const note = following ? [element("p", { textContent: `${following} changes of shapes, types and edges follow from these.` })] : [];
    return section(`Difference (${direct.length})`, list, ...more, ...note);
  }

  change([kind, first, second, title, what, before, after]) {
    const [model, layer] = second >= 0 ? [1, second] : [0, first];
    const text = [what, before || after ? `${before || "none"} → ${after || "none"}` : ""].filter(Boolean).join(" ");
    const name = layer >= 0 ? this.link(model, layer, title) : element("span", { textContent: title });
    const className = `change ${["added", "removed"].includes(kind) ? kind : "changed"}`;
    return element("li", { className }, element("b", { textContent: kind }), " ", name, text ? `: ${text}` : "");
  }

  /* What is known of a layer. */
  layer(model, index) {
    const { layers, operations, heats } = this.data.models[model], layer = layers[index];
    const operation = operations[`${layer.t} ${layer.v}`] || {}, docs = operation.docs || {};
    const chips = [layer.v, operation.category, `id ${layer.i}`].filter(Boolean).map((text) => element("span", { className: "chip", textContent: text }));
    const parts = [
      element("h2", { textContent: layer.t }), element("p", { className: "name", textContent: layer.p + layer.n }),
      element("div", { className: "chips" }, ...chips), ...(layer.f || []).map(finding),
      ...layer.w.map((text) => element("p", { textContent: text })),
    ];
    const own = (this.data.changes || []).filter((change) => change[model + 1] === index);
    parts.push(...section("Changes", ...(own.length ? [element("ul", { className: "plain" }, ...own.map((change) => this.change(change)))] : [])));
    parts.push(...section("Shapes", ...layer.y.map((text) => element("div", { className: "mono", textContent: text }))));
    parts.push(...section("Attributes", ...(layer.a.length ? [rows(layer.a.map(([name, value, given]) => [name, value, !given, docs[name]]))] : [])));
    parts.push(...section("Inputs", ...layer.in.map((row, port) => this.input(model, port, row))));
    parts.push(...section("Outputs", ...layer.out.map((row, port) => this.output(model, port, row))));
    const numbers = heats.filter(([key]) => key in layer.h).map(([key, label, unit]) => [label, `${short(layer.h[key])} ${unit}`]);
    parts.push(...section("Numbers", ...(numbers.length ? [rows(numbers)] : [])));
    parts.push(...section("Statistics of the outputs", ...(layer.s || []).map((values, port) => this.statistics(values, port))));
    parts.push(...section("Notes", ...[...(operation.notes || [])].map((text) => element("p", { textContent: text }))));
    parts.push(...section("OpenVINO's CPU plugin", ...[...(operation.departures || []), ...(layer.g || [])].map((text) => element("p", { textContent: text }))));
    if (operation.page) parts.push(element("p", {}, element("a", { href: operation.page, target: "_blank", rel: "noreferrer", textContent: "Specification page" })));
    this.clear(parts);
  }

  input(model, port, [name, fact, source, sourceName, sourcePort, value, counts]) {
    const head = element("div", {}, element("span", { className: "what", textContent: `${port} ${name} ` }), element("span", { className: "mono", textContent: fact }));
    const origin = source >= 0 ? this.link(model, source, `${sourceName}${sourcePort ? `:${sourcePort}` : ""}`) : sourceName;
    const from = sourceName ? element("div", {}, source >= 0 ? "from " : "constant ", origin) : element("div", { textContent: "not connected" });
    const shown = value ? [element("div", { className: "mono", textContent: `= ${value}` })] : [];
    return element("div", { className: "port" }, head, from, ...shown, ...(counts && !value ? histogram(counts) : counts ? histogram(counts) : []));
  }

  output(model, port, [name, fact, tensors, readers, value]) {
    const head = element("div", {}, element("span", { className: "what", textContent: `${port} ${name} ` }), element("span", { className: "mono", textContent: fact }));
    const names = tensors.length ? [element("div", { className: "what", textContent: `tensor ${tensors.join(", ")}` })] : [];
    const shown = value ? [element("div", { className: "mono", textContent: `= ${value}` })] : [];
    const links = readers.slice(0, SEVERAL).flatMap((reader, place) => [place ? ", " : "read by ", this.link(model, reader)]);
    const more = readers.length > SEVERAL ? ` and ${readers.length - SEVERAL} more` : "";
    return element("div", { className: "port" }, head, ...names, ...shown, element("div", {}, ...(links.length ? links : ["read by nothing"]), more));
  }

  statistics([min, max, mean, std, nan, inf, zeros, size, subnormals, beyond], port) {
    const counts = [["zeros", zeros], ["NaN", nan], ["Inf", inf], ["subnormal", subnormals], ["beyond f16", beyond]];
    const pairs = [["min, max", `${short(min)}, ${short(max)}`], ["mean, std", `${short(mean)}, ${short(std)}`], ["values", short(size)]];
    return rows([[`output ${port}`, ""], ...pairs, ...counts.filter(([, count]) => count).map(([word, count]) => [word, short(count)])]);
  }
}
