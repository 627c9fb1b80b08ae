import type { JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';

/** Where a path inside a folder of the package leads; null when it leaves the package. */
export function insidePackage(folder: string, path: string): string | null {
  const steps = folder === '' ? [] : folder.split('/');
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.pop() === undefined) return null;
    } else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** `text` is the command with its placeholders filled, `written` is how the author wrote it. */
export function checkCommand(
  report: Report,
  text: string,
  at: JsonPath,
  options: { readonly written: string; readonly folder: string; readonly hasArguments: boolean },
): void {
  if (text.trim() === '') {
    report.at('nexo.command-empty', at, `${nameOf(at)} is empty`, { hint: 'name the program to start' });
  } else if (text.includes('/') && !text.startsWith('/') && insidePackage(options.folder, text) === null) {
    report.at('file.path-escape', at, `${nameOf(at)} ${show(options.written)} leads out of the package`, {
      hint: 'ship the program inside the package, or name one that is on the PATH',
    });
  } else if (!options.hasArguments && /^[^\s./$]\S*\s+\S/.test(text)) {
    const message = `${nameOf(at)} ${show(options.written)} is taken for the name of one program`;
    report.at('nexo.command-with-arguments', at, message, { hint: 'put its arguments into args' });
  }
}

export function checkUrl(report: Report, text: string, at: JsonPath): void {
  if (text.trim() === '') {
    report.at('nexo.url-empty', at, `${nameOf(at)} is empty`, { hint: 'write where it answers: https://…' });
  } else if (!isWebAddress(text)) {
    report.at('nexo.url-scheme', at, `${nameOf(at)} ${show(text)} is not an http:// or https:// address`, {
      hint: 'write it with scheme and host, such as https://example.com/rpc',
    });
  }
}

function isWebAddress(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#]/i.test(text)) return false;
  try {
    return new URL(text).hostname !== '';
  } catch {
    return false;
  }
}

export function checkSubject(report: Report, text: string, at: JsonPath): void {
  if (text.trim() === '') {
    const hint = 'the extension answers on <prefix>.<id>.rpc; "ext" is a usual prefix';
    report.at('nexo.subject-empty', at, `${nameOf(at)} is empty`, { hint });
  } else if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(text)) {
    report.at('nexo.subject-invalid', at, `${nameOf(at)} ${show(text)} cannot begin a NATS subject`, {
      hint: 'join words with single dots, without spaces, "*" and ">"',
    });
  }
}
