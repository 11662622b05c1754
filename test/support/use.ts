// Opens something before the tests of a file, and stops it after them.
import { afterAll, beforeAll } from 'vitest'

/** Its members are there from `beforeAll` on, and in the hooks that the file adds after this call. */
export function use<Opened extends { stop(): unknown }>(open: () => Promise<Opened>): Opened {
  const opened: Partial<Opened> = {}
  beforeAll(async () => {
    Object.assign(opened, await open())
  })
  afterAll(() => opened.stop?.())
  return opened as Opened
}
