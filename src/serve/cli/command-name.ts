import { accessSync, constants } from 'node:fs';
import { delimiter, join } from 'node:path';
import { shellQuote } from '../../model/shell-quote.js';
import { scriptPath } from '../clients/launch.js';

/**
 * A command in a hint: at the start of a text, behind a space, a quote or a bracket. Before a URL it is the name of a server,
 * as in "claude mcp add".
 */
const written = /(^|[\s"'(`])toolwharf (?=[a-z-])(?!https?:)/g;

/**
 * How a person can start this program again. `toolwharf` if that is this program; `npx toolwharf` if npx started it; else
 * the script by its path, which works in every folder.
 */
export function commandName(main: string, environment: Readonly<Record<string, string | undefined>>): string {
  const named = environment.TOOLWHARF_COMMAND;
  if (named !== undefined && named !== '') return named;
  // npx and npm scripts add folders to PATH that a person's shell does not have.
  if (environment.npm_command === 'exec') return 'npx toolwharf';
  const script = scriptPath(main);
  const found = (environment.PATH ?? '')
    .split(delimiter)
    .filter((it) => it !== '' && environment.npm_command === undefined)
    .map((it) => join(it, 'toolwharf'))
    .find(isExecutable);
  return found !== undefined && scriptPath(found) === script ? 'toolwharf' : `node ${shellQuote(script)}`;
}

/** The text with its commands as this person can start them. */
export function withCommandName(text: string, name: string): string {
  return name === 'toolwharf' ? text : text.replace(written, (_, before) => `${before}${name} `);
}

function isExecutable(path: string): boolean {
  try {
    accessSync(path, constants.X_OK);
    return true;
  } catch {
    return false;
  }
}
