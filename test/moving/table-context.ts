// The context of a command on a table without a service, which may be killed after some writes.
import { DynamoDBClient } from '@aws-sdk/client-dynamodb'
import { SQSClient } from '@aws-sdk/client-sqs'
import { clientSettings } from '../../infra/local/account.ts'
import { TABLE_OUTPUT } from '../../infra/names.ts'
import type { Context } from '../../infra/operator/command.ts'
import { type Target, targetOf } from '../../infra/operator/target.ts'
import type { Message } from '../../shared/events/message.ts'
import type { TableWorld } from '../world/table.ts'
import { droppingSender } from '../world/work.ts'

const NOW_MS = Date.parse('2026-11-01T12:00:00Z')

export class Killed extends Error {}

/** After `writes` writes every call fails. `sent` gets the messages of committed changes. */
export function contextOn(
  world: TableWorld,
  writes = Number.POSITIVE_INFINITY,
): Context & { isKilled: () => boolean; sent: Message[] } {
  const sent: Message[] = []
  const target = targetOf({
    dynamodb: new DynamoDBClient(clientSettings(world.endpoint)),
    sqs: new SQSClient(clientSettings(world.endpoint)),
    outputs: { [TABLE_OUTPUT]: world.tableName },
    openSecrets: () => Promise.reject(new Error('No secret is needed.')),
    ownUrl: 'https://site.example',
    label: 'a table',
    close: async () => undefined,
  })
  let left = writes
  const send: Target['documents']['send'] = target.documents.send.bind(target.documents)
  target.documents.send = async (command: Parameters<typeof send>[0]) => {
    if (left <= 0) throw new Killed()
    const answer = await send(command)
    if (/^(?:Put|Update|Delete|BatchWrite|TransactWrite|Restore|Tag)/.test(command.constructor.name)) left--
    return answer
  }
  return {
    target: {
      ...target,
      sender: {
        send: async messages => {
          for (const message of messages) sent.push(message)
          return await droppingSender.send(messages)
        },
      },
    },
    nowMs: NOW_MS,
    nowSeconds: NOW_MS / 1000,
    progress: { show: () => undefined, clear: () => undefined },
    readStdin: async () => '',
    writeOut: async () => undefined,
    isKilled: () => left <= 0,
    sent,
  }
}
