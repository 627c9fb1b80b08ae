import type { BearerChallenge } from '../../run/oauth/bearer-challenge.js';
import type { SignInRequestRow, SignInRequestRows } from '../../store/sign-in-requests.js';
import type { SignInServer } from './sign-in-server.js';

/** Which servers asked for a sign-in that nobody did yet. Stored, because a session that only looks asks no server. */
export class RequestedSignIns {
  readonly #rows: SignInRequestRows;
  /** By package and program. */
  #known: Map<string, SignInRequestRow> | undefined;

  constructor(rows: SignInRequestRows) {
    this.#rows = rows;
  }

  async load(): Promise<void> {
    if (this.#known !== undefined) return;
    const rows = await this.#rows.list();
    this.#known ??= new Map(rows.map((it) => [keyOf(it), it]));
  }

  /** What the server asked for; undefined if it did not, or did at another URL. */
  get(server: Pick<SignInServer, 'package' | 'program' | 'url'>): BearerChallenge | undefined {
    const row = this.#known?.get(keyOf(server));
    if (row === undefined || row.url !== server.url) return undefined;
    return {
      scopes: row.scopes === '' ? [] : row.scopes.split(' '),
      ...(row.resource_metadata === '' ? {} : { resourceMetadata: row.resource_metadata }),
    };
  }

  async add(
    { package: packageId, program, url }: Pick<SignInServer, 'package' | 'program' | 'url'>,
    challenge: BearerChallenge | undefined,
  ): Promise<void> {
    const row: SignInRequestRow = {
      ...{ package: packageId, program, url },
      resource_metadata: challenge?.resourceMetadata ?? '',
      scopes: (challenge?.scopes ?? []).join(' '),
    };
    await this.load();
    const before = this.#known?.get(keyOf(row));
    if (before !== undefined && JSON.stringify(before) === JSON.stringify(row)) return;
    this.#known?.set(keyOf(row), row);
    await this.#rows.put(row);
  }

  async remove(packageId: string, program: string): Promise<void> {
    await this.load();
    if (this.#known?.delete(keyOf({ package: packageId, program })) === true)
      await this.#rows.remove(packageId, program);
  }
}

function keyOf({ package: packageId, program }: Pick<SignInServer, 'package' | 'program'>): string {
  return JSON.stringify([packageId, program]);
}
