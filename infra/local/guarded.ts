// A client of the SDK that checks each call before it is sent.
import type { CheckCall } from './access.ts'

type Command = { constructor: { name: string }; input: object }

/** The operations whose commands have other names in the document client. */
const OPERATIONS: Record<string, string> = {
  Get: 'GetItem',
  Put: 'PutItem',
  Update: 'UpdateItem',
  Delete: 'DeleteItem',
  BatchGet: 'BatchGetItem',
  BatchWrite: 'BatchWriteItem',
}

export function guarded<Client extends { send: (command: never, ...rest: never[]) => Promise<unknown> }>(
  client: Client,
  check: CheckCall,
): Client {
  return new Proxy(client, {
    get(target, name) {
      const member: unknown = Reflect.get(target, name, target)
      if (name !== 'send' || typeof member !== 'function') return member
      return async (command: Command, ...rest: unknown[]) => {
        const operation = command.constructor.name.replace(/Command$/, '')
        check(OPERATIONS[operation] ?? operation, command.input)
        return await member.call(target, command, ...rest)
      }
    },
  })
}
