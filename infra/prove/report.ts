// Runs the checks one after another, prints what each found, cleans up, and decides about the exit code.
import { type Check, cannotBeTold, didNotHold, type Finding } from './check.ts'
import type { ProvedStage } from './stage.ts'

type Print = (line: string) => void

/** As a shell does for a program that Ctrl-C has ended. */
export const INTERRUPTED = 130

/**
 * 0 if nothing failed to hold and nothing is left; a check that cannot be told is no failure. Once
 * `isInterrupted`, no further check begins.
 */
export async function prove(
  checks: Check[],
  stage: ProvedStage,
  print: Print,
  isInterrupted: () => boolean = () => false,
): Promise<number> {
  const findings: Finding[] = []
  try {
    for (const [n, check] of checks.entries()) {
      if (isInterrupted()) break
      print(`${n + 1}. ${check.name}`)
      print(`   did: ${check.did}`)
      print(`   expected: ${check.expected}`)
      const finding = await check.run(stage).catch(findingOf)
      print(`   ${finding.outcome}: ${finding.found}`)
      findings.push(finding)
    }
  } finally {
    for (const line of await stage.cleanUp()) {
      print(line)
      findings.push(didNotHold(line))
    }
  }
  print(summaryOf(checks, findings))
  if (isInterrupted()) return INTERRUPTED
  return findings.some(({ outcome }) => outcome === 'did not hold') ? 1 : 0
}

/** The owner's own credentials may lack a permission, which says nothing about the stage. */
export function findingOf(error: unknown): Finding {
  if (!(error instanceof Error)) return didNotHold(String(error))
  const text = error.name === 'Error' ? error.message : `${error.name}: ${error.message}`
  return isRefused(error) ? cannotBeTold(`These credentials may not do that. ${text}`) : didNotHold(text)
}

export function isRefused({ name }: Error): boolean {
  return /^(AccessDenied|AccessDeniedException|AuthorizationError|UnauthorizedOperation)$/.test(name)
}

function summaryOf(checks: Check[], findings: Finding[]): string {
  const count = (wanted: string) => findings.filter(({ outcome }) => outcome === wanted).length
  return (
    `${checks.length} checks: ${count('held')} held, ${count('did not hold')} did not hold, ` +
    `${count('cannot be told here')} cannot be told here.`
  )
}
