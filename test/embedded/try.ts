import { writeTinyModel } from './support/tiny-gguf.ts'
import { getLlama } from 'node-llama-cpp'
await writeTinyModel('/tmp/emb/tiny.gguf')
let t=performance.now()
const lap=(s:string)=>{console.log(s,(performance.now()-t).toFixed(1));t=performance.now()}
const llama=await getLlama({gpu:false,build:'never',maxThreads:1, logLevel: 'warn' as any})
lap('llama')
const model=await llama.loadModel({modelPath:'/tmp/emb/tiny.gguf'})
lap('model')
const context=await model.createContext({contextSize:1024,sequences:4,threads:1})
lap('context')
const seq=context.getSequence()
const tokens=model.tokenize('<|im_start|>user\nRead the file 日本 🙂<|im_end|>\n<|im_start|>assistant\n',true)
console.log(tokens.length, model.detokenize(tokens,true), model.tokenize('<|im_end|> <tool_call>',false))
lap('tok')
let out=[] as any[]
for await (const tk of seq.evaluate(tokens,{temperature:0})) {out.push(tk); if(out.length>=300)break}
lap('300 tokens')
console.log(JSON.stringify(model.detokenize(out,true)).slice(0,300))
const attrs=[] as string[]
for (const tk of model.iterateAllTokens()) {const a=model.getTokenAttributes(tk); if(a.control||a.userDefined||a.unknown) attrs.push(model.detokenize([tk],true))}
lap('attrs'); console.log(attrs, model.vocabularyType, model.tokens.shouldPrependBosToken)
const r=await seq.controlledEvaluate([tokens[0]!,[tokens[1]!,{generateNext:{probabilities:true}}]])
lap('controlled'); console.log(r.length, [...(r[1]!.next.probabilities!)].slice(0,3), r[1]!.next.probabilities!.size)
console.log(seq.needsCheckpoints, process.memoryUsage().rss/1e6)
process.exit()
