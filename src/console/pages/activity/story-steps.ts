import type { AuditEntry } from '../../../host/host.js';
import { shownStatus } from '../../../model/call-status.js';
import { isObject, type Json, type JsonObject } from '../../../model/json.js';
import type { Tone } from '../../parts/status.js';

/** One entry of the audit log in the words of the person who reads it. */
export interface StoryStep {
  readonly seq: number;
  /** ISO 8601. */
  readonly at: string;
  readonly title: string;
  readonly tone: Tone;
  readonly facts: readonly (readonly [string, string])[];
  /** The entry as it is stored. */
  readonly body: JsonObject;
}

/** The story of a call, from its entries in order. */
export function storySteps(entries: readonly AuditEntry[]): readonly StoryStep[] {
  return entries.map(({ seq, at, kind, body }) => {
    const { title, tone, facts } = stepOf(kind, body);
    return { seq, at, title, tone, facts: facts.filter(([, text]) => text !== ''), body };
  });
}

type Told = Pick<StoryStep, 'title' | 'tone' | 'facts'>;

function stepOf(kind: string, body: JsonObject): Told {
  switch (kind) {
    case 'hold':
      return body.repeated === true
        ? { title: 'Asked again while it was held', tone: 'neutral', facts: [] }
        : {
            title: `Held: ${words(body.reason)}`,
            tone: 'warning',
            facts: [
              ...list(body.taint).map((it): Fact => ['Taint', `${words(it.rule)}${placeOf(it.pointer)}`]),
              ['State', words(body.state)],
            ],
          };
    case 'approval':
      return decision(body);
    case 'intent':
      return {
        title: 'Started',
        tone: 'info',
        facts: [
          ['Effect', words(body.effect)],
          ['Arguments', shape(body.shape)],
          ['Allowed by', allowedBy(body)],
          ['Set', isObject(body.set) ? words(body.set.name) : ''],
          ['Sandbox', body.noSandbox === true ? 'none: the operator turned it off' : ''],
          ['Repeats', words(body.repeats)],
        ],
      };
    case 'outcome':
      return outcome(body);
    case 'refusal':
      return { title: `Not run: ${words(body.code)}`, tone: 'bad', facts: [] };
    case 'recovery':
      return { title: 'The host stopped during the call', tone: 'bad', facts: [['Outcome', 'unknown']] };
    default:
      return { title: words(body.operation) || kind, tone: 'neutral', facts: [['By', actorText(body)]] };
  }
}

type Fact = readonly [string, string];

function decision(body: JsonObject): Told {
  const made = words(body.decision);
  const isYes = made === 'approved';
  return {
    title: made === '' ? 'Decided' : `${made.charAt(0).toUpperCase()}${made.slice(1)}`,
    tone: isYes ? 'good' : made === 'denied' ? 'bad' : 'neutral',
    facts: [
      ['By', actorText(body)],
      ['Note', words(body.note)],
      ['Reason', words(body.reason)],
      [
        'Arguments',
        body.replaced === undefined && body.replacement === undefined ? '' : 'replaced by the person',
      ],
    ],
  };
}

function outcome(body: JsonObject): Told {
  const status = shownStatus(words(body.status).replaceAll(' ', '_'));
  const ms = typeof body.durationMs === 'number' ? `${Math.round(body.durationMs * 10) / 10} ms` : '';
  const tone: Tone = status === 'ok' ? 'good' : status === 'held' ? 'warning' : 'bad';
  return {
    title: `Ended: ${status.replaceAll('_', ' ')}`,
    tone,
    facts: [
      ['Took', ms],
      ['Code', words(body.code)],
      ['Tries', typeof body.tries === 'number' ? String(body.tries) : ''],
      ...list(body.redacted).map((it): Fact => ['Changed by guardrails', members(it)]),
      ['Hosts that it was denied', texts(body.deniedHosts)],
      ['Hosts that it used', texts(body.hosts)],
      ['Folders that it changed', texts(body.changed)],
      ['Asked the client', isObject(body.asked) ? members(body.asked) : ''],
    ],
  };
}

function allowedBy({ approval, rule, waivedBy }: JsonObject): string {
  if (typeof approval === 'string') return `an approval (${approval})`;
  if (typeof rule === 'string') return `a standing rule (${rule})`;
  return list(waivedBy).length === 0 ? '' : `settings: ${list(waivedBy).map(members).join('; ')}`;
}

function actorText({ by, channel, verified }: JsonObject): string {
  if (typeof by !== 'string') return '';
  const through = typeof channel === 'string' ? ` at the ${channel}` : '';
  return `${by}${through}${verified === true ? ', with the PIN' : verified === false ? ', not verified' : ''}`;
}

/** Arguments are not in the log, only what they look like. */
function shape(value: Json | undefined): string {
  if (!isObject(value)) return '';
  const parts = Object.entries(value).map(
    ([name, it]) => `${name}: ${typeof it === 'string' ? it : JSON.stringify(it)}`,
  );
  return parts.length === 0 ? 'none' : parts.join(', ');
}

function members(value: JsonObject): string {
  return Object.entries(value)
    .map(([name, it]) => `${name.replaceAll('_', ' ')}: ${typeof it === 'string' ? it : JSON.stringify(it)}`)
    .join(', ');
}

function list(value: Json | undefined): readonly JsonObject[] {
  return Array.isArray(value) ? value.filter(isObject) : [];
}

function texts(value: Json | undefined): string {
  return Array.isArray(value)
    ? value.map((it) => (typeof it === 'string' ? it : JSON.stringify(it))).join(', ')
    : '';
}

function placeOf(pointer: Json | undefined): string {
  return typeof pointer === 'string' && pointer !== '' ? ` in ${pointer}` : '';
}

function words(value: Json | undefined): string {
  return typeof value === 'string' ? value.replaceAll('_', ' ') : '';
}
