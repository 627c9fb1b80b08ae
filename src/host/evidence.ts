import type { Evidence } from '../model/approval.js';
import { isObject, type Json, type JsonObject, toPointer } from '../model/json.js';
import type { NetworkHost } from '../model/permissions.js';
import type { CallableTool } from './served-tool.js';

const amounts = ['amount', 'amount_cents', 'total', 'value'];
/** What can be a destination: an address on the web, a mail box, a place among files. */
const address = /^[a-z][a-z0-9+.-]{1,20}:\S+$|^[^\s@]+@[^\s@]+\.[^\s@]+$|^(?:~|\.{0,2})\/\S/iu;
/** More than a person would read; the arguments are shown in full anyway. */
const maxAddresses = 20;
const maxShown = 300;
/** Longer texts are no addresses that anybody could read. */
const maxAddress = 2048;

/** What a person should see before anything else: how bad it can be, where it goes, how much it moves. */
export function evidenceOf(served: CallableTool, input: JsonObject): Evidence[] {
  const { workspace, allow } = served.setting;
  return [
    { kind: 'effect', text: effectOf(served) },
    ...destinations(served),
    ...amounts.flatMap((name): Evidence[] => {
      const value = Object.hasOwn(input, name) ? input[name] : undefined;
      return typeof value === 'number' || typeof value === 'string'
        ? [{ kind: 'amount', text: `${name}: ${cut(String(value))}`, at: toPointer([name]) }]
        : [];
    }),
    ...addressesIn(input),
    ...(workspace === null ? [] : [{ kind: 'workspace', text: workspace } as const]),
    ...allow.map((text) => ({ kind: 'grant', text }) as const),
  ];
}

function effectOf({ tool }: CallableTool): string {
  if (!tool.effectDeclared) return 'its author does not say what it changes';
  switch (tool.effect) {
    case 'none':
      return 'it only computes';
    case 'read':
      return 'it reads';
    case 'write':
      return 'it changes something';
    case 'destructive':
      return 'it cannot be undone';
  }
}

function destinations({ package: of, tool }: CallableTool): Evidence[] {
  const { action } = tool;
  const to = (text: string): Evidence => ({ kind: 'destination', text });
  switch (action?.kind) {
    case 'http':
      return [to(`${action.method} ${action.url.origin}`)];
    case 'compose':
      return [to(`the tool ${action.package}/${action.tool}`)];
    case 'upstream':
      return [to(`the program ${action.program}`)];
    case 'exec':
    case 'function': {
      const { network } = of.permissions;
      if (network.kind === 'public') return [to('any public host')];
      return network.kind === 'none' ? [] : network.hosts.map((it) => to(hostText(it)));
    }
    default:
      return [];
  }
}

function hostText({ host, port, subdomains }: NetworkHost): string {
  return `${subdomains === true ? '*.' : ''}${host}${port === null ? '' : `:${port}`}`;
}

function addressesIn(input: JsonObject): Evidence[] {
  const found: Evidence[] = [];
  const visit = (value: Json, path: readonly (string | number)[]) => {
    if (found.length >= maxAddresses) return;
    if (typeof value === 'string') {
      if (value.length <= maxAddress && address.test(value))
        found.push({ kind: 'address', text: cut(value), at: toPointer(path) });
    } else if (Array.isArray(value)) for (const [index, it] of value.entries()) visit(it, [...path, index]);
    else if (isObject(value)) for (const [name, it] of Object.entries(value)) visit(it, [...path, name]);
  };
  visit(input, []);
  return found;
}

function cut(text: string): string {
  return text.length > maxShown ? `${text.slice(0, maxShown)}…` : text;
}
