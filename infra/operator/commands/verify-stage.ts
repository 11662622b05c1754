// The command that shows on a deployed stage what only AWS can show: ../verify-stage/README.md.
import * as z from 'zod/mini'
import { removeToken } from '../../../shared/accounts/commands/tokens.ts'
import { httpUrl } from '../../../shared/http/text.ts'
import { EMAIL, userByEmail } from '../accounts.ts'
import { command, OperatorError, value } from '../command.ts'
import { CannotTell, CHECKS, type Check, type VerifiedStage } from '../verify-stage/checks.ts'
import { createToken } from './tokens.ts'

type Finding = { finding: 'held' | 'did not hold' | 'cannot be told here'; check: string; seen: string }

/** Runs those after one that did not hold as well. */
export async function runChecks(checks: Check[], stage: VerifiedStage, show = (_name: string) => {}) {
  const findings: Finding[] = []
  for (const { name: check, run } of checks) {
    show(check)
    try {
      findings.push({ finding: 'held', check, seen: await run(stage) })
    } catch (error) {
      const finding = error instanceof CannotTell ? 'cannot be told here' : 'did not hold'
      findings.push({ finding, check, seen: error instanceof Error ? error.message : String(error) })
    }
  }
  return findings
}

export const verifyStage = command({
  name: 'verify-stage',
  summary: 'Show on a deployed stage what only AWS can show, and clean up',
  details: `  The account gets an admin token, which is revoked at the end. A category without posts is public for a moment; no
  event fires.`,
  options: {
    email: EMAIL,
    url: value('URL', 'where the stage answers, if not at its own address', z.optional(httpUrl(1000))),
  },
  run: async ({ email, url }, context) => {
    const { stage, table } = context.target
    if (stage === undefined) throw new OperatorError('Only a deployed stage: pass --stage NAME.')
    const { id: user_id } = await userByEmail(table, email)
    const { token, text } = await createToken(context, {
      user_id,
      name: 'verify-stage',
      abilities: ['admin'],
    })
    const baseUrl = (url ?? stage.baseUrl).replace(/\/$/, '')
    const verified = { baseUrl, token: text, mailSender: stage.mailSender }
    const findings = await runChecks(CHECKS, verified, context.progress.show)
    await removeToken(table, user_id, token.id)
    const failed = findings.filter(({ finding }) => finding === 'did not hold').length
    return {
      lines: [
        ...findings.map(({ finding, check, seen }) => `${finding}: ${check}: ${seen}`),
        `${findings.length} checks, ${failed} did not hold.`,
      ],
      json: { findings },
      failed: failed > 0,
    }
  },
})
