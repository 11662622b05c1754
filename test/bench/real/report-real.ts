// Formats what publishing the posts of a real site costs as a table.
import { shown } from '../speed/goals.ts'
import type { RealFigures } from './measure-real.ts'

const ROWS: [name: string, key: string][] = [
  ['8 clients: seconds until all are answered', 'answered'],
  ['8 clients: seconds until all are found', 'found'],
  ['8 clients: seconds until nothing is left to do', 'merged'],
  ['8 clients: units written a post, with everything that follows', 'write'],
  ['8 clients: units read a post', 'read'],
  ['8 clients: calls a post', 'calls'],
  ['8 clients: failed calls a post', 'failed'],
  ['one after the other: percent that are found in the moment of the answer', 'singly.atOnce'],
  ['one after the other: seconds from the start until nothing is left to do', 'singly.merged'],
  ['one after the other: units written a post, with everything that follows', 'singly.write'],
  ['one after the other: units read a post', 'singly.read'],
  ['one after the other: calls a post', 'singly.calls'],
]

export function tableOfReal(sides: { name: string; figures: RealFigures }[]): string {
  const rows = ROWS.map(([name, key]) => [name, ...sides.map(({ figures }) => shown(figures[key]))])
  return [
    `| | ${sides.map(({ name }) => name).join(' | ')} |`,
    `|---|${'---|'.repeat(sides.length)}`,
    ...rows.map(cells => `| ${cells.join(' | ')} |`),
  ].join('\n')
}
