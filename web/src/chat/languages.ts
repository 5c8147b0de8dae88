/** The languages that are coloured; a chunk of its own. */
import highlighter from 'highlight.js/lib/core'
import bash from 'highlight.js/lib/languages/bash'
import c from 'highlight.js/lib/languages/c'
import cpp from 'highlight.js/lib/languages/cpp'
import css from 'highlight.js/lib/languages/css'
import diff from 'highlight.js/lib/languages/diff'
import go from 'highlight.js/lib/languages/go'
import ini from 'highlight.js/lib/languages/ini'
import java from 'highlight.js/lib/languages/java'
import javascript from 'highlight.js/lib/languages/javascript'
import json from 'highlight.js/lib/languages/json'
import markdown from 'highlight.js/lib/languages/markdown'
import python from 'highlight.js/lib/languages/python'
import ruby from 'highlight.js/lib/languages/ruby'
import rust from 'highlight.js/lib/languages/rust'
import sql from 'highlight.js/lib/languages/sql'
import typescript from 'highlight.js/lib/languages/typescript'
import xml from 'highlight.js/lib/languages/xml'
import yaml from 'highlight.js/lib/languages/yaml'

const scripting = { bash, javascript, python, ruby, sql, typescript }
const compiled = { c, cpp, go, java, rust }
const written = { css, diff, ini, json, markdown, xml, yaml }
for (const [name, language] of Object.entries({ ...scripting, ...compiled, ...written }))
  highlighter.registerLanguage(name, language)
highlighter.registerAliases(['tsx', 'mts'], { languageName: 'typescript' })
highlighter.registerAliases(['jsx'], { languageName: 'javascript' })
highlighter.registerAliases(['toml'], { languageName: 'ini' })
highlighter.registerAliases(['shell', 'console'], { languageName: 'bash' })

export { highlighter }
