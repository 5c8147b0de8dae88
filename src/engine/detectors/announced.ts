/**
 * "I will now read the file." and then nothing: the model says what it is about to do and stops. Only the last sentence
 * is looked at, and only where it is a first-person future with something a tool does. Offers, conditions, questions,
 * refusals and promises for another day are none.
 */
import { toSentences } from './sentences.ts'
import type { ReplyDetector } from './detector.ts'

export const announced: ReplyDetector = ({ text, calls }, { prompt, toolNames, mayAct, due }) => {
  if (calls.length > 0 || !mayAct || toolNames.length === 0 || endsInCode(text) || WANTS_PLAN.test(prompt)) {
    return undefined
  }
  const last = toSentences(text).at(-1)
  if (last === undefined) return undefined
  // While something is missing, "Moving on to the next file." says the same as "I will read it".
  const isNext = due.missing.length > 0 && GOES_ON.test(lastStatement(text)) && !/[?？]\W*$/.test(last)
  if (!isNext && !isAnnouncement(last, toolNames)) return undefined
  return {
    detector: 'announced',
    note: 'You said what you would do but called no tool. Call it now; if the work is done, give the result.',
    otherwise:
      'Announcing a call does not run it. Your next reply must be the tool call itself, without words.',
    isVoid: true,
  }
}

/** Up to a full stop, with its label: "Next step: edit a.js". */
const lastStatement = (text: string): string =>
  text
    .trim()
    .split(/\n+|(?<=[.!?…。！？])\s+/u)
    .at(-1)
    ?.replace(/^[\s>#*_•+-]+/, '') ?? ''

const GOES_ON =
  /^(?:(?:ok|okay|great|good|now|so|alright|perfect|done)[,.!:]? )*(?:(?:moving|going|carrying|continuing|proceeding|heading) (?:on|to|with|forward|ahead|over)\b|(?:next|now|then|step \d+|next up|nächster schritt|als nächstes|étape suivante|siguiente paso|下一步|далее)(?: step| action| file)?(?: is(?: to)?| will be)?\s*[:：,-]|(?:now |next |currently )?(?:reading|opening|checking|searching|editing|updating|changing|fixing|writing|creating|running|executing|applying|looking|inspecting|calling|using)\b|on to the next|time to \w+|(?:weiter|als nächstes|passons|ahora|sigo|теперь|сейчас|接下来|现在)(?![\p{L}]))/iu

/** A reply that ends with a code block ends with what it announced. */
const endsInCode = (text: string): boolean => /(?:```|~~~)\s*$/.test(text)

const WANTS_PLAN =
  /\b(?:(?:a|an|the|your) (?:\w+ )?(?:plan|outline|roadmap)|how would you|what would you|(?:don't|do not) (?:change|do|run|edit) any)\b/i

const isAnnouncement = (sentence: string, toolNames: readonly string[]): boolean =>
  !/[?？]\W*$/.test(sentence) &&
  !OPEN.test(sentence.replaceAll(WHETHER, '')) &&
  toClauses(sentence).some((clause) => announces(clause, toolNames))

const toClauses = (sentence: string): readonly string[] => sentence.split(/[,;:]\s+|\s[-–—]\s+/)

const announces = (clause: string, toolNames: readonly string[]): boolean =>
  languages.some(({ future, verb }) => {
    const [, rest] = future.exec(clause) ?? []
    return rest !== undefined && (verb.test(rest) || (USES.test(rest) && namesTool(rest, toolNames)))
  })

/** "Check if it exists" asks the project, not the person. */
const WHETHER = /\b(?:check|see|verify|confirm|test|determine|find out|look) (?:if|whether)\b/gi

/** Left to the person, to a condition or to another day. */
const OPEN =
  /\b(?:if|unless|once you|when you|after you|whenever|as soon as you|would you|let me know|next time|in (?:the )?future|from now on|going forward|later|tomorrow|falls|wenn|sobald|cuando|quand|si (?:vous|tu|usted|quieres|lo desea))\b/i

const namesTool = (rest: string, toolNames: readonly string[]): boolean =>
  /\btools?\b|\bWerkzeug\b|\boutil\b|\bherramienta\b|工具/i.test(rest) ||
  toolNames.some((name) => rest.includes(name))

const USES =
  /^(?:use|using|call|calling|invoke|invoking|try|.*\b(?:verwenden|benutzen|aufrufen|utiliser|appeler|usar|utilizar|llamar)\b|.*(?:使用|调用))/i

type Language = {
  /** Captures what follows the announcement of doing. */
  readonly future: RegExp
  readonly verb: RegExp
}

const LEAD = '(?:(?:ok|okay|sure|great|good|alright|now|next|first|then|so|and|but|therefore|finally) )*'
const SOFTENER =
  '(?:now |first |then |next |also |just |quickly |simply |go ahead and |proceed to |continue to |try (?:to |(?=\\w+ing\\b))|(?:start|begin|proceed|continue) (?:by |with )?)*'

const languages: readonly Language[] = [
  {
    future: new RegExp(
      `^${LEAD}(?:i'll|i will|i shall|i'm going to|i am going to|i'm about to|i am about to|i need to|i have to|i should|i must|let me|let's|let us) ${SOFTENER}(.*)`,
      'i',
    ),
    verb: /^(?:re-?)?(?:read|open|view|look|see what|see how|see the|take a (?:closer )?look|have a look|examin|inspect|explor|search|find|locat|grep|list|edit|chang|modif|updat|fix|replac|renam|writ|creat|add(?! that\b)|append|delet|remov|mov|apply|mak(?=\w* (?:the|this|that|these|those|my|our|a|an|some|all)\b)|do|start|proceed|continue|go on|move on|implement|run|runn|execut|test|check|verif|fetch|download|install)(?:e|es|ing|ning|y|ying|ting)?\b/i,
  },
  {
    future: /^(?:.{0,40}\b)?(?:ich werde|werde ich|lass mich|lassen sie mich) (?!.*\bnicht\b)(.*)/i,
    verb: /(?<!\p{L})(?:lesen|öffnen|ansehen|anschauen|suchen|auflisten|ändern|anpassen|bearbeiten|schreiben|erstellen|anlegen|ausführen|starten|prüfen|überprüfen|untersuchen|hinzufügen|löschen|ersetzen)\W*$/iu,
  },
  {
    future: /^(?:.{0,40}\b)?(?:je vais|laissez-moi|laisse-moi) (?:maintenant |d'abord |ensuite )?(.*)/i,
    verb: /^(?:lire|ouvrir|regarder|examiner|chercher|rechercher|lister|modifier|changer|corriger|écrire|créer|ajouter|supprimer|exécuter|lancer|vérifier)(?!\p{L})/iu,
  },
  {
    future: /^(?:.{0,40}\b)?(?:voy a|déjame|permíteme|vamos a) (?:ahora |primero )?(.*)/i,
    verb: /^(?:leer|abrir|ver|mirar|examinar|buscar|listar|modificar|cambiar|corregir|editar|escribir|crear|agregar|añadir|eliminar|ejecutar|revisar|comprobar|verificar)(?!\p{L})/iu,
  },
  {
    future: /^.{0,12}(?:我将|我会|我要|我来|让我|接下来)(?!不)(.*)/u,
    verb: /^.{0,12}(?:读取|阅读|查看|打开|搜索|查找|列出|编辑|修改|更新|创建|写入|添加|删除|运行|执行|检查)/u,
  },
]
