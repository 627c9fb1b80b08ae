// What a package declares about its smoke test, cost and support, as text.
import type { Cost, SmokeTest } from '../../model/lifecycle.js';
import type { Fact } from '../../model/package.js';

export function smokeTestText({ check, timeoutSeconds }: SmokeTest): string {
  const limit = `, within ${timeoutSeconds} s`;
  switch (check.kind) {
    case 'program':
      return `runs its program ${check.program}${limit}`;
    case 'http':
      return `${check.method} ${check.url}${limit}`;
    case 'upstream':
    case 'tool':
      return `calls ${check.tool} with ${JSON.stringify(check.arguments)}${limit}`;
    case 'start':
      return `starts it and lists its tools${limit}`;
  }
}

export function costTexts(cost: Cost | undefined): string[] {
  if (cost === undefined) return [];
  const dollars = (cents: number) => `$${(cents / 100).toFixed(2)}`;
  const fees = [
    ...(cost.installFeeCents === undefined ? [] : [`${dollars(cost.installFeeCents)} once`]),
    ...(cost.monthlyFeeCents === undefined ? [] : [`${dollars(cost.monthlyFeeCents)} a month`]),
    ...(cost.usageModel === undefined || cost.usageModel === 'none'
      ? []
      : [`usage is charged ${cost.usageModel}`]),
  ];
  return [
    fees.join(', ') || 'nothing',
    ...(cost.estimateUrl === undefined ? [] : [`estimate: ${cost.estimateUrl}`]),
  ];
}

export function factText({ label, value }: Fact): string {
  return `${label}: ${typeof value === 'string' ? value : JSON.stringify(value)}`;
}
