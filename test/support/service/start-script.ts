import { readFileSync } from 'node:fs'
import { join } from 'node:path'

const ROOT = join(import.meta.dirname, '../../..')

export interface StartScript {
  /** The options of Node. */
  options: string[]
  /** The environment that it sets. */
  env: Record<string, string>
}

/** How `npm start` starts the service, so that what is tested and measured is what users have. */
export function readStartScript(): StartScript {
  const { scripts } = JSON.parse(readFileSync(join(ROOT, 'package.json'), 'utf8')) as {
    scripts: { start: string }
  }
  const [, settings, options] = /^(.*) exec node (.*) server\/main\.ts$/.exec(scripts.start) ?? []
  if (settings === undefined || options === undefined) throw new Error('the start script has another form')
  return {
    options: options.split(' '),
    env: Object.fromEntries(settings.split(' ').map(setting => setting.split('=') as [string, string])),
  }
}
