import { suggest } from '../../../formats/suggest.js';

/** Names that other programs use for these commands. */
const synonyms: Readonly<Record<string, string>> = {
  approve: 'approvals approve',
  check: 'validate',
  create: 'init',
  deny: 'approvals deny',
  describe: 'info',
  exec: 'call',
  lint: 'validate',
  log: 'audit tail',
  logs: 'audit tail',
  ls: 'list',
  new: 'init',
  run: 'call',
  show: 'info',
  start: 'serve',
  stop: 'kill',
  version: '--version',
};

/** The command that was probably meant. */
export function suggestCommand(word: string, names: readonly string[]): string | undefined {
  if (Object.hasOwn(synonyms, word)) return synonyms[word];
  return suggest(word, [...names, 'help']);
}
