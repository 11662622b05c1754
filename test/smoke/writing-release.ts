// A release of the stack with the writing part of the smoke test, and a token of its owner.
import { text } from 'node:stream/consumers'
import { expect } from 'vitest'
import { adminPosts } from '../../shared/posts/contract.ts'
import { adminWebhooks } from '../../shared/webhooks/contract.ts'
import { synthesizeHere } from '../shape/smoke-stack.ts'
import type { CloudFormation } from './cloudformation.ts'
import { openRelease, type Spoilt } from './release.ts'
import { openServer } from './server.ts'

export const SECRET = 'arn:aws:secretsmanager:us-east-1:000000000000:secret:smoke-test-AbCdEf'
const { outdir } = synthesizeHere({ context: { smokeTestSecret: SECRET } })
const WRITERS = ['admin-posts', 'admin-webhooks']
/** No attempt takes that long on a busy machine. */
const TIMES = { LimitSeconds: '100', PausesSeconds: ['0.1', '0.1', '0.1'] }
const WRITING_TIMES = { BudgetSeconds: '100', CleanUpSeconds: '100' }

/** A release with the token of its owner in the secret. */
export async function openWritingRelease(
  cloudFormation: CloudFormation,
  spoilt: Record<string, Spoilt> = {},
) {
  const release = await openRelease(cloudFormation, spoilt, outdir)
  const { world } = release
  world.secrets.values[SECRET] = `${world.admin}\n`
  // Only those that write, so that the other functions need not start.
  const Requests = release.properties.Requests.filter(request => WRITERS.includes(request.Function))

  /** Returns the answer to CloudFormation. */
  const test = async (
    writing: Record<string, string> = {},
    { type = 'Update', ...more }: { type?: 'Create' | 'Update'; BaseUrl?: string } = {},
  ) => {
    release.lines.length = 0
    const Writing = { ...Object(release.properties.Writing), ...WRITING_TIMES, ...writing }
    const properties = { ...release.properties, ...TIMES, Requests, Writing, ...more }
    await release.run(cloudFormation.event(type, properties))
    const answer = cloudFormation.answers()[0]?.body
    expect(release.lines.join('\n')).not.toContain(world.admin)
    expect(JSON.stringify(answer)).not.toContain(world.admin)
    return answer
  }
  const left = async () => {
    const token = { token: world.admin }
    const posts = await world.call(adminPosts.listPosts, token)
    const webhooks = await world.call(adminWebhooks.listWebhooks, token)
    return [...posts.data.map(({ title }) => title), ...webhooks.data.map(({ name }) => name)]
  }
  return { ...release, test, left }
}

/** Receives deliveries, and answers them with a status. */
export async function openReceiver() {
  const events: string[] = []
  let status = 204
  const server = await openServer(async (request, response) => {
    events.push(JSON.parse(await text(request)).event)
    response.writeHead(status).end()
  })
  return {
    ...server,
    events: () => events.splice(0),
    answer: (next: number) => {
      status = next
    },
  }
}

/** The steps that the lines of a log name, one for each attempt. */
export function stepsIn(lines: string[]): string[] {
  return lines.flatMap(line => {
    const at = line.indexOf('{')
    return line.includes('"step"') && at >= 0 ? [JSON.parse(line.slice(at)).step] : []
  })
}
