// Destroys a stage: what it leaves in the account is named, and another stage is as before.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type Deployed, settingsOf } from './deployed.ts'
import { countOf, type Owner } from './owner.ts'
import { hold } from './steps.ts'

const LISTER = new URL('account.py', import.meta.url).pathname

/** What a destroyed disposable stage may leave, with the reason. */
const MAY_STAY: { pattern: RegExp; reason: string }[] = [
  {
    pattern: /^iam Roles \S*ApiCloudWatchRole/,
    reason: 'the role by which API Gateway writes the logs of all stages of the account',
  },
]

/** Each resource of the account as a line. */
export function listAccount(scripts: string, endpoint: string): string[] {
  const { region, credentials } = settingsOf(endpoint)
  const env = {
    ...process.env,
    AWS_ENDPOINT_URL: endpoint,
    AWS_DEFAULT_REGION: region,
    AWS_ACCESS_KEY_ID: credentials.accessKeyId,
    AWS_SECRET_ACCESS_KEY: credentials.secretAccessKey,
  }
  const text = execFileSync(join(scripts, 'python'), [LISTER], { env, encoding: 'utf8' })
  return text.split('\n').filter(line => line !== '')
}

type Destroyed = { stage: Deployed; other: Owner; before: string[]; list: () => string[] }

/** @param before the resources of the account before the stage was deployed. */
export async function destroyStage({ stage, other, before, list }: Destroyed): Promise<void> {
  const own = list().filter(line => !before.includes(line))
  hold(`the stage has resources of its own (${own.length})`, own.length > 0)
  await stage.destroy()
  const after = list()
  const left = after.filter(line => !before.includes(line))
  const unexpected = left.filter(line => !MAY_STAY.some(({ pattern }) => pattern.test(line)))
  for (const line of left) {
    const reason = MAY_STAY.find(({ pattern }) => pattern.test(line))?.reason ?? 'nothing should need it'
    console.log(`   left: ${line}: ${reason}`)
  }
  hold(`nothing else of it is left (${left.length} of ${own.length} resources stay)`, unexpected.length === 0)
  const missing = before.filter(line => !after.includes(line))
  hold('the resources of the other stage are all there', missing.length === 0, missing)
  const posts = await other.call('GET', '/posts')
  hold('the other stage answers, with its posts', posts.status === 200 && countOf(posts.data) > 0, posts)
}
