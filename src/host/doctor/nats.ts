import { HostError } from '../../model/host-error.js';
import { connectNats, parseNatsUrl } from '../../run/nexo/nats-server.js';
import type { Check } from '../host.js';

const timeoutMs = 3000;

/** Connects to the configured NATS server and closes the connection again. */
export async function checkNats(url: string): Promise<Check> {
  const id = 'nats';
  try {
    const server = parseNatsUrl(url);
    const { connection } = await connectNats(server, timeoutMs);
    const version = connection.info?.version ?? 'unknown';
    await connection.close();
    return { id, status: 'ok', message: `the NATS server at ${server.address} answers, version ${version}` };
  } catch (error) {
    if (!(error instanceof HostError)) throw error;
    const { message, hint } = error;
    return { id, status: 'fail', message, ...(hint === undefined ? {} : { fix: hint }) };
  }
}
