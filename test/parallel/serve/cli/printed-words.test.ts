// The commands print one plain term per concept: test/support/words.json says which words they do not use.
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, test } from 'vitest';
import { commands } from '../../../../src/serve/cli/command/commands.js';
import { temporaryFolder, toolwharf } from '../../../support/toolwharf.js';
import { readWordRules, type TextLine, wrongWords } from '../../../support/word-rules.js';

const root = join(import.meta.dirname, '../../../..');
const rules = readWordRules();

describe('what commands print', () => {
  const folder = temporaryFolder();
  afterAll(() => folder.remove());
  const examples = [
    ['validate', 'examples'],
    ['list', 'examples'],
    ['info', 'examples/patch/draw_lots.py'],
    ['info', 'examples/talos/webhook-signatures'],
    ['info', 'examples/toolspace/json-diff'],
    ['info', 'examples/findagent/log-digest'],
    ['info', 'examples/nexo/subnet-desk'],
    ['call', 'examples/patch/word_count.py', '{"text":"a"}'],
    ['call', 'examples/patch/draw_lots.py', '{"names":["a"]}'],
    ['policy', 'explain', 'draw_lots/draw_lots'],
    ['approvals', 'list'],
    ['audit', 'tail'],
    ['audit', 'verify'],
    ['review', '--dir', 'examples'],
    ['secret', 'list'],
    ['token', 'list'],
    ['config', 'list'],
    ['doctor'],
    ['pin', 'status'],
    ['kill', 'list'],
    ['call', 'nothing/here'],
    ['info', 'no-such-folder'],
    ['explain', 'schema.required'],
  ];
  const helps = commands.map((it) => [it.name, '--help']);
  const printed: TextLine[] = [];

  beforeAll(async () => {
    for (const args of [['--help'], ['help', 'exit-codes'], ...helps, ...examples]) {
      const env = { TOOLWHARF_HOME: join(folder.path, 'state') };
      const done = await toolwharf(args, { cwd: root, env });
      expect(done.stderr, args.join(' ')).not.toMatch(/^Node\.js v/m);
      for (const text of `${done.stdout}${done.stderr}`.split('\n'))
        printed.push({ where: `toolwharf ${args.join(' ')}`, text });
    }
  }, 180_000);

  test('was collected', () => expect(printed.length).toBeGreaterThan(500));
  for (const rule of rules.filter((it) => it.in.includes('output')))
    test(`says "${rule.term}"`, () => expect(wrongWords(rule, printed)).toEqual([]));
});
