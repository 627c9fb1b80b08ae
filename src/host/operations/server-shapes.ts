// What the operations on plain MCP servers take and return.
import { anyText, arrayOf, object, oneOf, open, optional, text } from './shape.js';

const texts = (description?: string) => arrayOf(anyText(), description);
const textMap = (description: string) => optional(open<Readonly<Record<string, string>>>(description));
const serverMembers = {
  name: text('Id of the new package.'),
  command: optional(texts('A command line, such as `npx -y NAME`.')),
  url: optional(text('Address of a server that runs elsewhere.')),
  headers: textMap('Headers for its requests. Values are secrets.'),
  env: textMap('Variables with their values.'),
  ask: optional(texts('Variables whose values are given later.')),
  secrets: optional(texts('Names of values that are secrets.')),
  settings: optional(texts('Names of values that are not secrets.')),
  secretArguments: optional(texts('Words of the command that contain a secret.')),
  allow: optional(texts('Hosts and folders that it may use, in the syntax of --allow.')),
  scripts: optional(texts('npm packages whose install scripts run.')),
};
export const serverRequest = object(serverMembers);
export const serverTrialRequest = object({ ...serverMembers, values: textMap('Values for its start.') });
export const serverDraft = object({
  source: text('A source for `plan`.'),
  values: open<Readonly<Record<string, string>>>('Values that were found in the request.'),
  secrets: texts('Which of them are secrets.'),
  offered: texts('Folders in its arguments that it cannot see yet.'),
  notes: texts(),
});
export const serverTrial = object({
  status: oneOf(['started', 'failed', 'skipped']),
  tools: arrayOf(object({ name: anyText(), description: anyText() })),
  hosts: texts('Hosts of the public internet that it tried to reach, in the syntax of --allow.'),
  otherHosts: texts('Other hosts that it tried to reach.'),
  scripts: texts('npm packages whose install scripts were not run.'),
  failure: optional(anyText('Why it did not start.')),
});
