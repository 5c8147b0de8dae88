/** Requests in another language: which one, and what is said to them. Nano reads English only and would guess. Pure. */

type Language = { readonly words: RegExp; readonly answer: string }

const ENGLISH_ANSWER = 'The built-in model reads English only. Nothing was done.'

const word = (list: string): RegExp =>
  new RegExp(`(?<![\\p{L}\\p{N}])(?:${list.split(' ').join('|')})(?![\\p{L}\\p{N}])`, 'giu')

/** Polish, Swedish, Norwegian and Danish, Welsh, Swahili, Tagalog, Indonesian, Turkish, Romanian, Czech, Irish, Hindi, Finnish, Hungarian. */
const OTHERS = [
  'proszę poprosze poproszę pokaż pokaz mi czy jest są nie tak jak co gdzie dla dziękuję dzięki uruchom usuń usun zmień dodaj otwórz zrób skopiuj plik pliku testy listę który która oraz na po do w z ze i o się tego dobra',
  'visa vis kan du jag jeg är er det den som och og att i på til till för med av från fra inte ikke slette slett radera kör kjør kør testerna testene tack takk tak snäll snill mig meg vad hva hvad var alle alla kopiera kopier ändra öppna åpne flytta',
  "dangos dangoswch rhestr os gweli gwelwch di'n chi'n dda yn yr y ei mewn ffeil beth sydd dw rwy eisiau agor ar mis wythnos yma plis diolch allwch allet ddangos rhed",
  'tafadhali nionyeshe fungua orodha ya wa kwa na ni za la je hii yangu faili folda asante habari unaweza nataka kuona weka futa kila wote',
  'ang ng mga sa na po naman paki lang ko mo ito iyan yung salamat kung hindi oo wala para siya kami tayo nila niya pa ba rin din at buksan ipakita',
  'tolong tampilkan buka hapus yang dan di ke dari saya ini itu untuk dengan apa bisa tidak jangan sudah lalu isi daftar terima kasih ada',
  'lütfen bir bu şu ve ile için aç göster sil değil mi mı nasıl ne kaç dosyayı dosya planını teşekkürler haftanın',
  'te rog vă arată șterge deschide și cu pentru din la lista fișierul mulțumesc este nu care să îmi',
  'prosím prosim ukaž smaž otevři spusť mi že je jsou na do a co kde soubor děkuji pokaži odpri zbriši za teden testy',
  'taispeáin dom comhad an na le do thoil go raibh maith agat is tá cad agus ar mo sa dhomh',
  'kar karo karna dikhao dikha do hai hain mein ka ki ke ko se kya kaun nahi mat abhi yaar bhai kal zara batao chalao',
  'näytä poista avaa ja on ei että tämä se mikä missä kiitos ole hyvä tiedosto vanhat listaan kirjaa',
  'kérlek mutasd töröld nyisd meg és az egy nem hogy van a fájl köszönöm mi hol listát',
]

const LANGUAGES: readonly Language[] = [
  {
    words: word(
      'der die das den dem ein eine einen einem ist und nicht bitte mit von für auf im zum zur ich du wir mir was wie wer wo zeig zeige lösche erstelle ändere schreibe öffne suche datei ordner kannst bist sind wird habe alle noch lösch lass mal setz setze kopiere verschiebe benenne dann danke wann wer hat neuen neue anlegen',
    ),
    answer: 'Das eingebaute Modell versteht nur Englisch. Es wurde nichts getan.',
  },
  {
    words: word(
      'le la les un une des du est et pas avec pour dans sur je tu nous vous moi quoi quel quelle qui où montre montrez supprime supprimer crée créer ouvre fichier dossier peux peut sont ce cette mon ma mes au aux lis cherche lance ajoute mets renomme affiche copie te plaît stp svp merci encore pourriez',
    ),
    answer: 'Le modèle intégré ne comprend que l’anglais. Rien n’a été fait.',
  },
  {
    words: word(
      'el la los las un una es y no con por para en de del que qué cómo dónde quién yo tú me mi muestra muéstrame borra elimina crea abre busca archivo carpeta puedes está son este esta favor lee escribe añade cambia copia nada cuánto cuánta cuántos nos gracias todavía',
    ),
    answer: 'El modelo integrado solo entiende inglés. No se ha hecho nada.',
  },
  {
    words: word(
      'il lo la gli le un una è e non con per di del della che cosa come dove chi io tu mi mostra mostrami cancella elimina crea apri cerca file cartella puoi sono questo questa favore leggi scrivi aggiungi cambia copia lancia adesso tutti poi quante quanto grazie alla dello',
    ),
    answer: 'Il modello integrato capisce solo l’inglese. Non è stato fatto nulla.',
  },
  {
    words: word(
      'o os as um uma é e não com por para em do da que como onde quem eu me meu minha mostra mostre apaga apague cria abre abra procura arquivo ficheiro pasta pode são este esta favor leia escreva podes apagues adiciona muda nada obrigado obrigada muito qual na dos das',
    ),
    answer: 'O modelo integrado só entende inglês. Nada foi feito.',
  },
  {
    words: word(
      'de het een is en niet met van voor op ik jij je wij mij wat hoe wie waar laat toon verwijder maak open zoek bestand map kun kan zijn dit deze mijn alsjeblieft lees schrijf zet draai gooi maar weg laat even deze er naar als dan mag welke verplaats kopieer',
    ),
    answer: 'Het ingebouwde model begrijpt alleen Engels. Er is niets gedaan.',
  },
  ...OTHERS.map((words) => ({ words: word(words), answer: ENGLISH_ANSWER })),
]

const ENGLISH = word(
  'the a an is are and not with from for on in to of i you we me my what how who where show delete make create change open find file files folder can please it this that then do does run add copy move put write read list',
)

/** Letters that no English sentence is made of. */
const OTHER_SCRIPT =
  /[\p{Script=Cyrillic}\p{Script=Greek}\p{Script=Arabic}\p{Script=Hebrew}\p{Script=Han}\p{Script=Hiragana}\p{Script=Katakana}\p{Script=Hangul}\p{Script=Devanagari}\p{Script=Thai}]/gu

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
