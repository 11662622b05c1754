// The owner's command line on a service of a test, in this process: what it says, and its exit code.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { clientSettings } from '../../infra/local/account.ts'
import { operate } from '../../infra/operator/operate.ts'
import { type Target, targetOf } from '../../infra/operator/target.ts'
import type { World } from '../world/world.ts'

function targetAt(world: World): Target {
  return targetOf({
    dynamodb: new DynamoDBClient(clientSettings(world.dynamodbEndpoint)),
    sqs: new SQSClient(clientSettings(world.sqsEndpoint)),
    outputs: world.outputs,
    ownUrl: world.baseUrl,
    says: 'the service of a test',
    close: async () => undefined,
  })
}

/** What was said to a call, and how it ended; a call that fails for want of a target says so. */
export function operatorOn(world: World | undefined) {
  const said = async (argv: string[], stdin = '') => {
    const screen = () => {
      const texts: string[] = []
      return { texts, write: (text: string) => texts.push(text) }
    }
    const [out, err] = [screen(), screen()]
    const code = await operate(argv, {
      out,
      err,
      clock: Date.now,
      readStdin: async () => stdin,
      openTarget: async () => {
        if (world) return targetAt(world)
        throw new Error('A call that is wrong opens nothing.')
      },
    })
    return { code, out: out.texts.join(''), err: err.texts.join('') }
  }
  /** The result of a call that must succeed, or with `code` end as it says. */
  const json = async (argv: string[], { code = 0, stdin = '' } = {}) => {
    const call = await said([...argv, '--json'], stdin)
    if (call.code !== code) throw new Error(`${argv.join(' ')} ended with ${call.code}: ${call.err}`)
    return JSON.parse(call.out)
  }
  return { said, json }
}
