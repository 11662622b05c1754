// Destroys a stage: what it leaves in the account is named, and all else is as before.
import { execFileSync } from 'node:child_process'
import { join } from 'node:path'
import { type DeployedStage, settingsOf } from './deployed.ts'
import { hold } from './steps.ts'

const LISTER = new URL('account.py', import.meta.url).pathname

type Remains = { pattern: RegExp; reason: string }[]

/** What a destroyed stage may leave, with the reason; `infra/keeping.md` names it. */
const MAY_STAY: Remains = [
  {
    pattern: /^iam Roles \S*ApiCloudWatchRole/,
    reason: 'the role by which API Gateway writes the logs of all stages of the account',
  },
]

/** What one that is kept leaves besides. */
const DATA: Remains = [
  { pattern: /^dynamodb TableNames ContentService-/, reason: 'the table, which is still protected' },
  { pattern: /^secretsmanager SecretList \S*Key/, reason: 'a secret without which the table cannot be read' },
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

/** What is there now and was not before. */
export function leftOf(before: string[], after: string[], mayStay = MAY_STAY): string[] {
  const left = after.filter(line => !before.includes(line))
  return left.filter(line => !mayStay.some(({ pattern }) => pattern.test(line)))
}

type Destruction = { stage: DeployedStage; before: string[]; list: () => string[]; isKept?: boolean }

/** @param before the resources of the account before the stage was deployed. */
export async function destroyStage({ stage, before, list, isKept = false }: Destruction): Promise<void> {
  const own = list().filter(line => !before.includes(line))
  hold(`the stage has resources of its own (${own.length})`, own.length > 0)
  await stage.destroy()
  const after = list()
  const mayStay = isKept ? [...MAY_STAY, ...DATA] : MAY_STAY
  for (const { pattern, reason } of mayStay) {
    for (const line of after.filter(line => pattern.test(line) && !before.includes(line))) {
      console.log(`   left: ${line}: ${reason}`)
    }
  }
  const unexpected = leftOf(before, after, mayStay)
  hold('nothing else of it is left', unexpected.length === 0, unexpected)
  const kept = DATA.filter(({ pattern }) => after.some(line => pattern.test(line) && !before.includes(line)))
  hold('its data stays if it is kept', kept.length === (isKept ? DATA.length : 0), kept)
  const missing = before.filter(line => !after.includes(line))
  hold('what was there before is all there', missing.length === 0, missing)
}
