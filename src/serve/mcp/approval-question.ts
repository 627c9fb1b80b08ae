import { sha256 } from '../../files/sha256.js';
import type { Approvals, Confirmation } from '../../host/host.js';
import { HostError } from '../../model/host-error.js';
import { canonicalJson, isObject, type Json, type JsonObject } from '../../model/json.js';
import { heldFacts, printFacts } from '../print/held-call.js';
import { visibleLine } from '../print/visible.js';
import type { DecisionSource } from './page-question.js';

/** The decision of the user at the client. */
export type UserDecision = 'approve' | 'deny';

/** Whether a client can show a form. A client that names no modes supports forms. */
export function supportsForms(capabilities: Json | undefined): boolean {
  if (!isObject(capabilities)) return false;
  const { elicitation } = capabilities;
  return isObject(elicitation) && (isObject(elicitation.form) || elicitation.url === undefined);
}

const maxQuestions = 30;
const windowMs = 10 * 60_000;

/** Limits questions to the user, because nobody reads the fiftieth in a row. Beyond it the model gets the held-call result. */
export class QuestionLimit {
  readonly #now: () => number;
  #askedAt: number[] = [];

  constructor(now: () => number) {
    this.#now = now;
  }

  /** Counts a question. Returns false if the limit is reached. */
  take(): boolean {
    const now = this.#now();
    this.#askedAt = this.#askedAt.filter((it) => it > now - windowMs);
    if (this.#askedAt.length >= maxQuestions) return false;
    this.#askedAt.push(now);
    return true;
  }
}

const field = 'approve';

/** The approval question of both eras. It shows everything that would run, with hidden characters made visible. */
export function approvalQuestion(confirmation: Confirmation): JsonObject {
  const message = [
    `Run ${visibleLine(confirmation.tool)}?`,
    '',
    printFacts(heldFacts(confirmation), Number.POSITIVE_INFINITY, ''),
    `You can answer until ${confirmation.expiresAt}.`,
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
      },
      required: [field],
    },
  };
}

/** Only an explicit yes approves. Undefined: the value is not an answer to the question. */
export function decisionIn(answer: Json | undefined): UserDecision | undefined {
  if (!isObject(answer)) return undefined;
  switch (answer.action) {
    case 'accept':
      return isObject(answer.content) && answer.content[field] === true ? 'approve' : 'deny';
    case 'decline':
    case 'cancel':
      return 'deny';
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
  if (decision === 'deny') {
    await approvals.deny(approval, by);
    return;
  }
  try {
    await approvals.approve(approval, by);
  } catch (error) {
    // Somebody else decided first, the request expired, or the client was revoked: the state in the queue counts.
    if (!(error instanceof HostError)) throw error;
  }
}
