// The three views. Each can be shown on the stage, redrawn when less than all changes, and given as a scene to save.

const byId = (id) => document.getElementById(id);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

// Places of the tokens or words that are shown.
function shownPlaces(sequence, {unit, hide}) {
  const places = [...sequence.labels(unit).keys()];
  return hide ? places.filter((place) => !sequence.isSpecial(unit, place)) : places;
}

const headsShown = ({quantity, heads}) => (quantity === "summed" ? [0] : heads);
const lineColour = ({quantity}, head) => (quantity === "summed" ? paper("accent") : headColour(head));
const lineWidth = ({left, right}) => (left || right ? 2.4 : 1.6);
const quantityName = ({quantity}) => QUANTITIES[quantity];

// ---- Heads: two columns of tokens, joined by lines.
const MOST_LINES = 5000;
const FAINTEST = 0.02;

class HeadView {
  constructor(stage, page) {
    Object.assign(this, {stage, page, hovered: null});
  }

  show() {
    const {page} = this, {sequence, state} = page;
    this.hovered = null;
    this.places = shownPlaces(sequence, state);
    this.labels = sequence.labels(state.unit);
    this.row = this.places.length > 60 ? 18 : 22;
    const widest = Math.max(30, ...this.places.map((place) => textWidth(this.labels[place])));
    this.column = Math.min(widest, 220) + 66;
    this.width = Math.max(this.column * 2 + 160, Math.min(this.stage.clientWidth - 8, this.column * 2 + 520));
    this.top = 30;
    this.height = this.top + this.places.length * this.row + 8;
    this.canvas = canvasFor(this.width - 2 * this.column, this.height);
    this.canvas.style.left = `${this.column}px`;
    const box = element("div", {className: "head-view"});
    Object.assign(box.style, {width: `${this.width}px`, height: `${this.height}px`});
    box.style.setProperty("--column", `${this.column}px`);
    box.append(
      this.canvas,
      element("span", {className: "title left", textContent: "from"}),
      element("span", {className: "title right", textContent: "to"}),
    );
    this.buttons = {left: new Map(), right: new Map()};
    for (const side of ["left", "right"])
      this.places.forEach((place, i) => {
        const button = element("button", {className: `token ${side}`, tabIndex: i ? -1 : 0},
          element("bdi", {textContent: this.labels[place]}), element("span", {className: "value"}));
        button.dataset.place = place;
        button.setAttribute("aria-label", `${side === "left" ? "from" : "to"} ${this.labels[place]}`);
        Object.assign(button.style, {top: `${this.top + i * this.row}px`, height: `${this.row}px`,
          width: `${this.column - 4}px`});
        button.onpointerenter = () => this.hover({side, place});
        button.onpointerleave = () => this.hover(null);
        button.onfocus = () => button.matches(":focus-visible") && this.hover({side, place});
        button.onblur = () => this.hover(null);
        button.onclick = () => page.keep(side, place);
        button.onkeydown = (event) => this.walk(event, side, i);
        this.buttons[side].set(place, button);
        box.append(button);
      });
    this.stage.replaceChildren(box);
    this.draw();
  }

  hover(hovered) {
    this.hovered = hovered;
    // Leaving a token for its neighbour is one change, not two.
    this.waiting ??= requestAnimationFrame(() => {
      this.waiting = null;
      if (this.page.state.view === "head") this.draw();
    });
  }

  walk(event, side, i) {
    const step = {ArrowUp: -1, ArrowDown: 1}[event.key];
    const other = {ArrowLeft: "left", ArrowRight: "right"}[event.key];
    if (!step && !other) return;
    event.preventDefault();
    event.stopPropagation();
    const place = this.places[Math.max(0, Math.min(this.places.length - 1, i + (step ?? 0)))];
    this.buttons[other ?? side].get(place).focus();
  }

  // Tokens whose lines alone are shown, on each side; null where all are.
  chosen() {
    const {state} = this.page, chosen = {};
    for (const side of ["left", "right"]) {
      const kept = [...state[side]].filter((place) => this.places.includes(place));
      chosen[side] = this.hovered?.side === side ? new Set([this.hovered.place]) : kept.length ? new Set(kept) : null;
    }
    return chosen;
  }

  draw() {
    const started = performance.now();
    const chosen = this.chosen(), {lines, left} = this.lines(chosen);
    const context = this.canvas.getContext("2d");
    drawLines(context, this.width - 2 * this.column, this.height, lines, lineWidth(chosen));
    const sums = this.sums(chosen);
    for (const side of ["left", "right"])
      for (const [place, button] of this.buttons[side]) {
        const value = sums[side]?.get(place);
        button.classList.toggle("chosen", Boolean(chosen[side]?.has(place)));
        button.setAttribute("aria-pressed", this.page.state[side].has(place));
        button.style.setProperty("--share", value === undefined ? 0 : Math.min(1, value / sums.largest));
        button.lastChild.textContent = value === undefined ? "" : written(value, this.page.state.quantity);
      }
    this.page.tellNumbers(this.numbers(chosen, sums), lines.length, left);
    this.page.tookTime("head view", performance.now() - started);
  }

  // The strongest lines, the faintest first, and how many fainter ones are left out.
  lines({left, right}) {
    const {sequence, state} = this.page, {layer, quantity, unit, contrast} = state;
    const count = this.labels.length, heads = headsShown(state), lines = [];
    const scale = quantity === "weight" ? 1 : sequence.largest(layer, quantity, unit) || 1;
    const maps = heads.map((head) => sequence.map(layer, head, quantity, unit));
    const rows = [...this.places.keys()];
    const froms = left ? rows.filter((row) => left.has(this.places[row])) : rows;
    const tos = right ? rows.filter((row) => right.has(this.places[row])) : rows;
    const each = (least, use) => {
      for (let order = 0; order < maps.length; order++)
        for (const from of froms) {
          const start = this.places[from] * count, values = maps[order];
          for (const to of tos) if (values[start + this.places[to]] >= least) use(values[start + this.places[to]], order, from, to);
        }
    };
    let least = scale * FAINTEST ** (1 / contrast);
    const strong = [];
    each(least, (value) => strong.push(value));
    const leftOut = Math.max(0, strong.length - MOST_LINES);
    if (leftOut) least = Float32Array.from(strong).sort()[leftOut];
    const room = Math.min(this.row * 0.62, heads.length * 3), width = this.width - 2 * this.column;
    const offset = (order) => (heads.length > 1 ? (order / (heads.length - 1) - 0.5) * room : 0);
    const y = (row, order) => this.top + (row + 0.5) * this.row + offset(order);
    const colours = heads.map((head) => lineColour(state, head));
    each(least, (value, order, from, to) => {
      const opacity = Math.min(1, value / scale) ** contrast;
      lines.push({x1: 0, y1: y(from, order), x2: width, y2: y(to, order), colour: colours[order], opacity});
    });
    lines.sort((one, other) => one.opacity - other.opacity);
    return {lines: lines.slice(-MOST_LINES), left: leftOut};
  }

  // Value of each token of a side towards the chosen ones of the other: the sum over those, the mean over heads.
  sums({left, right}) {
    const {sequence, state} = this.page, {layer, quantity, unit} = state, count = this.labels.length;
    const heads = headsShown(state), sums = {left: null, right: null, perHead: []};
    if ((!left && !right) || !heads.length) return {...sums, largest: 1};
    if (left) sums.right = new Map(this.places.filter((to) => !right || right.has(to)).map((to) => [to, 0]));
    if (right) sums.left = new Map(this.places.filter((from) => !left || left.has(from)).map((from) => [from, 0]));
    for (const head of heads) {
      const values = sequence.map(layer, head, quantity, unit), ofHead = {left: new Map(), right: new Map()};
      for (const from of left ?? this.places)
        for (const to of right ?? this.places) {
          const value = values[from * count + to];
          for (const [side, place] of [["left", from], ["right", to]]) {
            if (!sums[side]) continue;
            ofHead[side].set(place, (ofHead[side].get(place) ?? 0) + value);
            sums[side].set(place, sums[side].get(place) + value / heads.length);
          }
        }
      sums.perHead.push(ofHead);
    }
    sums.largest = Math.max(...[...(sums.right ?? []), ...(sums.left ?? [])].map(([, value]) => value)) || 1;
    return sums;
  }

  // The rows of the table of numbers: tokens with the largest sums.
  numbers(chosen, sums) {
    const {state} = this.page, side = sums.right ? "right" : "left";
    if (!sums[side]) return null;
    const heads = headsShown(state), names = (places) => [...places].map((place) => this.labels[place]);
    return {
      from: chosen.left && names(chosen.left),
      to: chosen.right && names(chosen.right),
      heads,
      rows: [...sums[side]].sort((a, b) => b[1] - a[1]).slice(0, 10).map(([place, value]) => ({
        label: this.labels[place],
        value,
        perHead: sums.perHead.map((ofHead) => ofHead[side].get(place)),
      })),
    };
  }

  scene() {
    const chosen = this.chosen(), {lines} = this.lines(chosen), sums = this.sums(chosen), {state} = this.page;
    const x = {left: this.column - 8, right: this.width - this.column + 8}, texts = [], boxes = [];
    for (const side of ["left", "right"]) {
      const [anchor, away] = side === "left" ? ["end", -1] : ["start", 1];
      texts.push({x: x[side], y: 16, text: side === "left" ? "from" : "to", anchor, faint: true, size: 12});
      this.places.forEach((place, i) => {
        const y = this.top + (i + 0.5) * this.row, value = sums[side]?.get(place);
        const size = Math.min(14, this.row - 4);
        if (value !== undefined) {
          const width = this.column - 4;
          boxes.push({x: side === "left" ? 4 : this.width - width - 4, y: y - this.row / 2 + 1, width, height: this.row - 2,
            colour: paper("accent"), opacity: 0.45 * Math.min(1, value / sums.largest)});
          texts.push({x: side === "left" ? 8 : this.width - 8, y, text: written(value, state.quantity), size: 11,
            anchor: side === "left" ? "start" : "end", faint: true});
        }
        texts.push({x: x[side] + away, y, text: this.labels[place], anchor, size, bold: Boolean(chosen[side]?.has(place))});
      });
    }
    const moved = lines.map((line) => ({...line, x1: line.x1 + this.column, x2: line.x2 + this.column}));
    return {width: this.width, height: this.height, lines: moved, lineWidth: lineWidth(chosen), texts, boxes};
  }
}

// ---- All heads: a map of each, rows are tokens that attend, columns those they attend to.
class ModelView {
  constructor(stage, page) {
    Object.assign(this, {stage, page});
  }

  show() {
    const started = performance.now(), {page} = this, {state} = page;
    const heads = state.quantity === "summed" ? 1 : DATA.heads;
    const grid = element("div", {className: "model-view"});
    grid.style.setProperty("--columns", heads);
    grid.append(element("span"), ...Array.from({length: heads}, (_, head) =>
      element("span", {className: "title", textContent: heads > 1 ? `head ${head + 1}` : "all heads’ sum"})));
    this.pictures = [];
    const colours = ramp();
    for (let layer = 0; layer < DATA.layers; layer++) {
      grid.append(element("span", {className: "title layer", textContent: `layer ${layer + 1}`}));
      for (let head = 0; head < heads; head++) grid.append(this.thumbnail(layer, head, colours));
    }
    this.stage.replaceChildren(grid);
    page.tellNumbers(null, null, 0);
    this.mark();
    page.tookTime("model view", performance.now() - started);
  }

  thumbnail(layer, head, colours) {
    const {page} = this, {sequence, state} = page, {quantity, unit} = state;
    const values = sequence.map(layer, head, quantity, unit);
    const places = shownPlaces(sequence, state), count = sequence.labels(unit).length;
    let largest = 0;
    for (const row of places) for (const column of places) largest = Math.max(largest, values[row * count + column]);
    const canvas = mapPicture(values, count, places, largest, state.contrast, colours);
    const brief = quantity === "summed" ? "" : noteOf(layer, head)?.brief ?? "";
    const name = quantity === "summed" ? `layer ${layer + 1}` : `head ${headName(layer, head)}`;
    const button = element("button", {className: "thumbnail"}, canvas, element("small", {textContent: brief}));
    button.setAttribute("aria-label", brief ? `${name}: ${brief}` : name);
    button.dataset.head = headName(layer, head);
    page.tip(button, () => [name, brief, `largest: ${written(largest, quantity)}`].filter(Boolean).join("\n"));
    button.onclick = () => page.choose(layer, head);
    this.pictures.push({layer, head, canvas, brief, button});
    return button;
  }

  // The head in focus has a frame; nothing is drawn anew.
  mark() {
    const {layer, heads, quantity} = this.page.state;
    for (const picture of this.pictures) {
      const current = picture.layer === layer && (quantity === "summed" || picture.head === heads[0]);
      picture.button.setAttribute("aria-current", current);
    }
  }

  scene() {
    const columns = this.page.state.quantity === "summed" ? 1 : DATA.heads, size = 72, gap = 8, label = 58, line = 14;
    const texts = [], images = [];
    const place = (layer, head) => [label + head * (size + gap), 22 + layer * (size + gap + line)];
    for (let head = 0; head < columns; head++)
      texts.push({x: place(0, head)[0] + size / 2, y: 10, text: columns > 1 ? head + 1 : "sum", anchor: "middle", size: 11});
    for (const {layer, head, canvas, brief} of this.pictures) {
      const [x, y] = place(layer, head);
      images.push({x, y, width: size, height: size, canvas});
      texts.push({x: x + size / 2, y: y + size + 8, text: shortened(brief, size, 9), anchor: "middle", size: 9, faint: true});
      if (!head) texts.push({x: label - 8, y: y + size / 2, text: `layer ${layer + 1}`, anchor: "end", size: 11});
    }
    const [width, height] = place(DATA.layers, columns);
    return {width, height, texts, images};
  }
}

function shortened(text, width, size) {
  if (textWidth(text, size) <= width) return text;
  while (text && textWidth(`${text}…`, size) > width) text = text.slice(0, -1);
  return `${text}…`;
}

// ---- Neurons: how a head's weight of each key comes about (Vig 2019).
class NeuronView {
  constructor(stage, page) {
    Object.assign(this, {stage, page});
  }

  show() {
    const {sequence} = this.page;
    if (!sequence.packed.neurons) {
      const others = SEQUENCES.map((other, i) => (other.packed.neurons ? i + 1 : 0)).filter(Boolean);
      const where = others.length ? `It has them for text ${others.join(", ")}.` : "";
      this.stage.replaceChildren(element("p", {className: "empty",
        textContent: `This page has no query and key vectors of this text, which take much room. ${where}`}));
      this.page.tellNumbers(null, null, 0);
      return;
    }
    this.draw();
  }

  draw() {
    const started = performance.now(), {page} = this, {sequence, state} = page;
    const tokens = sequence.tokens, hidden = (place) => state.hide && sequence.isSpecial("tokens", place);
    this.places = [...tokens.keys()].filter((place) => !hidden(place));
    const pick = element("p", {className: "pick"}, "From ");
    const query = this.query();
    for (const place of this.places) {
      const button = element("button", {className: "token"}, element("bdi", {textContent: tokens[place]}));
      button.dataset.place = place;
      button.setAttribute("aria-pressed", place === query);
      button.onclick = () => page.keepOnly(place);
      pick.append(button);
    }
    const scene = this.scene(), canvas = canvasFor(scene.width, scene.height);
    const context = canvas.getContext("2d");
    for (const {x, y, width, height, colour, opacity} of scene.boxes) {
      context.globalAlpha = opacity;
      context.fillStyle = colour;
      context.fillRect(x, y, width, height);
    }
    context.globalAlpha = 1;
    context.textBaseline = "middle";
    for (const {x, y, text, anchor, bold, size, faint} of scene.texts) {
      context.font = `${bold ? "600 " : ""}${size ?? 14}px ${FONT}`;
      context.fillStyle = paper(faint ? "faint" : "ink");
      context.textAlign = anchor === "middle" ? "center" : anchor ?? "start";
      context.fillText(text, x, y);
    }
    canvas.setAttribute("role", "img");
    canvas.setAttribute("aria-label", `Neurons of head ${headName(state.layer, state.heads[0])}`);
    this.stage.replaceChildren(pick, element("div", {className: "neuron-view"}, canvas));
    page.tellNumbers(null, null, 0);
    page.tookTime("neuron view", performance.now() - started);
  }

  query() {
    const {sequence, state} = this.page;
    const [kept] = [...state.left];
    const place = kept === undefined ? 1 : state.unit === "words" ? sequence.packed.word_of.indexOf(kept) : kept;
    return this.places.includes(place) ? place : this.places[0];
  }

  scene() {
    const {sequence, state} = this.page, {layer} = state, head = state.heads[0];
    const {size, queries, keys} = sequence.neurons(layer, head), query = this.query();
    const weights = sequence.map(layer, head, "weight", "tokens"), n = sequence.tokens.length;
    const cell = Math.max(2, Math.min(6, Math.floor(220 / size))), block = cell * size, row = 20, top = 44, gap = 18;
    const label = Math.min(160, Math.max(40, ...sequence.tokens.map((token) => textWidth(token)))) + 12;
    const bar = 90, at = {key: label, product: label + block + gap};
    at.dot = at.product + block + gap;
    at.weight = at.dot + bar + gap;
    const boxes = [], texts = [], height = top + (this.places.length + 2) * row + 6;
    const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    const product = (key, neuron) => queries[query * size + neuron] * keys[key * size + neuron];
    const dots = Float32Array.from({length: n}, (_, key) => {
      let sum = 0;
      for (let neuron = 0; neuron < size; neuron++) sum += product(key, neuron);
      return sum / Math.sqrt(size);
    });
    const products = new Float32Array(n * size);
    for (let key = 0; key < n; key++)
      for (let neuron = 0; neuron < size; neuron++) products[key * size + neuron] = product(key, neuron);
    const colour = (value) => (value < 0 ? paper("minus") : paper("plus"));
    const strip = (x, y, values, start, scale) => {
      for (let neuron = 0; neuron < size; neuron++) {
        const share = Math.abs(values[start + neuron]) / scale;
        if (share >= 0.02)
          boxes.push({x: x + neuron * cell, y: y + 1, width: cell - 0.5, height: row - 3, colour: colour(values[start + neuron]),
            opacity: Math.sqrt(share)});
      }
    };
    const vectorScale = largest(queries), keyScale = largest(keys), productScale = largest(products), dotScale = largest(dots);
    for (const [x, width, text] of [[at.key, block, "key k"], [at.product, block, "product q × k"],
      [at.dot, bar, `q · k / √${size}`], [at.weight, bar, "weight α (softmax)"]])
      texts.push({x: x + width / 2, y: 10, text, anchor: "middle", size: 12, faint: true});
    texts.push({x: label - 8, y: 22 + row / 2, text: sequence.tokens[query], anchor: "end", bold: true});
    strip(at.key, 22, queries, query * size, vectorScale);
    texts.push({x: at.product, y: 22 + row / 2, text: "query q of this token", size: 12, faint: true});
    this.places.forEach((key, i) => {
      const y = top + (i + 0.5) * row;
      texts.push({x: label - 8, y: y + row / 2, text: sequence.tokens[key], anchor: "end"});
      strip(at.key, y, keys, key * size, keyScale);
      strip(at.product, y, products, key * size, productScale);
      const length = (Math.abs(dots[key]) / dotScale) * (bar / 2);
      boxes.push({x: at.dot + bar / 2 - (dots[key] < 0 ? length : 0), y: y + 3, width: length, height: row - 7,
        colour: colour(dots[key]), opacity: 0.85});
      boxes.push({x: at.weight, y: y + 3, width: weights[query * n + key] * bar, height: row - 7, colour: headColour(head),
        opacity: 0.85});
      texts.push({x: at.weight + bar + 4, y: y + row / 2, text: weights[query * n + key].toFixed(3), size: 11, faint: true});
    });
    return {width: at.weight + bar + 46, height, boxes, texts};
  }
}
