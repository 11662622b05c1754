// A second stage in the same account: both answer, and neither has anything of the other.
import { BASE_URL_OUTPUT } from '../../infra/names.ts'
import type { DeployedStage } from './deployed.ts'
import { callerOf, countOf, type Owner } from './owner.ts'
import { hold } from './steps.ts'

export async function compareStages(
  first: DeployedStage,
  owner: Owner,
  second: DeployedStage,
): Promise<void> {
  const [own, others] = [await first.outputs(), await second.outputs()]
  const shared = Object.entries(others).filter(([name, value]) => own[name] === value)
  hold('each has its own table, queues, secrets and address', shared.length === 0, shared)
  const missing = Object.keys(others).filter(name => own[name] === undefined)
  hold('the first has all outputs of the second', missing.length === 0, missing)
  hold('the address of the second is known', others[BASE_URL_OUTPUT] !== undefined)

  const posts = await owner.call('GET', '/posts')
  hold('the first answers, with its posts', posts.status === 200 && countOf(posts.data) > 0, posts)
  const stranger = callerOf(await second.baseUrl(), owner.token)
  const empty = await stranger('GET', '/posts')
  hold('the second answers, without a post', empty.status === 200 && countOf(empty.data) === 0, empty)
  const refused = await stranger('GET', '/me')
  hold('a token of the first is none in the second', refused.status === 401, refused)
  const users = await second.operator('user', 'list')
  hold('the second has no user', users.trim() === '', users)
}
