// Runs before every function in ministack: finds the handlers, and the gateway that the smoke test asks.
'use strict'
const fs = require('node:fs')
const http = require('node:http')
const Module = require('node:module')

/** AWS finds index.mjs, index.cjs and index.js; ministack asks for index.js alone before index.mjs. */
const resolveFilename = Module._resolveFilename
Module._resolveFilename = function (name, ...rest) {
  const found = name.endsWith('/code/index') && ['.mjs', '.cjs'].find(end => fs.existsSync(name + end))
  return found ? name + found : resolveFilename.call(this, name, ...rest)
}

/** ministack sends requests to AWS to itself, but loses the host that names the API. */
const request = http.request
http.request = (options, ...rest) => {
  const [, api] = /^https:\/\/(\w+)\.execute-api\./.exec(options?.href ?? '') || []
  const Host = `${api}.execute-api.localhost`
  return request.call(http, api ? { ...options, headers: { ...options.headers, Host } } : options, ...rest)
}
