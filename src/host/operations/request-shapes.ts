// What the operations on requests of agents take and return.
import { anyText, arrayOf, nullable, object, oneOf, optional, text, timestamp } from './shape.js';

const texts = (description?: string) => arrayOf(anyText(), description);
export const requestStates = ['waiting', 'installed', 'refused', 'expired'] as const;
export const requestedMembers = {
  id: text(),
  source: text('What the agent wrote, in one spelling. Nothing was fetched from it.'),
  reason: text("The agent's reason. Nobody checked it."),
  seenIn: nullable(anyText('Where the session had seen the source, as text of others. Null: nowhere.')),
  principal: text('Who asked.'),
  client: anyText('With which client. Empty: all its sessions are one client.'),
  root: anyText('The workspace of the session that asked.'),
  createdAt: timestamp(),
  expiresAt: timestamp(),
  state: oneOf(requestStates),
  decision: nullable(
    object({ by: text(), at: timestamp(), note: anyText('What the agent is told about a refusal.') }),
  ),
  installed: nullable(object({ package: text(), plan: text('Digest of the plan that was agreed to.') })),
};
export const requestedInstallation = object(requestedMembers);

export const agentRequest = object({
  source: text('Where the package comes from, such as npm:NAME@RANGE.'),
  reason: text('Why it is needed, for the person who decides.'),
});
export const agentRequestAnswer = object({
  request: text('Id of the request.'),
  state: oneOf(requestStates),
  expiresAt: timestamp('When a waiting request ends.'),
  note: optional(anyText('What the person said who refused it.')),
  package: optional(text('The installed package.')),
  tools: optional(texts('Its tools that can be called now.')),
});
