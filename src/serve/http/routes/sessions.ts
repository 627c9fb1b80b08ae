import type { Caller } from '../callers.js';
import { inUse, type McpSessions } from '../mcp-sessions.js';
import { Refusal } from '../refusal.js';
import { documentOf, type Route } from '../route.js';

/** MCP sessions: an agent sees its own, an operator all of them. */
export function sessionRoutes(sessions: McpSessions): readonly Route[] {
  const seen = (caller: Caller) => (caller.role === 'operator' ? sessions.all() : sessions.of(caller));
  return [
    {
      method: 'GET',
      path: '/api/v1/sessions',
      role: 'agent',
      summary: "MCP sessions: an agent's own, for an operator all of them.",
      answers: {
        200: {
          text: 'The sessions. Their ids let nobody in.',
          schema: documentOf('toolwharf/sessions@1', {
            sessions: { type: 'array', items: { type: 'object' } },
          }),
        },
      },
      answer: async ({ caller }) => ({
        body: {
          schema: 'toolwharf/sessions@1',
          sessions: seen(caller).map((it) => ({
            id: it.id,
            principal: it.caller.principal,
            createdAt: new Date(it.createdAt).toISOString(),
            idleSeconds: Math.round((performance.now() - it.usedAt) / 1000),
            inUse: inUse(it),
          })),
        },
      }),
    },
    {
      method: 'DELETE',
      path: '/api/v1/sessions/{id}',
      role: 'agent',
      summary: 'Ends an MCP session and what it has under way.',
      answers: { 204: { text: 'It is over.' }, 404: { text: 'No session of yours has that id.' } },
      answer: async ({ caller, parts }) => {
        const found = seen(caller).find((it) => it.id === parts.id);
        if (found === undefined) throw new Refusal(404, 'not_found', 'no session of yours has that id');
        sessions.end(found);
        return { status: 204 };
      },
    },
  ];
}
