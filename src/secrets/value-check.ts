import { RE2JS } from 're2js';
import { requestLimits, tryParseBounded } from '../model/json-bounds.js';
import type { Slot } from '../model/slot.js';

/** What is wrong with a value; the message never contains the value. Undefined when it is valid. */
export function valueProblem(slot: Slot, value: string): string | undefined {
  const problem = typeProblem(slot, value);
  if (problem !== undefined) return `${slot.name} ${problem}`;
  if (slot.pattern !== undefined) {
    const matches = matchesWhole(slot.pattern, value);
    if (matches === undefined) return `the pattern of ${slot.name} is not supported: ${slot.pattern}`;
    if (!matches) return `${slot.name} must match ${slot.pattern}`;
  }
  return undefined;
}

function typeProblem(slot: Slot, value: string): string | undefined {
  switch (slot.type) {
    case 'text':
      return undefined;
    case 'number':
      return /^-?\d+(?:\.\d+)?(?:[eE][+-]?\d+)?$/.test(value) && Number.isFinite(Number(value))
        ? undefined
        : 'must be a number';
    case 'boolean':
      return value === 'true' || value === 'false' ? undefined : 'must be true or false';
    case 'choice': {
      const choices = slot.choices ?? [];
      return choices.includes(value) ? undefined : `must be one of ${choicesText(choices)}`;
    }
    case 'json':
      return tryParseBounded(value, requestLimits) === undefined ? 'must be valid JSON' : undefined;
  }
}

/** Some manifests have hundreds of choices. */
const maxShownChoices = 12;

function choicesText(choices: readonly string[]): string {
  const shown = choices.slice(0, maxShownChoices).join(', ');
  return choices.length > maxShownChoices ? `${choices.length} choices, such as ${shown}` : shown;
}

/** RE2 runs in linear time. Undefined when it does not support the pattern. */
function matchesWhole(pattern: string, text: string): boolean | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern)).matches(text);
  } catch {
    return undefined;
  }
}
