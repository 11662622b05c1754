// What a function of the service may do, and what it is given for it.
import type { QueueName } from '../events/message.ts'
import type { Reach } from '../table/kinds.ts'

/** What a function may do with the table, by kinds of records; nothing else is granted. */
export type Access = {
  reads: Reach[]
  writes: Reach[]
  /** Records of others that its transactions only make conditions on. */
  checks?: Reach[]
  /** Records of others of which it may change a few attributes, with no other in the condition. */
  updates?: PartialUpdate[]
}

export type PartialUpdate = { of: Reach; attributes: string[] }

export type Secret = 'ClientKey' | 'LinkKey' | 'WebhookKey'

export type FunctionNeeds = Access & {
  sends: QueueName[]
  /** Of which it may ask how many messages wait. */
  inspects?: QueueName[]
  secrets: Secret[]
  /** Whether it may hand mails to SES. */
  sendsMail: boolean
  /** 1,769 MB is one whole vCPU, which a password hash needs. */
  memoryMb: number
  timeoutSeconds: number
}

/** A large text is written in parts, and stands among what is to be swept until a record names it. */
export const LARGE_TEXTS: Reach[] = ['CHUNK', 'LEFTOVER']
