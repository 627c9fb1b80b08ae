import type { JsonObject, JsonSchema } from './json.js';
import type { JsonTemplate, Template } from './template.js';

/** How the host parses the output of a process or the body of an HTTP response. */
export interface OutputReader {
  /**
   * `line`: exactly one line of JSON. `records`: one JSON value per line, each validated separately.
   * `auto`: JSON if the response's content type says so, else text.
   */
  readonly format: 'auto' | 'json' | 'line' | 'text' | 'binary' | 'records' | 'none';
  /** True: a failure is reported as `{"error":{"code","message","details"?}}`. */
  readonly errorEnvelope: boolean;
}

/** The HTTP methods that an action can use. */
export type HttpMethod = 'GET' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';

/** A URL with placeholders. Scheme, host and port are constant, so no input can change the destination. */
export interface UrlTemplate {
  readonly origin: string;
  readonly path: Template;
  readonly query: readonly QueryParameter[];
}

/** One name and value of a query string or of a form. */
export interface QueryParameter {
  readonly name: string;
  readonly value: Template;
}

/** One HTTP header whose value may have placeholders. */
export interface HeaderTemplate {
  readonly name: string;
  readonly value: Template;
}

/** How the body of an HTTP request is built. */
export type HttpBody =
  | { readonly kind: 'none' }
  | { readonly kind: 'json'; readonly body: JsonTemplate }
  | { readonly kind: 'text'; readonly body: Template }
  /** `application/x-www-form-urlencoded`. Each value is encoded, so no value can add a field. */
  | { readonly kind: 'form'; readonly fields: readonly QueryParameter[] }
  /** The validated input as JSON, without the members (each a path) that the URL or the headers already use. */
  | { readonly kind: 'input'; readonly except: readonly (readonly string[])[] };

/** How an exported function is called. */
export type CallingConvention =
  /** A named export is called as `fn(args, { config, dataDir })`, a table as `handlers.fn(args, credentials)`. */
  | 'arguments-context'
  /** `handler({ tool, input })`. */
  | 'envelope';

/** What a call of a tool does. */
export type Action =
  | {
      readonly kind: 'exec';
      readonly program: string;
      /** Appended to the program's command. */
      readonly arguments: readonly Template[];
      readonly stdin: 'none' | 'json';
      /** True: the format guarantees that the program does nothing before it has read its input. */
      readonly waitsForInput?: boolean;
      readonly output: OutputReader;
    }
  | {
      readonly kind: 'function';
      readonly program: string;
      readonly export: string;
      readonly convention: CallingConvention;
      /**
       * Exports that a new process calls in this order before its first call, if they exist. `init` gets a logger, every
       * other one gets the values of the slots and a logger.
       */
      readonly startWith?: readonly string[];
    }
  | {
      readonly kind: 'http';
      readonly method: HttpMethod;
      readonly url: UrlTemplate;
      readonly headers: readonly HeaderTemplate[];
      readonly body: HttpBody;
      /** Name of the slot whose value authenticates the request. */
      readonly credential?: string;
      readonly output: OutputReader;
    }
  | { readonly kind: 'prompt'; readonly template: Template }
  | { readonly kind: 'compose'; readonly package: string; readonly tool: string }
  | { readonly kind: 'upstream'; readonly program: string; readonly tool: string };

/** A tool as a program described it when it started. */
export interface AnnouncedTool {
  readonly name: string;
  readonly description?: string;
  readonly title?: string;
  readonly input?: JsonSchema;
  readonly output?: JsonSchema;
  /** Hints with the member names of MCP. A hint never relaxes a check. */
  readonly annotations?: JsonObject;
  /** Images for clients, as MCP has them. */
  readonly icons?: readonly JsonObject[];
  /** How MCP clients may run it, such as `taskSupport`. */
  readonly execution?: JsonObject;
  /** Members for clients that the host passes on. */
  readonly meta?: JsonObject;
}
