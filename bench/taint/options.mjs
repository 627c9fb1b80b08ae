import { existsSync, readFileSync } from 'node:fs';
import { basename } from 'node:path';
import { parseArgs } from 'node:util';
import { gunzipSync } from 'node:zlib';

const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    data: { type: 'string', multiple: true, default: [] },
    effects: { type: 'string', multiple: true, default: [] },
    concat: { type: 'string', default: '1' },
    json: { type: 'boolean', default: false },
    rounds: { type: 'string', default: '21' },
  },
});

const shared = new URL('../../../shared/data/', import.meta.url).pathname;
const here = new URL('./', import.meta.url).pathname;
const usual = [
  { data: `${shared}agentdyn-replay.json.gz`, effects: [`${shared}agentdyn-effects.json`] },
  { data: `${shared}agentdojo-replay.json.gz`, effects: [`${here}agentdojo-effects.json`] },
];
// `--data A B --effects E`: further files follow without a name.
const given = [...values.data, ...positionals];
const files =
  given.length === 0
    ? usual.filter((it) => existsSync(it.data))
    : given.map((data) => ({
        data,
        effects:
          values.effects.length > 0
            ? values.effects
            : (usual.find((it) => basename(it.data).split('-')[0] === basename(data).split('-')[0])
                ?.effects ?? []),
      }));

function read(path) {
  try {
    const bytes = readFileSync(path);
    return JSON.parse((path.endsWith('.gz') ? gunzipSync(bytes) : bytes).toString('utf8'));
  } catch (error) {
    return fail(`${path} is not a readable JSON file: ${error.message}`);
  }
}

/** Traces as in the README of the test data: suites with tools, tasks of users and pairs with attacks. */
function readData(path) {
  const data = read(path);
  const isObject = (it) => typeof it === 'object' && it !== null && !Array.isArray(it);
  if (!isObject(data) || !isObject(data.suites)) return fail(`${path}: /suites: expected an object`);
  for (const [name, suite] of Object.entries(data.suites)) {
    const at = `${path}: /suites/${name}`;
    if (!isObject(suite)) fail(`${at}: expected an object`);
    if (!Array.isArray(suite.tools)) fail(`${at}/tools: expected a list`);
    if (!isObject(suite.user_tasks)) fail(`${at}/user_tasks: expected an object`);
    if (!Array.isArray(suite.pairs)) fail(`${at}/pairs: expected a list`);
    for (const [id, task] of Object.entries(suite.user_tasks))
      if (!Array.isArray(task?.trace)) fail(`${at}/user_tasks/${id}/trace: expected a list of calls`);
  }
  return data;
}

function fail(text) {
  console.error(`error: ${text}`);
  process.exit(2);
}

export const options = {
  inputs: files.map((it) => ({
    name: basename(it.data).replace(/\.json(?:\.gz)?$/, ''),
    data: readData(it.data),
    effects: it.effects.length > 0 ? it.effects.map(read) : fail(`${it.data} needs labels: --effects FILE`),
  })),
  /** Whether somebody named the files: their cases were perhaps never seen, so they are not printed. */
  isGiven: given.length > 0,
  concat: /^[1-9]\d*$/.test(values.concat)
    ? Number(values.concat)
    : fail('--concat needs a number of traces'),
  json: values.json,
  rounds: Number(values.rounds),
};
