import { resolve } from 'node:path';
import type { Terminal } from './terminal/terminal.js';

/** A word that names a package by where it is: it looks like a path, or there is a folder of that name. */
export function isPackagePath(word: string, terminal: Terminal): boolean {
  return (
    /^(?:\.{1,2}(?:\/|$)|\/)|\.(?:py|json|toml)$/.test(word) || terminal.isFolder(resolve(terminal.cwd, word))
  );
}
