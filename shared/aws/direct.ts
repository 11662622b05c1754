// Sends calls without the SDK's steps: the same request and the same answer for a fifth of the CPU time.
// The SDK does the first call itself, and goes on with each attempt that was not answered with 200.
import { __Client } from '@aws-sdk/client-dynamodb'
import { type DirectCall, readAnswer, writeBody } from './direct-call.ts'
import type { Attempt } from './exchange.ts'
import { learnRoutes } from './route.ts'
import type { Result, Run, SdkClient, SdkCommand, Steps } from './sdk.ts'

export type DirectCalls = {
  /** By the class of their command. */
  calls: ReadonlyMap<unknown, DirectCall>
  /** Inputs of one key go to one host. */
  routeKeyOf: (input: object) => string
}

/** Changes how `client` sends the listed commands. Steps that are added to it run around all calls. */
export function sendDirectly<C extends SdkClient>(client: C, { calls, routeKeyOf }: DirectCalls): C {
  const { config } = client
  const sdkSteps = stepsOf(client)
  const routes = learnRoutes(sdkSteps, config, routeKeyOf)

  const sendBySdk = (command: SdkCommand, options: object): Promise<Result> =>
    command.resolveMiddleware(sdkSteps, config, options)(command)

  const attempt = async (command: SdkCommand, options: object): Promise<Result> => {
    const call = calls.get(command.constructor)
    const route = routes.get(routeKeyOf(command.input))
    const body = call && route && writeBody(call, command.input)
    if (!call || !route || body === undefined) return await sendBySdk(command, options)
    const attempt = await route.post(call.operation, body, options)
    const read = attempt && readAnswer(call, command.input, attempt)
    if (read) return read
    if (attempt) answerOnce(command, attempt)
    return await sendBySdk(command, options)
  }

  const send = async (command: SdkCommand, options: object = {}): Promise<unknown> => {
    const addedSteps = stepsOf(client)
    const operation = calls.get(command.constructor)?.operation
    const commandName = operation ? `${operation}Command` : command.constructor.name
    const run = addedSteps.resolve(({ input }) => attempt(withInput(command, input), options), {
      commandName,
    })
    return (await run({ input: command.input })).output
  }
  // An empty list of steps, which no other part of the SDK's interface creates. The config is not read.
  const { middlewareStack } = new __Client(config as never)
  return Object.assign(client, { middlewareStack, send })
}

/** The SDK has one type for each place of a step, and none that all of them share. */
function stepsOf({ middlewareStack }: SdkClient): Steps {
  return middlewareStack as Steps
}

function withInput(command: SdkCommand, input: object): SdkCommand {
  return input === command.input ? command : Reflect.construct(command.constructor, [input])
}

/** The SDK gets this attempt in place of its first one: it explains the failure, or tries again. */
function answerOnce(command: SdkCommand, attempt: Attempt): void {
  let isOver = false
  const answering =
    (next: Run): Run =>
    async call => {
      if (isOver) return await next(call)
      isOver = true
      if ('error' in attempt) throw attempt.error
      return { response: attempt.response }
    }
  const place = { step: 'deserialize', priority: 'low', name: 'firstAttempt', override: true }
  command.middlewareStack.add(answering, place)
}
