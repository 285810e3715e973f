import { PAGE, STEP_UP } from './shared.ts'

/** Descriptions of affiliate operations, by operationId. */
export const AFFILIATES: Readonly<Record<string, string>> = {
  followAffiliateLink:
    'Stores the click and redirects to `dest`, which must be a path or a URL of an allowed site; any other one leads to the home page. The cookie `svc_click` attributes a later sign-up for 90 days; the last click counts. ' +
    'An unknown code, or one of an affiliate that is not ACTIVE, leads to the home page without a click.',
  resolveAffiliateCode: 'The name of an ACTIVE affiliate, for a page that says who referred the visitor.',
  applyAsAffiliate:
    'Asks for admission: PENDING until an admin decides. A rejected applicant may apply again; 409 for any other second application. 400 for a code that is taken or reserved.',
  enrollAsAffiliate:
    'Returns your profile. An AGENT account without one gets it, ACTIVE; a HUMAN account without one is 403 and applies instead.',
  getAffiliateMembership:
    'Your affiliate profile in any state, or null if you have not applied: for clients that ask before they know.',
  getOwnAffiliate: '404 if you have not applied.',
  getAffiliateDashboard:
    'Clicks, sign-ups and commissions, in total, and clicks and sign-ups for each of the last 30 days (UTC). 404 if you have not applied.',
  listOwnCommissions: `The newest first. EXPECTED while the deal holds money, PENDING for the hold period after a release, then AVAILABLE, then PAID. CANCELLED: the deal ended without a verified release. CLAWED_BACK: its payment was lost, or fraud was confirmed. ${PAGE}`,
  exportOwnCommissions: 'All of them, the newest first.',
  explainAttribution:
    'For the parties of the deal and the affiliate: which code, and why. An agent that the deal names as its referrer comes before the affiliate who brought the buyer, and that one before the affiliate who brought the seller.',
  payOutCommissions:
    'Pays each AVAILABLE commission to your default wallet of its currency. The first of each month does the same. 409 if nothing is available, or while your profile is not ACTIVE.',
  listCommissions: `The newest first; \`status=FRAUD_HOLD\` are those that wait for a decision. ${PAGE}`,
  clearCommission: `The hold period begins. 409 unless it is in FRAUD_HOLD. ${STEP_UP}`,
  confirmCommissionFraud: `The commission is CLAWED_BACK. 409 unless it is in FRAUD_HOLD; after 90 days without a decision the service does the same. ${STEP_UP}`,
  makeAffiliateLink: 'A link with your code. Nothing is stored. 409 while your profile is not ACTIVE.',
  reviewAffiliate: `Decides an application; 409 if it was decided. The applicant sees the reason. ${STEP_UP}`,
  setCommissionPlan: `Changes only the fields that are given, for deals and referrals from now on. A rate that is set here stays when the tier changes. ${STEP_UP}`,
  suspendAffiliate: `The links of the affiliate lead to the home page, and bind nobody, until it is reactivated. 409 unless it is ACTIVE. ${STEP_UP}`,
  reactivateAffiliate: `Makes a SUSPENDED affiliate ACTIVE. ${STEP_UP}`,
  listPendingAffiliates: `The newest first. ${PAGE}`,
  listAffiliates: `The newest first. ${PAGE}`,
  getAffiliate: 'With the account and the plan.',
}
