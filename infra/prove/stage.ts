// The stage that is checked: where it answers, its resources, and what has to be deleted again.
import type { Target } from '../operator/target.ts'
import type { AwsAccount } from './aws-call.ts'
import { type HttpAnswer, type HttpInput, send } from './http.ts'

type Ask = (method: string, path: string, input?: HttpInput) => Promise<HttpAnswer>

/** What is known of a stage. */
type Facts = {
  stackName: string
  target: Target
  /** The values of the stack's parameters. */
  parameters: Record<string, string>
  /** The address in the stack's outputs. */
  ownUrl: string
  /** The address that is asked. */
  baseUrl: string
  account: AwsAccount
  /** The physical id of the first resource of a type whose id in the template begins so. */
  resource: (type: string, idBegins: string) => string
}

export type ProvedStage = Facts & {
  /** Sends a request without a token. */
  ask: Ask
  askAsAdmin: Ask
  /** Runs later, last first, whatever happens. */
  later: (what: string, undo: () => Promise<unknown>) => void
  /** What is not deleted yet. */
  left: () => string[]
  /** Returns a line for each thing that could not be deleted. */
  cleanUp: () => Promise<string[]>
}

/** @param token of an admin. */
export function stageWith(facts: Facts, token: string): ProvedStage {
  const ask: Ask = (method, path, input) => send(method, facts.baseUrl + path, input)
  const undone: { what: string; undo: () => Promise<unknown> }[] = []
  return {
    ...facts,
    ask,
    askAsAdmin: (method, path, { headers, ...input } = {}) =>
      ask(method, path, { ...input, headers: { Authorization: `Bearer ${token}`, ...headers } }),
    later: (what, undo) => void undone.push({ what, undo }),
    left: () => undone.map(({ what }) => what),
    cleanUp: async () => {
      const failures: string[] = []
      for (let last = undone.at(-1); last; last = undone.at(-1)) {
        const { what, undo } = last
        await undo().catch(error => failures.push(`Not deleted: ${what}. ${String(error)}`))
        undone.pop()
      }
      return failures
    },
  }
}
