// Loads a function's handler from its folder as Lambda's Node runtime does.
import { existsSync, readFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { dirname, join } from 'node:path'
import { pathToFileURL } from 'node:url'
import { compileFunction, constants } from 'node:vm'

export type Handler = (event: unknown, context: unknown) => unknown

/** @param handler `index.handler` is the export `handler` of index.js, index.mjs or index.cjs. */
export async function loadHandler(folder: string, handler: string): Promise<Handler> {
  const dot = handler.lastIndexOf('.')
  const [path, name] = [handler.slice(0, dot), handler.slice(dot + 1)]
  const file = ['.js', '.mjs', '.cjs'].map(ending => join(folder, path + ending)).find(existsSync)
  if (!file) {
    throw new Error(
      `${folder} has no ${path}.js, .mjs or .cjs for the handler ${handler}. Bundle the functions again.`,
    )
  }

  const bare = file.endsWith('.js') && !existsSync(join(folder, 'package.json'))
  const exported = bare ? runCommonJs(file) : await import(pathToFileURL(file).href)
  const run: unknown = exported[name] ?? exported.default?.[name]
  if (typeof run !== 'function') throw new Error(`${file} does not export a function named ${name}.`)
  return (event, context) => run(event, context)
}

// Lambda runs .js as CommonJS if there is no package.json. Here a parent folder can have one.
function runCommonJs(file: string) {
  const module: { exports: Record<string, unknown> & { default?: Record<string, unknown> } } = { exports: {} }
  const run = compileFunction(
    readFileSync(file, 'utf8'),
    ['exports', 'require', 'module', '__filename', '__dirname'],
    { filename: file, importModuleDynamically: constants.USE_MAIN_CONTEXT_DEFAULT_LOADER },
  )
  run(module.exports, createRequire(file), module, file, dirname(file))
  return module.exports
}
