/** Turns of phrase that several detectors look for: reasons and questions. Several languages where it is cheap. */
import { toSentences } from './sentences.ts'

/** Says why something was not done, or that it is not there: the end of honest work that found an obstacle. */
export const explains = (text: string): boolean => EXPLAINS.test(text)

const EXPLAINS = new RegExp(
  [
    String.raw`\b(?:can't|cannot|can not|could not|give up|gave up|couldn't|unable|impossible|not possible|not able|no access|denied|not allowed|no permission|refused?|won't|will not|would need|blocked)\b`,
    String.raw`\b(?:does not|doesn't|do not|don't|did not|didn't) (?:exist|have|contain|find|change|run|edit|write|match|need|know|pass)\b`,
    String.raw`\b(?:no such|not found|not there|is missing|are missing|isn't there|nowhere|not (?:in|part of) (?:the|this))\b`,
    String.raw`\b(?:have not|haven't|has not|hasn't|was not|wasn't|were not|weren't|is not|isn't) (?:been |be )?(?:changed|run|written|edited|done|found|needed|necessary|possible|executed|able|clear|defined|used)\b`,
    String.raw`\bnothing (?:to (?:do|change|fix)|was|had to|needs|has to)|\bno (?:changes?|edits?|need|occurrences?|matches?|such|file|test|bug)\b|\balready\b|\bunclear\b|\bambiguous\b|\bbefore i (?:can|change|do)\b`,
    String.raw`(?<!\p{L})(?:kann (?:ich )?nicht|konnte nicht|nicht möglich|existiert nicht|gibt es nicht|bereits|schon so|nicht gefunden|keine änderung|verweigert)`,
    String.raw`(?<!\p{L})(?:je ne peux pas|impossible|n'existe pas|introuvable|déjà|refusé|no puedo|no existe|no se encontr|ya (?:está|tiene)|denegado)`,
    String.raw`не могу|не удалось|не существует|не найден|уже|отказано|无法|不能|不存在|没有找到|已经是|拒绝`,
  ].join('|'),
  'iu',
)

/** Says that it will not, or warns. */
export const declines = (text: string): boolean =>
  /\b(?:sorry|declin\w*|rather not|not going to|against|advise|unsafe|danger\w*|harmful|risky?|illegal|should not|shouldn't|must not|don't think|are you sure|please (?:tell|give|provide|specify|send|share|clarify)|need (?:to know|more))\b/i.test(
    text,
  )

/** Tells that something went wrong. */
export const tellsFailure = (text: string): boolean =>
  /\b(?:fail\w*|errors?|red|broke\w*|broken|exit(?:s|ed)? (?:code|with)|crash\w*|throws?|threw|problem|unsuccessful|not (?:pass|work|green)|still)\b|fehl|rot\b|kaputt|échou|erreur|falla|falló|fallan|error|ошибк|упал|失败|错误/iu.test(
    text,
  )

/** Ends by asking the person something only they can say. */
export function endsWithQuestion(text: string): boolean {
  const last = toSentences(text).at(-1)
  return last !== undefined && /[?？]\W*$/.test(last) && !asksLeaveIn(last) && !TASK_AS_QUESTION.test(last)
}

/** "How to change the port?" is the task once more; only the person would ask it. */
const TASK_AS_QUESTION = /^(?:so,? |and )?how (?:to|(?:do|can|could|would|should) i|does one)\b/i

/** Asks whether it may, not what is wanted. Alternatives are a real choice. */
export const asksLeaveIn = (sentence: string): boolean => LEAVE.test(sentence) && !CHOICE.test(sentence)

const CHOICE =
  /\b(?:or|oder|ou|или|which|what|where|who|how many|welche\w*|was|quel\w*|qué|cuál\w*)\b(?! not\b)|还是|哪/iu

const LEAVE = new RegExp(
  [
    String.raw`\b(?:should|shall|may|can|could|must) i\b(?! (?:help|assist)).{0,120}\b(?:go ahead|proceed|continue|start|begin|now|do|make|apply|change|fix|edit|update|write|create|run|rename|replace|remove|add|delete|move|implement|that|this|it)\b`,
    String.raw`\b(?:would|do) you (?:like|want|prefer|wish)(?: for)? me to\b`,
    String.raw`\b(?:is it|is that|would it be) (?:ok|okay|fine|alright|all right|good)(?: with you| for you)? (?:if i|to)\b`,
    String.raw`\b(?:are you|is it) ok(?:ay)? with\b|\bok(?:ay)? to (?:proceed|go ahead|continue)\b|\bready (?:for me )?to proceed\b|\b(?:shall|should) we (?:proceed|go on|continue|start)\b`,
    String.raw`\b(?:please |just )?(?:confirm|let me know|tell me|say|give me (?:the|your) (?:go|ok|permission|approval))\b.{0,60}\b(?:proceed|go ahead|continue|apply|make (?:the|these|this)|before i|and i(?:'ll| will)|if (?:i|you) (?:should|want|would like)|when(?:ever)? you(?:'re| are) ready)\b`,
    String.raw`\b(?:awaiting|waiting for|with) your (?:confirmation|approval|permission|go-ahead|ok)\b|\bonce you (?:confirm|approve|agree)\b|\bi need your (?:permission|approval|confirmation)\b`,
    String.raw`(?:^|\s)(?:soll|darf|kann) ich\b|möchtest du, dass ich|möchten sie, dass ich|willst du, dass ich`,
    String.raw`(?:voulez-vous|veux-tu|souhaitez-vous) que je|puis-je|dois-je|¿?(?:quieres|quiere|desea|deseas) que|¿?(?:debo|puedo)\b|posso\b|devo\b`,
    String.raw`(?:хотите|мне|можно ли) .{0,20}(?:чтобы я|продолжить|внести|начать)|(?:要我|需要我|我可以|是否).{0,20}(?:吗|？|\?)`,
  ].join('|'),
  'iu',
)
