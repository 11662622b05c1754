// Runs the operator's commands of the pages about a deployed stage, on an emulated one, in their order.
import { join } from 'node:path'
import { expect, it, onTestFinished } from 'vitest'
import { run, stageOf } from '../operator/operator-process.ts'
import { operatorOn } from '../operator/operator-world.ts'
import { openRecovery } from '../operator/recovery.ts'
import { newFolder } from '../support/folder.ts'
import { dumpAt } from '../support/table.ts'
import { useWorld } from '../support/world.ts'
import { allCommandsOf, type Readme, readmeAt } from './readmes.ts'

const PAGES = ['infra/restore.md', 'infra/keeping.md']
const OPERATOR = 'npm run operator -- '
const STAGE = 'live'

const world = useWorld({ isNew: true })

function operatorCommandsOf(readme: Readme): string[] {
  return allCommandsOf(readme).filter(
    command => command.startsWith(OPERATOR) && command.includes(` --stage ${STAGE}`),
  )
}

/** The words after `npm run operator --`, with files in the folder and the present as the moment. */
function wordsOf(command: string, folder: string): string[] {
  const words = command.slice(OPERATOR.length).split(/\s+/)
  return words.map(word => {
    if (word.endsWith('.jsonl.gz')) return join(folder, word)
    return /^\d{4}-\d\d-\d\dT/.test(word) ? new Date().toISOString() : word
  })
}

it.each(PAGES)(
  'each command of %s on a stage succeeds',
  async path => {
    const commands = operatorCommandsOf(readmeAt(path))
    expect(commands.length).toBeGreaterThan(3)
    await operatorOn(world).run(['user', 'create', '--email', 'ada@example.com', '--name', 'Ada'])
    await world.create.livePost()
    const content = await dumpAt(world.dynamodbEndpoint, world.tableName)
    const recovery = openRecovery(world.dynamodbEndpoint, () => content)
    onTestFinished(() => recovery.stop())
    const environment = await stageOf(world, recovery.interceptor, STAGE)
    const folder = await newFolder()
    for (const command of commands) {
      const { code, err } = await run(wordsOf(command, folder), environment)
      expect({ command, code, err: code === 0 ? '' : err }).toEqual({ command, code: 0, err: '' })
    }
  },
  300_000,
)
