/** Requests in another language: which one, and what is said to them. Nano reads English only and would guess. Pure. */

type Language = { readonly words: RegExp; readonly answer: string }

const word = (list: string): RegExp =>
  new RegExp(`(?<![\\p{L}])(?:${list.split(' ').join('|')})(?![\\p{L}])`, 'giu')

const LANGUAGES: readonly Language[] = [
  {
    words: word(
      'der die das den dem ein eine einen einem ist und nicht bitte mit von für auf im zum zur ich du wir mir was wie wer wo zeig zeige lösche erstelle ändere schreibe öffne suche datei ordner kannst bist sind wird habe alle noch',
    ),
    answer: 'Das eingebaute Modell versteht nur Englisch. Es wurde nichts getan.',
  },
  {
    words: word(
      'le la les un une des du est et pas avec pour dans sur je tu nous vous moi quoi quel quelle qui où montre montrez supprime supprimer crée créer ouvre fichier dossier peux peut sont ce cette mon ma mes au aux lis cherche',
    ),
    answer: 'Le modèle intégré ne comprend que l’anglais. Rien n’a été fait.',
  },
  {
    words: word(
      'el la los las un una es y no con por para en de del que qué cómo dónde quién yo tú me mi muestra muéstrame borra elimina crea abre busca archivo carpeta puedes está son este esta favor lee escribe',
    ),
    answer: 'El modelo integrado solo entiende inglés. No se ha hecho nada.',
  },
  {
    words: word(
      'il lo la gli le un una è e non con per di del della che cosa come dove chi io tu mi mostra mostrami cancella elimina crea apri cerca file cartella puoi sono questo questa favore leggi scrivi',
    ),
    answer: 'Il modello integrato capisce solo l’inglese. Non è stato fatto nulla.',
  },
  {
    words: word(
      'o os as um uma é e não com por para em do da que como onde quem eu me meu minha mostra mostre apaga apague cria abre abra procura arquivo ficheiro pasta pode são este esta favor leia escreva',
    ),
    answer: 'O modelo integrado só entende inglês. Nada foi feito.',
  },
  {
    words: word(
      'de het een is en niet met van voor op ik jij je wij mij wat hoe wie waar laat toon verwijder maak open zoek bestand map kun kan zijn dit deze mijn alsjeblieft lees schrijf',
    ),
    answer: 'Het ingebouwde model begrijpt alleen Engels. Er is niets gedaan.',
  },
]

const ENGLISH = word(
  'the a an is are and not with from for on in to of i you we me my what how who where show delete make create change open find file files folder can please it this that then do does run add copy move put write read list',
)

/** Letters that no English sentence is made of. */
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Devanagari}\p{Script=Thai}]/gu

const ENGLISH_ANSWER = 'The built-in model reads English only. Nothing was done.'

/** The answer to a request that is plainly in another language; quoted text and names of files say nothing. */
export function otherLanguage(request: string): string | undefined {
  const words = request.replaceAll(/"[^"]*"|“[^”]*”|`[^`]*`|'[^']{3,}'|\S*[./\\_]\S+/gu, ' ')
  const letters = words.match(/\p{L}/gu)?.length ?? 0
  if (letters > 0 && (words.match(OTHER_SCRIPT)?.length ?? 0) > letters / 2) return ENGLISH_ANSWER
  const english = countOf(words, ENGLISH)
  const counts = LANGUAGES.map(({ words: pattern, answer }) => ({ answer, count: countOf(words, pattern) }))
  const best = counts.reduce((one, other) => (other.count > one.count ? other : one))
  return best.count >= 2 && best.count > 2 * english ? best.answer : undefined
}

const countOf = (text: string, pattern: RegExp): number => new Set(text.toLowerCase().match(pattern)).size
