import { ruleOriginText } from '../../model/rule.js';
import { hasOperatorPin, verifiedWaiverIds } from '../../store/sqlite/stored-state.js';
import type { Check } from '../host.js';
import { type WaivableSettings, waiversOf } from '../session-waivers.js';

/** Settings of the configuration that have no effect because nobody accepted them. Reads the state only. */
export function checkWaivers(state: string, settings: WaivableSettings): readonly Check[] {
  const id = 'settings';
  const waivers = waiversOf(settings);
  if (waivers.length === 0) return [];
  try {
    if (!hasOperatorPin(state)) return [];
    const accepted = verifiedWaiverIds(state);
    const inactive = waivers.filter((it) => !accepted.has(it.id));
    if (inactive.length === 0)
      return [
        { id, status: 'ok', message: 'all settings that waive a question or a protection are accepted' },
      ];
    return inactive.map(({ text, origin }): Check => {
      const place = origin === null ? '' : ` (${ruleOriginText(origin)})`;
      const message = `inactive until you accept it: ${text}${place}`;
      return { id, status: 'warn', message, fix: 'toolwharf policy accept' };
    });
  } catch (error) {
    const message = `cannot read which settings were accepted: ${error instanceof Error ? error.message : error}`;
    return [{ id, status: 'fail', message, fix: 'toolwharf policy list' }];
  }
}
