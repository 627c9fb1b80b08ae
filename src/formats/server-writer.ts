import type { Json } from '../model/json.js';

/** A plain MCP server without a manifest, as the host understood it. Absent members: it needs none of that. */
export interface PlainServer {
  readonly name: string;
  /** What is fetched: one of these. */
  readonly install?: { readonly npm: string } | { readonly pypi: string } | { readonly image: string };
  readonly command?: string;
  readonly args?: readonly string[];
  readonly url?: string;
  /** `${NAME}` stands for a value. */
  readonly headers?: Readonly<Record<string, string>>;
  /** Whether it starts in its own writable folder. */
  readonly startsInData?: boolean;
  readonly env?: Readonly<Record<string, ServerValue>>;
  /** Values that only arguments and headers use. */
  readonly values?: Readonly<Record<string, ServerValue>>;
  /** Host names, or `public`. */
  readonly network?: readonly string[] | 'public';
  readonly files?: { readonly read?: readonly string[]; readonly write?: readonly string[] };
  /** npm packages whose install scripts run. */
  readonly scripts?: readonly string[];
}

export interface ServerValue {
  readonly [member: string]: Json;
}

/** Writes the manifest of a plain server. */
export type ServerWriter = (server: PlainServer) => string;
