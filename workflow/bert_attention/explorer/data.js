"use strict";
// The data of the page, as packed by data.py, and maps between tokens or words.

// One document can hold several pages. Each script starts the first page that has not started.
const ROOT = document.querySelector(".explorer:not([data-shown])");
ROOT.dataset.shown = "";
const DATA = JSON.parse(ROOT.querySelector(".data").textContent);
const {briefs: BRIEFS, findings: FINDINGS} = DATA.found;

const QUANTITIES = {
  weight: "attention weight α",
  norm: "norm ‖α f(x)‖",
  summed: "norm of all heads’ sum ‖Σ α f(x)‖",
};

// Values of the codes of a byte, as shares of the scale.
const SHARE_OF_CODE = Float32Array.from({length: 256}, (_, code) => (code / 255) ** 2);

async function inflated(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// The tokens that attend (left), or the tokens that are attended to (right).
class Side {
  constructor({tokens, words, word_of, special, part_of}) {
    this.labels = {tokens, words};
    this.wordOf = word_of;
    this.special = special;
    this.partOf = part_of;
    this.parts = Math.max(...part_of) + 1;
    this.firstOf = words.map((_, word) => word_of.indexOf(word));
  }

  token(unit, index) {
    return unit === "words" ? this.firstOf[index] : index;
  }

  // Indices of the shown tokens or words; `part` is null for all.
  indices({unit, hide}, part) {
    return [...this.labels[unit].keys()].filter((index) => {
      const token = this.token(unit, index);
      return !(hide && this.special[token]) && (part === null || this.partOf[token] === part);
    });
  }
}

// A sequence with its arrays, which are unpacked on first use.
class Sequence {
  constructor(packed) {
    const [left, right = left] = packed.sides.map((side) => new Side(side));
    Object.assign(this, {packed, left, right, maps: new Map()});
    this.hasWords = [left, right].some(({labels}) => labels.words.length < labels.tokens.length);
    this.hasNorms = "summed_scales" in packed;
    this.links = packed.links ?? []; // gold links between words: [from, to, 1 if sure]
    this.title = [...new Set([left, right])].map((side) =>
      side.labels.words.filter((_, word) => !side.special[side.firstOf[word]]).join(" ")).join(" → ");
    if (packed.model) this.title = `${packed.model}: ${this.title}`;
  }

  // The difference to another text of as many tokens; null for a text with more or fewer tokens.
  less(other) {
    if (this.size("tokens").join() !== other.size("tokens").join()) return null;
    return Object.assign(Object.create(this), {maps: new Map(), signed: true, tokenMap: (...which) => {
      const subtracted = other.tokenMap(...which);
      return this.tokenMap(...which).map((value, i) => value - subtracted[i]);
    }});
  }

  async load() {
    if (this.codes) return;
    const {layers, heads} = DATA, [n, m] = this.size("tokens");
    const buffer = await inflated(this.packed.arrays);
    const cells = layers * heads * n * m;
    this.codes = new Uint8Array(buffer, 0, cells);
    if (!this.hasNorms) return;
    this.summed = new Uint8Array(buffer, cells, layers * n * m);
    this.valueNorms = new Float32Array(buffer.slice(cells + layers * n * m)); // a copy is aligned
  }

  async loadNeurons() {
    if (this.queries || !this.packed.neurons) return;
    const buffer = await inflated(this.packed.neurons);
    const size = buffer.byteLength / 2;
    this.queries = new Int8Array(buffer, 0, size);
    this.keys = new Int8Array(buffer, size, size);
    if (this.packed.position_bias) this.bias = new Float32Array(await inflated(this.packed.position_bias));
  }

  // The numbers of queries and keys.
  size(unit) {
    return [this.left.labels[unit].length, this.right.labels[unit].length];
  }

  // The shown indices of each side.
  indices(state) {
    const [from, to] = state.parts ? [...state.parts].map((letter) => PARTS.indexOf(letter)) : [null, null];
    return {left: this.left.indices(state, from), right: this.right.indices(state, to)};
  }

  // Values [query, key] of a head in a layer, both from 0. The sum of all heads is stored for head 0.
  map(layer, head, quantity, unit) {
    const name = [layer, quantity === "summed" ? 0 : head, quantity, unit].join();
    if (!this.maps.has(name)) {
      if (this.maps.size > 2000) this.maps.clear();
      const tokens = this.tokenMap(layer, head, quantity);
      this.maps.set(name, unit === "words" ? this.betweenWords(tokens) : tokens);
    }
    return this.maps.get(name);
  }

  tokenMap(layer, head, quantity) {
    const [n, m] = this.size("tokens"), cells = n * m, values = new Float32Array(cells);
    if (quantity === "summed") {
      const scale = this.packed.summed_scales[layer], start = layer * cells;
      for (let i = 0; i < cells; i++) values[i] = scale * SHARE_OF_CODE[this.summed[start + i]];
      return values;
    }
    const index = layer * DATA.heads + head, start = index * cells;
    for (let i = 0; i < cells; i++) values[i] = SHARE_OF_CODE[this.codes[start + i]];
    if (quantity === "norm") for (let i = 0; i < cells; i++) values[i] *= this.valueNorms[index * m + (i % m)];
    return values;
  }

  // To a word: the sum over its tokens; from a word: the mean over its tokens.
  betweenWords(values) {
    const [n, m] = this.size("tokens"), [words, columns] = this.size("words");
    const {wordOf} = this.left, tokensOf = new Float32Array(words);
    for (const word of wordOf) tokensOf[word]++;
    const between = new Float32Array(words * columns);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < m; j++)
        between[wordOf[i] * columns + this.right.wordOf[j]] += values[i * m + j] / tokensOf[wordOf[i]];
    return between;
  }

  // Query and key vectors [token, neuron] of a head, as numbers, and its position bias [query, key], if it has one.
  neurons(layer, head) {
    const size = this.packed.neuron_count, tokens = this.left.labels.tokens.length, cells = tokens * size;
    const start = (layer * DATA.heads + head) * cells;
    const [queryScale, keyScale] = this.packed.neuron_scales.map((scales) => scales[layer] / 127);
    return {
      size,
      queries: Float32Array.from(this.queries.subarray(start, start + cells), (code) => code * queryScale),
      keys: Float32Array.from(this.keys.subarray(start, start + cells), (code) => code * keyScale),
      bias: this.bias?.subarray(head * tokens ** 2, (head + 1) * tokens ** 2),
    };
  }
}

const PARTS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ";
const SEQUENCES = DATA.sequences.map((packed) => new Sequence(packed));

const headName = (layer, head) => `${layer + 1}-${head + 1}`;
const allHeads = [...Array(DATA.heads).keys()];

function written(value, quantity) {
  if (quantity === "weight") return value.toFixed(3);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}

// Numbers of findings, in their units.
function writtenAs(unit, value) {
  if (unit === "share") return `${(100 * value).toFixed(value >= 0.0995 ? 0 : 1)}%`;
  if (unit === "change") return `${value < 0 ? "−" : "+"}${Math.abs(value).toFixed(3)}`;
  return unit === "nats" ? `${value.toFixed(2)} nats` : value.toFixed(3);
}

// A fact as two texts: the number, and its interval, count, control and remark.
function told({unit}, [value, low, high, n, control, remark]) {
  const number = (one) => writtenAs(unit, one);
  return [number(value), [
    low !== null && `${number(low)} to ${number(high)}`,
    n !== null && `n = ${n.toLocaleString("en")}`,
    control === null ? "no control" : `random weights: ${number(control)}`,
    remark,
  ].filter(Boolean).join("; ")];
}

// Findings whose label or group holds all words of a text.
function findingsOf(text) {
  const words = text.toLowerCase().split(/[\s,:]+/).filter(Boolean);
  const exact = FINDINGS.filter(({label}) => label.toLowerCase() === text.trim().toLowerCase());
  if (exact.length) return exact;
  return words.length ? FINDINGS.filter(({group, label}) =>
    words.every((word) => `${group} ${label}`.toLowerCase().includes(word))) : [];
}
