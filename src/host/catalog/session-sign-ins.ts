import { HostError } from '../../model/host-error.js';
import type { OperatorAuth } from '../operator/operator-auth.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import { passedEnvironment } from '../sandboxing/passed-environment.js';
import { onlyLooks, type SessionSetup } from '../session-setup.js';
import type { HostSignIns } from '../upstream/host-sign-ins.js';
import type { RequestedSignIns } from '../upstream/requested-sign-ins.js';
import type { ServerSignIns } from '../upstream/server-sign-ins.js';
import { type SignInServer, signInPrograms } from '../upstream/sign-in-server.js';
import type { SessionCatalog } from './session-catalog.js';
import { findPackage } from './tool-lookup.js';

interface SessionSignInContext {
  readonly setup: SessionSetup;
  readonly operatorAuth: OperatorAuth;
  readonly signIns: HostSignIns;
  readonly catalog: Pick<SessionCatalog, 'packages' | 'report'>;
}

/** Nobody signs in for a package in these states: it would not be used, or nobody agreed to its address. */
const unusable: ReadonlySet<string> = new Set(['broken', 'needs-review', 'disabled', 'killed']);

/** The sign-ins of one session: its packages say which servers there are, and its grants what may be reached. */
export function sessionSignIns({
  setup,
  catalog,
  operatorAuth,
  signIns,
}: SessionSignInContext): ServerSignIns {
  const serverOf = async (id: string, program: string | undefined): Promise<SignInServer> => {
    if (setup.intent !== 'use') throw onlyLooks('sign in');
    const checked = findPackage(catalog.packages, id);
    const { state, reasons } = (await catalog.report()).packages.find((it) => it.id === id) ?? {
      state: 'broken',
      reasons: [],
    };
    if (unusable.has(state))
      throw new HostError(
        state === 'needs-review' ? 'needs_review' : 'unavailable',
        `nobody can sign in to ${id} now: ${[state, ...reasons].join('; ')}`,
      );
    await signIns.requested.load();
    const server = programToSignIn(checked, program, signIns.requested);
    return { ...server, environment: passedEnvironment(setup, id) };
  };
  return {
    list: () => signIns.list(),
    check: async (request) => signIns.flow.check(await serverOf(request.package, request.program), request),
    async begin(request) {
      const who = await operatorAuth.verify(request.by, 'sign in');
      const server = await serverOf(request.package, request.program);
      return signIns.flow.begin(server, request, who, setup.policy);
    },
    finish: (request) => signIns.flow.finish(request),
    async signOut({ package: id, program, by, signal }) {
      const who = await operatorAuth.verify(by, 'sign out');
      return signIns.signOut(
        { package: id, program, environment: passedEnvironment(setup, id), signal },
        who,
      );
    },
  };
}

/** The server that a person signs in to. */
function programToSignIn(
  { loaded: { catalog } }: CheckedPackage,
  wanted: string | undefined,
  requested: RequestedSignIns,
): Omit<SignInServer, 'environment'> {
  const pkg = catalog?.package;
  if (pkg === undefined) throw new Error('a broken package has no servers');
  const all = signInPrograms(pkg).map(({ name, url }) => ({ package: pkg.id, program: name, url }));
  if (all.length === 0)
    throw new HostError('not_supported', `${pkg.id} has no server to sign in to`, {
      hint: 'only MCP servers by URL without a credential in the manifest can ask for a sign-in',
    });
  const asking = all.filter((it) => requested.get(it) !== undefined);
  const [only, ...more] =
    wanted !== undefined ? all.filter((it) => it.program === wanted) : asking.length === 1 ? asking : all;
  if (only !== undefined && more.length === 0) return only;
  throw new HostError(
    'usage',
    only === undefined
      ? `${pkg.id} has no server ${JSON.stringify(wanted)}`
      : `${pkg.id} has several servers`,
    { hint: `name one: ${all.map((it) => `--program ${it.program}`).join(' or ')}` },
  );
}
