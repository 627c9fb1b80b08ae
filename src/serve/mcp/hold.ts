import { createHash } from 'node:crypto';
import type { Approvals, Confirmation } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import { heldFacts, printFacts } from '../print/held-call.js';
import { visibleLine } from '../print/visible.js';

/** What the person at the client said. */
export type Decision = 'approve' | 'refuse';

/** Whether a client can show a form; one that says nothing of modes means forms. */
export function canAsk(capabilities: Json | undefined): boolean {
  if (!isObject(capabilities)) return false;
  const { elicitation } = capabilities;
  return isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined);
}

const maxQuestions = 30;
const memoryMs = 10 * 60_000;

/** Nobody reads the fiftieth question in a row: after some the model is told instead, and people decide elsewhere. */
export class HoldTimeout {
  readonly #now: () => number;
  #asked: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  take(): boolean {
    const now = this.#now();
    this.#asked = this.#asked.filter((it) => it > now - memoryMs);
    if (this.#asked.length >= maxQuestions) return false;
    this.#asked.push(now);
    return true;
  }
}

const field = 'approve';

/** The question as both eras put it: everything that would run, with nothing hidden in it. */
export function question(confirmation: Confirmation): JsonObject {
  const message = [
    `Run ${visibleLine(confirmation.tool)}?`,
    '',
    printFacts(heldFacts(confirmation), Number.POSITIVE_INFINITY, ''),
    `The question stands until ${confirmation.expiresAt}.`,
  ].join('\n');
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        [field]: {
          type: 'boolean',
          title: 'Run it once',
          description: 'Yes runs exactly this call, one time.',
        },
      },
      required: [field],
    },
  };
}

/** Only a plain yes is one. Undefined: this is no answer to the question. */
export function decisionIn(answer: Json | undefined): Decision | undefined {
  if (!isObject(answer)) return undefined;
  switch (answer.action) {
    case 'accept':
      return isObject(answer.content) && answer.content[field] === true ? 'approve' : 'refuse';
    case 'decline':
    case 'cancel':
      return 'refuse';
    default:
      return undefined;
  }
}

export function argumentsDigest(given: Json): string {
  return createHash('sha256').update(canonicalJson(given)).digest('hex');
}

/** All that the front needs of the queue. */
export type Deciding = Pick<Approvals, 'approve' | 'deny'>;

/**
 * The decision goes into the queue like any other; what then runs is the stored call, checked again. A refusal never
 * runs anything, even if somebody else has approved meanwhile.
 */
export async function settle(
  { approval, decision, by: name }: { approval: string; decision: Decision; by: string },
  approvals: Deciding,
): Promise<void> {
  const by = { name, channel: 'client' } as const;
  if (decision === 'refuse') {
    await approvals.deny(approval, by);
    return;
  }
  try {
    await approvals.approve(approval, by);
  } catch (error) {
    // Somebody else decided first, or it ran out: what the queue says now is the answer.
    if (!(error instanceof HostError)) throw error;
  }
}
