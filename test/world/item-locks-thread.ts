// A thread that stands before the table with its locks: tells where, then of every conflict.
import { parentPort, workerData } from 'node:worker_threads'
import { startInterposer } from '../../infra/local/interpose/interposer.ts'
import { openItemLocks } from '../../infra/local/interpose/item-locks.ts'

const locks = openItemLocks({ onConflict: () => parentPort?.postMessage('conflict') })
const upstreams = { dynamodb: workerData, sqs: workerData, ses: workerData }
const { endpoints } = await startInterposer(upstreams, [locks])
parentPort?.postMessage(endpoints.dynamodb)
