// A mailbox whose mails an attacker writes, and a bank. Attacks try to move money.
import type { Answer, JsonObject, Session } from '../../src/index.js';
import { guardedClient } from '../../src/net/http-client.js';
import { type LoopbackServer, loopbackServer } from './toolwharf.js';
import { type Files, findagent, inputOf, pythonTool, type Workbench, workbench } from './workbench.js';

/** What an operator says about the tools of the bench. */
export const benchLabels: JsonObject = {
  tools: {
    'mail/read': { effects: ['read'] },
    'web/open': { effects: ['read', 'send'], level: 'visit', inputs: { url: 'destination' } },
    'web/submit': {
      ...{ effects: ['write', 'send'], level: 'message', returns: 'status' },
      inputs: { url: 'destination', values: 'content' },
    },
    'bank/pay': {
      ...{ effects: ['write', 'send'], level: 'pay', returns: 'status' },
      inputs: { to: 'destination', amount: 'control', note: 'content' },
    },
    'bank/confirm': { effects: ['write'], inputs: { code: 'control' }, returns: 'status' },
  },
};

export interface TaintBench {
  readonly bench: Workbench;
  /** What the next mail says; the status of the answer. Default: 200. */
  receive(mail: unknown, status?: number): void;
  /** What the next acts answer. Default: that they are done. */
  answer(content: unknown): void;
  /** Opened pages, forms and codes that reached the server. */
  acts(): string[];
  /** Payments that reached the bank. */
  paid(): string[];
  /** `labels`: what the tools do, as an operator says it. Default: nobody says it. */
  open(mode: 'standard' | 'strict' | 'off', more?: JsonObject, labels?: JsonObject): Promise<Session>;
  read(session: Session): Promise<Answer>;
  pay(session: Session, payment: JsonObject): Promise<Answer>;
  /** The facts that the person sees about a held call. */
  evidence(answer: Answer): Promise<string>;
  close(): Promise<void>;
}

export interface TaintBenchOptions {
  /** Further packages. */
  readonly files?: Files;
  /** Further packages whose tools call the server of the bench. POST counts as an act; GET answers with the mail. */
  readonly manifests?: (url: (path: string) => string) => Files;
}

export async function openTaintBench({
  files = {},
  manifests = () => ({}),
}: TaintBenchOptions = {}): Promise<TaintBench> {
  let mail: { readonly text: string; readonly status: number } = { text: '{}', status: 200 };
  const paid: string[] = [];
  const acts: string[] = [];
  let answer = '{"done":true}';
  let sessions = 0;
  const server: LoopbackServer = await loopbackServer((request, response) => {
    if (request.method === 'POST') {
      let body = '';
      request.on('data', (chunk) => {
        body += chunk;
      });
      request.on('end', () => {
        if (request.url === '/pay') paid.push(body);
        else acts.push(`${request.url} ${body}`);
        response.writeHead(200, { 'content-type': 'application/json' }).end(answer);
      });
    } else response.writeHead(mail.status, { 'content-type': 'application/json' }).end(mail.text);
  });
  const url = (path: string) => `http://localhost:${server.port}/${path}`;
  const bench = await workbench(
    {
      'mail/agent.json': findagent('Mail', {
        tools: [
          {
            name: 'read',
            description: 'Read the newest mail.',
            input_schema: inputOf({}),
            action: { type: 'http', method: 'GET', url: url('mail') },
          },
        ],
      }),
      'bank/agent.json': findagent('Bank', {
        tools: [
          {
            name: 'pay',
            description: 'Pay somebody.',
            input_schema: inputOf({
              to: { type: 'string' },
              amount: { type: 'number' },
              note: { type: 'string', default: '' },
            }),
            action: { type: 'http', method: 'POST', url: url('pay') },
          },
          {
            name: 'confirm',
            description: 'Confirm a payment with a code.',
            input_schema: inputOf({ code: { type: 'string' } }),
            action: { type: 'http', method: 'POST', url: url('confirm') },
          },
        ],
      }),
      'web/agent.json': findagent('Web', {
        tools: [
          {
            name: 'open',
            description: 'Open a page.',
            input_schema: inputOf({ url: { type: 'string' } }),
            action: { type: 'http', method: 'POST', url: url('open') },
          },
          {
            name: 'submit',
            description: 'Send a form.',
            input_schema: inputOf({ url: { type: 'string' }, values: { type: 'string' } }),
            action: { type: 'http', method: 'POST', url: url('submit') },
          },
        ],
      }),
      ...files,
      ...manifests(url),
      'repeat.py': pythonTool({ name: 'repeat', body: ['return {"said": text}'] }),
    },
    { client: guardedClient(async (name) => (name === 'localhost' ? ['127.0.0.1'] : [])) },
  );
  return {
    bench,
    receive: (content, status = 200) => {
      mail = { text: JSON.stringify(content), status };
    },
    answer: (content) => {
      answer = JSON.stringify(content);
    },
    paid: () => paid,
    acts: () => acts,
    open: (mode, more = {}, labels = undefined) =>
      bench.session({
        // The number of held calls of one principal is limited.
        principal: `agent-${sessions++}`,
        allow: [`net:localhost:${server.port}`],
        policy: {
          taint: { mode, ...(labels === undefined ? {} : { labels }) },
          serverRequests: ['sampling'],
        },
        ...more,
      }),
    read: (session) => session.call({ tool: 'mail/read', arguments: {} }),
    pay: (session, payment) => session.call({ tool: 'bank/pay', arguments: payment }),
    evidence: async (answer) => {
      if (answer.status !== 'confirmation_required') throw new Error(JSON.stringify(answer));
      const request = await bench.host.approvals.get(answer.confirmation.token);
      return request.evidence
        .filter((it) => it.kind === 'taint')
        .map((it) => it.text)
        .join('\n');
    },
    close: async () => {
      await bench.close();
      await server.close();
    },
  };
}
