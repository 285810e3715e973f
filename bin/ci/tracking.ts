import hooks, { type AsyncHook } from 'node:async_hooks'

/**
 * `node:test` follows every promise through an async hook, to find the suite of a `describe` or `test` that is called after
 * an `await`. While the tests run, that takes an eighth of their processor time and finds nothing. This module is loaded
 * before `node:test` (`--import`), because Node gives no other way to that hook.
 */
let tracking: AsyncHook | undefined
const { createHook } = hooks

hooks.createHook = callbacks => {
  hooks.createHook = createHook
  tracking = createHook(callbacks)
  return tracking
}

/**
 * Call it when all suites are declared. From then on an error that no test catches fails the group instead of the test that
 * runs. Throws if this version of Node has no such hook.
 */
export function stopTracking(): void {
  if (!tracking) throw new Error('node:test made no async hook: remove bin/ci/tracking.ts')
  tracking.disable()
}
