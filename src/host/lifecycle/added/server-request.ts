import type { CancelSignal } from '../../../model/cancel-signal.js';
import type { ChangeProgress } from '../../../model/change.js';
import type { Actor } from '../../operator/operator-auth.js';

/** A plain MCP server to add: a command line as clients configure it, or a URL. */
export interface ServerRequest {
  /** Id of the new package. */
  readonly name: string;
  readonly command?: readonly string[] | undefined;
  readonly url?: string | undefined;
  readonly headers?: Readonly<Record<string, string>> | undefined;
  /** Variables with their values. What looks like a secret is sealed. */
  readonly env?: Readonly<Record<string, string>> | undefined;
  /** Variables whose values are given later. */
  readonly ask?: readonly string[] | undefined;
  /** Names of values that are secrets, or that are not, whatever they look like. */
  readonly secrets?: readonly string[] | undefined;
  readonly settings?: readonly string[] | undefined;
  /** Words of the command that contain a secret. Each is sealed whole; one that cannot be sealed is refused. */
  readonly secretArguments?: readonly string[] | undefined;
  /** Hosts and folders that it may use, in the syntax of `--allow`. */
  readonly allow?: readonly string[] | undefined;
  /** npm packages whose install scripts run. */
  readonly scripts?: readonly string[] | undefined;
  readonly signal?: CancelSignal | undefined;
}

/** A server as a source that can be planned and installed. */
export interface ServerDraft {
  /** A source for `plan`. It contains no secret. */
  readonly source: string;
  /** Values that were found in the request; for `install`. */
  readonly values: Readonly<Record<string, string>>;
  /** Which of them are secrets. */
  readonly secrets: readonly string[];
  /** Folders in its arguments that it cannot see yet, in the syntax of `--allow`. */
  readonly offered: readonly string[];
  readonly notes: readonly string[];
}

/** One start of a server, without network and without folders of the user. */
export interface ServerTrialRequest extends ServerRequest {
  /** Values that it may need to start. They are not stored, and cannot leave the machine. */
  readonly values?: Readonly<Record<string, string>> | undefined;
  readonly by: Actor;
  readonly onProgress?: ((progress: ChangeProgress) => void) | undefined;
}

/** What one start of a server showed. */
export interface ServerTrial {
  /** `skipped`: it does not run on this machine. */
  readonly status: 'started' | 'failed' | 'skipped';
  readonly tools: readonly { readonly name: string; readonly description: string }[];
  /** Hosts of the public internet that it tried to reach, in the syntax of `--allow`. */
  readonly hosts: readonly string[];
  /** Other hosts that it tried to reach, `HOST` or `HOST:PORT`: this machine, addresses, names of a local network. */
  readonly otherHosts: readonly string[];
  /** npm packages whose install scripts were not run. */
  readonly scripts: readonly string[];
  /** Why it did not start. */
  readonly failure?: string;
}
