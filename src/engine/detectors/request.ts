/**
 * Whether a sentence asks for files to be changed. Verbs in the form a request has, not where they are nouns ("the
 * fix") or describe others ("it changes"); verbs that also make answers ("write a poem") count only with something to
 * put them in. Reports of what is broken count too: a user who reports it wants it fixed.
 */

export function isChangeRequest(sentence: string): boolean {
  const told = sentence.replaceAll(/"[^"\n]*"|“[^”\n]*”/g, '""')
  return requests.some((pattern) => pattern.test(told)) || MAKES.test(sentence) || isComplaint(told)
}

/** After these words a verb is a noun, or has another subject. */
const NOT_BEFORE =
  "(?<!\\b(?:the|a|an|this|that|these|those|my|your|our|its|their|his|her|of|no|any|some|each|every|which|what|last|next|new|first|i|it|they|he|she|who|users?|will|would|may|might|could|can|cannot|can't|not|n't|never|don't|without|how to|where to|when to|if to|git|npm|yarn|pnpm|apt|pip|cargo|go) )"

const CHANGE_VERBS =
  'fix|change|update|edit|modify|rename|replace|remove|delete|set|move|refactor|implement|convert|migrate|bump|upgrade|downgrade|insert|append|prepend|put|extract|inline|rewrite|correct|repair|resolve|solve|adjust|adapt|increase|decrease|raise|lower|reduce|swap|switch|enable|disable|configure|port|sort|reformat|format|clean up|tidy|drop|strip|extend|improve|optimi[sz]e|simplify|patch|apply|revert|restore|comment out|uncomment|introduce|get rid of|deduplicate|dedupe|wire|hook up|close|reopen|mark|sync|turn (?:on|off)|get .{1,40} (?:to work|working|green|passing)|make (?:sure|it|them|the|all|every|this|that|[\\w./-]+ (?:use|return|print|accept|support|handle|work|pass))|let .{1,40} (?:use|return|print|accept)|split|merge|combine|document|localize|add|debug|finish|complete'

const requests: readonly RegExp[] = [
  new RegExp(
    `${NOT_BEFORE}\\b(?:${CHANGE_VERBS})\\b(?!['’]s\\b|[-_./])(?! (?:is|are|was|were|has|had)\\b)`,
    'i',
  ),
  // Imperatives and polite infinitives of other languages; prefixes of verbs may stand at the end.
  /(?<!\p{L})(?:ändere|ändern|ersetze|ersetzen|benenne|umbenennen|füge|hinzufügen|lösche|löschen|entferne|entfernen|erstelle|erstellen|schreibe?|setze|setzen|behebe|beheben|repariere|reparieren|korrigiere|korrigieren|verschiebe|verschieben|passe|anpassen|aktualisiere|aktualisieren|mach|mache|baue|ergänze|ergänzen|lege|stelle)(?!\p{L})/iu,
  /(?<!\p{L})(?:modifie[rz]?|remplace[rz]?|renomme[rz]?|ajoute[rz]?|supprime[rz]?|crée[rz]?|écris|écrire|corrige[rz]?|répare[rz]?|déplace[rz]?|mets|mettre|enlève|retire)(?!\p{L})/iu,
  /(?<!\p{L})(?:cambia[r]?|modifica[r]?|reemplaza[r]?|renombra[r]?|añade|añadir|agrega[r]?|elimina[r]?|borra[r]?|crea[r]?|escribe|escribir|corrige|corregir|arregla[r]?|mueve|mover|pon|actualiza[r]?|quita[r]?|substitua|renomeie|adicione|remova|corrija|mova|atualize|rinomina|aggiungi|rimuovi|correggi|sposta)(?!\p{L})/iu,
  /(?<!\p{L})(?:исправь|исправьте|измени|измените|замени|замените|переименуй|переименуйте|добавь|добавьте|удали|удалите|создай|создайте|напиши|обнови|обновите|перемести|поправь|почини)(?!\p{L})/iu,
  /修复|修改|更改|替换|重命名|添加|删除|创建|编写|更新|移动|设置为|改成|改为|修正|変更|置き換え|追加して|作成して|수정|변경|추가/u,
]

/** What makes a text may be answered with one, unless it says where the text belongs. */
const MAKES = new RegExp(
  `${NOT_BEFORE}\\b(?:write|translate|create|make|generate|build|prepare|produce|save|store|record|draft|scaffold|set up|wrap|cover|move)\\b` +
    String.raw`.{0,160}?(?:[\w-]+\.[a-z]\w{0,4}\b|\b(?:files?|folders?|director(?:y|ies)|modules?|packages?|unit tests?|tests? (?:for|that|which|in)|a test|scripts? (?:that|which|for|in|to)|components?|endpoints?|routes?|class(?:es)? (?:in|for|that)|release|readme|changelog|config(?:uration)?|migration|docs|documentation)\b)`,
  'i',
)

/** Told in the present: something is wrong now. Hypothetical and past ones ask for nothing. */
const isComplaint = (sentence: string): boolean =>
  COMPLAINT.test(sentence) &&
  !/\b(?:if|when would|whether|could|might|used to|yesterday|no longer)\b/i.test(sentence)

const COMPLAINT = new RegExp(
  [
    String.raw`\b(?:is|are|'s|got|gets?|stays?) (?:still )?(?:broken|wrong|red|failing|buggy|off by one|not working|missing|misspelled|outdated|inverted|swapped)\b`,
    String.raw`\b(?:doesn't|does not|don't|do not|doesnt|dont|won't|wont) (?:work|compile|build|start|run|pass|parse|load|match)\b`,
    String.raw`\b(?:crashes|crash|throws|fails|breaks)\b`,
    String.raw`\bthere(?:'s| is| are) (?:a|an|some|still) (?:\w+ )?(?:bug|typo|mistake|error|problem|issue)s?\b`,
    String.raw`\b(?:should|needs? to|must|has to|have to|ought to) (?:not |also |only )?(?:be|have|use|return|say|read|print|show|accept|go|live|become|contain|end|start|point|support|handle|work|pass)\b`,
    String.raw`\b(?:i|we) (?:want|need|would like|'d like) (?:a|an|the|another|it|all|every|[\w./-]+ (?:to be|renamed|changed|removed|added|moved))\b.{0,80}\b(?:in|into|to|at|under|instead|renamed|changed|removed|added|moved|fixed)\b`,
    String.raw`\binstead of\b`,
    String.raw`(?<!\p{L})(?:ist|sind) (?:kaputt|falsch|rot)(?!\p{L})|funktioniert nicht|schlägt fehl`,
    String.raw`ne (?:marche|fonctionne) pas|no funciona|не работает|坏了|失败|不工作|有(?:个|一个)?(?:错误|问题|bug)`,
  ].join('|'),
  'iu',
)
