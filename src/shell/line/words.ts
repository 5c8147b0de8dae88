/** The words that separate a sentence from the arguments of a command, as data. Lower case, without accents folded. */

const set = (...texts: readonly string[]): ReadonlySet<string> => new Set(texts.join(' ').trim().split(/\s+/))

/**
 * Determiners, pronouns, question words, auxiliaries: one of them makes a sentence. Single letters and words that are usual
 * arguments (`lo`, `la`, `man`, `com`, `all`, `no`) are left out on purpose.
 */
export const strongWords = set(
  // English
  `the an this that these those my your our their its his her me you we they them it him i im ive 
   why how what whats when where wheres who whose whom whether which
   is isnt are arent was wasnt were werent am be been being do does doesnt did didnt dont has hasnt have havent had
   can cant cannot could couldnt should shouldnt would wouldnt will wont must might may shall
   please pls plz sure every each any some anything something nothing everything everyone someone anyone
   there here because but if every than so still already really very too also only
   fails failed failing keeps says hangs crashes shows throws gives complains refuses seems works working broken doesnt`,
  // German
  `der die das den dem des ein eine einen einem einer eines dieser diese dieses diesen diesem mein meine meinen dein deine
   ist sind war waren wird wurde wurden hat haben hatte kann kannst koennen können könnte soll sollte muss müssen warum wieso
   weshalb wie was wer wann welche welcher welches wo ob nicht kein keine und oder mir mich dir dich ich wir ihr sie er es
   bitte mal noch schon heraus alle alles für ueber über hier dort wenn weil dass`,
  // French
  `le les une des du au aux ce cet cette ces mon ma mes ton ta tes sa ses notre votre leur leurs est sont était sera
   pourquoi comment quand quel quelle quels quelles qui que quoi où dans pour avec sur pas ne je tu il elle nous vous ils
   elles moi toi tous toutes tout toute fait faire peux peut veux merci svp`,
  // Spanish, Portuguese, Italian
  `el los las un una unos unas este esta estos estas ese esa mi mis tu tus su sus es está estan están era fue por qué que
   cómo como cuándo cuál cuáles quién quien dónde para con sin más muy yo todas favor
 um uma uns umas esse essa isso isto meu minha seu sua são não porque porquê quando onde você eu dos das nos nas pelo pela
   il gli uno questo questa questi queste quello quella mio mia sono perché perche cosa chi dove quale quali non della delle
   dello degli nel nella tutti tutte`,
  // Dutch, Swedish, Danish, Norwegian
  `het een deze dit mijn jouw zijn waren wordt waarom hoe wat wie wanneer welke waar niet geen voor ik jij wij alle
   den det att och är inte varför hur vad vem när vilken med på för jag du alla mig er ikke hvorfor hvordan hvad hvem hvor
   jeg`,
  // Polish, Czech, Turkish, Indonesian
  `jest są nie się dlaczego jak kto kiedy gdzie który która które mnie moje mój wszystkie tego
   proč kdo kde když který která není jsou
   neden nasıl nerede kim hangi bu şu için bir değil yap
   kenapa mengapa bagaimana apa siapa kapan itu yang tidak semua`,
)

/** Prepositions and conjunctions: a sentence when they are in the middle of one. */
export const weakWords = set(
  `of to in on at by for from with without into onto about between after before during as and or not like over under
   through until since against per versus vs  
   von vom zu zum zur im auf mit aus bei nach vor durch gegen ohne seit um
   de et ou en sans chez entre par
 del al sobre entre hasta desde
   di da con per tra fra su
   van naar bij uit door om te
   till från av eller som til fra
   na ze dla od po przez oraz`,
)

/** Right behind the first word they begin a sentence, whatever follows. */
export const openingWords = set(
  `of to for about with from into by like than not please working`,
  `heraus raus zu mit von für`,
  ` pour avec sur`,
)

/** In the place of an object: "kill it", "test this". */
export const pronouns = set(
  `it this that these those them me him her everything something anything all
   es das dies alles ihn sie ça cela tout esto eso isso tudo questo tutto dit dat`,
)

/** Programs whose arguments are text to be printed or spoken. */
export const speakers = set(
  `echo printf say espeak espeak-ng spd-say figlet toilet cowsay cowthink banner wall logger notify-send lolcat
   osascript boxes`,
)

/** Programs that look up the words they are given. */
export const lookups = set(
  `man which type whatis whereis where apropos info help tldr hash whence command dict cheat hilfe pinfo builtin unalias unset`,
)

/** Programs whose first argument is a pattern. */
export const searchers = set(`grep egrep fgrep zgrep rg ag ack ug sed awk gawk pgrep locate look ripgrep`)

/** Programs whose arguments are names of files or folders, which may be any words. */
export const fileTakers = set(
  `ls ll la l cat less more head tail cd mkdir touch rm rmdir cp mv ln vi vim nvim nano emacs code bat open pushd source stat file
   du wc chmod chown tar zip unzip dir tree view edit subl micro hx xdg-open`,
)

/** Programs whose first argument is the name of a task, so that "all", "test" or "it" may be one. */
export const taskRunners = set(
  `make gmake npm yarn pnpm bun just task rake gradle mvn nx turbo invoke tox nox ninja cargo`,
)

/** In front of a command they change nothing about what is a command. */
export const prefixes = set(
  `sudo doas nohup nice ionice exec command builtin env time stdbuf setsid noglob nocorrect`,
)

/** What ordinary language puts around commands and arguments never look like. */
export const plainWords = set(
  `pass passes passing work works faster slower again today tomorrow yesterday correctly properly instead together better nicer cleaner prettier
   smaller bigger shorter longer simpler easier readable worse
   descending ascending alphabetically recursively quickly thanks thank hello hi hey bitte danke merci gracias por`,
)

/** Programs whose own grammar is made of words of a sentence: `ufw allow from any to 10.0.0.1`. */
export const wordyPrograms = set(`ufw nft pfctl tc ip nmcli firewall-cmd iw bluetoothctl at launchctl`)
