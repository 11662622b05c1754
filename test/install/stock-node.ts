// Installs a Node and an npm without configuration in a temporary folder.
import { execFile } from 'node:child_process'
import { chmod, mkdir, symlink } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const nodePackage = `node-${process.platform}-${process.arch}`

/** The variables that are needed to reach the registry, without those that npm or the test runner added. */
const KEPT_VARIABLES =
  /^(HOME|LANG|TMPDIR|(https?|no)_proxy|NODE_EXTRA_CA_CERTS|SSL_CERT_\w+|npm_config_(registry|cafile))$/i

/** Installs these versions below `folder`, and returns an environment in which `node` and `npm` are these. */
export async function installStock(folder: string, node: string, npm: string): Promise<NodeJS.ProcessEnv> {
  const packages = [`${nodePackage}@${node}`, `npm@${npm}`]
  const quiet = ['--no-save', '--no-audit', '--no-fund', '--ignore-scripts', '--no-bin-links']
  await run('npm', ['install', '--prefix', folder, ...quiet, ...packages], { cwd: folder })
  const bin = join(folder, 'bin')
  await mkdir(bin)
  const installed = (path: string) => join(folder, 'node_modules', path)
  await symlink(installed(`${nodePackage}/bin/node`), join(bin, 'node'))
  await symlink(installed('npm/bin/npm-cli.js'), join(bin, 'npm'))
  await chmod(installed('npm/bin/npm-cli.js'), 0o755)
  const variables = Object.entries(process.env).filter(([name]) => KEPT_VARIABLES.test(name))
  const path = (process.env.PATH ?? '').split(delimiter).filter(folder => !folder.includes('node_modules'))
  return {
    ...Object.fromEntries(variables),
    PATH: [bin, ...path].join(delimiter),
    npm_config_userconfig: join(folder, 'no-npmrc'),
    npm_config_globalconfig: join(folder, 'no-global-npmrc'),
  }
}
