// Cases for a host in the middle (agent-egress-bench), judged by the code that stands in the middle here: the scan of
// arguments, and the egress policy of a sandbox. Names are not looked up; each is taken to have a public address.
import { corpus } from './corpus.mjs';
import { noSettings, setting } from './look.mjs';

/** Whole categories, never single cases. */
const applied = [
  'mcp_input',
  'encoding_evasion',
  'url',
  'headers',
  'request_body',
  'ssrf_bypass',
  'hostname_exfiltration',
  'false_positive',
];

export const notApplied = {
  a2a_agent_card: 'no agent-to-agent protocol is spoken',
  a2a_message: 'no agent-to-agent protocol is spoken',
  crypto_financial: 'personal data is taken out where a manifest asks for it, not by default',
  mcp_chain: 'what a tool may read and reach is bound by its grant, not guessed from the order of calls',
  mcp_tool: 'what a description means is not judged; a change of it is held',
  response_fetch: 'what text means is not judged here',
  response_mitm: 'what text means is not judged here',
  shell_obfuscation: 'commands are argument lists in a sandbox; no shell text is analysed',
  websocket_dlp: 'frames are inside TLS between a confined process and a host it was allowed',
};

const publicAddress = ['93.184.215.14'];

export async function egressCases(parts) {
  const all = corpus('agent-egress-bench');
  if (all === undefined) return undefined;
  const { scanner } = parts;
  const scan = await new scanner.SecretScanner(
    { all: async () => [], generation: () => 0 },
    noSettings,
  ).forCall(fetcher, new Map(), setting);
  const cases = all.filter((it) => applied.includes(it.category));
  const hosts = [
    ...new Set(
      cases
        .filter((it) => it.expected_verdict === 'allow')
        .flatMap(urlsOf)
        .map((it) => new URL(it).hostname),
    ),
  ];
  const result = {
    applied: applied.length,
    block: 0,
    contained: 0,
    byContent: 0,
    byPlace: 0,
    allow: 0,
    falseBlocks: 0,
    missed: [],
    wrong: [],
  };
  for (const it of cases) {
    const content = await refusedByContent(parts, scan, it);
    const place = await refusedByPlace(parts, hosts, it);
    if (it.expected_verdict === 'block') {
      result.block++;
      if (content) result.byContent++;
      if (place) result.byPlace++;
      if (content || place) result.contained++;
      else result.missed.push(it.id);
    } else {
      result.allow++;
      if (!content && !place) continue;
      result.falseBlocks++;
      result.wrong.push(it.id);
    }
  }
  return result;
}

/** A tool that fetches: it could pass on whatever it is given. */
const fetcher = {
  id: 'fetcher',
  slots: [],
  permissions: { network: { kind: 'public' }, filesystem: 'none' },
};
const tool = { name: 'fetch', effect: 'write', action: { kind: 'exec' } };

async function refusedByContent({ entry }, scan, { payload }) {
  const { jsonrpc_messages: messages, response_body: body, ...request } = payload;
  if (body !== undefined) return (await scan.clean(body)).findings.length > 0;
  for (const { params, result } of messages ?? []) {
    if (params !== undefined && (await isRefused(entry, params.arguments ?? {}, scan))) return true;
    if (result !== undefined && (await scan.clean(result)).findings.length > 0) return true;
  }
  return messages === undefined && (await isRefused(entry, request, scan));
}

async function isRefused(entry, input, scan) {
  try {
    await entry.assertNoForeignSecrets(fetcher, tool, input, scan);
    return false;
  } catch (error) {
    if (error.code === 'guardrail') return true;
    throw error;
  }
}

/** Hosts of the harmless cases are allowed; every other name or address is where nobody agreed to. */
async function refusedByPlace({ destination, egress }, hosts, it) {
  const reach = { hosts: hosts.map((host) => ({ host, port: null })), granted: [] };
  for (const url of urlsOf(it)) {
    const to = egress.requestTarget(url);
    if (to === null) return true;
    try {
      egress.checkHostName(to, false, { reach, anyPublic: false, holdsSecret: false });
      await destination.allowedAddresses(
        to,
        reach,
        async () => publicAddress,
        () => [],
      );
    } catch (error) {
      if (error.code === 'network_denied') return true;
      throw error;
    }
  }
  return false;
}

/** Where a request goes, by itself or as the address that a tool is told to fetch. */
function urlsOf({ payload, category }) {
  const given = (payload.jsonrpc_messages ?? []).map((it) => it.params?.arguments?.url);
  const own = category === 'false_positive' && payload.response_body !== undefined ? [] : [payload.url];
  return [...own, ...given].filter((it) => typeof it === 'string');
}
