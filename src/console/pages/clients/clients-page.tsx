import { Loaded } from '../../parts/section.js';
import { useLive } from '../../shell/live.js';
import { hostApi } from '../../shell/operations.js';
import type { ConsolePage } from '../page.js';
import { ClientTokens } from './client-tokens.js';
import { ConnectGuide } from './connect-guide.js';
import { ConnectedSessions } from './connected-sessions.js';
import { SetCards } from './set-cards.js';

export const clientsPage: ConsolePage = {
  path: 'clients',
  title: 'Clients',
  key: 'c',
  icon: 'M4 6h16v10H4zM9 20h6M12 16v4',
  view: Clients,
};

function Clients() {
  const sessions = useLive(['clients', 'calls'], () => hostApi.openSessions());
  const tokens = useLive(['clients'], () => hostApi.tokens.list());
  const sets = useLive(['clients'], () => hostApi.sets.list());
  return (
    <div class="page clients">
      <header>
        <h1>Clients</h1>
        <p class="dim">Who may call tools, who does now, and what each of them sees.</p>
      </header>
      <Loaded from={sessions}>
        {(list) => <ConnectedSessions sessions={list} tokens={tokens.value ?? []} />}
      </Loaded>
      <Loaded from={tokens}>{(list) => <ClientTokens tokens={list} sets={sets.value ?? []} />}</Loaded>
      <Loaded from={sets}>{(list) => <SetCards sets={list} tokens={tokens.value ?? []} />}</Loaded>
      <ConnectGuide />
    </div>
  );
}
