// Compares searches with a plain scan after random changes of posts, at any stage of the merges of the index.
import { describe, it } from 'vitest'
import { checkRandom } from '../world/property.ts'
import { checkHistory, FEW_UNITS } from './index-history.ts'
import { historiesOf } from './index-steps.ts'
import { laterMarkers } from './planted-tables.ts'

const TIME_MS = 1_000

describe('a search', () => {
  it('has the hits of a plain scan after any changes, merged or not', () =>
    checkRandom(historiesOf(10, 50), steps => checkHistory(steps), TIME_MS))

  it('has only right hits and totals if more is pending than it reads', () =>
    checkRandom(historiesOf(10, 50), steps => checkHistory(steps, {}, FEW_UNITS), TIME_MS))

  it('has the hits of a plain scan if the worker runs while it reads', () =>
    checkRandom(historiesOf(5, 15), steps => checkHistory(steps, { reader: laterMarkers([0]) }), TIME_MS))
})
