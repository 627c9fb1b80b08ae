import { clearLine, createInterface, cursorTo, type Interface } from 'node:readline';
import type { Terminal } from '../terminal/terminal.js';

/** Where the lines of an author come from: a prompt at a terminal, or a pipe with one command per line. */
export interface TypedLines {
  /** The next line; undefined at the end. */
  next(): Promise<string | undefined>;
  /** Runs `write` without mixing its output with the line that is being typed. */
  interrupt(write: () => void): void;
  close(): void;
}

export function typedLines(terminal: Terminal, prompt: string): TypedLines {
  return terminal.stdinIsTerminal && terminal.stdoutIsTerminal
    ? promptedLines(terminal, prompt)
    : pipedLines(terminal);
}

function pipedLines({ stdin, signal }: Terminal): TypedLines {
  const lines = createInterface({ input: stdin });
  const stop = () => lines.close();
  signal.addEventListener('abort', stop, { once: true });
  const iterator = lines[Symbol.asyncIterator]();
  return {
    next: async () => {
      const { value, done } = await iterator.next();
      return done === true || signal.aborted ? undefined : value;
    },
    interrupt: (write) => write(),
    close: stop,
  };
}

/** The prompt exists only while it waits: questions of running commands read the same terminal. */
function promptedLines({ stdin, stdout, signal, out }: Terminal, prompt: string): TypedLines {
  let history: string[] = [];
  let open: Interface | undefined;
  const ask = () =>
    new Promise<string | undefined>((resolve) => {
      const reader = createInterface({ input: stdin, output: stdout, terminal: true, prompt, history });
      open = reader;
      const end = () => reader.close();
      signal.addEventListener('abort', end, { once: true });
      let line: string | undefined;
      reader.on('history', (now) => {
        history = now;
      });
      reader.once('line', (text) => {
        line = text;
        reader.close();
      });
      // Ctrl-C empties the line, and leaves if it is empty.
      reader.on('SIGINT', () => {
        if (reader.line === '') reader.close();
        else reader.write(null, { ctrl: true, name: 'u' });
      });
      reader.once('close', () => {
        open = undefined;
        signal.removeEventListener('abort', end);
        if (line === undefined) out('\n');
        resolve(line);
      });
      reader.prompt();
    });
  return {
    next: async () => (signal.aborted ? undefined : ask()),
    interrupt(write) {
      if (open === undefined) {
        write();
        return;
      }
      cursorTo(stdout, 0);
      clearLine(stdout, 0);
      write();
      open.prompt(true);
    },
    close: () => open?.close(),
  };
}
