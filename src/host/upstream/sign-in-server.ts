import type { Package } from '../../model/package.js';
import { upstreamPrograms } from '../../model/package.js';
import type { Program } from '../../model/program.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { NetworkReach } from '../../net/destination.js';
import { hasOwnAuthorization } from '../../run/mcp/http-authorization.js';
import type { CheckedPackage } from '../packages/checked-package.js';
import type { PassedEnvironment } from '../sandboxing/passed-environment.js';

/** A server of a package that people may sign in to. */
export interface SignInServer {
  readonly package: string;
  /** Name of the program. */
  readonly program: string;
  readonly url: string;
  /** What the operator granted to the package. */
  readonly environment: PassedEnvironment;
}

/** The programs of a package that people may sign in to: MCP servers by URL without a credential in the manifest. */
export function signInPrograms(pkg: Package): readonly (Program & { readonly url: string })[] {
  return upstreamPrograms(pkg).flatMap((program) => {
    const { target, protocol } = program;
    const isServer = protocol === 'mcp' && target.kind === 'url' && !hasOwnAuthorization(target);
    return isServer ? [{ ...program, url: target.url }] : [];
  });
}

/** What a person types to sign in to the server of a package. */
export function signInCommandFor({ loaded: { catalog, file, installed } }: CheckedPackage): string {
  const where = installed === undefined ? ` --dir ${shellQuote(file)}` : '';
  return `toolwharf sign-in ${shellQuote(catalog?.package.id ?? '')}${where}`;
}

/** Why somebody must sign in to servers of a package, with the next step. Empty: nobody must. */
export function neededSignIns(
  checked: CheckedPackage,
  requested: { get(server: Pick<SignInServer, 'package' | 'program' | 'url'>): unknown },
): readonly string[] {
  const pkg = checked.loaded.catalog?.package;
  if (pkg === undefined) return [];
  return signInPrograms(pkg)
    .filter(({ name, url }) => requested.get({ package: pkg.id, program: name, url }) !== undefined)
    .map(
      ({ url }) =>
        `its server ${new URL(url).host} asks for a sign-in. Sign in: ${signInCommandFor(checked)}`,
    );
}

/** Requests to these places only, as `host:port`, under the operator's grants and denials. */
export function reachOfPlaces(
  places: readonly string[],
  { network: granted, denied, certificates }: PassedEnvironment,
): NetworkReach {
  const hosts = places.map((it) => {
    const colon = it.lastIndexOf(':');
    return { host: it.slice(0, colon).replace(/^\[|\]$/g, ''), port: Number(it.slice(colon + 1)) };
  });
  return { hosts, granted, denied, ...(certificates === undefined ? {} : { certificates }) };
}
