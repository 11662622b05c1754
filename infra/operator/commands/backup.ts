// The command that copies a local state while its service runs.
import { existsSync } from 'node:fs'
import { resolve } from 'node:path'
import * as z from 'zod/mini'
import { backUpState } from '../../local/back-up.ts'
import { command, OperatorError, value } from '../command.ts'

export const backup = command({
  name: 'backup',
  summary: 'Copy a local state to a new folder, whether or not its service runs',
  details: `  The copy is a state of its own: npm start -- --state FOLDER runs it. It contains passwords and tokens, and only your
  user can read it. A deployed stage has its own backups: infra/restore.md.`,
  args: { folder: value('FOLDER', 'folder to create', z.string('Is required.')) },
  run: async ({ folder }, { target, progress }) => {
    if (target.stateFolder === undefined) {
      throw new OperatorError('A deployed stage is backed up by AWS. Restore it as infra/restore.md says.')
    }
    const to = resolve(folder)
    if (existsSync(to)) throw new OperatorError(`${to} exists already. Name a new folder.`)
    progress.show(`Copying ${target.stateFolder}`)
    await backUpState(target.stateFolder, to)
    return {
      lines: [`Copied ${target.stateFolder} to ${to}. Run it: npm start -- --state ${to}`],
      json: { folder: to },
    }
  },
})
