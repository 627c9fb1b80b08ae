import { resolve } from 'node:path';
import { HostError } from '../../model/host-error.js';
import { parseSource } from '../../model/parse-source.js';
import type { AgentRequest } from '../../model/requested-installation.js';
import { sourceText } from '../../model/source.js';
import { codePointName, findHidden } from '../../model/unicode.js';

const maxSource = 1000;
const maxReason = 1000;

/**
 * Checks what an agent asks for, and returns its source in one spelling. Neither the network nor the disk is used: an
 * agent could send data to an address that it chose, or learn which files exist.
 */
export function checkAgentRequest({ source, reason }: AgentRequest, root: string): AgentRequest {
  assertLength('source', source, maxSource);
  assertLength('reason', reason.trim(), maxReason);
  const [hidden] = findHidden(source);
  if (hidden !== undefined)
    throw new HostError(
      'invalid_input',
      `the source contains a character that people cannot see: ${codePointName(hidden.codePoint)}`,
      { hint: 'write the source without it' },
    );
  const parsed = parseSource(source.trim(), {
    lookUp: (path) => ({ kind: 'folder', path: resolve(root, path) }),
  });
  if ('problem' in parsed) throw new HostError('invalid_input', parsed.problem, { hint: parsed.hint });
  return { source: sourceText(parsed), reason: reason.trim() };
}

function assertLength(name: string, text: string, max: number): void {
  if (text.length > 0 && text.length <= max) return;
  throw new HostError('invalid_input', `the ${name} must have 1 to ${max} characters`);
}
