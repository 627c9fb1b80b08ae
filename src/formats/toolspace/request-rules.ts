import { isObject, type Json, type JsonPath } from '../../model/json.js';
import { pathName, show } from '../check.js';
import type { ToolspaceReport } from './codes.js';
import { parseTemplate } from './template.js';

/** Headers that the host sets for the connection; a manifest cannot set them. */
const managed: readonly string[] = ['host', 'content-length', 'transfer-encoding', 'connection', 'upgrade'];

export function isManagedHeader(name: string): boolean {
  return managed.includes(name.toLowerCase());
}

export function checkHeaders(report: ToolspaceReport, headers: Json | undefined, path: JsonPath): void {
  if (!isObject(headers)) return;
  for (const [name, value] of Object.entries(headers)) {
    const at = [...path, name];
    if (!/^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/.test(name)) {
      report.at('toolspace.header-name', at, `${show(name)} is not a valid header name`, {
        hint: 'use letters, digits and "-"; only values can have tokens',
        spot: 'key',
      });
    } else if (isManagedHeader(name)) {
      report.at(
        'toolspace.header-managed',
        at,
        `the host sets the header ${name} itself; this value is not sent`,
        {
          hint: 'remove it',
          spot: 'key',
        },
      );
    }
    if (typeof value === 'string' && /[\r\n\0]/.test(value)) {
      report.at(
        'toolspace.header-value',
        at,
        `${pathName(at)} contains a line break or NUL, which would end the header`,
        {
          hint: 'write the value on one line',
        },
      );
    }
  }
}

/** Reports a path that would reach the server in another form than written. */
export function checkRequestPath(report: ToolspaceReport, path: Json | undefined, at: JsonPath): void {
  if (typeof path !== 'string') return;
  const { parts } = parseTemplate(path).template;
  const reason = pathProblem(parts.map((it) => (it.kind === 'text' ? it.text : tokenMark)).join(''));
  if (reason === undefined) return;
  report.at('toolspace.http-path', at, `${pathName(at)} ${show(path)} cannot be sent as written: ${reason}`, {
    hint: `write it like "/items/\${input.id}?lang=\${input.language}"`,
  });
}

/** Replaces each token while the constant text is checked. */
const tokenMark = `\${}`;

function pathProblem(text: string): string | undefined {
  if (text.includes('#')) return 'the part after "#" is never sent';
  if (/[\\\x00-\x1f]/.test(text)) return 'it contains a backslash or a control character';
  const [path = '', ...query] = text.split('?');
  if (path.split('/').some((step) => /^(?:\.|%2e){1,2}$/i.test(step)))
    return '"." and ".." segments change the path';
  const names = query
    .join('?')
    .split('&')
    .map((pair) => pair.split('=', 1)[0] as string);
  return names.some((name) => name.includes(tokenMark))
    ? 'a token cannot be the name of a query parameter'
    : undefined;
}
