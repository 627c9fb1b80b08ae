import { suggest } from '../../formats/suggest.js';

/** What other programs call it. */
const otherWords: Readonly<Record<string, string>> = {
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

/** The command that somebody probably meant. */
export function meantCommand(word: string, names: readonly string[]): string | undefined {
  if (Object.hasOwn(otherWords, word)) return otherWords[word];
  return suggest(word, [...names, 'help']);
}
