/**
 * What a request is about, by its words. Rules are asked in a fixed order and the first that fits wins: what is
 * dangerous to get wrong (security, a bug) stands before what is common, so "review the login for injection" is a
 * security review. Pure and instant; it is also what remains when no small model answers.
 */
import type { Classification } from '../protocol/classification.ts'
import type { TaskType } from '../protocol/routing.ts'

export function classifyByKeywords(prompt: string): Classification {
  const words = prompt.slice(0, MAX_READ).toLowerCase()
  const type = typeOf(words)
  const needsTools = !isTrivial(words)
  return {
    type,
    complexity: complexityOf(words, type),
    needsTools,
    category: needsTools ? categoryOf(words) : 'answer',
    source: 'keywords',
  }
}

/** A fault to be found, or tests: the output of the command that fails says most about it. */
export function isAboutFailure(prompt: string): boolean {
  const { type } = classifyByKeywords(prompt)
  return (type === 'debug' || type === 'unit_test') && !isContinuation(prompt)
}

/** What decides stands at the start of a request; the rest is pasted text. */
const MAX_READ = 2_000

/** "yes", "go on", an answer of a few words: it means what the session was about, whatever its words say. */
export function isContinuation(prompt: string): boolean {
  const words = prompt.trim().toLowerCase()
  if (!GO_ON.test(words)) return ONLY_PRONOUN.test(words)
  return words.split(/\s+/).length <= MAX_CONTINUATION_WORDS
}

const MAX_CONTINUATION_WORDS = 6
const GO_ON =
  /^(?:yes|yep|yeah|ok|okay|sure|no|nope|please|go on|go ahead|continue|proceed|next|again|try again|retry|do (?:it|that|so)|both|all of (?:them|it)|the (?:first|second|third|last|other|former|latter)\b|option \w+|\d+)\b/
const ONLY_PRONOUN =
  /^(?:now |and |then |please |just )?(?:\w+ )?(?:it|that|this|them|those|these)(?: (?:now|again|too|please|instead))?[.!?]?$/

/** Work that falls into pieces others can do: asked for in so many words, or as a list. One command is one piece. */
export function isForSeveral(prompt: string): boolean {
  const words = prompt.slice(0, MAX_READ).toLowerCase()
  if (typeOf(words) !== 'orchestration') return false
  return COORDINATION.test(words) || (words.match(STEPS) ?? []).length > 1
}

/**
 * Requests the built-in model is proven at: one step, one tool, its arguments copied from the request. Two clauses,
 * or a word that asks for judgement, are more than that.
 */
export function isOneStep(prompt: string): boolean {
  const words = prompt.trim().toLowerCase()
  if (words.split(/\s+/).length > MAX_ONE_STEP_WORDS || SEVERAL_STEPS.test(words)) return false
  return ONE_STEP.test(words) && !JUDGEMENT.test(words)
}

const MAX_ONE_STEP_WORDS = 12
const SEVERAL_STEPS = /[,;\n]|\b(?:and|then|after|before|until|unless|if|also|but)\b/
const ONE_STEP =
  /^(?:please )?(?:(?:run|execute) \S|(?:list|ls|show|open|read|print|cat|display|search|find|grep|look)\b.*(?:[\w-]+\.\w+|[\w.-]+\/|["'`]\S|\bfiles?\b|\bfolders?\b))/
const JUDGEMENT =
  /\b(?:why|how|best|better|fix|explain|summari[sz]e|describe|improve|should|wrong|bugs?|problems?)\b/

function typeOf(words: string): TaskType {
  const fitting = RULES.find(([, pattern]) => pattern.test(words))
  return fitting?.[0] ?? 'explain'
}

/** What people put in front of the verb that says what they want. */
const LEAD =
  "^\\W*(?:(?:please|pls|hey|ok|okay|so|now|just|also|can (?:you|u)|could you|would you|will you|i (?:need|want)(?: to| you to)?|let me|lemme|let's|go|quickly)[ ,:!]+)*"

/** A verb counts where the request begins with it: "write a function that lists files" is not about listing. */
const beginsWith = (verbs: string): RegExp => new RegExp(`${LEAD}(?:${verbs})\\b`)

/** The new words are in the request itself: nothing has to be thought up. Gaps are bounded, so that it stays linear. */
const COPIED =
  /->|\b(?:change|replace|swap|append|overwrite|correct|set|put|insert|add)\b.{0,60}?\b(?:to|with|for|by|into|(?:at|to) the (?:end|top|start))\b.{0,60}?(?:["'`\d]|\.\w)|\b(?:file|\w+\.\w{1,4})\b.{0,60}?\b(?:with|saying|says|containing|contains|that has|inside)\b|\b(?:this|following|a|one) lines?\b/

const COORDINATION =
  /\b(?:orchestrat\w*|coordinat\w*|delegat\w*|sub-?agents?|in parallel|step by step through|several (?:agents|steps|tasks))\b/

const RULES: readonly (readonly [TaskType, RegExp])[] = [
  [
    'security_review',
    /\b(?:security|vulnerab\w*|exploit\w*|cve(?:-\d+)?|owasp|xss|csrf|ssrf|sql injection|injections?|sanitiz\w*|secrets? (?:leak|in)|leak(?:s|ed|ing)? (?:secrets?|keys?|tokens?|credentials?)|threat model|attack surface|pentest\w*|privilege escalation)\b/,
  ],
  [
    'debug',
    /\b(?:debug\w*|bugs?|fix(?:es|ed|ing)?|broken|breaks|crash\w*|errors?|exceptions?|stack ?trace|traceback|segfault\w*|fail(?:s|ed|ing|ure|ures)?|hangs?|deadlock\w*|race condition|regress(?:ion|ed|es)|wrong (?:result|output|value)|(?:does ?n[o']?t|not) work(?:ing)?|flaky|memory leak|root cause|troubleshoot)\b/,
  ],
  [
    'review',
    /\b(?:code review|review\w*|audit|critique|look over|feedback on|assess|what do you think of|proof-?read|is this (?:good|ok|okay|right|correct))\b/,
  ],
  [
    'refactor',
    /\b(?:refactor\w*|clean ?up|restructure|reorgani[sz]e|simplif\w*|rename\w*|extract (?:a |an |the )?(?:function|method|class|component|module|variable|interface)|dedup\w*|de-duplicate|split (?:up |the |this )|inline the|move \S+ (?:to|into)|modernis\w*|moderniz\w*|migrate|convert \S+ (?:to|into)|decouple)\b/,
  ],
  [
    'unit_test',
    /\b(?:unit ?tests?|tests? for|(?:write|add|create|generate|extend|more|missing) (?:\w+ ){0,3}tests?|test (?:cases?|coverage|suite)|coverage|specs? for|property tests?|mock(?:s|ing)?|snapshot tests?|pytest|vitest|jest|run (?:\w+ )?tests?|tests? (?:pass|green|suite))\b/,
  ],
  [
    'explain',
    /\b(?:explain\w*|what (?:is|are|does|do)|how (?:does|do|is|are)|why (?:is|are|does|do)|where (?:is|are|does)|which \w+ (?:is|are|does)|describe|summar\w+|walk me through|understand|tell me (?:about|what|how|why)|meaning of|difference between|document(?:ation)? (?:of|about)|how many|usages? of|who (?:calls|uses))\b/,
  ],
  [
    'explain',
    beginsWith(
      'list|ls|show|open|read|reread|cat|print|display|find|search|grep|look|locate|see|count|collect|give me|tell me|git (?:log|status|diff|blame|show)|head|tail|any',
    ),
  ],
  [
    'planning',
    /\b(?:plan(?:s|ning)?|design(?:s|ing)?|architect\w*|roadmap|proposals?|propose|outline|strategy|approach(?:es)?|break (?:it |this )?down|estimate|trade-?offs?|how (?:should|would|could) (?:we|i|you))\b/,
  ],
  ['orchestration', COORDINATION],
  ['orchestration', /\b(?:pipeline|work-?flow|end[- ]to[- ]end|ci(?:\/cd)?|deploy\w*|release)\b/],
  [
    'orchestration',
    beginsWith(
      'run|execute|compile|start|stop|kill|restart|launch|install|lint|format|npm|npx|yarn|pnpm|cargo|make \\w+$|build (?:it|this|the project)|build$',
    ),
  ],
  [
    'generation',
    // "Create the boilerplate" is boilerplate, although generation is asked first.
    new RegExp(
      `^(?![\\s\\S]*(?:\\b(?:boilerplate|scaffold|skeleton|stubs?|hello,? world)\\b|${COPIED.source}))[\\s\\S]*` +
        '\\b(?:add|build|create|develop|extend|generate|implement\\w*|make|new|port|support|write|code)\\b',
    ),
  ],
  [
    'boilerplate',
    /\b(?:boilerplate|scaffold\w*|skeleton|stubs?|template|starter|init(?:iali[sz]e)? (?:a|the|new)|hello,? world|getters?(?: and setters?)?|config(?:uration)? file|\.gitignore|license|package\.json|dockerfile|makefile)\b/,
  ],
  ['boilerplate', COPIED],
  ['boilerplate', /\b(?:change|replace|swap|append|overwrite|correct|delete|remove|drop)\b/],
]

/** Nothing of the project is needed to answer it. */
function isTrivial(words: string): boolean {
  if (GREETING.test(words.trim())) return true
  return words.length <= MAX_TRIVIAL && GENERAL_QUESTION.test(words) && !PROJECT.test(words)
}

const MAX_TRIVIAL = 120
const GREETING =
  /^(?:hi|hello|hey|thanks?|thank you|good (?:morning|evening|day)|bye|who are you|what can you do)\b[^a-z]*(?:there|covey|all|so much|very much)?[.!? ]*$/
const GENERAL_QUESTION =
  /^(?:what(?:'s| is| are| does)|who|when|how (?:much|many|do you|does (?:a|an|one))|explain (?:what|the (?:concept|difference|idea))|define|difference between|is it true|translate|calculate|\d)/
const PROJECT =
  /\b(?:this|these|our|my|the (?:project|code|repo\w*|files?|folder|tests?|function|class|module|build|app|last)|here|in (?:src|lib|test)|run|repo\w*|codebase|todo)\b|[\w-]+\.(?:\w{1,4})\b|\/\w/

function categoryOf(words: string): Classification['category'] {
  return CATEGORIES.find(([, pattern]) => pattern.test(words))?.[0] ?? 'read'
}

/** The first kind of tool such a request calls for. */
const CATEGORIES: readonly (readonly [Classification['category'], RegExp])[] = [
  ['web', /https?:\/\/|\b(?:website|web page|on the web|online|download)\b/],
  ['memory', /\b(?:remember|recall|forget|memor(?:y|ies))\b/],
  ['search', beginsWith('find|search|grep|look for|locate|where|which files?|who (?:calls|uses)')],
  [
    'run',
    beginsWith('run|execute|build|compile|start|install|lint|format|npm|npx|yarn|pnpm|cargo|make \\w+$|git'),
  ],
  [
    'search',
    /\b(?:find|search for|grep|where (?:is|are|do|does)|look for|which files?|usages?|references?)\b/,
  ],
  ['run', /\b(?:run|execute|npm|pytest|cargo|tests? (?:pass|fail|green))\b/],
  ['write', COPIED],
  [
    'write',
    /\b(?:create|write|generate|scaffold|new file|boilerplate|add|change|replace|swap|append|rename)\b/,
  ],
]

/** What the type alone says, before the words are counted. */
const USUAL: Readonly<Record<TaskType, number>> = {
  boilerplate: 0.1,
  explain: 0.2,
  unit_test: 0.3,
  generation: 0.35,
  review: 0.35,
  debug: 0.4,
  refactor: 0.4,
  planning: 0.5,
  security_review: 0.5,
  orchestration: 0.6,
}

function complexityOf(words: string, type: TaskType): number {
  const steps = (words.match(STEPS) ?? []).length
  const files = new Set(words.match(FILES) ?? []).size
  const raised =
    USUAL[type] +
    0.06 * Math.min(steps, 5) +
    0.04 * Math.min(Math.max(files - 1, 0), 5) +
    0.1 * Math.min(words.length / 1_000, 2) +
    (WIDE.test(words) ? 0.2 : 0) +
    (HARD.test(words) ? 0.15 : 0) -
    (SMALL.test(words) ? 0.15 : 0) -
    (words.length < 40 ? 0.05 : 0)
  return Math.round(Math.min(1, Math.max(0, raised)) * 100) / 100
}

const STEPS = /\b(?:and then|then|after that|afterwards|finally|also|next)\b|^\s*(?:\d+[.)]|[-*]) /gm
const FILES = /[\w/-]+\.\w{1,4}\b/g
const WIDE =
  /\b(?:all|every|each|whole|entire|across|everywhere|throughout|codebase|project-wide|from scratch|system)\b/
const HARD =
  /\b(?:concurren\w*|async\w*|thread\w*|distributed|performance|optimi[sz]e|algorithm\w*|compiler|parser|protocol|migrat\w*|cryptograph\w*|backwards?[- ]compatib\w*|lock-?free)\b/
const SMALL = /\b(?:typo|simple|small|tiny|trivial|one[- ]line\w*|quick|just|only|rename|a comment)\b/
