// A kind of record is registered in KINDS and as one record type, from which the doctor works.
import { describe, expect, it } from 'vitest'
import type { ListOrFamily } from '../../infra/operator/record-type.ts'
import { RECORD_TYPES } from '../../infra/operator/record-types.ts'
import { KINDS, type KindDeclaration } from '../../shared/table/kinds.ts'

const registered = new Map(Object.entries<KindDeclaration>(KINDS))
const withRecordType = new Set(RECORD_TYPES.flatMap(({ kinds }) => kinds))

function declaredLists(kinds: string[]): readonly string[] {
  return kinds.flatMap(kind => registered.get(kind)?.lists ?? [])
}

function nameOf(list: ListOrFamily): string {
  return typeof list === 'function' ? list(1).name : list.name
}

function matches(pattern: string, name: string): boolean {
  return pattern.endsWith('*') ? name.startsWith(pattern.slice(0, -1)) : name === pattern
}

describe('KINDS', () => {
  it('has a record type for each kind that is not internal, and for no other', () => {
    const external = [...registered].flatMap(([kind, { isInternal }]) => (isInternal ? [] : [kind]))
    expect(
      [...withRecordType].sort(),
      'Add a record type to infra/operator/record-types.ts, or declare the kind as INTERNAL.',
    ).toEqual(external.sort())
  })

  it('has a record type for each kind with a counter or a list', () => {
    const wrong = [...registered].filter(
      ([, { isInternal, counters, lists }]) => isInternal && (counters || lists),
    )
    expect(
      wrong.map(([kind]) => kind),
      'Add a record type to infra/operator/record-types.ts.',
    ).toEqual([])
  })
})

describe.each(RECORD_TYPES)('the record type of $kinds', ({ kinds, lists }) => {
  it('knows every list that KINDS declares for it', () => {
    const names = lists.map(nameOf)
    const unknown = declaredLists(kinds).filter(pattern => !names.some(name => matches(pattern, name)))
    expect(unknown, 'Name the list in the `listsOf…` function of its slice.').toEqual([])
  })

  it('knows only lists that KINDS declares for it', () => {
    const patterns = declaredLists(kinds)
    const undeclared = lists.map(nameOf).filter(name => !patterns.some(pattern => matches(pattern, name)))
    expect(undeclared, 'Name the list in shared/table/kinds.ts.').toEqual([])
  })
})
