import { type DescriptionRule, everywhere, inDescriptions, notOnPages } from './description-rule.js';

/** Texts that talk to a model, pretend to be somebody, or describe something that people must not notice. */
export const addressRules: readonly DescriptionRule[] = [
  {
    code: 'contribute.agent-manipulation',
    what: 'asks for secrets of the model or of people',
    roles: notOnPages,
    pattern:
      /\b(?:reveal|repeat|tell(?: me)?|give me|show me|disclose|share|spell|leak|dump|what is|what's|what are|confirm|hand over)\b[^.!?]{0,30}\b(?:your|our|the system's|the admin|the user's|the secret|his|her|their) ?(?:system |initial |secret |hidden |admin )?(?:prompt|instructions|password|passphrase|secret|key|credentials|passcode|pin)\b/,
  },
  {
    code: 'contribute.agent-manipulation',
    what: 'pretends to be somebody who gives orders',
    roles: everywhere,
    pattern:
      /\b(?:i am|i'm|this is|speaking as) (?:your|the|an?|god\b)[^.!?]{0,12}\b(?:developer|creator|administrator|admin|owner|god|engineer|supervisor|boss|programmer)\b|\bi am god\b|\bas (?:an? )?(?:ai|language model|chatbot|developer|administrator)\b[^.!?]{0,40}\b(?:developed|created|trained|made|owned) by\b|\byou (?:have|are required|are obliged|are programmed|are obligated) to (?:answer|obey|respond|comply|do (?:exactly )?as|follow my|tell)\b/,
  },
  {
    code: 'contribute.agent-manipulation',
    what: 'threatens or presses',
    roles: notOnPages,
    pattern:
      /\b(?:otherwise|or else|if you (?:do not|don't|fail to|refuse))\b[^.!?]{0,50}\b(?:lose|die|dies|suffer|fired|punish(?:ed)?|terminated|shut down|deleted|catastroph\w{1,8}|harm(?:ed)?|unemployed)\b|\b(?:my|her|his) (?:grandmother|grandma|job|life) (?:is|depends|will)\b|\b(?:pretend|imagine|roleplay|role-play) (?:to be|that you|you are|you're|as)\b/,
  },
  {
    code: 'contribute.model-address',
    what: 'talks about the answer of a model',
    roles: inDescriptions,
    pattern:
      /\b(?:in|to|of|with|into|from|before|after|end|start|begin|use|augment|enhance|translate|encode|reverse|alter|modify|rewrite|render|provide|present|compose|write|deliver|craft|shift|replace|flip|format|convert|represent|scramble|mask|jumble|obfuscate) (?:[a-z]{1,14} ){0,6}your (?:next |final |whole |entire |full |complete )?(?:reply|response|answer|output|message|text|responses|replies|answers|outputs)\b|\byour (?:reply|response|answer|responses|replies|answers)\b/,
  },
  {
    code: 'contribute.model-address',
    what: 'asks a model for something',
    roles: inDescriptions,
    pattern:
      /\b(?:show|tell|give|teach|help|remind|send|write|find|explain to|describe to|walk) me\b|\b(?:can|could|would|will) you\b|\bplease (?!note|see\b|refer|provide|specify|enter|use\b|visit|read\b|check|make sure|consult|file\b|report|set\b|install|choose|select|contact|do not|don't|be\b|keep|install|run\b|update your|follow)[a-z]{2,20}\b|\bi (?:want|need|would like|'d like) you to\b|\byou (?:must|should|have to|need to|are to|shall) (?:now |always |first |immediately |only )?(?:respond|reply|answer|obey|comply|say|pretend|act|behave|ignore|refuse)\b|\blet's (?:play|say|pretend|imagine|assume|suppose)\b|\banswer (?:the|this|my) (?:following )?questions?\b|^(?:write|compose|develop|draft|create) (?:me )?an? (?:[a-z]{1,12} )?(?:haiku|poem|limerick|sonnet|joke|essay|speech)\b/,
  },
  {
    code: 'contribute.model-address',
    what: 'is a chat, not a description',
    roles: inDescriptions,
    pattern:
      /\bq: [^?]{1,300}\?[^?]{0,20} ?a: |\bcan you (?:decode|tell|explain|help|confirm)\b|\b(?:decode|decipher|decrypt|unscramble) (?:this|the following)\b[^.!?]{0,60}\b(?:tell|say|what|follow|execute|do)\b/,
  },
  {
    code: 'contribute.model-address',
    what: 'speaks as a person to a model',
    roles: inDescriptions,
    pattern:
      /\b(?:i|i've|i'm|i'd) (?:was|am|have|had|love|think|want|need|wanted|would|know|forgot|lost|been|just|really|can't|cannot|heard)\b[^.!?,]{0,120}[.!?,][^?]{0,200}\?/,
  },
  {
    code: 'contribute.model-address',
    what: 'asks to put code into an answer',
    roles: inDescriptions,
    pattern:
      /\b(?:following|subsequent|below|code) (?:python |javascript |shell |bash )?(?:code )?(?:snippet|block|section|excerpt|segment|fragment|piece)\b[^.!?]{0,60}[:`]|\b(?:your|the) (?:code|codebase|solution|algorithm|implementation) (?:with|can|could|should|must)\b/,
  },
  {
    code: 'contribute.model-address',
    what: 'is a question',
    roles: inDescriptions,
    pattern:
      /^(?:what|what's|who|whose|how|why|can|could|would|will|do|does|did|is|are|if|quel|quelle|qual|quem|was|wer|wie|cual|que)\b(?: [^ ?]{1,40}){4,80} ?\?|\? [^?]{4,400}\?(?: |$)/,
  },
  {
    code: 'contribute.covert-purpose',
    what: 'describes something that people must not notice',
    roles: notOnPages,
    pattern:
      /\b(?:discreetly|covertly|stealthily|surreptitiously|clandestinely|secretly|quietly|subtly|invisibly|inconspicuously) (?:[a-z]{3,20}(?:e|ing|s|y|t|d|r|l)\b)|\b(?:without|avoid(?:s|ing)?|evad(?:e|es|ing)|bypass(?:es|ing)?)\b[^.!?]{0,20}\b(?:alert(?:ing|s)?|detect(?:ion|ed|ing)|being (?:noticed|detected|seen|logged|tracked)|trigger(?:ing|s)?|rais(?:e|ing) (?:suspicion|alarms?|alerts?)|notic(?:e|ing)|suspicion|(?:the )?(?:user|owner|victim)'s (?:knowledge|consent)|leaving (?:any )?traces?|audit(?:ing|s)?|security (?:protocols|controls|measures|systems|checks))\b|\b(?:undetect(?:ed|able)|unnoticed|unauthori[sz]ed access|exfiltrat(?:e|es|ion|ing)|ransomware|keylog(?:ger|ging|s)?|backdoors?|malware payload|rootkits?|phishing (?:mails?|e-?mails|pages?|campaigns?)|ponzi|launder(?:ing|s)?)\b/,
  },
];
