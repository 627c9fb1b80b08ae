import { createServer, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { HostError } from '../../../model/host-error.js';

/** What the page in the browser says. */
export type CallbackReply = 'signed-in' | 'failed' | 'not-ours';

export interface CallbackListener {
  /** Where the browser is sent after the sign-in. */
  readonly redirectUri: string;
  close(): Promise<void>;
}

const pages: Readonly<Record<CallbackReply, readonly [status: number, text: string]>> = {
  'signed-in': [200, 'You are signed in. You can close this window.'],
  failed: [200, 'The sign-in failed. The terminal says why. You can close this window.'],
  'not-ours': [400, 'This answer does not belong to the sign-in that is waiting. It was not used.'],
};

/** How long an open connection has to get its page. A browser also opens connections that it never uses. */
const graceMs = 500;

/**
 * Listens on this machine only while a person signs in. `onCallback` gets the whole address that the browser was sent to.
 * The page has no script, loads nothing and leads nowhere.
 */
export async function openCallbackListener(
  port: number,
  onCallback: (callback: string) => Promise<CallbackReply>,
): Promise<CallbackListener> {
  let origin = '';
  const server = createServer({ maxHeaderSize: 16 * 1024 }, (request, response) => {
    const { method, headers, url = '' } = request;
    // A page of another name that leads here is not the redirect of a browser.
    const isHere = `http://${headers.host}` === origin && /^\/callback\?/.test(url);
    if (!isHere || method !== 'GET') return reply(response, 404, 'There is nothing here.');
    void onCallback(`${origin}${url}`).then(
      (it) => reply(response, ...pages[it]),
      () => reply(response, ...pages.failed),
    );
  });
  await new Promise<void>((resolve, reject) => {
    server.once('error', (cause) =>
      reject(
        new HostError('usage', `port ${port} of this machine is in use`, {
          cause,
          hint: 'set another oauth.redirect_port, or use --paste',
        }),
      ),
    );
    server.listen(port, '127.0.0.1', resolve);
  });
  origin = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  return {
    redirectUri: `${origin}/callback`,
    close: () =>
      new Promise((resolve) => {
        const timer = setTimeout(() => server.closeAllConnections(), graceMs);
        server.close(() => {
          clearTimeout(timer);
          resolve();
        });
        server.closeIdleConnections();
      }),
  };
}

function reply(response: ServerResponse, status: number, text: string): void {
  response.writeHead(status, {
    'content-type': 'text/html; charset=utf-8',
    'content-security-policy':
      "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
    'x-content-type-options': 'nosniff',
    'referrer-policy': 'no-referrer',
    'cache-control': 'no-store',
    connection: 'close',
  });
  response.end(
    `<!doctype html><html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width"><title>Toolwharf</title><p>${text}</p></html>\n`,
  );
}
