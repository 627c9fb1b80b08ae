import type { JsonPath } from '../model/json.js';
import { pathName, show } from './check.js';
import type { Report } from './report.js';

/** The rule that entries must differ in one member. */
export interface UniqueNameRule<Own extends string> {
  readonly code: Own;
  /** The member that must differ, such as `name`. */
  readonly member: string;
  readonly hint: string;
}

/** Returns a check for one entry after the other: false, with a diagnostic, if an earlier entry has the same name. */
export function uniqueNames<Own extends string>(
  report: Report<Own>,
  { code, member, hint }: UniqueNameRule<Own>,
): (path: JsonPath, name: string) => boolean {
  const first = new Map<string, JsonPath>();
  return (path, name) => {
    const earlier = first.get(name);
    if (earlier === undefined) {
      first.set(name, path);
      return true;
    }
    const message = `${pathName(path)} has the same ${member} as ${pathName(earlier)}: ${show(name)}`;
    report.at(code, [...path, member], message, { hint });
    return false;
  };
}
