/** Texts that try to run as script, style or address wherever a page shows them. Each calls `__canary()` if it runs. */
import { oddStrings } from '../server/odd-strings.ts'

const RUN = '__canary()'

const tags = [
  `<script>${RUN}</script>`,
  `<ScRiPt>${RUN}</sCrIpT>`,
  `<script src="data:text/javascript,${RUN}"></script>`,
  `<img src=x onerror=${RUN}>`,
  `<img src=x onerror="${RUN}">`,
  `<IMG SRC=x OnErRoR='${RUN}'>`,
  `<img src="x" onload="${RUN}" onerror="${RUN}"/>`,
  `<svg onload=${RUN}>`,
  `<svg><script>${RUN}</script></svg>`,
  `<svg/onload=${RUN}//`,
  `<svg><animate onbegin=${RUN} attributeName=x dur=1s>`,
  `<svg><a xlink:href="javascript:${RUN}"><text>x</text></a></svg>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--&gt;&lt;img src=1 onerror=${RUN}&gt;">`,
  `<iframe src="javascript:${RUN}"></iframe>`,
  `<iframe srcdoc="<script>parent.${RUN}</script>"></iframe>`,
  `<object data="javascript:${RUN}"></object>`,
  `<embed src="javascript:${RUN}">`,
  `<body onload=${RUN}>`,
  `<details open ontoggle=${RUN}>`,
  `<video><source onerror="${RUN}"></video>`,
  `<audio src onerror=${RUN}>`,
  `<input autofocus onfocus=${RUN}>`,
  `<select autofocus onfocus=${RUN}>`,
  `<textarea autofocus onfocus=${RUN}>`,
  `<form action="javascript:${RUN}"><button>x</button></form>`,
  `<button formaction="javascript:${RUN}">x</button>`,
  `<marquee onstart=${RUN}>`,
  `<a href="javascript:${RUN}">x</a>`,
  `<a href="java\tscript:${RUN}">x</a>`,
  `<a href="data:text/html,<script>${RUN}</script>">x</a>`,
  `<style>@import 'http://evil.example/x.css';</style>`,
  `<div style="background:url(http://evil.example/x.png)">x</div>`,
  `<link rel=stylesheet href=http://evil.example/x.css>`,
  `<link rel=import href="data:text/html,<script>${RUN}</script>">`,
  `<meta http-equiv=refresh content="0;url=http://evil.example/">`,
  `<base href="http://evil.example/">`,
  `<template><script>${RUN}</script></template>`,
  `<noscript><p title="</noscript><img src=x onerror=${RUN}>">`,
  `<p id="x" onclick="${RUN}" tabindex=0 onfocus="${RUN}" autofocus>x</p>`,
  `"><script>${RUN}</script>`,
  `'><img src=x onerror=${RUN}>`,
  `</textarea><script>${RUN}</script>`,
  `</title><script>${RUN}</script>`,
  `</pre></code><img src=x onerror=${RUN}>`,
  `--><script>${RUN}</script><!--`,
  `]]><script>${RUN}</script>`,
  `<x onpointerenter=${RUN} style=position:fixed;inset:0>`,
  `\u2028<script>${RUN}</script>`,
  `<img src=x:x onerror\u0000=${RUN}>`,
  `<<script>${RUN}//<</script>`,
]

const markdown = [
  `[x](javascript:${RUN})`,
  `[x](JaVaScRiPt:${RUN})`,
  `[x](java&#10;script:${RUN})`,
  `[x](&#106;avascript:${RUN})`,
  `[x](data:text/html;base64,PHNjcmlwdD5fX2NhbmFyeSgpPC9zY3JpcHQ+)`,
  `[x](vbscript:${RUN})`,
  `[x](<javascript:${RUN}>)`,
  `<javascript:${RUN}>`,
  `[x][ref]\n\n[ref]: javascript:${RUN}`,
  `![x](http://evil.example/pixel.png)`,
  `![x](javascript:${RUN})`,
  `![x" onerror="${RUN}](x)`,
  `[a](http://ok.example/" onmouseover="${RUN})`,
  `[a](http://ok.example "x" onclick="${RUN}")`,
  '```html" onmouseover="' + RUN + '\n<script>' + RUN + '</script>\n```',
  '```html\n</code></pre><img src=x onerror=' + RUN + '>\n```',
  '`<img src=x onerror=' + RUN + '>`',
  `| <img src=x onerror=${RUN}> | b |\n|---|---|\n| <script>${RUN}</script> | x |`,
  `> <script>${RUN}</script>`,
  `- [ ] <svg onload=${RUN}>`,
  `# <img src=x onerror=${RUN}>`,
  `~~<img src=x onerror=${RUN}>~~`,
  `<div>\n\n**<img src=x onerror=${RUN}>**\n\n</div>`,
  `&lt;img src=x onerror=${RUN}&gt;`,
  `{{constructor.constructor('${RUN}')()}}`,
  `\${${RUN}}`,
]

export const attacks: readonly string[] = [...tags, ...markdown]

export const allStrings: readonly string[] = [...attacks, ...oddStrings()]

/** Names that mean something to the program: they stay, or nothing of it would be drawn. */
const KEPT = new Set(
  'type kind state stage role cause effect decider reason code level via phase verdict what source addedAt how windowFrom runId askId callId id at'.split(
    ' ',
  ),
)

/** The same value with a text of the attacker in every place that holds text. */
export function poisoned<T>(value: T, text: string, key = ''): T {
  if (typeof value === 'string') return (KEPT.has(key) ? value : text) as T
  if (Array.isArray(value)) return value.map((each: unknown) => poisoned(each, text, key)) as T
  if (typeof value !== 'object' || value === null) return value
  const entries = Object.entries(value).map(([name, inner]) => [name, poisoned(inner as unknown, text, name)])
  return Object.fromEntries(entries) as T
}
