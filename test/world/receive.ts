// Receives messages without a queue, as their workers would: their rows in the outbox are deleted.
import type { Message } from '../../shared/events/message.ts'
import { bodyWithRow, removeRows } from '../../shared/events/message-row.ts'
import type { Sender } from '../../shared/events/sender.ts'
import type { Table } from '../../shared/table/client.ts'

export function receive(table: Table, messages: Message[]): Promise<void> {
  const log = (_: 'warn', message: string, details: Record<string, unknown>) => {
    throw new Error(message, { cause: details.problem })
  }
  const bodies = messages.map(message => ({ body: JSON.stringify(bodyWithRow(message)) }))
  return removeRows({ table, log }, bodies)
}

/** Every message is received and dropped. */
export function droppingSender(table: Table): Sender {
  return {
    send: async messages => {
      await receive(table, messages)
      return messages.map(() => ({ ok: true }))
    },
  }
}
