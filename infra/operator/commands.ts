// All commands, in the order in which --help lists them.
import type { Command } from './command.ts'
import { BACKUP_COMMANDS } from './commands/backup.ts'
import { COUNTS_COMMANDS } from './commands/counts.ts'
import { DELIVERY_COMMANDS } from './commands/deliveries.ts'
import { DOCTOR_COMMANDS } from './commands/doctor.ts'
import { IMPORT_EXPORT_COMMANDS } from './commands/import-export.ts'
import { MAIL_COMMANDS } from './commands/mail.ts'
import { REDRIVE_COMMANDS } from './commands/redrive.ts'
import { RESTORE_COMMANDS } from './commands/restore.ts'
import { KEY_COMMANDS } from './commands/rotate-key.ts'
import { SETTINGS_COMMANDS } from './commands/settings.ts'
import { TOKEN_COMMANDS } from './commands/tokens.ts'
import { USER_COMMANDS } from './commands/users.ts'
import { WEBHOOK_COMMANDS } from './commands/webhooks.ts'

export const COMMANDS: Command[] = [
  ...USER_COMMANDS,
  ...TOKEN_COMMANDS,
  ...SETTINGS_COMMANDS,
  ...COUNTS_COMMANDS,
  ...WEBHOOK_COMMANDS,
  ...DELIVERY_COMMANDS,
  ...MAIL_COMMANDS,
  ...IMPORT_EXPORT_COMMANDS,
  ...DOCTOR_COMMANDS,
  ...REDRIVE_COMMANDS,
  ...BACKUP_COMMANDS,
  ...KEY_COMMANDS,
  ...RESTORE_COMMANDS,
]
