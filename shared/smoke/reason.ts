// The reason for a failed smoke test, which CloudFormation shows in the events of the stack.
import type { Part, SmokeTestProperties } from './properties.ts'

/** What does not work, and the functions that are to blame. */
export type Failure = { parts: Part[]; problem: string }

/** An event shows about a thousand characters. */
const MAX_DETAILED = 3

export function reasonOf(failures: Failure[], { AccessLogGroup }: SmokeTestProperties): string {
  const detailed = failures.slice(0, MAX_DETAILED).map(({ parts, problem }) => {
    if (parts.length === 0) return `${problem}.`
    const names = parts.map(part => part.Function).join(', ')
    const logGroups = parts.map(({ LogGroup }) => `log group ${LogGroup}`).join(', ')
    return `${names}: ${problem} (${logGroups}).`
  })
  const others = failures.slice(MAX_DETAILED).flatMap(({ parts }) => parts.map(part => part.Function))
  return [
    'The smoke test of this release failed.',
    ...detailed,
    ...(others.length > 0 ? [`Also failed: ${others.join(', ')}.`] : []),
    `Read the last lines of the log group; if it has none, the function was not reached: read ${AccessLogGroup}.`,
  ].join(' ')
}
