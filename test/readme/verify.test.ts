// The verification of webhooks in four languages, on requests that the service signs and on forged ones.
import { execFile, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import type { Secrets } from '../../shared/webhooks/secret.ts'
import { signatureHeaders } from '../../shared/webhooks/signed-request.ts'
import { newFolder } from '../support/folder.ts'
import { linksOf, readmeAt } from './readmes.ts'

const OLD = 'whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSwMfKQ9r8GKYo='
const NEW = 'whsec_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8='
const BODY = '{"event":"post.published","data":{"title":"Grüße 👋\u0000"}}'
const FIVE_MINUTES = 300

type Request = { body: string; secrets: string[]; headers: Record<string, string> }

/** A request signed now, or `age` seconds ago, to a receiver that knows these secrets. */
function request(signing: Secrets, secrets: string[], age = 0): Request {
  const timestampSeconds = Math.floor(Date.now() / 1000) - age
  const signed = { secrets: signing, body: BODY, deliveryId: 'evt_1-7', timestampSeconds }
  const headers = signatureHeaders(signed)
  return { body: BODY, secrets, headers }
}

function withHeaders({ headers, ...others }: Request, changes: Record<string, string>): Request {
  return { ...others, headers: { ...headers, ...changes } }
}

function signedOnce(): Request {
  return request([OLD], [OLD])
}

function signedTwice(secrets: string[]): Request {
  return request([NEW, OLD], secrets)
}

/** Whether `webhook-signature` matches, and whether `Signature` does. */
const CASES: [string, () => Request, [boolean, boolean]][] = [
  ['a genuine request', signedOnce, [true, true]],
  ['one of an overlap, with the old secret', () => signedTwice([OLD]), [true, true]],
  ['one of an overlap, with the new secret', () => signedTwice([NEW]), [true, false]],
  ['one of an overlap, with both secrets', () => signedTwice([NEW, OLD]), [true, true]],
  ['one signed with another secret', () => request([NEW], [OLD]), [false, false]],
  ['a changed body', () => ({ ...signedOnce(), body: BODY.replace('published', 'deleted') }), [false, false]],
  ['another id', () => withHeaders(signedOnce(), { 'webhook-id': 'evt_2-7' }), [false, true]],
  ['one that is five minutes old', () => request([OLD], [OLD], FIVE_MINUTES - 30), [true, true]],
  ['a repeated one', () => request([OLD], [OLD], FIVE_MINUTES + 1), [false, true]],
  ['one of the future', () => request([OLD], [OLD], -FIVE_MINUTES - 60), [false, true]],
  ['no time', () => withHeaders(signedOnce(), { 'webhook-timestamp': 'now' }), [false, true]],
  [
    'signatures of another kind',
    () => withHeaders(signedOnce(), { 'webhook-signature': 'v2,AAAA v1, v1', Signature: 'zz' }),
    [false, false],
  ],
  [
    'no signature',
    () => withHeaders(signedOnce(), { 'webhook-signature': '', Signature: '' }),
    [false, false],
  ],
]

function words(matches: boolean): string {
  return matches ? 'matches' : 'does not match'
}

const EXPECTED = Object.fromEntries(
  CASES.map(([what, , [standard, signature]]) => [
    what,
    `webhook-signature ${words(standard)}\nSignature ${words(signature)}\n`,
  ]),
)

type Language = {
  name: string
  file: string
  command: string
  /** The argument with which the command succeeds if it is installed. */
  version: string
  /** Returns the program. Without it, the command runs the file. */
  compile?: (file: string) => Promise<string>
}

/** Compiling takes some seconds the first time on a machine, and a moment afterwards. */
async function compileGo(file: string): Promise<string> {
  const program = join(await newFolder(), 'verify')
  await promisify(execFile)('go', ['build', '-o', program, file])
  return program
}

const LANGUAGES: Language[] = [
  { name: 'Node', file: 'verify.mjs', command: process.execPath, version: '--version' },
  { name: 'Python', file: 'verify.py', command: 'python3', version: '--version' },
  { name: 'PHP', file: 'verify.php', command: 'php', version: '--version' },
  { name: 'Go', file: 'verify.go', command: 'go', version: 'version', compile: compileGo },
]

/** Runs the program as a CGI script: the headers are in its environment. */
function run([command = '', ...args]: string[], { body, secrets, headers }: Request): Promise<string> {
  const { PATH, HOME } = process.env
  const variables = Object.entries(headers).map(([name, value]) => [
    `HTTP_${name.toUpperCase().replaceAll('-', '_')}`,
    value,
  ])
  const env = { PATH, HOME, WEBHOOK_SECRETS: secrets.join(' '), ...Object.fromEntries(variables) }
  return new Promise((resolve, reject) => {
    const program = execFile(command, args, { env }, (error, out) => (error ? reject(error) : resolve(out)))
    program.stdin?.end(body)
  })
}

describe('the verification of webhooks', () => {
  for (const { name, file, command, version, compile } of LANGUAGES) {
    const isMissing = spawnSync(command, [version]).status !== 0
    it.skipIf(isMissing)(
      `accepts genuine requests and refuses others in ${name}${isMissing ? ' (not on this machine)' : ''}`,
      async () => {
        const source = fileURLToPath(new URL(`./verify/${file}`, import.meta.url))
        const program = compile ? [await compile(source)] : [command, source]
        const printed = await Promise.all(
          CASES.map(async ([what, make]) => [what, await run(program, make())]),
        )
        expect(Object.fromEntries(printed)).toEqual(EXPECTED)
      },
      180_000,
    )
  }
})

describe('the guide for receivers', () => {
  it('links the file of each language', () => {
    const links = linksOf(readmeAt('shared/webhooks/receivers.md'))
    const missing = LANGUAGES.filter(({ file }) => !links.some(link => link.endsWith(`/verify/${file}`)))
    expect(missing.map(({ name }) => name)).toEqual([])
  })
})
