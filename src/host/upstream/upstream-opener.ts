import { type CancelSignal, neverCanceled } from '../../model/cancel-signal.js';
import { HostError } from '../../model/host-error.js';
import type { JsonObject } from '../../model/json.js';
import type { Package } from '../../model/package.js';
import { type Program, runsHere } from '../../model/program.js';
import { serverRequestsOf } from '../../model/server-request.js';
import { shellQuote } from '../../model/shell-quote.js';
import type { SlotValues } from '../../model/slot.js';
import type { NetworkReach } from '../../net/destination.js';
import type { SandboxProfile } from '../../run/sandbox-command.js';
import type { AccessTokens } from '../../run/upstream/access-tokens.js';
import type { Upstream, UpstreamAnnouncement } from '../../run/upstream/upstream.js';
import type { ActionServices } from '../call/action-runner.js';
import { cleanFailure } from '../call/output-scan.js';
import type { CallScan } from '../call/secret-scanner.js';
import type { KillSwitch } from '../operator/kill-switch.js';
import type { Violations } from '../operator/violations.js';
import type { InstalledPlace } from '../packages/installation-index.js';
import type { StartTrials } from '../packages/start-trials.js';
import type { SessionSetup } from '../session-setup.js';
import { announcementRecorder } from './announcement-recorder.js';
import type { ProgramRef } from './announcement-registry.js';
import { coalesce } from './coalesce.js';
import { ComparedUpstream, type ComparedUpstreamOptions } from './compared-upstream.js';
import { programLog } from './program-log.js';
import type { UpstreamTarget } from './upstream-connections.js';
import type { UpstreamServices } from './upstream-services.js';

/** An upstream to start or to connect to, for one caller. */
export interface UpstreamOpening {
  readonly package: Package;
  /** Path of the manifest, for messages. */
  readonly file: string;
  /** Set if the package is installed. */
  readonly installed: InstalledPlace | undefined;
  readonly program: Program;
  readonly ref: ProgramRef;
  readonly slots: SlotValues;
  readonly reach: NetworkReach;
  /** For a server that people may sign in to. */
  readonly tokens: AccessTokens | undefined;
  readonly natsUrl: string | null;
  /** Null for a program that does not run on this machine. */
  readonly profile: SandboxProfile | null;
  readonly scan: () => Promise<CallScan>;
  /** Ends the running program, so that the next use starts it again. */
  readonly end: (reason: string) => Promise<void>;
}

interface UpstreamOpenerServices {
  readonly upstreams: UpstreamServices;
  readonly actions: ActionServices;
  readonly kills: KillSwitch;
  readonly startTrials: StartTrials;
  readonly violations: Violations;
}

const handshakeTimeoutMs = 10_000;
/** A server with many dependencies takes seconds to load them, on a busy machine tens of seconds. */
const startTimeoutMs = 30_000;
/** Minimum time between two requests for a changed announcement. */
const refreshIntervalMs = 1000;

/**
 * Opens an upstream and cleans its texts: people and models read its announcement, its log and its errors as they
 * read a result. Its announcement is compared with the accepted one before it gets any request.
 */
export function upstreamOpener(
  {
    package: pkg,
    file,
    installed,
    program,
    ref,
    slots,
    reach,
    tokens,
    natsUrl,
    profile,
    scan,
    end,
  }: UpstreamOpening,
  { upstreams, actions, kills, startTrials, violations }: UpstreamOpenerServices,
  setup: SessionSetup,
): Pick<UpstreamTarget<ComparedUpstream>, 'open' | 'redact'> {
  const { announcements } = upstreams;
  const { principal, parse } = setup;
  let lastScan: CallScan | undefined;
  const connectAndCompare = async (signal: CancelSignal, callScan: CallScan): Promise<ComparedUpstream> => {
    let hasEnded = false;
    let wasChanged = false;
    let compared: ComparedUpstream | undefined;
    const refresh = async () => {
      upstreams.onLog?.(pkg.id, `${program.name} reports that its tools changed`);
      const deadline = { timeoutMs: handshakeTimeoutMs, signal: neverCanceled };
      await compared?.compare(deadline).catch(() => end('its tools changed'));
    };
    const connect = await upstreams.connect[program.protocol === 'nexo' ? 'nexo' : 'mcp']();
    const opened = await connect({
      package: pkg,
      program,
      agentVersion: parse.agentVersion,
      slots,
      openProfile: async () => {
        if (profile === null) throw new Error('only a process has a sandbox profile');
        return profile;
      },
      serverRequests: serverRequestsOf(setup.policy.serverRequests, pkg.id),
      workspace: setup.root,
      processServices: actions.processServices,
      client: actions.client,
      reach,
      tokens,
      natsUrl,
      lastRevision: announcements.get(ref)?.agreed.revision,
      timeoutMs: profile === null ? handshakeTimeoutMs : startTimeoutMs,
      signal,
      onLog: programLog(scan, upstreams.onLog === null ? null : (line) => upstreams.onLog?.(pkg.id, line)),
      onChange: coalesce(async () => {
        if (!hasEnded) await refresh();
      }, refreshIntervalMs),
      onOutdated: () => {
        wasChanged = true;
        compared?.markChanged();
      },
    });
    void opened.ended.then(() => {
      hasEnded = true;
    });
    try {
      const announced = await cleanAnnouncement(callScan, opened.announced);
      const recorder = announcementRecorder(pkg, ref, upstreams, (names) => {
        const detail = `its program announces ${names.slice(0, 5).join(', ')} differently than accepted`;
        // The session that opened the connection may be gone: another one with the same owner uses it then.
        violations.report(
          { package: pkg.id, kind: 'announcement', detail },
          violations.userOf(pkg.id, setup),
        );
      });
      await recorder.record(announced);
      compared = new ComparedUpstream(opened, {
        name: `${pkg.id} (${program.name})`,
        ...{ announced, wasChanged, ...recorder },
        isOutside: !runsHere(program),
        list: lister(opened, scan),
        reviewHint: `review it: toolwharf review ${shellQuote(pkg.id)} --dir ${shellQuote(file)}`,
        now: upstreams.now,
      });
      return compared;
    } catch (error) {
      await opened.close('its announcement cannot be stored');
      throw error;
    }
  };
  return {
    async open(signal) {
      // The call pipeline checked this earlier, but the start may have waited, and not every start belongs to a call.
      kills.assertNotKilled({ principal, package: pkg.id });
      const callScan = await scan();
      lastScan = callScan;
      try {
        const connected = await connectAndCompare(signal, callScan);
        await upstreams.failedStarts.started(ref);
        if (runsHere(program)) await startTrials.started(installed);
        await upstreams.requestedSignIns.remove(pkg.id, program.name);
        return connected;
      } catch (error) {
        const failure = await cleanFailure(callScan, error);
        if (!(failure instanceof HostError) || signal.aborted) throw failure;
        await upstreams.failedStarts.failed(ref, failure);
        throw runsHere(program) ? await startTrials.notStarted(installed, failure) : failure;
      }
    },
    redact: (text) => lastScan?.cleanShortText(text) ?? '',
  };
}

/** Announces again, if the program can. Neither the announcement nor a failure contains secrets. */
function lister(upstream: Upstream, scan: () => Promise<CallScan>): ComparedUpstreamOptions['list'] {
  if (upstream.announce === undefined) return null;
  return async (deadline) => {
    const callScan = await scan();
    try {
      const announced = await upstream.announce?.(deadline);
      if (announced === undefined) throw new Error('the program cannot announce again');
      return await cleanAnnouncement(callScan, announced);
    } catch (error) {
      throw await cleanFailure(callScan, error);
    }
  };
}

/** The announcement without secrets that the program received. */
async function cleanAnnouncement(
  scan: CallScan,
  announced: UpstreamAnnouncement,
): Promise<UpstreamAnnouncement> {
  const { value, findings, stripped } = await scan.clean(announced as unknown as JsonObject);
  const clean = value as unknown as UpstreamAnnouncement;
  if (findings.length > 0) return clean;
  // Tools keep their hidden characters: such a tool is left out later, while a cleaned one would look harmless.
  return stripped ? { ...clean, tools: announced.tools } : announced;
}
