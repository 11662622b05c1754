// Signs POSTs to `/` with AWS Signature Version 4 (IAM User Guide, "Create a signed AWS API request").
import { createHmac, createSecretKey, hash, type KeyObject } from 'node:crypto'

export type Credentials = {
  accessKeyId: string
  secretAccessKey: string
  sessionToken?: string | undefined
}
/** What a signature is valid for. */
export type Scope = { region: string; service: string }
/** Names are in lower case. Values have no spaces, which the signature would have to collapse. */
export type Headers = Record<string, string>

const ALGORITHM = 'AWS4-HMAC-SHA256'
const END = 'aws4_request'

/** Returns a function that adds date, session token and signature to headers, all of which it signs. */
export function openSigner({ region, service }: Scope) {
  let kept: { day: string; secret: string; key: KeyObject } | undefined

  /** The key of a day. Deriving it takes four hashes. */
  const keyOf = (day: string, secret: string): KeyObject => {
    if (kept?.day !== day || kept.secret !== secret) {
      const bytes = [day, region, service, END].reduce<string | Buffer>(hmac, `AWS4${secret}`)
      kept = { day, secret, key: createSecretKey(Buffer.from(bytes)) }
    }
    return kept.key
  }

  return (headers: Headers, body: string, credentials: Credentials, date: Date): Headers => {
    const { accessKeyId, secretAccessKey, sessionToken } = credentials
    const time = date.toISOString().replace(/[:-]|\.\d+/g, '')
    const day = time.slice(0, 8)
    const signed: Headers = { ...headers, 'x-amz-date': time }
    if (sessionToken) signed['x-amz-security-token'] = sessionToken
    const names = Object.keys(signed).sort()
    const lines = names.map(name => `${name}:${signed[name]}\n`).join('')
    const list = names.join(';')
    const request = `POST\n/\n\n${lines}\n${list}\n${hash('sha256', body)}`
    const scope = `${day}/${region}/${service}/${END}`
    const signature = createHmac('sha256', keyOf(day, secretAccessKey))
      .update(`${ALGORITHM}\n${time}\n${scope}\n${hash('sha256', request)}`)
      .digest('hex')
    const credential = `${accessKeyId}/${scope}`
    signed.authorization = `${ALGORITHM} Credential=${credential}, SignedHeaders=${list}, Signature=${signature}`
    return signed
  }
}

function hmac(key: string | Buffer, data: string): Buffer {
  return createHmac('sha256', key).update(data).digest()
}
