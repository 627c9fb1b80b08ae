// Documents about calls, and about the host that runs them.
import { waiverMembers } from '../../host/operations/operator-shapes.js';
import { packageMembers } from '../../host/operations/session-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  exactly,
  json,
  jsonObject,
  nullable,
  number,
  object,
  oneOf,
  optional,
  recordOf,
  text,
  union,
} from '../../host/operations/shape.js';
import { hostErrorCodes } from '../../model/host-error.js';
import { taintModes } from '../../model/taint-setting.js';
import { effects } from '../../model/tool.js';
import { callDocumentShape } from '../print/call-document.js';
import { type JsonDocument, jsonDocument } from './json-document.js';

const origin = jsonObject('Who demands it: kind, and for a file its path and line.');
const sourced = (value: ReturnType<typeof json>) => arrayOf(object({ value, origin }));
const list = arrayOf(anyText());

export const callDocuments = {
  'call@1': { description: 'The answer of a tool.', shape: callDocumentShape } satisfies JsonDocument,
  'policy@1': jsonDocument('policy@1', 'What would happen to a call, and why.', {
    principal: text('Who would call.'),
    tool: text('PACKAGE/TOOL'),
    verdict: oneOf(['allow', 'ask', 'deny', 'limit', 'invalid', 'not-ready']),
    code: optional(oneOf(hostErrorCodes, 'Absent for allow and ask.')),
    because: arrayOf(object({ text: anyText(), origin })),
    evidence: optional(
      arrayOf(jsonObject('What a person would see of the call: kind, text, and at: its JSON Pointer.')),
    ),
    problems: optional(
      arrayOf(object({ pointer: anyText('JSON Pointer in the arguments.'), message: anyText() })),
    ),
    seen: optional(
      arrayOf(
        object({ rule: text(), pointer: anyText('JSON Pointer in the arguments.'), text: anyText() }),
        'Values for which nobody vouched in this session. Absent: the call is not held for them.',
      ),
    ),
    taint: object({
      mode: oneOf(taintModes),
      untrusted: boolean('The session has seen text of others.'),
      inputs: recordOf(text(), 'What each input decides.'),
    }),
    effect: object({ value: oneOf(effects), declared: boolean() }),
    untrustedInputs: arrayOf(text(), 'Inputs that may contain data from untrusted sources.'),
    trusted: boolean('Its answers are trusted by the configuration.'),
    inactive: arrayOf(object({ id: waiverMembers.id, text: waiverMembers.text, origin: nullable(origin) })),
    policy: text("Digest of the operator's policy."),
    permissions: jsonObject('Network, files and grants.'),
    limits: arrayOf(
      object({
        kind: oneOf(['length', 'amount', 'ask_above', 'rate', 'spend']),
        most: number(),
        per: optional(anyText()),
        left: optional(number()),
        origin,
      }),
    ),
    guardrails: object({
      denyPatterns: sourced(json()),
      redact: sourced(json()),
      outputs: sourced(json()),
      guesses: boolean('Whether text in its answers counts as a secret because of its surroundings.'),
      exempt: list,
    }),
    findings: optional(arrayOf(jsonObject('What the scanner finds: path, rule, reason and exempt.'))),
    smoke: optional(jsonObject('How the package tests itself.')),
    cost: optional(jsonObject('What using the package costs.')),
    support: arrayOf(object({ label: text(), value: json() }), 'Where people get help.'),
  }),
  'serve@1': {
    description: 'The first line: how to reach the host.',
    shape: jsonDocument('serve@1', '', {
      mcp: optional(text('URL for MCP clients; absent with --no-http.')),
      api: optional(text('URL of the API.')),
      console: optional(text('A link that signs one browser in to the console, once.')),
      token: optional(text('For people; valid until the host stops.')),
      agentToken: optional(text('It may only list and call tools.')),
      pages: optional(text('What links to the pages of held calls start with.')),
      oidc: optional(object({ issuer: text(), audience: text() })),
      socket: text('Path of the socket for programs of this user.'),
      command: arrayOf(text(), 'Starts an MCP server over stdio.'),
      packages: arrayOf(object(packageMembers)),
    }).shape,
  } satisfies JsonDocument,
  'serve-event@1': {
    description:
      'Each later line: a call, an edited package, a package that an agent asks for or that needs review now.',
    shape: union(
      [
        object({
          event: exactly('call'),
          tool: anyText(),
          status: text(),
          code: optional(oneOf(hostErrorCodes)),
          principal: text(),
          callId: text(),
          url: optional(text('The page of a held call.')),
          durationMs: number(),
        }),
        object({ event: exactly('reload'), line: anyText() }),
        object({
          event: exactly('install-request'),
          request: text(),
          source: text(),
          principal: text(),
        }),
        object({
          event: exactly('needs-review'),
          package: nullable(text()),
          path: text(),
          reasons: list,
        }),
      ],
      'an event',
    ),
    isStream: true,
  } satisfies JsonDocument,
  'dry-run@1': jsonDocument('dry-run@1', 'What a command would do without --dry-run.', {
    would: text('Starts with a verb.'),
  }),
  'error@1': {
    description: 'Why a command failed. Every command prints it instead of its own document.',
    shape: object({
      error: object({
        code: oneOf(hostErrorCodes),
        message: anyText(),
        hint: optional(anyText('What to do next.')),
        docs: text('Where the code is described, in this package.'),
      }),
    }),
  } satisfies JsonDocument,
};
