// The extension itself: one tool.
import { describe, parseSubnet } from './ipv4.mjs';
import { RpcError, serveLines } from './lines.mjs';

const tools = [
  {
    name: 'describe_subnet',
    description:
      'Netmask, first and last host, broadcast address, number of hosts and kind of an IPv4 subnet.',
    input_schema: {
      type: 'object',
      properties: { subnet: { type: 'string', description: 'Such as 192.168.10.0/24.' } },
      required: ['subnet'],
      additionalProperties: false,
    },
  },
];

await serveLines((method, params) => {
  switch (method) {
    case 'initialize':
      return { server_version: '1.2.0', tools, hooks: [] };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      if (params.name !== 'describe_subnet') throw new RpcError(-32601, `no tool named ${params.name}`);
      return describeSubnet(params.arguments ?? {});
    case 'shutdown':
      return {};
    default:
      throw new RpcError(-32601, `unknown method ${method}`);
  }
});

function describeSubnet({ subnet }) {
  try {
    return describe(parseSubnet(subnet));
  } catch (error) {
    throw new RpcError(-32602, error.message);
  }
}
