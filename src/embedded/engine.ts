/**
 * A GGUF file as a Model, in this process. One copy of the weights serves several conversations at once: each works on a
 * sequence of its own, llama.cpp evaluates them together, and what a conversation has in the cache is not evaluated again.
 * An assert in llama.cpp ends the process it is in; files from strangers belong behind `child.ts`.
 */
import { basename } from 'node:path'
import { emissionStops } from '../context/emit.ts'
import { estimateTokens } from '../context/count.ts'
import { dialectFor } from '../dialect/all.ts'
import type { Family } from '../dialect/family.ts'
import { createReplyReader } from '../dialect/reader.ts'
import { type GgufHeader, readGguf } from '../lib/gguf.ts'
import type { Capabilities } from '../protocol/arm.ts'
import { AppError, errorMessage } from '../protocol/error.ts'
import type { Model, ModelEvent, ModelRequest } from '../protocol/model.ts'
import { type ChatTemplate, createChatTemplate } from './chat-template.ts'
import { createEncodingMemory, type Encoding, type EncodingMemory, withReply } from './encoding.ts'
import { type Sampling, startGeneration, toEvaluateOptions } from './generate.ts'
import type { Gpu } from './llama.ts'
import { orAborted } from './or-aborted.ts'
import { readReply } from './reply.ts'
import { requestGrammar } from './request-grammar.ts'
import { type LabelField, scoreFields } from './score.ts'
import type { Segment } from './segment.ts'
import { chooseSlot } from './slots.ts'
import { createStateShelf } from './state.ts'
import { createWeights, type Loaded, type Slot, type Weights } from './weights.ts'
