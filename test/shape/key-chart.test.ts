// Checks that the chart of keys in shared/table/kinds.ts agrees with the functions that it names.
import { describe, expect, it } from 'vitest'
import * as design from '../../shared/table/design.ts'
import { KINDS } from '../../shared/table/kinds.ts'
import { sources } from './sources.ts'

type Row = { record: string; pk: string; builtBy: string; readBy: string }

const chart = sources.find(({ path }) => path === 'shared/table/kinds.ts')?.text ?? ''
const rows: Row[] = chart
  .split('\n')
  .filter(line => /^\/\/ .+ {2,}[A-Z]/.test(line))
  .map(line => line.slice(3).split(/ {2,}/))
  .map(([record = '', pk = '', , builtBy = '', readBy = '']) => ({ record, pk, builtBy, readBy }))

const exported = new Set(
  sources
    .filter(({ path }) => path.startsWith('shared/') || path.startsWith('infra/operator/'))
    .flatMap(({ text }) =>
      [...text.matchAll(/^export (?:async )?(?:function|const) (\w+)/gm)].map(([, name]) => name),
    ),
)

describe('the chart of keys', () => {
  it('has a row for each kind of item', () => {
    const kinds = new Set(rows.map(({ pk }) => design.kindOf(pk)))
    expect(Object.keys(KINDS).filter(kind => !kinds.has(kind))).toEqual([])
  })

  it('has a row for each function that builds a key', () => {
    const named = new Set(rows.map(({ builtBy }) => builtBy))
    expect(Object.keys(design).filter(name => name.endsWith('Key') && !named.has(name))).toEqual([])
  })

  it.each(rows)('names existing functions for the $record: $builtBy and $readBy', ({ builtBy, readBy }) => {
    expect(Object.keys(design)).toContain(builtBy)
    expect([...exported]).toContain(readBy)
  })
})
