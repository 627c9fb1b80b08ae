import type { Plan } from '../../host/host.js';
import { RevealedText } from './revealed-text.js';

/** What an installation would do, for the person who agrees to exactly that. */
export function PlanView({ plan }: { readonly plan: Plan }) {
  const { package: pkg, permissions, changes } = plan;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Package', [`${pkg.id} ${pkg.version}, ${pkg.format}`]],
    ['Exactly', [plan.resolved]],
    ['Runs', plan.programs],
    ['Network', permissions.network.length === 0 ? ['none'] : permissions.network],
    ['Files', [permissions.filesystem, ...permissions.folders]],
    ['Variables', permissions.env],
    ['Uses', plan.scopes.map((it) => `${it.resource} (${it.verbs.join(', ')}): ${it.rationale}`)],
    ['You agree to', plan.requires],
    ['Also granted', plan.grants],
    [
      'Asks for',
      plan.credentials.map(
        (it) => `${it.label}${it.required ? ' (required)' : ''}${it.isSet ? ', set' : ''}`,
      ),
    ],
    ['Fetches', plan.dependencies],
    ['Smoke test', plan.smoke === undefined ? [] : [plan.smoke]],
    ['Revoked by', plan.killSwitch === undefined ? [] : [plan.killSwitch]],
    ['Sandbox', [plan.sandbox]],
    ['Breaking', changes?.breaking ?? []],
    ['New', changes?.additive ?? []],
    ['Tools', pkg.tools.map((it) => `${it.name} (${it.effect}): ${it.description}`)],
    ['Digest', [plan.digest]],
  ];
  return (
    <>
      {plan.blockers.map((it) => (
        <p key={it} class="note bad">
          <RevealedText text={it} />
        </p>
      ))}
      {plan.warnings.map((it) => (
        <p key={it} class="note warning">
          <RevealedText text={it} />
        </p>
      ))}
      <dl class="facts plan">
        {rows
          .filter(([, texts]) => texts.length > 0)
          .map(([title, texts]) => [
            <dt key={title}>{title}</dt>,
            <dd key={`${title}-texts`}>
              {texts.map((it) => (
                <div key={it}>
                  <RevealedText text={it} />
                </div>
              ))}
            </dd>,
          ])}
      </dl>
    </>
  );
}
