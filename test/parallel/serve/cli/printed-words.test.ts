// The commands print one plain term per concept: test/support/words.json says which words they do not use.
import { spawnSync } from 'node:child_process';
import { join } from 'node:path';
import { afterAll, describe, expect, test } from 'vitest';
import { commands } from '../../../../src/serve/cli/command/commands.js';
import { main, temporaryFolder } from '../../../support/toolwharf.js';
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
  let printed: TextLine[] | undefined;
  const output = () => {
    printed ??= [['--help'], ['help', 'exit-codes'], ...helps, ...examples].flatMap((args) => {
      const env = { ...process.env, TOOLWHARF_HOME: join(folder.path, 'state') };
      const done = spawnSync(process.execPath, [main, ...args], { cwd: root, env, encoding: 'utf8' });
      expect(done.stderr, args.join(' ')).not.toMatch(/^Node\.js v/m);
      return `${done.stdout}${done.stderr}`
        .split('\n')
        .map((text) => ({ where: `toolwharf ${args.join(' ')}`, text }));
    });
    return printed;
  };

  test('was collected', () => expect(output().length).toBeGreaterThan(500));
  for (const rule of rules.filter((it) => it.in.includes('output')))
    test(`says "${rule.term}"`, () => expect(wrongWords(rule, output())).toEqual([]));
});
