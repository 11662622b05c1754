// The reason for a failed smoke test, which CloudFormation shows in the events of the stack.
import type { SmokeTestProperties } from './properties.ts'
import type { Failure } from './run.ts'

/** An event shows about a thousand characters. */
const MAX_DETAILED = 3

export function reasonOf(failures: Failure[], { AccessLogGroup }: SmokeTestProperties): string {
  const detailed = failures.slice(0, MAX_DETAILED).map(({ request, problem }) => {
    const { Function: name, Method, Path, LogGroup } = request
    return `${name}: ${Method} ${Path} ${problem} (log group ${LogGroup}).`
  })
  const others = failures.slice(MAX_DETAILED).map(({ request }) => request.Function)
  return [
    'The smoke test of this release failed.',
    ...detailed,
    ...(others.length > 0 ? [`Also failed: ${others.join(', ')}.`] : []),
    `Read the last lines of the log group; if it has none, the function was not reached: read ${AccessLogGroup}.`,
  ].join(' ')
}
