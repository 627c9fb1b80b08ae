import type { Session } from '../../host/host.js';
import type { Json } from '../../model/json.js';
import type { Carrier } from '../../wire/carrier.js';
import { Flow } from '../../wire/flow.js';
import { readLines } from '../../wire/lines.js';
import { createDispatch, type Dispatch } from './dispatch.js';
import { failure, parseMessages } from './message.js';

export interface McpOptions {
  readonly version: string;
  readonly onBug: (error: unknown) => void;
}

/** MCP over lines. Resolves when the client has gone; its calls have been cancelled by then. */
export function serveMcp(session: Session, carrier: Carrier, options: McpOptions): Promise<void> {
  const dispatch = createDispatch(session, options);
  const flow = new Flow(carrier);
  return new Promise((resolve) => {
    readLines(carrier.input, {
      line: (text) => void flow.track(answer(dispatch, text)).catch(options.onBug),
      end(reason) {
        if (reason === 'too-long') carrier.write(lineOf(failure(null, -32700, 'the message is too long')));
        dispatch.close();
        carrier.close();
        resolve();
      },
    });
  });
}

async function answer(dispatch: Dispatch, text: string): Promise<string | undefined> {
  const parsed = parseMessages(text, dispatch.batches);
  const answers = await Promise.all(
    parsed.messages.map((it) => ('error' in it ? it.error : dispatch.receive(it.message))),
  );
  const sent = answers.filter((it) => it !== undefined);
  if (sent.length === 0) return undefined;
  return lineOf(parsed.batch ? sent : (sent[0] as Json));
}

function lineOf(message: Json): string {
  return `${JSON.stringify(message)}\n`;
}
