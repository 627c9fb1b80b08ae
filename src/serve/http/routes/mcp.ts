import type { McpEndpoint } from '../mcp-endpoint.js';
import { type Answered, anyObject, type Route } from '../route.js';

const path = '/mcp';
const stream: Answered = { text: 'Messages, one an event.', type: 'text/event-stream' };
const unknown: Answered = { text: 'The session is not known.' };

/** MCP, revisions 2026-07-28, 2025-11-25 and before. */
export function mcpRoutes(endpoint: McpEndpoint): readonly Route[] {
  return [
    {
      method: 'POST',
      path,
      role: 'agent',
      summary: 'A message of an MCP client. Leaving before the answer cancels the request.',
      body: anyObject,
      answers: {
        200: { text: 'The answer, as JSON or as a stream that ends with it.', schema: anyObject },
        202: { text: 'There is nothing to answer.' },
        404: { text: 'The method or the session is not known.' },
      },
      stream: (exchange, request, response) => endpoint.post(exchange, request, response),
    },
    {
      method: 'GET',
      path,
      role: 'agent',
      summary: 'What the server says by itself to a session of a revision before 2026-07-28.',
      answers: { 200: stream, 404: unknown, 405: { text: 'There is no session.' } },
      stream: (exchange, request, response) => endpoint.listen(exchange, request, response),
    },
    {
      method: 'DELETE',
      path,
      role: 'agent',
      summary: 'Ends a session of a revision before 2026-07-28.',
      answers: { 204: { text: 'It is over.' }, 404: unknown, 405: { text: 'There is no session.' } },
      stream: (exchange, request, response) => endpoint.end(exchange, request, response),
    },
  ];
}
