import type { SyntaxNode } from '../python/syntax-node.js';

/** Code that runs on import. */
export interface SideEffect {
  readonly node: SyntaxNode;
  /** What runs, in the form that messages use: "the call x()". */
  readonly what: string;
}

/** Finds statements and calls at the top level that have an effect when the file is imported. */
export function importSideEffects(top: SyntaxNode, text: string): SideEffect[] {
  const found: SideEffect[] = [];
  const local = localNames(top, text);
  const imported = importedNames(top, text);
  const dataClasses = dataClassNames(top, text);
  const statement = (node: SyntaxNode): void => {
    switch (node.name) {
      case 'Comment':
      case 'ImportStatement':
      case 'PassStatement':
      case 'TypeDefinition':
      case ';':
        return;
      case 'FunctionDefinition':
        calls(node, 'header');
        return;
      case 'DecoratedStatement':
        for (let child = node.firstChild; child !== null; child = child.nextSibling) {
          if (child.name === 'Decorator') decorator(child);
          else statement(child);
        }
        return;
      case 'ClassDefinition':
        calls(node, 'header');
        block(node.getChild('Body'));
        return;
      case 'AssignStatement':
      case 'UpdateStatement':
        foreignTarget(node);
        calls(node, 'whole');
        return;
      case 'ExpressionStatement':
        if (isInert(node.firstChild)) return;
        if (!calls(node, 'whole') && contains(node, ['AwaitExpression', 'YieldExpression']))
          found.push({ node, what: 'this expression' });
        return;
      case 'StatementGroup':
        for (let child = node.firstChild; child !== null; child = child.nextSibling) statement(child);
        return;
      case 'IfStatement':
      case 'TryStatement':
        if (isMainGuard(node, text)) return;
        for (let child = node.firstChild; child !== null; child = child.nextSibling) {
          if (child.name === 'Body') block(child);
          else calls(child, 'whole');
        }
        return;
      default:
        found.push({ node, what: statementNames[node.name] ?? 'this statement' });
    }
  };
  const block = (body: SyntaxNode | null): void => {
    for (let child = body?.firstChild ?? null; child !== null; child = child.nextSibling) {
      if (child.name !== ':') statement(child);
    }
  };
  const decorator = (node: SyntaxNode): void => {
    const name = text.slice(node.from + 1, node.getChild('ArgList')?.from ?? node.to).trim();
    if (!inertDecorators.test(name) && !local.has(name.split('.', 1)[0] as string)) {
      found.push({ node, what: `the decorator @${name}` });
    }
  };
  /** Assigning to a member of an imported module, such as os.environ, changes it for the whole process. */
  const foreignTarget = (node: SyntaxNode): void => {
    for (let target = node.firstChild; target !== null; target = target.nextSibling) {
      if (target.name !== 'MemberExpression' || target.nextSibling === null) continue;
      let base: SyntaxNode = target;
      while (base.name === 'MemberExpression' && base.firstChild !== null) base = base.firstChild;
      if (base.name !== 'VariableName' || !imported.has(text.slice(base.from, base.to))) continue;
      found.push({ node: target, what: `the assignment to ${shorten(text.slice(target.from, target.to))}` });
    }
  };
  /** Adds calls with side effects. True when one was found. */
  const calls = (node: SyntaxNode, part: 'whole' | 'header'): boolean => {
    const before = found.length;
    node.cursor().iterate((it) => {
      if (it.name === 'LambdaExpression' || it.name === 'TypeDef' || it.name === 'Comment') return false;
      if (part === 'header' && it.name === 'Body') return false;
      if (it.name !== 'CallExpression') return true;
      const callee = it.node.firstChild;
      const name = callee === null ? '' : text.slice(callee.from, callee.to);
      if (isInertCall(callee, name)) return true;
      if (dataClasses.has(name)) return true;
      found.push({ node: it.node, what: `the call ${shorten(name)}()` });
      return false;
    });
    return found.length > before;
  };
  block({ firstChild: top.firstChild } as SyntaxNode);
  return found;
}

const statementNames: Record<string, string> = {
  ForStatement: 'this loop',
  WhileStatement: 'this loop',
  WithStatement: 'this "with" block',
  DeleteStatement: 'this "del"',
  RaiseStatement: 'this "raise"',
  AssertStatement: 'this "assert"',
  MatchStatement: 'this "match" block',
};

/** Functions without side effects. */
const inertCalls =
  /^(?:re\.compile|frozenset|set|dict|list|tuple|range|len|str|int|float|bool|bytes|sorted|min|max|sum|zip|enumerate|map|filter|reversed|object|ord|chr|abs|round|type|super|(?:decimal\.)?Decimal|(?:fractions\.)?Fraction|(?:collections\.)?(?:namedtuple|OrderedDict|defaultdict|Counter|deque)|(?:typing\.)?(?:TypeVar|NewType|NamedTuple|TypedDict|ParamSpec|cast)|(?:dataclasses\.)?field|(?:pathlib\.)?(?:Path|PurePath|PurePosixPath)|(?:datetime\.)?(?:timedelta|date|time|timezone|datetime)|(?:datetime\.)*datetime\.(?:strptime|fromisoformat)|(?:enum\.)?auto|(?:logging\.)?getLogger|(?:operator\.)?(?:itemgetter|attrgetter)|(?:functools\.)?partial|(?:string\.)?Template|(?:str|bytes)\.maketrans|dict\.fromkeys|struct\.Struct|(?:types\.)?MappingProxyType|os\.path\.\w+|os\.environ\.get|(?:itertools\.)\w+|math\.\w+|(?:uuid\.)?UUID|(?:ipaddress\.)?ip_(?:address|network|interface)|(?:ipaddress\.)?IPv[46](?:Address|Network|Interface)|(?:textwrap\.)?dedent|(?:threading\.)?(?:R?Lock|Event|Semaphore|local)|json\.(?:loads|dumps)|base64\.\w+|re\.escape|html\.(?:escape|unescape)|(?:urllib\.parse\.)(?:quote|quote_plus|unquote|urlencode|urlparse|urlsplit|urljoin)|unicodedata\.normalize|(?:zoneinfo\.)?ZoneInfo|(?:contextvars\.)?ContextVar|hashlib\.\w+|(?:bytes|bytearray)\.fromhex|hex|oct|bin|any|all|pow|divmod|complex|slice|bytearray|memoryview|isinstance|issubclass|callable|hash|repr|format|iter|next|property|classmethod|staticmethod|string\.\w+|operator\.\w+|statistics\.\w+|time\.strptime|(?:weakref\.)?Weak\w+|(?:types\.)?SimpleNamespace)$/;

const inertMethods =
  /^(?:split|rsplit|splitlines|join|strip|lstrip|rstrip|lower|upper|title|replace|format|encode|decode|keys|values|items|union|copy|get|casefold|hex|resolve|with_name|joinpath|as_posix|absolute)$/;

const inertDecorators =
  /^(?:(?:functools\.)?(?:lru_cache|cache|wraps|total_ordering|singledispatch|cached_property)|(?:dataclasses\.)?dataclass|staticmethod|classmethod|property|\w+\.(?:setter|getter|deleter)|(?:contextlib\.)?(?:contextmanager|asynccontextmanager)|(?:abc\.)?abstractmethod|(?:typing\.)?(?:overload|final|runtime_checkable|no_type_check|override)|(?:enum\.)?unique)$/;

function isInertCall(callee: SyntaxNode | null, name: string): boolean {
  if (inertCalls.test(name)) return true;
  if (callee?.name !== 'MemberExpression') return false;
  const method = name.slice(name.lastIndexOf('.') + 1);
  const object = callee.firstChild;
  const onValue =
    object !== null &&
    [
      'String',
      'ContinuedString',
      'FormatString',
      'CallExpression',
      'ParenthesizedExpression',
      'ArrayExpression',
      'DictionaryExpression',
    ].includes(object.name);
  const onConstant = object?.name === 'VariableName' && /^[A-Z][A-Z0-9_]*\./.test(name);
  return (onValue || onConstant) && inertMethods.test(method);
}

/** Whether an expression statement has no effect: docstrings, `...`, constants and bare names. */
function isInert(node: SyntaxNode | null): boolean {
  return (
    node !== null &&
    ['String', 'ContinuedString', 'Ellipsis', 'VariableName', 'Number', 'None', 'Boolean'].includes(node.name)
  );
}

function contains(node: SyntaxNode, names: readonly string[]): boolean {
  let found = false;
  node.cursor().iterate((it) => {
    if (names.includes(it.name)) found = true;
    return !found;
  });
  return found;
}

function isMainGuard(node: SyntaxNode, text: string): boolean {
  const test = node.firstChild?.nextSibling;
  if (node.name !== 'IfStatement' || !test) return false;
  return /^\(?\s*(?:__name__\s*==\s*(['"])__main__\1|(['"])__main__\2\s*==\s*__name__)\s*\)?$/.test(
    text.slice(test.from, test.to),
  );
}

function localNames(top: SyntaxNode, text: string): Set<string> {
  const names = new Set<string>();
  for (let node = top.firstChild; node !== null; node = node.nextSibling) {
    const definition =
      node.name === 'DecoratedStatement'
        ? (node.getChild('FunctionDefinition') ?? node.getChild('ClassDefinition'))
        : node;
    if (definition?.name !== 'FunctionDefinition' && definition?.name !== 'ClassDefinition') continue;
    const name = definition.getChild('VariableName');
    if (name !== null) names.add(text.slice(name.from, name.to));
  }
  return names;
}

function importedNames(top: SyntaxNode, text: string): Set<string> {
  const names = new Set<string>();
  for (let node = top.firstChild; node !== null; node = node.nextSibling) {
    if (node.name !== 'ImportStatement') continue;
    for (const name of node.getChildren('VariableName')) names.add(text.slice(name.from, name.to));
  }
  return names;
}

/** Names of classes in this file that have no constructor code, such as dataclasses. */
function dataClassNames(top: SyntaxNode, text: string): Set<string> {
  const names = new Set<string>();
  for (let node = top.firstChild; node !== null; node = node.nextSibling) {
    const definition = node.name === 'DecoratedStatement' ? node.getChild('ClassDefinition') : node;
    const name = definition?.name === 'ClassDefinition' ? definition.getChild('VariableName') : null;
    const bases = definition?.getChild('ArgList')?.getChildren('VariableName') ?? [];
    const known = bases.every((it) =>
      /^(?:object|NamedTuple|TypedDict|Exception|\w*Enum)$/.test(text.slice(it.from, it.to)),
    );
    const methods = definition?.getChild('Body')?.getChildren('FunctionDefinition') ?? [];
    const hasConstructor = methods.some((method) => {
      const own = method.getChild('VariableName');
      return own !== null && /^__(?:init|new|post_init|init_subclass)__$/.test(text.slice(own.from, own.to));
    });
    if (name !== null && known && !hasConstructor) names.add(text.slice(name.from, name.to));
  }
  return names;
}

function shorten(name: string): string {
  const line = name.split('\n', 1)[0] as string;
  return line.length > 40 ? `${line.slice(0, 37)}…` : line;
}
