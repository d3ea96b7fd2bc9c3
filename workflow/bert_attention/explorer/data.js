"use strict";
// The data of the page: what data.py packed, and maps between tokens or words.

const DATA = JSON.parse(document.getElementById("data").textContent);

const QUANTITIES = {
  weight: "attention weight α",
  norm: "norm ‖α f(x)‖",
  summed: "norm of all heads’ sum ‖Σ α f(x)‖",
};

// What a byte stands for, as a share of its scale.
const SHARE_OF_CODE = Float32Array.from({length: 256}, (_, code) => (code / 255) ** 2);

async function inflated(base64) {
  const text = atob(base64);
  const bytes = new Uint8Array(text.length);
  for (let i = 0; i < text.length; i++) bytes[i] = text.charCodeAt(i);
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("deflate"));
  return new Response(stream).arrayBuffer();
}

// One sequence with its arrays, unpacked when it is first asked for.
class Sequence {
  constructor(packed) {
    this.packed = packed;
    this.tokens = packed.tokens;
    this.words = packed.words;
    this.title = packed.words.filter((_, i) => !this.isSpecial("words", i)).join(" ");
    this.maps = new Map();
  }

  async load() {
    if (this.codes) return;
    const n = this.tokens.length, {layers, heads} = DATA;
    const buffer = await inflated(this.packed.arrays);
    const cells = layers * heads * n * n, summed = layers * n * n;
    this.codes = new Uint8Array(buffer, 0, cells);
    this.summed = new Uint8Array(buffer, cells, summed);
    this.valueNorms = new Float32Array(buffer.slice(cells + summed)); // a copy is aligned
  }

  async loadNeurons() {
    if (this.queries || !this.packed.neurons) return;
    const buffer = await inflated(this.packed.neurons);
    const size = buffer.byteLength / 2;
    this.queries = new Int8Array(buffer, 0, size);
    this.keys = new Int8Array(buffer, size, size);
  }

  labels(unit) {
    return unit === "words" ? this.words : this.tokens;
  }

  isSpecial(unit, place) {
    const {special, word_of} = this.packed;
    return Boolean(special[unit === "words" ? word_of.indexOf(place) : place]);
  }

  // Values [query, key] of a head in a layer, both from 0; all heads' sum belongs to no head.
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
    const n = this.tokens.length, values = new Float32Array(n * n);
    if (quantity === "summed") {
      const scale = this.packed.summed_scales[layer], start = layer * n * n;
      for (let i = 0; i < n * n; i++) values[i] = scale * SHARE_OF_CODE[this.summed[start + i]];
      return values;
    }
    const place = layer * DATA.heads + head, start = place * n * n;
    for (let i = 0; i < n * n; i++) values[i] = SHARE_OF_CODE[this.codes[start + i]];
    if (quantity === "norm") for (let i = 0; i < n * n; i++) values[i] *= this.valueNorms[place * n + (i % n)];
    return values;
  }

  // To a word: the sum over its tokens; from a word: the mean over its tokens.
  betweenWords(values) {
    const {word_of} = this.packed, n = this.tokens.length, count = this.words.length;
    const tokensOf = new Float32Array(count);
    for (const word of word_of) tokensOf[word]++;
    const between = new Float32Array(count * count);
    for (let i = 0; i < n; i++)
      for (let j = 0; j < n; j++)
        between[word_of[i] * count + word_of[j]] += values[i * n + j] / tokensOf[word_of[i]];
    return between;
  }

  // The largest value that any head of the layer has.
  largest(layer, quantity, unit) {
    const name = ["largest", layer, quantity, unit].join();
    if (!this.maps.has(name)) {
      let largest = 0;
      for (let head = 0; head < (quantity === "summed" ? 1 : DATA.heads); head++)
        for (const value of this.map(layer, head, quantity, unit)) if (value > largest) largest = value;
      this.maps.set(name, largest);
    }
    return this.maps.get(name);
  }

  // Query and key vectors [token, neuron] of a head, as numbers.
  neurons(layer, head) {
    const size = this.packed.neuron_count, cells = this.tokens.length * size;
    const start = (layer * DATA.heads + head) * cells;
    const [queryScale, keyScale] = this.packed.neuron_scales.map((scales) => scales[layer] / 127);
    return {
      size,
      queries: Float32Array.from(this.queries.subarray(start, start + cells), (code) => code * queryScale),
      keys: Float32Array.from(this.keys.subarray(start, start + cells), (code) => code * keyScale),
    };
  }
}

const SEQUENCES = DATA.sequences.map((packed) => new Sequence(packed));

const headName = (layer, head) => `${layer + 1}-${head + 1}`;
const noteOf = (layer, head) => DATA.notes[headName(layer, head)];

function written(value, quantity) {
  if (quantity === "weight") return value.toFixed(3);
  return value >= 100 ? value.toFixed(0) : value.toPrecision(3);
}
