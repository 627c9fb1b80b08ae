import type { HttpClient } from '../net/client.js';
import type { Supervision } from '../run/upstream/supervised.js';
import type { Sandbox } from '../sandbox/sandbox.js';
import type { Keychain } from '../secrets/keychain.js';
import type { Answer, AuditPlaces } from './host.js';

export interface HostOptions {
  /** Folder of the host's own database; made when absent. One host at a time uses it. */
  readonly state: string;
  /** Names the code that reads manifests: what it made of them is kept for the next start of the same code. Else it is not. */
  readonly build?: string;
  readonly agentVersion?: string;
  readonly reservedIds?: readonly string[];
  /** Told of every answer, for a log. */
  readonly onAnswer?: (answer: Answer, principal: string) => void;
  /** Told of bugs; their details go nowhere else. */
  readonly onBug?: (error: unknown) => void;
  readonly now?: () => number;
  /** Milliseconds that never go back, whatever happens to the clock; limits are measured by it too. */
  readonly ticks?: () => number;
  readonly sandbox?: Sandbox;
  readonly client?: HttpClient;
  /** Waits before further tries to tell of a held call; 1, 5 and 25 seconds unless told. */
  readonly noticeDelaysMs?: readonly number[];
  /** Start sandboxes ahead for tools that were just called; of use to a host that lives longer than one call. */
  readonly warm?: boolean;
  /** Follow edits of the folders that sessions name. */
  readonly watch?: boolean;
  /** Told of packages that were read again, a sentence each. */
  readonly onReload?: (lines: readonly string[]) => void;
  /** Told what extensions and servers print beside their protocol. */
  readonly onLog?: (packageId: string, line: string) => void;
  /** How patient the host is with programs that end or do not answer. */
  readonly supervision?: Partial<Supervision>;
  /** Where the checkpoints of the record and the key that signs them are kept; in the state directory unless told. */
  readonly audit?: AuditPlaces;
  /** Protects the values of secrets instead of a key file. */
  readonly passphrase?: string;
  /** Where the operating system keeps keys; the system's own unless told, null for none. */
  readonly keychain?: Keychain | null;
}
