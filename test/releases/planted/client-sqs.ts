// The command of the SDK, with which a later release sends messages with further members.
import { SendMessageBatchCommand as SendBatch } from '@aws-sdk/client-sqs'
import { withMembers } from './members.ts'

export * from '@aws-sdk/client-sqs'

type SendInput = ConstructorParameters<typeof SendBatch>[0]

export class SendMessageBatchCommand extends SendBatch {
  constructor({ Entries = [], ...input }: SendInput) {
    super({
      ...input,
      Entries: Entries.map(entry => ({
        ...entry,
        MessageBody: JSON.stringify(withMembers(JSON.parse(entry.MessageBody ?? '{}'))),
      })),
    })
  }
}
