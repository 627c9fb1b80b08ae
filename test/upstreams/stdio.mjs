// The desk server over standard input and output. The argument selects the eras it supports.
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio';
import { deskState, makeDesk } from './desk.mjs';

const state = deskState();
process.stderr.write('the desk is open\n');
switch (process.argv[2]) {
  case '2025':
    await makeDesk(state, false).connect(new StdioServerTransport());
    break;
  case '2026':
    serveStdio(({ era }) => makeDesk(state, era === 'modern'), { legacy: 'reject' });
    break;
  default:
    serveStdio(({ era }) => makeDesk(state, era === 'modern'));
}
