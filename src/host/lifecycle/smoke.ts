import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { SmokeResult } from '../../model/installation.js';
import { isObject, type Json } from '../../model/json.js';
import { answerLimits, tryParseBounded } from '../../model/json-bounds.js';
import { lastLines } from '../../model/last-lines.js';
import type { SmokeCheck } from '../../model/lifecycle.js';
import type { SlotValues } from '../../model/slot.js';
import type { Template } from '../../model/template.js';
import { type SmokeObservation, smokeFailure } from '../../policy/smoke-verdict.js';
import { fillHeader, fillText } from '../../run/template-filling.js';
import type { PackageRunner } from '../catalog/package-runner.js';
import type { Answer } from '../host.js';

export interface SmokeServices {
  readonly runner: PackageRunner;
  /** Calls a tool of the package through the call pipeline. */
  readonly call: (tool: string, args: Json, timeoutMs: number, signal: CancelSignal) => Promise<Answer>;
  readonly now: () => number;
}

/** `needsSignIn`: it failed only because nobody signed in to the server yet. */
export interface SmokeOutcome {
  readonly result: SmokeResult;
  readonly needsSignIn: boolean;
}

/** Runs the smoke test of a package in its final sandbox profile. A failed test is a result, not an error. */
export async function runSmoke(services: SmokeServices, signal: CancelSignal): Promise<SmokeResult> {
  return (await trySmoke(services, signal)).result;
}

export async function trySmoke(services: SmokeServices, signal: CancelSignal): Promise<SmokeOutcome> {
  const { runner, now } = services;
  const { smoke } = runner.package;
  const outcome = (result: SmokeResult, needsSignIn = false): SmokeOutcome => ({ result, needsSignIn });
  if (smoke === undefined) return outcome({ status: 'none', at: now() });
  try {
    const values = await runner.values();
    const { seen, words } = await observe(smoke.check, smoke.timeoutSeconds * 1000, values, services, signal);
    const variables = new Map([...values].map(([name, it]) => [name, it.value]));
    const failure = smokeFailure(smoke.success, seen, variables);
    if (failure === undefined) return outcome({ status: 'passed', at: now() });
    const said = words.trim() === '' ? '' : `; it said: ${lastLines(words.trim(), maxWordLines)}`;
    return outcome({ status: 'failed', at: now(), detail: await runner.cleanText(`${failure}${said}`) });
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    if (signal.aborted) throw new HostError('canceled', 'the smoke test was canceled', { cause: error });
    const hint = error.hint === undefined ? '' : `; ${error.hint}`;
    const detail = await runner.cleanText(`${error.message}${hint}`);
    return outcome({ status: 'failed', at: now(), detail }, error.needsSignIn);
  }
}

const maxWordLines = 5;

interface Observed {
  readonly seen: SmokeObservation;
  /** What the tool said about a failure. */
  readonly words: string;
}

async function observe(
  check: SmokeCheck,
  timeoutMs: number,
  slots: SlotValues,
  { runner, call }: SmokeServices,
  signal: CancelSignal,
): Promise<Observed> {
  switch (check.kind) {
    case 'program': {
      const { exitCode, stdout, stderr } = await runner.program(check.program, { timeoutMs, signal });
      const words = stderr.trim() === '' ? stdout : stderr;
      return { seen: { exitCode, text: stdout, value: jsonOf(stdout) }, words };
    }
    case 'http': {
      const values = { input: {}, slots };
      const templates = [
        ...check.headers.map((it) => it.value),
        ...(check.body === undefined ? [] : [check.body]),
      ];
      assertFilled(templates, slots);
      const headers = check.headers.flatMap(({ name, value }) => {
        const filled = fillHeader(value, values, name);
        return filled === undefined ? [] : [[name.toLowerCase(), filled] as const];
      });
      const { status, text } = await runner.request({
        ...{ method: check.method, url: check.url, timeoutMs, signal },
        headers: Object.fromEntries(headers),
        body: check.body === undefined ? undefined : fillText(check.body, values),
        slots: slotsOf(templates),
      });
      return { seen: { httpStatus: status, text, value: jsonOf(text) }, words: text };
    }
    case 'upstream': {
      const args = isObject(check.arguments) ? check.arguments : {};
      const { value } = await runner.upstreamTool(check.tool, args, { timeoutMs, signal });
      return observedValue(value);
    }
    case 'start': {
      const names = await runner.announcedTools();
      return { seen: { text: names.join('\n'), value: names }, words: '' };
    }
    case 'tool': {
      const name = `${runner.package.id}/${check.tool}`;
      const answer = await call(name, check.arguments, timeoutMs, signal);
      if (answer.status === 'ok') return observedValue(answer.result);
      const why = answer.error?.message ?? `${name} answered with the status ${answer.status}`;
      throw new HostError('tool_failed', why);
    }
  }
}

/** Conditions read structured content, else text that is JSON. */
function observedValue(value: Json): Observed {
  if (typeof value === 'string')
    return { seen: { text: value, value: jsonOf(value) ?? value }, words: value };
  const text = JSON.stringify(value);
  return { seen: { text, value }, words: text };
}

function jsonOf(text: string): Json | undefined {
  return tryParseBounded(text, answerLimits);
}

function slotsOf(templates: readonly Template[]): string[] {
  return templates.flatMap(({ parts }) => parts.flatMap((it) => (it.kind === 'slot' ? [it.slot] : [])));
}

function assertFilled(templates: readonly Template[], slots: SlotValues): void {
  const missing = slotsOf(templates).find((it) => !slots.has(it));
  if (missing !== undefined)
    throw new HostError('needs_setup', `the smoke test uses ${missing}, which has no value`);
}
