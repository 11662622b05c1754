// A small export with records of every kind that an import writes, as lines of JSON.
import { readFileSync } from 'node:fs'
import { sample } from './read.ts'

export type Line = Record<string, unknown>

const SMALL: Line[] = readFileSync(sample('small.jsonl'), 'utf8')
  .trim()
  .split('\n')
  .map(line => JSON.parse(line))

/** With as many posts, a page and a draft. */
export function smallExport(posts: number): Line[] {
  const page = { content_type: 'page', category_ids: [] }
  const draft = { is_published: false, posted_at: null }
  return SMALL.flatMap(line => {
    if (line.type === 'end') return [{ ...line, records: posts + 15 }]
    if (line.type !== 'post') return [line]
    return Array.from({ length: posts + 2 }, (_, n) => ({
      ...line,
      ...{ id: n + 1, title: `Post ${n + 1}`, slug: `post-${n + 1}`, category_ids: [1 + ((n + 1) % 2)] },
      body: `<p>Words of number ${n + 1}.</p>`,
      ...(n === posts && page),
      ...(n === posts + 1 && draft),
    }))
  })
}

/** The first line of a type. */
export function lineOf(lines: Line[], type: string, id?: number): Line {
  const line = lines.find(line => line.type === type && (id === undefined || line.id === id))
  if (!line) throw new Error(`There is no ${type} ${id ?? ''}.`)
  return line
}

export function textOf(lines: unknown[]): string {
  return lines.map(line => `${JSON.stringify(line)}\n`).join('')
}
