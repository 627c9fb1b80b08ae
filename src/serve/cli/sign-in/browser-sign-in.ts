import type { RemoteSession, ServerSignIn, SignInBegin } from '../../../host/host.js';
import { HostError } from '../../../model/host-error.js';
import { visibleLine } from '../../print/visible.js';
import type { Arguments } from '../command/command.js';
import type { Terminal } from '../terminal/terminal.js';
import { openCallbackListener } from './callback-listener.js';

/** Everything except where the browser is sent. */
export type WantedSignIn = Omit<SignInBegin, 'redirectUri'>;

/** Used with --paste if no port is configured. Nothing listens there. */
const pastePort = 33418;

/** Prints the address to open, and waits until the browser comes back to this machine. */
export async function signInWithBrowser(
  wanted: WantedSignIn,
  port: number | undefined,
  session: RemoteSession,
  args: Arguments,
  terminal: Terminal,
): Promise<ServerSignIn> {
  const { signal } = terminal;
  const done = outcome<ServerSignIn>();
  let id: string | undefined;
  const listener = await openCallbackListener(port ?? 0, async (callback) => {
    if (id === undefined) return 'not-ours';
    try {
      done.resolve(await session.signIns.finish({ id, callback, signal }));
      return 'signed-in';
    } catch (error) {
      if (error instanceof HostError && error.code === 'integrity') {
        terminal.err(`${visibleLine(`warning: ${error.message}`)}\n`);
        return 'not-ours';
      }
      done.reject(error);
      return 'failed';
    }
  });
  const stop = () => done.reject(new HostError('canceled', 'nobody signed in; nothing was changed'));
  signal.addEventListener('abort', stop, { once: true });
  let timer: NodeJS.Timeout | undefined;
  try {
    const start = await session.signIns.begin({ ...wanted, redirectUri: listener.redirectUri });
    id = start.id;
    const late = new HostError('timeout', 'nobody signed in in time; nothing was changed', {
      hint: 'on a machine without a browser, use --paste',
    });
    timer = setTimeout(() => done.reject(late), Math.max(0, start.expiresAt - Date.now()));
    showAddress(start.url, terminal);
    if (!args.has('no-browser') && !(await terminal.openBrowser(start.url)))
      terminal.err('no browser was found here; open the address yourself, or use --paste\n');
    return await done.promise;
  } finally {
    clearTimeout(timer);
    signal.removeEventListener('abort', stop);
    await listener.close();
  }
}

/** For a machine without a browser: the person opens the address elsewhere and pastes where the browser ended. */
export async function signInByPasting(
  wanted: WantedSignIn,
  port: number | undefined,
  session: RemoteSession,
  terminal: Terminal,
): Promise<ServerSignIn> {
  const redirectUri = `http://127.0.0.1:${port ?? pastePort}/callback`;
  const { id, url } = await session.signIns.begin({ ...wanted, redirectUri });
  showAddress(url, terminal);
  const question = 'Then paste the address that the browser shows, although its page does not load: ';
  const text = terminal.stdinIsTerminal ? await terminal.ask(question) : await terminal.readStdin(16 * 1024);
  if (text.trim() === '') throw new HostError('canceled', 'nobody signed in; nothing was changed');
  return session.signIns.finish({ id, callback: text.trim(), signal: terminal.signal });
}

/** A URL has only visible ASCII characters. */
function showAddress(url: string, terminal: Terminal): void {
  terminal.err(`Open this address to sign in:\n\n  ${new URL(url).href}\n\n`);
}

interface Outcome<T> {
  readonly promise: Promise<T>;
  resolve(value: T): void;
  reject(error: unknown): void;
}

function outcome<T>(): Outcome<T> {
  let [resolve, reject]: [Outcome<T>['resolve'], Outcome<T>['reject']] = [() => {}, () => {}];
  const promise = new Promise<T>((onDone, onError) => {
    [resolve, reject] = [onDone, onError];
  });
  // It may be rejected before anybody waits for it.
  promise.catch(() => {});
  return { promise, resolve, reject };
}
