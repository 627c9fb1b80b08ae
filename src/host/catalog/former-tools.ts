import { HostError } from '../../model/host-error.js';
import type { InstallationIndex } from '../packages/installation-index.js';
import type { SessionTool } from './session-tool.js';

/** Tools that a session had before, so that a caller who still knows a name learns why it is gone. */
export class FormerTools {
  /** Package ids by exposed name. */
  readonly #packages = new Map<string, string>();

  remember(tools: readonly SessionTool[]): void {
    for (const it of tools) this.#packages.set(it.exposed, it.package.id);
  }

  /** Throws if the package of an unknown tool was revoked. */
  async assertNotRevoked(
    name: string,
    installations: Pick<InstallationIndex, 'revocationOf'>,
  ): Promise<void> {
    const id = this.#packages.get(name) ?? name.split('/', 1)[0] ?? name;
    const revoked = await installations.revocationOf(id);
    if (revoked === undefined) return;
    throw new HostError('disabled', `${name} cannot be called: ${revoked}`, {
      hint: 'only an operator can install it again',
    });
  }
}
