// A second deployment of a stage with a changed template, under requests: data stays, and answers go on.
import { setTimeout as pause } from 'node:timers/promises'
import * as z from 'zod/mini'
import type { DeployedStage } from './deployed.ts'
import type { Answer, Call, Owner } from './owner.ts'
import { hold } from './steps.ts'

/** Changes the workers of queues and a usage plan. */
const CHANGED = { maxConcurrency: '2', adminRate: '400' }
/** Changes the variables of every function, which answers show. */
const LIMIT_SCALE = 5_000
const PER_MINUTE = 60
const PAUSE_MS = 100
/** What a client does with a 503: it tries again. */
const ATTEMPTS = 30

const Post = z.object({ id: z.number(), slug: z.string(), title: z.string() })

export async function updateStage(
  stage: DeployedStage,
  owner: Owner,
  deploy: (limitScale: number) => Promise<void>,
) {
  const { call } = owner
  const before = await stage.outputs()
  const created = await call('POST', '/admin/posts', { title: 'Update 0', body: '<p>Stays.</p>' })
  hold('a post is created before the update', created.status === 201, created)
  const post = Post.parse(created.data)
  const published = await call('POST', `/admin/posts/${post.id}/publish`)
  hold('it is published', published.status === 200, published)

  await stage.synthesize(CHANGED)
  const client = keepUsing(call, post)
  await deploy(LIMIT_SCALE)
  const { writes, answers, retried, wrong, lastTitle } = await client.stop()

  const counts = `${writes} writes, ${answers} answers, ${retried} of them tried again`
  hold(`requests go on during the update (${counts})`, writes > 0 && wrong.length === 0, wrong.slice(0, 5))
  const read = await call('GET', `/posts/${post.slug}`)
  hold('the post has the last title that was written', Post.parse(read.data).title === lastTitle, read.data)
  const limit = Number(read.headers.get('x-ratelimit-limit'))
  hold(`answers are those of the new template (limit ${limit})`, limit === PER_MINUTE * LIMIT_SCALE)
  hold('table, queues, secrets and address are the same', isSame(before, await stage.outputs()))
}

function isSame(before: Record<string, string>, after: Record<string, string>): boolean {
  return JSON.stringify(Object.entries(before).sort()) === JSON.stringify(Object.entries(after).sort())
}

/** Writes a title and reads it back, again and again, until it is stopped. */
function keepUsing(call: Call, { id, slug }: { id: number; slug: string }) {
  const seen = { writes: 0, answers: 0, retried: 0, wrong: [] as string[], lastTitle: '' }
  let isStopped = false

  const send = async (method: string, path: string, body?: object): Promise<Answer | undefined> => {
    for (let attempt = 1; attempt <= ATTEMPTS; attempt++) {
      const answer = await call(method, path, body).catch(String)
      seen.answers++
      if (typeof answer !== 'string' && answer.status === 200) return answer
      const mayRetry =
        typeof answer !== 'string' && answer.status === 503 && answer.headers.has('retry-after')
      if (!mayRetry) {
        seen.wrong.push(`${method} ${path}: ${typeof answer === 'string' ? answer : JSON.stringify(answer)}`)
        return undefined
      }
      seen.retried++
      await pause(PAUSE_MS)
    }
    seen.wrong.push(`${method} ${path}: 503, ${ATTEMPTS} times`)
    return undefined
  }

  const ended = (async () => {
    while (!isStopped) {
      const title = `Update ${seen.writes + 1}`
      if (!(await send('PATCH', `/admin/posts/${id}`, { title }))) continue
      seen.writes++
      seen.lastTitle = title
      const read = await send('GET', `/posts/${slug}`)
      if (read && Post.parse(read.data).title !== title) seen.wrong.push(`read another title than ${title}`)
      await pause(PAUSE_MS)
    }
    return seen
  })()
  return {
    stop: () => {
      isStopped = true
      return ended
    },
  }
}
