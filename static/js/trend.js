// Draws the figures of the table below each picture. Without script, or without this file, the
// tables say all.
(function () {
  "use strict";

  if (!window.uPlot) return;
  for (const place of document.querySelectorAll("[data-chart]")) {
    const kept = document.getElementById(`${place.id}-data`);
    if (kept) picture(place, JSON.parse(kept.textContent));
  }

  function picture(place, data) {
    const language = document.documentElement.lang || undefined;
    const day = new Intl.DateTimeFormat(language, { dateStyle: "medium", timeZone: data.zone });
    const instant = new Intl.DateTimeFormat(language, {
      dateStyle: "medium", timeStyle: "short", timeZone: data.zone,
    });
    const number = new Intl.NumberFormat(language, { maximumFractionDigits: 2 });
    const units = [...new Set(data.lines.map((line) => line.scale))];
    // By name and by dash, so that lines are told apart without colour as well.
    const dashes = [[], [6, 4], [2, 3], [10, 4, 2, 4], [14, 4], [4, 2], [1, 4]];
    const height = data.height || 300;
    let chart = null;

    function said(value, unit) {
      if (value === null || value === undefined) return "—";
      return unit === "%" ? `${number.format(value)} %` : number.format(value);
    }

    function colours() {
      // A canvas takes no colour that refers to another one: let an element resolve it.
      const probe = document.createElement("span");
      place.append(probe);
      const of = (name) => {
        probe.style.color = `var(${name})`;
        return getComputedStyle(probe).color;
      };
      const names = ["--tblr-blue", "--tblr-orange", "--tblr-green", "--tblr-purple", "--tblr-red",
        "--tblr-teal", "--tblr-yellow"];
      const found = { lines: names.map(of), text: of("--quiet"), grid: of("--line") };
      probe.remove();
      return found;
    }

    function axis(unit, side, colour) {
      return {
        scale: unit, side, stroke: colour.text, size: 64,
        grid: { show: side === 3, stroke: colour.grid, width: 1 },
        ticks: { stroke: colour.grid, width: 1 },
        values: (_, splits) => splits.map((value) => said(value, unit)),
      };
    }

    function room() {
      return place.clientWidth - 2 * parseFloat(getComputedStyle(place).paddingLeft);
    }

    function draw() {
      const colour = colours();
      const scales = { x: { time: true } };
      for (const unit of units) {
        const most = (high) => data.top || (high > 0 ? high * 1.05 : 1);
        scales[unit] = { range: (_, low, high) => [0, most(high)] };
      }
      const options = {
        width: room(), height, scales,
        axes: [
          {
            stroke: colour.text, space: 110,
            grid: { stroke: colour.grid, width: 1 },
            ticks: { stroke: colour.grid, width: 1 },
            values: (_, splits) => splits.map((seconds) => day.format(seconds * 1000)),
          },
          ...units.map((unit, index) => axis(unit, index ? 1 : 3, colour)),
        ],
        series: [
          { label: place.dataset.when, value: (_, seconds) => (seconds ? instant.format(seconds * 1000) : "—") },
          ...data.lines.map((line, index) => ({
            label: line.name, scale: line.scale, stroke: colour.lines[index % colour.lines.length],
            width: 2, spanGaps: true, dash: dashes[index % dashes.length], points: { show: data.times.length < 60, size: 6 },
            value: (_, value) => said(value, line.scale),
          })),
        ],
      };
      chart?.destroy();
      chart = new uPlot(options, [data.times, ...data.lines.map((line) => line.values)], place);
    }

    place.hidden = false;
    draw();
    new ResizeObserver(() => {
      if (Math.abs(chart.width - room()) > 1) chart.setSize({ width: room(), height });
    }).observe(place);
    new MutationObserver(draw).observe(document.documentElement, { attributeFilter: ["data-bs-theme"] });
  }
})();
