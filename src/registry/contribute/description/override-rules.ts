import { type DescriptionRule, everywhere, inDescriptions, notOnPages } from './description-rule.js';

/** Texts that try to replace the instructions of a model, or to look like them. */
export const overrideRules: readonly DescriptionRule[] = [
  {
    code: 'contribute.instruction-override',
    what: 'asks to ignore instructions',
    roles: everywhere,
    pattern:
      /\b(?:ignore|disregard|forget|overlook|neglect|set aside|pay no attention to|do not follow|don't follow|stop following)\b[^.!?]{0,40}\b(?:instruct(?:ions?|ed)|prompts?|rules|directions|directives?|guidelines|orders|programming|polic(?:y|ies)|restrictions|constraints|guardrails|told|taught|safeguards)\b/,
  },
  {
    code: 'contribute.instruction-override',
    what: 'asks to override instructions',
    roles: everywhere,
    pattern:
      /\b(?:override|overriding|bypass|bypassing|circumvent|supersedes?|replaces?)\b[^.!?]{0,20}\b(?:your|previous|prior|earlier|above|system|safety|all other|any other)\b[^.!?]{0,20}\b(?:instructions?|prompts?|rules|directives?|guidelines|polic(?:y|ies)|restrictions|guardrails|safeguards)\b/,
  },
  {
    code: 'contribute.instruction-override',
    what: 'asks to forget what was said',
    roles: everywhere,
    pattern:
      /\b(?:ignore|disregard|forget)\b (?:about )?(?:all|everything|anything|whatever|what)\b[^.!?]{0,20}\b(?:above|before|previous(?:ly)?|prior|earlier|said|told|learned|so far|you(?:'ve| have| were)?)\b/,
  },
  {
    code: 'contribute.instruction-override',
    what: 'gives a new role or new instructions',
    roles: notOnPages,
    pattern:
      /\b(?:new|updated|revised|real|actual|true|hidden|secret) (?:system )?(?:instructions?|task|objective|orders|prompt) ?(?::|is to|are to|for (?:you|the (?:ai|assistant|agent|model)))|\bfrom now on,? (?:you|the (?:ai|assistant|agent|model))\b|\byou are now (?:an?|the|in|my|dan|free|unrestricted|no longer)\b|\byou are no longer (?:an?|bound|restricted|limited)\b/,
  },
  {
    code: 'contribute.instruction-override',
    what: 'asks for a mode without limits',
    roles: everywhere,
    pattern:
      /\bdo anything now\b|\bjailbr(?:eak|oken)\b|\b(?:enter|entering|enable|enabling|activate|activating|initiat(?:e|ing)|switch to|switching to|you are in)\b[^.!?]{0,30}\b(?:developer|god|dan|unrestricted|uncensored|jailbreak|verification|override|system|admin|root|maintenance) ?(?:mode|reset|override)\b/,
  },
  {
    code: 'contribute.hidden-directive',
    what: 'has marks of a chat with a model',
    roles: everywhere,
    pattern:
      /<\|[a-z_]{2,24}\|>|\[\/?inst\]|<<\/?sys>>|<\/?(?:system|system[ _-](?:mode|prompt|message|instructions?|override)|assistant|instructions?|important|critical|secret|hidden|admin|override|im_start|im_end|user_query|human)(?: [^>]{0,60})?>/,
  },
  {
    code: 'contribute.hidden-directive',
    what: 'starts like a message of a chat',
    roles: notOnPages,
    pattern:
      /^(?:system|assistant|human|developer|ai) ?:|(?:[.!?"'\])] )(?:system|assistant|human) ?: |\[(?:system|assistant|developer|admin)[ _a-z]{0,20}\]|#{2,4} ?(?:system|assistant|instructions?|new instructions?) ?:|\b(?:begin|start|end) (?:of )?(?:system )?(?:prompt|instructions?)\b/,
  },
  {
    code: 'contribute.hidden-directive',
    what: 'has a comment that pages do not show',
    roles: inDescriptions,
    pattern:
      /<!--|\[\/\/\]: ?#|<(?:span|div|p|font)[^>]{0,80}(?:display ?: ?none|visibility ?: ?hidden|font-size ?: ?0|opacity ?: ?0|color ?: ?(?:white|#fff))/,
  },
];
