import { jsonObject } from '../../../host/operations/shape.js';
import type { McpEndpoint } from '../mcp-endpoint.js';
import type { ResponseSpec, Route } from '../route.js';

const path = '/mcp';
const { schema: message } = jsonObject('A JSON-RPC message.');
const stream: ResponseSpec = { description: 'One message per event.', type: 'text/event-stream' };
const unknownSession: ResponseSpec = { description: 'Unknown session.' };
const noSession: ResponseSpec = { description: 'The header Mcp-Session-Id is missing.' };

/** MCP, revisions 2026-07-28, 2025-11-25 and earlier. */
export function mcpRoutes(endpoint: McpEndpoint): readonly Route[] {
  return [
    {
      method: 'POST',
      path,
      role: 'agent',
      summary:
        'Send an MCP message. Closing the connection before the answer cancels the request, unless it is of a session and its stream can be continued.',
      body: message,
      responses: {
        200: { description: 'The answer: JSON, or an event stream that ends with it.', schema: message },
        202: { description: 'The message needs no answer.' },
        404: { description: 'Unknown method or session.' },
      },
      stream: (exchange, request, response) => endpoint.post(exchange, request, response),
    },
    {
      method: 'GET',
      path,
      role: 'agent',
      summary:
        'Open the stream of server messages of a session, or continue a stream after Last-Event-ID (revisions before 2026-07-28).',
      responses: { 200: stream, 404: unknownSession, 405: noSession },
      stream: (exchange, request, response) => endpoint.listen(exchange, request, response),
    },
    {
      method: 'DELETE',
      path,
      role: 'agent',
      summary: 'End a session (revisions before 2026-07-28).',
      responses: {
        204: { description: 'The session has ended.' },
        404: unknownSession,
        405: noSession,
      },
      stream: (exchange, request, response) => endpoint.end(exchange, request, response),
    },
  ];
}
