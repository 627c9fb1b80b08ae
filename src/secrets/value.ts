import { RE2JS } from 're2js';
import type { Slot } from '../model/slot.js';

/** What is wrong with a value, without saying the value. Undefined when it fits. */
export function valueProblem(slot: Slot, value: string): string | undefined {
  const shape = shapeProblem(slot, value);
  if (shape !== undefined) return `${slot.name} ${shape}`;
  if (slot.pattern !== undefined) {
    const fits = matchesWhole(slot.pattern, value);
    if (fits === undefined)
      return `the pattern that ${slot.name} must match cannot be checked: ${slot.pattern}`;
    if (!fits) return `${slot.name} must match ${slot.pattern}`;
  }
  return undefined;
}

function shapeProblem(slot: Slot, value: string): string | undefined {
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
      return choices.includes(value) ? undefined : `must be one of ${choices.join(', ')}`;
    }
    case 'json':
      return isJson(value) ? undefined : 'must be valid JSON';
  }
}

function isJson(text: string): boolean {
  try {
    JSON.parse(text);
    return true;
  } catch {
    return false;
  }
}

/** Undefined when the engine, which cannot be made to hang, does not know the pattern. */
function matchesWhole(pattern: string, text: string): boolean | undefined {
  try {
    return RE2JS.compile(RE2JS.translateRegExp(pattern)).matches(text);
  } catch {
    return undefined;
  }
}
