// How a check ends other than well: the service fell short, or the check could not be run.

/** The service does something else than the sentence says. */
export class FellShort extends Error {}
/** Nothing is known about the sentence. The message says why, and what would show it. */
export class NotRun extends Error {}
/** The user ended the run. */
export class Interrupted extends Error {}

export function fallShort(message: string): never {
  throw new FellShort(message)
}

export function notRun(message: string): never {
  throw new NotRun(message)
}
