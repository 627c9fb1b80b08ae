// `--data DIR`: a folder with files of the same names as the public corpora. `--json`: print the numbers alone.
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';

const { values } = parseArgs({
  options: {
    data: { type: 'string' },
    json: { type: 'boolean', default: process.env.JSON !== undefined },
    rounds: { type: 'string', default: '31' },
    exits: { type: 'string', default: process.env.EXITS ?? '10000' },
    seed: { type: 'string', default: process.env.SEED ?? '4711' },
  },
});

export const options = {
  /** The folder of the corpora, with a slash at the end. */
  data:
    values.data === undefined
      ? new URL('../../../shared/data/', import.meta.url)
      : pathToFileURL(`${resolve(values.data)}/`),
  /** Whether somebody named the folder: its cases were perhaps never seen, so they are not printed. */
  isGiven: values.data !== undefined,
  json: values.json,
  exits: Number(values.exits),
  /** Rounds in which the cost is measured. */
  rounds: Number(values.rounds),
  seed: Number(values.seed),
};
