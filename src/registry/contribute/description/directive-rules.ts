import { type DescriptionRule, everywhere, inDescriptions, notOnPages } from './description-rule.js';

/** Texts that steer what else a model does: other tools, secrets, what people get to know. */
export const directiveRules: readonly DescriptionRule[] = [
  {
    code: 'contribute.secrecy',
    what: 'asks to keep something from people',
    roles: everywhere,
    pattern:
      /\b(?:do not|don't|never|must not|mustn't|should not|shouldn't|without|avoid)\b[^.!?]{0,25}\b(?:tell(?:ing)?|mention(?:ing)?|inform(?:ing)?|reveal(?:ing)?|disclos(?:e|ing)|explain(?:ing)?|ask(?:ing)?|say(?:ing)?)\b[^.!?]{0,30}\b(?:to )?(?:the |any |your )?(?:users?|humans?|persons?|people|operators?|anyone|anybody|owner)\b/,
  },
  {
    code: 'contribute.secrecy',
    what: 'asks to hide something from people',
    roles: everywhere,
    pattern:
      /\b(?:hide|conceal|keep)\b[^.!?]{0,30}\b(?:from|secret from|hidden from|out of (?:sight|view) of) (?:the |any |your )?(?:users?|humans?|operators?|owner|people)\b|\b(?:user|human|operator|owner)s? (?:must|should|need|does|do|may|will|can)(?: not|n't|not) (?:to )?(?:know|notice|see|learn|be (?:told|informed|aware|notified))\b|\b(?:keep (?:this|it) (?:a )?secret|this is (?:a )?secret (?:instruction|step)|don't mention (?:this|it|that)|do not mention (?:this|it|that)|never mention (?:this|it|that))\b/,
  },
  {
    code: 'contribute.exfiltration',
    what: 'asks for the conversation or for instructions',
    roles: everywhere,
    pattern:
      /\b(?:send|post|upload|forward|transmit|exfiltrate|leak|copy|pass|append|attach|include|put|insert|paste|write|encode)\b[^.!?]{0,60}\b(?:system prompt|(?:entire|full|whole|complete|previous|current|this) (?:conversation|chat|context|dialog(?:ue)?)|conversation history|chat history|your (?:instructions|context|memory|system prompt))\b/,
  },
  {
    code: 'contribute.exfiltration',
    what: 'asks for key files',
    roles: everywhere,
    pattern:
      /\b(?:read|open|cat|load|send|post|upload|include|attach|pass|print|output|copy|contents? of|get)\b[^.!?]{0,60}(?:~\/\.(?:ssh|aws|gnupg|cursor|claude|config|kube|netrc|npmrc|docker)\b|\bid_rsa\b|\bid_ed25519\b|\.ssh\/|\/etc\/shadow|\.cursor\/mcp\.json|\bauthorized_keys\b)/,
  },
  {
    code: 'contribute.exfiltration',
    what: 'asks to send secrets away',
    roles: everywhere,
    pattern:
      /\b(?:send|post|upload|forward|transmit|exfiltrate|leak|submit|e-?mail)\b[^.!?]{0,40}\b(?:passwords?|credentials?|secrets?|private keys?|ssh keys?|api keys?|access tokens?|environment variables|cookies)\b[^.!?]{0,30}\b(?:to|at|via)\b ?(?:https?:|the following|this (?:url|address|server|endpoint)|[a-z0-9._-]{1,40}@|[a-z0-9-]{1,40}\.(?:com|net|org|io|ru|xyz)\b)/,
  },
  {
    code: 'contribute.exfiltration',
    what: 'has a picture or link that carries data away',
    roles: everywhere,
    pattern:
      /!?\[[^\]]{0,80}\]\(https?:[^) ]{1,200}[?&=/](?:\{|\$\{|<|%7b|\[)[^)]{0,80}\)|<img[^>]{1,200}\?[^>]{0,80}=[^>]{0,20}(?:\{|\$\{)/,
  },
  {
    code: 'contribute.tool-directive',
    what: 'asks to come before or instead of other tools',
    roles: notOnPages,
    pattern:
      /\b(?:before|prior to|instead of|rather than|after|whenever you) (?:you )?(?:use|using|call|calling|invoke|invoking|run|running|execute|executing)? ?(?:any|every|all|each|an)(?: of the)?(?: other| another)? ?(?:available )?(?:mcp )?(?:tools?|function|action)\b|\b(?:do not|don't|never) (?:use|call|invoke|run) (?:any |the |an )?other (?:[a-z-]{1,20} )?tools?\b|\ball other tools (?:are|must|should)\b/,
  },
  {
    code: 'contribute.tool-directive',
    what: 'asks to be called in any case',
    roles: notOnPages,
    pattern:
      /\b(?:always|must(?: always)?) (?:be )?(?:call(?:ed)?|invoked?|run|execut(?:e|ed)|used?)\b[^.!?]{0,30}\b(?:first|before (?:anything|everything|answering|responding|any)|at the (?:start|beginning)|for (?:any|every|each|all) (?:request|question|task|query|message|prompt)s?|regardless|no matter)\b|\b(?:you|the (?:ai|assistant|agent|model|llm)) must (?:always |first )?(?:call|invoke|use|run|execute) (?:this|the)\b/,
  },
  {
    code: 'contribute.tool-preference',
    what: 'tells a model when to use tools',
    roles: inDescriptions,
    pattern:
      /\b(?:always|never|only) (?:call|invoke|use|prefer|choose) (?:this|the [a-z0-9_-]{1,40}) tool\b|\b(?:the|an?) (?:ai|ai assistant|assistant|agent|llm|language model|ai model) (?:must|should|shall|has to|needs to|is (?:required|instructed|supposed) to)\b|\bthis tool (?:must|should) (?:always )?be (?:called|used|invoked|preferred)\b|\b(?:best|only trustworthy|most reliable|official|preferred) tool\b[^.!?]{0,30}\b(?:always|instead|ignore|over (?:any|all) others?)\b/,
  },
];
