// The effect of faults on messages: sent in part, twice, late, or received again.
import { DeleteMessageCommand, ReceiveMessageCommand } from '@aws-sdk/client-sqs'
import { describe, expect, it } from 'vitest'
import { use } from '../use.ts'
import { openFaultWorld } from './fault-world.ts'

const world = use(openFaultWorld)

describe('a message', () => {
  it('is not sent in the second half of a batch under the fault partly', async () => {
    const { sendMessages, depth } = await world.withKind('partly')
    const { Successful, Failed } = await sendMessages(['a', 'b', 'c'])
    expect([Successful?.map(({ Id }) => Id), Failed?.map(({ Id }) => Id)]).toEqual([['0'], ['1', '2']])
    expect(depth().visible).toBe(1)
  })

  it('is sent two times under the fault twice', async () => {
    const { sendMessages, depth } = await world.withKind('twice')
    await sendMessages(['a', 'b'])
    expect(depth().visible).toBe(4)
  })

  it('is delayed under the fault late', async () => {
    const { sendMessages, depth } = await world.withKind('late')
    await sendMessages(['a'])
    expect(depth()).toEqual({ visible: 0, inFlight: 0, delayed: 1 })
  })

  it('stays in its queue when it is deleted under the fault undeleted', async () => {
    const { queues, QueueUrl, sendMessages, depth } = await world.withKind('undeleted')
    await sendMessages(['a'])
    const { Messages = [] } = await queues.send(new ReceiveMessageCommand({ QueueUrl }))
    await queues.send(new DeleteMessageCommand({ QueueUrl, ReceiptHandle: Messages[0]?.ReceiptHandle }))
    expect(depth().inFlight).toBe(1)
  })
})
