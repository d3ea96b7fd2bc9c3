// The page itself: what is chosen, the controls, the address, and what is saved.

const VIEWS = {head: ["Heads", HeadView], model: ["All heads", ModelView], neuron: ["Neurons", NeuronView]};
const UNITS = {tokens: "tokens", words: "words"};
const THEMES = ["", "light", "dark"];
const between = (value, low, high) => Math.max(low, Math.min(high, value));

class Page {
  constructor() {
    this.views = Object.fromEntries(Object.entries(VIEWS).map(([name, [, View]]) => [name, new View(byId("stage"), this)]));
    this.times = {};
    this.makeControls();
  }

  get sequence() {
    return SEQUENCES[this.state.text];
  }

  // ---- What is chosen, and its form in the address.
  firstState() {
    const [layer, head] = DATA.first;
    return {text: 0, view: "head", layer, heads: [head], quantity: "weight", unit: "tokens", hide: false, contrast: 1,
      left: new Set(), right: new Set(), theme: ""};
  }

  stateOf(hash) {
    const given = new URLSearchParams(hash.replace(/^#/, "")), state = this.firstState();
    const number = (name, count, old) => {
      const value = Number.parseInt(given.get(name), 10);
      return Number.isNaN(value) ? old : between(value - 1, 0, count - 1);
    };
    const oneOf = (name, choices, old) => (Object.hasOwn(choices, given.get(name) ?? "") ? given.get(name) : old);
    const numbers = (name, count) => [...new Set((given.get(name) ?? "").split(",").map((part) => Number.parseInt(part, 10) - 1)
      .filter((value) => value >= 0 && value < count))];
    state.text = number("text", SEQUENCES.length, state.text);
    state.view = oneOf("view", VIEWS, state.view);
    state.layer = number("layer", DATA.layers, state.layer);
    if (given.has("heads")) state.heads = numbers("heads", DATA.heads);
    if (!state.heads.length) state.heads = [0];
    state.quantity = oneOf("lines", QUANTITIES, state.quantity);
    state.unit = oneOf("units", UNITS, state.unit);
    state.hide = given.get("specials") === "hidden";
    const contrast = Number.parseFloat(given.get("contrast"));
    if (!Number.isNaN(contrast)) state.contrast = between(contrast, 0.2, 1.4);
    const count = SEQUENCES[state.text].labels(state.unit).length;
    for (const [side, name] of [["left", "from"], ["right", "to"]]) state[side] = new Set(numbers(name, count));
    if (THEMES.includes(given.get("theme"))) state.theme = given.get("theme");
    return state;
  }

  hash() {
    const {state} = this, plus = (places) => [...places].map((place) => place + 1).join();
    const parts = {text: state.text + 1, view: state.view, layer: state.layer + 1, heads: plus(state.heads),
      lines: state.quantity, units: state.unit};
    if (state.hide) parts.specials = "hidden";
    if (state.contrast !== this.firstState().contrast) parts.contrast = state.contrast;
    if (state.left.size) parts.from = plus(state.left);
    if (state.right.size) parts.to = plus(state.right);
    if (state.theme) parts.theme = state.theme;
    return `#${Object.entries(parts).map(([name, value]) => `${name}=${value}`).join("&")}`;
  }

  async start() {
    this.state = this.stateOf(location.hash);
    await this.refresh();
    window.addEventListener("hashchange", () => {
      if (location.hash === this.hash()) return;
      this.state = this.stateOf(location.hash);
      this.refresh();
    });
    let waiting;
    window.addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.refresh(), 100);
    });
    matchMedia("(prefers-color-scheme: dark)").addEventListener("change", () => this.refresh());
  }

  // Change what is chosen, and show it. Kept tokens are forgotten where they mean others.
  change(changes) {
    if ("text" in changes || "unit" in changes) Object.assign(this.state, {left: new Set(), right: new Set()});
    Object.assign(this.state, changes);
    return this.refresh();
  }

  async refresh() {
    const {state} = this, {text} = state;
    document.documentElement.dataset.theme = state.theme;
    await this.sequence.load();
    if (state.view === "neuron") await this.sequence.loadNeurons();
    if (state !== this.state || text !== state.text) return; // another choice was quicker
    history.replaceState(null, "", this.hash());
    this.setControls();
    this.hideTip();
    this.views[state.view].show();
    this.tellNotes();
    document.body.dataset.shown = this.hash();
  }

  // A change of tokens alone needs no new stage.
  keep(side, place) {
    const kept = this.state[side];
    if (!kept.delete(place)) kept.add(place);
    history.replaceState(null, "", this.hash());
    this.views[this.state.view].draw();
    document.body.dataset.shown = this.hash();
  }

  keepOnly(token) {
    const place = this.state.unit === "words" ? this.sequence.packed.word_of[token] : token;
    this.change({left: new Set([place])});
  }

  choose(layer, head) {
    return this.change({layer, heads: [head], view: "head"});
  }

  toggleHead(head) {
    const {heads} = this.state;
    const kept = heads.filter((other) => other !== head);
    if (kept.length === heads.length) this.change({heads: [head, ...heads]});
    else if (kept.length) this.change({heads: kept});
  }

  // ---- Controls.
  makeControls() {
    byId("model").textContent = DATA.model;
    byId("about").textContent = DATA.about;
    for (const [name, [label]] of Object.entries(VIEWS)) {
      const button = element("button", {id: `view-${name}`, textContent: label});
      button.onclick = () => this.change({view: name});
      byId("views").append(button);
    }
    const options = (id, labels) => byId(id).append(...labels.map(([value, label]) => element("option", {value, textContent: label})));
    options("sequence", SEQUENCES.map((sequence, i) =>
      [i, `${i + 1}. ${sequence.title.slice(0, 90)}${sequence.title.length > 90 ? " …" : ""} (${sequence.tokens.length} tokens)`]));
    options("layer", Array.from({length: DATA.layers}, (_, layer) => [layer + 1, layer + 1]));
    options("quantity", Object.entries(QUANTITIES));
    options("unit", Object.entries(UNITS));
    byId("sequence").onchange = (event) => this.change({text: Number(event.target.value)});
    byId("layer").onchange = (event) => this.change({layer: event.target.value - 1});
    byId("quantity").onchange = (event) => this.change({quantity: event.target.value});
    byId("unit").onchange = (event) => this.change({unit: event.target.value});
    byId("hide-specials").onchange = (event) => this.change({hide: event.target.checked});
    byId("contrast").oninput = (event) => this.change({contrast: 1.6 - Number(event.target.value)});
    for (let head = 0; head < DATA.heads; head++) {
      const button = element("button", {className: "head", textContent: head + 1});
      button.onclick = () => this.toggleHead(head);
      button.ondblclick = () => this.change({heads: [head]});
      this.tip(button, () => [`head ${headName(this.state.layer, head)}`, noteOf(this.state.layer, head)?.brief]
        .filter(Boolean).join("\n"));
      byId("heads").append(button);
    }
    byId("all-heads").onclick = () => this.allHeads();
    byId("one-head").onclick = () => this.change({heads: [this.state.heads[0]]});
    byId("save-svg").onclick = () => this.saveSvg();
    byId("save-csv").onclick = () => this.saveNumbers();
    byId("copy-link").onclick = () => this.copyLink();
    byId("theme").onclick = () => this.nextTheme();
    byId("show-help").onclick = () => byId("help").showModal();
    for (const [keys, meaning] of KEYS)
      byId("keys").append(element("tr", {}, element("td", {}, ...keys.split(" ").flatMap((key) =>
        [element("kbd", {textContent: key}), " "])), element("td", {textContent: meaning})));
    document.addEventListener("keydown", (event) => this.key(event));
  }

  setControls() {
    const {state} = this;
    byId("sequence").value = state.text;
    byId("layer").value = state.layer + 1;
    byId("quantity").value = state.quantity;
    byId("unit").value = state.unit;
    byId("hide-specials").checked = state.hide;
    byId("contrast").value = 1.6 - state.contrast;
    for (const name of Object.keys(VIEWS)) byId(`view-${name}`).setAttribute("aria-pressed", name === state.view);
    [...byId("heads").children].forEach((button, head) => {
      button.setAttribute("aria-pressed", state.heads.includes(head));
      button.setAttribute("aria-label", `head ${head + 1}`);
      button.style.setProperty("--head", headColour(head));
      button.setAttribute("aria-current", head === state.heads[0]);
      button.disabled = state.quantity === "summed";
    });
    byId("head-row").hidden = state.view === "model";
    byId("theme").textContent = {"": "Theme: auto", light: "Theme: light", dark: "Theme: dark"}[state.theme];
  }

  allHeads() {
    const [focus] = this.state.heads, others = Array.from({length: DATA.heads}, (_, head) => head);
    this.change({heads: [focus, ...others.filter((head) => head !== focus)]});
  }

  nextTheme() {
    const {theme} = this.state, dark = matchMedia("(prefers-color-scheme: dark)").matches;
    // The first press is one that can be seen.
    const order = dark ? ["", "light", "dark"] : ["", "dark", "light"];
    this.change({theme: order[(order.indexOf(theme) + 1) % order.length]});
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    if (event.target.closest("select, input")) return;
    const {state} = this, [focus] = state.heads;
    const step = (value, by, count) => (value + by + count) % count;
    const next = (choices, value) => choices[(choices.indexOf(value) + 1) % choices.length];
    const actions = {
      ArrowLeft: () => this.change({heads: [step(focus, -1, DATA.heads)]}),
      ArrowRight: () => this.change({heads: [step(focus, 1, DATA.heads)]}),
      ArrowUp: () => this.change({layer: step(state.layer, -1, DATA.layers)}),
      ArrowDown: () => this.change({layer: step(state.layer, 1, DATA.layers)}),
      "[": () => this.change({text: step(state.text, -1, SEQUENCES.length)}),
      "]": () => this.change({text: step(state.text, 1, SEQUENCES.length)}),
      1: () => this.change({view: "head"}),
      2: () => this.change({view: "model"}),
      3: () => this.change({view: "neuron"}),
      a: () => this.allHeads(),
      o: () => this.change({heads: [focus]}),
      q: () => this.change({quantity: next(Object.keys(QUANTITIES), state.quantity)}),
      w: () => this.change({unit: next(Object.keys(UNITS), state.unit)}),
      x: () => this.change({hide: !state.hide}),
      d: () => this.nextTheme(),
      s: () => this.saveSvg(),
      n: () => this.saveNumbers(),
      c: () => this.copyLink(),
      "?": () => byId("help").showModal(),
      Escape: () => this.change({left: new Set(), right: new Set()}),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  }

  // ---- What is told beside the stage.
  tip(button, text) {
    button.addEventListener("pointerenter", () => {
      const tip = byId("tip"), box = button.getBoundingClientRect();
      tip.textContent = text();
      tip.hidden = false;
      const {offsetWidth: width, offsetHeight: height} = tip;
      tip.style.left = `${between(box.left + box.width / 2 - width / 2, 4, Math.max(4, innerWidth - width - 4))}px`;
      tip.style.top = `${box.bottom + height + 6 > innerHeight ? box.top - height - 6 : box.bottom + 6}px`;
    });
    button.addEventListener("pointerleave", () => this.hideTip());
  }

  hideTip() {
    byId("tip").hidden = true;
  }

  tookTime(name, milliseconds) {
    this.times[name] = milliseconds;
    document.body.dataset.redraw = milliseconds.toFixed(1);
  }

  tellNumbers(numbers, lines, left) {
    const {state} = this, box = byId("numbers");
    box.hidden = lines === null;
    if (lines === null) return;
    const many = numbers?.heads.length > 1;
    const said = (names) => names.slice(0, 6).map((name) => `“${name}”`).join(" + ") + (names.length > 6 ? " + …" : "");
    const title = !numbers ? quantityName(state)
      : [numbers.from && `from ${said(numbers.from)}`, numbers.to && `to ${said(numbers.to)}`].filter(Boolean).join(" ");
    const drawn = `${lines.toLocaleString("en")} lines${left ? `; ${left.toLocaleString("en")} fainter ones are not drawn` : ""}`;
    box.replaceChildren(element("h2", {}, element("bdi", {textContent: title})));
    if (!numbers) {
      box.append(element("p", {className: "faint", textContent: `${drawn}. Point at a token for its numbers.`}));
      return;
    }
    const perHead = many && numbers.heads.length <= 4;
    const table = element("table"), cell = (text, name = "td") => element(name, {textContent: text});
    if (many) table.append(element("tr", {}, cell("", "th"), cell("mean", "th"),
      ...(perHead ? numbers.heads.map((head) => cell(headName(state.layer, head), "th")) : [])));
    for (const {label, value, perHead: values} of numbers.rows)
      table.append(element("tr", {}, element("td", {}, element("bdi", {textContent: label})),
        cell(written(value, state.quantity)), ...(perHead ? values.map((one) => cell(written(one, state.quantity))) : [])));
    box.append(element("p", {className: "faint", textContent: quantityName(state)}), table);
  }

  tellNotes() {
    const {state, sequence} = this, {layer, quantity} = state, [head] = state.heads, box = byId("notes");
    const places = shownPlaces(sequence, state), count = sequence.labels(state.unit).length;
    const values = sequence.map(layer, head, quantity, state.unit);
    const largest = values.reduce((most, value) => Math.max(most, value), 0);
    const picture = mapPicture(values, count, places, largest, state.contrast, ramp());
    const reading = element("p", {className: "faint reading", textContent: "rows attend to columns"});
    picture.className = "map";
    picture.onpointermove = (event) => {
      const box = picture.getBoundingClientRect(), labels = sequence.labels(state.unit);
      const at = (part, side) => places[between(Math.floor((part / side) * places.length), 0, places.length - 1)];
      const row = at(event.clientY - box.top, box.height), column = at(event.clientX - box.left, box.width);
      reading.textContent = `${labels[row]} → ${labels[column]}: ${written(values[row * count + column], quantity)}`;
    };
    const title = quantity === "summed" ? `Layer ${layer + 1}, all heads` : `Head ${headName(layer, head)}`;
    box.replaceChildren(element("h2", {textContent: title}), picture, reading);
    if (quantity === "summed") return;
    const note = noteOf(layer, head);
    if (!note) return;
    box.append(element("p", {className: "faint", textContent: "What the analyses found of this head, over a whole corpus:"}));
    let group, list;
    for (const [name, label, value, share] of note.facts) {
      if (name !== group) {
        list = element("dl");
        box.append(element("h3", {textContent: name}), list);
        group = name;
      }
      const told = element("dd", {textContent: value});
      if (share !== null) told.style.setProperty("--share", between(share, 0, 1));
      list.append(element("dt", {textContent: label}), told);
    }
  }

  // ---- What can be taken away.
  fileName(suffix) {
    const {state} = this;
    const head = state.quantity === "summed" ? "sum" : state.heads.map((head) => head + 1).sort((a, b) => a - b).join("+");
    return `attention_text${state.text + 1}_${state.view}_${state.layer + 1}-${head}_${state.quantity}.${suffix}`;
  }

  svg() {
    const {state} = this, view = this.views[state.view];
    if (state.view === "neuron" && !this.sequence.queries) return null;
    return asSvg(view.scene(), `${DATA.model}, layer ${state.layer + 1}, ${quantityName(state)}: ${this.sequence.title}`);
  }

  saveSvg() {
    const svg = this.svg();
    if (svg) save(svg, "image/svg+xml", this.fileName("svg"));
  }

  // The numbers of the heads that are shown, as a table.
  numbersAsCsv() {
    const {state, sequence} = this, labels = sequence.labels(state.unit), places = shownPlaces(sequence, state);
    const heads = state.view === "model" && state.quantity !== "summed" ? [...Array(DATA.heads).keys()] : headsShown(state);
    const layers = state.view === "model" ? [...Array(DATA.layers).keys()] : [state.layer];
    const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
    const lines = ["layer,head,query,key,query_text,key_text,quantity,value"];
    for (const layer of layers)
      for (const head of heads) {
        const values = sequence.map(layer, head, state.quantity, state.unit);
        const start = `${layer + 1},${state.quantity === "summed" ? "" : head + 1}`;
        for (const from of places)
          for (const to of places)
            lines.push([start, from + 1, to + 1, quoted(labels[from]), quoted(labels[to]), state.quantity,
              Number(values[from * labels.length + to].toPrecision(4))].join());
      }
    return `${lines.join("\n")}\n`;
  }

  saveNumbers() {
    save(this.numbersAsCsv(), "text/csv", this.fileName("csv"));
  }

  async copyLink() {
    const link = location.href, button = byId("copy-link");
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = "Copied";
    } catch {
      prompt("The link to this view:", link); // the browser keeps the clipboard to itself
    }
    setTimeout(() => (button.textContent = "Copy link"), 1500);
  }
}

const KEYS = [
  ["← →", "previous and next head"],
  ["↑ ↓", "layer above and below; on a token: the token above and below"],
  ["[ ]", "previous and next text"],
  ["1 2 3", "heads, all heads, neurons"],
  ["a o", "all heads of the layer, only the one in focus"],
  ["q", "weight, norm, norm of the sum"],
  ["w", "tokens or words"],
  ["x", "hide special tokens"],
  ["Enter", "on a token: keep its lines"],
  ["Esc", "let go of all kept tokens"],
  ["s n c", "save SVG, save numbers, copy link"],
  ["d", "light or dark"],
];

function save(text, type, name) {
  const url = URL.createObjectURL(new Blob([text], {type}));
  element("a", {href: url, download: name}).click();
  setTimeout(() => URL.revokeObjectURL(url), 10000);
}

function tellProblem(problem) {
  byId("problem").textContent = `Something went wrong: ${problem?.message ?? problem}`;
}
window.addEventListener("error", (event) => tellProblem(event.error ?? event.message));
window.addEventListener("unhandledrejection", (event) => tellProblem(event.reason));

const explorer = new Page();
explorer.start();
