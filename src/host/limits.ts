import { windowMs } from '../model/guardrails.js';
import { HostError } from '../model/host-error.js';
import type { JsonObject } from '../model/json.js';
import type { Demand } from '../policy/combine.js';
import { cappedAmount, who } from '../policy/spend.js';
import type { LimitLedger, Meter, Reading, Reservation } from '../store/limits.js';
import type { CallableTool } from './served-tool.js';

/** A meter with the words for it. */
export interface NamedMeter {
  readonly meter: Meter;
  readonly demand: Demand<{ readonly per: keyof typeof windowMs }>;
}

/** What a call takes of the limits of its tool; throws where the amount alone is too much. Most tools have none. */
export function metersOf(principal: string, served: CallableTool, input: JsonObject): readonly NamedMeter[] {
  const { demands, name, tool } = served;
  if (demands.rates.length === 0 && demands.spends.length === 0 && demands.maxAmount === undefined) return [];
  return metersFor(principal, served, cappedAmount(name, tool, demands, input));
}

/** The meters of a tool for a call of a given amount. */
export function metersFor(
  principal: string,
  { demands, name }: Pick<CallableTool, 'demands' | 'name'>,
  take: number,
): readonly NamedMeter[] {
  const base = { principal, tool: name };
  return [
    ...demands.rates.map((demand) => ({
      demand,
      meter: {
        ...base,
        kind: 'calls' as const,
        span: windowMs[demand.value.per],
        most: demand.value.count,
        take: 1,
      },
    })),
    ...demands.spends.map((demand) => ({
      demand,
      meter: {
        ...base,
        kind: 'amount' as const,
        span: windowMs[demand.value.per],
        most: demand.value.amount,
        take,
      },
    })),
  ];
}

/** Throws when a call would find no place now: better before a person is asked than after. */
export async function assertRoom(ledger: LimitLedger, meters: readonly NamedMeter[]): Promise<void> {
  if (meters.length === 0) return;
  const full = (await ledger.read(meters.map((it) => it.meter))).find((it) => it.waitMs !== 0);
  if (full !== undefined) throw exceeded(full, meters);
}

/** Takes a place in every limit, on the disk; null for tools without any, which touch nothing. */
export async function takePlace(
  ledger: LimitLedger,
  meters: readonly NamedMeter[],
): Promise<Reservation | null> {
  if (meters.length === 0) return null;
  const reserved = await ledger.reserve(meters.map((it) => it.meter));
  if (reserved.kind === 'full') throw exceeded(reserved.reading, meters);
  return reserved.reservation;
}

function exceeded({ meter, used, waitMs }: Reading, meters: readonly NamedMeter[]): HostError {
  const found = meters.find((it) => it.meter === meter) as NamedMeter;
  const { per } = found.demand.value;
  const cause = found.demand.rule;
  const source = who(cause.origin);
  const hint =
    waitMs === null
      ? 'ask for less, or ask the operator'
      : `${meter.kind === 'calls' ? 'call it again' : 'the same amount fits again'} in ${duration(waitMs)}`;
  if (meter.kind === 'calls') {
    const times = meter.most === 1 ? 'once' : `${meter.most} times`;
    return new HostError('rate_limited', `${meter.tool} may be called ${times} a ${per} (${source})`, {
      cause,
      hint,
    });
  }
  const left = Math.max(0, meter.most - used);
  return new HostError(
    'spend_limit',
    `${meter.take} is more than what is left: ${meter.tool} may spend ${meter.most} a ${per} (${source}), and ${plain(left)} of it is left`,
    { cause, hint },
  );
}

function plain(amount: number): string {
  return String(Number(amount.toPrecision(12)));
}

/** Rounded up: whoever comes back then finds a place. */
export function duration(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}
