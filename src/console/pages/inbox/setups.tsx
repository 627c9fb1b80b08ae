import type { PackageState } from '../../../host/host.js';
import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Section } from '../../parts/section.js';

/** Packages that wait for a value, or for something that is not installed. */
export function Setups({ packages }: { readonly packages: readonly PackageState[] }) {
  if (packages.length === 0) return null;
  return (
    <Section title="Packages to set up">
      {packages.map(({ id, path, reasons }) => (
        <article key={path} class="card item">
          <div>
            <h3>
              <RevealedText text={id ?? path} />
            </h3>
            <ul>
              {reasons.map((it) => (
                <li key={it}>
                  <RevealedText text={it} />
                </li>
              ))}
            </ul>
          </div>
          {id !== null && (
            <Link to={['packages', id]} class="button">
              Set it up
            </Link>
          )}
        </article>
      ))}
    </Section>
  );
}
