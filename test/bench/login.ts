// Measures whether the time of a login reveals that an address has an account: medians of interleaved tries.
// Run: npm run bench:login -- [tries]
import { changeUser, createUser } from '../../shared/accounts/commands/users.ts'
import { auth } from '../../shared/accounts/contract.ts'
import { hashPassword } from '../../shared/accounts/password.ts'
import { lambdaContext, proxyEventOf } from '../world/proxy-event.ts'
import { startTable } from '../world/table.ts'
import { medianOf } from './median.ts'

const tries = Number(process.argv[2] ?? 200)
const PASSWORD = 'correct horse battery staple'
const LARGEST_DIFFERENCE = 0.1

const { table, tableName, endpoint, stop } = await startTable()
/** The environment of the real function. */
Object.assign(process.env, {
  TABLE_NAME: tableName,
  SITE_URL: 'https://site.example',
  CLIENT_KEY: 'the key of client addresses',
  // 200 tries for one e-mail address are above the limit of an hour.
  LIMIT_SCALE: '1000',
  PRIVATE_KEY: 'the key of links in mails',
  AWS_ENDPOINT_URL_DYNAMODB: endpoint,
  AWS_REGION: 'us-east-1',
  AWS_ACCESS_KEY_ID: 'bench',
  AWS_SECRET_ACCESS_KEY: 'bench',
})
const { handler } = await import('../../functions/auth.ts')
/** Without the log of the function. */
const { write } = process.stdout
process.stdout.write = () => true

const nowSeconds = Math.floor(Date.now() / 1000)
function account(name: string, password_hash: string) {
  return createUser(
    table,
    { name, email: `${name}@example.com`, email_verified: true, password_hash },
    nowSeconds,
  )
}

await account('known', await hashPassword(PASSWORD))
const banned = await account('banned', await hashPassword(PASSWORD))
await changeUser(table, banned.id, user => ({ ...user, ban: { reason: null, until: null } }))

const KINDS = [
  { name: 'unknown address', email: 'nobody@example.com', password: PASSWORD, status: 401 },
  { name: 'wrong password', email: 'known@example.com', password: 'wrong', status: 401 },
  { name: 'banned user, right password', email: 'banned@example.com', password: PASSWORD, status: 403 },
].map(kind => ({ ...kind, tookMs: [] as number[] }))

/** Each try comes from another address, so that the limit per address is never reached. */
let count = 0
function clientAddress() {
  return `10.${(++count >> 16) & 255}.${(count >> 8) & 255}.${count & 255}`
}

for (let n = -2; n < tries; n++) {
  for (const { email, password, status, tookMs } of KINDS) {
    const event = proxyEventOf(auth.login, { body: { email, password }, sourceIp: clientAddress() })
    const startedMs = performance.now()
    const { statusCode } = await handler(event, lambdaContext())
    const ms = performance.now() - startedMs
    if (statusCode !== status) throw new Error(`${email} got the status ${statusCode}.`)
    // The first rounds open connections and compile code.
    if (n >= 0) tookMs.push(ms)
  }
}
await stop()
process.stdout.write = write

const medians = KINDS.map(({ name, tookMs }) => ({ name, ms: medianOf(tookMs) }))
const [least, most] = [Math.min(...medians.map(({ ms }) => ms)), Math.max(...medians.map(({ ms }) => ms))]
console.info(`Medians over ${tries} tries of each, interleaved:`)
for (const { name, ms } of medians) console.info(`  ${ms.toFixed(1).padStart(7)} ms  ${name}`)
console.info(`The medians differ by ${(100 * (most / least - 1)).toFixed(1)} %.`)
if (most / least - 1 > LARGEST_DIFFERENCE) process.exitCode = 1
process.exit()
