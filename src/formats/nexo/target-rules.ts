import type { JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import type { NexoReport } from './codes.js';

/** Resolves a path relative to a folder of the package; null when it leaves the package. */
export function resolveInFolder(folder: string, path: string): string | null {
  const steps = folder === '' ? [] : folder.split('/');
  for (const step of path.split('/')) {
    if (step === '..') {
      if (steps.pop() === undefined) return null;
    } else if (step !== '' && step !== '.') steps.push(step);
  }
  return steps.join('/');
}

/** `text` is the command with its placeholders filled; `written` is the original text. */
export function checkCommand(
  report: NexoReport,
  text: string,
  at: JsonPath,
  options: { readonly written: string; readonly folder: string; readonly hasArguments: boolean },
): void {
  if (text.trim() === '') {
    report.at('nexo.command-empty', at, `${pathName(at)} is empty`, { hint: 'name the program to start' });
  } else if (text.includes('/') && !text.startsWith('/') && resolveInFolder(options.folder, text) === null) {
    report.at('file.path-escape', at, `${pathName(at)} ${show(options.written)} leaves the package`, {
      hint: 'put the program in the package, or name one that is on the PATH',
    });
  } else if (!options.hasArguments && /^[^\s./$]\S*\s+\S/.test(text)) {
    const message = `${pathName(at)} ${show(options.written)} has spaces, but it is used as the name of one program`;
    report.at('nexo.command-with-arguments', at, message, { hint: 'move the arguments to args' });
  }
}

export function checkUrl(report: NexoReport, text: string, at: JsonPath): void {
  if (text.trim() === '') {
    report.at('nexo.url-empty', at, `${pathName(at)} is empty`, {
      hint: 'write its URL: https://…',
    });
  } else if (!isHttpUrl(text)) {
    report.at('nexo.url-scheme', at, `${pathName(at)} ${show(text)} is not an http:// or https:// URL`, {
      hint: 'write it with scheme and host, such as https://example.com/rpc',
    });
  }
}

function isHttpUrl(text: string): boolean {
  if (!/^https?:\/\/[^\s/?#]/i.test(text)) return false;
  try {
    return new URL(text).hostname !== '';
  } catch {
    return false;
  }
}

export function checkSubject(report: NexoReport, text: string, at: JsonPath): void {
  if (text.trim() === '') {
    const hint = 'the extension answers on <prefix>.<id>.rpc; a common prefix is "ext"';
    report.at('nexo.subject-empty', at, `${pathName(at)} is empty`, { hint });
  } else if (!/^[^\s.*>]+(\.[^\s.*>]+)*$/.test(text)) {
    report.at(
      'nexo.subject-invalid',
      at,
      `${pathName(at)} ${show(text)} is not a valid NATS subject prefix`,
      {
        hint: 'separate the parts with single dots; do not use spaces, "*" or ">"',
      },
    );
  }
}
