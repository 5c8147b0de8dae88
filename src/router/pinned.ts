/** The simplest router: one arm, chosen by the person. */
import type { Reserve } from '../protocol/arm.ts'
import { AppError } from '../protocol/error.ts'
import type { Arm } from './arm.ts'

export const reservePinned =
  (arm: Arm, why: string): Reserve =>
  async ({ excluded }) => {
    if (excluded.includes(arm.id)) {
      throw new AppError(
        'model-unavailable',
        `${arm.id} failed and there is no other arm; configure one more.`,
      )
    }
    return arm.lease(why)
  }
