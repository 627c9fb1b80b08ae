import type { SignInRequestRows } from '../../store/sign-in-requests.js';
import type { VerifiedActor } from '../operator/operator-auth.js';
import { AccessTokenSource } from './access-token-source.js';
import { RequestedSignIns } from './requested-sign-ins.js';
import type { ServerSignIn, SignOutResult } from './server-sign-ins.js';
import { SignInFlow, type SignInFlowServices, signInOf } from './sign-in-flow.js';
import { SignInStore } from './sign-in-store.js';
import { type SignOut, signOutOf } from './sign-out.js';

export interface HostSignInOptions extends Omit<SignInFlowServices, 'store' | 'requested'> {
  readonly rows: SignInRequestRows;
}

/** The sign-ins of one host, shared by its sessions. */
export class HostSignIns {
  readonly requested: RequestedSignIns;
  readonly accessTokens: AccessTokenSource;
  readonly flow: SignInFlow;
  readonly #services: SignInFlowServices;

  constructor({ rows, ...options }: HostSignInOptions) {
    this.requested = new RequestedSignIns(rows);
    this.#services = { ...options, store: new SignInStore(options.vault), requested: this.requested };
    this.accessTokens = new AccessTokenSource(this.#services);
    this.flow = new SignInFlow(this.#services);
  }

  async list(): Promise<readonly ServerSignIn[]> {
    const stored = await this.#services.store.list();
    return stored.map(({ package: packageId, program, record }) => signInOf(packageId, program, record));
  }

  /** Signs out of the servers of a package that stays. */
  async signOut(request: Omit<SignOut, 'staysHere'>, who: VerifiedActor): Promise<SignOutResult> {
    const { audit, onChanged } = this.#services;
    const { package: packageId, program = 'all' } = request;
    const body = { operation: 'sign out', package: packageId, program, ...who };
    await audit.append({ kind: 'operator', body });
    const result = await signOutOf({ ...request, staysHere: true }, this.#services);
    if (result.programs.length > 0) await onChanged(packageId, 'somebody signed out');
    return result;
  }

  /** Signs out of the servers of a package that goes away. */
  forget(request: Omit<SignOut, 'staysHere'>): Promise<SignOutResult> {
    return signOutOf({ ...request, staysHere: false }, this.#services);
  }
}
