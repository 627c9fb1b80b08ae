// An MCP server over standard input and output: one JSON object per line. Log messages go to standard error.
import { createInterface } from 'node:readline';

/** Meters and kilograms per unit. */
const factors = {
  length: { m: 1, km: 1000, cm: 0.01, mm: 0.001, in: 0.0254, ft: 0.3048, yd: 0.9144, mi: 1609.344 },
  mass: { kg: 1, g: 0.001, t: 1000, oz: 0.028349523125, lb: 0.45359237 },
};
const temperatures = {
  C: { toKelvin: (it) => it + 273.15, fromKelvin: (it) => it - 273.15 },
  F: { toKelvin: (it) => ((it + 459.67) * 5) / 9, fromKelvin: (it) => (it * 9) / 5 - 459.67 },
  K: { toKelvin: (it) => it, fromKelvin: (it) => it },
};
const units = [...Object.values(factors).flatMap(Object.keys), ...Object.keys(temperatures)];
const decimals = Number(process.env.DECIMALS ?? 4);

const tools = [
  {
    name: 'convert',
    description: 'Converts a number from one unit to another of the same kind.',
    inputSchema: {
      type: 'object',
      properties: {
        value: { type: 'number', description: 'The number to convert.' },
        from: { type: 'string', enum: units, description: 'Its unit.' },
        to: { type: 'string', enum: units, description: 'The unit of the result.' },
      },
      required: ['value', 'from', 'to'],
      additionalProperties: false,
    },
    annotations: { title: 'Convert units', readOnlyHint: true, idempotentHint: true, openWorldHint: false },
  },
];

function convert({ value, from, to }) {
  if (Object.hasOwn(temperatures, from) && Object.hasOwn(temperatures, to))
    return temperatures[to].fromKelvin(temperatures[from].toKelvin(value));
  const kind = Object.values(factors).find((it) => Object.hasOwn(it, from) && Object.hasOwn(it, to));
  if (kind === undefined) throw new Error(`${from} and ${to} measure different things`);
  return (value * kind[from]) / kind[to];
}

function call({ name, arguments: args }) {
  if (name !== 'convert') throw Object.assign(new Error(`unknown tool ${name}`), { code: -32602 });
  try {
    const result = { value: Number(convert(args).toFixed(decimals)), unit: args.to };
    return { content: [{ type: 'text', text: JSON.stringify(result) }], structuredContent: result };
  } catch (error) {
    return { content: [{ type: 'text', text: error.message }], isError: true };
  }
}

function answer(method, params) {
  switch (method) {
    case 'initialize':
      return {
        protocolVersion: params.protocolVersion,
        capabilities: { tools: {} },
        serverInfo: { name: 'unit-desk', version: '1.0.0' },
      };
    case 'ping':
      return {};
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return call(params);
    default:
      throw Object.assign(new Error(`unknown method ${method}`), { code: -32601 });
  }
}

createInterface({ input: process.stdin }).on('line', (line) => {
  const { id, method, params = {} } = JSON.parse(line);
  if (id === undefined) return;
  let outcome;
  try {
    outcome = { result: answer(method, params) };
  } catch (error) {
    outcome = { error: { code: error.code ?? -32603, message: error.message } };
  }
  process.stdout.write(`${JSON.stringify({ jsonrpc: '2.0', id, ...outcome })}\n`);
});
