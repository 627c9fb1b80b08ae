import type { Session } from '../../host/host.js';
import type { Json } from '../../model/json.js';
import type { Carrier } from '../../wire/carrier.js';
import { readLines } from '../../wire/lines.js';
import { createDispatch } from './dispatch.js';
import { failure, parseMessage } from './message.js';

export interface McpOptions {
  readonly version: string;
  readonly onBug: (error: unknown) => void;
}

/** MCP over lines. Resolves when the client has gone; its calls have been cancelled by then. */
export function serveMcp(session: Session, carrier: Carrier, options: McpOptions): Promise<void> {
  const dispatch = createDispatch(session, options);
  const send = (message: Json | undefined) => {
    if (message !== undefined) carrier.write(`${JSON.stringify(message)}\n`);
  };
  return new Promise((resolve) => {
    readLines(carrier.input, {
      line(text) {
        const parsed = parseMessage(text);
        if ('error' in parsed) send(parsed.error);
        else dispatch.receive(parsed.message).then(send, options.onBug);
      },
      end(reason) {
        if (reason === 'too-long') send(failure(null, -32700, 'the message is too long'));
        dispatch.close();
        carrier.close();
        resolve();
      },
    });
  });
}
