/** The id of the built-in model. */
export const NANO_ID = 'covey/nano'
