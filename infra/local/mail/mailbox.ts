// Saves mails as `.eml` files, which mail programs can open. Only this user can read them.
import { mkdir } from 'node:fs/promises'
import { join } from 'node:path'
import { writeAtomically } from '../private-files.ts'

export type LocalMail = {
  id: string
  at: Date
  from: string
  to: string
  subject: string
  text: string
  html: string
}

/** Writes atomically, and creates the folder if it was deleted. */
export async function writeMail(folder: string, { id, at, ...mail }: LocalMail): Promise<void> {
  const { default: MailComposer } = await import('nodemailer/lib/mail-composer')
  const message = new MailComposer({ ...mail, date: at, messageId: `<${id}@localhost>` }).compile()
  const content = await message.build()
  await mkdir(folder, { recursive: true })
  const file = join(folder, `${at.toISOString().replaceAll(':', '-')}-${id.slice(0, 8)}.eml`)
  await writeAtomically(file, content)
}
