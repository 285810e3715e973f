import type { Static } from '#platform/http/type'
import { settings, type Config } from '#platform/kernel/config'
import type { SettingList } from './schema.ts'

/** Every setting as it is in force. Of secrets only whether they have a value. */
export function settingsView(config: Config): Static<typeof SettingList> {
  const items = Object.entries(settings).map(([name, { doc, fallback, secret = false }]) => {
    const value = textOf(config[name as keyof typeof settings])
    return {
      name,
      value: secret ? null : value,
      isSecret: secret,
      isSet: value !== null,
      isDefault: value === textOf(fallback),
      description: doc,
    }
  })
  return { items }
}

function textOf(value: string | number | boolean | readonly string[] | undefined): string | null {
  const text = Array.isArray(value) ? value.join(', ') : String(value ?? '')
  return text || null
}
