// The bundled MCP server: two tools that plan address space.
import { overlaps, parseSubnet, plan } from './ipv4.mjs';
import { RpcError, serveLines } from './lines.mjs';

const tools = [
  {
    name: 'plan_subnets',
    description:
      'Splits an IPv4 subnet into the smallest parts that have room for the requested numbers of hosts.',
    inputSchema: {
      type: 'object',
      properties: {
        subnet: { type: 'string', description: 'The space to split, such as 10.20.0.0/22.' },
        networks: {
          type: 'array',
          minItems: 1,
          maxItems: 256,
          items: {
            type: 'object',
            properties: { name: { type: 'string' }, hosts: { type: 'integer', minimum: 1 } },
            required: ['name', 'hosts'],
            additionalProperties: false,
          },
        },
      },
      required: ['subnet', 'networks'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: ({ subnet, networks }) => plan(parseSubnet(subnet), networks),
  },
  {
    name: 'find_overlaps',
    description: 'Lists the pairs among IPv4 subnets that share addresses.',
    inputSchema: {
      type: 'object',
      properties: {
        subnets: { type: 'array', items: { type: 'string' }, minItems: 2, maxItems: 1000 },
      },
      required: ['subnets'],
      additionalProperties: false,
    },
    annotations: { readOnlyHint: true, openWorldHint: false },
    run: ({ subnets }) => ({ overlaps: overlaps(subnets.map(parseSubnet)) }),
  },
];

const versions = ['2025-11-25', '2025-06-18', '2025-03-26', '2024-11-05'];

await serveLines((method, params) => {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: versions.includes(params.protocolVersion) ? params.protocolVersion : versions[0],
        capabilities: { tools: {} },
        serverInfo: { name: 'planner', version: process.env.PLANNER_VERSION ?? '0.0.0' },
      };
    case 'notifications/initialized':
    case 'ping':
      return {};
    case 'tools/list':
      return { tools: tools.map(({ run: _, ...tool }) => tool) };
    case 'tools/call':
      return call(params);
    default:
      throw new RpcError(-32601, `unknown method ${method}`);
  }
});

/** An error of the tool itself is returned as a result that the model can read. */
function call({ name, arguments: input = {} }) {
  const tool = tools.find((it) => it.name === name);
  if (tool === undefined) throw new RpcError(-32602, `no tool named ${name}`);
  try {
    const result = tool.run(input);
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}
