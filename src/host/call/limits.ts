import { windowMs } from '../../model/guardrails.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Requirement } from '../../policy/rules/requirements.js';
import { cappedAmount, ruleOwner } from '../../policy/rules/spend-limit.js';
import type { LimitLedger } from '../../store/limit-ledger.js';
import type { MeterReading, Reservation } from '../../store/limit-statements.js';
import type { Meter } from '../../store/meter.js';
import type { CallableTool } from './callable-tool.js';

/** A meter with the rule that sets its limit. */
export interface RuleMeter {
  readonly meter: Meter;
  readonly requirement: Requirement<{ readonly per: keyof typeof windowMs }>;
}

/** What a call uses up of its tool's limits; throws if the amount alone is above a cap. Most tools have no limits. */
export function callMeters(
  principal: string,
  callable: CallableTool,
  input: JsonObject,
): readonly RuleMeter[] {
  const { requirements, name, tool } = callable;
  if (
    requirements.rates.length === 0 &&
    requirements.spends.length === 0 &&
    requirements.maxAmount === undefined
  )
    return [];
  return metersForAmount(principal, callable, cappedAmount(name, tool, requirements, input));
}

/** The meters of a tool for a call that spends `amount`. */
export function metersForAmount(
  principal: string,
  { requirements, name }: Pick<CallableTool, 'requirements' | 'name'>,
  amount: number,
): readonly RuleMeter[] {
  const base = { principal, tool: name };
  return [
    ...requirements.rates.map((requirement) => ({
      requirement,
      meter: {
        ...base,
        kind: 'calls' as const,
        windowMs: windowMs[requirement.value.per],
        max: requirement.value.count,
        amount: 1,
      },
    })),
    ...requirements.spends.map((requirement) => ({
      requirement,
      meter: {
        ...base,
        kind: 'amount' as const,
        windowMs: windowMs[requirement.value.per],
        max: requirement.value.amount,
        amount,
      },
    })),
  ];
}

/** Throws if the limits leave no room for the call now: better before a person is asked than after. */
export async function assertWithinLimits(ledger: LimitLedger, meters: readonly RuleMeter[]): Promise<void> {
  if (meters.length === 0) return;
  const full = (await ledger.read(meters.map((it) => it.meter))).find((it) => it.waitMs !== 0);
  if (full !== undefined) throw exceeded(full, meters);
}

/** Reserves the call's share of every limit, on disk. Null for a tool without limits. */
export async function reserveLimits(
  ledger: LimitLedger,
  meters: readonly RuleMeter[],
): Promise<Reservation | null> {
  if (meters.length === 0) return null;
  const reserved = await ledger.reserve(meters.map((it) => it.meter));
  if (reserved.kind === 'full') throw exceeded(reserved.reading, meters);
  return reserved.reservation;
}

function exceeded({ meter, used, waitMs }: MeterReading, meters: readonly RuleMeter[]): HostError {
  const exceededMeter = meters.find((it) => it.meter === meter) as RuleMeter;
  const { per } = exceededMeter.requirement.value;
  const cause = exceededMeter.requirement.rule;
  const source = ruleOwner(cause.origin);
  const hint =
    waitMs === null
      ? 'use a smaller amount, or ask the operator for a higher limit'
      : `${meter.kind === 'calls' ? 'call it again' : 'the same amount is possible again'} in ${durationText(waitMs)}`;
  if (meter.kind === 'calls') {
    const times = meter.max === 1 ? 'once' : `${meter.max} times`;
    return new HostError('rate_limited', `${meter.tool} may be called ${times} a ${per} (${source})`, {
      cause,
      hint,
    });
  }
  const left = Math.max(0, meter.max - used);
  return new HostError(
    'spend_limit',
    `${meter.tool} may spend ${meter.max} a ${per} (${source}): ${plain(left)} is left, and the call would spend ${meter.amount}`,
    { cause, hint },
  );
}

/** Without the noise of floating-point sums. */
function plain(amount: number): string {
  return String(Number(amount.toPrecision(12)));
}

/** Rounded up, so that a retry after this time succeeds. */
export function durationText(milliseconds: number): string {
  if (milliseconds < 1000) return `${milliseconds} ms`;
  const seconds = Math.ceil(milliseconds / 1000);
  if (seconds < 120) return `${seconds} s`;
  const minutes = Math.ceil(seconds / 60);
  return minutes < 120 ? `${minutes} min` : `${Math.ceil(minutes / 60)} h`;
}

/** Only for a call that did nothing. A call that started and failed, or may have had an effect, stays counted. */
export async function releaseReservation(
  limits: LimitLedger,
  reservation: Reservation | null,
): Promise<void> {
  if (reservation !== null) await limits.release(reservation);
}
