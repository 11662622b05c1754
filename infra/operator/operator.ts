// `npm run operator`: the owner's command line, against the local state or a deployed stage.
import { text as readAll } from 'node:stream/consumers'
import { parseArgs } from 'node:util'
import type { Table } from '../../shared/table/client.ts'
import { OperatorError, type Result, tokenCreate, userCreate, userList } from './commands.ts'
import { openStageTarget, openStateTarget } from './target.ts'

const USAGE = `The owner's command line.

  npm run operator -- user create --email E --name N [--password-stdin]
  npm run operator -- user list
  npm run operator -- token create --email E --abilities user,admin --name N

  --state DIR     the local state to work on, whether or not the service runs (.local)
  --stage NAME    a deployed stage instead, with this shell's AWS credentials
  --json          the result as JSON
  --help          show this
`

const declared = {
  email: { type: 'string' },
  name: { type: 'string' },
  abilities: { type: 'string' },
  'password-stdin': { type: 'boolean', default: false },
  state: { type: 'string', default: '.local' },
  stage: { type: 'string' },
  json: { type: 'boolean', default: false },
  help: { type: 'boolean', default: false },
} as const

type Values = ReturnType<typeof readArguments>['values']

const readArguments = () => {
  try {
    return parseArgs({ options: declared, allowPositionals: true })
  } catch (error) {
    throw new OperatorError(error instanceof Error ? error.message : String(error))
  }
}

const needed = (values: Values, name: 'email' | 'name' | 'abilities'): string => {
  const value = values[name]
  if (value === undefined) throw new OperatorError(`--${name} is missing.`)
  return value
}

type Command = (values: Values) => Promise<(table: Table, nowSeconds: number) => Promise<Result>>

/** Arguments are read before any table is opened: a mistake costs nothing. */
const COMMANDS: Record<string, Command> = {
  'user create': async values => {
    const [email, name] = [needed(values, 'email'), needed(values, 'name')]
    const given = values['password-stdin'] ? (await readAll(process.stdin)).replace(/\r?\n$/, '') : undefined
    return (table, now) => userCreate(table, { email, name, password: given }, now)
  },
  'user list': async () => table => userList(table),
  'token create': async values => {
    const given = {
      email: needed(values, 'email'),
      abilities: needed(values, 'abilities'),
      name: needed(values, 'name'),
    }
    return (table, now) => tokenCreate(table, given, now)
  },
}

const log = (line: string) => process.stderr.write(`${line}\n`)

const run = async (): Promise<void> => {
  const { values, positionals } = readArguments()
  if (values.help) return void process.stdout.write(USAGE)
  const command = COMMANDS[positionals.join(' ')]
  if (!command) throw new OperatorError(`There is no command "${positionals.join(' ')}".\n\n${USAGE}`)
  const act = await command(values)
  const target = values.stage ? await openStageTarget(values.stage) : await openStateTarget(values.state, log)
  try {
    log(`Working on ${target.says}.`)
    const { lines, json } = await act(target.table, Math.floor(Date.now() / 1000))
    process.stdout.write(`${values.json ? JSON.stringify(json, null, 2) : lines.join('\n')}\n`)
  } finally {
    await target.close()
  }
}

try {
  await run()
} catch (error) {
  log(error instanceof OperatorError ? error.message : String(error))
  process.exitCode = 1
}
