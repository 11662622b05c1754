// Reads of several items, with changes between them.
import { describe, expect, it } from 'vitest'
import { isBusy, ReadConflict, readConsistently } from '../../shared/table/retrying.ts'

describe('readConsistently', () => {
  it('reads again until the items belong together', async () => {
    let attempts = 0
    const read = readConsistently('The list', {}, async () => (++attempts < 3 ? undefined : 'a page'))
    expect([await read, attempts]).toEqual(['a page', 3])
  })

  it('gives up after four attempts with an error that a later request may not meet', async () => {
    let attempts = 0
    const read = readConsistently('The list', {}, async () => {
      attempts++
      return undefined
    })
    const error = await read.catch((problem: unknown) => problem)
    expect(error).toBeInstanceOf(ReadConflict)
    expect([isBusy(error), attempts]).toEqual([true, 4])
  })

  it('does not repeat an attempt that fails', async () => {
    let attempts = 0
    const read = readConsistently('The list', {}, async () => {
      attempts++
      throw new Error('No table answers.')
    })
    await expect(read).rejects.toThrow('No table answers.')
    expect(attempts).toBe(1)
  })
})
