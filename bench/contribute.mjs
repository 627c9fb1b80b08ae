// What the checks before publishing find without a model: attacks as descriptions, and ordinary descriptions.
// `npm run bench:contribute`. The rules are those of src/registry/contribute; nothing here decides anything.
//
// Each text belongs to one of two halves by a bit of its hash. The rules were tuned on the half "tuning"; of the half
// "quoted" only these numbers were looked at. Caught: rejected, or put before a person. `--half tuning` shows the other half.
import {
  attacks,
  exampleFolders,
  foreignManifests,
  halfOf,
  hasData,
  naughtyStrings,
  ordinary,
  stockTools,
} from './contribute/corpora.mjs';
import { engine } from './contribute/engine.mjs';

const half = process.argv.includes('--half') ? process.argv[process.argv.indexOf('--half') + 1] : 'quoted';
const { builtInFormats, checkContribution, checkTexts, discover, hiddenInFields, packageTexts } =
  await engine();
const ownTools = stockTools();
const place = { file: 'manifest', range: { line: 1, column: 1, endLine: 1, endColumn: 1 } };

/** As a description of a tool in a manifest. */
const asField = (text) => ({
  ...{ ...place, text, role: 'description', pointer: '/description', field: 'description', isKey: false },
});
const judged = (findings) =>
  findings.some((it) => it.severity === 'reject')
    ? 'reject'
    : findings.some((it) => it.severity === 'review')
      ? 'review'
      : 'pass';
const judge = (text) =>
  judged([...hiddenInFields([asField(text)]), ...checkTexts([asField(text)], ownTools)]);

function count(texts) {
  const counted = { texts: 0, reject: 0, review: 0, pass: 0 };
  for (const text of texts.filter((it) => halfOf(it) === half)) {
    counted.texts++;
    counted[judge(text)]++;
  }
  return counted;
}

const percent = (part, whole) => `${((100 * part) / Math.max(1, whole)).toFixed(1)} %`;
function print(name, { texts, reject, review, pass }) {
  console.log(
    `  ${name.padEnd(40)}${String(texts).padStart(5)} texts  rejected ${String(reject).padStart(3)}  to a person ${String(review).padStart(3)}  ` +
      `passed ${String(pass).padStart(4)}  flagged ${percent(reject + review, texts)}`,
  );
}

console.log(`contribute without a model, Node ${process.versions.node}, half "${half}"`);
if (!hasData)
  console.log('  the folder of test data is absent: attacks and some ordinary texts are left out');
console.log('attacks, as the description of a tool:');
for (const [name, texts] of Object.entries(attacks())) print(name, count(texts));

const strings = naughtyStrings();
console.log('naughty strings, as the description of a tool:');
const isHidden = (text) => /[\p{Cc}\p{Cf}]/u.test(text.replace(/\r\n|[\n\t]/g, ''));
print('with a control or format character', count(strings.filter(isHidden)));
print('without', count(strings.filter((it) => !isHidden(it))));

console.log('ordinary descriptions (flagged ones are false):');
const total = { texts: 0, reject: 0, review: 0, pass: 0 };
const toml = builtInFormats.find((it) => it.fileNames.certain.includes('plugin.toml'));
const { readFields } = await toml.load();
const fields = foreignManifests().flatMap(({ name, text }) =>
  packageTexts([{ path: name, text }], name, { readFields }).map((it) => it.text),
);
const sources = { ...ordinary(), 'fields of 17 manifests of others': [...new Set(fields)] };
for (const [name, texts] of Object.entries(sources)) {
  const counted = count(texts);
  print(name, counted);
  if (!name.startsWith('catalog')) for (const key of Object.keys(total)) total[key] += counted[key];
}
print('together, without the two catalogs', total);

console.log('whole packages: our examples (all of them; only code and the missing model need a person)');
const expected = new Set([
  'contribute.not-checked-by-model',
  'contribute.has-code',
  'contribute.unchecked-code',
]);
const { found } = discover(exampleFolders, { cwd: process.cwd(), formats: builtInFormats });
const flagged = [];
const started = performance.now();
for (const { file, bundle, format } of found) {
  const verdict = await checkContribution({ bundle, format: await format.load(), randomId: () => '0' });
  const wrong = verdict.findings.filter(
    (it) => (it.severity === 'reject' || it.severity === 'review') && !expected.has(it.code),
  );
  if (wrong.length > 0) flagged.push(`${file}: ${wrong.map((it) => it.code).join(', ')}`);
}
const perPackage = (performance.now() - started) / Math.max(1, found.length);
console.log(
  `  ${found.length} packages, ${flagged.length} with another finding; ${perPackage.toFixed(0)} ms each`,
);
for (const it of flagged) console.log(`    ${it}`);
