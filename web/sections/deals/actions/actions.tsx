import { Button, Group } from '@mantine/core'
import { useState, type ComponentType } from 'react'
import { ProblemNotice } from '../../../parts/problem-notice.tsx'
import { t, type TextKey } from '../../../texts/text.ts'
import { isFunded, type Deal, type FundedDeal, type Side } from '../deal-state.ts'
import type { ActionProps } from './action.ts'
import { start } from './commands.ts'
import { AnswerDispute, OpenDispute, WithdrawDispute } from './dispute.tsx'
import { Accept, Cancel, Counter, Refund, Reject } from './negotiate.tsx'
import { ReleaseMoney, RequestChanges } from './release.tsx'

type Dialog = ComponentType<ActionProps>

const funded = (Inner: ComponentType<ActionProps & { deal: FundedDeal }>): Dialog =>
  function Funded({ deal, ...props }) {
    return isFunded(deal) ? <Inner deal={deal} {...props} /> : null
  }

/** The dialog of each action of the API, in the order of their buttons. `fund` and `deliver` are forms of the page. */
const DIALOGS: Readonly<Record<string, { dialog: Dialog; look: 'filled' | 'default' | 'danger' }>> = {
  accept: { dialog: Accept, look: 'filled' },
  release: { dialog: funded(ReleaseMoney), look: 'filled' },
  answer: { dialog: funded(AnswerDispute), look: 'filled' },
  counter: { dialog: Counter, look: 'default' },
  changes: { dialog: funded(RequestChanges), look: 'default' },
  withdraw: { dialog: funded(WithdrawDispute), look: 'default' },
  refund: { dialog: Refund, look: 'default' },
  reject: { dialog: Reject, look: 'danger' },
  cancel: { dialog: Cancel, look: 'danger' },
  dispute: { dialog: funded(OpenDispute), look: 'danger' },
}
const LOOKS = {
  filled: { variant: 'filled' },
  default: { variant: 'default' },
  danger: { variant: 'subtle', color: 'red' },
} as const

/** False for `reject` of an offer that the person made: `cancel` ends it. */
const isOfOther = (name: string, { allowedActions }: Deal): boolean =>
  name !== 'reject' || allowedActions.includes('accept') || !allowedActions.includes('cancel')

/** A button for everything that the person may do now. */
export function Actions({ deal, side }: { deal: Deal; side: Side }) {
  const [open, setOpen] = useState<string | null>(null)
  const [error, setError] = useState<unknown>(null)
  const [isStarting, setStarting] = useState(false)
  const names = Object.keys(DIALOGS).filter(
    name => deal.allowedActions.includes(name) && isOfOther(name, deal),
  )
  const canStart = deal.allowedActions.includes('start')
  if (names.length === 0 && !canStart) return null
  // The dialog goes with its action.
  const Asked = open !== null && names.includes(open) ? DIALOGS[open]?.dialog : undefined
  const begin = async () => {
    setError(null)
    setStarting(true)
    await start(deal.id).catch(setError)
    setStarting(false)
  }
  return (
    <>
      <Group gap="xs">
        {canStart && (
          <Button loading={isStarting} onClick={() => void begin()}>
            {t('deal.action.start')}
          </Button>
        )}
        {names.map(name => (
          <Button key={name} {...LOOKS[DIALOGS[name]?.look ?? 'default']} onClick={() => setOpen(name)}>
            {t(`deal.action.${name}` as TextKey)}
          </Button>
        ))}
      </Group>
      <ProblemNotice error={error} />
      {Asked && <Asked deal={deal} side={side} onClose={() => setOpen(null)} />}
    </>
  )
}
