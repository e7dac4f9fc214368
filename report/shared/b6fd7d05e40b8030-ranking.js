// What a mix of operations costs in each store, and who is level with the best: the arithmetic of "Your case" (chooser.js), that of
// kvreport/analysis/chooser.py function by function; tests/test_chooser_page.py holds the two to each other.
window.kvRanking = (() => {
  const { log, exp, sqrt, min, max, abs } = Math;

  function key(keys, order, tier, regime, operation) {
    return [keys, order, operation === "put" ? tier : "none", regime, operation].join("|");
  }

  function satterthwaite(table, parts, freedoms) {
    const most = table.freedoms.at(-1);
    let spread = 0, sum = 0;
    parts.forEach((part, i) => {
      if (freedoms[i]) spread += part ** 2 / freedoms[i];
      sum += part;
    });
    return spread ? min(sum ** 2 / spread, most) : most;
  }

  function atSize(table, points, bytes) {
    const next = points.length > 1 ? points.slice(1) : points;
    for (let i = 0; i < next.length; i++) {
      const [low, high] = [points[i], next[i]];
      if (low[0] > bytes || bytes > high[0]) continue;
      const share = high[0] > low[0] ? log(bytes / low[0]) / log(high[0] / low[0]) : 0;
      const weights = [1 - share, share];
      const ends = [low, high];
      const parts = weights.map((weight, at) => weight ** 2 * ends[at][2]);
      const single = weights.some((weight, at) => weight && !ends[at][3]);
      return {
        log: weights[0] * low[1] + weights[1] * high[1],
        variance: parts[0] + parts[1],
        freedom: single ? 0 : satterthwaite(table, parts, [low[3], high[3]]),
      };
    }
    return null;
  }

  function cost(table, query, store) {
    const found = [];
    for (const [operation, share] of Object.entries(query.shares)) {
      if (!(share > 0)) continue;
      const points = table.points[key(query.keys, query.order, query.tier, query.regime, operation)]?.[store];
      const estimate = points && atSize(table, points, query.value_bytes);
      if (!estimate) return null;
      found.push({ share, ...estimate });
    }
    const total = found.reduce((sum, each) => sum + each.share * exp(each.log), 0);
    if (!total) return null;
    const parts = found.map((each) => ((each.share * exp(each.log)) / total) ** 2 * each.variance);
    const single = found.some((each) => !each.freedom);
    return {
      log: log(total),
      variance: parts.reduce((sum, part) => sum + part, 0),
      freedom: single ? 0 : satterthwaite(table, parts, found.map((each) => each.freedom)),
    };
  }

  function critical(table, comparisons, freedom) {
    const row = table.critical[min(max(comparisons, 1), table.critical.length) - 1];
    const at = max(freedom, table.freedoms[0]);
    for (let i = 0; i + 1 < row.length; i++) {
      const [low, high] = [table.freedoms[i], table.freedoms[i + 1]];
      if (at <= high) return row[i] + ((1 / low - 1 / at) / (1 / low - 1 / high)) * (row[i + 1] - row[i]);
    }
    return row.at(-1);
  }

  function rank(table, query, able) {
    const costs = able.map((store) => ({ store, ...cost(table, query, store) })).filter((each) => "log" in each);
    costs.sort((one, other) => one.log - other.log || (one.store < other.store ? -1 : 1));
    const rows = costs.map((own, at) => ranked(table, own, costs[0], costs.length - 1, at === 0));
    if (!rows.length) return rows;
    const count = (verdict) => rows.slice(1).filter((row) => row.verdict === verdict).length;
    if (rows[1]?.verdict === "one trial") rows.forEach((row) => (row.verdict = "one trial"));
    else if (2 * count("too noisy") > rows.length - 1 - count("one trial")) rows[0].verdict = "too noisy";
    return rows;
  }

  function ranked(table, own, best, comparisons, isBest) {
    const ns = exp(own.log), ratio = exp(own.log - best.log);
    const none = { low: null, high: null, ratio_low: null, ratio_high: null };
    if (!own.freedom || !best.freedom) return { store: own.store, cost: ns, ratio, ...none, verdict: isBest ? "fastest" : "one trial" };
    const reach = critical(table, 1, own.freedom) * sqrt(own.variance);
    const interval = { low: ns * exp(-reach), high: ns * exp(reach) };
    if (isBest) return { store: own.store, cost: ns, ...interval, ratio: 1, ratio_low: 1, ratio_high: 1, verdict: "fastest" };
    const freedom = satterthwaite(table, [own.variance, best.variance], [own.freedom, best.freedom]);
    const apart = critical(table, comparisons, freedom) * sqrt(own.variance + best.variance + table.between);
    const [low, high] = [ratio * exp(-apart), ratio * exp(apart)];
    const verdict = low > table.margin ? "slower" : high <= table.margin ? "level" : "too noisy";
    return { store: own.store, cost: ns, ...interval, ratio, ratio_low: low, ratio_high: high, verdict };
  }

  function nearest(table, query, store) {
    for (const [operation, share] of Object.entries(query.shares)) {
      if (!(share > 0)) continue;
      const points = table.points[key(query.keys, query.order, query.tier, query.regime, operation)]?.[store] ?? [];
      if (!points.length) return [operation, Infinity];
      if (!atSize(table, points, query.value_bytes)) {
        const far = (size) => abs(log(size / query.value_bytes));
        return [operation, points.map((each) => each[0]).reduce((one, other) => (far(other) < far(one) ? other : one))];
      }
    }
    return null;
  }

  return { rank, nearest, critical };
})();
