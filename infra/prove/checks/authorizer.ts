// Requests without an API key, and the authorizer whose answer the gateway keeps by the client's address.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import { type AwsAccount, callAws } from '../aws-call.ts'
import { type Check, cannotBeTold, didNotHold, held } from '../check.ts'
import { codeOf } from '../http.ts'

/** Of one tier, so that one answer of the authorizer serves all of them. */
const PATHS = ['/api/v1/categories', '/api/v1/settings/public', '/api/v1/posts?per_page=1']
const ROUNDS = 4
/** The gateway keeps an answer for an hour. */
const HOUR_MS = 3_600_000
/** Each part of the gateway that gets a request keeps answers of its own. */
const MOST_RUNS = 3
/** Logs are readable after some seconds. */
const ATTEMPTS = 10
const PAUSE_MS = 3_000

const Events = z.object({ events: z._default(z.array(z.object({ timestamp: z.number() })), []) })

export const AUTHORIZER_CHECK: Check = {
  name: 'Keyless AUTHORIZER with a cached sourceIp',
  did: `${PATHS.length * ROUNDS} requests without an API key to ${PATHS.length} paths of a tier; counted the runs of the authorizer.`,
  expected: `All are answered 200, and the authorizer ran at most ${MOST_RUNS} times: the usage plan takes its key.`,
  run: async ({ ask, resource, account }) => {
    const sinceMs = Date.now()
    for (let round = 0; round < ROUNDS; round++) {
      for (const path of PATHS) {
        const answer = await ask('GET', path)
        if (answer.status !== 200) return didNotHold(`GET ${path} is answered ${codeOf(answer)}.`)
      }
    }
    const group = resource('AWS::Logs::LogGroup', 'authorizetierlog')
    for (let attempt = 0; attempt < ATTEMPTS; attempt++) {
      const starts = await startsSince(account, group, sinceMs - HOUR_MS)
      const runs = starts.filter(startMs => startMs >= sinceMs).length
      if (runs > MOST_RUNS) return didNotHold(`All answers are 200, but the authorizer ran ${runs} times.`)
      if (starts.length > 0) return held(`all are 200; the authorizer ran ${runs} times`)
      await pause(PAUSE_MS)
    }
    return cannotBeTold(
      `All are answered 200, but the log group ${group} has no run of the last hour to count.`,
    )
  },
}

/** When the function began to run, by the lines that Lambda writes. */
async function startsSince(account: AwsAccount, logGroupName: string, startTime: number): Promise<number[]> {
  const text = await callAws(account, {
    service: 'logs',
    body: JSON.stringify({ logGroupName, startTime, filterPattern: '"START RequestId"' }),
    headers: {
      'content-type': 'application/x-amz-json-1.1',
      'x-amz-target': 'Logs_20140328.FilterLogEvents',
    },
  })
  return Events.parse(JSON.parse(text)).events.map(({ timestamp }) => timestamp)
}
