// The page: its state, controls, address and saved files.

const VIEWS = {head: ["Heads", HeadView], model: ["All heads", ModelView], neuron: ["Neurons", NeuronView]};
const UNITS = {tokens: "tokens", words: "words"};
const THEMES = {"": "Theme: auto", light: "Theme: light", dark: "Theme: dark"};
// Keys that a control uses itself. The page handles all other keys.
const OF_CONTROLS = /^(Arrow.*|Page.*|Home|End|Enter|Tab| |\d)$/;
const between = (value, low, high) => Math.max(low, Math.min(high, value));
const darkSystem = matchMedia("(prefers-color-scheme: dark)");

class Page {
  constructor() {
    this.views = Object.fromEntries(Object.entries(VIEWS).map(([name, [, View]]) => [name, new View(byId("stage"), this)]));
    this.hovered = null; // {side, index} of the token that the mouse is over
    this.peek = null; // the head whose number the mouse is over
    // A frame with srcdoc has no address. Of several pages in one document, only the first uses the address.
    this.hasAddress = location.protocol !== "about:" && ROOT === document.querySelector(".explorer");
    // A page in a frame opens at its address, but leaves the history of the document around it alone.
    this.writesAddress = this.hasAddress && window === window.parent;
    this.makeControls();
  }

  get sequence() {
    return SEQUENCES[this.state.text];
  }

  // The sequences side by side: the text, the text beside it and, if both have equally many tokens, their difference.
  panes() {
    const {text, beside} = this.state;
    if (!beside) return [this.sequence];
    const other = SEQUENCES[beside - 1];
    if (this.difference?.of !== `${text},${beside}`)
      this.difference = {of: `${text},${beside}`, sequence: this.sequence.less(other)};
    return [this.sequence, other, this.difference.sequence].filter(Boolean);
  }

  // The sequence of the maps: the difference if there is one.
  mapped() {
    return this.panes()[2] ?? this.sequence;
  }

  // ---- The state, and its form in the address.
  firstState() {
    const [layer, head] = DATA.found.first;
    return {text: 0, beside: 0, view: "head", layer, heads: [head], quantity: "weight", unit: "tokens", parts: "", hide: false, contrast: 1,
      find: "", left: new Set(), right: new Set(), theme: ""};
  }

  stateOf(hash) {
    const given = new URLSearchParams(hash.replace(/^#/, "")), state = this.firstState();
    const number = (name, count, old) => {
      const value = Number.parseInt(given.get(name), 10);
      return Number.isNaN(value) ? old : between(value - 1, 0, count - 1);
    };
    const oneOf = (name, choices, old) => (Object.hasOwn(choices, given.get(name) ?? old) ? given.get(name) ?? old : old);
    const numbers = (name, count) => [...new Set((given.get(name) ?? "").split(",").map((part) => Number.parseInt(part, 10) - 1)
      .filter((value) => value >= 0 && value < count))];
    state.text = number("text", SEQUENCES.length, state.text);
    if (given.has("beside")) state.beside = number("beside", SEQUENCES.length, -1) + 1;
    state.view = oneOf("view", VIEWS, state.view);
    state.layer = number("layer", DATA.layers, state.layer);
    if (given.has("heads")) state.heads = numbers("heads", DATA.heads);
    if (!state.heads.length) state.heads = [0];
    state.quantity = oneOf("lines", QUANTITIES, state.quantity);
    state.unit = oneOf("units", UNITS, state.unit);
    state.parts = given.get("sentences") ?? "";
    state.hide = given.get("specials") === "hidden";
    state.find = given.get("find") ?? "";
    const contrast = Number.parseFloat(given.get("contrast"));
    if (!Number.isNaN(contrast)) state.contrast = between(contrast, 0.2, 1.4);
    const [from, to] = SEQUENCES[state.text].size(state.unit);
    state.left = new Set(numbers("from", from));
    state.right = new Set(numbers("to", to));
    state.theme = oneOf("theme", THEMES, state.theme);
    return this.possible(state);
  }

  // Replace choices that this text does not have.
  possible(state) {
    const sequence = SEQUENCES[state.text], other = SEQUENCES[state.beside - 1] ?? sequence;
    if (other === sequence) state.beside = 0;
    if (!sequence.hasNorms || !other.hasNorms) state.quantity = "weight";
    if (!sequence.hasWords) state.unit = "tokens";
    if (!this.partChoices(sequence).some(([choice]) => choice === state.parts)) state.parts = "";
    return state;
  }

  hash() {
    const {state} = this, plus = (indices) => [...indices].map((index) => index + 1).join();
    const parts = {text: state.text + 1, view: state.view, layer: state.layer + 1, heads: plus(state.heads),
      lines: state.quantity, units: state.unit};
    if (state.beside) parts.beside = state.beside;
    if (state.parts) parts.sentences = state.parts;
    if (state.hide) parts.specials = "hidden";
    if (state.contrast !== this.firstState().contrast) parts.contrast = state.contrast;
    if (state.find) parts.find = encodeURIComponent(state.find);
    if (state.left.size) parts.from = plus(state.left);
    if (state.right.size) parts.to = plus(state.right);
    if (state.theme) parts.theme = state.theme;
    return `#${Object.entries(parts).map(([name, value]) => `${name}=${value}`).join("&")}`;
  }

  // Write the state into the address: as a new step for the browser's Back button, or instead of the last step.
  remember(isStep) {
    if (!this.writesAddress || location.hash === this.hash()) return;
    try {
      history[isStep ? "pushState" : "replaceState"](null, "", this.hash());
    } catch {
      // The browser forbids a new address after too many steps in a short time.
    }
  }

  async start() {
    this.state = this.stateOf(this.hasAddress ? location.hash : "");
    if (this.hasAddress) document.title = `Attention heads of ${DATA.model}`;
    await this.refresh(false);
    window.addEventListener("hashchange", () => {
      if (!this.hasAddress || location.hash === this.hash()) return;
      this.state = this.stateOf(location.hash);
      this.refresh(false);
    });
    let waiting;
    window.addEventListener("resize", () => {
      clearTimeout(waiting);
      waiting = setTimeout(() => this.refresh(false), 100);
    });
    darkSystem.addEventListener("change", () => this.refresh(false));
  }

  // Change the state and show it. Release kept tokens if their indices would mean other tokens.
  change(changes, isStep = true) {
    if ("text" in changes || "unit" in changes) Object.assign(this.state, {left: new Set(), right: new Set()});
    this.possible(Object.assign(this.state, changes));
    return this.refresh(isStep);
  }

  async refresh(isStep) {
    const {state} = this, {text, view, beside} = state, hadFocus = ROOT.contains(document.activeElement);
    ROOT.dataset.theme = state.theme || (darkSystem.matches ? "dark" : "light");
    await Promise.all(this.panes().slice(0, 2).map((sequence) => sequence.load()));
    if (view === "neuron") await this.sequence.loadNeurons();
    if (state !== this.state || text !== state.text || view !== state.view || beside !== state.beside) return; // a later choice was faster
    this.remember(isStep);
    this.hideTip();
    this.setControls();
    this.views[view].show();
    this.tellMap();
    this.tellNotes();
    if (hadFocus && !ROOT.contains(document.activeElement)) byId("stage").focus({preventScroll: true});
    ROOT.dataset.shown = this.hash();
  }

  // Redraw only the lines, at the browser's next frame, so that moving to a neighboring token is one change, not two.
  redrawSoon() {
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      if (this.state.view === "head") this.views.head.draw();
    });
  }

  keep(side, index) {
    const kept = new Set(this.state[side]);
    if (!kept.delete(index)) kept.add(index);
    this.change({[side]: kept});
  }

  keepOnly(token) {
    this.change({left: new Set([this.state.unit === "words" ? this.sequence.left.wordOf[token] : token])});
  }

  choose(layer, head) {
    return this.change({layer, heads: [head], view: "head"});
  }

  toggleHead(head) {
    const {heads, view} = this.state;
    if (view === "neuron") return this.change({heads: [head]});
    const kept = heads.filter((other) => other !== head);
    if (kept.length === heads.length) this.change({heads: [head, ...heads]});
    else if (kept.length) this.change({heads: kept});
  }

  // The state as the view draws it: the view of neurons is about the weights of one head.
  drawnState() {
    const {state} = this;
    return state.view === "neuron" ? {...state, quantity: "weight", heads: state.heads.slice(0, 1)} : state;
  }

  headsShown() {
    if (this.state.quantity === "summed") return [0];
    return this.peek === null ? this.state.heads : [this.peek];
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
    const texts = SEQUENCES.map(({title, left}, i) =>
      [i, `${i + 1}. ${title.slice(0, 90)}${title.length > 90 ? " …" : ""} (${left.labels.tokens.length} tokens)`]);
    this.options("sequence", texts);
    this.options("beside", [[0, "nothing"], ...texts.map(([i, label]) => [i + 1, label])]);
    byId("beside").closest("label").hidden = SEQUENCES.length < 2;
    this.options("layer", Array.from({length: DATA.layers}, (_, layer) => [layer + 1, layer + 1]));
    this.options("quantity", Object.entries(QUANTITIES));
    this.options("unit", Object.entries(UNITS));
    byId("findings").append(...[...new Set(FINDINGS.map(({label}) => label))].map((value) => element("option", {value})));
    const controls = {
      sequence: (value) => ({text: Number(value)}),
      beside: (value) => ({beside: Number(value)}),
      layer: (value) => ({layer: value - 1}),
      quantity: (value) => ({quantity: value}),
      unit: (value) => ({unit: value}),
      parts: (value) => ({parts: value}),
    };
    for (const [id, changes] of Object.entries(controls)) byId(id).onchange = ({target}) => this.change(changes(target.value));
    byId("hide-specials").onchange = ({target}) => this.change({hide: target.checked});
    byId("contrast").oninput = ({target}) => this.change({contrast: 1.6 - Number(target.value)}, false);
    byId("find").oninput = ({target}) => this.change({find: target.value.trim(), view: "model"}, false);
    // After a choice by mouse, keys go to the page. After a choice by key, the focus stays in the control.
    for (const control of ROOT.querySelectorAll(".controls select, .controls [type=checkbox], .controls [type=range]")) {
      control.addEventListener("pointerdown", () => (this.byPointer = control));
      control.addEventListener("keydown", () => (this.byPointer = null));
      control.addEventListener("change", () => this.byPointer === control && byId("stage").focus({preventScroll: true}));
    }
    for (const head of allHeads) {
      const button = element("button", {className: "head", textContent: head + 1}), peek = (one) => () => {
        this.peek = one;
        this.redrawSoon();
      };
      button.setAttribute("aria-label", `head ${head + 1}`);
      button.onclick = () => this.toggleHead(head);
      button.ondblclick = () => this.change({heads: [head]});
      button.addEventListener("pointerenter", peek(head));
      button.addEventListener("pointerleave", peek(null));
      button.addEventListener("focus", () => button.matches(":focus-visible") && peek(head)());
      button.addEventListener("blur", peek(null));
      this.tip(button, () => [`head ${headName(this.state.layer, head)}`, BRIEFS[headName(this.state.layer, head)]]
        .filter(Boolean).join("\n"));
      byId("heads").append(button);
    }
    byId("all-heads").onclick = () => this.allHeads();
    byId("one-head").onclick = () => this.change({heads: [this.state.heads[0]]});
    byId("save-svg").onclick = () => this.saveSvg();
    byId("save-csv").onclick = () => this.saveNumbers();
    byId("copy-link").onclick = () => this.copyLink();
    byId("copy-link").hidden = !this.writesAddress;
    byId("theme").onclick = () => this.nextTheme();
    byId("show-help").onclick = () => byId("help").showModal();
    for (const [keys, meaning] of KEYS)
      byId("keys").append(element("tr", {}, element("td", {}, ...keys.split(" ").flatMap((key) =>
        [element("kbd", {textContent: key}), " "])), element("td", {textContent: meaning})));
    document.addEventListener("keydown", (event) => this.key(event));
    byId("map").querySelector("canvas").onpointermove = (event) => this.readMap(event);
  }

  options(id, labels) {
    byId(id).replaceChildren(...labels.map(([value, label]) => element("option", {value, textContent: label})));
    byId(id).closest("label").hidden = labels.length < 2;
  }

  // The pairs of sentences between which lines can go.
  partChoices({left, right}) {
    if (left.parts < 2 && right.parts < 2) return [["", "all"]];
    const letters = (side) => [...PARTS.slice(0, side.parts)];
    return [["", "all"], ...letters(left).flatMap((from) => letters(right).map((to) => [from + to, `${from} → ${to}`]))];
  }

  setControls() {
    const {state, sequence} = this, drawn = this.drawnState();
    byId("sequence").value = state.text;
    byId("beside").value = state.beside;
    byId("layer").value = state.layer + 1;
    byId("quantity").value = state.quantity;
    byId("quantity").closest("label").hidden = !sequence.hasNorms;
    byId("unit").value = state.unit;
    byId("unit").closest("label").hidden = !sequence.hasWords;
    if (this.partsOf !== sequence) this.options("parts", this.partChoices(sequence));
    this.partsOf = sequence;
    byId("parts").value = state.parts;
    byId("hide-specials").checked = state.hide;
    byId("hide-specials").closest("label").hidden = ![sequence.left, sequence.right].some(({special}) => special.includes(1));
    byId("contrast").value = 1.6 - state.contrast;
    if (byId("find").value.trim() !== state.find) byId("find").value = state.find;
    byId("find").closest("label").hidden = !FINDINGS.length;
    for (const name of Object.keys(VIEWS)) byId(`view-${name}`).setAttribute("aria-pressed", name === state.view);
    [...byId("heads").children].forEach((button, head) => {
      button.setAttribute("aria-pressed", drawn.heads.includes(head));
      button.style.setProperty("--head", headColor(head));
      button.setAttribute("aria-current", head === state.heads[0]);
      button.disabled = drawn.quantity === "summed";
    });
    byId("head-row").hidden = state.view === "model";
    byId("theme").textContent = THEMES[state.theme];
    const count = this.countOfNumbers();
    byId("save-csv").textContent = `Save ${count.toLocaleString("en")} numbers`;
    byId("save-csv").disabled = !count;
    byId("save-svg").disabled = !this.canBeDrawn();
  }

  allHeads() {
    const [focus] = this.state.heads;
    this.change({heads: [focus, ...allHeads.filter((head) => head !== focus)]});
  }

  nextTheme() {
    // The first press must change the look.
    const order = darkSystem.matches ? ["", "light", "dark"] : ["", "dark", "light"];
    this.change({theme: order[(order.indexOf(this.state.theme) + 1) % order.length]}, false);
  }

  key(event) {
    if (event.ctrlKey || event.metaKey || event.altKey || byId("help").open) return;
    const {target} = event;
    // Keys outside of all pages go to the page that uses the address.
    if (!ROOT.contains(target) && !(target === document.body && ROOT === document.querySelector(".explorer"))) return;
    if (target.closest("[type=search]") ? event.key !== "Escape" : target.closest("select, input") && OF_CONTROLS.test(event.key)) return;
    const {state} = this, [focus] = state.heads;
    const step = (value, by, count) => (value + by + count) % count;
    const next = (choices, value) => choices[(choices.indexOf(value) + 1) % choices.length];
    const actions = {
      ArrowLeft: () => this.change({heads: [step(focus, -1, DATA.heads)]}),
      ArrowRight: () => this.change({heads: [step(focus, 1, DATA.heads)]}),
      k: () => this.change({layer: step(state.layer, -1, DATA.layers)}),
      j: () => this.change({layer: step(state.layer, 1, DATA.layers)}),
      "[": () => this.change({text: step(state.text, -1, SEQUENCES.length)}),
      "]": () => this.change({text: step(state.text, 1, SEQUENCES.length)}),
      1: () => this.change({view: "head"}),
      2: () => this.change({view: "model"}),
      3: () => this.change({view: "neuron"}),
      a: () => this.allHeads(),
      o: () => this.change({heads: [focus]}),
      q: () => this.change({quantity: next(Object.keys(QUANTITIES), state.quantity)}),
      w: () => this.change({unit: next(Object.keys(UNITS), state.unit)}),
      p: () => this.change({parts: next(this.partChoices(this.sequence).map(([choice]) => choice), state.parts)}),
      x: () => this.change({hide: !state.hide}),
      f: () => byId("find").focus(),
      d: () => this.nextTheme(),
      s: () => this.saveSvg(),
      n: () => this.saveNumbers(),
      c: () => this.copyLink(),
      "?": () => byId("help").showModal(),
      Escape: () => this.change({left: new Set(), right: new Set(), find: ""}),
    };
    if (!Object.hasOwn(actions, event.key)) return;
    event.preventDefault();
    actions[event.key]();
  }

  // ---- Texts and numbers beside the stage.
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

  tookTime(milliseconds) {
    ROOT.dataset.redraw = milliseconds.toFixed(1);
  }

  // Show a table with a title and a description, or nothing if the title is null.
  tellNumbers(title, about = "", header = [], rows = []) {
    const box = byId("numbers"), cell = (name) => (text) => element(name, {}, element("bdi", {textContent: text}));
    box.hidden = title === null;
    if (title === null) return;
    const table = element("table");
    if (header.length) table.append(element("tr", {}, ...header.map(cell("th"))));
    table.append(...rows.map((row) => element("tr", {}, ...row.map(cell("td")))));
    box.replaceChildren(element("h2", {}, element("bdi", {textContent: title})), element("p", {className: "faint", textContent: about}), table);
  }

  // The map of the head in focus.
  tellMap() {
    const state = this.drawnState(), sequence = this.mapped(), [head] = state.heads, [title, picture, reading] = byId("map").children;
    title.textContent = state.quantity === "summed" ? `Layer ${state.layer + 1}, all heads` : `Head ${headName(state.layer, head)}`;
    reading.textContent = `rows attend to columns${sequence.signed ? "; size of the difference" : ""}`;
    const values = sequence.map(state.layer, head, state.quantity, state.unit), [, columns] = sequence.size(state.unit);
    const indices = sequence.indices(state);
    mapPicture(picture, values, columns, indices, largestOf(values, columns, indices), state.contrast, ramp());
  }

  readMap(event) {
    const state = this.drawnState(), sequence = this.mapped(), {layer, quantity, unit} = state, {left, right} = sequence.indices(state);
    const box = event.target.getBoundingClientRect();
    const at = (part, side, indices) => indices[between(Math.floor((part / side) * indices.length), 0, indices.length - 1)];
    const row = at(event.clientY - box.top, box.height, left), column = at(event.clientX - box.left, box.width, right);
    const value = sequence.map(layer, state.heads[0], quantity, unit)[row * sequence.size(unit)[1] + column];
    byId("map").lastChild.textContent = `${sequence.left.labels[unit][row]} → ${sequence.right.labels[unit][column]}: ${written(value, quantity)}`;
  }

  // Show the findings on the head in focus with their corpora. Nothing is rebuilt for the same head.
  tellNotes() {
    const {layer, heads: [head], quantity} = this.drawnState(), box = byId("notes"), name = quantity === "summed" ? "" : headName(layer, head);
    if (box.dataset.head === name) return;
    box.dataset.head = name;
    box.replaceChildren();
    let last, list;
    for (const finding of FINDINGS) {
      const fact = finding.facts[name];
      if (!fact) continue;
      if (!last) box.append(element("p", {className: "faint", textContent:
        "Findings on this head from whole corpora, not from the text shown here. In brackets: 95% interval, number of items, and the value with random weights."}));
      if (finding.group !== last?.group || finding.corpus !== last.corpus) {
        list = element("dl");
        box.append(element("h3", {textContent: finding.group}), element("p", {className: "faint", textContent: `on ${finding.corpus}`}), list);
        last = finding;
      }
      const [number, details] = told(finding, fact), value = element("dd", {}, number, " ", element("small", {textContent: `(${details})`}));
      if (finding.unit === "share") {
        value.style.setProperty("--share", between(fact[0], 0, 1));
        if (fact[4] !== null) value.style.setProperty("--control", between(fact[4], 0, 1));
      }
      const sentences = finding.group.startsWith("Best head") && DATA.found.evidence[finding.label];
      if (sentences) value.append(evidenceOf(sentences));
      list.append(element("dt", {textContent: finding.label}), value);
    }
  }

  // ---- Saved files.
  fileName(suffix) {
    const state = this.drawnState();
    const head = state.view === "model" ? "" : `_${state.layer + 1}-${state.quantity === "summed" ? "sum"
      : state.heads.map((one) => one + 1).sort((a, b) => a - b).join("+")}`;
    return `attention_text${state.text + 1}_${state.view}${head}_${state.quantity}.${suffix}`;
  }

  // A description of the picture for readers who do not know the page.
  described() {
    const {state, sequence} = this, heads = this.headsShown().map((head) => head + 1).sort((a, b) => a - b).join(", ");
    const of = {model: "all layers and heads", neuron: `layer ${state.layer + 1}, head ${state.heads[0] + 1}`}[state.view] ??
      `layer ${state.layer + 1}, ${state.quantity === "summed" ? "all heads" : `head${heads.includes(",") ? "s" : ""} ${heads}`}`;
    const what = state.view === "neuron" ? "queries, keys and attention weight α" : quantityName(state);
    const left = [state.hide && "special tokens are hidden", state.parts && `from sentence ${state.parts[0]} to ${state.parts[1]}`];
    if (state.beside) left.push(`beside: “${SEQUENCES[state.beside - 1].title}”`);
    return [`${DATA.model}, ${of}: ${what}, between ${state.view === "neuron" ? "tokens" : state.unit}`, ...left, `text: “${sequence.title}”`]
      .filter(Boolean).join("; ");
  }

  canBeDrawn() {
    return this.state.view !== "neuron" || Boolean(this.sequence.packed.neurons);
  }

  saveSvg() {
    if (this.canBeDrawn()) save(asSvg(this.views[this.state.view].scene(), this.described()), "image/svg+xml", this.fileName("svg"));
  }

  // The layers and heads whose numbers are saved.
  savedHeads() {
    const {view, quantity, layer, heads} = this.state;
    if (view !== "model") return [[layer], quantity === "summed" ? [0] : heads];
    return [Array.from({length: DATA.layers}, (_, one) => one), quantity === "summed" ? [0] : allHeads];
  }

  countOfNumbers() {
    const {state, sequence} = this, [layers, heads] = this.savedHeads();
    if (state.view !== "neuron") return this.panes().slice(0, 2).reduce((count, one) => {
      const {left, right} = one.indices(state);
      return count + layers.length * heads.length * left.length * right.length;
    }, 0);
    return this.canBeDrawn() ? sequence.left.indices({unit: "tokens", hide: state.hide}, null).length * sequence.packed.neuron_count : 0;
  }

  // The numbers of the shown heads, as a table.
  numbersAsCsv() {
    const {state} = this, {quantity, unit} = state, [layers, heads] = this.savedHeads();
    const lines = ["text,layer,head,query,key,query_text,key_text,quantity,value"];
    for (const sequence of this.panes().slice(0, 2)) {
      const {left, right} = sequence.indices(state), columns = sequence.size(unit)[1];
      const texts = {left: sequence.left.labels[unit].map(quoted), right: sequence.right.labels[unit].map(quoted)};
      for (const layer of layers)
        for (const head of heads) {
          const values = sequence.map(layer, head, quantity, unit);
          const start = `${SEQUENCES.indexOf(sequence) + 1},${layer + 1},${quantity === "summed" ? "" : head + 1}`;
          for (const from of left)
            for (const to of right)
              lines.push([start, from + 1, to + 1, texts.left[from], texts.right[to], quantity, rounded4(values[from * columns + to])].join());
        }
    }
    return `${lines.join("\n")}\n`;
  }

  // Queries, keys and their products by neuron, for the chosen token.
  neuronsAsCsv() {
    const {state, sequence, views: {neuron: view}} = this, {size, queries, keys, products, bias, scores, weights, query} = view.found();
    const {tokens} = sequence.left.labels, lines = ["layer,head,query,key,query_text,key_text,neuron,q,k,product,bias,score,weight"];
    const start = `${state.layer + 1},${state.heads[0] + 1},${query + 1}`;
    for (const key of view.indices)
      for (let neuron = 0; neuron < size; neuron++)
        lines.push([start, key + 1, quoted(tokens[query]), quoted(tokens[key]), neuron + 1,
          ...[queries[query * size + neuron], keys[key * size + neuron], products[key * size + neuron], bias?.[key] ?? 0, scores[key],
            weights[key]].map(rounded4)].join());
    return `${lines.join("\n")}\n`;
  }

  saveNumbers() {
    if (!this.countOfNumbers()) return;
    save(this.state.view === "neuron" ? this.neuronsAsCsv() : this.numbersAsCsv(), "text/csv", this.fileName("csv"));
  }

  async copyLink() {
    if (!this.writesAddress) return;
    const link = location.href, button = byId("copy-link");
    try {
      await navigator.clipboard.writeText(link);
      button.textContent = "Copied";
    } catch {
      prompt("The link to this view:", link); // the browser denies access to the clipboard
    }
    setTimeout(() => (button.textContent = "Copy link"), 1500);
  }
}

const KEYS = [
  ["← →", "previous and next head; on a token or a map: to its neighbor"],
  ["k j", "layer above and below"],
  ["↑ ↓", "scroll; on a token or a map: to its neighbor"],
  ["[ ]", "previous and next text"],
  ["1 2 3", "view of heads, of all heads, of neurons"],
  ["a o", "all heads of the layer, only the head in focus"],
  ["q", "show weight, norm, or norm of the sum"],
  ["w", "tokens or words"],
  ["p", "sentences between which lines are shown"],
  ["x", "hide special tokens"],
  ["f", "find a head by a finding"],
  ["Enter", "on a token: keep its lines"],
  ["Esc", "release all kept tokens, and end the search for a head"],
  ["s n c", "save SVG, save numbers, copy link"],
  ["d", "light or dark"],
];

// Sentences of the corpus in which a head is right, and sentences in which it is wrong.
function evidenceOf(sentences) {
  const made = element("details", {}, element("summary", {textContent: "sentences, right and wrong"}));
  for (const {right, words, weights, roles} of sentences) {
    const line = element("p", {}, element("b", {textContent: right ? "right: " : "wrong: "}));
    words.forEach((word, i) => {
      const role = roles[i] === "head" ? (right ? "head, found" : "head, missed") : roles[i] === "predicted" ? "taken for the head" : roles[i];
      const shown = element("bdi", {className: roles[i], textContent: word, title: [role, weights[i].toFixed(3)].filter(Boolean).join(": ")});
      shown.style.setProperty("--share", weights[i]);
      line.append(shown, role ? element("small", {textContent: ` (${role})`}) : "", " ");
    });
    made.append(line);
  }
  return made;
}

const quoted = (text) => `"${text.replaceAll('"', '""')}"`;
const rounded4 = (value) => Number(value.toPrecision(4));

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

ROOT.explorer = new Page(); // for tests and the browser's console
ROOT.sequences = SEQUENCES;
ROOT.explorer.start();
