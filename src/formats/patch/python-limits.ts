import { isObject, type JsonObject } from '../../model/json.js';

/** The newest version whose syntax is known, as the number after "3.". */
const newestMinor = 13;

/** Whether the manifest asks for a Python that may have syntax this check does not know. */
export function isNewerPython({ runtime }: JsonObject): boolean {
  const version = isObject(runtime) ? runtime.python_version : undefined;
  const [, major, minor] = (typeof version === 'string' && /^(\d+)(?:\.(\d+))?/.exec(version)) || [];
  return major !== undefined && (Number(major) > 3 || Number(minor ?? 0) > newestMinor);
}
