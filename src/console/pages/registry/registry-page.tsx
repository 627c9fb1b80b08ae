import { Publications } from '../../parts/publications.js';
import { Loaded } from '../../parts/section.js';
import { useLive } from '../../shell/live.js';
import { sessionApi } from '../../shell/operations.js';
import { publicationCount, publications } from '../inbox/inbox.js';
import type { ConsolePage } from '../page.js';
import { RegistryGuide } from './registry-guide.js';
import { RegistryList } from './registry-list.js';
import { RegistryPackagePage } from './registry-package-page.js';
import { RegistrySearchList } from './registry-search-list.js';

export const registryPage: ConsolePage = {
  path: 'registry',
  title: 'Registry',
  key: 'r',
  icon: 'M4 6c0-4 16-4 16 0v12c0 4-16 4-16 0zM4 6c0 4 16 4 16 0M4 12c0 4 16 4 16 0',
  view: Registry,
  count: publicationCount,
};

function Registry({ rest }: { readonly rest: readonly string[] }) {
  return rest.length === 0 ? <Registries /> : <RegistryPackagePage name={rest.join('/')} />;
}

/** What the registries of this host have, and what waits there for a person. */
function Registries() {
  const registries = useLive([], () => sessionApi.registries.list());
  return (
    <div class="page registry">
      <header>
        <h1>Registry</h1>
        <p class="dim">Where packages come from.</p>
      </header>
      <Loaded from={registries}>
        {(known) =>
          known.length === 0 ? (
            <RegistryGuide />
          ) : (
            <>
              <RegistrySearchList />
              <Publications from={publications.value} />
              <RegistryList registries={known} />
            </>
          )
        }
      </Loaded>
    </div>
  );
}
