import { useSignal } from '@preact/signals';
import { useId } from 'preact/hooks';
import type { DeclaredValue, SecretAudience, SecretEntry } from '../../../host/host.js';
import type { Package } from '../../../model/package.js';
import type { Slot } from '../../../model/slot.js';
import { Button } from '../../parts/button.js';
import { confirmWith } from '../../parts/confirmation-dialog.js';
import { RevealedText } from '../../parts/revealed-text.js';
import { Loaded, Section } from '../../parts/section.js';
import { Status } from '../../parts/status.js';
import { TimeText } from '../../parts/time-text.js';
import { useLive } from '../../shell/live.js';
import { hostApi, me } from '../../shell/operations.js';
import { attempt } from '../../shell/toasts.js';

/** The secrets and settings of a package. Values can be written, never read. */
export function PackageValues({ pkg }: { readonly pkg: Package }) {
  const stored = useLive(
    ['values'],
    async () => (await hostApi.secrets.list()).filter((it) => it.package === pkg.id),
    pkg.id,
  );
  // Values of the host itself that its calls need, such as the key of the token broker.
  const shared = useLive(
    ['values'],
    async () => (await hostApi.secrets.declared(pkg.id)).filter((it) => it.package !== pkg.id),
    pkg.id,
  );
  const slots = pkg.slots.filter((it) => it.source.kind === 'operator');
  if (slots.length === 0 && (shared.value ?? []).length === 0) return null;
  return (
    <Section title="Secrets and settings">
      {slots.length > 0 && (
        <Loaded from={stored}>
          {(entries) =>
            slots.map((it) => (
              <SlotForm
                key={it.name}
                pkg={pkg.id}
                slot={it}
                entry={entries.find((set) => set.slot === it.name)}
              />
            ))
          }
        </Loaded>
      )}
      {(shared.value ?? []).map((it) => (
        <SharedValueForm key={it.slot} value={it} />
      ))}
    </Section>
  );
}

/** A secret that belongs to the host, and that all packages with such a sign-in use. */
function SharedValueForm({ value: { package: owner, slot, label, missing } }: SharedValueProps) {
  const value = useSignal('');
  const save = async (event: Event) => {
    event.preventDefault();
    const isSaved = await attempt(async () => {
      const given = { package: owner, slot, value: value.value, audience: { kind: 'manifest' } as const };
      await hostApi.secrets.set({ ...given, by: me });
      return `The ${label} was saved.`;
    });
    if (isSaved) value.value = '';
  };
  return (
    <form class="card slot" onSubmit={save} autocomplete="off">
      <header>
        <h3>{label.charAt(0).toUpperCase() + label.slice(1)}</h3>
        {missing ? <Status tone="warning">missing</Status> : <Status tone="good">set</Status>}
        <p class="dim">{slot}, secret · only this host uses it, for the sign-ins of all packages</p>
      </header>
      <input
        type="password"
        autocomplete="off"
        aria-label={label}
        value={value.value}
        onInput={(event) => {
          value.value = event.currentTarget.value;
        }}
      />
      <div class="actions">
        <Button kind="primary" type="submit" disabled={value.value === ''}>
          {missing ? 'Save' : 'Replace'}
        </Button>
      </div>
    </form>
  );
}

interface SharedValueProps {
  readonly value: DeclaredValue;
}

interface SlotFormProps {
  readonly pkg: string;
  readonly slot: Slot;
  readonly entry: SecretEntry | undefined;
}

function SlotForm({ pkg, slot, entry }: SlotFormProps) {
  const value = useSignal('');
  const hosts = useSignal('');
  const help = useId();
  const { name, label, prompt, required, secret, audience, obtainUrl } = slot;
  const needsHosts = secret && audience.kind === 'unbound';
  const save = async (event: Event) => {
    event.preventDefault();
    const isSaved = await attempt(async () => {
      const given = {
        package: pkg,
        slot: name,
        value: value.value,
        audience: audienceOf(needsHosts, hosts.value),
      };
      await hostApi.secrets.set({ ...given, by: me });
      return `${label} was saved.`;
    });
    // The value is not kept in the page either.
    if (isSaved) value.value = '';
  };
  const unset = async () => {
    const isSure = await confirmWith({
      title: `Delete ${label}?`,
      text: <p>Calls that need it fail until it is set again.</p>,
      yes: 'Delete',
      danger: true,
    });
    if (isSure)
      await attempt(async () => {
        await hostApi.secrets.unset(pkg, name, me);
        return `${label} was deleted.`;
      });
  };
  return (
    <form class="card slot" onSubmit={save} autocomplete="off">
      <header>
        <h3>
          <RevealedText text={label} />
          {required && (
            <span class="required" title="required">
              {' '}
              *<span class="sr-only"> required</span>
            </span>
          )}
        </h3>
        {entry !== undefined ? (
          <Status tone="good">set</Status>
        ) : required && slot.default === undefined ? (
          <Status tone="warning">missing</Status>
        ) : (
          <Status tone="neutral">not set</Status>
        )}
        <p class="dim" id={help}>
          <RevealedText
            text={[prompt ?? '', `${name}, ${secret ? 'secret' : 'setting'}`].filter(Boolean).join(' · ')}
          />
          {' · '}
          <RevealedText text={recipientsText(slot, entry)} />
          {entry !== undefined && (
            <>
              {' · set '}
              <TimeText at={entry.setAt} />
            </>
          )}
        </p>
        {obtainUrl !== undefined && (
          <p class="dim">
            Get it at <RevealedText text={obtainUrl} />
          </p>
        )}
      </header>
      <SlotInput
        slot={slot}
        value={value.value}
        help={help}
        onInput={(text) => {
          value.value = text;
        }}
      />
      {needsHosts && (
        <label>
          Hosts that may receive it
          <input
            value={hosts.value}
            placeholder="api.example.com, other.example.com"
            onInput={(event) => {
              hosts.value = event.currentTarget.value;
            }}
          />
          <span class="dim">
            Its manifest names none. Without a host, nobody receives it and the package has no network.
          </span>
        </label>
      )}
      <div class="actions">
        <Button kind="primary" type="submit" disabled={value.value === ''}>
          {entry === undefined ? 'Save' : 'Replace'}
        </Button>
        {entry !== undefined && (
          <Button kind="danger" onClick={unset}>
            Delete
          </Button>
        )}
      </div>
    </form>
  );
}

interface SlotInputProps {
  readonly slot: Slot;
  readonly value: string;
  readonly help: string;
  readonly onInput: (text: string) => void;
}

/** Masked for secrets; a choice, a number or a file where the manifest says so. */
function SlotInput({ slot, value, help, onInput }: SlotInputProps) {
  const { type, choices = [], secret, plainEntry, label } = slot;
  const options = type === 'boolean' ? ['true', 'false'] : choices;
  const common = {
    value,
    'aria-label': label,
    'aria-describedby': help,
    autocomplete: 'off',
    spellcheck: false,
  } as const;
  if (options.length > 0)
    return (
      <select {...common} onInput={(event) => onInput(event.currentTarget.value)}>
        <option value="">{slot.default === undefined ? 'Choose…' : `default: ${slot.default}`}</option>
        {options.map((it) => (
          <option key={it} value={it}>
            {it}
          </option>
        ))}
      </select>
    );
  if (type === 'json')
    return (
      <div class="file-entry">
        <textarea
          {...common}
          rows={4}
          class={secret && plainEntry !== true ? 'masked' : undefined}
          placeholder="Paste JSON, or choose a file"
          onInput={(event) => onInput(event.currentTarget.value)}
        />
        <input
          type="file"
          accept="application/json,.json"
          aria-label={`${label}: choose a file`}
          onChange={async (event) => {
            const [file] = event.currentTarget.files ?? [];
            if (file !== undefined) onInput(await file.text());
          }}
        />
      </div>
    );
  if (secret && plainEntry !== true)
    return <input {...common} type="password" onInput={(event) => onInput(event.currentTarget.value)} />;
  return (
    <input
      {...common}
      inputMode={type === 'number' ? 'decimal' : undefined}
      placeholder={slot.default === undefined ? '' : `default: ${slot.default}`}
      onInput={(event) => onInput(event.currentTarget.value)}
    />
  );
}

function audienceOf(needsHosts: boolean, text: string): SecretAudience {
  const hosts = text.split(/[\s,]+/).filter((it) => it !== '');
  return needsHosts && hosts.length > 0 ? { kind: 'hosts', hosts } : { kind: 'manifest' };
}

function recipientsText({ secret, audience }: Slot, entry: SecretEntry | undefined): string {
  if (!secret || audience.kind === 'public') return 'not a secret';
  if (entry?.audience.kind === 'any') return 'any host may receive it';
  if (entry === undefined && audience.kind === 'unbound') return 'you choose who may receive it';
  const hosts =
    entry?.audience.kind === 'hosts' ? entry.audience.hosts : audience.kind === 'hosts' ? audience.hosts : [];
  return hosts.length === 0 ? 'no host may receive it' : `only ${hosts.join(', ')} may receive it`;
}
