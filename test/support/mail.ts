// Waits for the mails of a world and reads them.
import { type LocalMail, linksIn } from '../../infra/local/mail/ses.ts'
import { until } from './until.ts'

export type Link = { url: string; path: string; token: string }
export type ReadMail = LocalMail & {
  links: Link[]
  /** The token of the first link. */
  token: string
}

/** Waits for the first, or the `nth`, mail to an address and reads it. */
export function mailIn(mails: LocalMail[]) {
  return async (address: string, nth = 1): Promise<ReadMail> => {
    const mail = await until(
      `mail ${nth} to ${address}`,
      () => mails.filter(({ to }) => to === address)[nth - 1],
    )
    const links = linksIn(mail.text).map(linkOf)
    return { ...mail, links, token: links[0]?.token ?? '' }
  }
}

function linkOf(url: string): Link {
  const { pathname, searchParams } = new URL(url)
  return { url, path: pathname, token: searchParams.get('token') ?? '' }
}
