// The three views. Each view shows the state on the stage, keeps unchanged elements, and returns a scene to save.

const byId = (id) => ROOT.querySelector(`#${id}`);

function element(name, properties = {}, ...children) {
  const made = Object.assign(document.createElement(name), properties);
  made.append(...children);
  return made;
}

const quantityName = ({quantity}) => QUANTITIES[quantity];
const lineColor = ({quantity}, head) => (quantity === "summed" ? paper("accent") : headColor(head));
const lineWidth = ({left, right}) => (left || right ? 2.4 : 1.6);

// Move the focus by arrow keys among elements in rows of `columns`.
function walk(event, elements, columns) {
  const by = {ArrowUp: -columns, ArrowDown: columns, ArrowLeft: -1, ArrowRight: 1}[event.key];
  if (!by) return;
  event.preventDefault();
  event.stopPropagation();
  elements[elements.indexOf(event.currentTarget) + by]?.focus();
}

// ---- Heads: two columns of tokens, joined by lines.
const MOST_LINES = 5000;
const LINES_AT_ONCE = 300; // a browser without a GPU draws ten in a millisecond
const FAINTEST = 0.05; // of the largest value of its row, at contrast 1
const LINE_POWER = 0.75; // power of opacity: below 1, faint lines are stronger
const SIDES = ["left", "right"];

class HeadView {
  constructor(stage, page) {
    Object.assign(this, {stage, page, box: element("div", {className: "panes"})});
    this.panes = [0, 1, 2].map((index) => new Pane(page, index));
  }

  get shown() {
    return this.panes.slice(0, this.page.panes().length);
  }

  show() {
    const {shown} = this, width = this.stage.clientWidth - 8, beside = Math.floor(width / shown.length) - 8;
    if (this.box.childElementCount !== shown.length) this.box.replaceChildren(...shown.map(({box}) => box));
    if (!this.box.isConnected) this.stage.replaceChildren(this.box);
    for (const pane of shown) pane.show(beside < 320 ? width : beside);
  }

  draw() {
    for (const pane of this.shown) pane.draw();
  }

  scene() {
    const scenes = this.shown.map((pane) => pane.scene()), joined = {width: 0, height: 0, lines: [], texts: [], boxes: []};
    for (const scene of scenes) {
      const moved = (one) => ({...one, x: one.x + joined.width, x1: one.x1 + joined.width, x2: one.x2 + joined.width});
      for (const part of ["lines", "texts", "boxes"]) joined[part].push(...scene[part].map(moved));
      Object.assign(joined, {width: joined.width + scene.width, height: Math.max(joined.height, scene.height), lineWidth: scene.lineWidth});
    }
    const {page} = this, {state} = page, heads = state.quantity === "summed" ? []
      : page.headsShown().map((head) => [headColor(head), `head ${headName(state.layer, head)}`]);
    const signs = scenes.length > 2 ? [[paper("plus"), "more on the left"], [paper("minus"), "more in the middle"]] : [];
    return withCaption(joined, [...heads, ...signs], [`${page.described()}. ${scenes.map(({told}) => told).join(" ")}`]);
  }
}

// Two columns of a text's tokens with their lines, or with the lines of the difference to another text.
class Pane {
  constructor(page, index) {
    Object.assign(this, {page, index, box: element("div", {className: "head-view"})});
  }

  get sequence() {
    return this.page.panes()[this.index];
  }

  show(wide) {
    const {text, unit, hide, parts, beside} = this.page.state;
    const structure = [text, unit, hide, parts, beside, wide].join();
    if (structure !== this.structure) {
      const focused = this.box.contains(document.activeElement) && document.activeElement.dataset;
      this.build(wide);
      this.structure = structure;
      if (focused) (this.buttons[focused.side].get(Number(focused.index)) ?? this.box.querySelector(".token"))?.focus();
    }
    this.draw();
  }

  build(wide) {
    const {sequence, page} = this, {state} = page;
    page.hovered = null;
    this.indices = sequence.indices(state);
    this.labels = {left: sequence.left.labels[state.unit], right: sequence.right.labels[state.unit]};
    const rows = Math.max(...SIDES.map((side) => this.indices[side].length));
    this.row = rows > 60 ? 18 : 22;
    const widths = SIDES.flatMap((side) => this.indices[side].map((index) => textWidth(this.labels[side][index])));
    // Leave space for a number beside the longest token. On a narrow screen, long tokens are cut.
    this.column = Math.min(Math.max(30, ...widths) + 82, 286, Math.max(100, (wide - 70) / 2));
    this.width = Math.max(this.column * 2 + 60, Math.min(wide, this.column * 2 + 520));
    this.top = state.beside ? 48 : 30;
    this.height = this.top + rows * this.row + 8;
    this.canvas = canvasFor(this.width - 2 * this.column, this.height);
    this.canvas.style.left = `${this.column}px`;
    Object.assign(this.box.style, {width: `${this.width}px`, height: `${this.height}px`});
    this.box.style.setProperty("--column", `${this.column}px`);
    this.box.replaceChildren(
      this.canvas,
      element("span", {className: "title left", textContent: "from"}),
      element("span", {className: "title right", textContent: "to"}),
      element("bdi", {className: "title whole", textContent: this.name()}),
    );
    this.buttons = {left: new Map(), right: new Map()};
    for (const side of SIDES)
      this.indices[side].forEach((index, i) => {
        const button = this.token(side, index, i);
        this.buttons[side].set(index, button);
        this.box.append(button);
      });
  }

  // The name of the text if there are several.
  name() {
    if (!this.page.state.beside) return "";
    return this.sequence.signed ? "difference: left minus middle" : this.sequence.title;
  }

  // The letter of a token's sentence if there are several. Sentences after the 26th have none.
  part(side, index) {
    const of = this.sequence[side];
    return of.parts > 1 ? PARTS[of.partOf[of.token(this.page.state.unit, index)]] ?? "" : "";
  }

  token(side, index, i) {
    const {page} = this, label = this.labels[side][index], part = this.part(side, index);
    const button = element("button", {className: `token ${side}`, tabIndex: i ? -1 : 0},
      element("bdi", {textContent: label}), element("small", {textContent: part}), element("span", {className: "value"}));
    Object.assign(button.dataset, {side, index});
    button.setAttribute("aria-label", `${side === "left" ? "from" : "to"} ${label}${part && `, sentence ${part}`}`);
    Object.assign(button.style, {top: `${this.top + i * this.row}px`, height: `${this.row}px`, width: `${this.column - 4}px`});
    button.onpointerenter = () => this.hover({side, index});
    button.onpointerleave = () => this.hover(null);
    button.onfocus = () => button.matches(":focus-visible") && this.hover({side, index});
    button.onblur = () => this.hover(null);
    button.onclick = () => page.keep(side, index);
    button.onkeydown = (event) => {
      const other = {ArrowLeft: "left", ArrowRight: "right"}[event.key], across = other && [...this.buttons[other].values()];
      if (!other) return walk(event, [...this.buttons[side].values()], 1);
      event.preventDefault();
      event.stopPropagation();
      if (other !== side) across[Math.min(i, across.length - 1)]?.focus();
    };
    return button;
  }

  hover(hovered) {
    this.page.hovered = hovered;
    this.page.redrawSoon();
  }

  // The tokens of each side whose lines are shown; null for all.
  chosen() {
    const {state, hovered} = this.page, chosen = {};
    for (const side of SIDES) {
      const kept = [...state[side]].filter((index) => this.indices[side].includes(index));
      chosen[side] = hovered?.side === side ? new Set([hovered.index]) : kept.length ? new Set(kept) : null;
    }
    return chosen;
  }

  draw() {
    const started = performance.now();
    const chosen = this.chosen(), drawn = this.lines(chosen);
    const context = this.canvas.getContext("2d");
    context.clearRect(0, 0, this.width, this.height);
    drawBelow(context, this.goldLines(), 2);
    this.left = drawn.lines;
    this.drawSome(lineWidth(chosen));
    const sums = this.sums(chosen);
    for (const side of SIDES)
      for (const [index, button] of this.buttons[side]) {
        const value = sums[side]?.get(index);
        button.classList.toggle("chosen", Boolean(chosen[side]?.has(index)));
        button.setAttribute("aria-pressed", this.page.state[side].has(index));
        button.style.setProperty("--share", value === undefined ? 0 : Math.min(1, Math.abs(value) / sums.largest));
        button.lastChild.textContent = value === undefined ? "" : written(value, this.page.state.quantity);
      }
    if (!this.index) this.tell(chosen, sums, drawn);
    this.page.tookTime(performance.now() - started);
  }

  // Gold links, in no head's color: long dashes for sure links, short dashes for possible links.
  goldLines() {
    const {sequence, indices} = this, width = this.width - 2 * this.column, rows = {};
    const word = (side, index) => (this.page.state.unit === "words" ? index : sequence[side].wordOf[index]);
    for (const side of SIDES) rows[side] = new Map(indices[side].map((index, row) => [word(side, index), row]).reverse());
    const y = (row) => this.top + (row + 0.5) * this.row;
    return sequence.links.filter(([from, to]) => rows.left.has(from) && rows.right.has(to)).map(([from, to, sure]) => ({
      x1: 0, y1: y(rows.left.get(from)), x2: width, y2: y(rows.right.get(to)),
      color: paper("ink"), opacity: 0.8, dash: sure ? [7, 5] : [2, 5]}));
  }

  // Draw the strongest lines now, and fainter lines below them in the browser's next frames.
  drawSome(width) {
    drawBelow(this.canvas.getContext("2d"), this.left.slice(0, LINES_AT_ONCE), width);
    this.left = this.left.slice(LINES_AT_ONCE);
    cancelAnimationFrame(this.next);
    if (this.left.length) this.next = requestAnimationFrame(() => this.drawSome(width));
  }

  // Return the lines to draw, the strongest first; their share of all values from and to the chosen tokens; and the value
  // of a line of full strength.
  //
  // A line is drawn if its value is not far below the largest value of its row, so that a broad head also has lines. If
  // there are too many, the lines nearest to the largest of their rows are drawn. Equal lines are thinned out evenly.
  lines({left, right}) {
    const {sequence} = this, {state} = this.page, {layer, quantity, unit, contrast} = state, [, columns] = sequence.size(unit);
    const heads = this.page.headsShown(), maps = heads.map((head) => sequence.map(layer, head, quantity, unit));
    const rowsOf = (side, chosen) => this.indices[side].map((index, row) => ({index, row}))
      .filter(({index}) => !chosen || chosen.has(index));
    const starts = rowsOf("left", left), tos = rowsOf("right", right);
    let scale = 0, all = 0;
    for (const values of maps)
      for (const from of this.indices.left)
        for (const to of this.indices.right) scale = Math.max(scale, Math.abs(values[from * columns + to]));
    const least = FAINTEST ** (1 / contrast), steps = 1000, counts = new Uint32Array(steps + 1), strong = [];
    const each = (use) => maps.forEach((values, order) => {
      for (const from of starts) {
        const start = from.index * columns;
        let largest = 0;
        for (const to of tos) largest = Math.max(largest, Math.abs(values[start + to.index]));
        for (const to of tos) {
          const value = Math.abs(values[start + to.index]), less = values[start + to.index] < 0;
          if (!value || value < least * largest) continue;
          const spread = (from.row * 0.7549 + to.row * 0.5698 + order * 0.4302) % 1; // even over the plane
          use({value, less, order, from: from.row, to: to.row}, Math.floor((value / largest) * (1 - spread / 10) * steps));
        }
      }
    });
    each((_, nearness) => counts[nearness]++);
    let cut = steps;
    for (let total = counts[steps]; cut && total + counts[cut - 1] <= MOST_LINES; total += counts[cut]) cut--;
    each((line, nearness) => nearness >= cut && strong.push(line));
    const counted = right ? tos.map(({index}) => index) : [...Array(columns).keys()]; // including hidden tokens
    for (const values of maps)
      for (const from of starts) for (const to of counted) all += Math.abs(values[from.index * columns + to]);
    const strength = strong.map(({value}) => (value / scale) ** (LINE_POWER * contrast));
    // Many lines must not merge into one area.
    const ceiling = Math.min(1, Math.sqrt((4 * this.indices.left.length) / strength.reduce((sum, one) => sum + one, 0)));
    const spread = Math.min(this.row * 0.62, heads.length * 3), width = this.width - 2 * this.column;
    const offset = heads.map((_, order) => (heads.length > 1 ? (order / (heads.length - 1) - 0.5) * spread : 0));
    const y = (row, order) => this.top + (row + 0.5) * this.row + offset[order];
    const colors = heads.map((head) => lineColor(state, head)), [plus, minus] = [paper("plus"), paper("minus")];
    const lines = strong.map(({order, from, to, less}, i) => ({x1: 0, y1: y(from, order), x2: width, y2: y(to, order),
      color: sequence.signed ? (less ? minus : plus) : colors[order], opacity: strength[i] * ceiling}));
    lines.sort((one, other) => other.opacity - one.opacity);
    return {lines, scale, ceiling, share: all ? strong.reduce((sum, {value}) => sum + value, 0) / all : 0};
  }

  // The value of each token for the chosen tokens of the other side: the sum over tokens, the mean over heads.
  sums({left, right}) {
    const {sequence} = this, {state} = this.page, {layer, quantity, unit} = state, [, columns] = sequence.size(unit);
    const heads = this.page.headsShown(), sums = {left: null, right: null, perHead: [], largest: 1};
    if (!left && !right) return sums;
    const {indices} = this;
    if (left) sums.right = new Map(indices.right.filter((to) => !right || right.has(to)).map((to) => [to, 0]));
    if (right) sums.left = new Map(indices.left.filter((from) => !left || left.has(from)).map((from) => [from, 0]));
    for (const head of heads) {
      const values = sequence.map(layer, head, quantity, unit), ofHead = {left: new Map(), right: new Map()};
      for (const from of left ?? indices.left)
        for (const to of right ?? indices.right) {
          const value = values[from * columns + to];
          for (const [side, index] of [["left", from], ["right", to]]) {
            if (!sums[side]) continue;
            ofHead[side].set(index, (ofHead[side].get(index) ?? 0) + value);
            sums[side].set(index, sums[side].get(index) + value / heads.length);
          }
        }
      sums.perHead.push(ofHead);
    }
    sums.largest = Math.max(...[...(sums.right ?? []), ...(sums.left ?? [])].map(([, value]) => Math.abs(value))) || 1;
    return sums;
  }

  // A sentence on the share of attention that the lines have.
  told({lines, scale, share}) {
    const {quantity} = this.page.state, all = this.sequence.signed ? "difference" : quantity === "weight" ? "attention" : "norm";
    return `${lines.length.toLocaleString("en")} lines have ${writtenAs("share", share)} of the ${all}; ` +
      `the largest value is ${written(scale, quantity)}.` + (this.sequence.links.length ? " Gold links are dashed." : "");
  }

  // The numbers: tokens with the largest sums.
  tell(chosen, sums, drawn) {
    const {page} = this, {state} = page, side = sums.right ? "right" : "left";
    if (!sums[side]) {
      page.tellNumbers(quantityName(state), `${this.told(drawn)} Point at a token for its numbers.`);
      return;
    }
    const said = (one) => {
      const names = [...chosen[one]].map((index) => `“${this.labels[one][index]}”`);
      return names.slice(0, 6).join(" + ") + (names.length > 6 ? " + …" : "");
    };
    const heads = page.headsShown(), perHead = heads.length > 1 && heads.length <= 4 ? heads : [];
    page.tellNumbers(
      [chosen.left && `from ${said("left")}`, chosen.right && `to ${said("right")}`].filter(Boolean).join(" "),
      `${quantityName(state)}. ${this.told(drawn)}`,
      heads.length > 1 ? ["", "mean", ...perHead.map((head) => headName(state.layer, head))] : [],
      [...sums[side]].sort((a, b) => b[1] - a[1]).slice(0, 10).map(([index, value]) =>
        [this.labels[side][index], value, ...perHead.map((_, i) => sums.perHead[i][side].get(index))]
          .map((cell) => (typeof cell === "number" ? written(cell, state.quantity) : cell))),
    );
  }

  scene() {
    const chosen = this.chosen(), drawn = this.lines(chosen), sums = this.sums(chosen), {page} = this, {state} = page;
    const x = {left: this.column - 8, right: this.width - this.column + 8}, texts = [], boxes = [];
    if (state.beside) texts.push({x: 8, y: 10, text: shortened(this.name(), this.width - 16, 12), size: 12, bold: true});
    for (const side of SIDES) {
      const [anchor, away] = side === "left" ? ["end", -1] : ["start", 1];
      texts.push({x: x[side], y: this.top - 14, text: side === "left" ? "from" : "to", anchor, faint: true, size: 12});
      this.indices[side].forEach((index, i) => {
        const y = this.top + (i + 0.5) * this.row, value = sums[side]?.get(index);
        const size = Math.min(14, this.row - 4);
        if (value !== undefined) {
          const width = this.column - 4;
          boxes.push({x: side === "left" ? 4 : this.width - width - 4, y: y - this.row / 2 + 1, width, height: this.row - 2,
            color: paper("accent"), opacity: 0.45 * Math.min(1, Math.abs(value) / sums.largest)});
          texts.push({x: side === "left" ? 8 : this.width - 8, y, text: written(value, state.quantity), size: 11,
            anchor: side === "left" ? "start" : "end", faint: true});
        }
        const text = this.labels[side][index], part = this.part(side, index);
        texts.push({x: x[side] + away, y, text, anchor, size, bold: Boolean(chosen[side]?.has(index))});
        if (part) texts.push({x: x[side] + away * (textWidth(text) + 6), y, text: part, anchor, size: 10, faint: true});
      });
    }
    const lines = [...drawn.lines.toReversed(), ...this.goldLines()]
      .map((line) => ({...line, x1: line.x1 + this.column, x2: line.x2 + this.column}));
    const told = `${this.told(drawn)} A line's opacity is ${rounded(drawn.ceiling)} times its share of that value, to the power of ` +
      `${rounded(LINE_POWER * state.contrast)}.`;
    return {width: this.width, height: this.height, lines, lineWidth: lineWidth(chosen), texts, boxes, told};
  }
}

// ---- All heads: a map of each head. Rows attend to columns. In a search, only heads with the finding, the largest
// values first.
const MOST_FOUND = 24;

class ModelView {
  constructor(stage, page) {
    Object.assign(this, {stage, page, box: element("div")});
  }

  show() {
    const started = performance.now(), {state} = this.page;
    const structure = [state.quantity === "summed", state.find].join();
    if (structure !== this.structure) this.build();
    this.structure = structure;
    if (!this.box.isConnected) this.stage.replaceChildren(this.box);
    const sequence = this.page.mapped(), indices = sequence.indices(state), [, columns] = sequence.size(state.unit), colors = ramp();
    for (const picture of this.pictures) {
      picture.values = sequence.map(picture.layer, picture.head, state.quantity, state.unit);
      picture.largest = largestOf(picture.values, columns, indices);
    }
    // Each map has its own scale. Differences share one scale, so that heads with large differences stand out.
    const common = sequence.signed ? Math.max(...this.pictures.map(({largest}) => largest)) : null;
    for (const picture of this.pictures) {
      mapPicture(picture.canvas, picture.values, columns, indices, common ?? picture.largest, state.contrast, colors);
      this.label(picture);
    }
    if (sequence.signed && this.pictures.length) this.page.tellNumbers("Difference", `Maps show the size of the differences between “${sequence.title}” and the text beside it, ` +
      `all on one scale. The largest difference is ${written(common, state.quantity)}.`);
    else this.page.tellNumbers(null);
    this.page.tookTime(performance.now() - started);
  }

  build() {
    const {find, quantity} = this.page.state, heads = quantity === "summed" ? [0] : allHeads;
    this.pictures = [];
    if (find) return this.buildFound(find);
    const grid = element("div", {className: "model-view"});
    grid.style.setProperty("--columns", heads.length);
    const title = (kind, number, ...names) => { // a narrow screen shows only the number
      const made = element("span", {}, element("i", {textContent: `${kind} `}), String(number));
      made.classList.add("title", ...names);
      return made;
    };
    grid.append(element("span"), ...(quantity === "summed" ? [element("span", {className: "title", textContent: "sum of all heads"})]
      : heads.map((head) => title("head", head + 1))));
    for (let layer = 0; layer < DATA.layers; layer++)
      grid.append(title("layer", layer + 1, "layer"),
        ...heads.map((head) => this.picture(layer, head)));
    this.box.replaceChildren(grid);
    this.walkable(heads.length);
  }

  buildFound(text) {
    const found = findingsOf(text);
    this.box.replaceChildren(...(found.length ? [] : [element("p", {className: "empty", textContent:
      `No finding matches “${text}”. ${FINDINGS.length ? "Empty the field to see the list of all findings." :
        "This page has no findings: make the page with the results of the workflow (--findings)."}`})]));
    for (const finding of found) {
      const heads = Object.entries(finding.facts).sort(([, one], [, other]) => other[0] - one[0]);
      const largest = Math.max(...heads.map(([, [value]]) => Math.abs(value))) || 1, grid = element("div", {className: "found"});
      for (const [name, fact] of heads.slice(0, MOST_FOUND)) {
        const [layer, head] = name.split("-").map((one) => one - 1);
        const button = this.picture(layer, head, {finding, fact});
        button.style.setProperty("--share", Math.abs(fact[0]) / largest);
        grid.append(button);
      }
      this.box.append(element("h2", {textContent: `${finding.group}: ${finding.label}`}), element("p", {className: "faint",
        textContent: `On ${finding.corpus}. ` + (heads.length > 1
          ? `${Math.min(MOST_FOUND, heads.length)} of ${heads.length} heads, the largest values first.` : "")}), grid);
    }
    this.walkable(1);
  }

  // The tab key stops once, and arrow keys move on.
  walkable(columns) {
    const buttons = this.pictures.map(({button}) => button);
    buttons.forEach((button, i) => {
      button.tabIndex = i ? -1 : 0;
      button.onkeydown = (event) => walk(event, buttons, columns);
    });
  }

  picture(layer, head, found = null) {
    const {page} = this, canvas = element("canvas"), label = element("small");
    const button = element("button", {className: "thumbnail"}, canvas, label);
    const picture = {layer, head, canvas, label, button, found};
    button.dataset.head = headName(layer, head);
    button.onclick = () => page.choose(layer, head);
    page.tip(button, () => picture.tip);
    this.pictures.push(picture);
    return button;
  }

  label(picture) {
    const {state} = this.page, {quantity} = state, {layer, head, largest, label, button, found} = picture;
    const name = quantity === "summed" ? `layer ${layer + 1}` : `head ${headName(layer, head)}`;
    const [number, details] = found ? told(found.finding, found.fact) : ["", ""];
    const brief = quantity === "summed" ? "" : BRIEFS[headName(layer, head)] ?? "";
    picture.brief = found ? `${headName(layer, head)}: ${number}` : brief;
    picture.tip = [name, found ? `${number} (${details})` : brief, `largest: ${written(largest, quantity)}`].filter(Boolean).join("\n");
    label.textContent = picture.brief;
    button.setAttribute("aria-label", [name, found ? number : brief].filter(Boolean).join(": "));
    button.setAttribute("aria-current", layer === state.layer && (quantity === "summed" || head === state.heads[0]));
  }

  scene() {
    const {page} = this, {state} = page, found = Boolean(state.find);
    const columns = found ? 6 : state.quantity === "summed" ? 1 : DATA.heads, size = 72, gap = 8, label = 58, line = 14;
    const texts = [], images = [];
    const index = (row, column) => [label + column * (size + gap), 22 + row * (size + gap + line)];
    for (let head = 0; head < columns && !found; head++)
      texts.push({x: index(0, head)[0] + size / 2, y: 10, text: state.quantity === "summed" ? "sum" : head + 1, anchor: "middle", size: 11});
    this.pictures.forEach(({layer, canvas, brief}, i) => {
      const [row, column] = [Math.floor(i / columns), i % columns], [x, y] = index(row, column);
      images.push({x, y, width: size, height: size, canvas});
      texts.push({x: x + size / 2, y: y + size + 8, text: shortened(brief, size, 9), anchor: "middle", size: 9, faint: true});
      if (!column && !found) texts.push({x: label - 8, y: y + size / 2, text: `layer ${layer + 1}`, anchor: "end", size: 11});
    });
    const [width, height] = index(Math.ceil(this.pictures.length / columns), columns);
    const looked = found ? ` Heads sorted by: ${findingsOf(state.find).map(({group, label: of, corpus}) => `${group}: ${of} (${corpus})`).join("; ")}.` : "";
    return withCaption({width, height, texts, images}, [], [`${page.described()}. Rows attend to columns. The darkest (on dark paper, lightest) cell of ` +
      `${this.page.mapped().signed ? "all maps is the largest difference" : "each map is its largest value"}; the paper's color is 0.${looked}`]);
  }
}

function shortened(text, width, size) {
  if (textWidth(text, size) <= width) return text;
  while (text && textWidth(`${text}…`, size) > width) text = text.slice(0, -1);
  return `${text}…`;
}

// ---- Neurons: the computation of a head's weights from queries and keys.
class NeuronView {
  constructor(stage, page) {
    const pick = element("p", {className: "pick"}), canvas = element("canvas");
    Object.assign(this, {stage, page, pick, canvas, box: element("div", {}, pick, element("div", {className: "neuron-view"}, canvas))});
    canvas.setAttribute("role", "img");
  }

  // The reason why there are no neurons to show, or an empty text.
  lack() {
    if (this.page.sequence.packed.neurons) return "";
    const others = SEQUENCES.flatMap((other, i) => (other.packed.neurons ? [i + 1] : []));
    const lacks = this.page.sequence.packed.lacks || DATA.lacks;
    if (lacks) return `This model has no queries and keys to show: ${lacks}.`;
    return others.length ? `To stay small, this page has no queries and keys of this text. It has them for text ${others.join(", ")}.`
      : "This page has no queries and keys.";
  }

  show() {
    const lack = this.lack();
    if (lack) {
      this.stage.replaceChildren(element("p", {className: "empty", textContent: lack}));
      this.page.tellNumbers(null);
      return;
    }
    const {sequence, state} = this.page, structure = [state.text, state.hide].join();
    this.indices = sequence.left.indices({unit: "tokens", hide: state.hide}, null);
    if (structure !== this.structure) this.build();
    this.structure = structure;
    if (!this.box.isConnected) this.stage.replaceChildren(this.box);
    this.draw();
  }

  build() {
    const {page} = this, {tokens} = page.sequence.left.labels;
    this.pick.replaceChildren("From ", ...this.indices.map((index) => {
      const button = element("button", {className: "token"}, element("bdi", {textContent: tokens[index]}));
      button.dataset.index = index;
      button.onclick = () => page.keepOnly(index);
      return button;
    }));
  }

  draw() {
    const started = performance.now(), {page, canvas} = this, {sequence, state} = page, query = this.query();
    for (const button of this.pick.children) button.setAttribute("aria-pressed", Number(button.dataset.index) === query);
    const found = this.found(), scene = this.picture(found);
    const sized = canvasFor(scene.width, scene.height);
    Object.assign(canvas, {width: sized.width, height: sized.height});
    Object.assign(canvas.style, {width: `${scene.width}px`, height: `${scene.height}px`});
    const context = canvas.getContext("2d"), ratio = sized.width / scene.width;
    context.setTransform(ratio, 0, 0, ratio, 0, 0);
    for (const {x, y, width, height, color, opacity} of scene.boxes) {
      context.globalAlpha = opacity;
      context.fillStyle = color;
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
    const {tokens} = sequence.left.labels, head = headName(state.layer, state.heads[0]);
    canvas.setAttribute("aria-label", `Neurons of head ${head} from “${tokens[query]}”; their sums are in the table of numbers`);
    const {bias, dots, scores, weights} = found;
    const about = bias ? "Scores: q · k / √d plus the model's bias for the distance of two tokens. Their softmax: the weights."
      : "Scores q · k / √d, and their softmax, the weights.";
    page.tellNumbers(`head ${head}, from “${tokens[query]}”`, about, ["to", ...(bias ? ["q · k / √d", "bias"] : []), "score", "weight"],
      this.indices.map((key) => [tokens[key], ...(bias ? [dots, bias] : []).map((values) => values[key].toFixed(2)),
        scores[key].toFixed(2), weights[key].toFixed(3)]));
    page.tookTime(performance.now() - started);
  }

  query() {
    const {sequence, state} = this.page, [kept] = [...state.left];
    const index = kept === undefined ? 1 : sequence.left.token(state.unit, kept);
    return this.indices.includes(index) ? index : this.indices[0];
  }

  // The products [key, neuron], their scaled sums (dots), position bias if any, scores and weights of the chosen query.
  found() {
    const {sequence, state} = this.page, head = state.heads[0], n = sequence.left.labels.tokens.length, query = this.query();
    const {size, queries, keys, bias: biases} = sequence.neurons(state.layer, head);
    const products = Float32Array.from(keys, (key, i) => key * queries[query * size + (i % size)]);
    const dots = Float32Array.from({length: n}, (_, key) =>
      products.subarray(key * size, (key + 1) * size).reduce((sum, one) => sum + one, 0) / Math.sqrt(size));
    const weights = sequence.map(state.layer, head, "weight", "tokens").subarray(query * n, (query + 1) * n);
    const bias = biases?.subarray(query * n, (query + 1) * n), scores = bias ? dots.map((dot, key) => dot + bias[key]) : dots;
    return {size, queries, keys, products, dots, bias, scores, weights, query};
  }

  picture({size, queries, keys, products, dots, bias, weights, query}) {
    const {tokens} = this.page.sequence.left.labels, head = this.page.state.heads[0];
    const cell = Math.max(2, Math.min(6, Math.floor(220 / size))), block = cell * size, row = 20, top = 44, gap = 18;
    const label = Math.min(160, Math.max(40, ...tokens.map((token) => textWidth(token)))) + 12;
    const bar = 90, at = {key: label, product: label + block + gap};
    at.dot = at.product + block + gap;
    at.bias = at.dot + bar + gap;
    at.weight = bias ? at.bias + bar + gap : at.bias;
    const boxes = [], texts = [], height = top + (this.indices.length + 1) * row + 6;
    const largest = (values) => values.reduce((most, value) => Math.max(most, Math.abs(value)), 0) || 1;
    const color = (value) => (value < 0 ? paper("minus") : paper("plus"));
    const strip = (x, y, values, start, scale) => {
      for (let neuron = 0; neuron < size; neuron++) {
        const share = Math.abs(values[start + neuron]) / scale;
        if (share >= 0.02)
          boxes.push({x: x + neuron * cell, y: y + 1, width: cell - 0.5, height: row - 3, color: color(values[start + neuron]),
            opacity: Math.sqrt(share)});
      }
    };
    const vectorScale = largest(queries), keyScale = largest(keys), productScale = largest(products);
    const dotScale = Math.max(largest(dots), bias ? largest(bias) : 0), parts = [[at.dot, dots], ...(bias ? [[at.bias, bias]] : [])];
    for (const [x, width, text] of [[at.key, block, "key k"], [at.product, block, "product q × k"],
      [at.dot, bar, `q · k / √${size}`], ...(bias ? [[at.bias, bar, "+ position bias"]] : []), [at.weight, bar, "weight α (softmax)"]])
      texts.push({x: x + width / 2, y: 10, text, anchor: "middle", size: 12, faint: true});
    texts.push({x: label - 8, y: 22 + row / 2, text: tokens[query], anchor: "end", bold: true});
    strip(at.key, 22, queries, query * size, vectorScale);
    texts.push({x: at.product, y: 22 + row / 2, text: "query q of this token", size: 12, faint: true});
    this.indices.forEach((key, i) => {
      const y = top + (i + 0.5) * row;
      texts.push({x: label - 8, y: y + row / 2, text: tokens[key], anchor: "end"});
      strip(at.key, y, keys, key * size, keyScale);
      strip(at.product, y, products, key * size, productScale);
      for (const [x, values] of parts) {
        const length = (Math.abs(values[key]) / dotScale) * (bar / 2);
        boxes.push({x: x + bar / 2 - (values[key] < 0 ? length : 0), y: y + 3, width: length, height: row - 7,
          color: color(values[key]), opacity: 0.85});
      }
      boxes.push({x: at.weight, y: y + 3, width: weights[key] * bar, height: row - 7, color: headColor(head), opacity: 0.85});
      texts.push({x: at.weight + bar + 4, y: y + row / 2, text: weights[key].toFixed(3), size: 11, faint: true});
    });
    return {width: at.weight + bar + 46, height, boxes, texts, scales: {vectorScale, keyScale, productScale, dotScale}};
  }

  scene() {
    const picture = this.picture(this.found()), {vectorScale, keyScale, productScale, dotScale} = picture.scales;
    const of = (value) => value.toPrecision(3);
    return withCaption(picture, [[paper("plus"), "above 0"], [paper("minus"), "below 0"]],
      [`${this.page.described()}. Full strength: query ${of(vectorScale)}, key ${of(keyScale)}, product ${of(productScale)}; ` +
        `the longest bar of a score: ${of(dotScale)}; of a weight: 1.`]);
  }
}
