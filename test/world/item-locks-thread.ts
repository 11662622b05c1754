// The thread of the item locks: posts the address of its proxy, then every conflict.
import { parentPort, workerData } from 'node:worker_threads'
import { startCallProxy } from './faults/call-proxy.ts'
import { createItemLocks } from './faults/item-locks.ts'

const locks = createItemLocks({ onConflict: () => parentPort?.postMessage('conflict') })
const upstreams = { dynamodb: workerData, sqs: workerData, ses: workerData }
const { endpoints } = await startCallProxy(upstreams, [locks])
parentPort?.postMessage(endpoints.dynamodb)
