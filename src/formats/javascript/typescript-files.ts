import type { Bundle } from '../../model/bundle.js';
import type { Report } from '../report.js';
import { parseScript } from './script.js';

/** Whether this host turns the file into JavaScript. Installed dependencies are run as they were published. */
export function isOwnTypeScript(path: string): boolean {
  return /\.[cm]?ts$/.test(path) && !/\.d\.[cm]?ts$/.test(path) && !/(?:^|\/)node_modules\//.test(path);
}

/**
 * Reports TypeScript files that cannot be turned into JavaScript, which happens for all of them when the package is
 * prepared. `checked`: the file that the caller checks itself.
 */
export function checkTypeScriptFiles<Own extends string>(
  report: Report<Own>,
  bundle: Bundle,
  checked: string,
): void {
  for (const path of bundle.files()) {
    if (path === checked || !isOwnTypeScript(path)) continue;
    const entry = bundle.read(path);
    const text = entry.kind === 'file' ? decode(entry.bytes) : undefined;
    // Not text: `.ts` is also an extension of video files.
    if (text === undefined) continue;
    const script = parseScript(text, 'typescript');
    if (script.kind !== 'syntax-error') continue;
    const { range, message, hint = 'fix it, or remove the file from the package' } = script;
    report.inFile('syntax.javascript', bundle.display(path), range, message, hint);
  }
}

function decode(bytes: Uint8Array): string | undefined {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    return undefined;
  }
}
