// The suppression list of SES: it sends nothing to an address on it, whatever the service does.
import { DeleteSuppressedDestinationCommand, NotFoundException, SESv2Client } from '@aws-sdk/client-sesv2'
import { asciiEmail, foldedEmail } from '../../shared/http/email.ts'
import { OperatorError } from './operator-error.ts'

/** Removes an address, as it was sent to and in lower case. Throws OperatorError if that is not allowed. */
export async function removeSuppressed(email: string): Promise<void> {
  const client = new SESv2Client()
  for (const EmailAddress of new Set([asciiEmail(email), foldedEmail(email)])) {
    await client.send(new DeleteSuppressedDestinationCommand({ EmailAddress })).catch(refusedUnlessMissing)
  }
}

function refusedUnlessMissing(error: unknown): void {
  if (error instanceof NotFoundException) return
  const name = error instanceof Error ? error.name : String(error)
  throw new OperatorError(
    `SES does not remove the address from its suppression list (${name}). Allow ses:DeleteSuppressedDestination on it.`,
  )
}
