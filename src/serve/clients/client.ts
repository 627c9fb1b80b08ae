import type { JsonObject } from '../../model/json.js';

/** Whose configuration: everything this person opens, or one project. */
export type Scope = 'user' | 'project';

/** The machine that a client keeps its files on. */
export interface Machine {
  readonly platform: NodeJS.Platform;
  /** Absolute. */
  readonly home: string;
  /** The folder that is the project. */
  readonly project: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

/** How a client reaches Toolwharf. */
export type Road =
  | { readonly kind: 'stdio'; readonly command: string; readonly args: readonly string[] }
  | {
      readonly kind: 'http';
      readonly url: string;
      /** The value of the Authorization header. */
      readonly authorization: string;
    };

/** A client that keeps its servers in a JSON file. */
export interface Client {
  readonly name: ClientName;
  readonly title: string;
  /** The first one is taken unless another is named. */
  readonly scopes: readonly Scope[];
  /** The member of the file that holds the servers. */
  readonly container: 'mcpServers' | 'servers';
  /** Whether it starts servers in the folder that is open; others start them anywhere. */
  readonly startsInProject: boolean;
  readonly http: boolean;
  /** Absolute. */
  file(scope: Scope, machine: Machine): string;
  /** One server, in the words of this client. */
  entry(road: Road): JsonObject;
  /** How a text of its file says the value of a variable. */
  variable(name: string): string;
  /** What a person does next, so that the client sees the change. */
  readonly next: string;
}

export const clientNames = [
  'claude-desktop',
  'claude-code',
  'cursor',
  'vscode',
  'gemini-cli',
  'windsurf',
] as const;

export type ClientName = (typeof clientNames)[number];
