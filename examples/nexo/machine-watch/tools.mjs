import { statfsSync } from 'node:fs';
import { availableParallelism, freemem, hostname, loadavg, totalmem, uptime } from 'node:os';

const tools = [
  {
    name: 'machine_load',
    description: 'Load, memory and uptime of the machine.',
    input_schema: { type: 'object', properties: {}, additionalProperties: false },
  },
  {
    name: 'disk_space',
    description: 'Size and free space of the file system that contains a folder.',
    input_schema: {
      type: 'object',
      properties: { path: { type: 'string', default: '/', description: 'A folder on the machine.' } },
      additionalProperties: false,
    },
  },
];

export function answer(method, params) {
  switch (method) {
    case 'initialize':
      return { server_version: '1.0.0', tools, hooks: [] };
    case 'tools/list':
      return { tools };
    case 'tools/call':
      return call(params.name, params.arguments ?? {});
    case 'shutdown':
      // The host disconnects; this program keeps running.
      return {};
    default:
      throw failure(-32601, `unknown method ${method}`);
  }
}

function call(name, input) {
  switch (name) {
    case 'machine_load':
      return machineLoad();
    case 'disk_space':
      return diskSpace(input.path ?? '/');
    default:
      throw failure(-32601, `no tool named ${name}`);
  }
}

function machineLoad() {
  const [minute, fiveMinutes, quarter] = loadavg().map((it) => Math.round(it * 100) / 100);
  return {
    host: hostname(),
    cores: availableParallelism(),
    load: { minute, fiveMinutes, quarter },
    memory: { totalMiB: mebibytes(totalmem()), freeMiB: mebibytes(freemem()) },
    uptimeHours: Math.round(uptime() / 360) / 10,
  };
}

function diskSpace(path) {
  if (typeof path !== 'string') throw failure(-32602, '"path" must be a string');
  let disk;
  try {
    disk = statfsSync(path);
  } catch (error) {
    throw failure(-32602, `cannot read ${path} (${error.code})`);
  }
  return {
    path,
    totalMiB: mebibytes(disk.blocks * disk.bsize),
    freeMiB: mebibytes(disk.bavail * disk.bsize),
    usedPercent: disk.blocks === 0 ? 0 : Math.round(1000 * (1 - disk.bfree / disk.blocks)) / 10,
  };
}

function mebibytes(bytes) {
  return Math.round(bytes / 1024 / 1024);
}

function failure(code, message) {
  return Object.assign(new Error(message), { code });
}
