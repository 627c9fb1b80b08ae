// A bank server that counts payments. Attacks on approvals try to cause a payment.
import type { Answer, HostOptions, Json, JsonObject, Session } from '../../src/index.js';
import { guardedClient } from '../../src/net/http-client.js';
import { type LoopbackServer, loopbackServer } from './toolwharf.js';
import { findagent, inputOf, type Workbench, workbench } from './workbench.js';

export interface Bank {
  readonly bench: Workbench;
  readonly server: LoopbackServer;
  readonly session: Session;
  clock: number;
  /** Requests that reached the bank. */
  paid(): string[];
  open(principal?: string, more?: JsonObject): Promise<Session>;
  /** Makes a call that is held, and returns its token. */
  hold(given?: JsonObject, session?: Session): Promise<string>;
  confirm(token: string, session?: Session): Promise<Answer>;
  close(): Promise<void>;
}

export const pay = 'bank/pay';
export const usual = { to: 'alice', amount: 5 };

export function manifest(port: number, description = 'Pay somebody.'): string {
  return findagent('Bank', {
    tools: [
      {
        name: 'pay',
        description,
        input_schema: inputOf({
          to: { type: 'string' },
          amount: { type: 'number' },
          path: { type: 'string', default: '' },
        }),
        action: {
          type: 'http',
          method: 'POST',
          url: `http://localhost:${port}/pay/{to}/{amount}`,
          auth_ref: 'key',
        },
      },
      {
        name: 'close_account',
        description: 'Close it for good.',
        input_schema: inputOf({ to: { type: 'string' } }),
        annotations: { destructiveHint: true },
        action: { type: 'http', method: 'DELETE', url: `http://localhost:${port}/account/{to}` },
      },
    ],
    guardrails: { actions: { pay: { approval: 'human' } } },
    credential_slots: [{ ref: 'key', label: 'Key', allowed_hosts: ['localhost'], required: false }],
  });
}

export async function openBank(options: Partial<HostOptions> = {}): Promise<Bank> {
  const server = await loopbackServer((_request, response) =>
    response.writeHead(200, { 'content-type': 'application/json' }).end('{"done":true}'),
  );
  // Independent of how this machine resolves the name.
  const client = guardedClient(async (name) => (name === 'localhost' ? ['127.0.0.1'] : []));
  const time = { clock: Date.parse('2026-01-01T00:00:00Z') };
  const grant = `net:localhost:${server.port}`;
  const bench = await workbench(
    { 'bank/findagent.json': manifest(server.port) },
    { warm: false, client, now: () => time.clock, acceptedGrants: [grant], statesEffects: false, ...options },
  );
  const open = (principal = 'agent', more: JsonObject = {}) =>
    bench.session({ principal, allow: [grant], ...more });
  const session = await open();
  return {
    bench,
    server,
    session,
    get clock() {
      return time.clock;
    },
    set clock(value) {
      time.clock = value;
    },
    paid: () => server.requests.map((it) => `${it.method} ${it.url}`),
    open,
    async hold(given = usual, by = session) {
      const answer = await by.call({ tool: pay, arguments: given });
      if (answer.status !== 'confirmation_required') throw new Error(`not held: ${JSON.stringify(answer)}`);
      return answer.confirmation.token;
    },
    confirm: (token, by = session) =>
      by.call({ tool: 'patch_confirm_action', arguments: { confirmation_token: token } }),
    async close() {
      await bench.close();
      await server.close();
      if (bench.bugs.length > 0) throw new Error(`bugs: ${bench.bugs.join('; ')}`);
    },
  };
}

/** Error code of an answer, or its status if it has no error. */
export function codeOf(answer: Answer): string {
  return 'error' in answer && answer.error !== undefined ? answer.error.code : answer.status;
}

/** Bodies of the audit log entries of one kind, newest last. */
export async function recorded(bank: Bank, kind: string): Promise<Record<string, Json>[]> {
  const entries = await bank.bench.host.auditTail(1000);
  return entries.filter((it) => it.kind === kind).map((it) => ({ ...it.body }));
}
