// A kind of record is registered in KINDS and as one record type, from which the doctor and `counts` work.
import { describe, expect, it } from 'vitest'
import type { KnownList } from '../../infra/operator/record-type.ts'
import { CHECKED_ELSEWHERE, RECORD_TYPES } from '../../infra/operator/record-types.ts'
import { KINDS, type Kind } from '../../shared/table/kinds.ts'

const registered = new Map<string, { counters?: readonly string[]; lists?: readonly string[] }>(
  Object.entries(KINDS),
)

function declaredLists(kinds: string[]): readonly string[] {
  return kinds.flatMap(kind => registered.get(kind)?.lists ?? [])
}

function nameOf(list: KnownList): string {
  return typeof list === 'function' ? list(1).name : list.name
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

describe('KINDS', () => {
  it('has a record type, or a place among those checked elsewhere, for each kind', () => {
    const known = new Set([...CHECKED_ELSEWHERE, ...RECORD_TYPES.flatMap(({ kinds }) => kinds)])
    expect(
      [...registered.keys()].filter(kind => !known.has(kind)),
      'Add a record type to infra/operator/record-types.ts, or the kind to CHECKED_ELSEWHERE.',
    ).toEqual([])
  })

  it('has a record type for each kind with a counter or a list', () => {
    const hasRecords = (kind: Kind) => Object.keys(KINDS[kind]).length > 0
    expect(
      CHECKED_ELSEWHERE.filter(hasRecords),
      'Add a record type to infra/operator/record-types.ts.',
    ).toEqual([])
  })
})

describe.each(RECORD_TYPES)('the record type of $kinds', ({ kinds, lists }) => {
  it('knows every list that KINDS declares for it', () => {
    const names = lists.map(nameOf)
    const unknown = declaredLists(kinds).filter(pattern => !names.some(name => matches(pattern, name)))
    expect(unknown, 'Name the list in `counts` or `lists` of the record type.').toEqual([])
  })

  it('knows only lists that KINDS declares for it', () => {
    const patterns = declaredLists(kinds)
    const undeclared = lists.map(nameOf).filter(name => !patterns.some(pattern => matches(pattern, name)))
    expect(undeclared, 'Name the list in shared/table/kinds.ts.').toEqual([])
  })
})
