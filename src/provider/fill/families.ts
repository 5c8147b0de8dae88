/**
 * How families of models were trained to fill a gap: which tokens stand around what is before and after it. A model
 * whose name is in no rule is asked in words.
 */

export type FillFamily = {
  readonly name: string
  readonly models: RegExp
  readonly before: string
  readonly after: string
  /** Where the model begins to write. */
  readonly middle: string
  /** The part that comes last is nearest to the gap. */
  readonly order: 'before-first' | 'after-first'
  /** What a model writes where its text for the gap ends. */
  readonly stop: readonly string[]
}

export const fillFamilyOf = (model: string): FillFamily | undefined =>
  families.find(({ models }) => models.test(model))

/** The first that matches counts. */
export const families: readonly FillFamily[] = [
  {
    name: 'starcoder',
    // CodeQwen 1.5 learnt its tokens from StarCoder; the Qwen coders after it have their own.
    models: /star-?coder|codeqwen|granite.{0,12}code|stable-?code/i,
    before: '<fim_prefix>',
    after: '<fim_suffix>',
    middle: '<fim_middle>',
    order: 'before-first',
    stop: ['<fim_prefix>', '<fim_pad>', '<file_sep>', '<|endoftext|>'],
  },
  {
    name: 'qwen-coder',
    models: /qwen.{0,8}coder/i,
    before: '<|fim_prefix|>',
    after: '<|fim_suffix|>',
    middle: '<|fim_middle|>',
    order: 'before-first',
    stop: ['<|fim_prefix|>', '<|fim_pad|>', '<|repo_name|>', '<|file_sep|>', '<|im_end|>', '<|endoftext|>'],
  },
  {
    name: 'codegemma',
    models: /code-?gemma/i,
    before: '<|fim_prefix|>',
    after: '<|fim_suffix|>',
    middle: '<|fim_middle|>',
    order: 'before-first',
    stop: ['<|fim_prefix|>', '<|file_separator|>', '<end_of_turn>', '<eos>'],
  },
  {
    name: 'codellama',
    models: /code-?llama/i,
    before: '<PRE> ',
    after: ' <SUF>',
    middle: ' <MID>',
    order: 'before-first',
    stop: ['<PRE>', '<EOT>', '</s>'],
  },
  {
    name: 'deepseek-coder',
    models: /deepseek.{0,4}coder/i,
    before: '<｜fim▁begin｜>',
    after: '<｜fim▁hole｜>',
    middle: '<｜fim▁end｜>',
    order: 'before-first',
    stop: ['<｜fim▁begin｜>', '<｜end▁of▁sentence｜>', '<|EOT|>'],
  },
  {
    name: 'codestral',
    models: /codestral/i,
    before: '[PREFIX]',
    after: '[SUFFIX]',
    middle: '',
    order: 'after-first',
    stop: ['[PREFIX]', '[SUFFIX]', '</s>'],
  },
  {
    name: 'seed-coder',
    models: /seed-?coder/i,
    before: '<[fim-prefix]>',
    after: '<[fim-suffix]>',
    middle: '<[fim-middle]>',
    order: 'after-first',
    stop: ['<[fim-prefix]>', '<[end▁of▁sentence]>'],
  },
]
