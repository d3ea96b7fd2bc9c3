// A scene is a picture as plain data, drawn on a canvas or written as SVG:
// {width, height, lines, lineWidth, texts, boxes, images}, all measures in CSS pixels.
//   lines   {x1, y1, x2, y2, color, opacity, dash}
//   texts   {x, y, text, anchor, bold, size, faint}
//   boxes   {x, y, width, height, color, opacity}
//   images  {x, y, width, height, canvas}

const FONT = "system-ui, -apple-system, 'Segoe UI', Roboto, 'Noto Sans', sans-serif";

// Twelve colors that color-blind readers can distinguish. More than twelve heads reuse them.
// The style sheet has twelve colors for light paper, and twelve other colors for dark paper.
const headColor = (head) => {
  const colors = paper("heads").split(/\s+/);
  return colors[head % colors.length];
};

const papers = new Map(); // reading a style from the browser is slow
function paper(name) {
  const key = `${ROOT.dataset.theme} ${name}`;
  if (!papers.has(key)) papers.set(key, getComputedStyle(ROOT).getPropertyValue(`--${name}`).trim());
  return papers.get(key);
}

const measuring = document.createElement("canvas").getContext("2d");
function textWidth(text, size = 14) {
  measuring.font = `${size}px ${FONT}`;
  return measuring.measureText(text).width;
}

function canvasFor(width, height) {
  const canvas = document.createElement("canvas");
  // Browsers draw nothing on a canvas that is too large.
  const ratio = Math.min(window.devicePixelRatio || 1, 16000 / Math.max(width, height, 1));
  canvas.width = Math.max(1, Math.round(width * ratio));
  canvas.height = Math.max(1, Math.round(height * ratio));
  canvas.style.width = `${width}px`;
  canvas.style.height = `${height}px`;
  canvas.getContext("2d").setTransform(ratio, 0, 0, ratio, 0, 0);
  return canvas;
}

// A curve with horizontal ends.
function bend({x1, y1, x2, y2}) {
  const middle = (x1 + x2) / 2;
  return [x1, y1, middle, y1, middle, y2, x2, y2];
}

// Draw lines, each below the lines already drawn. One stroke per line is faster than few strokes of many lines.
function drawBelow(context, lines, lineWidth) {
  context.globalCompositeOperation = "destination-over";
  context.lineWidth = lineWidth;
  for (const line of lines) {
    const [x1, y1, ax, ay, bx, by, x2, y2] = bend(line);
    context.strokeStyle = line.color;
    context.globalAlpha = line.opacity;
    context.setLineDash(line.dash ?? []);
    context.beginPath();
    context.moveTo(x1, y1);
    context.bezierCurveTo(ax, ay, bx, by, x2, y2);
    context.stroke();
  }
}

const escaped = (text) =>
  String(text)
    .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g, "\ufffd")
    .replace(/&/g, "&amp;").replace(/</g, "&lt;").replace(/>/g, "&gt;").replace(/"/g, "&quot;");

const rounded = (value) => Math.round(value * 100) / 100;

// A scene with a caption below: first colored marks, [color, text] each, then lines of text, which are wrapped.
function withCaption(scene, marks, lines) {
  const width = Math.max(scene.width, 420), size = 12, row = 17, texts = [...(scene.texts ?? [])], boxes = [...(scene.boxes ?? [])];
  let x = 8, y = scene.height + row;
  for (const [color, text] of marks) {
    const extent = textWidth(text, size) + 30;
    if (x + extent > width) [x, y] = [8, y + row];
    boxes.push({x, y: y - 2, width: 14, height: 4, color});
    texts.push({x: x + 19, y, text, size});
    x += extent;
  }
  if (marks.length) y += row;
  for (const line of lines)
    for (const text of wrapped(line, width - 16, size)) {
      texts.push({x: 8, y, text, size, faint: true});
      y += row;
    }
  return {...scene, width, height: y, texts, boxes};
}

function wrapped(text, width, size) {
  const rows = [""];
  for (const word of text.split(" ")) {
    const longer = `${rows.at(-1)} ${word}`.trim();
    if (rows.at(-1) && textWidth(longer, size) > width) rows.push(word);
    else rows[rows.length - 1] = longer;
  }
  return rows;
}

function asSvg(scene, title) {
  const ink = paper("ink"), faint = paper("faint"), parts = [];
  const {width, height} = scene;
  parts.push(
    `<svg xmlns="http://www.w3.org/2000/svg" width="${rounded(width)}" height="${rounded(height)}"` +
    ` viewBox="0 0 ${rounded(width)} ${rounded(height)}" font-family="${escaped(FONT)}">`,
    `<title>${escaped(title)}</title>`,
    `<rect width="100%" height="100%" fill="${paper("paper")}"/>`,
  );
  for (const {x, y, width: w, height: h, color, opacity} of scene.boxes ?? [])
    parts.push(`<rect x="${rounded(x)}" y="${rounded(y)}" width="${rounded(w)}" height="${rounded(h)}" fill="${color}"` +
      ` fill-opacity="${rounded(opacity ?? 1)}"/>`);
  for (const {x, y, width: w, height: h, canvas} of scene.images ?? [])
    parts.push(`<image x="${rounded(x)}" y="${rounded(y)}" width="${rounded(w)}" height="${rounded(h)}"` +
      ` preserveAspectRatio="none" style="image-rendering: pixelated" href="${canvas.toDataURL()}"/>`);
  parts.push(`<g fill="none" stroke-width="${scene.lineWidth ?? 1}">`);
  for (const line of scene.lines ?? []) {
    const [x1, y1, ax, ay, bx, by, x2, y2] = bend(line).map(rounded);
    parts.push(`<path d="M${x1} ${y1}C${ax} ${ay} ${bx} ${by} ${x2} ${y2}" stroke="${line.color}"` +
      ` stroke-opacity="${Math.round(line.opacity * 1000) / 1000}"` +
      `${line.dash ? ` stroke-dasharray="${line.dash}"` : ""}/>`);
  }
  parts.push("</g>");
  for (const {x, y, text, anchor, bold, size, faint: isFaint, color} of scene.texts ?? [])
    parts.push(`<text x="${rounded(x)}" y="${rounded(y)}" font-size="${size ?? 14}" text-anchor="${anchor ?? "start"}"` +
      `${bold ? ' font-weight="600"' : ""} fill="${color ?? (isFaint ? faint : ink)}" dominant-baseline="central"` +
      ` xml:space="preserve" style="unicode-bidi: isolate">${escaped(text)}</text>`);
  parts.push("</svg>\n");
  return parts.join("\n");
}

// Colors of a map, from the color of paper to the color of ink, by the share of the largest value: [256 * 3].
function ramp() {
  const stops = paper("ramp").split(/\s+/).map((color) => [1, 3, 5].map((i) => parseInt(color.slice(i, i + 2), 16)));
  const colors = new Uint8ClampedArray(256 * 3);
  for (let i = 0; i < 256; i++) {
    const at = (i / 255) * (stops.length - 1), low = Math.min(Math.floor(at), stops.length - 2);
    for (let part = 0; part < 3; part++)
      colors[i * 3 + part] = stops[low][part] + (at - low) * (stops[low + 1][part] - stops[low][part]);
  }
  return colors;
}

// The largest value or difference among the shown cells.
function largestOf(values, columns, {left, right}) {
  let largest = 0;
  for (const row of left) for (const column of right) largest = Math.max(largest, Math.abs(values[row * columns + column]));
  return largest;
}

// A picture of a map, one pixel per cell. Rows and columns are the shown indices.
function mapPicture(canvas, values, columns, {left, right}, largest, contrast, colors) {
  canvas.width = Math.max(1, right.length);
  canvas.height = Math.max(1, left.length);
  const context = canvas.getContext("2d"), image = context.createImageData(canvas.width, canvas.height);
  const power = contrast / 2; // faint cells are small, so they need more contrast than faint lines
  const steps = 4096, codes = Uint16Array.from({length: steps + 1}, (_, step) => Math.round(255 * (step / steps) ** power) * 3);
  let at = 0;
  for (const row of left)
    for (const column of right) {
      const code = largest ? codes[Math.round((Math.abs(values[row * columns + column]) / largest) * steps)] : 0;
      image.data[at++] = colors[code];
      image.data[at++] = colors[code + 1];
      image.data[at++] = colors[code + 2];
      image.data[at++] = 255;
    }
  context.putImageData(image, 0, 0);
}
