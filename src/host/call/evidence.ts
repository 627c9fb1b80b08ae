import { destructiveText, type Evidence } from '../../model/approval.js';
import { callAccessOf } from '../../model/call-access.js';
import { isObject, type Json, type JsonObject, toPointer } from '../../model/json.js';
import type { NetworkHost } from '../../model/permissions.js';
import type { TaintHold } from '../../policy/taint/taint-verdict.js';
import type { CallableTool } from './callable-tool.js';

const amounts = ['amount', 'amount_cents', 'total', 'value'];
/** Matches a URL, a mail address or a file path. */
const address = /^[a-z][a-z0-9+.-]{1,20}:\S+$|^[^\s@]+@[^\s@]+\.[^\s@]+$|^(?:~|\.{0,2})\/\S/iu;
/** A person would not read more; the arguments are shown in full anyway. */
const maxAddresses = 20;
const maxShown = 300;
/** Longer texts are not addresses that a person could read. */
const maxAddress = 2048;

/** Where values of the call come from. For the person only: it quotes what the session was shown. */
export function taintEvidence(hold: TaintHold | undefined): Evidence[] {
  return (hold?.findings ?? [])
    .slice(0, maxAddresses)
    .map(({ forPerson, pointer }) => ({ kind: 'taint', text: forPerson, at: pointer }));
}

/** What a person should see first: the effect, the destinations and the amount. */
export function evidenceOf(callable: CallableTool, input: JsonObject): Evidence[] {
  const { workspace, allow } = callable.context;
  return [
    { kind: 'effect', text: effectOf(callable) },
    ...fixedArguments(callable),
    ...destinations(callable),
    ...amounts.flatMap((name): Evidence[] => {
      const value = Object.hasOwn(input, name) ? input[name] : undefined;
      return typeof value === 'number' || typeof value === 'string'
        ? [{ kind: 'amount', text: `${name}: ${truncate(String(value))}`, at: toPointer([name]) }]
        : [];
    }),
    ...addressesIn(input),
    ...(workspace === null ? [] : [{ kind: 'workspace', text: workspace } as const]),
    ...allow.map((text) => ({ kind: 'grant', text }) as const),
  ];
}

function effectOf({ tool }: CallableTool): string {
  if (!tool.effectDeclared) return 'its author does not declare what it changes';
  switch (tool.effect) {
    case 'none':
      return 'it only computes';
    case 'read':
      return 'it reads';
    case 'write':
      return 'it changes something';
    case 'destructive':
      return destructiveText;
  }
}

/** The set chose these, not the caller. */
function fixedArguments({ set }: CallableTool): Evidence[] {
  return Object.entries(set?.fixed ?? {}).map(([name, value]) => ({
    kind: 'fixed',
    text: `${name}: ${truncate(JSON.stringify(value))}, fixed by the set ${set?.name}`,
    at: toPointer([name]),
  }));
}

function destinations({ package: pkg, tool }: CallableTool): Evidence[] {
  const { action } = tool;
  const destination = (text: string): Evidence => ({ kind: 'destination', text });
  switch (action?.kind) {
    case 'http':
      return [destination(`${action.method} ${action.url.origin}`)];
    case 'compose':
      return [destination(`the tool ${action.package}/${action.tool}`)];
    case 'upstream':
      return [destination(`the program ${action.program}`)];
    case 'exec':
    case 'function': {
      const { network } = callAccessOf(pkg, tool);
      if (network.kind === 'public') return [destination('any public host')];
      return network.kind === 'none' ? [] : network.hosts.map((it) => destination(hostText(it)));
    }
    default:
      return [];
  }
}

function hostText({ host, port, subdomains }: NetworkHost): string {
  return `${subdomains === true ? '*.' : ''}${host}${port === null ? '' : `:${port}`}`;
}

function addressesIn(input: JsonObject): Evidence[] {
  const addresses: Evidence[] = [];
  const visit = (value: Json, path: readonly (string | number)[]) => {
    if (addresses.length >= maxAddresses) return;
    if (typeof value === 'string') {
      if (value.length <= maxAddress && address.test(value))
        addresses.push({ kind: 'address', text: truncate(value), at: toPointer(path) });
    } else if (Array.isArray(value)) for (const [index, it] of value.entries()) visit(it, [...path, index]);
    else if (isObject(value)) for (const [name, it] of Object.entries(value)) visit(it, [...path, name]);
  };
  visit(input, []);
  return addresses;
}

function truncate(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
