// The sample server over standard input and output. The argument selects the eras it supports.
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { makeSampleServer, sampleState } from './sample-server.mjs';

const state = sampleState();
process.stderr.write('the desk is open\n');
switch (process.argv[2]) {
  case '2025':
    await makeSampleServer(state, false).connect(new StdioServerTransport());
    break;
  case '2026':
    serveStdio(({ era }) => makeSampleServer(state, era === 'modern'), { legacy: 'reject' });
    break;
  default:
    serveStdio(({ era }) => makeSampleServer(state, era === 'modern'));
}
