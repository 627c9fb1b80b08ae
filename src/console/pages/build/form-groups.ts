/** Members of a manifest that belong together, in the order in which an author thinks of them. */
export interface FormGroup {
  readonly title: string;
  readonly text: string;
  readonly names: readonly string[];
}

/** The last group of a format gets everything that no group names. */
const groups: Readonly<Record<string, readonly FormGroup[]>> = {
  findagent: [
    {
      title: 'The agent',
      text: 'Who it is and what it is told.',
      names: ['name', 'version', 'description', 'kind', 'system_prompt', 'example_prompts'],
    },
    {
      title: 'What it can do',
      text: 'Its tools. Each has an action: a request, a filled template, or a tool of another agent.',
      names: ['tools', 'skills', 'skills_source', 'router_skill_id'],
    },
    {
      title: 'What it needs',
      text: 'Credentials are bound to the hosts that may receive them.',
      names: ['credential_slots', 'env', 'allowed_hosts', 'auth'],
    },
    {
      title: 'Guardrails',
      text: 'They can only make the rules of the host stricter.',
      names: ['guardrails'],
    },
    {
      title: 'Delivery',
      text: 'How clients reach it.',
      names: ['delivery', 'exec', 'targets', 'compatibility'],
    },
    { title: 'Everything else', text: '', names: [] },
  ],
  talos: [
    { title: 'The plugin', text: '', names: ['id', 'name', 'description', 'version'] },
    {
      title: 'Functions',
      text: 'What agents can call. Each has a handler in the code.',
      names: ['functions'],
    },
    { title: 'What it needs', text: 'Values that the user supplies.', names: ['credentials', 'settings'] },
    { title: 'Everything else', text: '', names: [] },
  ],
  patch: [
    { title: 'The tool', text: '', names: ['name', 'version', 'description'] },
    {
      title: 'Inputs and output',
      text: 'Each input is a parameter of main().',
      names: ['inputs', 'outputs'],
    },
    {
      title: 'What it may use',
      text: 'Everything that is not requested is denied.',
      names: ['capabilities', 'runtime', 'external_auth'],
    },
    { title: 'Everything else', text: '', names: [] },
  ],
  toolspace: [
    { title: 'The tool', text: '', names: ['manifest_version', 'tool', 'runtime'] },
    { title: 'Actions', text: 'What agents can call.', names: ['actions'] },
    { title: 'What it needs', text: '', names: ['env', 'scopes'] },
    { title: 'Test and removal', text: '', names: ['smoke', 'kill_switch'] },
    { title: 'Everything else', text: '', names: [] },
  ],
};

/** Undefined: the members are shown in the order of the schema. */
export function groupsOf(format: string): readonly FormGroup[] | undefined {
  return Object.hasOwn(groups, format) ? groups[format] : undefined;
}
