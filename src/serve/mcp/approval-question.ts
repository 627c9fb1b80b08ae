import { sha256 } from '../../files/sha256.js';
import type { Approvals } from '../../host/host.js';
import { type ApprovalRequest, isHeldForTaint, maxAsked } from '../../model/approval.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import { heldFacts, printFacts } from '../print/held-call.js';
import { visibleLine } from '../print/visible.js';
import type { DecisionSource } from './page-question.js';

/** The decision of the user at the client. */
export interface UserDecision {
  readonly answer: 'approve' | 'deny';
  /** What the user says that they asked for; it vouches for the values in it. */
  readonly asked?: string;
}

/** Whether a client can show a form. A client that names no modes supports forms. */
export function supportsForms(capabilities: Json | undefined): boolean {
  if (!isObject(capabilities)) return false;
  const { elicitation } = capabilities;
  return isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined);
}

const maxQuestions = 30;
const windowMs = 10 * 60_000;

/**
 * Limits questions to the user, because nobody reads the fiftieth in a row. Beyond it the model gets the held-call result,
 * and a server gets an error: a user who was not asked has declined nothing.
 */
export class QuestionLimit {
  readonly #now: () => number;
  readonly #max: number;
  #askedAt: number[] = [];

  constructor(now: () => number, max = maxQuestions) {
    this.#now = now;
    this.#max = max;
  }

  /** Counts a question. Returns false if the limit is reached. */
  take(): boolean {
    const now = this.#now();
    this.#askedAt = this.#askedAt.filter((it) => it > now - windowMs);
    if (this.#askedAt.length >= this.#max) return false;
    this.#askedAt.push(now);
    return true;
  }
}

/** The error of a server that asks beyond the limit. */
export function askedTooOften(): HostError {
  return new HostError('rate_limited', 'the user was asked too often and gets no further question now', {
    hint: 'try again in a few minutes',
  });
}

const field = 'approve';
const askedField = 'asked';

/** The approval question of both eras. It shows everything that would run, with hidden characters made visible. */
export function approvalQuestion(held: ApprovalRequest): JsonObject {
  const message = [
    `Run ${visibleLine(held.tool)}?`,
    '',
    printFacts(heldFacts(held), Number.POSITIVE_INFINITY, ''),
    `You can answer until ${new Date(held.expiresAt).toISOString()}.`,
  ].join('\n');
  return {
    message,
    requestedSchema: {
      type: 'object',
      properties: {
        [field]: {
          type: 'boolean',
          title: 'Run it once',
          description: 'Yes runs exactly this call, once.',
        },
        ...(isHeldForTaint(held)
          ? {
              [askedField]: {
                type: 'string',
                title: 'What did you ask for? (optional)',
                description:
                  'In your own words. The names, addresses and amounts in it need no question later.',
                maxLength: maxAsked,
              },
            }
          : {}),
      },
      required: [field],
    },
  };
}

/** Only an explicit yes approves. Undefined: the value is not an answer to the question. */
export function decisionIn(answer: Json | undefined): UserDecision | undefined {
  if (!isObject(answer)) return undefined;
  switch (answer.action) {
    case 'accept': {
      const content = isObject(answer.content) ? answer.content : {};
      if (content[field] !== true) return { answer: 'deny' };
      const asked = content[askedField];
      return { answer: 'approve', ...(typeof asked === 'string' && asked.trim() !== '' ? { asked } : {}) };
    }
    case 'decline':
    case 'cancel':
      return { answer: 'deny' };
    default:
      return undefined;
  }
}

export function argumentsDigest(args: Json): string {
  return sha256(canonicalJson(args));
}

/** The part of `Approvals` that the MCP server uses. */
export type ApprovalDecider = Pick<Approvals, 'approve' | 'deny'> & DecisionSource;

/**
 * Stores the decision in the approval queue. The stored call runs later and is checked again. A denial by this user means
 * that the call does not run here, even if somebody else approved it in the meantime.
 */
export async function applyDecision(
  {
    approval,
    decision,
    by: name,
    client,
  }: { approval: string; decision: UserDecision; by: string; client: string },
  approvals: ApprovalDecider,
): Promise<void> {
  const by = { name, channel: 'client', client } as const;
  if (decision.answer === 'deny') {
    await approvals.deny(approval, by);
    return;
  }
  try {
    await approvals.approve(approval, by, undefined, decision.asked);
  } catch (error) {
    // Somebody else decided first, the request expired, or the client was revoked: the state in the queue counts.
    if (!(error instanceof HostError)) throw error;
  }
}
