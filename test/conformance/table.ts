// The end of a run: a table of all sections, then what fell short, what did not run, and what is left open.
import type { Part, Section } from './check.ts'
import type { Outcome, Report, Result } from './runner.ts'
import { LAST_SECTIONS, SECTIONS } from './sections.ts'

const PARTS: { part: Part; title: string }[] = [
  { part: 'contract', title: 'The contract' },
  { part: 'completions', title: 'Completions, where the contract is silent' },
  { part: 'additions', title: 'Additions beyond the contract' },
]
const TITLE_WIDTH = 46
const COLUMNS = ['held', 'fell short', 'not run', 'not shown']

function row(title: string, cells: (string | number)[]): string {
  const texts = cells.map((cell, n) => String(cell).padStart((COLUMNS[n] ?? '').length + 2))
  return title.padEnd(TITLE_WIDTH) + texts.join('')
}

function cellsOf(sections: Section[], results: Result[]): number[] {
  const count = (outcome: Outcome) =>
    results.filter(result => sections.includes(result.section) && result.outcome === outcome).length
  const open = sections.flatMap(({ notShown = [] }) => notShown).length
  return [count('held'), count('fell short'), count('not run'), open]
}

function details({ sentence, section, reason }: Result): string[] {
  return [`  ${section.title}: “${sentence}”`, `      ${reason}`]
}

function block(title: string, lines: string[]): string[] {
  return lines.length > 0 ? ['', title, ...lines] : []
}

/** With `isWhole`, the sentences that cannot be shown are listed, too. */
export function tableOf({ results, leftovers }: Report, isWhole: boolean): string[] {
  const all = [...SECTIONS, ...LAST_SECTIONS]
  const lines: string[] = []
  for (const { part, title } of PARTS) {
    const sections = all.filter(section => section.part === part)
    const ran = sections.filter(section => results.some(result => result.section === section))
    if (ran.length === 0) continue
    lines.push('', row(title, COLUMNS))
    for (const section of ran) lines.push(row(`  ${section.title}`, cellsOf([section], results)))
    lines.push(row('  together', cellsOf(ran, results)))
  }
  const withOutcome = (outcome: Outcome) =>
    results.filter(result => result.outcome === outcome).flatMap(details)
  lines.push(...block('Fell short:', withOutcome('fell short')))
  lines.push(...block('Not run:', withOutcome('not run')))
  if (isWhole) {
    const open = all.flatMap(({ notShown = [] }) => notShown.map(sentence => `  “${sentence}”`))
    lines.push(...block('Not shown in the contract, or not to a client:', open))
  }
  const left = leftovers.map(line => `  ${line}`)
  return [...lines, ...block('Not deleted, delete it by hand:', left)]
}

/** 0 only if nothing fell short and nothing is left behind. */
export function exitCodeOf({ results, leftovers, wasInterrupted }: Report): number {
  if (wasInterrupted) return 130
  return results.some(({ outcome }) => outcome === 'fell short') || leftovers.length > 0 ? 1 : 0
}
