import { HostError } from '../../model/host-error.js';
import { codePointName, replaceHidden } from '../../model/unicode.js';

/** An archive is damaged, or has something that is not unpacked. */
export function invalidArchive(message: string, cause?: unknown): HostError {
  return new HostError('invalid_archive', message, {
    cause,
    hint: 'nothing was unpacked; ask the author for another archive',
  });
}

/** The name of an entry for messages: at most 120 characters, and nothing that a terminal would execute. */
export function entryName(name: string): string {
  const short = name.length > 120 ? `${name.slice(0, 117)}…` : name;
  return JSON.stringify(replaceHidden(short, (it) => `<${codePointName(it)}>`));
}
