// Opens the public content for endpoints that read it, while the caller is authenticated and counted.
import { type Content, openContent as openFrom, uncachedContent } from '../cache/content.ts'
import { readSettings, rememberSettings } from '../site/store/settings.ts'
import type { Step } from './chain.ts'
import { isKnownToBeRefused } from './limit.ts'
import { type RequestContext, startSideTask, type WithContent, type WithRoute } from './request-context.ts'

export function content(): Step<RequestContext & WithRoute, WithContent> {
  const contentBefore = (context: RequestContext & WithRoute): WithContent => {
    let opening: Promise<Content> | undefined
    const openContent = () => {
      opening ??= open(context)
      return opening
    }
    // A flood that is refused costs no call. Without a handler of its own, a failure would end the process.
    if (!isKnownToBeRefused(context)) openContent().catch(() => undefined)
    return { openContent }
  }
  return { before: contentBefore }
}

async function open(context: RequestContext & WithRoute): Promise<Content> {
  const { runtime, nowMs, route } = context
  if (!route.endpoint.readsContent) return uncachedContent(runtime.table, nowMs)
  const opened = await openFrom(runtime.table, nowMs)
  startSideTask(context, opened.ready)
  if (opened.names !== runtime.table) startSideTask(context, refreshSettings(context, opened))
  return opened
}

/** Settings are part of the public content, so later requests need not read them on their own. */
async function refreshSettings({ runtime, nowMs }: RequestContext, { names }: Content): Promise<void> {
  rememberSettings(runtime.table, await readSettings(names), nowMs)
}
