// The comparison of two checkouts runs on a small site; its table has their ratios.
import { execFile } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { mediansOf, missedFloors, tableOf } from './compare/figures.ts'

describe('npm run bench', () => {
  it('measures this checkout and a commit, with a figure in each row', async () => {
    const file = fileURLToPath(new URL('bench.ts', import.meta.url))
    const content = fileURLToPath(new URL('samples', import.meta.url))
    const args = ['--compare', 'HEAD', '--posts', '60', '--import', content, '--little', '--dry']
    const { stdout } = await promisify(execFile)(process.execPath, [file, ...args])
    const rows = stdout.split('\n').filter(line => line.startsWith('|'))
    expect(rows[0]).toBe('|  | HEAD | now | ratio | floor |')
    expect(rows).toHaveLength(2 + 25)
    const without = rows.filter(row => row.includes('–') && !row.includes('deliveries: those'))
    expect(without).toEqual([])
  })
})

describe('the table', () => {
  const sides = [
    { name: 'before', figures: { 'list.ms': 8, 'list.rate': 200, 'few.s': 2 } },
    { name: 'now', figures: { 'list.ms': 4, 'list.rate': 300, 'few.s': 1 } },
  ]

  it('has the figures of both, their ratio and its floor', () => {
    expect(tableOf(sides).split('\n')).toEqual([
      '|  | before | now | ratio | floor |',
      '| --- | --- | --- | --- | --- |',
      '| `GET /posts`, one client, ms | 8 | 4 | 0.5 | ≤ 0.75 |',
      '| `GET /posts`, 16 clients, a second | 200 | 300 | 1.5 | ≥ 1.8 |',
      '| 100 deliveries to 10 subscribers, s | 2 | 1 | 0.5 | ≤ 0.8 |',
    ])
  })

  it('comes with a line for each floor that is missed', () => {
    const [before, now] = sides.map(({ figures }) => figures)
    expect(missedFloors(before ?? {}, now ?? {})).toEqual([
      '`GET /posts`, 16 clients, a second: 1.5 times, ≥ 1.8',
    ])
  })

  it('has the medians of all rounds', () => {
    expect(mediansOf([{ a: 1, b: 9 }, { a: 3, b: 5 }, { a: 2 }])).toEqual({ a: 2, b: 9 })
  })
})
