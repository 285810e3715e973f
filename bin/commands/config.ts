import process from 'node:process'
import { readConfig, settings, type Config } from '#platform/kernel/config'
import type { Command } from './command.ts'

export const config: Command = {
  name: 'config',
  summary: 'Lists every setting with its current value, its default and its meaning. Secrets are masked.',
  async run() {
    const current = readConfig(process.env)
    for (const [name, { fallback, doc, ...rest }] of Object.entries(settings)) {
      const value = current[name as keyof Config]
      const changed = process.env[name]?.trim() ? '' : ' (default)'
      console.log(
        `${name}=${'secret' in rest && rest.secret && value !== undefined ? '***' : show(value)}${changed}`,
      )
      console.log(`    ${doc}${changed || fallback === undefined ? '' : ` Default: ${show(fallback)}`}`)
    }
    return 0
  },
}

const show = (value: string | number | boolean | readonly string[] | undefined): string =>
  Array.isArray(value) ? value.join(',') : String(value ?? '')
