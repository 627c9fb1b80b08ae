import type { Server } from 'node:http';
import { HostError } from '../../model/host-error.js';

const loopback = '127.0.0.1';

/** Resolves when the server accepts connections. */
export function listening(
  server: Server,
  { address = loopback, port }: { readonly address?: string; readonly port: number },
): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error: NodeJS.ErrnoException) => {
      const reason = error.code === 'EADDRINUSE' ? 'the port is in use' : String(error.code);
      reject(
        new HostError('usage', `cannot listen on port ${port} of ${address}: ${reason}`, {
          cause: error,
          hint: 'use another port with --port; 0 means any free port',
        }),
      );
    });
    server.listen({ port, host: address, exclusive: true }, () => {
      server.removeAllListeners('error');
      resolve();
    });
  });
}

/** The host part of the URL for an address. The addresses that mean "all interfaces" become loopback. */
export function urlHost(address = loopback): string {
  if (address === '0.0.0.0') return loopback;
  if (address === '::') return '[::1]';
  return address.includes(':') ? `[${address}]` : address;
}
