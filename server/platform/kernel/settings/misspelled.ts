import { distance } from '../collections/distance.ts'
import { settings } from './settings.ts'

/** Shorter names resemble variables of other programs, such as `HOME` and `HOST`. */
const LEAST_LENGTH = 7
const LONG = 10

/** A line for each variable that no setting reads and whose name resembles one: `SVC_MOD` in place of `SVC_MODE`. */
export function misspelledSettings(env: NodeJS.ProcessEnv): string[] {
  const names = Object.keys(settings)
  return Object.keys(env).flatMap(name => {
    if (name in settings || name.length < LEAST_LENGTH) return []
    const most = name.length < LONG ? 1 : 2
    const meant = names.find(
      each => Math.abs(each.length - name.length) <= most && distance(each, name) <= most,
    )
    return meant ? [`${name} is no setting and is ignored: did you mean ${meant}?`] : []
  })
}
