import { useSignal } from '@preact/signals';
import { chatgptSteps, type KnownClient, knownClients } from '../../../model/known-clients.js';
import { CommandText } from '../../parts/command-text.js';
import { Section } from '../../parts/section.js';
import { sentence } from '../../parts/sentence.js';

const clients: readonly (readonly [string, KnownClient])[] = Object.entries(knownClients);

/** How each client is connected, with the commands to copy. */
export function ConnectGuide() {
  const chosen = useSignal(clients[0]?.[0] ?? '');
  const client = clients.find(([name]) => name === chosen.value)?.[1];
  const address = `${location.origin}/mcp`;
  return (
    <Section title="Connect a client">
      <div class="card guide">
        <label>
          Client
          <select
            value={chosen.value}
            onInput={(event) => {
              chosen.value = event.currentTarget.value;
            }}
          >
            {clients.map(([name, { title }]) => (
              <option key={name} value={name}>
                {title}
              </option>
            ))}
            <option value="chatgpt">ChatGPT</option>
            <option value="other">Another MCP client</option>
          </select>
        </label>
        {client !== undefined && <FileClient name={chosen.value} client={client} address={address} />}
        {chosen.value === 'chatgpt' && (
          <ol class="numbered">
            {chatgptSteps(location.protocol === 'https:' ? address : undefined).map((it) => (
              <li key={it}>{it}</li>
            ))}
          </ol>
        )}
        {chosen.value === 'other' && (
          <>
            <p>A client that starts a program starts this, with the folder of the tools:</p>
            <CommandText text="toolwharf mcp DIR" />
            <p>A client that uses a URL needs this address and a token from above:</p>
            <CommandText text={address} what="the address" />
          </>
        )}
      </div>
    </Section>
  );
}

interface FileClientProps {
  readonly name: string;
  readonly client: KnownClient;
  readonly address: string;
}

function FileClient({ name, client: { title, http, next }, address }: FileClientProps) {
  return (
    <>
      <p>
        On the machine with {title}. The command shows the change of its configuration, asks, writes it and
        keeps a backup. DIR is the folder with the tools.
      </p>
      <CommandText text={`toolwharf connect ${name} DIR`} />
      {http ? (
        <>
          <p>Or use this running host:</p>
          <CommandText text={`toolwharf connect ${name} --http ${address}`} />
        </>
      ) : (
        <p class="dim">Its file supports only programs, so it cannot use this running host by its address.</p>
      )}
      <p>Then: {sentence(next)}</p>
      <p class="dim">Undo it:</p>
      <CommandText text={`toolwharf connect ${name} --undo`} />
    </>
  );
}
