import { arrayOf, boolean, integer, isoTime, object, text } from '../../../host/operations/shape.js';
import type { HttpCaller } from '../callers.js';
import { HttpError } from '../http-error.js';
import { isSessionInUse, type McpSessions } from '../mcp-sessions.js';
import { documentSchema, type Route } from '../route.js';

const sessionEntry = object({
  id: text(),
  principal: text(),
  createdAt: isoTime(),
  idleSeconds: integer(),
  inUse: boolean(),
});

/** MCP sessions. An agent sees its own, an operator sees all. */
export function sessionRoutes(sessions: McpSessions): readonly Route[] {
  const visible = (caller: HttpCaller) =>
    caller.role === 'operator' ? sessions.all() : sessions.ownedBy(caller);
  return [
    {
      method: 'GET',
      path: '/api/v1/sessions',
      role: 'agent',
      summary: 'List MCP sessions: your own, or all for an operator.',
      responses: {
        200: {
          description: 'The sessions. An id does not give access to a session.',
          schema: documentSchema('toolwharf/sessions@1', {
            sessions: arrayOf(sessionEntry),
          }),
        },
      },
      handle: async ({ caller }) => ({
        body: {
          schema: 'toolwharf/sessions@1',
          sessions: visible(caller).map((it) => ({
            id: it.id,
            principal: it.caller.principal,
            createdAt: new Date(it.createdAt).toISOString(),
            idleSeconds: Math.round((performance.now() - it.usedAt) / 1000),
            inUse: isSessionInUse(it),
          })),
        },
      }),
    },
    {
      method: 'DELETE',
      path: '/api/v1/sessions/{id}',
      role: 'agent',
      summary: 'End an MCP session and cancel its running calls.',
      responses: {
        204: { description: 'The session has ended.' },
        404: { description: 'You have no session with this id.' },
      },
      handle: async ({ caller, pathParams }) => {
        const found = visible(caller).find((it) => it.id === pathParams.id);
        if (found === undefined) throw new HttpError(404, 'not_found', 'you have no session with this id');
        sessions.end(found);
        return { status: 204 };
      },
    },
  ];
}
