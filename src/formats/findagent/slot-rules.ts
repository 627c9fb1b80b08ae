import type { Json, JsonObject, JsonPath } from '../../model/json.js';
import { isSteering } from '../../model/steering.js';
import { nameOf, show } from '../check.js';
import type { Report } from '../report.js';
import { hostProblem, normalHost } from './host-name.js';
import { remoteCredential } from './remote-credential.js';
import { codeMode, listOf, objectOf, objectsOf, textOf, toolEntries } from './shape.js';

/** Rules for credential slots, the settings of a code-bundle and every list of hosts. */
export function checkSlots(report: Report, manifest: JsonObject): void {
  checkHosts(report, manifest.allowed_hosts, ['allowed_hosts']);
  const seen = new Map<string, number>();
  const open = reachable(manifest);
  for (const [index, slot] of objectsOf(manifest.credential_slots)) {
    const path = ['credential_slots', index];
    checkHosts(report, slot.allowed_hosts, [...path, 'allowed_hosts']);
    const ref = textOf(slot.ref);
    if (ref !== undefined && seen.has(ref)) {
      const message = `${nameOf(path)} has the ref ${show(ref)} that credential_slots[${seen.get(ref)}] has`;
      report.at('findagent.duplicate-slot', [...path, 'ref'], message, {
        hint: 'give each slot its own ref',
      });
    } else if (ref !== undefined) {
      seen.set(ref, index);
    }
    checkScheme(report, slot, path);
    checkUse(report, manifest, slot, path, open);
  }
  checkEnvironment(report, manifest);
}

function checkHosts(report: Report, hosts: Json | undefined, path: JsonPath): void {
  for (const [index, host] of listOf(hosts).entries()) {
    if (typeof host !== 'string') continue;
    const problem = hostProblem(host);
    if (problem === null) continue;
    report.at(problem.code, [...path, index], problem.message, { hint: problem.hint });
  }
}

function checkScheme(report: Report, slot: JsonObject, path: JsonPath): void {
  const fields = ['auth_scheme', 'header_name', 'prefix'].filter((it) => slot[it] !== undefined);
  const first = fields[0];
  if (first === undefined) return;
  const foreign = slot.auth_scheme === 'header' ? undefined : fields.find((it) => it !== 'auth_scheme');
  if (foreign === undefined) {
    const message = `${fields.map((it) => `"${it}"`).join(', ')} of ${nameOf(path)}: not in the published format; understood here`;
    report.at('findagent.extension-field', [...path, first], message, { spot: 'key' });
    return;
  }
  const scheme = textOf(slot.auth_scheme) ?? 'bearer';
  report.at(
    'findagent.slot-scheme',
    [...path, foreign],
    `"${foreign}" has no meaning for the scheme ${scheme}`,
    {
      hint: 'write "auth_scheme": "header", or remove it',
      spot: 'key',
    },
  );
}

function checkUse(
  report: Report,
  manifest: JsonObject,
  slot: JsonObject,
  path: JsonPath,
  open: Reachable,
): void {
  const used = usedByRequest(manifest, slot);
  if (codeMode(manifest) === 'none') {
    if (slot.env !== undefined || typeof slot.ref !== 'string' || used) return;
    report.at('findagent.slot-unused', [...path, 'ref'], `no action uses the credential ${show(slot.ref)}`, {
      hint: 'name it in the auth_ref of an action, or remove the slot',
    });
    return;
  }
  if (used) return;
  for (const [index, host] of listOf(slot.allowed_hosts).entries()) {
    if (typeof host !== 'string' || hostProblem(host) !== null || open(host)) continue;
    const message = `the code may send ${show(slot.ref)} to ${show(host)}, and cannot reach that host`;
    report.at('findagent.slot-host-unreachable', [...path, 'allowed_hosts', index], message, {
      hint: `add ${show(host)} to the allowed_hosts of the manifest`,
    });
  }
}

type Reachable = (host: string) => boolean;

/** Whether a host, or a name below or above it, is among the hosts that the code can reach. */
function reachable(manifest: JsonObject): Reachable {
  const names = listOf(manifest.allowed_hosts).flatMap((it) =>
    typeof it === 'string' ? normalHost(it) : [],
  );
  const exact = new Set(names);
  const above = new Set(names.flatMap(lineage));
  return (host) => above.has(normalHost(host)) || lineage(normalHost(host)).some((it) => exact.has(it));
}

/** A name and every name above it. */
function lineage(host: string): string[] {
  const labels = host.split('.').slice(-32);
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Whether requests carry it, those of an action or those to a server elsewhere. */
export function usedByRequest(manifest: JsonObject, slot: JsonObject): boolean {
  if (typeof slot.ref === 'string' && remoteCredential(manifest) === slot.ref) return true;
  return toolEntries(manifest).some(([, tool]) => {
    const action = objectOf(tool.action);
    return action.type === 'http' && action.auth_ref === slot.ref;
  });
}

const secretive =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|API_KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;

function checkEnvironment(report: Report, manifest: JsonObject): void {
  const seen = new Map<string, string>();
  const take = (name: Json | undefined, path: JsonPath) => {
    if (typeof name !== 'string') return;
    if (isSteering(name)) {
      report.at('findagent.env-reserved', path, `${show(name)} steers how programs start and cannot be set`, {
        hint: 'choose a name of your own',
      });
    }
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      report.at('findagent.env-twice', path, `the variable ${show(name)} belongs to ${earlier} already`, {
        hint: 'choose another name',
      });
    }
    seen.set(name, nameOf(path.slice(0, -1)));
  };
  for (const [index, slot] of objectsOf(manifest.credential_slots)) {
    take(slot.env, ['credential_slots', index, 'env']);
  }
  if (codeMode(manifest) === 'none') return;
  for (const [index, entry] of objectsOf(manifest.env)) {
    const path = ['env', index, 'name'];
    take(entry.name, path);
    if (typeof entry.name === 'string' && secretive.test(entry.name)) {
      report.at(
        'findagent.env-looks-secret',
        path,
        `${show(entry.name)} looks like a secret; "env" protects nothing`,
        {
          hint: 'declare it in credential_slots with the hosts that may receive it',
        },
      );
    }
  }
}
