import { randomBytes } from 'node:crypto';
import type { Session, Tasks } from '../../host/host.js';
import { ByteBudget } from '../../wire/byte-budget.js';
import type { ApprovalDecider } from './approval-question.js';
import { createPlaces, type Places } from './places.js';
import { createResultStore, type ResultStore } from './result-store.js';
import { createStateSigner, type StateSigner } from './state-signer.js';

/** `all`: list every tool. `search`: list only the meta-tools. `auto`: search from `searchThreshold` tools. */
export type ExposeMode = 'all' | 'search' | 'auto';

/** Shared by all MCP servers of one host process. Created once by `createMcpServerParts`. */
export interface McpServerParts {
  readonly version: string;
  /** The state directory, for commands that people copy. Null: a client may be on another machine and learns no paths. */
  readonly state: string | null;
  /** Signs the `requestState` that a 2026 client sends back with an answer. */
  readonly stateSigner: StateSigner;
  /** Large results, stored for a limited time. */
  readonly results: ResultStore;
  /** For calls of 2026 clients that wait for an answer of the user. */
  readonly waiting: {
    /** By principal. */
    readonly places: Places;
    readonly waitMs: number;
    readonly outcomeTtlMs: number;
    /** How long a held call waits for the decision after the user was sent to its page. */
    readonly pageWaitMs: number;
  };
  /** A call that takes longer than this becomes a task, if the request allows it. Milliseconds. */
  readonly taskAfterMs: number;
  /** For messages that arrive as lines and are in progress. */
  readonly lineBudget: ByteBudget;
  /** Milliseconds since 1970. */
  readonly now: () => number;
  /** 128 random bits as text. */
  readonly newId: () => string;
  readonly onBug: (error: unknown) => void;
}

/** Bytes. One line may have 16 MiB. */
const lineBytes = { perOwner: 64 * 1024 * 1024, total: 256 * 1024 * 1024 };
/** Calls that wait for a client while none of its requests is open. */
const waitingCalls = { perOwner: 8, total: 128 };
/** Time to answer a tool's question. The timeout of the call may end it sooner. */
const waitMs = 10 * 60_000;
/** How long the result is kept if the call ends before the answer arrives. */
const outcomeTtlMs = 60_000;
/** Shorter than usual clients wait for an answer. Then the model gets the held-call result, and asks again. */
const pageWaitMs = 45_000;
/** Short calls are answered directly, which saves the client a request. */
const taskAfterMs = 500;

export interface McpServerOptions extends McpServerParts {
  readonly session: Session;
  readonly approvals: ApprovalDecider;
  /** Calls that clients follow as tasks. */
  readonly tasks: Tasks;
  /** The principal of the session, as in the audit log. */
  readonly principal: string;
  /**
   * Owner of what this server hands out: links to large results and request states. A unique id for each connection; over
   * HTTP the id of the token.
   */
  readonly holder: string;
  readonly expose: ExposeMode;
  /** Whether agents may ask for packages. Undefined: only where they search for tools. */
  readonly installRequests?: boolean | undefined;
  /**
   * Id of the token or key with which the operator allowed this client to approve held calls. Null: its user is never
   * asked to approve one, because the agent could answer instead.
   */
  readonly approver: string | null;
}

export function createMcpServerParts(
  options: Pick<McpServerParts, 'version' | 'state' | 'now' | 'onBug'>,
): McpServerParts {
  const { now } = options;
  const waiting = { places: createPlaces(waitingCalls), waitMs, outcomeTtlMs, pageWaitMs };
  return {
    ...options,
    newId: () => randomBytes(16).toString('base64url'),
    stateSigner: createStateSigner({ now }),
    results: createResultStore({ now }),
    waiting,
    taskAfterMs,
    lineBudget: new ByteBudget(lineBytes),
  };
}
