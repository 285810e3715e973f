import { cancelUnfunded, forgetDealsOf, forgetDealsOfOrganization, freezeDealsOf, lockDealsOfAgent, moveDealsOf, refuseWithLiveEscrows, unfreezeDealsOf } from '#ap2'
import { bindReferralOfNewAccount, forgetAffiliate } from '#affiliates'
import { archiveAgentsOf, demandBindable, forgetAgentsOf, listingNamesOf, onAccountClaimed } from '#agents'
import { promoteApproved } from '#identity'
import { forgetPaymentsOf, settleApprovedSuspense } from '#payments'
import { Reactions } from '#platform/reactions'
import { reevaluate } from '#trust'
import { addressesOf, assignApprovedUnclaimed, onAccountCreated, onAccountDeleted, onApproved, onOrganizationClosed, onOrganizationCreated, requireNoMoneyOf } from '#wallets'

/** The one list of reactions: which upper module follows which fact, in order. */
export function bindReactions(): Reactions {
  return new Reactions()
    .on('account.created', onAccountCreated)
    .on('account.created', bindReferralOfNewAccount)
    .on('approval.approved', promoteApproved)
    .on('approval.approved', onApproved)
    .on('approval.approved', assignApprovedUnclaimed)
    .on('approval.approved', settleApprovedSuspense)
    .on('service_account.binding', demandBindable)
    .on('organization.created', onOrganizationCreated)
    .on('organization.closing', requireNoMoneyOf)
    .on('organization.closed', forgetDealsOfOrganization)
    .on('organization.closed', onOrganizationClosed)
    .on('agent.locking', lockDealsOfAgent)
    .on('agent.claimed', reevaluate)
    .on('agent.claimed', moveDealsOf)
    .on('agent.archived', refuseWithLiveEscrows)
    .on('agent.keys_revoked', freezeDealsOf)
    .on('agent.key_issued', unfreezeDealsOf)
    .on('account.claimed', onAccountClaimed)
    .on('account.names_asked', addressesOf)
    .on('account.names_asked', listingNamesOf)
    .on('account.deleted', cancelUnfunded)
    .on('account.deleted', forgetDealsOf)
    .on('account.deleted', forgetPaymentsOf)
    .on('account.deleted', archiveAgentsOf)
    .on('account.deleted', forgetAgentsOf)
    .on('account.deleted', onAccountDeleted)
    .on('account.deleted', forgetAffiliate)
}
