// The ports on which the emulators listen, and what they answer to another program.
import { execFile } from 'node:child_process'
import { readdir, readFile, readlink } from 'node:fs/promises'
import { promisify } from 'node:util'

const LISTENING = '0A'

/** The listening ports of this process, the supervisor and the database, which has the process id. */
export async function listeningPorts(database: number): Promise<number[]> {
  const supervisor = Number(/^PPid:\s*(\d+)/m.exec(await readFile(`/proc/${database}/status`, 'utf8'))?.[1])
  const own = new Set((await Promise.all([process.pid, supervisor, database].map(socketsOf))).flat())
  const lines = (await readFile('/proc/net/tcp', 'utf8')).trim().split('\n').slice(1)
  return lines.flatMap(line => {
    const fields = line.trim().split(/\s+/)
    const [address = '', state, inode = ''] = [fields[1], fields[3], fields[9]]
    return state === LISTENING && own.has(inode) ? [Number.parseInt(address.split(':')[1] ?? '', 16)] : []
  })
}

async function socketsOf(pid: number): Promise<string[]> {
  const folder = `/proc/${pid}/fd`
  const links = (await readdir(folder)).map(name => readlink(`${folder}/${name}`).catch(() => ''))
  return (await Promise.all(links)).flatMap(link => /^socket:\[(\d+)\]$/.exec(link)?.[1] ?? [])
}

type Request = { target: string; body: string }

/** The ports that answer another process with tables, queues or secrets. It has another user, if possible. */
export async function answersIn(ports: number[], requests: Request[]): Promise<number[]> {
  const script = `
    const ask = async (port, { target, body }) => {
      const headers = { 'X-Amz-Target': target, 'Content-Type': 'application/x-amz-json-1.0',
        Authorization: 'AWS4-HMAC-SHA256 Credential=x/20261122/us-east-1/dynamodb/aws4_request, SignedHeaders=host, Signature=0',
        'X-Amz-Date': '20261122T100000Z' }
      const request = fetch('http://127.0.0.1:' + port, { method: 'POST', body, headers, signal: AbortSignal.timeout(2000) })
      const answer = await request.catch(() => undefined)
      return /TableNames|QueueUrls|There is no secret/.test(await answer?.text()) ? [port] : []
    }
    const requests = ${JSON.stringify(requests.filter(({ target }) => target))}
    const all = ${JSON.stringify(ports)}.flatMap(port => requests.map(request => ask(port, request)))
    console.log(JSON.stringify((await Promise.all(all)).flat()))`
  const asRoot = process.getuid?.() === 0
  const command = [process.execPath, '--input-type=module', '-e', script]
  const [file = '', ...args] = asRoot
    ? ['setpriv', '--reuid=65534', '--regid=65534', '--clear-groups', ...command]
    : command
  const { stdout } = await promisify(execFile)(file, args)
  return JSON.parse(stdout)
}
