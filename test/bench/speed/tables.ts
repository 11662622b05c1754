// Formats what was measured of the speed as tables.
import { tableOfGoals } from './goals.ts'
import type { ReadCost } from './reads.ts'
import type { Amounts, Measured } from './speed.ts'
import { nameOf } from './variants.ts'

export function speedText(measured: Measured[], amounts: Amounts, conditions: string): string {
  const { sites, burst, posts } = amounts
  const sizes = sites.map(({ count }) => count.toLocaleString('en')).join(' · ')
  return [
    `${sizes} posts, ${posts} publishes, a burst of ${burst}; ${conditions}:`,
    '',
    tableOfGoals(measured),
    '',
    'Units read, and in how many sequential rounds, by the first request after a change of a post, and by a repeated one:',
    '',
    tableOfReads(measured),
  ].join('\n')
}

function tableOfReads(measured: Measured[]): string {
  const heads = measured.flatMap(({ name }) => [`${name}: first`, `${name}: repeated`])
  const variants = measured[0]?.reads ?? []
  const rows = variants.flatMap(({ variant, costs }, n) =>
    costs.map(({ name }, m) => [
      name,
      nameOf(variant),
      ...measured.flatMap(({ reads }) => {
        const cost = reads[n]?.costs[m]
        return [inRounds(cost?.first), inRounds(cost?.repeated)]
      }),
    ]),
  )
  return [
    `| request | with | ${heads.join(' | ')} |`,
    `|---|---|${'---|'.repeat(heads.length)}`,
    ...rows.map(cells => `| ${cells.join(' | ')} |`),
  ].join('\n')
}

function inRounds(cost: ReadCost | undefined): string {
  return cost ? `${cost.units} in ${cost.rounds}` : '–'
}
