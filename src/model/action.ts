import type { JsonObject, JsonSchema } from './json.js';
import type { JsonTemplate, Template } from './template.js';

/** How the answer of a process or request is read. */
export interface OutputReader {
  /**
   * `line`: exactly one line of JSON. `records`: one JSON value per line, each checked on its own.
   * `auto`: JSON where the answer's content type says so, else text.
   */
  readonly format: 'auto' | 'json' | 'line' | 'text' | 'binary' | 'records' | 'none';
  /** A failure comes as `{"error":{"code","message","details"?}}`. */
  readonly errorEnvelope: boolean;
}

export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** Scheme, host and port are constant: no input can change where a request goes. */
export interface UrlTemplate {
  readonly origin: string;
  readonly path: Template;
  readonly query: readonly QueryParameter[];
}

export interface QueryParameter {
  readonly name: string;
  readonly value: Template;
}

export interface HeaderTemplate {
  readonly name: string;
  readonly value: Template;
}

export type HttpBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly body: JsonTemplate }
  | { readonly kind: 'text'; readonly body: Template }
  /** `application/x-www-form-urlencoded`; each value is encoded, so that none can add a field. */
  | { readonly kind: 'form'; readonly fields: readonly QueryParameter[] }
  /** The validated input as JSON, less the members (each a path) used up elsewhere in the request. */
  | { readonly kind: 'input'; readonly except: readonly (readonly string[])[] };

/** How an exported function is called. */
export type CallingConvention =
  /** `fn(args, { config, dataDir })` for a named export, `handlers.fn(args, credentials)` for a table. */
  | 'arguments-context'
  /** `handler({ tool, input })`. */
  | 'envelope';

export type Action =
  | {
      readonly kind: 'exec';
      readonly program: string;
      /** Appended to the program's command. */
      readonly arguments: readonly Template[];
      readonly stdin: 'none' | 'json';
      /** The format makes sure that the program does nothing before it has read its input. */
      readonly waits?: boolean;
      readonly output: OutputReader;
    }
  | {
      readonly kind: 'function';
      readonly program: string;
      readonly export: string;
      readonly convention: CallingConvention;
    }
  | {
      readonly kind: 'http';
      readonly method: HttpMethod;
      readonly url: UrlTemplate;
      readonly headers: readonly HeaderTemplate[];
      readonly body: HttpBody;
      /** The slot whose value authenticates the request. */
      readonly credential?: string;
      readonly output: OutputReader;
    }
  | { readonly kind: 'prompt'; readonly template: Template }
  | { readonly kind: 'compose'; readonly package: string; readonly tool: string }
  | { readonly kind: 'upstream'; readonly program: string; readonly tool: string };

/** What a program said of a tool when it started. */
export interface AnnouncedTool {
  readonly name: string;
  readonly description?: string;
  readonly title?: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** Hints as MCP spells them; they never loosen anything. */
  readonly annotations?: JsonObject;
  /** Members for clients that this host passes on. */
  readonly meta?: JsonObject;
}
