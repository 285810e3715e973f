import { lazy, Suspense, useEffect, useRef, useState } from 'react'
import { onStepUp } from '../api/step-up.ts'

const StepUpDialog = lazy(() => import('./step-up-dialog.tsx'))

/** Waits for an operation that wants a fresh proof, and loads the dialog with the first one. */
export function StepUp() {
  const [state, setState] = useState<'unused' | 'open' | 'closed'>('unused')
  const answer = useRef<(isProved: boolean) => void>(() => undefined)
  useEffect(
    () =>
      onStepUp(() => {
        setState('open')
        return new Promise(resolve => {
          answer.current = resolve
        })
      }),
    [],
  )
  const end = (isProved: boolean) => {
    setState('closed')
    answer.current(isProved)
  }
  return (
    state !== 'unused' && (
      <Suspense>
        <StepUpDialog opened={state === 'open'} onEnd={end} />
      </Suspense>
    )
  )
}
