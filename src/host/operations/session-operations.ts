import type { Json } from '../../model/json.js';
import type { RemoteSession } from '../host.js';
import { installationOperations } from './installation-operations.js';
import { learningOperations } from './learning-operations.js';
import { packageSource } from './manifest-rows.js';
import {
  members,
  type OperationTree,
  operation,
  sessionActorParam,
  signalParam,
  value,
} from './operation.js';
import { registryOperations } from './registry-operations.js';
import { agentRequest, agentRequestAnswer } from './request-shapes.js';
import {
  answer,
  consoleLink,
  explanation,
  installResult,
  listedPrompt,
  listedResource,
  listedTool,
  messageVerdict,
  packageReport,
  packageReview,
  sessionWaiver,
} from './session-shapes.js';
import {
  anyText,
  arrayOf,
  boolean,
  json,
  jsonObject,
  nothing,
  object,
  oneOf,
  optional,
  text,
  unchecked,
} from './shape.js';
import { signInOperations } from './sign-in-operations.js';

const packageId = value('package', text());
const uri = text('The URI of a resource, as listed.');

/** What a caller can do in a session. */
export const sessionOperations = {
  packages: operation(
    { role: 'operator', summary: 'List packages with their state and the reasons for it.' },
    [],
    packageReport,
  ),
  tools: operation(
    { role: 'operator', summary: 'List the tools that can be called now, with their definitions.' },
    [],
    arrayOf(listedTool),
  ),
  call: operation(
    { role: 'agent', summary: 'Call one tool. A failure is an answer too.' },
    [
      // The call pipeline itself checks the tool and the arguments, and writes a refusal to the audit log.
      members(
        object({
          tool: unchecked<string>('PACKAGE/TOOL'),
          arguments: unchecked<Json>(),
          timeoutMs: optional(unchecked<number>('Milliseconds. Default: the limit of the tool.')),
        }),
      ),
    ],
    answer,
  ),
  explain: operation(
    { role: 'operator', summary: 'Show what would happen to a call now, and by which rules. Runs nothing.' },
    [members(object({ tool: text('PACKAGE/TOOL'), arguments: optional(json()), result: optional(json()) }))],
    explanation,
  ),
  message: operation(
    { role: 'agent', summary: 'Run the message hooks of extensions on a message to or from the agent.' },
    [
      value('point', oneOf(['before_message', 'after_message'])),
      value('message', jsonObject('The message, for example {"text": "…"}.')),
      signalParam,
    ],
    messageVerdict,
  ),
  prompts: operation({ role: 'agent', summary: 'List prompts.' }, [], arrayOf(listedPrompt)),
  prompt: operation(
    { role: 'agent', summary: 'Get the text of a prompt.' },
    [value('name', text()), value('arguments', jsonObject())],
    anyText(),
  ),
  promptMessages: operation(
    { role: 'agent', summary: 'Get all messages of a prompt, as in MCP.' },
    [value('name', text()), value('arguments', jsonObject()), signalParam],
    jsonObject(),
  ),
  resources: operation(
    { role: 'agent', summary: 'List resources of MCP servers.' },
    [],
    arrayOf(listedResource),
  ),
  resource: operation(
    { role: 'agent', summary: 'Read a resource.' },
    [value('uri', uri), signalParam],
    jsonObject(),
  ),
  review: operation(
    { role: 'operator', summary: 'Show what changed in a package since it was accepted.' },
    [value('package', text())],
    packageReview,
  ),
  source: operation(
    { role: 'operator', summary: 'Get the files of a package as text, to begin another one with.' },
    [packageId],
    packageSource,
  ),
  accept: operation(
    { role: 'operator', pin: 'if-set', summary: 'Accept a package as it was reviewed.' },
    [value('package', text()), value('digest', text('`to` of the review.')), sessionActorParam],
    nothing(),
  ),
  waivers: operation(
    {
      role: 'operator',
      summary: 'List the settings that waive a question or a protection, and whether they are in force.',
    },
    [],
    arrayOf(sessionWaiver),
  ),
  acceptWaiver: operation(
    { role: 'operator', pin: 'if-set', summary: 'Accept a setting that waives a question or a protection.' },
    [value('id', text('The id of the setting, from `waivers`.')), sessionActorParam],
    sessionWaiver,
  ),
  consoleLink: operation(
    { role: 'operator', summary: 'Get a link that signs one browser in to the console, once.' },
    [],
    consoleLink,
  ),
  install: operation(
    { role: 'operator', summary: 'Fetch and install what the programs of a package need.' },
    [value('package', text()), members(object({ dryRun: optional(boolean('Only report what is needed.')) }))],
    installResult,
  ),
  learning: learningOperations,
  requestInstall: operation(
    { role: 'agent', summary: 'Ask the operator for a package. Fetches nothing; only a person can agree.' },
    [members(agentRequest)],
    agentRequestAnswer,
  ),
  installations: installationOperations,
  registries: registryOperations,
  signIns: signInOperations,
} as const satisfies OperationTree<Omit<RemoteSession, 'close'>>;
