// Colours of routes: neighbours around the depot differ; a tour changes slowly along its way.

export function isDark() {
  return document.documentElement.dataset.theme === "dark";
}

export function variable(name, element = document.documentElement) {
  return getComputedStyle(element).getPropertyValue(name).trim();
}

// OKLCH to sRGB, 0 to 255, so that all hues look equally bright.
function rgb(lightness, chroma, hue) {
  const a = chroma * Math.cos(hue);
  const b = chroma * Math.sin(hue);
  const l = (lightness + 0.3963377774 * a + 0.2158037573 * b) ** 3;
  const m = (lightness - 0.1055613458 * a - 0.0638541728 * b) ** 3;
  const s = (lightness - 0.0894841775 * a - 1.291485548 * b) ** 3;
  const linear = [
    4.0767416621 * l - 3.3077115913 * m + 0.2309699292 * s,
    -1.2684380046 * l + 2.6097574011 * m - 0.3413193965 * s,
    -0.0041960863 * l - 0.7034186147 * m + 1.707614701 * s,
  ];
  return linear.map((value) => {
    const v = Math.min(1, Math.max(0, value));
    return Math.round(255 * (v <= 0.0031308 ? 12.92 * v : 1.055 * v ** (1 / 2.4) - 0.055));
  });
}

export function tone(hue) {
  return isDark() ? rgb(0.77, 0.115, hue) : rgb(0.57, 0.125, hue);
}

const GOLDEN = Math.PI * (3 - Math.sqrt(5));

// One colour per route, as bytes r, g, b.
export function routeColours(points, routes) {
  const order = Array.from({ length: routes.count }, (_, index) => index);
  const angle = order.map((route) => {
    let [x, y] = [0, 0];
    for (let i = routes.starts[route]; i < routes.starts[route + 1]; i++) {
      x += points.xy[2 * routes.nodes[i]] - points.xy[0];
      y += points.xy[2 * routes.nodes[i] + 1] - points.xy[1];
    }
    return Math.atan2(y, x);
  });
  order.sort((a, b) => angle[a] - angle[b]);
  const colours = new Uint8Array(3 * routes.count);
  order.forEach((route, place) => colours.set(tone(2.9 + place * GOLDEN), 3 * route));
  return colours;
}

export function tourColour(share) {
  return tone(2.9 + 2 * Math.PI * share);
}

export function css(bytes, index = 0) {
  return `rgb(${bytes[3 * index]} ${bytes[3 * index + 1]} ${bytes[3 * index + 2]})`;
}
