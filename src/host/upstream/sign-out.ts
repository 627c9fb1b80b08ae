import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { asHostError } from '../../model/host-error.js';
import type { HttpClient } from '../../net/http-client.js';
import { revokeToken } from '../../run/oauth/token-endpoint.js';
import type { SignInRecord } from '../../secrets/sign-in-record.js';
import type { PassedEnvironment } from '../sandboxing/passed-environment.js';
import { tokenClientOf } from './access-token-source.js';
import type { RequestedSignIns } from './requested-sign-ins.js';
import type { SignOutResult } from './server-sign-ins.js';
import { reachOfPlaces } from './sign-in-server.js';
import type { SignInStore } from './sign-in-store.js';

export interface SignOutServices {
  readonly store: SignInStore;
  readonly requested: RequestedSignIns;
  readonly client: HttpClient;
}

export interface SignOut {
  readonly package: string;
  /** Undefined: all. */
  readonly program?: string | undefined;
  readonly environment: PassedEnvironment;
  /** Whether the package stays: then its status says that it needs a sign-in. */
  readonly staysHere: boolean;
  readonly signal?: CancelSignal | undefined;
}

/** Revokes the tokens of a package's sign-ins at their servers, then erases them, even if that failed. */
export async function signOutOf(
  { package: packageId, program: only, environment, staysHere, signal = neverCanceled }: SignOut,
  { store, requested, client }: SignOutServices,
): Promise<SignOutResult> {
  const left: string[] = [];
  const programs = (await store.programs(packageId)).filter((it) => only === undefined || it === only);
  for (const program of programs) {
    const { record, problem } = await store.exclusively(packageId, program, async () => {
      // A sign-in that cannot be read any more cannot be revoked either, but it can be erased.
      const stored = await store.get(packageId, program).catch(() => undefined);
      const failed = stored === undefined ? undefined : await revoke(stored);
      await store.remove(packageId, program);
      return { record: stored, problem: failed };
    });
    if (staysHere && record !== undefined)
      await requested.add({ package: packageId, program, url: record.url }, undefined);
    else await requested.remove(packageId, program);
    if (problem !== undefined) left.push(problem);
  }
  return { package: packageId, programs, left };

  async function revoke(record: SignInRecord): Promise<string | undefined> {
    const { issuer, revocationEndpoint, refreshToken, accessToken, places } = record;
    const { host } = new URL(issuer);
    const byHand = `withdraw the access in your account at ${host}`;
    if (revocationEndpoint === undefined) return `this host cannot revoke tokens at ${host}: ${byHand}`;
    const access = { client, reach: reachOfPlaces(places, environment), signal };
    const at = tokenClientOf(record, revocationEndpoint);
    try {
      if (refreshToken !== undefined) await revokeToken(refreshToken, 'refresh_token', at, access);
      const revoking = revokeToken(accessToken, 'access_token', at, access);
      // Many servers end access tokens together with their refresh token, and know them no more.
      await (refreshToken === undefined ? revoking : revoking.catch(() => {}));
      return undefined;
    } catch (error) {
      return `the sign-in at ${host} was not revoked: ${asHostError(error).message}; ${byHand}`;
    }
  }
}
