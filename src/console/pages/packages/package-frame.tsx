import { Link } from '../../parts/link.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded } from '../../parts/section.js';
import { useLive } from '../../shell/live.js';
import { framedPage } from '../../shell/operations.js';

/** The static page of a package. It runs in a frame that reaches neither this page nor a network. */
export function PackageFrame({ id }: { readonly id: string }) {
  const path = useLive([], () => framedPage(id), id);
  return (
    <div class="page">
      <p class="crumbs">
        <Link to={['packages']}>Packages</Link> ›{' '}
        <Link to={['packages', id]}>
          <RevealedText text={id} />
        </Link>
      </p>
      <header>
        <h1>
          The page of <RevealedText text={id} />
        </h1>
        <p class="dim">
          Its author wrote what is below. It cannot read this console, call tools or use a network.
        </p>
      </header>
      <Loaded from={path}>
        {(src) => (
          <iframe
            class="package-frame"
            title={`The page of ${id}`}
            sandbox="allow-scripts"
            referrerpolicy="no-referrer"
            src={src}
          />
        )}
      </Loaded>
    </div>
  );
}
