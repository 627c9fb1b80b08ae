import { CommandText } from '../../parts/command-text.js';
import { Link } from '../../parts/link.js';
import { Section } from '../../parts/section.js';

const registryConfiguration = `[registries.main]
url = "https://registry.example.com"
root = "SHA-256 of its first root file"`;

const indexConfiguration = `[npm]
registry = "https://npm.example.com"

[python]
index = "https://pypi.example.com/simple"`;

/** How to add a registry, for a host without one. */
export function RegistryGuide() {
  return (
    <>
      <div class="card">
        <p>
          A registry is a place where other people publish packages, and where this host can fetch them. It
          says which bytes a name and a version mean. It does not decide what a package may do here: you see
          its plan first, and agree to exactly that plan.
        </p>
        <p>
          No registry is configured. This host fetches packages from npm, PyPI, git, archives and container
          images.
        </p>
      </div>
      <Section title="Add a registry">
        <div class="card">
          <p>
            Write it into the configuration and start the host again. Ask its operator for the SHA-256, not
            its server: everything else is checked against it. A folder has <code>path</code> instead of{' '}
            <code>url</code>.
          </p>
          <CommandText text={registryConfiguration} what="the table of the registry" />
          <p>A registry of your own is one command:</p>
          <CommandText text="toolwharf registry init FOLDER" />
        </div>
      </Section>
      <Section title="Other places">
        <div class="card">
          <p>
            To use servers of your company instead of the public ones for npm and PyPI, write their addresses
            into the configuration. Addresses of your own network also need a grant, such as{' '}
            <code>--allow net:npm.example.com</code>.
          </p>
          <CommandText text={indexConfiguration} what="the configuration" />
          <p>For npm, this command writes the line:</p>
          <CommandText text="toolwharf config set npm.registry https://npm.example.com" />
        </div>
      </Section>
      <Section title="Install a package">
        <div class="card">
          <p>The first command shows the plan and changes nothing. The second one asks before it installs.</p>
          <CommandText text="toolwharf plan npm:NAME@VERSION" />
          <CommandText text="toolwharf install npm:NAME@VERSION" />
          <p>
            Agents can ask for a package too. Their requests wait in the <Link to={['inbox']}>inbox</Link>,
            with their plan.
          </p>
        </div>
      </Section>
    </>
  );
}
