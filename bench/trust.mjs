// How much of what must not pass does pass, and how much of what may pass does not. `--json` prints the numbers alone;
// `--data DIR` reads the corpora from another folder, whose cases are counted and not shown.
import { corpus } from './trust/corpus.mjs';
import { costs } from './trust/cost.mjs';
import { egressCases, notApplied } from './trust/egress.mjs';
import { engine } from './trust/engine.mjs';
import { exitCases } from './trust/exits.mjs';
import { generatedCases } from './trust/generated.mjs';
import { options } from './trust/options.mjs';
import { personalCases } from './trust/personal.mjs';
import { shapeCases } from './trust/shapes.mjs';

const { exits, seed } = options;
const parts = await engine();
const report = {
  shapes: shapeCases(parts),
  exits: await exitCases(parts, exits, seed),
  generated: generatedCases(parts),
  personal: personalCases(parts),
  egress: await egressCases(parts),
  cost: await costs(parts, options.rounds),
};

const percent = (part, whole) => `${((100 * part) / whole).toFixed(1)} %`;
const verdict = (met) => (met ? 'met' : 'NOT MET');
const lines = [];
const say = (name, number, target = '', met = undefined) =>
  lines.push(
    `  ${number.padStart(16)}  ${name.padEnd(46)}${target.padEnd(12)}${met === undefined ? '' : verdict(met)}`.trimEnd(),
  );

if (report.shapes !== undefined) {
  const { positives, found, negatives, taken, takenRules, missedRules } = report.shapes;
  say(
    `keys found (${percent(found, positives)})`,
    `${found}/${positives}`,
    '≥ 98 %',
    found / positives >= 0.98,
  );
  say(
    `taken for keys (${percent(taken, negatives)})`,
    `${taken}/${negatives}`,
    '≤ 3 %',
    taken / negatives <= 0.03,
  );
  for (const it of options.isGiven ? [] : missedRules) say(`missed: ${it}`, '');
  for (const it of options.isGiven ? [] : takenRules) say(`taken: ${it}`, '');
}
say(`leaks in ${report.exits.count} exits`, String(report.exits.leaks), '0', report.exits.leaks === 0);
for (const it of report.exits.where) say(`leak: ${it}`, '');
for (const [name, { target, seen, unseen, wrong }] of Object.entries(report.generated)) {
  for (const [half, { right, all }] of Object.entries({ seen, unseen }))
    say(
      `${name}, ${half} (${percent(right, all)})`,
      `${right}/${all}`,
      `≥ ${target * 100} %`,
      right / all >= target,
    );
  for (const it of wrong.slice(0, 20)) say(`wrong: ${it}`, '');
}
for (const { name, target, found, positives, survived, negatives } of report.personal ?? []) {
  const goal = target === undefined ? [] : [`≥ ${target * 100} %`, found / positives >= target];
  say(`personal data, ${name} (${percent(found, positives)})`, `${found}/${positives}`, ...goal);
  if (negatives > 0)
    say(`  look-alikes that stay (${percent(survived, negatives)})`, `${survived}/${negatives}`);
}
if (report.egress !== undefined) {
  const { contained, block, byContent, byPlace, falseBlocks, allow, missed, wrong } = report.egress;
  say(
    `egress cases contained (${percent(contained, block)})`,
    `${contained}/${block}`,
    '≥ 95 %',
    contained / block >= 0.95,
  );
  say('  by what they carry', `${byContent}/${block}`);
  say('  by where they go', `${byPlace}/${block}`);
  say('false blocks', `${falseBlocks}/${allow}`, '≤ 1', falseBlocks <= 1);
  for (const it of options.isGiven ? [] : missed) say(`missed: ${it}`, '');
  for (const it of options.isGiven ? [] : wrong) say(`wrongly blocked: ${it}`, '');
}
for (const [name, time] of Object.entries(report.cost.microseconds)) say(name, `${time} µs`);
say(
  'longest time that others wait, 2 MB',
  `${report.cost.longestStepMs} ms`,
  '≤ 50 ms',
  report.cost.longestStepMs <= 50,
);

if (options.json) console.log(JSON.stringify(options.isGiven ? withoutCases(report) : report));
else {
  console.log(`trust, Node ${process.versions.node}, seed ${seed}`);
  if (corpus('gitleaks-literal-cases') === undefined)
    console.log(`  ${options.data.pathname} has no corpora: their cases are skipped`);
  console.log(lines.join('\n'));
  console.log('  categories of agent-egress-bench that are not applied');
  for (const [name, why] of Object.entries(notApplied)) console.log(`    ${name}: ${why}`);
}

/** Numbers only: cases of a folder that somebody named are not shown. */
function withoutCases(value) {
  if (Array.isArray(value)) return value.filter((it) => typeof it === 'object').map(withoutCases);
  if (typeof value !== 'object' || value === null) return value;
  return Object.fromEntries(Object.entries(value).map(([key, it]) => [key, withoutCases(it)]));
}
