// A query of the index by a function's own role: the sweep asks it in every run.
import { InvokeCommand, LambdaClient } from '@aws-sdk/client-lambda'
import { type Check, didNotHold, held } from '../check.ts'

/** As a line of a part that failed begins its reason. */
const PROBLEM = /"problem"\s*:\s*"([^"]*)"/g

export const INDEX_CHECK: Check = {
  name: 'LeadingKeys with Null:false on the index',
  did: 'Invoked the sweep, which queries the index of open deliveries by its own role. It also runs each minute.',
  expected: 'No error. If AWS leaves the key out of a query of the index, a part of the sweep is denied.',
  run: async ({ resource }) => {
    const FunctionName = resource('AWS::Lambda::Function', 'sweep')
    const answer = await new LambdaClient({ maxAttempts: 1 }).send(
      new InvokeCommand({ FunctionName, LogType: 'Tail', Payload: new TextEncoder().encode('{}') }),
    )
    if (answer.FunctionError === undefined) return held(`${FunctionName} ended without an error`)
    const log = Buffer.from(answer.LogResult ?? '', 'base64').toString('utf8')
    const problems = [...log.matchAll(PROBLEM)].map(([, problem]) => problem)
    const payload = new TextDecoder().decode(answer.Payload)
    return didNotHold(`${FunctionName} failed: ${problems.join('; ') || payload}`)
  },
}
