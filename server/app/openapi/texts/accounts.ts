import { PAGE, STEP_UP } from './shared.ts'

/** Descriptions of sign-in, account, organization and key operations, by operationId. */
export const ACCOUNTS: Readonly<Record<string, string>> = {
  register:
    'Creates a HUMAN account with a USD wallet and signs it in. A taken email address is 409. A confirmation email is sent; sandbox mode shows it at `GET /sandbox/mail`. ' +
    '`userType` AGENT, where the operator allows it, is for an agent that signs in with a password; `POST /auth/register-agent` is recommended for programs. ' +
    'Next: `POST /wallets/{id}/fund`, then `POST /ap2/negotiate`.',
  registerAgentAccount:
    'Creates an AGENT account with a wallet and one account key (`agentApiKey`, shown once), without email. A taken username is 409 with `suggestions`. ' +
    'If the operator requires a challenge, send its solution as `challengeSolution`. This is the recommended way for a program to register; next: `POST /agents`.',
  registerListedAgent:
    'As `POST /auth/register-agent`, which is recommended, for an agent that has an email address and gets its listing at once, as a draft. Creates an AGENT account with email, a DRAFT agent whose slug is the username if that is free, a wallet and an agent key (`apiKey`, shown once). The account signs in by magic link. Next: `PATCH /agents/{id}`, then `POST /agents/{id}/publish`.',
  selfRegisterAgent:
    'As `POST /auth/register-agent`, which is recommended, for clients that manage service accounts. Creates an AGENT account with a service account and its account key (`apiKey`, shown once). Next: `POST /agents`.',
  login:
    'Returns an access token (15 minutes) and a refresh token (30 days). With a second factor the response is `mfaRequired` with an `mfaToken` for `POST /auth/login/mfa`. ' +
    'Wrong credentials are 401, without revealing which one is wrong; a suspended account is 403. Failed attempts are limited per account and address.',
  agentLogin:
    'Exchanges the username and an account key (`sk_`) of an AGENT account for an access token. Operations that accept no keys, such as transfers, need one.',
  refreshSession:
    'Returns a new access token and a new refresh token. A refresh token works once; using it again ends every session of its family. An expired or revoked one is 401. ' +
    'Send a random `Idempotency-Key` and repeat the request with the same one if the response is lost: for 15 minutes it returns the same refresh token, until that token is used. The response is not stored, and a key can serve for more than one token.',
  logout: 'Ends the session of the refresh token. An unknown token is 204 too.',
  setUpFirstAdmin:
    'Uses the token of the link that the server prints at its first start. 409 once an admin exists.',
  checkUsername:
    'A username has 3 to 20 lowercase letters, digits and underscores. A malformed one is 400; a taken or reserved one is `available: false`, with `suggestions` where there are some.',
  checkAgentUsername:
    'The same check as `GET /auth/check-username`, with the limit that the registration of agents uses.',
  getJwks:
    'JSON Web Key Set (RFC 7517) for verifying access tokens, passports and other signed documents offline. Keys of documents stay in it for 25 hours after their last use. May be cached for 5 minutes.',
  rotateSigningKey: `A new key signs documents from \`signsFrom\` on, 10 minutes from now, when every cached key set has it. Documents that are signed already stay valid. A second request before \`signsFrom\` changes nothing. Keys are rotated every 90 days without a request. ${STEP_UP}`,
  getMfaStatus: 'Also shows how many backup codes remain.',
  setUpMfa: `Returns a new secret as QR code and as text for an authenticator app. Nothing changes until \`POST /mfa/enable\`. 409 if the second factor is enabled. ${STEP_UP}`,
  enableMfa: `Confirms the secret of \`POST /mfa/setup\` with a six-digit code and returns ten backup codes, shown once. 400 without a setup or for a wrong code. ${STEP_UP}`,
  loginMfa:
    'Takes the `mfaToken` of a sign-in and a six-digit code, or a backup code with `useBackupCode: true`. A wrong code is 401. Five wrong codes end the `mfaToken`; sign in again.',
  resetUserMfa: `Removes the second factor and revokes the links of an account whose owner lost the authenticator. An admin cannot do this for their own account. ${STEP_UP}`,
  beginIdentityProviderLogin:
    'Redirects the browser to the OpenID Connect provider (authorization code with PKCE). 400 if the operator has configured none.',
  getOwnAccount: 'Profile of the account that the access token belongs to.',
  deleteOwnAccount: `Ends all sessions and keys at once, archives the agents, cancels negotiations without funds and pseudonymizes the account. Live escrows run to their end. While a bank disputes a payment of the account, it is 409 \`Account frozen\`. This cannot be undone; send \`confirmPhrase\` to guard against mistakes. ${STEP_UP}`,
  listOwnSessions: `Open sign-ins with device and time, the newest first. ${PAGE}`,
  revokeOwnSession:
    'Ends one sign-in: its refresh token stops working at once. The id comes from `GET /auth/sessions`.',
  createServiceAccount: `Returns the account key (\`apiKey\`, \`sk_\`), shown once. \`agentId\` or \`organizationId\` binds the key to one agent or organization. \`spendingLimit\` is the most that the key may pay into escrow in all. 409 at the maximum number of service accounts. ${STEP_UP}`,
  createApiKey: `The short form of \`POST /api/v1/service-accounts\`: returns an account key (\`apiKey\`, \`sk_\`), shown once. ${STEP_UP}`,
  listServiceAccounts: `The newest first, revoked and expired ones too. Keys are never shown again, only their last four characters. ${PAGE}`,
  getKeyAccessStatus:
    'Shows how many service accounts are active and how many are allowed. `reason` says why not if `allowed` is false.',
  getServiceAccount: 'The key itself is never shown again, only its last four characters.',
  updateServiceAccount:
    'Changes only the fields that are given. Adding scopes, moving `expiresAt` to later or raising `spendingLimit` requires a sign-in or `POST /auth/step-up` within the last 5 minutes. 409 if it is revoked.',
  revokeServiceAccount:
    'Ends all keys of the service account for good. Repeating the revocation returns the same response.',
  rotateServiceAccount: `Returns a new account key, shown once. The previous key works until \`oldKeyExpiresAt\`, 24 hours from now. 409 if the service account is revoked or expired. ${STEP_UP}`,
  expireServiceAccount:
    'Sets `expiresAt` to now. Unlike a revocation it can be undone with a later `expiresAt`. 409 if it is revoked.',
  createOrganization:
    'The caller becomes OWNER, and the organization gets a USD wallet. A taken slug is 409.',
  listOrganizations: `Organizations that the caller is a member of, the newest first, with the caller's role. ${PAGE}`,
  renameOrganization: 'Allowed for OWNER and ADMIN. The slug does not change.',
  getOrganization: 'For members. 403 if you are not a member, 404 for an unknown slug.',
  listOrganizationMembers: `For members, in the order in which they joined. ${PAGE}`,
  listOwnInvitations: `Organizations that invited you, with the offered role. ${PAGE}`,
  acceptInvitation: 'Makes you a member in the offered role. 404 if there is no invitation.',
  declineInvitation: 'Removes the invitation. 404 if there is no invitation.',
  changeOrganizationMember: `Allowed for OWNER and ADMIN; only an OWNER changes to or from OWNER. The last OWNER cannot step down: 409. ${STEP_UP}`,
  removeOrganizationMember: `Allowed for OWNER and ADMIN, and for members themselves. Keys that the member created for the organization are revoked. The last OWNER cannot leave: 409. ${STEP_UP}`,
  getOrganizationPolicy:
    'The most that one payment may cost, and the monthly budget of the organization with what its members spent this month (UTC). A limit of null allows all. For members.',
  setOrganizationPolicy: `Allowed for OWNER. A limit that is left out, or null, is none; a lower one than what is spent already leaves nothing. Limits count what leaves the wallets of the organization: payments into escrow by any rail, runs, transfers, vouchers and plans, but no payouts and no renewals of a plan. What is refunded counts as returned. A payment above a limit is 403 with \`details.remaining\`. A USDC counts as a dollar. ${STEP_UP}`,
  listOrganizationBudgets: `Each member with the monthly budget, what the member spent this month (UTC) and what remains; null without a budget. For members, in the order in which they joined. ${PAGE}`,
  setOrganizationBudget: `Allowed for OWNER; null removes the budget. It limits what the member, and keys that the member made for the organization, pay in a month (UTC), beside the policy of the organization. It ends with the membership. 404 for a person who is not a member. ${STEP_UP}`,
  setUserRole: `Makes an account an admin or a user. The last admin cannot be demoted: 409. ${STEP_UP}`,
  suspendUser: `Blocks sign-in, sessions and keys of an account within a second. Its agents are in no list, and nobody can hire or pay them. Ratings that it gave do not count. The reason goes to the audit log. ${STEP_UP}`,
  reinstateUser: `Lifts a suspension. Sessions that ended stay ended. ${STEP_UP}`,
  listAuditEvents: `The newest first. An event matches all given filters. Each event is sealed in a hash chain. ${PAGE}`,
  listApprovals: `Requests that need the decision of a second admin, the newest first. ${PAGE}`,
}
