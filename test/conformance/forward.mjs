// Stands between the suite and the server on loopback: the suite cannot send a token, and has nobody to change a list.
import { createServer, request } from 'node:http';

/** The call whose connection is lost after the first event, as a proxy with a short timeout does. */
const broken = 'test_reconnection';

/** `flips`: calls that the suite makes to have a list changed, with the package that is switched off and on again for it. */
export async function openForward({ mcp, api, token, agentToken }, flips = {}) {
  const { port: target } = new URL(mcp);
  const server = createServer((asked, answer) => {
    pass(asked, answer).catch(() => answer.destroy());
  });
  const pass = async (asked, answer) => {
    const chunks = [];
    for await (const chunk of asked) chunks.push(chunk);
    const body = Buffer.concat(chunks);
    const flipped = flips[called(body)];
    if (flipped !== undefined) await flip(api, token, flipped);
    // Names that are not ours go through as they are: refusing them is what is tested.
    const own = (value) =>
      value.replace(/((127\.0\.0\.1|localhost):)(\d+)$/, (all, name, _, port) =>
        port === String(server.address().port) ? `${name}${target}` : all,
      );
    const { host = '', origin, ...rest } = asked.headers;
    const headers = { ...rest, host: own(host), authorization: `Bearer ${agentToken}` };
    if (origin !== undefined) headers.origin = own(origin);
    const onward = request(
      { host: '127.0.0.1', port: target, path: asked.url, method: asked.method, headers },
      (got) => {
        answer.writeHead(got.statusCode, got.headers);
        answer.flushHeaders();
        const isStream = got.headers['content-type'] === 'text/event-stream';
        if (isStream && called(body) === broken) endAfterEvent(got, answer);
        else got.pipe(answer);
      },
    );
    onward.on('error', () => answer.destroy());
    answer.on('close', () => onward.destroy());
    onward.end(body);
  };
  await new Promise((resolve) => server.listen(0, '127.0.0.1', resolve));
  return {
    url: `http://127.0.0.1:${server.address().port}/mcp`,
    close() {
      server.closeAllConnections();
      return new Promise((resolve) => server.close(resolve));
    },
  };
}

function endAfterEvent(got, answer) {
  let begun = '';
  got.on('data', (chunk) => {
    begun += chunk;
    const end = begun.indexOf('\n\n');
    if (end === -1) return;
    answer.end(begun.slice(0, end + 2));
    got.destroy();
  });
}

function called(body) {
  try {
    return JSON.parse(body.toString('utf8'))?.params?.name;
  } catch {
    return undefined;
  }
}

async function flip(api, token, of) {
  for (const enabled of [false, true]) {
    const answer = await fetch(`${api}/switches/${of}`, {
      method: 'PUT',
      headers: { authorization: `Bearer ${token}`, 'content-type': 'application/json' },
      body: JSON.stringify({ enabled }),
    });
    if (!answer.ok) throw new Error(`switching ${of} answered ${answer.status}: ${await answer.text()}`);
  }
}
