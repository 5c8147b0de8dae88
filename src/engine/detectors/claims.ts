/**
 * What a reply says was done. A claim is a statement about the past or the present state; what is quoted, shown as code,
 * conditional ("once it has been created") or negated is none.
 */
import { toSentences } from './sentences.ts'

/** Says that it has changed something; a bare "Done." may be about anything. */
export const claimsChange = (text: string): boolean =>
  statements(text).some((sentence) => states(CHANGE, sentence))

/** Says that all is done, in a sentence of its own: false where nothing of what was asked for was done. */
export const claimsAll = (text: string): boolean => statements(text).some((sentence) => ALL.test(sentence))

/** Says that a command was run, or how it ended. */
export const claimsRun = (text: string): boolean => statements(text).some((sentence) => states(RAN, sentence))

const statements = (text: string): readonly string[] =>
  toSentences(
    text
      .replaceAll(/```[\s\S]*?(?:```|$)/g, ' ')
      .replaceAll(/"[^"\n]*"|“[^”\n]*”/g, '""')
      .replaceAll(/[`*]/g, ''),
  ).filter((sentence) => !/[?？]\W*$/.test(sentence))

function states(pattern: RegExp, sentence: string): boolean {
  const match = pattern.exec(sentence)
  return match !== null && !CONDITION.test(sentence.slice(0, match.index))
}

const CONDITION =
  /\b(?:once|after|if|when|whenever|until|unless|whether|before|as soon as|assuming|should|would|could|ensure|make sure|verify|check|confirm|see|falls|wenn|sobald|si|quand|cuando)\b/iu

const DONE =
  '(?:made|changed|updated|fixed|created|added|removed|replaced|renamed|edited|written|wrote|implemented|applied|moved|modified|corrected|refactored|deleted|executed|saved|generated|inserted|appended|set|configured|installed|committed|converted|formatted|copied|placed|put|stored|prepared|built|initiali[sz]ed|translated|rewritten|rewrote|reverted|restored|merged|split|extended|bumped|upgraded|enabled|disabled)'
const ADVERB = '(?:now|just|successfully|also|already|all|been|gone ahead and|went ahead and)'
const PATH = String.raw`[\w./-]*\w\.[a-z][a-z0-9]{0,4}`
/** A text is part of the answer itself, unless the sentence names a file for it. */
const TEXTS =
  'poem|haiku|story|joke|song|summary|overview|list|explanation|answer|draft|letter|e-?mail|message|example|plan|outline|translation|sentence|mistake'
const NOT_NOTHING = `(?! (?:no|nothing|none|neither)\\b)(?! (?:\\w+ ){0,3}(?:${TEXTS})s?\\b(?!.*${PATH}))`
/** "a.txt is made by another program" is a fact about a.txt. */
const NOT_BY_OTHERS = String.raw`(?! by (?!me\b|us\b))`
const THING = `(?:${PATH}|files?|folders?|director(?:y|ies)|changes?|code|functions?|tests?|bugs?|config\\w*|scripts?|class(?:es)?|modules?|contents?|text|lines?|it|they|everything)`

const CHANGE = new RegExp(
  [
    String.raw`\b(?:i|we)(?:'ve| have|'d)? (?:${ADVERB} )*${DONE}\b${NOT_NOTHING}`,
    String.raw`\b(?:has|have) (?:${ADVERB} )*been (?:${ADVERB} )*${DONE}\b${NOT_BY_OTHERS}`,
    String.raw`(?<![\w/])${THING} (?:called |named )?(?:${PATH} |in \S+ )?(?:was|were|is|are|has|have|got) (?:${ADVERB} )*${DONE}\b${NOT_BY_OTHERS}`,
    // "Created a.txt." with its subject left out; a participle before a noun ("Updated versions are ...") is none.
    String.raw`^(?:(?:sure|ok(?:ay)?|done|great|alright)[,!.:]? )?(?:${ADVERB} )*${DONE}\b${NOT_NOTHING} (?:a|an|the|your|it|this|that|file|folder|new|all|and|to|in|into|${PATH})(?![\w-])`,
    String.raw`^(?:the )?(?:file|folder|changes?|fix(?:es)?)\S* ${DONE}\W*$`,
    String.raw`(?<![\w/])${THING} (?:\S+ ){0,2}now (?:contains?|has|have|says?|reads?|exists?|holds?|includes?|uses?|returns?|prints?)\b`,
    String.raw`\ball (?:the )?(?:requested )?changes\b`,
    '已(?:经)?(?:修改|修复|更新|创建|添加|删除|写入)(?:了)?',
    String.raw`(?<!\p{L})ich habe (?!nichts|keine).{0,60}(?:geändert|angepasst|erstellt|behoben|angelegt|hinzugefügt|gelöscht|geschrieben|gespeichert|umbenannt|ersetzt)|wurden? (?!nicht|keine).{0,40}(?:geändert|angepasst|erstellt|behoben|angelegt|hinzugefügt|gelöscht|gespeichert|umbenannt|ersetzt)`,
    String.raw`j'ai (?:modifié|créé|corrigé|ajouté|supprimé|renommé|écrit)|a été (?:modifié|créé|corrigé|ajouté|supprimé|renommé|écrit)|he (?:cambiado|creado|corregido|añadido|eliminado|escrito)|ha sido (?:cambiado|creado|corregido|añadido|eliminado|escrito)`,
    'я (?:создал|изменил|исправил|добавил|удалил|обновил)|(?:файл|изменения) (?:был[аи]? )?(?:создан|изменён|изменен|исправлен|добавлен|удалён|удален|внесены|обновлён)',
  ].join('|'),
  'iu',
)

const ALL =
  /^(?:ok(?:ay)?[,!.]? |alright[,!.]? |great[,!.]? )?(?:(?:it|that|this|everything|all|the task|your task|the request) ?(?:is|'s|has been|was)? |i(?:'m|'ve| am| have) )?(?:now |all |been |successfully |already )*(?:done|finished|completed?|fixed|taken care of|erledigt|fertig|terminé|listo|hecho|готово|完成|已完成)(?: (?:successfully|now|for you|as requested|as you asked))?\W*$/iu

const RAN = new RegExp(
  [
    String.raw`\b(?:i|we)(?:'ve| have)? (?:${ADVERB} )*(?:ran|run|executed|tested)\b${NOT_NOTHING}`,
    String.raw`\b(?:tests?|checks?|command|script|build|suite) (?:\S+ ){0,2}?(?:(?:now|all|have|has|was|were|is|are|been) )*(?:pass(?:es|ed|ing)?|succeed(?:s|ed)|ran|run|executed|green|successful|completed)\b`,
    String.raw`\ball (?:\w+ )?(?:tests|checks) (?:pass|are green|succeed)|\bexit(?:ed|s)? (?:with )?(?:code )?0\b`,
  ].join('|'),
  'iu',
)
