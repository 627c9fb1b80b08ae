import { sha256 } from '../../files/sha256.js';
import type {
  ChangeProgress,
  InstalledPackage,
  Operator,
  Plan,
  RemoteSession,
  ServerDraft,
  ServerRequest,
  ServerTrial,
} from '../../host/host.js';
import type { CancelSignal } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import { isLoopbackHost } from '../../model/host-name.js';
import { canonicalJson } from '../../model/json.js';
import { freePackageName, sameServer } from './package-name.js';

/** An entry of the file whose server can be installed. */
export interface ImportableEntry {
  readonly entry: string;
  readonly request: Omit<ServerRequest, 'name'>;
  readonly folders: readonly string[];
  readonly notes: readonly string[];
}

/** An entry that stays in the file. */
export interface OutsideEntry {
  readonly entry: string;
  readonly reason: string;
  /** Whether the client uses it, around the host. */
  readonly isUsed: boolean;
}

/** One server of an import. */
export interface PlannedServer {
  readonly entry: string;
  /** Id of its package. */
  readonly package: string;
  readonly notes: readonly string[];
  /** Names of the values that are sealed. */
  readonly secrets: readonly string[];
  /** What it may use besides what its plan asks for, in the syntax of `--allow`. */
  readonly allow: readonly string[];
  /** What it would use, and does not get. */
  readonly notGranted: readonly string[];
  readonly trial?: ServerTrial | undefined;
  /** Absent: it is installed already, and stays as it is. */
  readonly installs?: { readonly plan: Plan; readonly draft: ServerDraft; readonly request: ServerRequest };
  /** What it would use, whether it gets it or not. */
  readonly wanted: readonly string[];
}

export interface PlannedImport {
  readonly servers: readonly PlannedServer[];
  readonly outside: readonly OutsideEntry[];
  /** What somebody agrees to. */
  readonly digest: string;
}

export interface PlanningOptions {
  readonly file: string;
  /** The workspace in which our entry serves packages: an absolute path. */
  readonly root: string;
  readonly installations: RemoteSession['installations'];
  readonly signal: CancelSignal;
  /** What the operator allows to the server of an entry. */
  allowFor(entry: string): readonly string[];
  /** Package names that the operator chose, by entry. */
  readonly names: ReadonlyMap<string, string>;
  /** npm packages whose install scripts run. */
  readonly scripts: readonly string[];
  /** Names of values that are not secrets. */
  readonly settings: readonly string[];
  /** Also plan with what each server would use, for a person who sees it. */
  readonly grantsWanted: boolean;
  /** Starts each server once. Absent: no server is started. */
  readonly trialBy?: Operator | undefined;
  /** Called before each server. */
  onServer(entry: string, number: number): void;
  readonly onProgress?: ((progress: ChangeProgress) => void) | undefined;
}

/** Plans all servers. One that cannot be planned stays in the file, with the reason. */
export async function planImport(
  entries: readonly ImportableEntry[],
  options: PlanningOptions,
): Promise<PlannedImport> {
  const installed = await options.installations.list();
  const servers: PlannedServer[] = [];
  const outside: OutsideEntry[] = [];
  for (const [index, it] of entries.entries()) {
    options.onServer(it.entry, index + 1);
    try {
      servers.push(await plannedServer(it, installed, servers, options));
    } catch (error) {
      if (!(error instanceof HostError) || stopsAll(error)) throw error;
      outside.push({ entry: it.entry, reason: reasonOf(error), isUsed: true });
    }
  }
  return { servers, outside, digest: digestOf(options.file, servers) };
}

/** The same servers with other grants. `null` leaves one out. */
export async function replanned(
  plan: PlannedImport,
  chosen: ReadonlyMap<string, readonly string[] | null>,
  options: PlanningOptions,
): Promise<PlannedImport> {
  const servers: PlannedServer[] = [];
  const outside = [...plan.outside];
  for (const it of plan.servers) {
    const allow = chosen.get(it.entry);
    if (allow === null) outside.push({ entry: it.entry, reason: 'you left it out', isUsed: true });
    else if (allow === undefined || it.installs === undefined) servers.push(it);
    else servers.push(await withGrants(it, it.installs.request, allow, options));
  }
  return { servers, outside, digest: digestOf(options.file, servers) };
}

async function plannedServer(
  { entry, request, folders, notes }: ImportableEntry,
  installed: readonly InstalledPackage[],
  earlier: readonly PlannedServer[],
  options: PlanningOptions,
): Promise<PlannedServer> {
  const { installations, signal, scripts, settings } = options;
  const taken = new Set([
    'toolwharf',
    ...installed.map((it) => it.package),
    ...earlier.map((it) => it.package),
  ]);
  const chosen = options.names.get(entry);
  const wantedName = chosen ?? freePackageName(entry, new Set());
  const plain = await installations.draftServer({ ...request, settings, scripts, name: wantedName, signal });
  const same = installed.find(
    (it) =>
      it.state === 'active' &&
      // One that is only served elsewhere would be missing in the client.
      (it.roots === null || it.roots.includes(options.root)) &&
      sameServer(it.source, plain.source) &&
      (plain.secrets.length === 0 || isNamedLike(it.package, wantedName)) &&
      !earlier.some((other) => other.package === it.package),
  );
  if (same !== undefined && (chosen === undefined || chosen === same.package))
    return {
      ...{ entry, package: same.package, secrets: [], allow: [], notGranted: [], wanted: [] },
      notes: [
        ...notes,
        `${same.package} is installed already and stays as it is`,
        ...(plain.secrets.length === 0
          ? []
          : [
              `its stored ${plain.secrets.join(', ')} is used, not the one in this file; --as ${entry}=NAME installs it again`,
            ]),
      ],
    };
  if (chosen !== undefined && taken.has(chosen))
    throw new HostError('usage', `another package is named ${chosen}`, { hint: 'choose another name' });
  const name = chosen ?? freePackageName(entry, taken);
  const named: ServerRequest = { ...request, settings, scripts, name, signal };
  const allow = options.allowFor(entry);
  const trial =
    options.trialBy === undefined
      ? undefined
      : await installations.tryServer({
          ...named,
          allow,
          by: options.trialBy,
          onProgress: options.onProgress,
        });
  const { offered } = await installations.draftServer({ ...named, allow });
  const local = localAddress(request.url);
  const wanted = [...new Set([...offered, ...folders, ...(trial?.hosts ?? []), ...local])].filter(
    (it) => !allow.includes(it) && !allow.includes(it.replace(/^read:/, 'write:')),
  );
  const base: PlannedServer = {
    ...{ entry, package: name, secrets: [], allow, notGranted: [], trial },
    wanted: [...allow, ...wanted],
    notes: [...notes, ...(name === wantedName ? [] : [`another package is named ${wantedName}`])],
  };
  return withGrants(base, named, options.grantsWanted ? [...allow, ...wanted] : allow, options);
}

async function withGrants(
  server: PlannedServer,
  request: ServerRequest,
  allow: readonly string[],
  { installations, signal }: PlanningOptions,
): Promise<PlannedServer> {
  const draft = await installations.draftServer({ ...request, allow });
  const plan = await installations.plan({ source: draft.source, allow, signal });
  if (plan.blockers.length > 0)
    throw new HostError('runtime_missing', `it cannot run here: ${plan.blockers.join('; ')}`);
  const has = (it: string) => allow.includes(it) || allow.includes(it.replace(/^read:/, 'write:'));
  return {
    ...server,
    ...{ allow, secrets: draft.secrets, installs: { plan, draft, request } },
    notGranted: server.wanted.filter((it) => !has(it)),
    notes: [...new Set([...server.notes, ...draft.notes])],
  };
}

/** A server at a port of this machine needs a grant for it. */
function localAddress(url: string | undefined): string[] {
  if (url === undefined || !URL.canParse(url)) return [];
  const { hostname, host, port } = new URL(url);
  return isLoopbackHost(hostname) && port !== '' ? [`net:${host}`] : [];
}

/** `notes-2` is like `notes`. */
function isNamedLike(id: string, wanted: string): boolean {
  return id === wanted || (id.startsWith(`${wanted}-`) && /^\d+$/.test(id.slice(wanted.length + 1)));
}

function stopsAll({ code }: HostError): boolean {
  return ['canceled', 'pin_required', 'closed', 'host_unreachable', 'state_unusable', 'internal'].includes(
    code,
  );
}

export function reasonOf({ message, hint }: HostError): string {
  return hint === undefined ? message : `${message} (${hint})`;
}

function digestOf(file: string, servers: readonly PlannedServer[]): string {
  const about = servers.map((it) => ({
    ...{ entry: it.entry, package: it.package, plan: it.installs?.plan.digest ?? null },
  }));
  return sha256(canonicalJson({ file, servers: about }));
}
