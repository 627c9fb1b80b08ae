import { isObject, type Json, type JsonPath } from '../../model/json.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';
import { readTemplate } from './template.js';

/** Headers that belong to the connection and not to the author of a request. */
const managed: readonly string[] = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade'];

export function isManagedHeader(name: string): boolean {
  return managed.includes(name.toLowerCase());
}

export function checkHeaders(report: Report, headers: Json | undefined, path: JsonPath): void {
  if (!isObject(headers)) return;
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, name];
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      report.at('toolspace.header-name', at, `${show(name)} cannot be the name of a header`, {
        hint: 'use letters, digits and "-"; tokens stand in values only',
        spot: 'key',
      });
    } else if (isManagedHeader(name)) {
      report.at('toolspace.header-managed', at, `the host sets ${name} itself; the one here is not sent`, {
        hint: 'remove it',
        spot: 'key',
      });
    }
    if (typeof value === 'string' && /[\r\n\0]/.test(value)) {
      report.at(
        'toolspace.header-value',
        at,
        `${nameOf(at)} holds a line break or NUL, which would end the header`,
        {
          hint: 'write the value on one line',
        },
      );
    }
  }
}

/** The constant parts of a path must reach the server as they are written. */
export function checkPath(report: Report, path: Json | undefined, at: JsonPath): void {
  if (typeof path !== 'string') return;
  const { parts } = readTemplate(path).template;
  const reason = pathProblem(parts.map((it) => (it.kind === 'text' ? it.text : hole)).join(''));
  if (reason === undefined) return;
  report.at('toolspace.http-path', at, `${nameOf(at)} ${show(path)} cannot be sent as written: ${reason}`, {
    hint: `write it like "/items/\${input.id}?lang=\${input.language}"`,
  });
}

/** Stands for a value while the text around it is looked at. */
const hole = `\${}`;

function pathProblem(text: string): string | undefined {
  if (text.includes('#')) return '"#" begins a part that is never sent';
  if (/[\\\x00-\x1f]/.test(text)) return 'it holds a backslash or a control character';
  const [path = '', ...query] = text.split('?');
  if (path.split('/').some((step) => /^(?:\.|%2e){1,2}$/i.test(step)))
    return '"." and ".." steps lead elsewhere than it says';
  const names = query
    .join('?')
    .split('&')
    .map((pair) => pair.split('=', 1)[0] as string);
  return names.some((name) => name.includes(hole)) ? 'a token cannot name a query parameter' : undefined;
}
