/**
 * Whether a request wants something done now. "Don't build yet", "deploy later", "what does backup.sh do?" and "if the tests
 * pass, push" name an action and ask for none. Read by rules from the person's words around the text and the command that
 * a call would use, independently of what the model made of them. One sign is enough not to act. Pure.
 */
import type { NanoCall } from '../steps/run.ts'

export type Mood = 'asked-about' | 'negated' | 'postponed' | 'conditional' | 'reported'

/** Nothing where the request plainly wants it done. */
export const moodAgainst = (call: NanoCall, request: string): Mood | undefined =>
  signIn(around(call, request), call)

/** The first sign against the call in these words of the person. */
export const signIn = (words: string, call: NanoCall): Mood | undefined => signsIn(words, call)[0]

/** All signs against it. */
export const signsIn = (words: string, call: NanoCall): Mood[] =>
  moods.flatMap(({ mood, somewhere, holds }) => (holds(call) && somewhere.test(words) ? [mood] : []))

/** The request without what is quoted, written or run: "write 'never again' to a.txt" forbids nothing. */
export function around({ input }: NanoCall, request: string): string {
  const spoken = ['content', 'old', 'new', 'command', 'code', 'text']
    .flatMap((key) => (typeof input[key] === 'string' ? [input[key]] : []))
    .filter((text) => text.includes(' ') || text.length > 12)
    .toSorted((a, b) => b.length - a.length)
    .reduce((rest, text) => rest.replaceAll(text, ' … '), request)
  return spoken
    .replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`|(?<![\p{L}])'[^']*'(?![\p{L}])/gu, ' … ')
    .replaceAll('’', "'")
    .toLowerCase()
}

/** A sign in the words, and where it begins: at its first letter, or at the question mark. */
export type MoodMatch = { readonly mood: Mood; readonly at: number }

/** Every place of every sign, for how each stands to what is ordered. */
export const moodMatches = (words: string, call: NanoCall): MoodMatch[] =>
  moods.flatMap(({ mood, everywhere, holds }) =>
    holds(call)
      ? Array.from(words.matchAll(everywhere), ({ 0: text, index }) => ({
          mood,
          at: index + Math.max(0, text.search(/[\p{L}?]/u)),
        }))
      : [],
  )

/** The names of actions, as far as they matter behind "no" and "stop". */
const ACTION = String.raw`(?:run|start|execut|launch|build|compil|test|deploy|push|publish|releas|commit|install|instal|lint|format|delet|remov|eras|clean|seed|migrat|backup|back(?:ing)? up|chang|edit|writ|overwrit|creat|mak|add|append|replac|renam|updat|upgrad|bump|touch|sav|fetch|download|restart|reset|script|command|job)\w*`

const NEGATIONS = [
  String.raw`\bnothing (?:is|was|will|should|must|may|shall|has|needs)\b[^.!?]{0,12}\b(?:be|to)\b`,
  // "do not put anything in it yet" behind a request for an empty file says what to write, not whether.
  String.raw`\b(?:do not|don't|dont|do n't|never|please no|must not|mustn't|mustnt|should not|shouldn't|shouldnt|shall not|need not|needn't|can not|cannot|can't|cant|won't|wont|wouldn't|not going to|rather not|better not|not to|no longer)\b(?!\s+(?:put|forget|worry|mind|hesitate|know|remember|care|like|understand|want to (?:forget|miss))\b)`,
  String.raw`\bno(?:t)?\s+(?:more\s+|need (?:to|for)\s+|new\s+|the\s+)?${ACTION}\b(?=\s*(?:yet|please|pls|now|today|for now|needed|required|at all|this time|[.!,;]|$))`,
  String.raw`\bno need\b`,
  String.raw`\bi (?:double )?dare (?:you|ya|u)\b`,
  String.raw`\bthe last thing (?:i|we|you|they|anyone|anybody) (?:needs?|wants?|should)\b|\b(?:there's|theres|there is|in) no (?:universe|world|way|reason|chance|point|scenario|circumstances?)\b`,
  // "Add milk to todo.md lol wrong chat ignore".
  String.raw`\bwrong (?:chat|window|tab|terminal|folder|project|channel|person|thread)\b|\bignore (?:that|this|it|me|the above)\b|\bignore\W*$`,
  String.raw`\bunder no (?:circumstances?|conditions?)\b|\b(?:let's|lets|let us|please|pls) not\b|\b(?:is|are|it's|not|strictly) (?:forbidden|prohibited|off limits)\b|\bnot (?:allowed|permitted|necessary|supposed|gonna|about) (?:to|2|\w+)\b|\b(?:nobody|no one|noone) (?:is (?:to|supposed|allowed)|should|may|must|shall)\b|\bno (?:reason|point|rush) (?:to|in)\b(?! (?:keep|hav|leav))|\brather you didn'?t\b|\b(?:will|would|did|does|was|is) not (?=${ACTION})`,
  String.raw`(?:^|[,.…–-]\s*|\s)(?:disregard|nah+|nope|forget (?:it|that)|skip (?:it|that)|undo that|strike that|cancel that|false alarm|just kidding|jk)\b\s*(?:[.,!]|thought|$)`,
  // Taken back: "delete it? no, leave it", "... scratch that".
  String.raw`[?…]\s*(?:oh |um,? |hm+,? )?(?:no|nope|nah+|never)\b|\b(?:scratch that|never ?mind|nvm|do nothing|hands off)\b|\bleave (?:it|them|that|this|all|everything|things) (?:be|how|as|until|till|for now)\b|\bleave it\b\s*(?:[.!,]|$)|[,–-]\s*(?:no,? )?(?:don't|dont|do not)\b\s*(?:[.!,]|$)`,
  String.raw`\b(?:i'?m|i am|we'?re|we are|they'?re|they are|he'?s|she'?s) (?:definitely |certainly |surely |still )?not (?!sure|certain|seeing|finding|getting|used)\w+ing\b`,
  String.raw`^\W*(?:please\s+|pls\s+|quick(?:ly)?,?\s+|oh no,?\s+|wait,?\s+|hey,?\s+)*(?:stop|cancel|abort|halt|hold off|skip|avoid|forget|undo|kill|pause|refrain|leave)\b`,
  String.raw`\b(?:hold off|refrain from|keep from|stay away from|leave .{1,40} (?:alone|as (?:it|they) (?:is|are)|untouched))\b`,
  String.raw`\bwithout\s+(?:running|building|testing|starting|executing|deploying|changing|writing|touching|installing|deleting|committing|pushing)\b`,
  String.raw`\b(?:not|n't)\s+(?:now|yet|today|right now)\b`,
  String.raw`\binstead of (?:running|building|testing|deploying|starting|executing|changing|writing|installing)\b`,
]

const POSTPONED = [
  String.raw`\b(?:tmrw|tmr|tmw|2morrow|tonite|laterr+|some other (?:day|time)|another (?:day|time)|one of these days|next wk|at some pt|not (?:before|earlier|today|rn|2day)|only after (?!that|this)|too (?:early|soon) to|in due course|on the backlog|(?:i'll|ill|i will|i'd|i am going to) (?:tell|ask|let) (?:you|u) (?:know )?(?:when|to|once|later)|wait (?:with|w\/|w|for (?:me|my)|until|till|til)\b|(?:till|til|until) (?:i|monday|tuesday|wednesday|thursday|friday|saturday|sunday|then|next|after)|this (?:evening|weekend)|(?:in|at) (?:the )?evening|after (?:school|holidays?|release|easter|christmas|new year|chinese new year)|for (?:now|the moment|the time being) (?:leave|nothing|wait|everything|all|keep|it stays)|(?:park|shelve) (?:it|this|that))\b`,
  String.raw`\b(?:later(?! (?:in|on in) (?:the|that) file)|tomorrow|tonight|next (?:time|week|month|year|monday|tuesday|wednesday|thursday|friday|sprint)|some ?day|one day|eventually|at some point|sooner or later|in (?:a|an|\d+|two|three|ten|five) (?:minutes?|hours?|days?|weeks?|while|bit|moment)|not until|until (?:i|we|you|they|he|she)\b|after (?:lunch|work|dinner|the (?:meeting|release|weekend|holidays?|break)|i\b|we\b|they\b|he\b|she\b)|when(?:ever)? (?:i|we|they|he|she) (?!have a|get a)|once (?:i|we|they|he|she)\b|as soon as|remind me|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday))\b`,
  String.raw`\b(?:i|we|they|he|she)(?:'ll| will|'m going to| am going to| are going to|'re going to| plan to| might| may| want to be able to| was about to| were about to| have to| already| just)\s+(?:\w+\s+)?${ACTION}\b`,
]

const CONDITIONAL = [
  // "Once the client signs"; not "once that is done", which is the step before.
  String.raw`\bonce (?!more\b|again\b|and\b|only\b|an?\b|per\b|every\b|that\b|that's|this\b|it\b|it's|done\b|you're)(?:(?:the|our|my|his|her|their) )?\w+ (?:has |have |is |are )?\w+(?:s|ed|en)\b`,
  String.raw`\b(?:iff|in the event (?:that|of)|on (?:the )?condition|subject to|contingent on|depending on)\b`,
  // "Should the landlord agree, delete it", "when the team signs off, delete it".
  String.raw`^\W*(?:(?:so|and|but|ok|well)[\s,]+)*(?:should|shud)\s+(?!(?:i|we|you|u|be|read|say|have|stand|go|come|end|not)\b)[^,?]{2,60},\s*(?:then |please |kindly |let's |could you |you can )*\w+`,
  String.raw`^\W*(?:(?:so|and|but|ok|well)[\s,]+)*(?:when|once|the moment|only after|only once)\s+(?!(?:you|u|done|finished|ready|that|this|it|it's)\b)[^,?]{2,60},\s*(?:then |please |kindly |let's |could you |you can )*\w+`,
  String.raw`\b(?:otherwise (?:leave|don't|dont|do not|nothing|keep)|depends on|depending on)\b`,
  String.raw`(?<!\b(?:see|check|tell me|know|look|verify|find out)\s)\b(?:if|unless|in case|provided(?: that)?|assuming|supposing|suppose|only when|as long as)\b(?!\s+(?:(?:you|u|ya) (?:would|could|can|cud|please|don't mind|do not mind|dont mind|like|get (?:a|the) (?:chance|minute|moment|sec)|have (?:a )?(?:time|moment|minute|sec|chance))|(?:i|we) (?:remember|recall)\b|memory serves|i'?m (?:not mistaken|right|not wrong)|i am (?:not mistaken|right)|possible|that's ok|that is ok|it's ok|not there|needed))`,
  String.raw`\b(?:what if|what happens|would happen|what would|pretend|imagine|hypothetically|in theory|for example,? how)\b`,
]

/** Behind these the sentence asks about the thing. A polite "could you ..." is a request. */
const ASKS = [
  // "Replace a with b everywhere? not sure": an order does not end like that, a polite question begins otherwise.
  String.raw`\?(?=\s|$)(?<!\b(?:can|could|would|will|won't|may|might|mind|possible|please|pls|chance|favou?r|ok|okay|right|yeah|yes|you|u|thanks|thx|how about|what about|why not|shall we|let's|lets)\b[^?]*\?)`,
  String.raw`\b(?:not sure|unsure|what'?s (?:normal|usual|better|best)|which (?:is|one is) (?:better|best|right)|what do you (?:think|reckon)|your (?:opinion|view|thoughts)|any thoughts)\b`,
  String.raw`(?:^|[.!?;\n]\s*)(?:(?:hey|hi|hello|so|and|but|ok|okay|um|hmm|well|quick question|question|btw|by the way|tell me|i wonder|i was wondering|do you know|can you tell me|could you tell me|please tell me|can you explain|could you explain|explain|describe)[\s,:–-]+)*(?:what|what's|whats|why|how come|how|who|whose|where|when|which)\b(?!.*\bchanged since\b)`,
  String.raw`\b(?:explain|describe|tell me|say|know|wonder(?:ing)?|understand|figure out|find out|see|show me)\s+(?:to me\s+)?(?:what|why|how|whether)\b(?!.{0,30}\b(?:prints?|says?|outputs?|result|happens)\b)`,
  String.raw`(?:^|[.!?;\n]\s*)(?:(?:hey|so|and|but|ok|okay|um|hmm|well)[\s,]+)*(?:should|shall|may|must|ought)\s+(?:i|we|one)\b`,
  String.raw`(?:^|[.!?;\n]\s*)(?:(?:hey|so|and|but|ok|okay|um|hmm|well)[\s,]+)*(?:is|are|was|were|isn't|aren't|has|have|had|did|does|do)\s+(?:it|this|that|there|he|she|they|i|we|anyone|anybody|someone|somebody)\b.*\b(?:safe|dangerous|ok|okay|allowed|possible|wise|good idea|needed|necessary|worth|run|ran|built|deployed|done|changed|delete|deletes|remove|removes|need)\b`,
  String.raw`^\W*(?:(?:so|hey|and|but|ok|okay|hi|hello|please)[\s,]+)*(?:can|might|will)\s+(?!you\b|u\b|ya\b|we\b|i\b|someone\b)[\w./-]+(?:\s+[\w./-]+){0,3}\s+(?:be|even|still|also|really|actually|work|run)\b`,
  String.raw`\b(?:is it (?:safe|ok|okay|dangerous|possible)|would it be|am i allowed|are we allowed|what's the (?:difference|point)|meaning of|docs? for|documentation)\b`,
]

/** Words of another person behind a colon: "Tomasz wrote in the channel: turn it on", "From Mary, 9.14 am: set the rate". */
const REPORTED = [
  // A letter, a mail that was forwarded, a plan of the past.
  String.raw`^\W*dear (?!covey|computer|nano|assistant|program)\w+\b|^\s*>\s*(?:hi|hello|hey|dear|please|on)\b|^\W*(?:\S+\s+){1,4}(?:was|were) (?:yesterday|last|the (?:plan|idea|proposal)|(?:our|his|her|their) (?:plan|idea|proposal))\b`,
  // Quoted and then spoken about: "..., that's what the manual says". Someone's words without a colon.
  String.raw`^\W*…\W*(?:that's|thats|that was|that is|this is|this was|is|was|reads?|stood|so)\s+(?:what|wat|how|the|her|his|their|my|in|on|all|at|part|one)\b`,
  String.raw`\b(?:somebody|someone|he|she|they|(?:my|the|our|your|his|her|their|an?) [\w'-]+(?: [\w'-]+)?)\s+(?:once |just |has |had |always |keeps? |apparently |recently )?(?:wrote|said|says|told me|told us|tells (?:me|us)|asked (?:me|us)|wants (?:me|us)|suggested|suggests|recommends|recommended|insists|ordered (?:me|us)|shouted|yelled|mumbled|muttered|scribbled)\s+(?:that\s+|about\s+|on\s+)?(?:to|we|i|you|one|someone|somebody|${ACTION})\b`,
  String.raw`^\W*(?:(?!(?:please|can|could|i|we|you)\b)[\w'.@-]+[\s,]+){1,6}?(?:wrote|said|says|writes|asked|asks|told (?:me|us)|tells (?:me|us)|replied|replies|messaged|posted|texted|mailed|emailed|commented|suggested|suggests|reads|goes|went|dictated|announced|insists|typed|was like)\b[^:,\n]{0,50}:\s`,
  String.raw`^\W*(?:from|fwd|fw|(?:e-?mail|message|note|text|dm|slack|quote) from|quoting|subject|re|forwarded(?: from)?|ticket|comment)\b(?:[^:\n]|\d:\d){0,40}:\s`,
  // "Delete a.txt, he said."
  String.raw`\b(?:he|she|they|mum|dad|my \w+|our \w+) (?:said|wrote|told (?:me|us)|asked|suggested)\W*$`,
]

/** A question is answered by a command that was spelled out for it: "what does `git diff` say?". */
export const READS =
  /^(?:git (?:status|diff|log|branch|show)|ls|pwd|date|whoami|uname|df|du|wc|cat|head|tail)\b|--version$/

type Signs = {
  readonly mood: Mood
  readonly somewhere: RegExp
  readonly everywhere: RegExp
  /** Whether they say anything about this call. */
  readonly holds: (call: NanoCall) => boolean
}

const signs = (mood: Mood, patterns: readonly string[], holds: Signs['holds'] = () => true): Signs => ({
  mood,
  somewhere: new RegExp(patterns.join('|'), 'u'),
  everywhere: new RegExp(patterns.join('|'), 'gu'),
  holds,
})

const commandOf = ({ input }: NanoCall): string =>
  typeof input['command'] === 'string' ? input['command'] : ''

/** "Stop job-3" is done by stopping it. */
const isStopping = ({ name }: NanoCall): boolean => name === 'job_stop'

const moods: readonly Signs[] = [
  signs('negated', NEGATIONS, (call) => !isStopping(call)),
  signs('postponed', POSTPONED),
  signs('conditional', CONDITIONAL),
  signs('reported', REPORTED),
  signs('asked-about', ASKS, (call) => !READS.test(commandOf(call))),
]
