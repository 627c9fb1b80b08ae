import type {
  Host,
  KeyChange,
  MessagePoint,
  Operator,
  SecretInput,
  Session,
  TokenInput,
} from '../../host/host.js';
import type { ApprovalState } from '../../model/approval.js';
import { Cancellation, type CancelSignal } from '../../model/cancel-signal.js';
import { asHostError, HostError } from '../../model/host-error.js';
import { isObject, type Json, type JsonObject } from '../../model/json.js';
import type { StandingRuleInput } from '../../model/standing-rule.js';
import { FlowControl } from '../../wire/flow-control.js';
import type { LineConnection } from '../../wire/line-connection.js';
import { readLines } from '../../wire/lines.js';

/** A request is `{id, method, params}`; `{cancel: id}` cancels one. */
export type HostMethod =
  | 'packages'
  | 'tools'
  | 'call'
  | 'explain'
  | 'message'
  | 'prompts'
  | 'prompt'
  | 'prompt.messages'
  | 'resources'
  | 'resource'
  | 'review'
  | 'accept'
  | 'install'
  | 'approvals.list'
  | 'approvals.get'
  | 'approvals.approve'
  | 'approvals.deny'
  | 'approvals.key'
  | 'rules.list'
  | 'rules.add'
  | 'rules.revoke'
  | 'pin.status'
  | 'pin.set'
  | 'pin.remove'
  | 'secrets.set'
  | 'secrets.list'
  | 'secrets.slots'
  | 'secrets.unset'
  | 'secrets.rekey'
  | 'switches.disabled'
  | 'switches.known'
  | 'switches.set'
  | 'outcomes.unknown'
  | 'outcomes.acknowledge'
  | 'arguments.open'
  | 'arguments.forget'
  | 'kills.list'
  | 'kills.set'
  | 'kills.lift'
  | 'tokens.create'
  | 'tokens.list'
  | 'tokens.revoke'
  | 'audit.verify'
  | 'audit.tail';

/** Serves the operations of the host over a connection. Running calls are canceled when it closes. */
export function serveHostRequests(
  host: Host,
  session: Session,
  connection: LineConnection,
  onBug: (error: unknown) => void,
): void {
  const running = new Map<number, Cancellation>();
  const flow = new FlowControl(connection);
  let isBroken = false;
  const receive = async (line: string): Promise<string | undefined> => {
    const message: Json = JSON.parse(line);
    if (!isObject(message)) throw new Error('not a request');
    if (typeof message.cancel === 'number') {
      running.get(message.cancel)?.abort();
      return undefined;
    }
    const id = Number(message.id);
    const stop = new Cancellation();
    running.set(id, stop);
    try {
      const params = isObject(message.params) ? message.params : {};
      const result = await answer(host, session, message.method as HostMethod, params, stop);
      return `${JSON.stringify({ id, result: result ?? null })}\n`;
    } catch (error) {
      if (!(error instanceof HostError)) onBug(error);
      const { code, message: text, hint } = asHostError(error);
      return `${JSON.stringify({ id, error: { code, message: text, ...(hint === undefined ? {} : { hint }) } })}\n`;
    } finally {
      running.delete(id);
    }
  };
  readLines(connection.input, {
    line: (text) => {
      if (isBroken) return;
      flow.track(receive(text)).catch(() => {
        // Our own commands never send such a line.
        isBroken = true;
        connection.close();
      });
    },
    end: () => {
      for (const stop of running.values()) stop.abort();
      void session.close();
      connection.close();
    },
  });
}

function answer(
  host: Host,
  session: Session,
  method: HostMethod,
  params: JsonObject,
  signal: CancelSignal,
): Promise<unknown> {
  const id = String(params.id);
  const by = operatorIn(params.by);
  switch (method) {
    case 'packages':
      return session.packages();
    case 'tools':
      return session.tools();
    case 'call':
      return session.call({
        tool: String(params.tool),
        arguments: params.arguments as Json,
        timeoutMs: typeof params.timeoutMs === 'number' ? params.timeoutMs : undefined,
        signal,
      });
    case 'message':
      return session.message(
        params.point as MessagePoint,
        isObject(params.message) ? params.message : {},
        signal,
      );
    case 'explain':
      return session.explain({ tool: String(params.tool), arguments: params.arguments });
    case 'prompts':
      return session.prompts();
    case 'prompt':
      return session.prompt(String(params.name), isObject(params.arguments) ? params.arguments : {});
    case 'prompt.messages':
      return session.promptMessages(
        String(params.name),
        isObject(params.arguments) ? params.arguments : {},
        signal,
      );
    case 'resources':
      return session.resources();
    case 'resource':
      return session.resource(String(params.uri), signal);
    case 'review':
      return session.review(id);
    case 'accept':
      return session.accept(id, String(params.digest), params.by === undefined ? undefined : by);
    case 'install':
      return session.install(id, { signal, dryRun: params.dryRun === true });
    case 'secrets.rekey':
      return host.secrets.rekey({ ...(params as unknown as KeyChange), by });
    case 'secrets.set':
      return host.secrets.set({ ...(params as unknown as SecretInput), by });
    case 'secrets.list':
      return host.secrets.list();
    case 'secrets.slots':
      return host.secrets.slots(id);
    case 'secrets.unset':
      return host.secrets.unset(id, String(params.slot), by);
    case 'switches.disabled':
      return host.switches.disabled();
    case 'switches.known':
      return host.switches.known();
    case 'switches.set':
      return host.switches.set(id, params.enabled === true, by);
    case 'outcomes.unknown':
      return host.outcomes.unknown();
    case 'outcomes.acknowledge':
      return host.outcomes.acknowledge(id, by.name);
    case 'arguments.open':
      return host.keptArguments.open(id, by);
    case 'arguments.forget':
      return host.keptArguments.forget(Number(params.before), by);
    case 'kills.list':
      return host.kills.list();
    case 'kills.set':
      return host.kills.set(String(params.target), by.name);
    case 'kills.lift':
      return host.kills.lift(String(params.target), by);
    case 'tokens.create':
      return host.tokens.create({ ...(params as unknown as TokenInput), by });
    case 'tokens.list':
      return host.tokens.list();
    case 'tokens.revoke':
      return host.tokens.revoke(id, by.name);
    case 'approvals.list':
      return host.approvals.list(params.states as unknown as ApprovalState[] | undefined);
    case 'approvals.get':
      return host.approvals.get(id);
    case 'approvals.approve':
      return host.approvals.approve(id, by);
    case 'approvals.deny':
      return host.approvals.deny(id, by);
    case 'approvals.key':
      return host.approvals.noticeKey(by);
    case 'rules.list':
      return host.approvals.rules.list();
    case 'rules.add':
      return host.approvals.rules.add(params.rule as unknown as StandingRuleInput, by);
    case 'rules.revoke':
      return host.approvals.rules.revoke(id, by);
    case 'pin.status':
      return host.operator.pin();
    case 'pin.set':
      return host.operator.setPin(String(params.pin), by);
    case 'pin.remove':
      return host.operator.removePin(by);
    case 'audit.verify':
      return host.verifyAudit();
    case 'audit.tail':
      return host.auditTail(Number(params.count));
    default:
      throw new HostError('not_supported', `unknown operation ${JSON.stringify(method)}`);
  }
}

/** Only programs of this user can open the socket, so its channel is the terminal, whatever the request says. */
function operatorIn(given: Json | undefined): Operator {
  if (!isObject(given)) return { name: String(given), channel: 'terminal' };
  const { name, pin } = given;
  return { name: String(name), channel: 'terminal', ...(typeof pin === 'string' ? { pin } : {}) };
}
