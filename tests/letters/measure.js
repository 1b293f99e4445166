// What a reader would stumble over: words that are cut off or stick out, and words that can hardly be read.
(() => {
  const width = document.documentElement.clientWidth, faults = [];
  const name = e => e.tagName.toLowerCase() + (e.className ? "." + e.className : "") + ": " + e.textContent.trim().slice(0, 40);
  const parts = text => (text.match(/[\d.]+/g) || []).map(Number);
  const shine = ([r, g, b]) => [r, g, b].map(v => v / 255)
    .map(v => v <= 0.03928 ? v / 12.92 : ((v + 0.055) / 1.055) ** 2.4)
    .reduce((sum, v, n) => sum + v * [0.2126, 0.7152, 0.0722][n], 0);
  const ground = e => {
    for (; e; e = e.parentElement) {
      const color = parts(getComputedStyle(e).backgroundColor);
      if (color.length === 3 || color[3] > 0) return color;
    }
    return [255, 255, 255];
  };
  if (document.documentElement.scrollWidth > width) faults.push("the page is wider than its window: " + document.documentElement.scrollWidth);
  let least = 21;
  for (const e of document.body.querySelectorAll("*")) {
    const style = getComputedStyle(e), box = e.getBoundingClientRect();
    if (style.display === "none") continue;
    if (style.display !== "inline" && e.clientWidth && e.scrollWidth > e.clientWidth) faults.push("cut off: " + name(e));
    if (box.right > width + 0.5 || box.left < -0.5) faults.push("sticks out: " + name(e));
    if (![...e.childNodes].some(n => n.nodeType === 3 && n.data.trim())) continue;
    if (parseFloat(style.fontSize) < 11) faults.push("tiny: " + name(e));
    const [a, b] = [shine(parts(style.color)), shine(ground(e))].sort((x, y) => y - x);
    const contrast = (a + 0.05) / (b + 0.05);
    least = Math.min(least, contrast);
    if (contrast < 4.5) faults.push("contrast " + contrast.toFixed(1) + ": " + name(e));
  }
  const bottom = query => Math.max(0, ...[...document.querySelectorAll(query)].map(e => e.getBoundingClientRect().bottom + scrollY));
  return {faults, contrast: least, first: Math.max(bottom("h1"), bottom(".briefing"), bottom("h1 + .until")),
          height: document.body.scrollHeight, dark: parts(getComputedStyle(document.body).backgroundColor)[0] < 80};
})()
