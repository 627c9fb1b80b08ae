import type { TaintPolicy } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { isObject, type JsonObject } from '../../../model/json.js';
import { requestLimits, tryParseBounded } from '../../../model/json-bounds.js';
import type { Terminal } from '../terminal/terminal.js';
import type { ConfigKeyName, ConfigValue } from './config-keys.js';

/** The settings below `taint`; undefined if none is set. */
export function taintPolicy(
  setting: (key: ConfigKeyName) => ConfigValue | undefined,
  terminal: Pick<Terminal, 'readFile'>,
): TaintPolicy | undefined {
  const members = {
    mode: setting('taint.mode'),
    packages: setting('taint.packages'),
    clients: setting('taint.clients'),
    inputs: setting('taint.inputs'),
    labels: labelsIn(setting('taint.labels'), terminal),
    userText: setting('taint.user_text'),
    own: setting('taint.own'),
    hide: setting('taint.hide'),
    hiddenInputs: setting('taint.hidden_inputs'),
    outsideInput: setting('taint.outside_input'),
    outsideClients: setting('taint.outside_clients'),
  };
  const set = Object.entries(members).filter(([, value]) => value !== undefined);
  return set.length === 0 ? undefined : (Object.fromEntries(set) as TaintPolicy);
}

/** Reads the file of taint.labels. One that cannot be read or is not JSON is an error: nothing runs without it. */
function labelsIn(
  path: ConfigValue | undefined,
  terminal: Pick<Terminal, 'readFile'>,
): JsonObject | undefined {
  if (typeof path !== 'string') return undefined;
  const text = terminal.readFile(path);
  const document = text === undefined ? undefined : tryParseBounded(text, requestLimits);
  if (isObject(document)) return document;
  const problem = text === undefined ? 'cannot be read' : 'is not a JSON object';
  throw new HostError('invalid_config', `the file of taint.labels ${problem}: ${path}`, {
    hint: 'docs/design/taint.md has an example',
  });
}
