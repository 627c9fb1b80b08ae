import { pages } from '../pages/pages.js';
import { Link } from '../parts/link.js';
import { connection, signOut, state } from './connection.js';
import { isHelpOpen } from './keyboard.js';

export function Navigation({ current }: { readonly current: string }) {
  return (
    <header class="navigation">
      <p class="brand">Toolwharf</p>
      <nav aria-label="Pages">
        <ul>
          {pages.map(({ path, title, icon, count }) => {
            const open = count?.() ?? 0;
            return (
              <li key={path}>
                <Link to={[path]} current={path === current}>
                  <svg viewBox="0 0 24 24" aria-hidden="true">
                    <path d={icon} />
                  </svg>
                  <span>{title}</span>
                  {open > 0 && <span class="count">{open > 99 ? '99+' : open}</span>}
                </Link>
              </li>
            );
          })}
        </ul>
      </nav>
      <div class="about">
        <p>
          <span class={`dot ${connection.value}`} aria-hidden="true" />
          {connection.value === 'live'
            ? 'Connected'
            : connection.value === 'lost'
              ? 'Not connected'
              : 'Connecting'}
          {state.value !== null && <span class="dim"> · {state.value.version}</span>}
        </p>
        {state.value !== null && <p class="dim">{pinText()}</p>}
        <p class="links">
          <button
            type="button"
            class="text"
            onClick={() => {
              isHelpOpen.value = true;
            }}
          >
            Keys
          </button>
          <button type="button" class="text" onClick={() => void signOut()}>
            Sign out
          </button>
        </p>
      </div>
    </header>
  );
}

function pinText(): string {
  const known = state.value;
  if (known === null) return '';
  if (!known.pinSet) return 'No PIN is set: changes are recorded as unverified';
  if (known.verifiedUntil === null || known.verifiedUntil <= Date.now()) return 'Changes ask for the PIN';
  const time = new Date(known.verifiedUntil).toLocaleTimeString('en-GB', {
    hour: '2-digit',
    minute: '2-digit',
  });
  return `PIN entered, good until ${time}`;
}
