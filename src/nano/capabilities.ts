/** What nano can, as the engine asks of every model. */
import type { Capabilities } from '../protocol/arm.ts'

/**
 * The window is what a person may be shown of a result, not what nano reads: it cuts its own prompt to 2,048 tokens. Below 16k it
 * would be offered six tools only.
 */
export const nanoCapabilities: Capabilities = {
  window: 32_768,
  windowFrom: 'configured',
  tools: 'raw',
  emission: { base: 'tool-role' },
  reasoning: 'drop',
  editForm: 'search',
  requiredChoice: true,
  prefill: false,
  vision: false,
  readsRequestOnly: true,
}
