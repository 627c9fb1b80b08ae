import type { PackageState } from '../../../host/host.js';
import { hostText, networkText } from '../../parts/network-text.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';
import { useLive } from '../../shell/live.js';
import { sessionApi } from '../../shell/operations.js';

/** What the manifest asks for, what calls may use here, and what the sandbox really enforces. */
export function PackagePermissions({ id, state }: { readonly id: string; readonly state: PackageState }) {
  const { package: pkg, sandbox, narrowed, tools } = state;
  const [first] = tools;
  const explained = useLive(
    ['packages', 'values'],
    async () => (first === undefined ? null : sessionApi.explain({ tool: `${id}/${first.name}` })),
    `${id}/${first?.name}`,
  );
  if (pkg === undefined) return null;
  const { network, filesystem, folders = [], scopes } = pkg.permissions;
  const may = explained.value?.permissions;
  // A narrowing is stored as denials of its package, and is said in its own words.
  const isNarrowing = (it: string) => it.startsWith(`${id}=net:* except`) || it === `${id}=write:*`;
  const denied = (may?.denied ?? []).filter((it) => narrowed === undefined || !isNarrowing(it));
  return (
    <Section title="Permissions">
      <div class="columns three">
        <div class="card">
          <h3>Requested</h3>
          <dl class="facts">
            <dt>Network</dt>
            <dd>
              <RevealedText text={networkText(network)} />
            </dd>
            <dt>Files</dt>
            <dd>
              <RevealedText
                text={[
                  filesystem,
                  ...folders.map((it) => `${it.writable ? 'write' : 'read'} ${it.path}`),
                ].join(', ')}
              />
            </dd>
            {scopes.map((it) => [
              <dt key={it.resource}>
                <RevealedText text={it.resource} />
              </dt>,
              <dd key={`${it.resource}-text`}>
                <RevealedText text={`${it.verbs.join(', ')}: ${it.rationale}`} />
              </dd>,
            ])}
          </dl>
        </div>
        <div class="card">
          <h3>Granted</h3>
          {may === undefined ? (
            <p class="dim">
              {explained.error?.message ??
                (first === undefined ? 'It has no tool that could be called.' : 'Loading…')}
            </p>
          ) : (
            <dl class="facts">
              {narrowed !== undefined && [
                <dt key="narrowed">Narrowed to</dt>,
                <dd key="narrowed-text" class="strong">
                  <RevealedText text={narrowed.join(', ')} />
                </dd>,
              ]}
              <dt>{narrowed === undefined ? 'Network' : 'Network without that'}</dt>
              <dd>
                <RevealedText
                  text={[networkText(may.network), ...may.granted.network.map(hostText)].join(', ')}
                />
              </dd>
              <dt>{narrowed === undefined ? 'Files' : 'Files without that'}</dt>
              <dd>
                <RevealedText
                  text={[
                    may.filesystem,
                    ...(may.root === undefined ? [] : [`in ${may.root}`]),
                    ...may.granted.read.map((it) => `read ${it}`),
                    ...may.granted.write.map((it) => `write ${it}`),
                  ].join(', ')}
                />
              </dd>
              {denied.length > 0 && [
                <dt key="denied">Denied</dt>,
                <dd key="denied-text">
                  <RevealedText text={denied.join(', ')} />
                </dd>,
              ]}
            </dl>
          )}
        </div>
        <div class="card">
          <h3>Probed</h3>
          <dl class="facts">
            <dt>Sandbox</dt>
            <dd>{sandboxTexts[sandbox]}</dd>
            {(state.programs ?? []).map((it) => [
              <dt key={it.name}>
                <RevealedText text={it.name} />
              </dt>,
              <dd key={`${it.name}-text`}>
                <RevealedText text={it.reason === undefined ? it.state : `${it.state}: ${it.reason}`} />
              </dd>,
            ])}
          </dl>
        </div>
      </div>
    </Section>
  );
}

const sandboxTexts: Readonly<Record<PackageState['sandbox'], string>> = {
  enforced: 'Enforced: a test inside showed that everything not granted is out of reach.',
  degraded: 'Degraded: enforced, except for totals of memory or disk.',
  'declared-only': 'Declared only: its code runs elsewhere, so nothing is enforced here.',
  none: 'None: it runs without a sandbox.',
};
