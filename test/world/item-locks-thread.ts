// A thread that stands before the table with its locks: tells where, then of every conflict.
import { parentPort, workerData } from 'node:worker_threads'
import { startInterceptor } from '../../infra/local/faults/interceptor.ts'
import { openItemLocks } from '../../infra/local/faults/item-locks.ts'

const locks = openItemLocks({ onConflict: () => parentPort?.postMessage('conflict') })
const upstreams = { dynamodb: workerData, sqs: workerData, ses: workerData }
const { endpoints } = await startInterceptor(upstreams, [locks])
parentPort?.postMessage(endpoints.dynamodb)
