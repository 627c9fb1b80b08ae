import type { JsonObject } from '../../model/json.js';
import { type KnownClient, knownClients } from '../../model/known-clients.js';
import type { SettingsSyntax } from './syntax/settings-syntax.js';

export const configScopes = ['user', 'project', 'local'] as const;

/** Whom the configuration is for: one user, everybody in one project, or one user in one project (`local`). */
export type ConfigScope = (typeof configScopes)[number];

/** The machine on which a client stores its files. */
export interface ClientMachine {
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  /** The project folder. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How a client connects to Toolwharf. */
export type ClientTransport =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'http';
      readonly url: string;
      /** The value of the Authorization header. */
      readonly authorization: string;
    };

/** A client that lists its MCP servers in a file. */
export interface Client extends KnownClient {
  /** `file`: a file that no known client has. */
  readonly name: ClientName | 'file';
  /** The first one is the default. */
  readonly scopes: readonly ConfigScope[];
  readonly syntax: SettingsSyntax;
  /** The path of the member that contains the servers. */
  readonly container: readonly string[];
  /** The same, if one file has the servers of several scopes. Undefined: at `container`. */
  containerIn?(scope: ConfigScope, machine: ClientMachine): readonly string[] | undefined;
  /** Where earlier versions have the servers. Used if the file has servers there. */
  readonly earlierContainer?: readonly string[];
  /** Whether the servers are a list with their names inside. Default: members of an object. */
  readonly isList?: boolean;
  /** The member with a URL of the older SSE transport, if another one has URLs of today's. */
  readonly sseMember?: string;
  /** Members of an entry that Toolwharf writes. All others belong to the person. */
  readonly managed: readonly string[];
  /** Whether it starts servers in the open folder. Others may start them in any folder. */
  readonly startsInProject: boolean;
  /** Absolute path of its configuration file. */
  file(scope: ConfigScope, machine: ClientMachine): string;
  /** One server entry in the format of this client. */
  entry(transport: ClientTransport, name: string): JsonObject;
  /** How its file refers to an environment variable. */
  variable(name: string): string;
}

export type ClientName = keyof typeof knownClients;

export const clientNames = Object.keys(knownClients) as readonly ClientName[];
