// The owner's commands, in the order in which the help names them.
import type { Command } from './command.ts'
import { countsCommands } from './commands/counts.ts'
import { doctorCommands } from './commands/doctor.ts'
import { redriveCommands } from './commands/redrive.ts'
import { reindexCommands } from './commands/reindex.ts'
import { settingsCommands } from './commands/settings.ts'
import { tokenCommands } from './commands/tokens.ts'
import { userCommands } from './commands/users.ts'
import { webhookCommands } from './commands/webhooks.ts'

export const COMMANDS: Command[] = [
  ...userCommands,
  ...tokenCommands,
  ...settingsCommands,
  ...countsCommands,
  ...webhookCommands,
  ...doctorCommands,
  ...redriveCommands,
  ...reindexCommands,
]
