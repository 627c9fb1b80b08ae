import type { Json, JsonObject, JsonPath } from '../../model/json.js';
import { isReservedVariable } from '../../model/reserved-variables.js';
import { pathName, show } from '../check.js';
import { uniqueNames } from '../unique-names.js';
import type { FindagentReport } from './codes.js';
import { hostProblem, normalizeHost } from './host-name.js';
import { codeMode, listOf, objectOf, objectsOf, stringOf, toolEntries } from './manifest-fields.js';
import { remoteCredential } from './remote-credential.js';

/** Checks credential slots, the settings of a code-bundle and all host lists. */
export function checkSlots(report: FindagentReport, manifest: JsonObject): void {
  checkHosts(report, manifest.allowed_hosts, ['allowed_hosts']);
  const checkRef = uniqueNames(report, {
    code: 'findagent.duplicate-slot',
    member: 'ref',
    hint: 'give each slot its own ref',
  });
  const canReach = reachableHosts(manifest);
  for (const [index, slot] of objectsOf(manifest.credential_slots)) {
    const path = ['credential_slots', index];
    checkHosts(report, slot.allowed_hosts, [...path, 'allowed_hosts']);
    const ref = stringOf(slot.ref);
    if (ref !== undefined) checkRef(path, ref);
    checkScheme(report, slot, path);
    checkUse(report, manifest, slot, path, canReach);
  }
  checkEnvironment(report, manifest);
}

function checkHosts(report: FindagentReport, hosts: Json | undefined, path: JsonPath): void {
  for (const [index, host] of listOf(hosts).entries()) {
    if (typeof host !== 'string') continue;
    const problem = hostProblem(host);
    if (problem === null) continue;
    report.at(problem.code, [...path, index], problem.message, { hint: problem.hint });
  }
}

function checkScheme(report: FindagentReport, slot: JsonObject, path: JsonPath): void {
  const fields = ['auth_scheme', 'header_name', 'prefix'].filter((it) => slot[it] !== undefined);
  const first = fields[0];
  if (first === undefined) return;
  const foreign = slot.auth_scheme === 'header' ? undefined : fields.find((it) => it !== 'auth_scheme');
  if (foreign === undefined) {
    const message = `${fields.map((it) => `"${it}"`).join(', ')} of ${pathName(path)}: not in the published format; this host supports it`;
    report.at('findagent.extension-field', [...path, first], message, { spot: 'key' });
    return;
  }
  const scheme = stringOf(slot.auth_scheme) ?? 'bearer';
  report.at(
    'findagent.slot-scheme',
    [...path, foreign],
    `"${foreign}" has no effect with auth_scheme "${scheme}"`,
    {
      hint: 'write "auth_scheme": "header", or remove it',
      spot: 'key',
    },
  );
}

function checkUse(
  report: FindagentReport,
  manifest: JsonObject,
  slot: JsonObject,
  path: JsonPath,
  canReach: CanReach,
): void {
  const used = usedByRequest(manifest, slot);
  if (codeMode(manifest) === 'none') {
    if (slot.env !== undefined || typeof slot.ref !== 'string' || used) return;
    report.at(
      'findagent.slot-unused',
      [...path, 'ref'],
      `the credential ${show(slot.ref)} is not used by any action`,
      {
        hint: 'name it in auth_ref of an action, or remove the slot',
      },
    );
    return;
  }
  if (used) return;
  for (const [index, host] of listOf(slot.allowed_hosts).entries()) {
    if (typeof host !== 'string' || hostProblem(host) !== null || canReach(host)) continue;
    const message = `the code may send ${show(slot.ref)} to ${show(host)}, but cannot reach that host`;
    report.at('findagent.slot-host-unreachable', [...path, 'allowed_hosts', index], message, {
      hint: `add ${show(host)} to the top-level allowed_hosts`,
    });
  }
}

type CanReach = (host: string) => boolean;

/** Tells whether the code can reach a host: an allowed name, or a subdomain or parent of one. */
function reachableHosts(manifest: JsonObject): CanReach {
  const names = listOf(manifest.allowed_hosts).flatMap((it) =>
    typeof it === 'string' ? normalizeHost(it) : [],
  );
  const exact = new Set(names);
  const parents = new Set(names.flatMap(withParents));
  return (host) =>
    parents.has(normalizeHost(host)) || withParents(normalizeHost(host)).some((it) => exact.has(it));
}

/** A name and all its parent domains. */
function withParents(host: string): string[] {
  const labels = host.split('.').slice(-32);
  return labels.map((_, index) => labels.slice(index).join('.'));
}

/** Whether an HTTP action or the remote server uses the credential. */
export function usedByRequest(manifest: JsonObject, slot: JsonObject): boolean {
  if (typeof slot.ref === 'string' && remoteCredential(manifest) === slot.ref) return true;
  return toolEntries(manifest).some(([, tool]) => {
    const action = objectOf(tool.action);
    return action.type === 'http' && action.auth_ref === slot.ref;
  });
}

const secretLikeName =
  /(?:^|_)(?:TOKEN|SECRET|PASSWORD|PASSWD|APIKEY|API_KEY|PRIVATE_KEY|ACCESS_KEY|CREDENTIALS?)(?:_|$)/;

function checkEnvironment(report: FindagentReport, manifest: JsonObject): void {
  const seen = new Map<string, string>();
  const checkVariable = (name: Json | undefined, path: JsonPath) => {
    if (typeof name !== 'string') return;
    if (isReservedVariable(name)) {
      report.at(
        'findagent.env-reserved',
        path,
        `${show(name)} controls how programs start, so a manifest cannot set it`,
        {
          hint: 'choose another name',
        },
      );
    }
    const earlier = seen.get(name);
    if (earlier !== undefined) {
      report.at('findagent.env-twice', path, `the variable ${show(name)} is already used by ${earlier}`, {
        hint: 'choose another name',
      });
    }
    seen.set(name, pathName(path.slice(0, -1)));
  };
  for (const [index, slot] of objectsOf(manifest.credential_slots)) {
    checkVariable(slot.env, ['credential_slots', index, 'env']);
  }
  if (codeMode(manifest) === 'none') return;
  for (const [index, entry] of objectsOf(manifest.env)) {
    const path = ['env', index, 'name'];
    checkVariable(entry.name, path);
    if (typeof entry.name === 'string' && secretLikeName.test(entry.name)) {
      report.at(
        'findagent.env-looks-secret',
        path,
        `${show(entry.name)} looks like a secret, but "env" values are not protected`,
        {
          hint: 'declare it in credential_slots with the hosts that may receive it',
        },
      );
    }
  }
}
