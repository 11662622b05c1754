// Turns on draft mode for whoever has a preview token. The setting site.preview_url names this route:
// https://your-site/api/preview?token={token}
import { cookies, draftMode } from 'next/headers'
import { redirect } from 'next/navigation'
import { draftOf } from '../../../../draft.mjs'

export async function GET(request) {
  const token = request.nextUrl.searchParams.get('token')
  const draft = await draftOf(token)
  if (!draft) return new Response('This preview is over.', { status: 404 })
  const mode = await draftMode()
  mode.enable()
  const jar = await cookies()
  jar.set('preview-token', token, { httpOnly: true, sameSite: 'lax', path: '/' })
  redirect(`/${encodeURIComponent(draft.slug)}`)
}
