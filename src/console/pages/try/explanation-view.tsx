import { useEffect, useRef } from 'preact/hooks';
import type { ExplainedLimit, Explanation } from '../../../host/host.js';
import { ruleOriginText } from '../../../model/rule.js';
import { EvidenceList } from '../../parts/evidence-list.js';
import { hostText, networkText } from '../../parts/network-text.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Status, type Tone } from '../../parts/status.js';

const verdicts: Readonly<Record<Explanation['verdict'], readonly [Tone, string, string]>> = {
  allow: ['good', 'would run', 'The call would run now.'],
  ask: ['warning', 'would be held', 'The call would wait for a person.'],
  deny: ['bad', 'would be denied', 'The host would deny the call.'],
  limit: ['bad', 'over a limit', 'The call would exceed a limit.'],
  invalid: ['bad', 'not valid', 'The arguments are not valid.'],
  'not-ready': ['bad', 'not ready', 'The tool cannot run now.'],
};

/** What the host would decide, and by which rule. Nothing runs. */
export function ExplanationView({ explanation }: { readonly explanation: Explanation }) {
  const { verdict, because, evidence = [], problems = [], limits, inactive } = explanation;
  const [tone, word, text] = verdicts[verdict];
  const element = useRef<HTMLElement>(null);
  useEffect(() => {
    // What is wrong is shown at the fields.
    if (verdict !== 'invalid') element.current?.scrollIntoView({ block: 'nearest' });
  }, []);
  return (
    <section class="card explanation" ref={element} aria-label="Explanation">
      <header>
        <h2>Explanation</h2>
        <Status tone={tone}>{word}</Status>
        <p class="dim">{text} Nothing was run.</p>
      </header>
      {problems.length === 0 && (
        <ul class="reasons">
          {because.map((it) => (
            <li key={`${it.text}${ruleOriginText(it.origin)}`}>
              <RevealedText text={it.text} />{' '}
              <span class="dim">
                <RevealedText text={ruleOriginText(it.origin)} />
              </span>
            </li>
          ))}
        </ul>
      )}
      {problems.length > 0 && (
        <ul class="reasons">
          {problems.map(({ pointer, message }) => (
            <li key={`${pointer}${message}`}>
              {pointer !== '' && (
                <code>
                  <RevealedText text={pointer} />
                </code>
              )}{' '}
              <RevealedText text={message} />
            </li>
          ))}
        </ul>
      )}
      <EvidenceList evidence={evidence}>
        {factsOf(explanation).map(([name, texts]) => [
          <dt key={name}>{name}</dt>,
          <dd key={`${name}-texts`}>
            {texts.map((it) => (
              <div key={it}>
                <RevealedText text={it} />
              </div>
            ))}
          </dd>,
        ])}
        {limits.length > 0 && [
          <dt key="limits">Limits</dt>,
          <dd key="limit-texts">
            {limits.map((it) => (
              <div key={limitText(it)}>
                <RevealedText text={limitText(it)} />
              </div>
            ))}
          </dd>,
        ]}
      </EvidenceList>
      {inactive.length > 0 && (
        <div class="note warning">
          <div>
            <p>Settings about this tool that have no effect until you accept them:</p>
            <ul class="reasons">
              {inactive.map((it) => (
                <li key={it.id}>
                  <RevealedText text={it.text} />
                </li>
              ))}
            </ul>
          </div>
        </div>
      )}
    </section>
  );
}

function factsOf(explanation: Explanation): readonly (readonly [string, readonly string[]])[] {
  const { permissions, guardrails, untrustedInputs, trusted } = explanation;
  const { network, filesystem, granted, root, denied } = permissions;
  const rows: readonly (readonly [string, readonly string[]])[] = [
    ['Network', [networkText(network)]],
    ['Files', [filesystem === 'none' || root === undefined ? filesystem : `${filesystem}: ${root}`]],
    [
      'Granted',
      [
        ...granted.network.map(hostText),
        ...granted.read.map((it) => `read ${it}`),
        ...granted.write.map((it) => `write ${it}`),
        ...granted.environment.map((it) => `the variable ${it}`),
      ],
    ],
    ['Denied', denied],
    ['Untrusted inputs', untrustedInputs],
    ['Answers', trusted ? ['trusted by the configuration'] : []],
    ['Rejects', guardrails.denyPatterns.map((it) => it.value)],
    ['Removes from arguments', guardrails.redact.map((it) => it.value)],
    ['Keeps in answers', guardrails.exempt],
  ];
  return rows.filter(([, texts]) => texts.length > 0);
}

function limitText({ kind, most, per, left, origin }: ExplainedLimit): string {
  const what = {
    length: 'characters of arguments, at most',
    amount: 'amount, at most',
    ask_above: 'a person is asked above',
    rate: 'calls, at most',
    spend: 'amount in all, at most',
  }[kind];
  const window = per === undefined ? '' : ` per ${String(per)}`;
  return `${what} ${most.toLocaleString('en')}${window}${left === undefined ? '' : `, ${left.toLocaleString('en')} left`} (${ruleOriginText(origin)})`;
}
