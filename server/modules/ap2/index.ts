import './events.ts'

export { escrowChecks } from './check.ts'
export { forgetDealsOf, forgetDealsOfOrganization } from './forget.ts'
export { freezeDealsOf, refuseWithLiveEscrows, unfreezeDealsOf } from './freeze.ts'
export { countLongFrozen } from './frozen.ts'
export { ap2Module } from './module.ts'
export { cancelUnfunded } from './negotiation.ts'
export { lockDealsOfAgent, moveDealsOf } from './parties.ts'
