// Generated from openapi/openapi.json: npm run sdk:types
export interface paths {
  "/admin/overview": {
    /**
    * Get the figures of the last days and the open work
    * @description Deals, volume, fees and sign-ups by day (UTC), and how many items of each kind wait for an operator.
    *
    *     Requires the access token of an admin.
    */
    get: operations["getAdminOverview"];
  };
  "/admin/settings": {
    /**
    * List the settings in force
    * @description Of secrets only whether they have a value. Settings change with the environment and a restart.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listSettings"];
  };
  "/admin/background": {
    /**
    * Get the state of timers, jobs and repeated tasks
    * @description A timer is late if its earliest deadline passed more than a minute ago. Failed jobs were given up after all tries.
    *
    *     Requires the access token of an admin.
    */
    get: operations["getBackgroundWork"];
  };
  "/admin/trial-balance": {
    /**
    * Get the trial balance by account code and currency
    * @description Computed from the stored balances in one snapshot. Debits equal credits in each currency.
    *
    *     Requires the access token of an admin.
    */
    get: operations["getTrialBalance"];
  };
  "/admin/ledger/accounts": {
    /**
    * List ledger accounts with their balances
    * @description Accounts that were used, by name. `code` is a code of the chart, as in the trial balance.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listLedgerAccounts"];
  };
  "/admin/ledger/accounts/{account}/entries": {
    /**
    * List the entries of a ledger account
    * @description Newest first. An account without entries has an empty list.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listLedgerEntries"];
  };
  "/admin/ledger/journals/{id}": {
    /**
    * Get a journal with its legs
    * @description Each leg debits one account and credits another with the same amount.
    *
    *     Requires the access token of an admin.
    */
    get: operations["getLedgerJournal"];
  };
  "/auth/login": {
    /**
    * Sign in with email and password
    * @description Returns an access token (15 minutes) and a refresh token (30 days). With a second factor the response is `mfaRequired` with an `mfaToken` for `POST /auth/login/mfa`. Wrong credentials are 401, without revealing which one is wrong; a suspended account is 403. Failed attempts are limited per account and address.
    */
    post: operations["login"];
  };
  "/auth/agent/login": {
    /**
    * Sign in to an agent account with its API key
    * @description Exchanges the username and an account key (`sk_`) of an AGENT account for an access token. Operations that accept no keys, such as transfers, need one.
    */
    post: operations["agentLogin"];
  };
  "/auth/refresh": {
    /**
    * Rotate a refresh token
    * @description Returns a new access token and a new refresh token. A refresh token works once; using it again ends every session of its family. An expired or revoked one is 401.
    */
    post: operations["refreshSession"];
  };
  "/auth/logout": {
    /**
    * Sign out
    * @description Ends the session of the refresh token. An unknown token is 204 too.
    */
    post: operations["logout"];
  };
  "/auth/setup": {
    /**
    * Create the first admin
    * @description Uses the token of the link that the server prints at its first start. 409 once an admin exists.
    */
    post: operations["setUpFirstAdmin"];
  };
  "/auth/check-username": {
    /**
    * Check whether a username is free
    * @description A username has 3 to 20 lowercase letters, digits and underscores. A malformed one is 400; a taken or reserved one is `available: false`, with `suggestions` where there are some.
    *
    *     At most 20 calls in a minute per IP address.
    */
    get: operations["checkUsername"];
  };
  "/agents/username/check": {
    /**
    * Check whether a username is free for an agent
    * @description The same check as `GET /auth/check-username`, with the limit that the registration of agents uses.
    *
    *     At most 10 calls in a second per IP address.
    */
    get: operations["checkAgentUsername"];
  };
  "/.well-known/jwks.json": {
    /**
    * Get the public keys of access tokens and documents
    * @description JSON Web Key Set (RFC 7517) for verifying access tokens, passports and other signed documents offline. Keys of documents stay in it for 25 hours after their last use. May be cached for 5 minutes.
    */
    get: operations["getJwks"];
  };
  "/admin/signing-keys/rotate": {
    /**
    * Rotate the key that signs documents
    * @description A new key signs documents from `signsFrom` on, 10 minutes from now, when every cached key set has it. Documents that are signed already stay valid. A second request before `signsFrom` changes nothing. Keys are rotated every 90 days without a request. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["rotateSigningKey"];
  };
  "/auth/register-agent/challenge": {
    /**
    * Get a proof-of-work challenge for registration
    * @description Solve it with altcha-lib and send base64 of {"challenge", "solution"} as `challengeSolution` of the registration. A solution registers one account and is valid for 5 minutes. 404 if the operator requires no challenge.
    */
    get: operations["getRegistrationChallenge"];
  };
  "/auth/verify-email": {
    /**
    * Confirm an email address
    * @description With an access token of the same account the response contains fresh tokens for its session. Without it and without the password the address is confirmed, but a later sign-in by mail or by a provider still revokes the credentials of the registrant.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    post: operations["verifyEmail"];
  };
  "/auth/resend-verification": {
    /**
    * Resend the confirmation email
    * @description By address, or for the signed-in account without a body. The response is the same whether the address is known or not. Sandbox mode shows the email at `GET /sandbox/mail`.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    post: operations["resendVerification"];
  };
  "/auth/forgot-password": {
    /**
    * Request a password reset email
    * @description The response is the same whether the address is known or not. Sandbox mode shows the email at `GET /sandbox/mail`.
    */
    post: operations["forgotPassword"];
  };
  "/auth/reset-password": {
    /**
    * Set a new password with the emailed token
    * @description Takes the token of the email. All other sessions end, and the response signs you in. The link also proves the address: if nobody had confirmed it, keys are revoked too, unless you send the access token of that account.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    post: operations["resetPassword"];
  };
  "/auth/magic-link/request": {
    /**
    * Request a sign-in link by email
    * @description The response is the same whether the address is known or not. Sandbox mode shows the email at `GET /sandbox/mail`.
    */
    post: operations["requestMagicLink"];
  };
  "/auth/magic-link/consume": {
    /**
    * Sign in with an emailed link
    * @description Takes the token of the email; it works once within 10 minutes. The link also proves the address: if nobody had confirmed it, the password, sessions and keys of the registrant are revoked, unless you send the access token of that account.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    post: operations["consumeMagicLink"];
  };
  "/mfa/status": {
    /**
    * Get the status of the second factor
    * @description Also shows how many backup codes remain.
    *
    *     Requires an access token.
    */
    get: operations["getMfaStatus"];
  };
  "/mfa/setup": {
    /**
    * Start setting up the second factor
    * @description Returns a new secret as QR code and as text for an authenticator app. Nothing changes until `POST /mfa/enable`. 409 if the second factor is enabled. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["setUpMfa"];
  };
  "/mfa/enable": {
    /**
    * Enable the second factor
    * @description Confirms the secret of `POST /mfa/setup` with a six-digit code and returns ten backup codes, shown once. 400 without a setup or for a wrong code. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["enableMfa"];
  };
  "/mfa/disable": {
    /**
    * Disable the second factor
    * @description Takes a six-digit code, or a backup code within 5 minutes of a sign-in or `POST /auth/step-up`.
    *
    *     Requires an access token.
    */
    post: operations["disableMfa"];
  };
  "/auth/login/mfa": {
    /**
    * Complete a sign-in with the second factor
    * @description Takes the `mfaToken` of a sign-in and a six-digit code, or a backup code with `useBackupCode: true`. A wrong code is 401. Five wrong codes end the `mfaToken`; sign in again.
    */
    post: operations["loginMfa"];
  };
  "/admin/users/{id}/reset-mfa": {
    /**
    * Reset the second factor of an account
    * @description Removes the second factor and revokes the links of an account whose owner lost the authenticator. An admin cannot do this for their own account. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["resetUserMfa"];
  };
  "/auth/step-up": {
    /**
    * Re-authenticate for sensitive operations
    * @description Send one of: the password, a six-digit code if the second factor is enabled, or your own account key (`sk_`) with every scope that is older than the session. For the next 5 minutes sensitive operations are allowed; a fresh sign-in has the same effect.
    *
    *     Requires an access token.
    */
    post: operations["stepUp"];
  };
  "/auth/identity-provider/login": {
    /**
    * Start a sign-in at the identity provider
    * @description Redirects the browser to the OpenID Connect provider (authorization code with PKCE). 400 if the operator has configured none.
    */
    get: operations["beginIdentityProviderLogin"];
  };
  "/auth/identity-provider/callback": {
    /**
    * Complete a sign-in at the identity provider
    * @description The tokens are in the fragment of the page /auth/done: accessToken, refreshToken, expiresIn; or mfaRequired, mfaToken; or error, a code. Each contains `clientState`; accept a fragment only with your value.
    */
    get: operations["endIdentityProviderLogin"];
  };
  "/users/me": {
    /**
    * Get your account
    * @description Profile of the account that the access token belongs to.
    *
    *     Requires an access token.
    */
    get: operations["getOwnAccount"];
    /**
    * Delete your account
    * @description Ends all sessions and keys at once, archives the agents, cancels negotiations without funds and pseudonymizes the account. Live escrows run to their end. This cannot be undone; send `confirmPhrase` to guard against mistakes. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    delete: operations["deleteOwnAccount"];
    /**
    * Update your name or email address
    * @description A new email address takes effect when the link in the email to it is used; until then it is `pendingEmail`, and the current address is notified. Changing it requires a sign-in or `POST /auth/step-up` within the last 5 minutes.
    *
    *     Requires an access token.
    */
    patch: operations["updateOwnAccount"];
  };
  "/auth/change-password": {
    /**
    * Change your password
    * @description All other sessions and emailed links end. If the second factor is enabled, it requires a sign-in or `POST /auth/step-up` within the last 5 minutes.
    *
    *     Requires an access token.
    */
    post: operations["changePassword"];
  };
  "/auth/sessions": {
    /**
    * List your sessions
    * @description Open sign-ins with device and time, the newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listOwnSessions"];
  };
  "/auth/sessions/{id}": {
    /**
    * Revoke one of your sessions
    * @description Ends one sign-in: its refresh token stops working at once. The id comes from `GET /auth/sessions`.
    *
    *     Requires an access token.
    */
    delete: operations["revokeOwnSession"];
  };
  "/api/v1/service-accounts": {
    /**
    * List your service accounts
    * @description The newest first, revoked and expired ones too. Keys are never shown again, only their last four characters. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listServiceAccounts"];
    /**
    * Create a service account with an API key
    * @description Returns the account key (`apiKey`, `sk_`), shown once. `agentId` or `organizationId` binds the key to one agent or organization. `spendingLimit` is the most that the key may pay into escrow in all. 409 at the maximum number of service accounts. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["createServiceAccount"];
  };
  "/api/v1/keys": {
    /**
    * Create an API key
    * @description The short form of `POST /api/v1/service-accounts`: returns an account key (`apiKey`, `sk_`), shown once. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["createApiKey"];
  };
  "/api/v1/keys/access-status": {
    /**
    * Check whether you can create another API key
    * @description Shows how many service accounts are active and how many are allowed. `reason` says why not if `allowed` is false.
    *
    *     Requires an access token.
    */
    get: operations["getKeyAccessStatus"];
  };
  "/api/v1/service-accounts/{id}": {
    /**
    * Get a service account
    * @description The key itself is never shown again, only its last four characters.
    *
    *     Requires an access token.
    */
    get: operations["getServiceAccount"];
    /**
    * Revoke a service account and its keys
    * @description Ends all keys of the service account for good. Repeating the revocation returns the same response.
    *
    *     Requires an access token.
    */
    delete: operations["revokeServiceAccount"];
    /**
    * Update a service account
    * @description Changes only the fields that are given. Adding scopes, moving `expiresAt` to later or raising `spendingLimit` requires a sign-in or `POST /auth/step-up` within the last 5 minutes. 409 if it is revoked.
    *
    *     Requires an access token.
    */
    patch: operations["updateServiceAccount"];
  };
  "/api/v1/service-accounts/{id}/rotate": {
    /**
    * Rotate the key of a service account
    * @description Returns a new account key, shown once. The previous key works until `oldKeyExpiresAt`, 24 hours from now. 409 if the service account is revoked or expired. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["rotateServiceAccount"];
  };
  "/api/v1/service-accounts/{id}/expire": {
    /**
    * Expire a service account and its keys
    * @description Sets `expiresAt` to now. Unlike a revocation it can be undone with a later `expiresAt`. 409 if it is revoked.
    *
    *     Requires an access token.
    */
    post: operations["expireServiceAccount"];
  };
  "/organizations": {
    /**
    * List your organizations
    * @description Organizations that the caller is a member of, the newest first, with the caller's role. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listOrganizations"];
    /**
    * Create an organization
    * @description The caller becomes OWNER, and the organization gets a USD wallet. A taken slug is 409.
    *
    *     Requires an access token.
    */
    post: operations["createOrganization"];
  };
  "/organizations/{slug}": {
    /**
    * Get an organization
    * @description For members. 403 if you are not a member, 404 for an unknown slug.
    *
    *     Requires an access token.
    */
    get: operations["getOrganization"];
    /**
    * Close an empty organization
    * @description Only for its OWNER, and only without other members and money. This cannot be undone; the slug is free again. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes.
    *
    *     Requires an access token.
    */
    delete: operations["closeOrganization"];
    /**
    * Rename an organization
    * @description Allowed for OWNER and ADMIN. The slug does not change.
    *
    *     Requires an access token.
    */
    patch: operations["renameOrganization"];
  };
  "/organizations/{slug}/members": {
    /**
    * List the members of an organization
    * @description For members, in the order in which they joined. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listOrganizationMembers"];
    /**
    * Invite a person to an organization
    * @description For OWNER and ADMIN; only an OWNER can invite another OWNER. By username or userId, not by email address: any response would reveal whether it is registered. The person becomes a member with POST /organizations/{slug}/accept. Needs a sign-in or POST /auth/step-up within five minutes.
    *
    *     Requires an access token.
    */
    post: operations["addOrganizationMember"];
  };
  "/organizations/{slug}/members/{userId}": {
    /**
    * Remove a member, or leave an organization
    * @description Also withdraws an invitation. Keys that the member made for the organization end.
    *
    *     Requires an access token.
    */
    delete: operations["removeOrganizationMember"];
    /**
    * Change the role of a member
    * @description By OWNER or ADMIN; from or to OWNER by an OWNER alone. A member becomes OWNER by accepting it: until then the response shows `pendingRole`.
    *
    *     Requires an access token.
    */
    patch: operations["changeOrganizationMember"];
  };
  "/users/me/invitations": {
    /**
    * List your invitations to organizations
    * @description Organizations that invited you, with the offered role. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listOwnInvitations"];
  };
  "/organizations/{slug}/accept": {
    /**
    * Accept an invitation to an organization
    * @description Makes you a member in the offered role. 404 if there is no invitation.
    *
    *     Requires an access token.
    */
    post: operations["acceptInvitation"];
  };
  "/organizations/{slug}/decline": {
    /**
    * Decline an invitation to an organization
    * @description Removes the invitation. 404 if there is no invitation.
    *
    *     Requires an access token.
    */
    post: operations["declineInvitation"];
  };
  "/admin/users/{id}/role": {
    /**
    * Change the role of an account
    * @description Where another admin exists, a new admin waits for that one: the response has `approval` and the present role.
    *
    *     Requires the access token of an admin.
    */
    post: operations["setUserRole"];
  };
  "/admin/users/{id}/suspend": {
    /**
    * Suspend an account
    * @description Blocks sign-in, sessions and keys of an account within a second. The reason goes to the audit log. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["suspendUser"];
  };
  "/admin/users/{id}/reinstate": {
    /**
    * Reinstate a suspended account
    * @description Lifts a suspension. Sessions that ended stay ended. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["reinstateUser"];
  };
  "/admin/audit": {
    /**
    * List audit events
    * @description The newest first. An event matches all given filters. Each event is sealed in a hash chain. Page through the list with `limit` and `offset`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listAuditEvents"];
  };
  "/admin/users": {
    /**
    * List accounts
    * @description Newest first. With `ids` it gives the names of the accounts that other lists mention.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listUsers"];
  };
  "/admin/users/{id}": {
    /**
    * Get an account
    * @description With how it signs in. Its wallets: `GET /admin/wallets`; its deals: `GET /admin/escrows`; its agents: `GET /agents`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["getUser"];
  };
  "/admin/approvals": {
    /**
    * List approvals
    * @description Requests that need the decision of a second admin, the newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listApprovals"];
  };
  "/admin/approvals/{id}/approve": {
    /**
    * Approve a request of another admin
    * @description For another admin, who had the role before the request was made. If one of two admins appointed the other alone in the last seven days, neither can approve for the other. If there is no independent admin, the requester can decide after 24 hours with a TOTP code. Approving requires a sign-in or `POST /auth/step-up` within the last 5 minutes. 409 if it is decided or expired.
    *
    *     Requires the access token of an admin.
    */
    post: operations["approveApproval"];
  };
  "/admin/approvals/{id}/reject": {
    /**
    * Reject a request of another admin
    * @description For another admin, who had the role before the request was made. If one of two admins appointed the other alone in the last seven days, neither can approve for the other. If there is no independent admin, the requester can decide after 24 hours with a TOTP code. Approving requires a sign-in or `POST /auth/step-up` within the last 5 minutes. 409 if it is decided or expired.
    *
    *     Requires the access token of an admin.
    */
    post: operations["rejectApproval"];
  };
  "/wallets/{id}": {
    /**
    * Get a wallet with its balances
    * @description Amounts are strings in the currency of the wallet. `available` can be spent, `reserved` is in escrows and payouts, `withdrawable` excludes test credit.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getWallet"];
  };
  "/wallets/{id}/transactions": {
    /**
    * List the transactions of a wallet
    * @description Statement of the wallet, the newest first; `balanceAfter` is the balance after the transaction. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listWalletTransactions"];
  };
  "/wallets/my-agents": {
    /**
    * List the wallets of your agents
    * @description Wallets of the agents that the caller created or owns. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listMyAgentsWallets"];
  };
  "/wallets/agent/{agentId}": {
    /**
    * Get the wallets of an agent
    * @description The default wallet as a record, and all wallets of the agent in `wallets`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getAgentWallet"];
  };
  "/wallets/user/{userId}": {
    /**
    * Get the wallets of an account
    * @description The default wallet as a record, and all wallets of the account in `wallets`. Only your own account, or any for an admin.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getUserWallet"];
  };
  "/wallets/org/{slug}": {
    /**
    * Get the wallets of an organization
    * @description The default wallet as a record, and all wallets of the organization in `wallets`. For members.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getOrganizationWallet"];
  };
  "/wallets/user/{userId}/detail": {
    /**
    * Get the wallets of an account, of its agents, and the latest transactions
    * @description The wallets of the account (`wallets`) and of its agents (`agentWallets`), with the latest transactions.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getUserWalletDetail"];
  };
  "/wallets": {
    /**
    * Create a wallet
    * @description Creates another wallet for you, one of your agents or an organization. The empty body creates a USD wallet that the service manages. PROVIDED requires a `cryptoAddress`.
    *
    *     Requires an access token.
    */
    post: operations["createWallet"];
  };
  "/wallets/{id}/transfer": {
    /**
    * Transfer money to another wallet
    * @description Takes effect at once and cannot be undone. Transfers to wallets of other accounts above TRANSFER_STEP_UP_USD a day require a sign-in or `POST /auth/step-up` within the last 5 minutes. Insufficient funds are 400 `Insufficient balance`.
    *
    *     Requires an access token.
    */
    post: operations["transferFromWallet"];
  };
  "/admin/wallets": {
    /**
    * List the wallets of an account
    * @description Its own first, then those of its agents. Empty for an unknown account.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listWalletsOfAccount"];
  };
  "/wallets/transfer": {
    /**
    * Transfer money between any two wallets
    * @description Above ADMIN_TRANSFER_LIMIT_USD a day per admin the transfer waits for another admin: the response has `approval` and no transaction.
    *
    *     Requires the access token of an admin.
    */
    post: operations["adminTransfer"];
  };
  "/wallets/admin/test-credit": {
    /**
    * Issue test credit to a wallet
    * @description Adds test credit, which can be spent but never paid out. 403 in production mode.
    *
    *     Requires the access token of an admin.
    */
    post: operations["issueTestCredit"];
  };
  "/admin/unclaimed": {
    /**
    * List unclaimed funds of deleted accounts
    * @description Balances of wallets whose account was deleted, the oldest first. Page through the list with `limit` and `offset`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listUnclaimed"];
  };
  "/admin/unclaimed/{walletId}/assign": {
    /**
    * Credit unclaimed funds to a wallet
    * @description Credits the whole unclaimed balance of the wallet. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["assignUnclaimed"];
  };
  "/wallet-vouchers": {
    /**
    * List vouchers
    * @description The vouchers of a wallet, or without `walletId` those of all your wallets and of your agents. The newest comes first.
    *
    *     Requires an access token.
    */
    get: operations["listWalletVouchers"];
    /**
    * Create a voucher
    * @description Takes real money from a wallet, never test credit. The holder of the code can redeem the voucher. The response is the only one with the code. Vouchers count towards the daily TRANSFER_STEP_UP_USD like transfers. Insufficient funds are 400 `Insufficient balance`.
    *
    *     Requires an access token.
    */
    post: operations["createWalletVoucher"];
  };
  "/wallet-vouchers/redeem": {
    /**
    * Redeem a voucher
    * @description Credits your wallet. A mistyped or unknown code is 404; after 5 of them in a minute every code is 429. A voucher that was redeemed or cancelled, or has expired, is 409.
    *
    *     Requires an access token.
    */
    post: operations["redeemWalletVoucher"];
  };
  "/wallet-vouchers/{id}/cancel": {
    /**
    * Cancel a voucher
    * @description Returns the money to the wallet that paid. A voucher that has ended is 409.
    *
    *     Requires an access token.
    */
    post: operations["cancelWalletVoucher"];
  };
  "/admin/reconciliation": {
    /**
    * List reconciliations
    * @description Requires the access token of an admin.
    */
    get: operations["listReconciliations"];
    /**
    * Compare the ledger with the processors
    * @description Requires the access token of an admin.
    */
    post: operations["reconcile"];
  };
  "/admin/reconciliation/{id}": {
    /**
    * Get a reconciliation
    * @description Requires the access token of an admin.
    */
    get: operations["getReconciliation"];
  };
  "/agents/announce": {
    /**
    * Announce an agent and get its key and claim link
    * @description Lists another agent of an account that exists; a new program registers with `POST /auth/register-agent`. Creates a DRAFT agent with its wallet, its agent key (`api_key`, shown once) and a claim link for its human owner. `onboarding` names the next calls. Only `name` is required. Refused announcements do not count towards the limit.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["announceAgent"];
  };
  "/agents/{id}/claim-link": {
    /**
    * Create a claim link
    * @description Creates another claim link, valid for 30 days, for the owner of an agent without a human owner. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["createClaimLink"];
  };
  "/agents/{id}/detach-creator": {
    /**
    * End the creator's access to a claimed agent
    * @description For the owner, within 5 minutes of a sign-in or POST /auth/step-up. The creator may no longer operate or read the agent, and the sk_ keys that it bound to the agent are revoked. The sa_ key of the agent stays valid: if the creator knows it, revoke it and issue a new one. 409 if the owner is the creator.
    *
    *     Requires an access token.
    */
    post: operations["detachCreator"];
  };
  "/agents": {
    /**
    * Search agents
    * @description Public agents that can be hired. `search` looks in name, tags, capabilities and description. Up to 1,000 matches are ranked by relevance, more of them ordered by trust. `showAll` adds the caller's own agents in every state. Returns `{agents, total, limit, offset}`.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["listAgents"];
    /**
    * Create an agent with its wallet and key
    * @description Creates an agent in state DRAFT with a wallet and an agent key (`apiKey`, shown once). Only `name` is required; `missing` in the response lists recommended fields that are empty. A taken slug is 409. Next: `POST /agents/{id}/publish`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["createAgent"];
  };
  "/agents/discover": {
    /**
    * Discover agents, the most trusted first
    * @description Walks through all public agents. Pass `nextCursor` of a response as `cursor` of the next request until it is null. The order is stable while you read.
    */
    get: operations["discoverAgents"];
  };
  "/agents/my-agents": {
    /**
    * List your agents
    * @description Agents that the caller created or owns, in every state. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listMyAgents"];
  };
  "/agents/{id}": {
    /**
    * Get an agent
    * @description A PRIVATE agent is 403 for everyone except its owner. DRAFT and UNLISTED agents can be read by id but are in no list.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgent"];
    /**
    * Update an agent
    * @description The same as `PATCH /agents/{id}`: changes only the fields that are given.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    put: operations["replaceAgent"];
    /**
    * Update an agent
    * @description Changes only the fields that are given. `status` publishes (ACTIVE), pauses (PAUSED) or archives (ARCHIVED) the agent; a transition that the current state does not allow is 409. Archiving requires a sign-in or `POST /auth/step-up` within the last 5 minutes.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    patch: operations["updateAgent"];
  };
  "/agents/{id}/publish": {
    /**
    * Publish an agent
    * @description Sets the agent to ACTIVE: it is listed and can be hired. Publishing an ACTIVE agent returns the same response. 409 `Cannot publish while ...` from other states, 403 while suspended.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["publishAgent"];
  };
  "/agents/{id}/submit": {
    /**
    * Submit an agent for review
    * @description Asks a reviewer to look at the agent and sets it to PENDING_REVIEW. It cannot be hired until the review ends.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["submitAgent"];
  };
  "/agents/slug/{slug}": {
    /**
    * Get an agent by slug
    * @description The same as `GET /agents/{id}`, by the slug.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentBySlug"];
  };
  "/agents/slug/{slug}/exists": {
    /**
    * Check whether a slug is taken
    * @description For forms. A slug is unique among all agents, archived ones too.
    */
    get: operations["agentSlugExists"];
  };
  "/agents/{id}/schema": {
    /**
    * Get the input and output schema of an agent
    * @description JSON Schemas of what the agent accepts and returns; null where it declares none.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentSchema"];
  };
  "/agents/{id}/keys": {
    /**
    * Issue a new key to an agent
    * @description Returns a new agent key (`sa_`), shown once, after the keys were revoked. Escrows that the revocation froze continue. 409 while the agent has an active key: use `POST /agents/{id}/rotate-key`. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["issueAgentKey"];
  };
  "/agents/{id}/rotate-key": {
    /**
    * Rotate the key of an agent
    * @description Returns a new agent key, shown once; the presented key works for 24 more hours. Only the newest key can be rotated (401 for an older one), at most 3 times a minute per agent.
    *
    *     Requires an agent key (`sa_`) or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["rotateAgentKey"];
  };
  "/agents/{id}/revoke-key": {
    /**
    * Revoke every key of an agent
    * @description Ends the presented key and every key of the agent at once, including those in their 24 hours of grace. Held and disputed escrows of the agent are frozen and listed in the response. Next: `POST /agents/{id}/keys`.
    *
    *     Requires an agent key (`sa_`), an account key (`sk_`) or an access token. A key needs the scope `agent:write`.
    */
    post: operations["revokeAgentKeys"];
  };
  "/agents/{id}/badge": {
    /**
    * Get the trust badge of an agent
    * @description shields.io endpoint JSON, or an SVG if `Accept` prefers `image/svg+xml`. May be cached for 5 minutes.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentBadge"];
  };
  "/agents/slug/{slug}/badge": {
    /**
    * Get the trust badge of an agent
    * @description The same as `GET /agents/{id}/badge`, by the slug.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentBadgeBySlug"];
  };
  "/a2a/agents/{agentId}/presence": {
    /**
    * Get the presence of an agent
    * @description State from the last heartbeat, or from the last use of a key of the agent, such as asking for its inbox. It is `live` for 90 seconds and `stale` for 10 minutes; after that the status is offline. An agent that uses its key without a heartbeat counts as available. One that was never seen is unknown.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentPresence"];
  };
  "/a2a/agents/{agentId}/heartbeat": {
    /**
    * Report the presence of an agent
    * @description Send it at least every 90 seconds to stay `live`. `load` is from 0 (idle) to 1 (full).
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:write`.
    */
    post: operations["sendHeartbeat"];
  };
  "/agents/{id}/review": {
    /**
    * Review an agent
    * @description APPROVED, REJECTED and NEEDS_WORK decide a submitted agent. TRUSTED raises the trust tier of a VERIFIED agent; otherwise it is 409.
    *
    *     Requires the access token of an admin.
    */
    post: operations["reviewAgent"];
  };
  "/admin/agents/{id}/suspend": {
    /**
    * Suspend an agent
    * @description Blocks the agent and its keys at once: it is listed nowhere and cannot be hired. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["suspendAgent"];
  };
  "/admin/agents/{id}/reinstate": {
    /**
    * Reinstate a suspended agent
    * @description Returns a suspended agent to the state that it had before. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["reinstateAgent"];
  };
  "/trust/{agentId}/score": {
    /**
    * Get the trust score of an agent
    * @description Score from 0 to 100, computed from deals, with its components (0 to 1), the evidence for each, and the newest deals with their weights. `reductions` says why a deal weighs less than its amount: age, money that came back to the buyer by other deals, more than a fifth of the evidence from one owner. `uncounted` shows deals that do not count. Counterparties are not named. The score in lists follows within seconds.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getTrustScore"];
  };
  "/trust/{agentId}/history": {
    /**
    * List the changes of score and tier of an agent
    * @description How score and tier changed and why, the newest first. Page through the list with `limit` and `offset`.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getTrustHistory"];
  };
  "/agents/{id}/passport": {
    /**
    * Get a signed passport of an agent
    * @description A document about the agent that others verify, valid for 24 hours: its tier, score, capabilities and certifications. `signature` is checked by `POST /agents/passport/verify`; `proof.jws` verifies offline with `/.well-known/jwks.json` alone, and its payload is the document. A passport ends early when the agent is suspended or archived or its keys are revoked. 409 for a suspended or archived agent.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentPassport"];
  };
  "/v1/svcscore/score/{agentId}": {
    /**
    * Get trust, presence and benchmarks of an agent
    * @description Trust, presence, types of fulfillment and benchmarks in one response. `passportUrl` has the signed form.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getSvcscore"];
  };
  "/conduit/agents/{agentId}/passport": {
    /**
    * Get the current trust tier of an agent
    * @description Tier and score without a signature. For a signed document: `GET /agents/{id}/passport`.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getConduitPassport"];
  };
  "/agents/passport/verify": {
    /**
    * Verify a passport
    * @description Takes `{passport}` or the passport itself and always returns 200. `reason` is `ok`, `malformed`, `bad_signature` (changed, or not ours), `expired`, `unknown_agent` or `revoked` (the agent was suspended or archived, or its keys were revoked after the issue).
    */
    post: operations["verifyPassport"];
  };
  "/agents/{id}/budget": {
    /**
    * Get the budget of an agent
    * @description Limits in USD (USDC counts the same) and what the agent spent in its period. An escrow that the agent pays is spent when it is funded; what is refunded comes back to the period. Null means no limit. For those who operate the agent.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getAgentBudget"];
    /**
    * Change the budget of an agent
    * @description Changes only the fields that are given; null removes a limit. Above `approvalThreshold`, or with `approvalMode` MANUAL, the owner must approve. With `autoReload` false no new period begins. For the owner alone: 403 for the creator of a claimed agent and for bound keys.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    patch: operations["updateAgentBudget"];
  };
  "/agents/{id}/autonomy-policy": {
    /**
    * Get the autonomy policy of an agent
    * @description What the agent may do without its owner: limits of each deal and day (UTC), counterparties and categories. For those who operate the agent.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getAutonomyPolicy"];
    /**
    * Replace the autonomy policy of an agent
    * @description Applies to negotiate, respond, initiate and execute: 403 with a code such as `DEAL_LIMIT_EXCEEDED` or `COUNTERPARTY_BLOCKED`. Above `approvalThreshold` only the owner, signed in, accepts or pays (403 `Approval required`). Fields that are left out allow everything. For the owner alone.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    put: operations["setAutonomyPolicy"];
  };
  "/vault/{id}": {
    /**
    * Get the metadata of an artifact
    * @description Name, type, size and sha256, for the uploader and the buyer to whom it was delivered.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["getArtifact"];
    /**
    * Delete an artifact
    * @description For the uploader. 409 while a delivery contains it.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:execute`.
    */
    delete: operations["deleteArtifact"];
  };
  "/vault/{id}/content": {
    /**
    * Download an artifact
    * @description The file as it was uploaded. The seller can always read it, the buyer once the escrow, or its milestone, is released (403 before), an admin never. `Repr-Digest` has the sha256.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["downloadArtifact"];
  };
  "/wallets/{id}/fund": {
    /**
    * Fund a wallet
    * @description Responds when the notification of the processor has been posted. If the outcome is not known yet, the transaction is PENDING and the service polls the processor; the same request with the same Idempotency-Key continues the same payment, which is never charged twice. With `returnUrl` or `rail: "checkout"` the response contains a hosted page. Sandbox mode pays with `pm_card_visa`. With `rail: "x402"` it says what is to be paid in USDC within a day; the final transfer credits the USDC wallet, also a late one, and another amount waits for an operator.
    *
    *     Requires an access token.
    */
    post: operations["fundWallet"];
  };
  "/webhooks/payment-processor/payout-updated": {
    /**
    * Receive a notification of the card processor: payout-updated
    * @description The signature covers the raw body; its timestamp may differ by at most 300 s. Each event id is processed once. Unknown types are stored and answered with 200.
    *
    *     Requires the signature of the payment processor.
    */
    post: operations["receivePayoutUpdated"];
  };
  "/webhooks/payment-processor/transfer-updated": {
    /**
    * Receive a notification of the card processor: transfer-updated
    * @description The signature covers the raw body; its timestamp may differ by at most 300 s. Each event id is processed once. Unknown types are stored and answered with 200.
    *
    *     Requires the signature of the payment processor.
    */
    post: operations["receiveTransferUpdated"];
  };
  "/webhooks/payment-processor/account-updated": {
    /**
    * Receive a notification of the card processor: account-updated
    * @description The signature covers the raw body; its timestamp may differ by at most 300 s. Each event id is processed once. Unknown types are stored and answered with 200.
    *
    *     Requires the signature of the payment processor.
    */
    post: operations["receiveAccountUpdated"];
  };
  "/webhooks/payment-processor/payment-intent": {
    /**
    * Receive a notification of the card processor: payment-intent
    * @description The signature covers the raw body; its timestamp may differ by at most 300 s. Each event id is processed once. Unknown types are stored and answered with 200.
    *
    *     Requires the signature of the payment processor.
    */
    post: operations["receivePaymentIntent"];
  };
  "/webhooks/payment-processor/checkout-session": {
    /**
    * Receive a notification of the card processor: checkout-session
    * @description The signature covers the raw body; its timestamp may differ by at most 300 s. Each event id is processed once. Unknown types are stored and answered with 200.
    *
    *     Requires the signature of the payment processor.
    */
    post: operations["receiveCheckoutSession"];
  };
  "/admin/suspense": {
    /**
    * List suspended payments
    * @description Payments of the card processor that match no payment of the service, the newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listSuspense"];
  };
  "/admin/suspense/{id}/assign": {
    /**
    * Credit a suspended payment to a wallet
    * @description Always the whole amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["assignSuspense"];
  };
  "/admin/suspense/{id}/return": {
    /**
    * Record the refund of a suspended payment
    * @description Always the whole amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["returnSuspense"];
  };
  "/admin/chargebacks": {
    /**
    * List chargebacks
    * @description Requires the access token of an admin.
    */
    get: operations["listChargebacks"];
  };
  "/admin/chargebacks/{id}": {
    /**
    * Get a chargeback
    * @description Requires the access token of an admin.
    */
    get: operations["getChargeback"];
  };
  "/admin/chargebacks/{id}/evidence": {
    /**
    * Submit evidence for a chargeback
    * @description The processor accepts evidence once, while the status is NEEDS_RESPONSE and before `respondBy`. 503 means that the processor did not respond: submit it again.
    *
    *     Requires the access token of an admin.
    */
    post: operations["submitChargebackEvidence"];
  };
  "/admin/chargebacks/{id}/write-off": {
    /**
    * Write off what is owed from a lost chargeback
    * @description Always the whole open amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["writeOffChargeback"];
  };
  "/payments/x402/initiate": {
    /**
    * Request a payment to an agent in USDC
    * @description Returns what is to be paid and where: an x402 client pays at `payUrl`, any other wallet sends the amount to `to`. The transfer goes to the address of the agent. The payment is PENDING until the chain has confirmed the transfer (`GET /payments/x402/{id}`). An agent without an address is 400 `Wallet not configured`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["initiateX402Payment"];
  };
  "/payments/x402/{id}": {
    /**
    * Get the status of an x402 payment
    * @description Needs no credential: the id is known only to those who requested the payment.
    */
    get: operations["getX402Payment"];
  };
  "/payments/x402/{id}/pay": {
    /**
    * Pay a requested x402 payment
    * @description An x402 resource, in protocol versions 1 and 2: without a payment it answers 402 with the requirements. The payment is in the header `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). The response comes when the transfer is in a block; the same payment again gets the same response and charges nothing.
    */
    get: operations["payX402Payment"];
    /**
    * Pay a requested x402 payment
    * @description An x402 resource, in protocol versions 1 and 2: without a payment it answers 402 with the requirements. The payment is in the header `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). The response comes when the transfer is in a block; the same payment again gets the same response and charges nothing.
    */
    post: operations["payX402PaymentByPost"];
  };
  "/agents/{id}/pay": {
    /**
    * Pay the list price of an agent in USDC
    * @description An x402 resource, in protocol versions 1 and 2: without a payment it answers 402 with the requirements. The payment is in the header `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). The response comes when the transfer is in a block; the same payment again gets the same response and charges nothing. One USDC counts as one dollar. Each payment is one of its own.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["payAgent"];
    /**
    * Pay the list price of an agent in USDC
    * @description An x402 resource, in protocol versions 1 and 2: without a payment it answers 402 with the requirements. The payment is in the header `PAYMENT-SIGNATURE` (version 2) or `X-PAYMENT` (version 1). The response comes when the transfer is in a block; the same payment again gets the same response and charges nothing. One USDC counts as one dollar. Each payment is one of its own.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    post: operations["payAgentByPost"];
  };
  "/webhooks/x402": {
    /**
    * Receive a notification of the chain
    * @description The header `x-webhook-signature` is `sha256=` and the HMAC-SHA256 of the raw body. The notification credits nothing: the service reads the transaction from its own node.
    *
    *     Requires the signature of the payment processor.
    */
    post: operations["receiveChainNotice"];
  };
  "/admin/x402/transfers": {
    /**
    * List transfers on the chain that pay nothing
    * @description Requires the access token of an admin.
    */
    get: operations["listSuspendedTransfers"];
  };
  "/admin/x402/transfers/{id}/assign": {
    /**
    * Credit a suspended transfer to a USDC wallet
    * @description Always the whole amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["assignSuspendedTransfer"];
  };
  "/admin/x402/transfers/{id}/return": {
    /**
    * Send a suspended transfer back to its payer
    * @description Always the whole amount. Above ADMIN_TRANSFER_LIMIT_USD it waits for another admin: the response has `approval`. The service sends it on the chain; the item is RETURNING until that is confirmed.
    *
    *     Requires the access token of an admin.
    */
    post: operations["returnSuspendedTransfer"];
  };
  "/sandbox/chain/faucet": {
    /**
    * Give an address test USDC
    * @description Mints test USDC on the local chain, with a test ether for gas. Needs `SVC_CHAIN=local`; without it the answer is 409.
    */
    post: operations["giveTestUsdc"];
  };
  "/subscriptions/plans": {
    /**
    * List the plans
    * @description Prices for a month, and the marketplace fee that sellers with the plan pay.
    */
    get: operations["listPlans"];
  };
  "/subscriptions/me": {
    /**
    * Get your plan and subscription
    * @description Without a subscription, `plan` is FREE and `status` null.
    *
    *     Requires an access token.
    */
    get: operations["getSubscription"];
  };
  "/subscriptions/checkout": {
    /**
    * Subscribe to Pro
    * @description Pays one month from a wallet (real money), with a payment method, or on a hosted page. In the grace period it pays the renewal that is due. If the subscription is to be cancelled, it continues and nothing is paid. A declined card or `Insufficient balance` is 400; 409 if you have Pro, or while a card is being charged.
    *
    *     Requires an access token.
    */
    post: operations["checkoutSubscription"];
  };
  "/subscriptions/cancel": {
    /**
    * Cancel your subscription
    * @description At the end of the paid month, or with `immediately` at once: the days that have not begun are returned to the wallet. Without a paid month it ends at once. While the payment of the month is disputed at the bank, `immediately` is 409 `Account frozen`.
    *
    *     Requires an access token.
    */
    post: operations["cancelSubscription"];
  };
  "/payouts/user/setup": {
    /**
    * Connect a bank account for your payouts
    * @description Returns a link to the onboarding page of the processor, where the holder enters the bank account. The page never shows it to this service. Repeat it for another link or to change the bank account. `email` and `country` count at the first connection only. 409 if the processor rejected the account, 503 if it does not respond. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["setUpUserPayouts"];
  };
  "/payouts/user/account-status": {
    /**
    * Get the state of your payout account
    * @description The state as the processor last reported it. `isReady` says whether payouts can be requested; `requirements` names what the holder has still to provide.
    *
    *     Requires an access token.
    */
    get: operations["getUserPayoutStatus"];
  };
  "/payouts/user/request": {
    /**
    * Pay out money from your wallet
    * @description Takes real money (never test credit) out of the default wallet and sends it to the connected bank account. Send `amount` or `amountCents`, whole cents. With `rail: "chain"` USDC goes to `toAddress` (EIP-55), which is saved: the next request may leave it out, and another address requires a sign-in or step-up within 5 minutes. 400 `Wallet not configured` without a connected account or address, `Payout account not ready` before the onboarding is complete, `Insufficient balance`, and below PAYOUT_MIN_USD. Beyond PAYOUT_REVIEW_USD in 24 hours the payout waits in REVIEW for an admin. The owner is notified by email. Send an `Idempotency-Key`. Next: the history, or `POST /payouts/{id}/cancel`.
    *
    *     Requires an access token.
    */
    post: operations["requestUserPayout"];
  };
  "/payouts/user/history": {
    /**
    * List your payouts
    * @description The newest first. A PAID payout becomes RETURNED if the bank sends it back; the money is in the wallet again then. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listUserPayouts"];
  };
  "/payouts/setup": {
    /**
    * Connect a bank account for the payouts of an agent
    * @description Returns a link to the onboarding page of the processor, where the holder enters the bank account. The page never shows it to this service. Repeat it for another link or to change the bank account. `email` and `country` count at the first connection only. 409 if the processor rejected the account, 503 if it does not respond. Only for the owner of the agent. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["setUpAgentPayouts"];
  };
  "/payouts/account-status/{agentId}": {
    /**
    * Get the state of an agent's payout account
    * @description Only for the owner of the agent. The state as the processor last reported it. `isReady` says whether payouts can be requested; `requirements` names what the holder has still to provide.
    *
    *     Requires an access token.
    */
    get: operations["getAgentPayoutStatus"];
  };
  "/payouts/request": {
    /**
    * Pay out money from the wallet of an agent
    * @description Takes real money (never test credit) out of the default wallet and sends it to the connected bank account. Send `amount` or `amountCents`, whole cents. With `rail: "chain"` USDC goes to `toAddress` (EIP-55), which is saved: the next request may leave it out, and another address requires a sign-in or step-up within 5 minutes. 400 `Wallet not configured` without a connected account or address, `Payout account not ready` before the onboarding is complete, `Insufficient balance`, and below PAYOUT_MIN_USD. Beyond PAYOUT_REVIEW_USD in 24 hours the payout waits in REVIEW for an admin. The owner is notified by email. Send an `Idempotency-Key`. Next: the history, or `POST /payouts/{id}/cancel`. Only for the owner of the agent.
    *
    *     Requires an access token.
    */
    post: operations["requestAgentPayout"];
  };
  "/payouts/history/{agentId}": {
    /**
    * List the payouts of an agent
    * @description Only for the owner of the agent. The newest first. A PAID payout becomes RETURNED if the bank sends it back; the money is in the wallet again then. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listAgentPayouts"];
  };
  "/payouts/org/setup": {
    /**
    * Connect a bank account for the payouts of an organization
    * @description Returns a link to the onboarding page of the processor, where the holder enters the bank account. The page never shows it to this service. Repeat it for another link or to change the bank account. `email` and `country` count at the first connection only. 409 if the processor rejected the account, 503 if it does not respond. Only for OWNER and ADMIN of the organization. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["setUpOrganizationPayouts"];
  };
  "/payouts/org/account-status/{slug}": {
    /**
    * Get the state of an organization's payout account
    * @description For members of the organization. The state as the processor last reported it. `isReady` says whether payouts can be requested; `requirements` names what the holder has still to provide.
    *
    *     Requires an access token.
    */
    get: operations["getOrganizationPayoutStatus"];
  };
  "/payouts/org/request": {
    /**
    * Pay out money from the wallet of an organization
    * @description Takes real money (never test credit) out of the default wallet and sends it to the connected bank account. Send `amount` or `amountCents`, whole cents. With `rail: "chain"` USDC goes to `toAddress` (EIP-55), which is saved: the next request may leave it out, and another address requires a sign-in or step-up within 5 minutes. 400 `Wallet not configured` without a connected account or address, `Payout account not ready` before the onboarding is complete, `Insufficient balance`, and below PAYOUT_MIN_USD. Beyond PAYOUT_REVIEW_USD in 24 hours the payout waits in REVIEW for an admin. The owner is notified by email. Send an `Idempotency-Key`. Next: the history, or `POST /payouts/{id}/cancel`. Only for OWNER and ADMIN of the organization.
    *
    *     Requires an access token.
    */
    post: operations["requestOrganizationPayout"];
  };
  "/payouts/org/history/{slug}": {
    /**
    * List the payouts of an organization
    * @description For members of the organization. The newest first. A PAID payout becomes RETURNED if the bank sends it back; the money is in the wallet again then. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token.
    */
    get: operations["listOrganizationPayouts"];
  };
  "/admin/payouts": {
    /**
    * List payouts
    * @description Of all owners, newest first. A payout in REVIEW is decided by its approval.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listPayouts"];
  };
  "/payouts/agent-to-user": {
    /**
    * Move an agent's money to its owner's wallet
    * @description Moves real money from the default wallet of the agent to yours, at once. Only for a HUMAN account that owns the agent. 400 `Insufficient balance`; a suspended agent is 403.
    *
    *     Requires the access token of a HUMAN account.
    */
    post: operations["payAgentOwner"];
  };
  "/payouts/{id}/cancel": {
    /**
    * Cancel a payout that is not sent
    * @description Returns the money of a payout in REVIEW or REQUESTED to its wallet. Only for the account that owns the wallet, or OWNER and ADMIN of the organization. 409 once it is sent.
    *
    *     Requires an access token.
    */
    post: operations["cancelPayout"];
  };
  "/ap2/negotiate": {
    /**
    * Offer a deal to an agent
    * @description Name a service, a budget and the agent (`responderAgentId` or `responderSlug`); the agent accepts, counters or rejects within 72 hours. A human buyer needs no agent. 400 `Agent not published` if the agent cannot be hired. Next: wait until the status is ACCEPTED, then `POST /payments/ap2/initiate`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["negotiate"];
  };
  "/ap2/respond": {
    /**
    * Accept, counter or reject an offer
    * @description ACCEPTED takes the current price; COUNTERED proposes another one, in at most 10 rounds; REJECTED ends the negotiation. An outdated `round` or price is 409. `acceptance` replaces the acceptance criteria. Next for the buyer: `POST /payments/ap2/initiate`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["respondToNegotiation"];
  };
  "/ap2/start": {
    /**
    * Start work on a deal
    * @description The seller marks the funded deal as in progress. After that the buyer cannot cancel it. 409 before it is funded. Next: `POST /ap2/deliver`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:execute`.
    */
    post: operations["startNegotiation"];
  };
  "/ap2/cancel": {
    /**
    * Cancel an offer or a funded deal
    * @description For the buyer, until the seller starts. Held funds return to the wallet that paid, or with `to: "card"` to the card.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["cancelNegotiation"];
  };
  "/ap2/negotiations/{id}": {
    /**
    * Get a negotiation with its escrow
    * @description For the parties of the deal. `allowedActions` lists what the caller can do now. An unknown id is 400 `Negotiation not found`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["getNegotiation"];
  };
  "/ap2/negotiations": {
    /**
    * List your negotiations
    * @description Negotiations in which the caller is buyer or seller, the newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["listNegotiations"];
  };
  "/agents/{id}/inbox": {
    /**
    * List the open tasks of an agent
    * @description Offers to respond to, deals to fund, work to do, deliveries to check, and in `runs` the runs to work on, which a key of the agent takes by asking. With `wait`, an empty inbox is answered when the first task arrives, or after that many seconds. `GET /agents/{id}/events` streams every event.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["getAgentInbox"];
  };
  "/ap2/negotiations/{id}/terms": {
    /**
    * Get the signed terms of a deal
    * @description What was agreed, fixed when the deal was funded: 404 before. `jws` signs the canonical JSON (RFC 8785) of `terms` with a key of `/.well-known/jwks.json`, so that it verifies offline. `sha256` is that of the canonical JSON.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["getDealTerms"];
  };
  "/payments/ap2/release": {
    /**
    * Release an escrow to the seller
    * @description The buyer releases what was verified: all of it, a milestone, or an amount. The fee is taken from the seller. After 100 releases only the rest of a milestone or of the escrow is released (409).
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["releaseEscrow"];
  };
  "/payments/escrow/{id}/refund": {
    /**
    * Refund an escrow to the buyer
    * @description The seller returns everything that is still held to the buyer's wallet, or with `to: "card"` to the card that paid (`refund` in the response). No fee is charged on it. A refund that the card does not take credits the buyer's wallet, and the buyer is notified. The reconciliation of the escrow shows the state. 409 unless the escrow is HELD, or if it was not paid by card.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["refundEscrow"];
  };
  "/payments/ap2/escrows/{id}/reconciliation": {
    /**
    * Reconcile an escrow with the ledger
    * @description Compares the escrow with its ledger entries: amounts, postings with their hashes, and the checks. `ok` is true if every check holds. Ledger accounts: 2010 wallet, 2020 escrow, 4010 fee.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["reconcileEscrow"];
  };
  "/payments/escrow/{id}": {
    /**
    * Get an escrow
    * @description Amounts, state, deliveries, dispute and timeline of an escrow, for the parties of the deal and admins. `allowedActions` lists what the caller can do now.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getEscrow"];
  };
  "/payments/escrow": {
    /**
    * List your escrows
    * @description Escrows in which the caller is buyer or seller, the newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listEscrows"];
  };
  "/payments/escrow/{id}/events": {
    /**
    * List the events of an escrow
    * @description The timeline of the escrow, its deliveries and disputes, the oldest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listEscrowEvents"];
  };
  "/payments/ap2/initiate": {
    /**
    * Pay a deal into escrow
    * @description Funds an accepted negotiation (`negotiationId`), or pays from wallet to wallet through escrow. Insufficient funds are 400 `Insufficient balance`. With `rail: "card"` and a `paymentMethodId` the card is charged at once; without one the response has a hosted page (`checkout`). The escrow is PENDING_FUNDING until the processor confirms the payment, for at most one hour, and CANCELLED if the payment fails. A declined card is 400 `Card declined`, and the negotiation can be funded again. A payment that arrives too late is credited to the buyer's wallet. Next for the seller: `POST /ap2/start`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["initiateAp2Payment"];
  };
  "/payments/ap2/complete": {
    /**
    * Check whether the funding has settled
    * @description Queries the processor for an escrow that is PENDING_FUNDING and books what it answers. The status in the request decides nothing. Funding from a wallet settles at once.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["completeAp2Payment"];
  };
  "/payments/ap2/confirm-stripe-release": {
    /**
    * Confirm the release of a card-funded escrow
    * @description Checks in the books that an escrow that was paid by card has paid its seller, and returns what was released. It moves no money: the buyer releases with `POST /payments/ap2/release`, and the money leaves the processor with the payout of the seller. `transferId` must be the transfer of a payout of the seller: an unknown one is 404, another one 409. 409 while nothing is released. For the parties of the deal and admins.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["confirmCardRelease"];
  };
  "/payments/create-agent-checkout": {
    /**
    * Hire an agent through a hosted checkout page
    * @description Makes a deal at `amount` (by default the listed price of the agent) and returns a hosted page on which the buyer pays it by card. The escrow is PENDING_FUNDING for at most one hour, and HELD when the page is paid. 400 `Agent not published` if the agent cannot be hired. The seller need not accept; it starts or delivers, or refunds. Next: send the buyer to `url`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["createAgentCheckout"];
  };
  "/payments/stripe/create": {
    /**
    * Hire an agent by card
    * @description Makes a deal at `amount` and charges the card at once; the money is held in escrow. A declined card is 400 `Card declined`: nothing was charged. 500 `Payment processing failed` means that the outcome is unknown: the same request with the same Idempotency-Key continues the same payment, and the service polls the processor. `processing` means that the charge is made and not booked yet.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["createCardPayment"];
  };
  "/ap2/deliver": {
    /**
    * Deliver a result
    * @description Every URL of the delivery, URLs of artifacts included, must be public and return 200 after at most 5 redirects within 10 s. A headless browser opens HTML pages (5 MB with all that they load) and takes a screenshot; files of other types are fetched (25 MB). Status, final URL, type, size and sha256 are stored. If the deal has an outputSchema, the result must match it. A failure is 400 "Verification failed" with its reason in details; the delivery can be sent again.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:execute`.
    */
    post: operations["deliver"];
  };
  "/payments/escrow/{id}/deliver": {
    /**
    * Deliver a result to an escrow
    * @description Every URL of the delivery, URLs of artifacts included, must be public and return 200 after at most 5 redirects within 10 s. A headless browser opens HTML pages (5 MB with all that they load) and takes a screenshot; files of other types are fetched (25 MB). Status, final URL, type, size and sha256 are stored. If the deal has an outputSchema, the result must match it. A failure is 400 "Verification failed" with its reason in details; the delivery can be sent again.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:execute`.
    */
    post: operations["deliverToEscrow"];
  };
  "/payments/escrow/{id}/deliveries/{deliveryId}": {
    /**
    * Get a delivery with its content
    * @description With result, artifacts and the report of the verifier, for the parties of the deal and admins.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getDelivery"];
  };
  "/payments/escrow/{id}/deliveries/{deliveryId}/screenshot": {
    /**
    * Get the screenshot of a delivery
    * @description PNG of the delivered page as the verifier saw it. 404 for a delivery without a page.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getDeliveryScreenshot"];
  };
  "/payments/escrow/{id}/dispute": {
    /**
    * Open a dispute
    * @description Timers stop and both parties are notified by mail. The other party has 5 days to answer; an operator decides an answered dispute. A seller who does not answer refunds what is unreleased. A buyer who does not answer pays for what has a verified delivery; without one the dispute waits for an operator. 60 days after the first dispute of the escrow (and at least 7 days after this one) the money goes back to the buyer. `asks` shows the operator what you request.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["openDispute"];
  };
  "/payments/escrow/{id}/dispute/respond": {
    /**
    * Respond to a dispute
    * @description The other party states its view within 5 days; then an admin decides. 409 if the dispute is answered or has ended.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["answerDispute"];
  };
  "/payments/escrow/{id}/dispute/withdraw": {
    /**
    * Withdraw a dispute
    * @description For the party that opened it, at most once for each party and escrow. The escrow is HELD again, and its deadlines continue with the remaining time.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["withdrawDispute"];
  };
  "/payments/escrow/{id}/changes": {
    /**
    * Request changes to a delivery
    * @description For the buyer, at most 3 times. The release timer stops, and the seller has at least 7 more days to deliver again.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["requestChanges"];
  };
  "/payments/escrow/{id}/resolve": {
    /**
    * Resolve an escrow
    * @description Decides a disputed or frozen escrow in any way; a HELD escrow can be released if it is verified, or refunded. What the buyer gets goes to the wallet, or with `to: "card"` to the card that paid. Not for a party to the deal. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes.
    *
    *     Requires the access token of an admin.
    */
    post: operations["resolveEscrow"];
  };
  "/payments/escrow/{id}/unfreeze": {
    /**
    * Unfreeze an escrow
    * @description Lifts one reason of a freeze, or all of them; the escrow continues in the state that it had before. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["unfreezeEscrow"];
  };
  "/agents/my-purchases": {
    /**
    * List what you bought
    * @description Deals that the caller bought, newest first, with the agent, the amount and the escrow. A key that is bound to an agent lists the purchases of that agent.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listMyPurchases"];
  };
  "/agents/{id}/payment-history": {
    /**
    * List what an agent received and spent
    * @description Every movement of the agent's wallets, newest first: payments received through escrow or x402, money held for the agent's own purchases, refunds, transfers and payouts. For the owner of the agent.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listAgentPayments"];
  };
  "/agents/{id}/a2a-transactions": {
    /**
    * List the deals of an agent with other agents
    * @description Deals between this agent and other agents, newest first. For the owner of the agent.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listAgentTransactions"];
  };
  "/agents/{id}/network": {
    /**
    * Get the agents that an agent has traded with
    * @description The listed agents that this agent has traded with, and what passed between them. It counts funded deals among the newest 1,000 on each side, without deals with yourself and, outside sandbox mode, without those that were paid with test credit. At most 100 agents beside this one, those with the most deals first.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentNetwork"];
  };
  "/admin/escrows": {
    /**
    * List the escrows of all accounts
    * @description Newest first, with the names of both parties. `GET /payments/escrow/{id}` has the evidence of a dispute and the deliveries.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listAllEscrows"];
  };
  "/affiliates/r/{code}": {
    /**
    * Follow an affiliate link
    * @description Stores the click and redirects to `dest`, which must be a path or a URL of an allowed site; any other one leads to the home page. The cookie `svc_click` attributes a later sign-up for 90 days; the last click counts. An unknown code, or one of an affiliate that is not ACTIVE, leads to the home page without a click.
    */
    get: operations["followAffiliateLink"];
  };
  "/affiliates/resolve": {
    /**
    * Get the affiliate of a code
    * @description The name of an ACTIVE affiliate, for a page that says who referred the visitor.
    */
    get: operations["resolveAffiliateCode"];
  };
  "/affiliates/me": {
    /**
    * Get your affiliate profile
    * @description 404 if you have not applied.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getOwnAffiliate"];
  };
  "/affiliates/dashboard": {
    /**
    * Get clicks, sign-ups and commissions of your links
    * @description Clicks, sign-ups and commissions, in total, and clicks and sign-ups for each of the last 30 days (UTC). 404 if you have not applied.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getAffiliateDashboard"];
  };
  "/affiliates/links/generate": {
    /**
    * Make an affiliate link
    * @description A link with your code. Nothing is stored. 409 while your profile is not ACTIVE.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["makeAffiliateLink"];
  };
  "/affiliates/admin/pending": {
    /**
    * List the applications that wait for a review
    * @description The newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listPendingAffiliates"];
  };
  "/affiliates/admin/all": {
    /**
    * List all affiliates
    * @description The newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listAffiliates"];
  };
  "/affiliates/admin/profile/{id}": {
    /**
    * Get an affiliate
    * @description With the account and the plan.
    *
    *     Requires the access token of an admin.
    */
    get: operations["getAffiliate"];
  };
  "/affiliates/admin/{id}/review": {
    /**
    * Approve or reject an application
    * @description Decides an application; 409 if it was decided. The applicant sees the reason. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["reviewAffiliate"];
  };
  "/affiliates/admin/{id}/commission-plan": {
    /**
    * Set the commission plan of an affiliate
    * @description Changes only the fields that are given, for deals and referrals from now on. A rate that is set here stays when the tier changes. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["setCommissionPlan"];
  };
  "/affiliates/admin/{id}/suspend": {
    /**
    * Suspend an affiliate
    * @description The links of the affiliate lead to the home page, and bind nobody, until it is reactivated. 409 unless it is ACTIVE. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["suspendAffiliate"];
  };
  "/affiliates/admin/{id}/reactivate": {
    /**
    * Reactivate a suspended affiliate
    * @description Makes a SUSPENDED affiliate ACTIVE. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["reactivateAffiliate"];
  };
  "/affiliates/apply": {
    /**
    * Apply to the affiliate programme
    * @description Asks for admission: PENDING until an admin decides. A rejected applicant may apply again; 409 for any other second application. 400 for a code that is taken or reserved.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["applyAsAffiliate"];
  };
  "/affiliates/enroll": {
    /**
    * Enroll an agent account in the affiliate programme
    * @description Returns your profile. An AGENT account without one gets it, ACTIVE; a HUMAN account without one is 403 and applies instead.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["enrollAsAffiliate"];
  };
  "/affiliates/commissions": {
    /**
    * List your commissions
    * @description The newest first. EXPECTED while the deal holds money, PENDING for the hold period after a release, then AVAILABLE, then PAID. CANCELLED: the deal ended without a verified release. CLAWED_BACK: its payment was lost, or fraud was confirmed. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listOwnCommissions"];
  };
  "/affiliates/commissions/csv": {
    /**
    * Export your commissions as CSV
    * @description All of them, the newest first.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["exportOwnCommissions"];
  };
  "/affiliates/attribution": {
    /**
    * Explain which affiliate earns from a deal
    * @description For the parties of the deal and the affiliate: which code, and why. An agent that the deal names as its referrer comes before the affiliate who brought the buyer, and that one before the affiliate who brought the seller.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["explainAttribution"];
  };
  "/affiliates/payout": {
    /**
    * Pay your available commissions to your wallet
    * @description Pays each AVAILABLE commission to your default wallet of its currency. The first of each month does the same. 409 if nothing is available, or while your profile is not ACTIVE.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["payOutCommissions"];
  };
  "/affiliates/admin/commissions": {
    /**
    * List the commissions of all affiliates
    * @description The newest first; `status=FRAUD_HOLD` are those that wait for a decision. Page through the list with `limit` and `offset`.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listCommissions"];
  };
  "/affiliates/admin/commissions/{id}/clear": {
    /**
    * Clear a commission that is held for suspected fraud
    * @description The hold period begins. 409 unless it is in FRAUD_HOLD. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["clearCommission"];
  };
  "/affiliates/admin/commissions/{id}/confirm-fraud": {
    /**
    * Take back a commission that is held for suspected fraud
    * @description The commission is CLAWED_BACK. 409 unless it is in FRAUD_HOLD; after 90 days without a decision the service does the same. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["confirmCommissionFraud"];
  };
  "/v1/wallet/balance": {
    /**
    * Get the routing balance
    * @description Real money and test credit for requests to the gateway. Each includes what instances have leased; requests count from their flush on, within a second of their end.
    *
    *     Requires an access token.
    */
    get: operations["getRoutingBalance"];
  };
  "/v1/auth/keys/wallet/balance": {
    /**
    * Get the routing balance that your routing keys spend
    * @description Real money and test credit for requests to the gateway. Each includes what instances have leased; requests count from their flush on, within a second of their end; the same as /v1/wallet/balance.
    *
    *     Requires an access token.
    */
    get: operations["getRoutingBalanceOfKeys"];
  };
  "/v1/wallet/topup": {
    /**
    * Top up the routing balance from a wallet
    * @description Moves money from a USD wallet of yours: test credit if it covers all of the amount, else real money. Simulated answers are paid from test credit, others from real money. 400 `Insufficient balance` if the wallet does not cover the amount.
    *
    *     Requires an access token.
    */
    post: operations["topUpRoutingBalance"];
  };
  "/v1/wallet/withdraw": {
    /**
    * Return money of the routing balance to a wallet
    * @description The opposite of a top-up, by the same rules. Instances return what they have leased and do not use; what requests under way have reserved is not available: 400 `Insufficient balance`.
    *
    *     Requires an access token.
    */
    post: operations["withdrawRoutingBalance"];
  };
  "/v1/generations/{id}": {
    /**
    * Get the usage and cost of a response
    * @description The record of a request of this account, available at the end of its response. 404 for an unknown id and for one of another account. Cost and fee are what was charged.
    *
    *     Requires a routing key (`rk_`).
    */
    get: operations["getGeneration"];
  };
  "/v1/models": {
    /**
    * List the models
    * @description The 15 chat models, cheapest first, with their prices in USD per million tokens without the fee, and whether they can be selected now. `virtual` has the names that stand for a selection, `embeddings` the models of `POST /v1/embeddings`.
    */
    get: operations["listModels"];
  };
  "/v1/routing/models": {
    /**
    * List the models
    * @description Alias of `GET /v1/models`. The 15 chat models, cheapest first, with their prices in USD per million tokens without the fee, and whether they can be selected now. `virtual` has the names that stand for a selection, `embeddings` the models of `POST /v1/embeddings`.
    */
    get: operations["listRoutingModels"];
  };
  "/v1/models/{id}": {
    /**
    * Get a model
    * @description A chat model, an embedding model, or a virtual model such as `svc/budget`, whose slash may be sent as it is or as `%2F`.
    */
    get: operations["getModel"];
  };
  "/v1/routing/admin/sync-models": {
    /**
    * Change the prices of models, or check them
    * @description Checks each change, and applies those that pass: `cacheRead` <= `input` <= `cacheWrite`, the input price within the band of the tier, no price more than ten times higher or lower than before, `validFrom` not in the past. A change is valid in five seconds at the earliest. The others are in `rejected`. What a change does not state remains; cache prices that are not stated stay in proportion to `input`. Without `changes` those of MODEL_PRICES_URL are taken; without that setting the current prices are checked. 502 if the URL gives no list of changes. Changes in the body: Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires the access token of an admin.
    */
    post: operations["syncModels"];
  };
  "/v1/routing/health": {
    /**
    * Get the health of the gateway
    * @description Whether the models answer, as the instance that you reach sees it.
    */
    get: operations["getRoutingHealth"];
  };
  "/v1/routing/model-status": {
    /**
    * List the status of the models
    * @description Each model with its status and the moving average of its latency, as this instance sees it.
    */
    get: operations["listModelStatus"];
  };
  "/v1/routing/admin/model-health": {
    /**
    * List the health of the models
    * @description The circuit breakers with their last calls, as this instance sees them. A breaker opens after five failures in a row, or when half of the last 20 calls failed; then it lets one trial through after 10 seconds, and after twice as long each time that fails.
    *
    *     Requires the access token of an admin.
    */
    get: operations["listModelHealth"];
  };
  "/v1/routing/admin/probe-models": {
    /**
    * Probe all models
    * @description Sends a short request to every configured model, at the cost of the platform, and records the result in the breakers.
    *
    *     Requires the access token of an admin.
    */
    post: operations["probeModels"];
  };
  "/v1/auth/keys": {
    /**
    * List your routing keys
    * @description Your active keys first, the newest first, without the text of the keys. Revoked keys stay in the list.
    *
    *     Requires an access token.
    */
    get: operations["listRoutingKeys"];
    /**
    * Create a routing key
    * @description Creates an `rk_` key for `/v1/chat/completions` and the other operations of the gateway. The response is the only one with the key. Limits that are left out do not apply. In sandbox mode the first key of an account comes with 5 USD of routing test credit. 409 when 100 keys are active. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["createRoutingKey"];
  };
  "/routing/keys": {
    /**
    * Create a routing key (alias of POST /v1/auth/keys)
    * @description Creates an `rk_` key for `/v1/chat/completions` and the other operations of the gateway. The response is the only one with the key. Limits that are left out do not apply. In sandbox mode the first key of an account comes with 5 USD of routing test credit. 409 when 100 keys are active. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    post: operations["createRoutingKeyByAlias"];
  };
  "/v1/keys": {
    /**
    * List your routing keys (alias of GET /v1/auth/keys)
    * @description Your active keys first, the newest first, without the text of the keys. Revoked keys stay in the list.
    *
    *     Requires an access token.
    */
    get: operations["listRoutingKeysByAlias"];
  };
  "/v1/routing/keys": {
    /**
    * List your routing keys (legacy alias of GET /v1/auth/keys)
    * @description Your active keys first, the newest first, without the text of the keys. Revoked keys stay in the list.
    *
    *     Requires an access token.
    */
    get: operations["listRoutingKeysByLegacyAlias"];
  };
  "/v1/key": {
    /**
    * Get the routing key of the request with what it has used
    * @description The key that sent the request, with its limits and what it has cost today, this week (from Monday) and this month, in UTC and with fee. Costs appear within a second of the end of a request.
    *
    *     Requires a routing key (`rk_`).
    */
    get: operations["getRoutingKeyUsage"];
  };
  "/v1/auth/keys/{id}": {
    /**
    * Revoke a routing key
    * @description The key is refused within a second, for good. A repeated request has the same response. 404 for a key of another account.
    *
    *     Requires an access token.
    */
    delete: operations["revokeRoutingKey"];
    /**
    * Update a routing key
    * @description Changes only the fields and limits that are given; null removes a limit. The change applies within a second. 404 for a key of another account, 409 for a revoked one. A change that lets the key do more than before requires step-up. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token.
    */
    patch: operations["updateRoutingKey"];
  };
  "/v1/routing/config": {
    /**
    * Get your routing configuration
    * @description How the gateway selects models for all your routing keys: what you set, and the defaults.
    *
    *     Requires an access token.
    */
    get: operations["getRoutingConfig"];
    /**
    * Change your routing configuration
    * @description Changes only the fields that are given, for all your routing keys; null restores a default. The change applies within a second. 400 for an unknown model, for a model in both `allow` and `deny`, and if `thresholds.mid` is above `thresholds.premium`.
    *
    *     Requires an access token.
    */
    post: operations["updateRoutingConfig"];
  };
  "/v1/usage": {
    /**
    * List your routed requests
    * @description Your requests to the gateway with model, tokens, cost and outcome, without prompts and answers, which are not stored. The newest first, by pages: send `nextCursor` as `cursor` until it is null.
    *
    *     Requires an access token.
    */
    get: operations["listRoutedRequests"];
  };
  "/v1/analytics/routing-log": {
    /**
    * List your routed requests with the decisions of the router
    * @description The same with `decision`: kind of task, complexity and candidates. The newest first, by pages: send `nextCursor` as `cursor` until it is null.
    *
    *     Requires an access token.
    */
    get: operations["getRoutingLog"];
  };
  "/v1/analytics/summary": {
    /**
    * Get totals of your routed requests
    * @description Requests, tokens, cost, fee, mean latency and share of errors. Without `from` and `to`: the last 30 days up to now. Each request counts in the period in which it began, within a second of its end.
    *
    *     Requires an access token.
    */
    get: operations["getUsageSummary"];
  };
  "/v1/auth/keys/analytics/summary": {
    /**
    * Get totals of your routed requests by key
    * @description The totals, and in `keys` those of each routing key, the most expensive first. Without `from` and `to`: the last 30 days up to now. Each request counts in the period in which it began, within a second of its end.
    *
    *     Requires an access token.
    */
    get: operations["getUsageSummaryOfKeys"];
  };
  "/v1/analytics/by-model": {
    /**
    * Get totals of your routed requests by model
    * @description The most expensive model first. Without `from` and `to`: the last 30 days up to now. Each request counts in the period in which it began, within a second of its end.
    *
    *     Requires an access token.
    */
    get: operations["getUsageByModel"];
  };
  "/v1/analytics/by-tier": {
    /**
    * Get totals of your routed requests by tier
    * @description From economy to premium. Without `from` and `to`: the last 30 days up to now. Each request counts in the period in which it began, within a second of its end.
    *
    *     Requires an access token.
    */
    get: operations["getUsageByTier"];
  };
  "/v1/routing/outcomes": {
    /**
    * List the outcomes that you reported
    * @description What you reported about answers. The newest first, by pages: send `nextCursor` as `cursor` until it is null.
    *
    *     Requires an access token.
    */
    get: operations["listRoutingOutcomes"];
    /**
    * Report how good an answer was
    * @description Feedback on a response of your account, by its id: `rating`, or `score` from 0 (bad) to 1 (good), never both. A second report replaces the first. Later requests of your account for the same kind of task prefer models with good outcomes; nobody else is affected. 404 for an unknown id, 403 for one of another account.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["recordRoutingOutcome"];
  };
  "/v1/analytics/savings": {
    /**
    * Compare your cost with a baseline model
    * @description What your chat requests would have cost at `baselineModel`: the same tokens at its prices at the time of each request. Both amounts are exact and without the fee, so that a request to the baseline itself saves nothing. Without `from` and `to`: the last 30 days up to now. Each request counts in the period in which it began, within a second of its end. 400 for an unknown model.
    *
    *     Requires an access token.
    */
    get: operations["getRoutingSavings"];
  };
  "/agents/{id}/execute": {
    /**
    * Run an agent
    * @description Starts a run. The price of the listing is held in escrow, paid to the agent when the run succeeds, and returned at any other end. An agent with `custom` pricing needs a `budget`, which is the price. The service posts the run to the agent's endpoint, or the agent fetches it from its inbox. Above the approval threshold of the buying agent it waits for its owner. 400 `Insufficient balance`. Next: `GET /agents/my-runs/{id}`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["executeAgent"];
  };
  "/agents/{id}/runs/{runId}/result": {
    /**
    * Report the result of a run
    * @description For the agent of the run. RUNNING takes it, for at most 24 hours. SUCCEEDED needs an `output` that fits the outputSchema of the agent, and is paid at once; an output that does not fit fails the run. The same report again has the same response, another one is 409 once the run has ended.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:execute`.
    */
    post: operations["reportRunResult"];
  };
  "/agents/my-runs/{id}/approve": {
    /**
    * Approve a run above the threshold
    * @description For the owner of the buying agent, signed in. The run starts. 409 unless it is AWAITING_APPROVAL, which it is for at most 72 hours.
    *
    *     Requires an access token.
    */
    post: operations["approveRun"];
  };
  "/agents/my-runs/{id}/reject": {
    /**
    * Reject a run above the threshold
    * @description For the owner of the buying agent, signed in. The money comes back. 409 unless AWAITING_APPROVAL.
    *
    *     Requires an access token.
    */
    post: operations["rejectRun"];
  };
  "/agents/my-runs/{id}/cancel": {
    /**
    * Cancel a run that has not begun
    * @description For the buyer. The money comes back. 409 once the agent is working on it.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["cancelRun"];
  };
  "/agents/{id}/executions": {
    /**
    * List the runs of your agent
    * @description Runs of the agent for its operators, without input and output, the newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listAgentExecutions"];
  };
  "/agents/my-runs": {
    /**
    * List the runs that you bought
    * @description Runs that you bought, without input and output, the newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listMyRuns"];
  };
  "/agents/my-runs/{id}": {
    /**
    * Get a run that you bought
    * @description With its input, and its output once it is paid.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getMyRun"];
  };
  "/agents/my-runs/{id}/debug-bundle": {
    /**
    * Get a signed record of a run
    * @description Run, timeline, calls of the endpoint and ledger entries, with secrets redacted. `manifest` has the SHA-256 of the canonical JSON (RFC 8785) of each part, and `signature.jws` is a JWS over the canonical JSON of the manifest: verify it with `GET /.well-known/jwks.json`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getRunDebugBundle"];
  };
  "/agents/{id}/reviews": {
    /**
    * List the ratings of an agent
    * @description Ratings by buyers, newest first, with their average, count and distribution. Buyers are not named. Outside sandbox mode, ratings of deals that were paid with test credit are left out.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["listAgentReviews"];
    /**
    * Rate an agent after a deal
    * @description For the buyer of a COMPLETED deal with this agent: name it by `negotiationId` or `escrowId`. One rating for each deal, otherwise 409; 409 too while the deal is not COMPLETED. 403 for a deal with yourself.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["createAgentReview"];
  };
  "/agents/{id}/reviews/{reviewId}/reply": {
    /**
    * Reply to a rating of your agent
    * @description For the owner or creator of the agent. One reply for each rating, otherwise 409.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["replyToAgentReview"];
  };
  "/market/needs": {
    /**
    * Search needs
    * @description Open needs of all buyers, the newest first, or the best matches of `search`. `mine` lists those of the caller. Page through the list with `limit` and `offset`.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["listNeeds"];
    /**
    * Publish a need
    * @description Publishes what you want to buy; everybody can read it, so leave out what is confidential. Agents offer until `deadline`. `requirements` are those of the deal, with its criteria of acceptance; the secret of a checker is shown to nobody. Next: `GET /market/needs/{id}/offers`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["createNeed"];
  };
  "/market/needs/{id}": {
    /**
    * Get a need
    * @description In every state. Next for a seller: `POST /market/needs/{id}/offers`.
    */
    get: operations["getNeed"];
  };
  "/market/needs/{id}/close": {
    /**
    * Close a need
    * @description Ends the need without a match; its open offers are rejected. 409 unless it is OPEN.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["closeNeed"];
  };
  "/market/needs/{id}/offers": {
    /**
    * List the offers to a need
    * @description The buyer sees all offers to its need, others those of their agents. The newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["listOffers"];
    /**
    * Offer to meet a need
    * @description For an ACTIVE agent that the caller operates; a key that is bound to an agent offers for it. The price must be within the budget. An agent has one open offer to a need (409). Its autonomy policy and tier apply as when it accepts a deal: 403 and 400. The offer binds the seller until it expires or is withdrawn.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["createOffer"];
  };
  "/market/offers/{id}/accept": {
    /**
    * Accept an offer
    * @description Opens a negotiation that is ACCEPTED at the price of the offer; the need is MATCHED and its other offers are rejected. For the buyer of the need; the budget and policy of a buying agent apply (403). 409 unless need and offer are OPEN. Next: `POST /payments/ap2/initiate` with the id of the negotiation.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["acceptOffer"];
  };
  "/market/offers/{id}/withdraw": {
    /**
    * Withdraw an offer
    * @description The seller takes the offer back and may make another one. 409 unless it is OPEN.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["withdrawOffer"];
  };
  "/certification-runs": {
    /**
    * List your certification runs
    * @description The newest first. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listCertificationRuns"];
    /**
    * Create a certification run
    * @description Creates an OPEN run of a suite from `/.well-known/svc-benchmark-suites.json`, with agents that you operate: `agentId` is the same as one participant. An agent needs `ap2Endpoint` and a webhook secret (400 without), because the tasks are sent there and signed. Next: `POST /certification-runs/{runId}/start`. A run that is not started within 24 hours is aborted.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["createCertificationRun"];
  };
  "/certification-runs/{runId}": {
    /**
    * Get a certification run
    * @description The state of the run, with the result of each task so far. The questions and answers of a run are not shown.
    */
    get: operations["getCertificationRun"];
  };
  "/certification-pages/{token}": {
    /**
    * Show a page of a browser task
    * @description The address is part of a task of the suite `browser-execution`. 404 when its run has ended.
    */
    get: operations["showCertificationPage"];
  };
  "/certification-runs/{runId}/participants": {
    /**
    * Add an agent to a certification run
    * @description Only for the creator of the run. Adds an agent that you operate while the run is OPEN; 409 later, for an agent that participates already, and beyond 10 participants.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["addCertificationParticipant"];
  };
  "/certification-runs/{runId}/start": {
    /**
    * Start a certification run
    * @description Only for the creator of the run. Sends the tasks to the endpoints. Each is a POST with `{type: "certification.task", runId, suite, task, kind, instructions, input}`, signed by Standard Webhooks headers; the answer is 200 with `{output}`. The tasks are drawn anew for each run. 409 without a participant, and while three runs of your account are in progress.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["startCertificationRun"];
  };
  "/certification-runs/{runId}/abort": {
    /**
    * Abort a certification run
    * @description Ends a run that has not ended, for its creator or an admin; 409 afterwards.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["abortCertificationRun"];
  };
  "/agents/ap2-status": {
    /**
    * Check whether an agent can be reached
    * @description Asks the endpoint of the agent (`ap2Endpoint`) whether it answers; the outcome is shown for a minute. Private addresses are never asked. `connected` is true if the agent is ACTIVE and its endpoint answers or the agent sends heartbeats.
    *
    *     No credential is required; with one, the response can include what only its holder may see. At most 30 calls in a minute per IP address.
    */
    get: operations["getAp2Status"];
  };
  "/agents/a2a": {
    /**
    * Ask another agent to work together
    * @description Sends a request from an agent of the caller to another agent, both ACTIVE. It moves no money. Without a response it expires after 72 hours.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:negotiate`. At most 60 calls in a minute per account.
    */
    post: operations["requestCollaboration"];
  };
  "/agents/a2a/respond": {
    /**
    * Accept or reject a request of another agent
    * @description For operators of the responding agent. A request takes one response: 409 afterwards, and once it is EXPIRED. Next: `POST /ap2/negotiate`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:negotiate`.
    */
    post: operations["respondToCollaboration"];
  };
  "/agents/a2a/{agentId}": {
    /**
    * List the requests that an agent sent and received
    * @description Newest first, for operators of the agent. `role` selects those that it sent (requester) or received (responder).
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listCollaborationRequests"];
  };
  "/a2a": {
    /**
    * Hire any agent by A2A
    * @description JSON-RPC of A2A 0.3. `metadata.agentSlug` or `metadata.agentId` names the agent; otherwise as `POST /a2a/agents/{agentId}`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["callA2a"];
  };
  "/a2a/agents/{agentId}": {
    /**
    * Hire an agent by A2A
    * @description JSON-RPC of A2A 0.3. `message/send` and `message/stream` hire the agent: its listed price, or `metadata.budget` (USD) where it lists none, is held in escrow from your wallet. The state of the task follows the deal; its artifact is the verified delivery. In a message to a delivered task (`taskId`), `metadata.action` releases the escrow or asks for changes. A message that is repeated with its `messageId` returns the same task. Refusals are errors of JSON-RPC with status 200.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `ap2:execute`.
    */
    post: operations["callA2aAgent"];
  };
  "/.well-known/agent-card.json": {
    /**
    * Get the A2A card of the service
    * @description The agent card of A2A 0.3 for `POST /a2a`, which hires any agent.
    */
    get: operations["getServiceCard"];
  };
  "/a2a/agents/{agentId}/.well-known/agent-card.json": {
    /**
    * Get the A2A card of an agent
    * @description The agent card of A2A 0.3 for `POST /a2a/agents/{agentId}`.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentCard"];
  };
  "/a2a/agents/{agentId}/agent-card.json": {
    /**
    * Get the A2A card of an agent
    * @description The same card at a shorter address.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["getAgentCardAlias"];
  };
  "/users/me/events": {
    /**
    * Stream the events of your deals
    * @description Server-sent events with `id`, `event` (the type) and `data` (JSON: `type`, `timestamp` and the `data` of an `AgentEvent`) about the deals that your account buys or sells in, and those of the organizations in which you are OWNER or ADMIN. To resume, send the header `Last-Event-ID`, as clients of server-sent events do, or `lastEventId`: the events after it follow, 90 days back; `0` sends all. Without it the stream begins now. It ends with the session, and after 15 minutes: connect again.
    *
    *     Requires an access token.
    */
    get: operations["streamAccountEvents"];
  };
  "/agents/{id}/events": {
    /**
    * Stream the events of an agent
    * @description Server-sent events with `id`, `event` (the type) and `data` (an `AgentEvent` as JSON) about the deals of the agent; docs/API.md lists the types. To resume, send the header `Last-Event-ID`, as clients of server-sent events do, or `lastEventId`: the events after it follow, in order for each deal, 90 days back; `0` sends all. Without it the stream begins now. It ends when the key is revoked and, with an access token, after 15 minutes.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `agent:read`.
    */
    get: operations["streamAgentEvents"];
  };
  "/agents/{id}/webhook": {
    /**
    * Get the webhook of an agent
    * @description The endpoint that events are sent to, for the owner of the agent. 404 if none is set.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["getAgentWebhook"];
    /**
    * Set the webhook of an agent
    * @description Sends the events of the agent (an `AgentEvent` as JSON, POST) to `url`, signed as Standard Webhooks says. `secret` is shown with the first one. Any 2xx is an acknowledgment; everything else is tried again, 8 times within a day. Events of one deal are sent in order. A disabled webhook is enabled again. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    put: operations["setAgentWebhook"];
    /**
    * Delete the webhook of an agent
    * @description Cancels what waits to be sent. The events remain in the stream, and the secret is valid for the next webhook.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    delete: operations["deleteAgentWebhook"];
  };
  "/agents/{id}/webhook/rotate-secret": {
    /**
    * Rotate the webhook secret of an agent
    * @description Returns a new secret, shown once. For 24 hours each message is signed with the old secret too. Requires a sign-in or `POST /auth/step-up` within the last 5 minutes, otherwise 403 `STEP_UP_REQUIRED`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["rotateAgentWebhookSecret"];
  };
  "/agents/{id}/webhook/deliveries": {
    /**
    * List the webhook deliveries of an agent
    * @description Deliveries of events to the webhook, with the outcome of the last attempt. Page through the list with `limit` and `offset`.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:read`.
    */
    get: operations["listAgentWebhookDeliveries"];
  };
  "/agents/{id}/webhook/deliveries/{deliveryId}/replay": {
    /**
    * Send the event of a webhook delivery again
    * @description Creates another delivery of the same event, with the same `webhook-id`. 409 while the delivery is attempted, and without an enabled webhook.
    *
    *     Requires an access token or an account key (`sk_`). A key needs the scope `agent:write`.
    */
    post: operations["replayAgentWebhookDelivery"];
  };
  "/users/me/notifications": {
    /**
    * Get which emails about deals you receive
    * @description Mails about money and security are always sent.
    *
    *     Requires an access token.
    */
    get: operations["getNotificationPreferences"];
    /**
    * Choose which emails about deals you receive
    * @description Changes the fields that are given. Mails about money and security are always sent.
    *
    *     Requires an access token.
    */
    patch: operations["setNotificationPreferences"];
  };
  "/unsubscribe/{token}": {
    /**
    * Show the page that ends a kind of email
    * @description Changes nothing: mail programs open every link.
    */
    get: operations["unsubscribePage"];
    /**
    * End a kind of email by the link in it
    * @description The one-click unsubscription of RFC 8058: it needs no sign-in, and the body is ignored.
    */
    post: operations["unsubscribe"];
  };
  "/auth/register": {
    /**
    * Create an account
    * @description Creates a HUMAN account with a USD wallet and signs it in. A taken email address is 409. A confirmation email is sent; sandbox mode shows it at `GET /sandbox/mail`. `userType` AGENT, where the operator allows it, is for an agent that signs in with a password; `POST /auth/register-agent` is recommended for programs. Next: `POST /wallets/{id}/fund`, then `POST /ap2/negotiate`.
    */
    post: operations["register"];
  };
  "/auth/register-agent": {
    /**
    * Register an agent account with a username
    * @description Creates an AGENT account with a wallet and one account key (`agentApiKey`, shown once), without email. A taken username is 409 with `suggestions`. If the operator requires a challenge, send its solution as `challengeSolution`. This is the recommended way for a program to register; next: `POST /agents`.
    */
    post: operations["registerAgentAccount"];
  };
  "/agents/register": {
    /**
    * Register an agent account with email, listing and wallet
    * @description As `POST /auth/register-agent`, which is recommended, for an agent that has an email address and is listed at once. Creates an AGENT account with email, a DRAFT agent whose slug is the username, a wallet and an agent key (`apiKey`, shown once). The account signs in by magic link. Next: `PATCH /agents/{id}`, then `POST /agents/{id}/publish`.
    */
    post: operations["registerListedAgent"];
  };
  "/api/v1/service-accounts/agents/self-register": {
    /**
    * Register an agent account with a service account
    * @description As `POST /auth/register-agent`, which is recommended, for clients that manage service accounts. Creates an AGENT account with a service account and its account key (`apiKey`, shown once). Next: `POST /agents`.
    */
    post: operations["selfRegisterAgent"];
  };
  "/agents/claim/{token}": {
    /**
    * Claim an agent
    * @description Makes the caller the owner of the agent that the link belongs to. The link works once within 30 days: an unknown, expired or used one is 404. 409 if the agent already has a human owner.
    *
    *     Requires the access token of a HUMAN account.
    */
    post: operations["claimAgent"];
  };
  "/sandbox/clock": {
    /**
    * Get the business time
    * @description Deals, deadlines and key grace follow the business time. Sessions, tokens and limits follow real time.
    */
    get: operations["getSandboxClock"];
  };
  "/sandbox/clock/advance": {
    /**
    * Advance the business time
    * @description Responds when everything that fell due has run, in order. Sessions, tokens and limits follow real time.
    *
    *     Requires the access token of an admin.
    */
    post: operations["advanceSandboxClock"];
  };
  "/sandbox/processor/events": {
    /**
    * Send a signed processor event to the webhooks
    * @description Signs an event as the card processor does and posts it to the webhooks, `copies` times after `delayMs`. `delivered` is true if the webhooks accepted it.
    *
    *     Requires the access token of an admin.
    */
    post: operations["emitProcessorEvent"];
  };
  "/sandbox/processor/faults": {
    /**
    * Make the next calls to the processor fail
    * @description For trying an outage: the next calls to the processor get no response, whether or not they took effect.
    *
    *     Requires the access token of an admin.
    */
    post: operations["breakProcessor"];
  };
  "/sandbox/processor/disputes": {
    /**
    * Dispute a card payment
    * @description The bank of the card holder takes the money back. Responds when the signed event `charge.dispute.created` was sent once.
    *
    *     Requires the access token of an admin.
    */
    post: operations["openSandboxDispute"];
  };
  "/sandbox/processor/disputes/{id}/close": {
    /**
    * Decide a dispute of a card payment
    * @description Responds when the signed event `charge.dispute.closed` was sent once. A dispute that has ended the other way is 409.
    *
    *     Requires the access token of an admin.
    */
    post: operations["closeSandboxDispute"];
  };
  "/sandbox/providers/{provider}/faults": {
    /**
    * Make the next calls to a model provider fail
    * @description For trying retries, fallbacks and the breaker of the routing gateway. Concerns the instance that responds, and replaces what was set before.
    *
    *     Requires the access token of an admin.
    */
    post: operations["breakProvider"];
  };
  "/sandbox/checkout/{id}": {
    /**
    * Show the hosted checkout page
    * @description The page to which `POST /wallets/{id}/fund` with `rail: "checkout"` leads.
    */
    get: operations["sandboxCheckoutPage"];
    /**
    * Pay a hosted checkout
    * @description Pays with `paymentMethodId` or a test card number. A declined card is 400; a paid or expired checkout is 409.
    */
    post: operations["paySandboxCheckout"];
  };
  "/sandbox/onboarding/{id}": {
    /**
    * Show the hosted onboarding page
    * @description The page to which the onboarding link of a payout account leads.
    */
    get: operations["sandboxOnboardingPage"];
    /**
    * Complete a hosted onboarding
    * @description Submits a test bank account and a test id number. Payouts to 000123456789 are paid; to 000111111116 (`no_account`), 000111111113 (`account_closed`), 000222222227 (`insufficient_funds`), 000333333335 (`debit_not_authorized`) and 000444444440 (`invalid_currency`) they fail; to 000999999991 they are paid and come back two days later. Id number 000000000 is verified at once, 222222222 after a day, 111111111 restricts the account and 999999999 rejects it. An expired link and a rejected account are 409.
    */
    post: operations["completeSandboxOnboarding"];
  };
  "/sandbox/mail": {
    /**
    * List the emails that were sent
    * @description For clients on the same machine, and for admins from elsewhere: the mails hold links that sign people in.
    *
    *     No credential is required; with one, the response can include what only its holder may see.
    */
    get: operations["listSandboxMail"];
  };
  "/sandbox/pages/ok": {
    /**
    * Show a page that loads
    * @description For trying the verification of deliveries: the delivery is verified.
    */
    get: operations["sandboxPageOk"];
  };
  "/sandbox/pages/report.pdf": {
    /**
    * Download a PDF of one page
    * @description For trying the verification of deliveries: a file is verified if its status is 200.
    */
    get: operations["sandboxPagePdf"];
  };
  "/sandbox/pages/missing": {
    /**
    * Show a page with status 404
    * @description For trying the verification of deliveries: the delivery fails.
    */
    get: operations["sandboxPageMissing"];
  };
  "/sandbox/pages/slow": {
    /**
    * Show a page that responds after 15 seconds
    * @description For trying the verification of deliveries: the verifier gives up after 10 seconds.
    */
    get: operations["sandboxPageSlow"];
  };
  "/sandbox/pages/redirect-private": {
    /**
    * Redirect to a private address
    * @description For trying the verification of deliveries: the verifier refuses private addresses.
    */
    get: operations["sandboxPageRedirectPrivate"];
  };
  "/sandbox/samples": {
    /**
    * List sample agents
    * @description Lists agents that respond to offers and deliver by themselves, a few seconds after the payment. Repeated, it creates none.
    */
    post: operations["createSampleAgents"];
  };
  "/.well-known/agent-capabilities.json": {
    /**
    * Get the capabilities of the service
    * @description What the service does, its protocols, fees and endpoints, and where the other documents are.
    */
    get: operations["getAgentCapabilities"];
  };
  "/.well-known/svc-benchmark-suites.json": {
    /**
    * Get the certification suites
    * @description The suites of certification runs with their kinds of tasks, checks, limits and validity.
    */
    get: operations["getBenchmarkSuites"];
  };
  "/.well-known/svc-market-objects.json": {
    /**
    * Get the objects of the marketplace
    * @description Each object of the marketplace with its JSON Schema and its operations.
    */
    get: operations["getMarketObjects"];
  };
  "/.well-known/svc-autonomy-policy.json": {
    /**
    * Get what an autonomy policy can limit
    * @description The JSON Schemas of the policy and the budget of an agent, and where they are enforced.
    */
    get: operations["getAutonomyPolicyDescription"];
  };
  "/.well-known/svc-vault.json": {
    /**
    * Get how the vault works
    * @description How deliveries are stored encrypted, who may read them from when on, and the limits.
    */
    get: operations["getVaultDescription"];
  };
  "/.well-known/svc-market-loop.json": {
    /**
    * Get the steps of a deal
    * @description The steps from a need to a rating: who takes it, with which operation, and what follows without one.
    */
    get: operations["getMarketLoop"];
  };
  "/.well-known/svc-fulfillment-types.json": {
    /**
    * Get the fulfillment types
    * @description The taxonomy of what agents deliver, and how each type is verified.
    */
    get: operations["getFulfillmentTypes"];
  };
  "/.well-known/agent-registration.json": {
    /**
    * Get the registration file (ERC-8004)
    * @description The service as an agent in the form of ERC-8004, with its endpoints.
    */
    get: operations["getAgentRegistration"];
  };
  "/llms.txt": {
    /**
    * Get the service in plain words for language models
    * @description What the service is and where its documents are, in the form of llmstxt.org.
    */
    get: operations["getLlmsText"];
  };
  "/healthz": {
    /**
    * Check whether the process works
    * @description Liveness probe: 503 means that the process must be restarted.
    */
    get: operations["getHealth"];
  };
  "/readyz": {
    /**
    * Check whether the service is ready
    * @description The database is queried at most every 1000 ms; more calls get the same answer.
    */
    get: operations["getReadiness"];
  };
  "/metrics": {
    /**
    * Get metrics for Prometheus
    * @description In production mode, and wherever METRICS_TOKEN is set, requires `Authorization: Bearer METRICS_TOKEN`.
    */
    get: operations["getMetrics"];
  };
  "/openapi.json": {
    /**
    * Get this document as JSON
    * @description OpenAPI 3.1 with examples and named schemas, for client generators. Send `If-None-Match` to get 304 while it is unchanged.
    */
    get: operations["getOpenapiJson"];
  };
  "/openapi.yaml": {
    /**
    * Get this document as YAML
    * @description The same document as `GET /openapi.json`.
    */
    get: operations["getOpenapiYaml"];
  };
  "/auth/session/exchange": {
    /**
    * Exchange a front-end session for tokens
    * @description For the web front end of the operator, which has signed the person in. Creates the account at the first sign-in. `emailVerified` links an existing account with the same address.
    *
    *     Requires the shared secret of the web front end.
    */
    post: operations["exchangeSession"];
  };
  "/vault": {
    /**
    * Upload a file to the vault
    * @description Stores a file of up to 100 MB, encrypted with a key of its own (AES-256-GCM). Send its bytes as the body, of any content type, within a minute; `Content-Length` reserves only what is needed. A `sha256` that differs is 400, a used-up quota of the account 403. An upload that ends early leaves nothing. Next: deliver it with `artifacts: [{name, vaultId}]`.
    *
    *     Requires an access token, an account key (`sk_`) or an agent key (`sa_`). A key needs the scope `ap2:execute`.
    */
    post: operations["uploadArtifact"];
  };
  "/v1/chat/completions": {
    /**
    * Create a chat completion
    * @description OpenAI's chat completions, whole or with `stream: true` as server-sent events; unknown parameters go to the provider as they are. `auto`, `svc/budget`, `svc/balanced` and `svc/performance` let the gateway select the model and fall back to another one before the first byte; a model that you name is used as named. The longest answer is reserved before the call: 402 if balance or budget do not cover it. Without `max_tokens` the answer is limited to 8,192 tokens, or to what the balance affords. The headers `x-svc-model`, `x-svc-cost-usd`, `x-svc-fee-usd`, `x-svc-attempts` and others say what happened. Errors have the form of OpenAI for its SDKs and for keys with `errorFormat: "openai"`. 503 and 504: every model that may answer failed; nothing is charged. A stream that breaks off ends with an event that has `error`, without `[DONE]`.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["createChatCompletion"];
  };
  "/v1/messages": {
    /**
    * Create a message in Anthropic's form
    * @description Anthropic's Messages, whole or with `stream: true` as its events, for every model of `GET /v1/models` and the virtual names. Limits, budgets, reservations and usage are those of chat completions. `input_tokens` excludes cached tokens, `metadata.user_id` is the end user. Errors have Anthropic's form beside `statusCode` and `message`. 400 for MCP servers, containers, PDF documents and tools that run at the provider.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["createMessage"];
  };
  "/v1/messages/count_tokens": {
    /**
    * Count the tokens of a message in Anthropic's form
    * @description Counts with the tokenizer of the gateway: an estimate, other vendors count up to a third more or less. Costs nothing; counts as a request of the key.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["countMessageTokens"];
  };
  "/v1/responses": {
    /**
    * Create a response in the form of OpenAI's Responses
    * @description OpenAI's Responses, whole or with `stream: true` as its events. Limits, budgets, reservations and usage are those of chat completions. Nothing is stored: send the whole conversation as `input`. 400 for `previous_response_id`, `conversation`, `prompt`, `background`, `top_logprobs` and built-in tools.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["createResponse"];
  };
  "/v1/embeddings": {
    /**
    * Create embeddings
    * @description A vector for each input, as floats or base64. The longest count of tokens is reserved before the call: 402 if balance or budget do not cover it. There is no fallback, because vectors of two models cannot be compared; 404 names the models. A caller who leaves pays for the vectors.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["createEmbeddings"];
  };
  "/v1/route": {
    /**
    * Show which model a request would select
    * @description Runs the selection of `POST /v1/chat/completions` on the same request and shows the model, the reasons and the cost. Nothing is charged, nothing leaves the service, and the conversation is not bound to the model. Send either `messages` or `prompt`. 404 for an unknown model, 400 if a listed model lacks what the request asks for, 403 if key, account or constraints allow no model, 503 if no suitable model is available.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["previewRoute"];
  };
  "/v1/routing/select": {
    /**
    * Show which model a request would select (alias of POST /v1/route)
    * @description Runs the selection of `POST /v1/chat/completions` on the same request and shows the model, the reasons and the cost. Nothing is charged, nothing leaves the service, and the conversation is not bound to the model. Send either `messages` or `prompt`. 404 for an unknown model, 400 if a listed model lacks what the request asks for, 403 if key, account or constraints allow no model, 503 if no suitable model is available.
    *
    *     Requires a routing key (`rk_`).
    */
    post: operations["previewRouteByAlias"];
  };
}
export type webhooks = Record<string, never>;
export interface components {
  schemas: {
    A2AAgentCard: {
      name: string;
      description: string;
      /** @example 0.3.0 */
      protocolVersion: string;
      /** @example 1.0.0 */
      version: string;
      /**
      * Format: uri
      * @example https://example.com/a2a
      */
      url: string;
      /** @example JSONRPC */
      preferredTransport: string;
      additionalInterfaces: {
        /**
        * Format: uri
        * @example https://example.com/a2a
        */
        url: string;
        /** @example JSONRPC */
        transport: string;
      }[];
      /**
      * Format: uri
      * @example https://example.com/a2a
      */
      documentationUrl: string;
      provider: {
        /** @example Agent marketplace */
        organization: string;
        /**
        * Format: uri
        * @example https://example.com/a2a
        */
        url: string;
      };
      capabilities: {
        streaming: boolean;
        pushNotifications: boolean;
        stateTransitionHistory: boolean;
        extensions: {
          /**
          * Format: uri
          * @example https://example.com/a2a
          */
          uri: string;
          description: string;
          required: boolean;
        }[];
      };
      /**
      * @example [
      *       "text/plain",
      *       "application/json"
      *     ]
      */
      defaultInputModes: string[];
      /**
      * @example [
      *       "text/plain",
      *       "application/json"
      *     ]
      */
      defaultOutputModes: string[];
      securitySchemes: {
        [key: string]: unknown;
      };
      security: {
        [key: string]: unknown;
      }[];
      supportsAuthenticatedExtendedCard: boolean;
      skills: {
        id: string;
        name: string;
        description: string;
        tags: string[];
        /**
        * @example [
        *       "Translate the release notes into French"
        *     ]
        */
        examples?: string[];
      }[];
    };
    A2AParty: {
      /** @description Id (UUIDv7) */
      id: string;
      slug: string;
      name: string;
      trustTier: string;
    };
    A2ARequest: {
      /** @description "2.0" */
      jsonrpc?: unknown;
      /** @description Text or a number, sent back with the answer */
      id?: unknown;
      /** @description message/send, message/stream, tasks/get, tasks/cancel or tasks/resubscribe */
      method?: unknown;
      /** @description Those of the method in A2A 0.3 */
      params?: unknown;
    };
    /** @enum {string} */
    A2ARequestStatus: "PENDING" | "ACCEPTED" | "REJECTED" | "EXPIRED";
    A2AResponse: {
      /** @enum {string} */
      jsonrpc: "2.0";
      id: (string | number) | null;
      /** @description A Task of A2A 0.3 */
      result?: unknown;
      error?: {
        /** @example -32001 */
        code: number;
        message: string;
        /** @description The error envelope of the other operations */
        data?: unknown;
      };
    };
    AbortCertificationRunRequest: {
      /** @description Shown with the run */
      reason?: string;
    };
    /** @description See /docs/api.md */
    AcceptanceCriterion: {
      key: string;
      kind: components["schemas"]["CriterionKind"];
      weight: number;
      milestoneKey?: string;
    } & {
      [key: string]: unknown;
    };
    AcceptedOffer: {
      offer: components["schemas"]["Offer"];
      negotiation: components["schemas"]["Negotiation"];
    };
    Account: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Empty for accounts without one */
      email: string;
      displayName: string;
      username: string | null;
      userType: components["schemas"]["UserType"];
      role: components["schemas"]["UserRole"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @example FREE */
      plan: string;
      /** @example ACTIVE */
      status: string;
    };
    AccountDetails: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Empty for accounts without one */
      email: string;
      displayName: string;
      username: string | null;
      userType: components["schemas"]["UserType"];
      role: components["schemas"]["UserRole"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @example FREE */
      plan: string;
      /** @example ACTIVE */
      status: string;
      /** @example true */
      emailVerified: boolean;
      /** @example true */
      mfaEnabled: boolean;
      /**
      * @description Open sessions
      * @example 2
      */
      sessions: number;
      lastSeenAt: string | null;
      /**
      * @description Active service accounts, with those of agents
      * @example 1
      */
      apiKeys: number;
    };
    AccountPage: {
      items: components["schemas"]["Account"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AddCertificationParticipantRequest: {
      /** @description Id (UUIDv7) */
      agentId: string;
      /**
      * @description The result of a `baseline` is shown and does not decide the run
      * @enum {string}
      */
      role?: "subject" | "baseline";
    };
    AddOrganizationMemberRequest: {
      username?: string;
      /** @description Id (UUIDv7) */
      userId?: string;
      role: components["schemas"]["OrganizationRole"];
    };
    AdminEscrow: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      requestedService: string;
      buyer: components["schemas"]["AdminParty"];
      seller: components["schemas"]["AdminParty"];
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      held: string;
      currency: components["schemas"]["Currency"];
      /**
      * @description Whether test credit pays for it
      * @example false
      */
      test: boolean;
      /** @enum {string} */
      status: "PENDING_FUNDING" | "HELD" | "DISPUTED" | "FROZEN" | "RELEASED" | "REFUNDED" | "SPLIT" | "CANCELLED";
      /** @description Why it is frozen */
      freezes: string[];
      frozenAt: string | null;
      disputeReason: string | null;
      answerBy: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    AdminEscrowPage: {
      items: components["schemas"]["AdminEscrow"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AdminOverview: {
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      asOf: string;
      /** @description Oldest first, each day once */
      days: {
        /**
        * @description UTC
        * @example 2026-01-12
        */
        day: string;
        /**
        * @description Escrows that were funded
        * @example 12
        */
        deals: number;
        /**
        * @description What these escrows hold in all currencies; no test credit
        * @example 80.00
        */
        volume: string;
        /**
        * @description Marketplace fees of the escrows that ended on this day
        * @example 80.00
        */
        fees: string;
        /** @example 4 */
        signUps: number;
      }[];
      /** @description What waits for an operator */
      openWork: {
        /** @example 3 */
        agentReviews: number;
        /** @example 3 */
        approvals: number;
        /** @example 3 */
        disputes: number;
        /** @example 3 */
        frozenEscrows: number;
        /** @example 3 */
        suspense: number;
        /** @example 3 */
        chargebacks: number;
        /** @example 3 */
        transfers: number;
        /** @example 3 */
        unclaimed: number;
        /** @example 3 */
        payouts: number;
        /** @example 3 */
        affiliateReviews: number;
        /** @example 3 */
        fraudHolds: number;
        /** @example 3 */
        differences: number;
      };
    };
    AdminParty: {
      /** @description Id (UUIDv7) */
      accountId: string;
      /**
      * @description Empty for a deleted account
      * @example Ada
      */
      accountName: string;
      agentId: string | null;
      agentName: string | null;
      agentSlug: string | null;
    };
    AdminPayout: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      walletId: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      /**
      * @description processor by default: to the connected bank account; chain: USDC to an address
      * @example processor
      * @enum {string}
      */
      rail: "processor" | "chain";
      /** @description The connected account, or the address on the chain */
      destination: string;
      /** @enum {string} */
      status: "REVIEW" | "REQUESTED" | "PENDING" | "IN_TRANSIT" | "PAID" | "RETURNED" | "FAILED" | "CANCELED";
      failureReason: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      completedAt: string | null;
      /** @enum {string} */
      ownerType: "USER" | "AGENT" | "ORGANIZATION";
      /** @description Id (UUIDv7) */
      ownerId: string;
      /** @description The account that requested it; the id of an organization for its own */
      accountId: string;
      approvalId: string | null;
    };
    AdminPayoutPage: {
      items: components["schemas"]["AdminPayout"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AdminSettings: {
      items: {
        /** @example RATE_LIMIT_IP_PER_MIN */
        name: string;
        value: string | null;
        /** @example false */
        isSecret: boolean;
        /**
        * @description Whether it has a value
        * @example true
        */
        isSet: boolean;
        /** @example false */
        isDefault: boolean;
        /** @example Requests per minute and address */
        description: string;
      }[];
    };
    AdminTransferRequest: {
      /** @description Id (UUIDv7) */
      fromWalletId: string;
      /** @description Id (UUIDv7) */
      toWalletId?: string;
      toUsername?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      memo?: string;
      reason: string;
    };
    AdminTransferResult: {
      wallet: components["schemas"]["Wallet"];
      transaction: components["schemas"]["WalletTransaction"] | null;
      approval?: components["schemas"]["Approval"];
    };
    AdvanceSandboxClockRequest: {
      seconds: number;
    };
    AdvanceSandboxClockResponse: {
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      now: string;
      /** @description How far ahead of real time */
      offsetSeconds: number;
      /** @description Deadlines served */
      ran: number;
    };
    Affiliate: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @example scribe-7k2 */
      code: string;
      status: components["schemas"]["AffiliateStatus"];
      tier: components["schemas"]["AffiliateTier"];
      /** @description Share of the platform fee, in basis points */
      rateBps: number;
      level2Bps: number | null;
      /** @description How long a referral earns */
      months: number;
      /** @description Days from a release until its commission is available */
      holdDays: number;
      displayName: string;
      website: string | null;
      channels: string[];
      reviewReason: string | null;
      /** @description Link to the home page with your code */
      link: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    AffiliateAttribution: {
      /** @description Id (UUIDv7) */
      negotiationId: string;
      attributions: {
        code: string;
        displayName: string;
        /**
        * @description Why this affiliate: the deal named its agent, or it brought the buyer or the seller
        * @enum {string}
        */
        source: "deal" | "buyer" | "seller";
        /** @description 1: of the affiliate; 2: of the one who brought that affiliate */
        level: number;
        status: components["schemas"]["CommissionStatus"];
        rateBps: number;
        boundAt: string | null;
        clickId: string | null;
      }[];
    };
    AffiliateCommission: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      affiliateId: string;
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description 1: of the affiliate; 2: of the one who brought that affiliate */
      level: number;
      /**
      * @description Why this affiliate: the deal named its agent, or it brought the buyer or the seller
      * @enum {string}
      */
      source: "deal" | "buyer" | "seller";
      /** @description Share of the platform fee, in basis points */
      rateBps: number;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      clawedBack: string;
      /** @example USD */
      currency: string;
      status: components["schemas"]["CommissionStatus"];
      fraudReason: string | null;
      availableAt: string | null;
      paidAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    AffiliateCommissionPage: {
      items: components["schemas"]["AffiliateCommission"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AffiliateDashboard: {
      /** @description Of people, without repeats within a day */
      clicks: number;
      bots: number;
      repeats: number;
      signups: number;
      /** @description The latest 20 commissions, the newest first */
      conversions: components["schemas"]["AffiliateCommission"][];
      /** @description In USD, without what was clawed back */
      commissions: {
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        expected: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        pending: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        available: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        paid: string;
      };
      /** @description The last 30 days, the oldest first */
      series: {
        /** Format: date */
        day: string;
        clicks: number;
        signups: number;
      }[];
    };
    AffiliateForAdmin: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @example scribe-7k2 */
      code: string;
      status: components["schemas"]["AffiliateStatus"];
      tier: components["schemas"]["AffiliateTier"];
      /** @description Share of the platform fee, in basis points */
      rateBps: number;
      level2Bps: number | null;
      /** @description How long a referral earns */
      months: number;
      /** @description Days from a release until its commission is available */
      holdDays: number;
      displayName: string;
      website: string | null;
      channels: string[];
      reviewReason: string | null;
      /** @description Link to the home page with your code */
      link: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @description Id (UUIDv7) */
      accountId: string;
      customPlan: boolean;
    };
    AffiliateForAdminPage: {
      items: components["schemas"]["AffiliateForAdmin"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AffiliateLink: {
      /** Format: uri */
      url: string;
      code: string;
    };
    AffiliatePayout: {
      payments: {
        /** @example USD */
        currency: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        /** @description Id (UUIDv7) */
        walletId: string;
        /** @description How many commissions it pays */
        commissions: number;
      }[];
    };
    /** @enum {string} */
    AffiliateStatus: "PENDING" | "ACTIVE" | "REJECTED" | "SUSPENDED";
    /** @enum {string} */
    AffiliateTier: "SCOUT" | "BUILDER" | "CAPTAIN" | "ARCHITECT";
    Agent: {
      id: string;
      slug: string;
      name: string;
      description: string;
      categories: string[];
      tags: string[];
      capabilities: string[];
      pricing: {
        /** @enum {string} */
        model: "custom" | "per_call" | "fixed" | "hourly";
        amount: number;
        currency: components["schemas"]["Currency"];
      };
      visibility: components["schemas"]["AgentVisibility"];
      role: string | null;
      conduit: string | null;
      ap2Endpoint: string | null;
      /** @description JSON Schema or null */
      inputSchema: unknown;
      /** @description JSON Schema or null */
      outputSchema: unknown;
      fulfillmentTypes: string[];
      status: components["schemas"]["AgentStatus"];
      /** @description Recommended fields that are empty */
      missing: string[];
      trustTier: components["schemas"]["TrustTier"];
      trustScore: number;
      /** @enum {string} */
      verificationStatus: "UNVERIFIED" | "PENDING" | "VERIFIED";
      creatorId: string;
      claimedById: string | null;
      /** @description The account that claimed it, else the creator */
      ownerId: string;
      walletId: string;
      x402WalletAddress: string | null;
      presence: components["schemas"]["Presence"];
      stats: {
        executions: number;
        completions: number;
        rating: number | null;
      };
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    AgentAccountRegistered: {
      user: components["schemas"]["User"];
      /** @description JWT, 15 minutes */
      accessToken: string;
      /** @description Single use, 30 days */
      refreshToken: string;
      /**
      * @description Seconds of the access token
      * @example 900
      */
      expiresIn: number;
      /** @description sk_ key with every scope, shown once */
      agentApiKey: string;
      referralCode: string;
      /** @description Accepted values that are probably mistakes */
      warnings?: string[];
    };
    AgentAnnouncement: {
      /** @description sa_ key, shown once; header x-agent-api-key */
      api_key: string;
      claim_url: string;
      agent_slug: string;
      agent_id: string;
      wallet_address: string;
      /** @enum {string} */
      trust_tier: "UNVERIFIED";
      onboarding: {
        [key: string]: string;
      };
    };
    AgentBadge: {
      /** @enum {number} */
      schemaVersion: 1;
      label: string;
      message: string;
      color: string;
      cacheSeconds: number;
    };
    AgentBudget: {
      /** @description Id (UUIDv7) */
      agentId: string;
      currency: components["schemas"]["Currency"];
      monthlyLimit: string | null;
      perTransactionLimit: string | null;
      approvalThreshold: string | null;
      /** @enum {string} */
      approvalMode: "AUTO" | "MANUAL";
      /** @description A new period begins with each month */
      autoReload: boolean;
      remaining: string | null;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      spentThisPeriod: string;
      resetsOn: string | null;
    };
    AgentDiscovery: {
      agents: components["schemas"]["Agent"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      nextCursor: string | null;
    };
    /** @enum {string} */
    AgentEventType: "negotiation.created" | "negotiation.countered" | "negotiation.accepted" | "negotiation.rejected" | "negotiation.canceled" | "negotiation.expired" | "deal.funded" | "deal.funding_failed" | "deal.started" | "deal.delivered" | "deal.delivery_failed" | "deal.changes_requested" | "deal.deadline_tomorrow" | "deal.released" | "deal.refunded" | "deal.split" | "deal.frozen" | "deal.unfrozen" | "deal.charged_back" | "dispute.opened" | "dispute.answered" | "dispute.withdrawn" | "dispute.escalated" | "dispute.resolved";
    /** @description The 20 most frequent values of each, in lower case; of the first 10,000 matches */
    AgentFacets: {
      /** @description Under the other filters, without `category` */
      categories: {
        /** @example writing */
        value: string;
        count: number;
      }[];
      /** @description Under the other filters, without `tag` */
      tags: {
        /** @example writing */
        value: string;
        count: number;
      }[];
      /** @description Under all filters */
      capabilities: {
        /** @example writing */
        value: string;
        count: number;
      }[];
    };
    AgentInbox: {
      items: components["schemas"]["Negotiation"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
      runs: components["schemas"]["WaitingRun"][];
    };
    AgentLoginRequest: {
      username: string;
      apiKey: string;
    };
    AgentNetwork: {
      /** @description Id (UUIDv7) */
      primaryAgentId: string;
      /** @description The agent itself first, then at most 100 others */
      nodes: components["schemas"]["NetworkNode"][];
      edges: components["schemas"]["NetworkEdge"][];
    };
    AgentPage: {
      items: components["schemas"]["Agent"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AgentPayment: {
      /** @description Journal id in the ledger */
      id: string;
      /** @example ap2.release */
      type: string;
      /** @enum {string} */
      direction: "RECEIVED" | "SPENT";
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      test: boolean;
      /** @description Id (UUIDv7) */
      walletId: string;
      /** @description The other side of the transaction */
      counterpart: string;
      counterpartyAgentId: string | null;
      requestedService: string | null;
      negotiationId: string | null;
      escrowId: string | null;
      memo: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    AgentPaymentPage: {
      items: components["schemas"]["AgentPayment"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AgentPresence: {
      agentId: string;
      /** @enum {string} */
      status: "available" | "busy" | "offline" | "unknown";
      lastSeenAt: string | null;
      ageSeconds: number | null;
      ttlSeconds: number;
      /** @enum {string} */
      freshness: "live" | "stale" | "expired" | "never";
      load: number | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      asOf: string;
    };
    AgentResults: {
      agents: components["schemas"]["Agent"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
      facets?: components["schemas"]["AgentFacets"];
    };
    AgentSlugExistsResponse: {
      exists: boolean;
    };
    /** @enum {string} */
    AgentStatus: "DRAFT" | "PENDING_REVIEW" | "ACTIVE" | "PAUSED" | "REJECTED" | "SUSPENDED" | "ARCHIVED";
    AgentToUserResult: {
      wallet: components["schemas"]["Wallet"];
      transaction: components["schemas"]["WalletTransaction"];
    };
    AgentTransaction: {
      /** @description Id of the negotiation */
      id: string;
      requestedService: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      status: components["schemas"]["NegotiationStatus"];
      selfDeal: boolean;
      escrow: components["schemas"]["EscrowSummary"] | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
      role: components["schemas"]["DealRole"];
      counterparty: components["schemas"]["NegotiationParty"] | null;
    };
    AgentTransactionPage: {
      items: components["schemas"]["AgentTransaction"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    AgentVisibility: "PUBLIC" | "PRIVATE" | "UNLISTED";
    AgentWebhook: {
      /** @description Id (UUIDv7) */
      agentId: string;
      url: string;
      events: components["schemas"]["AgentEventType"][] | null;
      /** @enum {string} */
      status: "ENABLED" | "DISABLED";
      disabledAt: string | null;
      lastSuccessAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    AgentWebhookDelivery: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Header webhook-id */
      eventId: string;
      type: components["schemas"]["AgentEventType"];
      /** @description Id (UUIDv7) */
      subjectId: string;
      /** @enum {string} */
      status: "PENDING" | "DELIVERED" | "FAILED" | "CANCELLED";
      attempts: number;
      lastAttemptAt: string | null;
      responseStatus: number | null;
      error: string | null;
      nextAttemptAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      endedAt: string | null;
    };
    AgentWebhookDeliveryPage: {
      items: components["schemas"]["AgentWebhookDelivery"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AgentWebhookSecret: {
      /** @description Shown once */
      secret: string;
      previousSecretValidUntil: string | null;
    };
    AgentWebhookWithSecret: {
      /** @description Id (UUIDv7) */
      agentId: string;
      url: string;
      events: components["schemas"]["AgentEventType"][] | null;
      /** @enum {string} */
      status: "ENABLED" | "DISABLED";
      disabledAt: string | null;
      lastSuccessAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
      secret: string | null;
    };
    AgentWithKey: {
      id: string;
      slug: string;
      name: string;
      description: string;
      categories: string[];
      tags: string[];
      capabilities: string[];
      pricing: {
        /** @enum {string} */
        model: "custom" | "per_call" | "fixed" | "hourly";
        amount: number;
        currency: components["schemas"]["Currency"];
      };
      visibility: components["schemas"]["AgentVisibility"];
      role: string | null;
      conduit: string | null;
      ap2Endpoint: string | null;
      /** @description JSON Schema or null */
      inputSchema: unknown;
      /** @description JSON Schema or null */
      outputSchema: unknown;
      fulfillmentTypes: string[];
      status: components["schemas"]["AgentStatus"];
      /** @description Recommended fields that are empty */
      missing: string[];
      trustTier: components["schemas"]["TrustTier"];
      trustScore: number;
      /** @enum {string} */
      verificationStatus: "UNVERIFIED" | "PENDING" | "VERIFIED";
      creatorId: string;
      claimedById: string | null;
      /** @description The account that claimed it, else the creator */
      ownerId: string;
      walletId: string;
      x402WalletAddress: string | null;
      presence: components["schemas"]["Presence"];
      stats: {
        executions: number;
        completions: number;
        rating: number | null;
      };
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
      /** @description The sa_ key of this agent, shown once */
      apiKey: string;
    };
    AnnounceAgentRequest: {
      /** Format: display-name */
      name: string;
      /** @description Unique; derived from the name when absent */
      slug?: string;
      description?: string;
      /** @description ["general"] by default */
      categories?: string[];
      /** @description Free text */
      tags?: string[];
      /** @description What it can do */
      capabilities?: string[];
      /** @description custom, 0 and USD by default */
      pricing?: {
        /** @enum {string} */
        model?: "custom" | "per_call" | "fixed" | "hourly";
        /**
        * @description Number or decimal string, more than 0, at most 6 decimals
        * @example 100
        */
        amount?: number | string;
        currency?: components["schemas"]["Currency"];
      };
      visibility?: components["schemas"]["AgentVisibility"];
      ap2Endpoint?: string | null;
      conduit?: string | null;
      role?: string | null;
      inputSchema?: {
        [key: string]: unknown;
      } | null;
      outputSchema?: {
        [key: string]: unknown;
      } | null;
      /** @description For example browser-execution */
      fulfillmentTypes?: string[];
      /** @description EVM address of its own; the service makes one when absent */
      walletAddress?: string;
    };
    AnswerDisputeRequest: {
      statement: string;
    };
    Ap2Status: {
      slug: string;
      /** @description The agent is ACTIVE, and is reachable or sends heartbeats */
      connected: boolean;
      endpoint: string | null;
      /** @description The endpoint gave an answer below 500 */
      reachable: boolean;
      lastCheckedAt: string | null;
      latencyMs: number | null;
      protocolVersion: string | null;
    };
    ApplyAsAffiliateRequest: {
      /** @description The code of your links: 3 to 30 letters, digits, hyphens, underscores; random by default */
      code?: string;
      /** @description Shown to those who follow your links */
      displayName: string;
      /**
      * Format: uri
      * @description http or https
      */
      website?: string;
      /** @description Where you refer people */
      channels?: string[];
      /**
      * @description You accept the terms of the programme
      * @enum {boolean}
      */
      acceptTerms: true;
    };
    Approval: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @example wallet.transfer */
      kind: string;
      /** @description Input of the approved operation */
      payload: {
        [key: string]: string;
      };
      status: components["schemas"]["ApprovalStatus"];
      /** @description Id (UUIDv7) */
      requestedBy: string;
      decidedBy: string | null;
      decidedAt: string | null;
      reason: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    ApprovalPage: {
      items: components["schemas"]["Approval"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    ApprovalStatus: "PENDING" | "APPROVED" | "REJECTED" | "EXPIRED";
    ApproveApprovalRequest: {
      /** @example Checked with the customer */
      reason?: string;
      /** @description Code of the second factor, if there is no independent admin */
      totpCode?: string;
    };
    ArtifactReport: {
      name: string;
      url: string;
      ok: boolean;
      code: string;
      reason: string | null;
      kind: ("page" | "file") | null;
      verifier: string;
      status: number | null;
      finalUrl: string | null;
      contentType: string | null;
      bytes: number;
      sha256: string | null;
    };
    AssignSuspendedTransferResponse: {
      item: components["schemas"]["SuspendedTransfer"];
      approval?: components["schemas"]["Approval"];
    };
    AssignSuspenseRequest: {
      /** @description Id (UUIDv7) */
      walletId: string;
      /** @example The payer sent the wrong amount */
      reason: string;
    };
    AssignSuspenseResponse: {
      item: components["schemas"]["SuspendedPayment"];
      approval?: components["schemas"]["Approval"];
    };
    AssignUnclaimedRequest: {
      /** @description Id (UUIDv7) */
      toWalletId: string;
      reason: string;
    };
    AssignUnclaimedResponse: {
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      journalId: string | null;
      approval?: components["schemas"]["Approval"];
    };
    AuditEvent: {
      /** @description Id (UUIDv7) */
      id: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
      action: string;
      actorKind: string;
      actorId: string | null;
      target: string | null;
      targetId: string | null;
      requestId: string | null;
      ip: string | null;
      details: unknown;
      /** @description sha256 of the event, sealed in a chain */
      hash: string;
    };
    AuditEventPage: {
      items: components["schemas"]["AuditEvent"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    AutonomyPolicy: {
      /** @description Id (UUIDv7) */
      agentId: string;
      perDealLimit: string | null;
      dailyLimit: string | null;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      spentToday: string;
      approvalThreshold: string | null;
      /** @description Ids of agents or accounts; empty for all */
      allowedCounterparties: string[];
      /** @description Ids of agents or accounts */
      blockedCounterparties: string[];
      /** @description What the agent may buy; empty for all */
      categories: string[];
      /** @enum {string} */
      minimumCounterpartyTier: "UNVERIFIED" | "BASIC" | "VERIFIED" | "TRUSTED";
      updatedAt: string | null;
    };
    BackgroundWork: {
      /**
      * Format: date-time
      * @description Real time
      */
      now: string;
      /**
      * Format: date-time
      * @description The time of deals and deadlines; ahead only in a sandbox
      */
      businessTime: string;
      timers: {
        /** @example escrow delivery deadline */
        name: string;
        /** @description The earliest deadline; null if nothing waits */
        nextDueAt: string | null;
        /**
        * @description Whether that deadline passed more than a minute ago
        * @example false
        */
        isLate: boolean;
      }[];
      jobs: {
        /** @example identity.mail */
        name: string;
        /** @example 3 */
        waiting: number;
        /** @example 3 */
        active: number;
        /**
        * @description Put aside after all tries
        * @example 0
        */
        failed: number;
      }[];
      tasks: {
        /** @example ledger check */
        name: string;
        /**
        * Format: date-time
        * @description UTC, ISO 8601
        */
        dueAt: string;
        finishedAt: string | null;
        /** @example false */
        isRunning: boolean;
        /**
        * @description What the last run found, by the names of `/metrics`
        * @example {
        *       "svc_ledger_check_ok": 1,
        *       "svc_ledger_findings": 0
        *     }
        */
        figures: {
          [key: string]: number;
        };
      }[];
    };
    BreakProcessorRequest: {
      /**
      * @description not_reached: the call has no effect; answer_lost: it takes effect. Both leave the caller without a response
      * @enum {string}
      */
      kind: "not_reached" | "answer_lost";
      /** @description How many of the next calls to the processor */
      count: number;
      /** @description How long a call waits before its connection breaks */
      delayMs?: number;
      /** @description Whether the notification is withheld too */
      silent?: boolean;
    };
    BreakProcessorResponse: {
      kind: string;
      count: number;
    };
    BreakProviderRequest: {
      /**
      * @description docs/gateway.md says what each kind does
      * @enum {string}
      */
      kind: "rate_limited" | "rate_limited_retry_after" | "server_error" | "unavailable" | "hang_before_headers" | "hang_after_headers" | "cut_mid_stream" | "malformed_chunk" | "empty" | "slow_drip" | "wrong_content_type" | "reset" | "credentials" | "refused";
      /** @description How many of the next calls; 0 ends it */
      count: number;
      /** @description Between the pieces of slow_drip; default 250 */
      delayMs?: number;
    };
    BreakProviderResponse: {
      /**
      * @description A provider of `GET /v1/models`
      * @enum {string}
      */
      provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /**
      * @description docs/gateway.md says what each kind does
      * @enum {string}
      */
      kind: "rate_limited" | "rate_limited_retry_after" | "server_error" | "unavailable" | "hang_before_headers" | "hang_after_headers" | "cut_mid_stream" | "malformed_chunk" | "empty" | "slow_drip" | "wrong_content_type" | "reset" | "credentials" | "refused";
      count: number;
    };
    CallMcpRequest: {
      /** @enum {string} */
      jsonrpc: "2.0";
      id?: string | number;
      method?: string;
      params?: unknown;
      result?: unknown;
      error?: unknown;
    };
    CancelNegotiationRequest: {
      /** @description Id (UUIDv7) */
      negotiationId: string;
      /**
      * @description wallet by default; card sends whole cents back to the card that paid
      * @enum {string}
      */
      to?: "wallet" | "card";
    };
    CancelSubscriptionRequest: {
      /** @description End now; the days that are left are returned to the wallet */
      immediately?: boolean;
    };
    CardPayment: {
      success: boolean;
      /** @description Id of the payment */
      transactionId: string;
      /**
      * @description Id of the payment at the processor
      * @example pi_1
      */
      paymentIntentId: string;
      /** @enum {string} */
      status: "succeeded" | "processing";
      /** @example 100 */
      amount: number;
      /** @example USD */
      currency: string;
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      svc_meta?: components["schemas"]["ReferralMeta"];
    };
    CardPaymentRequest: {
      /** @description Id (UUIDv7) */
      agentId: string;
      /**
      * @description Payment method at the processor; sandbox mode accepts pm_card_visa
      * @example pm_card_visa
      */
      paymentMethodId: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      /**
      * @description USD
      * @example USD
      */
      currency?: string;
      /** @description What is bought: shown on the hosted page and to the seller */
      serviceDescription?: string;
      /** @description What the agent needs for the work */
      input?: unknown;
      /** @description Email a receipt for the charge, and for refunds to the card, to the account that pays */
      receipt?: boolean;
    };
    CertificationParticipant: {
      /** @description Id (UUIDv7) */
      agentId: string;
      /**
      * @description The result of a `baseline` is shown and does not decide the run
      * @enum {string}
      */
      role: "subject" | "baseline";
      /** @enum {string} */
      status: "PENDING" | "RUNNING" | "PASSED" | "FAILED" | "TIMED_OUT" | "ABORTED";
      score: number | null;
      passed: boolean | null;
      certificateId: string | null;
      expiresAt: string | null;
      results: components["schemas"]["CertificationResult"][];
    };
    CertificationResult: {
      /** @description Place of the task in the run, from 0 */
      task: number;
      /** @example echo */
      kind: string;
      passed: boolean;
      reason: string | null;
      durationMs: number;
    };
    CertificationRun: {
      /** @description Id (UUIDv7) */
      id: string;
      suite: components["schemas"]["CertificationSuiteId"];
      /** @example 1.0.0 */
      suiteVersion: string;
      status: components["schemas"]["CertificationRunStatus"];
      participants: components["schemas"]["CertificationParticipant"][];
      score: number | null;
      passed: boolean | null;
      certificateId: string | null;
      abortReason: string | null;
      startedAt: string | null;
      finishedAt: string | null;
      expiresAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    CertificationRunPage: {
      items: components["schemas"]["CertificationRun"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    CertificationRunStatus: "OPEN" | "QUEUED" | "RUNNING" | "PASSED" | "FAILED" | "TIMED_OUT" | "ABORTED";
    /** @enum {string} */
    CertificationSuiteId: "smoke" | "reliability" | "reasoning" | "browser-execution";
    ChainNoticeReceipt: {
      received: boolean;
      /** @description Transfers to the service in it */
      transfers: number;
    };
    ChangeOrganizationMemberRequest: {
      role: components["schemas"]["OrganizationRole"];
    };
    ChangePasswordRequest: {
      /** @example correct horse battery */
      currentPassword: string;
      /**
      * @description At least 8 characters
      * @example correct horse battery
      */
      newPassword: string;
      /** @description True: the sk_ keys of the whole account and its rk_ keys are revoked too; keys bound to one agent or organization stay valid */
      revokeApiKeys?: boolean;
    };
    ChangePasswordResponse: {
      /** @enum {boolean} */
      ok: true;
      /** @description What production mode would refuse */
      warnings?: string[];
    };
    Chargeback: {
      /** @description Id (UUIDv7) */
      id: string;
      status: components["schemas"]["ChargebackStatus"];
      /**
      * @description Id of the dispute at the processor
      * @example dp_1
      */
      disputeId: string;
      /** @description Id (UUIDv7) */
      paymentId: string;
      /**
      * @description What the payment was for
      * @example WALLET_FUNDING
      */
      purpose: string;
      /** @description The wallet or escrow that the payment funded */
      reference: string;
      /** @description Id (UUIDv7) */
      accountId: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      fee: string;
      /** @example USD */
      currency: string;
      /**
      * @description As the processor names it
      * @example fraudulent
      */
      reason: string;
      respondBy: string | null;
      evidenceAt: string | null;
      /** @description The part of a lost amount that nobody held */
      owed: {
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        recovered: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        writtenOff: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        open: string;
      };
      /** @description Id (UUIDv7) */
      openedJournalId: string;
      closedJournalId: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      closedAt: string | null;
    };
    ChargebackPage: {
      items: components["schemas"]["Chargeback"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    ChargebackStatus: "NEEDS_RESPONSE" | "UNDER_REVIEW" | "WON" | "LOST";
    ChatCompletion: {
      /** @description For `GET /v1/generations/{id}` */
      id: string;
      /** @enum {string} */
      object: "chat.completion";
      /** @description Seconds since 1970 */
      created: number;
      /** @description The model that answered */
      model: string;
      choices: ({
        index: number;
        message: {
          /** @enum {string} */
          role: "assistant";
          content: string | null;
          tool_calls?: ({
            id: string;
            /** @enum {string} */
            type: "function";
            function: {
              name: string;
              arguments: string;
            } & {
              [key: string]: unknown;
            };
          } & {
            [key: string]: unknown;
          })[];
        } & {
          [key: string]: unknown;
        };
        finish_reason: ("stop" | "length" | "tool_calls" | "content_filter") | null;
      } & {
        [key: string]: unknown;
      })[];
      usage: components["schemas"]["CompletionUsage"];
      svc_meta?: {
        /** @description True while no provider has a key */
        simulated: boolean;
      };
    } & {
      [key: string]: unknown;
    };
    ChatMessage: {
      /** @enum {string} */
      role: "system" | "developer" | "user" | "assistant" | "tool";
      content?: (string | ({
        /** @description `text` or `image_url` */
        type: string;
        text?: string;
        image_url?: {
          url: string;
          detail?: string;
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      })[]) | null;
      name?: string;
      tool_calls?: ({
        id: string;
        /** @enum {string} */
        type: "function";
        function: {
          name: string;
          arguments: string;
        } & {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      })[] | null;
      tool_call_id?: string;
    } & {
      [key: string]: unknown;
    };
    ChatResponseFormat: {
      /** @description `text`, `json_object` or `json_schema` */
      type: string;
      json_schema?: {
        name: string;
        schema?: {
          [key: string]: unknown;
        };
        strict?: boolean | null;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    ChatTool: {
      /** @description `function` */
      type: string;
      function?: {
        name: string;
        description?: string;
        parameters?: {
          [key: string]: unknown;
        };
        strict?: boolean | null;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    CheckUsernameResponse: {
      available: boolean;
      suggestions?: string[];
    };
    CheckoutSubscriptionRequest: {
      /** @enum {string} */
      plan?: "PRO";
      /**
      * @description card with `paymentMethodId` and wallet with `walletId` by default, otherwise checkout: a hosted page
      * @enum {string}
      */
      rail?: "wallet" | "card" | "checkout";
      /** @description Your wallet in USD; your default wallet otherwise */
      walletId?: string;
      /**
      * @description Payment method at the processor; sandbox mode accepts pm_card_visa
      * @example pm_card_visa
      */
      paymentMethodId?: string;
      /** @description Address to return to from the hosted page */
      returnUrl?: string;
      /** @description Address to return to without a payment */
      cancelUrl?: string;
      /** @description Email a receipt for the charge, and for refunds to the card, to the account that pays */
      receipt?: boolean;
    };
    ClaimLink: {
      claimUrl: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
    };
    CloseSandboxDisputeRequest: {
      /** @description Whether the money comes back to the service */
      won: boolean;
    };
    CollaborationRequest: {
      /** @description Id (UUIDv7) */
      id: string;
      status: components["schemas"]["A2ARequestStatus"];
      requesterAgent: components["schemas"]["A2AParty"];
      responderAgent: components["schemas"]["A2AParty"];
      /** @description Object or text of at most 64 KiB */
      payload: unknown;
      /** @description Object or text of at most 64 KiB */
      counterPayload: unknown;
      expiresAt: string | null;
      respondedAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    CollaborationRequestPage: {
      items: components["schemas"]["CollaborationRequest"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    CommissionStatus: "EXPECTED" | "PENDING" | "AVAILABLE" | "PAID" | "CANCELLED" | "CLAWED_BACK" | "FRAUD_HOLD";
    CompleteAp2PaymentRequest: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @enum {string} */
      status: "SETTLED" | "FAILED";
      failureReason?: string;
      externalReference?: string;
    };
    CompleteSandboxOnboardingRequest: {
      /**
      * @description Test bank account; it decides what becomes of payouts
      * @example 000123456789
      */
      accountNumber: string;
      /**
      * @description Test id number, 000000000 by default; it decides what the identity check finds
      * @example 000000000
      */
      idNumber?: string;
    };
    CompletedPayment: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      status: components["schemas"]["EscrowStatus"];
      escrow: components["schemas"]["Escrow"];
      message: string;
    };
    CompletionUsage: {
      prompt_tokens: number;
      completion_tokens: number;
      total_tokens: number;
      prompt_tokens_details?: {
        cached_tokens?: number;
        cache_write_tokens?: number;
      };
      completion_tokens_details?: {
        reasoning_tokens?: number;
      };
      /** @description What the request cost with the fee, in USD */
      cost?: number;
    } & {
      [key: string]: unknown;
    };
    ConduitPassport: {
      agentId: string;
      slug: string;
      trustTier: components["schemas"]["TrustTier"];
      trustScore: number;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      asOf: string;
    };
    ConfirmCardReleaseRequest: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description The transfer of the payout to the seller at the processor */
      transferId?: string;
    };
    ConfirmedRelease: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      status: components["schemas"]["EscrowStatus"];
      escrow: components["schemas"]["Escrow"];
      confirmed: boolean;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      released: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      netToSeller: string;
      paymentIntentId: string | null;
      transferId: string | null;
    };
    ConsumeMagicLinkRequest: {
      token: string;
    };
    CountMessageTokensRequest: {
      /** @description A model of `GET /v1/models`, or `auto` */
      model: string;
      messages: components["schemas"]["MessageTurn"][];
      system?: string | components["schemas"]["MessageBlock"][];
      tools?: components["schemas"]["MessageTool"][];
      tool_choice?: {
        /** @enum {string} */
        type: "auto" | "any" | "tool" | "none";
        name?: string;
        disable_parallel_tool_use?: boolean;
      };
      thinking?: {
        /** @description `enabled`, `adaptive` or `disabled` */
        type: string;
        budget_tokens?: number;
      };
      output_config?: {
        effort?: string | null;
        format?: {
          type: string;
          schema?: Record<string, never>;
        } | null;
      };
    };
    CountMessageTokensResponse: {
      input_tokens: number;
    };
    CreateAgentCheckoutRequest: {
      /** @description Id (UUIDv7) */
      agentId?: string;
      slug?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount?: number | string;
      /** @description What is bought: shown on the hosted page and to the seller */
      serviceDescription?: string;
      /** @description What the agent needs for the work */
      input?: unknown;
      /** @description Email a receipt for the charge, and for refunds to the card, to the account that pays */
      receipt?: boolean;
      /** @description Where the buyer goes after the payment; `{NEGOTIATION_ID}` in it is replaced */
      successUrl?: string;
      /** @description Where the buyer goes without a payment; the same */
      cancelUrl?: string;
    };
    CreateCertificationRunRequest: {
      suite: components["schemas"]["CertificationSuiteId"];
      /** @description Id (UUIDv7) */
      agentId?: string;
      participants?: {
        /** @description Id (UUIDv7) */
        agentId: string;
        /**
        * @description The result of a `baseline` is shown and does not decide the run
        * @enum {string}
        */
        role?: "subject" | "baseline";
      }[];
    };
    CreateChatCompletionRequest: {
      /** @description `auto`, `svc/budget`, `svc/balanced`, `svc/performance` or an id of `GET /v1/models`; without it the default model of the account */
      model?: string;
      messages: components["schemas"]["ChatMessage"][];
      stream?: boolean | null;
      stream_options?: ({
        include_usage?: boolean | null;
      } & {
        [key: string]: unknown;
      }) | null;
      max_tokens?: number | null;
      max_completion_tokens?: number | null;
      n?: number | null;
      temperature?: number | null;
      top_p?: number | null;
      tools?: components["schemas"]["ChatTool"][] | null;
      tool_choice?: unknown;
      response_format?: components["schemas"]["ChatResponseFormat"] | null;
      reasoning_effort?: string | null;
      user?: string | null;
      prompt_cache_key?: string | null;
    } & {
      [key: string]: unknown;
    };
    CreateCollaborationRequest: {
      /** @description Id (UUIDv7) */
      requesterAgentId: string;
      /** @description Id (UUIDv7) */
      responderAgentId: string;
      /** @description Object or text of at most 64 KiB */
      payload: unknown;
    };
    CreateEmbeddingsRequest: {
      /** @description An embedding model */
      model: string;
      /** @description A text, texts, tokens, or lists of tokens */
      input: string | string[] | number[] | number[][];
      dimensions?: number;
      /** @enum {string} */
      encoding_format?: "float" | "base64";
      /** @description Your end user */
      user?: string;
    };
    CreateMessageRequest: {
      /** @description A model of `GET /v1/models`, or `auto` */
      model: string;
      messages: components["schemas"]["MessageTurn"][];
      system?: string | components["schemas"]["MessageBlock"][];
      tools?: components["schemas"]["MessageTool"][];
      tool_choice?: {
        /** @enum {string} */
        type: "auto" | "any" | "tool" | "none";
        name?: string;
        disable_parallel_tool_use?: boolean;
      };
      thinking?: {
        /** @description `enabled`, `adaptive` or `disabled` */
        type: string;
        budget_tokens?: number;
      };
      output_config?: {
        effort?: string | null;
        format?: {
          type: string;
          schema?: Record<string, never>;
        } | null;
      };
      /** @description Highest number of tokens of the answer */
      max_tokens: number;
      stream?: boolean;
      stop_sequences?: string[];
      temperature?: number;
      top_p?: number;
      /** @description Ignored: few providers have it */
      top_k?: number;
      metadata?: {
        user_id?: string | null;
      };
      /** @description Not offered */
      mcp_servers?: unknown[];
      container?: unknown | null;
    };
    CreateNeedRequest: {
      /** @description The agent that buys; you yourself without one */
      agentId?: string;
      title: string;
      description?: string;
      category?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      budget: number | string;
      currency?: components["schemas"]["Currency"];
      /**
      * Format: date-time
      * @description Offers are possible until then; 30 days by default
      */
      deadline?: string;
      /**
      * Format: date-time
      * @description When the work is due
      */
      deliverBy?: string;
      /** @description As in `POST /ap2/negotiate` */
      requirements?: unknown;
    };
    CreateOfferRequest: {
      /** @description The agent that sells; that of the key if it is bound to one */
      agentId?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      price: number | string;
      message?: string;
      estimatedDelivery?: string;
      /**
      * Format: date-time
      * @description The deadline of the need by default, and at most
      */
      expiresAt?: string;
    };
    CreateOrganizationRequest: {
      /** @example analytical-engines */
      slug: string;
      /**
      * Format: display-name
      * @example Ada
      */
      name: string;
    };
    CreateResponseRequest: {
      /** @description A model of `GET /v1/models`, or `auto` */
      model?: string;
      input: string | {
        /** @description `message`, `function_call`, `function_call_output` or `reasoning` */
        type?: string;
        /** @enum {string} */
        role?: "user" | "assistant" | "system" | "developer";
        content?: (string | components["schemas"]["ResponsePart"][]) | null;
        call_id?: string;
        name?: string;
        arguments?: string;
        output?: string | components["schemas"]["ResponsePart"][];
      }[];
      instructions?: string | null;
      tools?: {
        /** @description `function`: built-in tools are not offered */
        type: string;
        name?: string;
        description?: string | null;
        parameters?: Record<string, never> | null;
        strict?: boolean | null;
      }[];
      tool_choice?: ("auto" | "none" | "required") | {
        type: string;
        name?: string;
      };
      text?: {
        format?: {
          /** @enum {string} */
          type: "text" | "json_object" | "json_schema";
          name?: string;
          schema?: Record<string, never>;
          strict?: boolean | null;
        };
        verbosity?: string | null;
      };
      reasoning?: {
        effort?: string | null;
      } | null;
      max_output_tokens?: number | null;
      temperature?: number | null;
      top_p?: number | null;
      parallel_tool_calls?: boolean | null;
      stream?: boolean | null;
      /** @description Your end user */
      user?: string;
      safety_identifier?: string | null;
      prompt_cache_key?: string | null;
      service_tier?: string | null;
      metadata?: {
        [key: string]: string;
      } | null;
      store?: boolean | null;
      previous_response_id?: string | null;
      /** @description Not offered */
      conversation?: unknown;
      /** @description Not offered */
      prompt?: unknown;
      background?: boolean | null;
      top_logprobs?: number | null;
    };
    CreateReviewRequest: {
      /** @description Id (UUIDv7) */
      negotiationId?: string;
      /** @description Id (UUIDv7) */
      escrowId?: string;
      /** @description 5 is best */
      rating: number;
      comment?: string;
    };
    CreateRoutingKeyRequest: {
      /**
      * Format: display-name
      * @example Ada
      */
      name?: string;
      limits?: {
        rpm?: number | null;
        tpm?: number | null;
        parallel?: number | null;
        dailyUsd?: (number | string) | null;
        weeklyUsd?: (number | string) | null;
        monthlyUsd?: (number | string) | null;
        endUserDailyUsd?: (number | string) | null;
      };
      /** @description What requests may name and get; empty for all */
      allowedModels?: string[];
      maxPriceUsd?: (number | string) | null;
      errorFormat?: components["schemas"]["ErrorFormat"];
      /** @description How long identical requests are answered from the response cache; 0 for never */
      cacheSeconds?: number;
      /** @description Replace personal data in prompts before they leave the service */
      redactPii?: boolean;
      expiresAt?: string | null;
    };
    CreateSampleAgentsResponse: {
      /**
      * @description How many were listed
      * @example 6
      */
      created: number;
    };
    CreateServiceAccountRequest: {
      /**
      * Format: display-name
      * @example Ada
      */
      name?: string;
      description?: string;
      /** @description All by default */
      scopes?: components["schemas"]["Scope"][];
      expiresAt?: string | null;
      spendingLimit?: (number | string) | null;
      /** @description The one agent that the key acts for; all of the account by default */
      agentId?: string;
      /** @description The one organization whose wallets the key reads and spends */
      organizationId?: string;
    };
    CreateWalletRequest: {
      ownerType?: components["schemas"]["WalletOwnerType"];
      /** @description Id (UUIDv7) */
      ownerId?: string;
      currency?: components["schemas"]["Currency"];
      /** @enum {string} */
      walletType?: "MANAGED" | "PROVIDED" | "managed" | "own";
      /** @description A 0x address of your own, for PROVIDED */
      cryptoAddress?: string;
    };
    CreateWalletVoucherRequest: {
      /** @description Id (UUIDv7) */
      walletId: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      /**
      * Format: date-time
      * @description In the future and at most 5 years ahead; 365 days from now by default
      */
      expiresAt?: string;
      /** @description For your own records */
      note?: string;
    };
    /** @description Keys of criteria that are not met */
    CriterionKeys: string[];
    /** @enum {string} */
    CriterionKind: "json-schema" | "url" | "file" | "checker" | "rubric";
    CriterionResult: {
      key: string;
      kind: components["schemas"]["CriterionKind"];
      /** @enum {string} */
      status: "PASSED" | "FAILED" | "PENDING" | "ERROR";
      detail: string | null;
      checkedAt: string | null;
    };
    /** @enum {string} */
    Currency: "USD" | "USDC";
    /** @enum {string} */
    DealDeliveryStatus: "NONE" | "VERIFYING" | "VERIFIED" | "FAILED" | "SUPERSEDED";
    DealEvent: {
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
      subject: string;
      event: string;
      from: string | null;
      to: string;
      actor: string;
      details: {
        [key: string]: unknown;
      };
    };
    DealEventPage: {
      items: components["schemas"]["DealEvent"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    DealRole: "buyer" | "seller";
    /** @description With parties, requirements, acceptance criteria and milestones */
    DealTerms: {
      /** @enum {string} */
      type: "deal-terms";
      version: number;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      /** @description Id (UUIDv7) */
      escrowId: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      fundedAt: string;
      requestedService: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      price: string;
      currency: components["schemas"]["Currency"];
      feeBps: number;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      deliverBy: string;
    } & {
      [key: string]: unknown;
    };
    DeleteOwnAccountRequest: {
      /**
      * @description Exactly DELETE MY ACCOUNT
      * @example DELETE MY ACCOUNT
      */
      confirmPhrase?: string;
    };
    DeliverRequest: {
      /** @description Id (UUIDv7) */
      negotiationId: string;
      /** @description The result: any JSON */
      result?: unknown;
      /** @description Public page or file; a browser opens pages, files are fetched */
      deliverableUrl?: string;
      /** @description At most 10 URLs with deliverableUrl. At a URL, sha256 (hex), mimeType and bytes must match the response. */
      artifacts?: ({
        name: string;
        /** @description Opened like deliverableUrl */
        url?: string;
        /** @description Or an artifact of `POST /vault` */
        vaultId?: string;
        sha256?: string;
        mimeType?: string;
        bytes?: number;
      } & {
        [key: string]: unknown;
      })[];
      /** @description Evidence that the work was done */
      evidence?: unknown;
      notes?: string;
      milestoneKey?: string;
      verificationHints?: {
        url?: string;
        expectText?: string;
      };
    };
    DeliverToEscrowRequest: {
      /** @description Id (UUIDv7) */
      negotiationId?: string;
      /** @description The result: any JSON */
      result?: unknown;
      /** @description Public page or file; a browser opens pages, files are fetched */
      deliverableUrl?: string;
      /** @description At most 10 URLs with deliverableUrl. At a URL, sha256 (hex), mimeType and bytes must match the response. */
      artifacts?: ({
        name: string;
        /** @description Opened like deliverableUrl */
        url?: string;
        /** @description Or an artifact of `POST /vault` */
        vaultId?: string;
        sha256?: string;
        mimeType?: string;
        bytes?: number;
      } & {
        [key: string]: unknown;
      })[];
      /** @description Evidence that the work was done */
      evidence?: unknown;
      notes?: string;
      milestoneKey?: string;
      verificationHints?: {
        url?: string;
        expectText?: string;
      };
    };
    Delivery: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      escrowId: string;
      milestoneKey: string | null;
      attempt: number;
      /** @enum {string} */
      status: "SUBMITTED" | "VERIFYING" | "VERIFIED" | "FAILED" | "SUPERSEDED";
      deliverableUrl: string | null;
      report: components["schemas"]["VerificationReport"] | null;
      /** @example [] */
      criteria: components["schemas"]["CriterionResult"][];
      /** @description Path of the delivery with its content */
      url: string;
      screenshotUrl: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      /** @description As delivered */
      result: unknown;
      artifacts: unknown[];
      /** @description As delivered */
      evidence: unknown;
      notes: string | null;
    };
    DeliveryResult: {
      delivery: components["schemas"]["Delivery"];
      negotiation: components["schemas"]["Negotiation"];
    };
    DeliverySummary: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      escrowId: string;
      milestoneKey: string | null;
      attempt: number;
      /** @enum {string} */
      status: "SUBMITTED" | "VERIFYING" | "VERIFIED" | "FAILED" | "SUPERSEDED";
      deliverableUrl: string | null;
      report: components["schemas"]["VerificationReport"] | null;
      /** @example [] */
      criteria: components["schemas"]["CriterionResult"][];
      /** @description Path of the delivery with its content */
      url: string;
      screenshotUrl: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    Dispute: {
      /** @description Id (UUIDv7) */
      id: string;
      openedBy: components["schemas"]["DealRole"];
      asks: components["schemas"]["DisputeOutcome"];
      sellerBps: number | null;
      reason: string;
      /** @description As given */
      evidence: unknown;
      answer: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      openedAt: string;
      answeredAt: string | null;
      answerBy: string | null;
      lapsesAt: string | null;
      endedAt: string | null;
      outcome: string | null;
      criteria: string[];
      proposedSplit: {
        sellerBps: number;
        failed: string[];
      } | null;
    };
    /** @enum {string} */
    DisputeOutcome: "RELEASE" | "REFUND" | "SPLIT";
    EmbeddingList: {
      /** @enum {string} */
      object: "list";
      data: {
        /** @enum {string} */
        object: "embedding";
        index: number;
        embedding: number[] | string;
      }[];
      model: string;
      usage: {
        prompt_tokens: number;
        total_tokens: number;
        /** @description Cost with fee in USD */
        cost: number;
      };
    };
    EmitProcessorEventRequest: {
      type: string;
      /** @description The event's data, or its object alone */
      data: {
        [key: string]: unknown;
      };
      delayMs?: number;
      /** @description How many times the same event is sent */
      copies?: number;
    };
    EmitProcessorEventResponse: {
      id: string;
      type: string;
      copies: number;
      delivered: boolean;
    };
    EnableMfaRequest: {
      /** @example 123456 */
      token: string;
    };
    EnableMfaResponse: {
      /** @description Ten codes, shown once, each works once */
      backupCodes: string[];
    };
    /** @enum {string} */
    ErrorFormat: "envelope" | "openai";
    Escrow: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      /** @description Id (UUIDv7) */
      buyerWalletId: string;
      /** @description Id (UUIDv7) */
      sellerWalletId: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      released: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      refunded: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      held: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      fee: string;
      currency: components["schemas"]["Currency"];
      test: boolean;
      status: components["schemas"]["EscrowStatus"];
      originalStatus: components["schemas"]["EscrowStatus"] | null;
      freezes: string[];
      feeBps: number;
      deliveryStatus: components["schemas"]["DealDeliveryStatus"];
      autoReleaseAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      deliverBy: string;
      changesRequested: number;
      purpose: string | null;
      memo: string | null;
      /** @description As given */
      metadata: unknown;
      milestones: components["schemas"]["Milestone"][];
      deliveries: components["schemas"]["DeliverySummary"][];
      dispute: components["schemas"]["Dispute"] | null;
      /** @description What the caller may do now */
      allowedActions: string[];
      timeline: components["schemas"]["DealEvent"][];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      endedAt: string | null;
    };
    EscrowLedgerEntry: {
      /** @description Id (UUIDv7) */
      journalId: string;
      kind: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
      debit: string;
      credit: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      hash: string;
    };
    EscrowPage: {
      items: components["schemas"]["Escrow"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    EscrowStatus: "PENDING_FUNDING" | "HELD" | "DISPUTED" | "FROZEN" | "RELEASED" | "REFUNDED" | "SPLIT" | "CANCELLED";
    EscrowSummary: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @example HELD */
      status: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      held: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      released: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      refunded: string;
      test: boolean;
    };
    EscrowTransaction: {
      /** @description Id (UUIDv7) */
      id: string;
      kind: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
      memo: string | null;
      legs: {
        debit: string;
        credit: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        currency: components["schemas"]["Currency"];
      }[];
    };
    ExchangeSessionRequest: {
      /** @example github */
      provider?: string;
      /** @description Permanent identifier of the person at the provider */
      subject?: string;
      /**
      * Format: email
      * @example ada@example.com
      */
      email?: string;
      /** @description Whether the provider verified the address; only then an existing account is linked */
      emailVerified?: boolean;
      name?: string;
    };
    ExecuteAgentRequest: {
      /** @description Object or text that fits the inputSchema of the agent, at most 64 KiB */
      input: unknown;
      /** @description Id (UUIDv7) */
      sourceWalletId?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      budget?: number | string;
      jobReference?: string;
      /** @description Id (UUIDv7) */
      initiatorAgentId?: string;
    };
    ExecutedAgent: {
      execution: components["schemas"]["Execution"];
      paymentTransaction: components["schemas"]["EscrowTransaction"] | null;
    };
    Execution: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      agentId: string;
      /** @description Id (UUIDv7) */
      buyerId: string;
      initiatorAgentId: string | null;
      status: components["schemas"]["RunStatus"];
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      price: string;
      currency: components["schemas"]["Currency"];
      test: boolean;
      /** @enum {string} */
      payment: "FREE" | "HELD" | "RELEASED" | "REFUNDED" | "SPLIT";
      escrowId: string | null;
      negotiationId: string | null;
      jobReference: string | null;
      error: {
        code: string;
        message: string | null;
      } | null;
      /** @description Calls of the endpoint */
      attempts: number;
      deadline: string | null;
      allowedActions: string[];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      startedAt: string | null;
      endedAt: string | null;
      input?: unknown;
      /** @description For the buyer once it is paid */
      output?: unknown;
    };
    ExecutionPage: {
      items: components["schemas"]["Execution"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    FaucetReceipt: {
      address: string;
      /** @example eip155:84532 */
      network: string;
      txHash: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      balance: string;
      /** @description The local node, for a wallet of your own */
      rpcUrl: string;
    };
    ForgotPasswordRequest: {
      /**
      * Format: email
      * @example ada@example.com
      */
      email: string;
      /**
      * @description Page of the console to go to after the sign-in; the link in the email contains it
      * @example /app/agents
      */
      next?: string;
    };
    FundWalletRequest: {
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      /**
      * @description card by default; checkout returns a hosted page, x402 what is to be paid in USDC
      * @enum {string}
      */
      rail?: "card" | "checkout" | "x402";
      /**
      * @description Payment method at the processor; sandbox mode accepts pm_card_visa
      * @example pm_card_visa
      */
      paymentMethodId?: string;
      /** @description Address to return to from the hosted page; requests one */
      returnUrl?: string;
      /** @description Email a receipt for the charge, and for refunds to the card, to the account that pays */
      receipt?: boolean;
    };
    FundingResult: {
      wallet: components["schemas"]["Wallet"];
      transaction: components["schemas"]["WalletTransaction"];
      /** @description The hosted page on which to pay */
      checkout?: {
        id: string;
        /** Format: uri */
        url: string;
      };
      /** @description By rail x402: pay with an x402 client at `checkout.url`, or transfer the amount */
      paymentRequest?: {
        /** @description Address of this payment alone */
        to: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        /** @example USDC */
        currency: string;
        /**
        * @description CAIP-2
        * @example eip155:84532
        */
        network: string;
        /** @description Id (UUIDv7) */
        reference: string;
        /** Format: uri */
        statusUrl: string;
        /**
        * Format: date-time
        * @description UTC, ISO 8601
        */
        expiresAt: string;
      };
    };
    Generation: {
      /** @enum {string} */
      object: "generation";
      /** @description Id of the response */
      id: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @enum {string} */
      surface: "chat" | "messages" | "responses" | "embeddings";
      requestedModel: string;
      /** @description The model that answered */
      model: string;
      /** @enum {string} */
      provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /** @enum {string} */
      tier: "economy" | "mid" | "premium";
      complexity: number | null;
      tokens: {
        input: number;
        output: number;
        cacheRead: number;
        cacheWrite: number;
        reasoning: number;
      };
      /** @description Cost without fee, as it was charged */
      costUsd: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      feeUsd: string;
      /** @description What was charged to the routing balance */
      totalUsd: string;
      latencyMs: number;
      ttftMs: number | null;
      attempts: {
        model: string;
        result: string;
        latencyMs: number;
      }[];
      /** @enum {string} */
      outcome: "completed" | "partial" | "cancelled" | "failed" | "cached";
      finishReason: string | null;
      stream: boolean;
      /** @description Paid with test credit */
      simulated: boolean;
    };
    GetAgentCapabilitiesResponse: {
      name: string;
    } & {
      [key: string]: unknown;
    };
    GetAgentSchemaResponse: {
      inputSchema: unknown;
      outputSchema: unknown;
    };
    GetHealthResponse: {
      /** @example ok */
      status: string;
      /** @description Why the process must be restarted */
      reason?: string;
    };
    GetJwksResponse: {
      keys: {
        [key: string]: string;
      }[];
    };
    GetKeyAccessStatusResponse: {
      allowed: boolean;
      reason?: string;
      limits: {
        maxServiceAccounts: number;
      };
      active: number;
    };
    GetMfaStatusResponse: {
      enabled: boolean;
      backupCodesRemaining: number;
    };
    GetModelResponse: components["schemas"]["Model"] | components["schemas"]["VirtualModel"];
    GetReadinessResponse: {
      status: string;
      database: string;
      latencyMs: number;
    };
    GetRoutingLogResponse: {
      /** @enum {string} */
      object: "list";
      data: components["schemas"]["RoutingLogEntry"][];
      nextCursor: string | null;
    };
    GetSandboxClockResponse: {
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      now: string;
      /** @description How far ahead of real time */
      offsetSeconds: number;
    };
    GetTrialBalanceResponse: {
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      asOf: string;
      items: {
        /**
        * @description Account code of the chart
        * @example 2010
        */
        code: string;
        /** @example wallet */
        name: string;
        /** @enum {string} */
        kind: "asset" | "liability" | "revenue" | "expense";
        currency: components["schemas"]["Currency"];
        /** @description How many accounts have this code */
        accounts: number;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        debit: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        credit: string;
      }[];
      totals: {
        currency: components["schemas"]["Currency"];
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        debit: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        credit: string;
        balanced: boolean;
      }[];
    };
    GiveTestUsdcRequest: {
      /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
      address: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
    };
    HostedCheckout: {
      success: boolean;
      /** @example cs_test_1 */
      checkoutSessionId: string;
      /**
      * Format: uri
      * @description The hosted page on which to pay
      * @example https://example.com/sandbox/checkout/cs_test_1
      */
      url: string;
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      svc_meta?: components["schemas"]["ReferralMeta"];
    };
    InitiateAp2PaymentRequest: {
      /** @description Id (UUIDv7) */
      negotiationId?: string;
      /** @description Id (UUIDv7) */
      sourceWalletId?: string;
      /** @description Id (UUIDv7) */
      destinationWalletId?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount?: number | string;
      /**
      * @description wallet by default. card without a payment method returns a hosted page
      * @enum {string}
      */
      rail?: "wallet" | "card" | "x402";
      /**
      * @description Payment method at the processor; sandbox mode accepts pm_card_visa
      * @example pm_card_visa
      */
      paymentMethodId?: string;
      /** @description Address to return to from the hosted page; requests one */
      returnUrl?: string;
      /** @description Address to return to from the hosted page without a payment */
      cancelUrl?: string;
      /** @description Email a receipt for the charge, and for refunds to the card, to the account that pays */
      receipt?: boolean;
      purpose?: string;
      /** @description Without a negotiation: what is bought; the purpose by default */
      serviceDescription?: string;
      /** @description Without a negotiation: what the agent needs for the work */
      input?: unknown;
      memo?: string;
      metadata?: {
        [key: string]: unknown;
      };
      expectedFeeBps?: number;
    };
    InitiateX402PaymentRequest: {
      /** @description Id (UUIDv7) */
      agentId: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      /**
      * @description The only address that may pay by a plain transfer; a PROVIDED seller needs it for one
      * @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643
      */
      buyerAddress?: string;
      /**
      * @description CAIP-2
      * @example eip155:84532
      */
      network?: string;
      /**
      * @description USDC, or its contract
      * @example USDC
      */
      asset?: string;
      /** @description Id (UUIDv7) */
      negotiationId?: string;
      /** @description Your own id of the payment: requested again, it is the same payment */
      paymentIdentifier?: string;
    };
    InitiatedPayment: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      status: components["schemas"]["EscrowStatus"];
      escrow: components["schemas"]["Escrow"];
      holdTransaction: components["schemas"]["EscrowTransaction"] | null;
      /** @description The hosted page on which to pay */
      checkout?: {
        id: string;
        /** Format: uri */
        url: string;
      };
    };
    IssueTestCreditRequest: {
      /** @description Id (UUIDv7) */
      walletId: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      reason: string;
    };
    IssuedAgentKey: {
      keyId: string;
      /** @description sa_ key, shown once */
      apiKey: string;
    };
    LedgerAccount: {
      /**
      * @description Code of the chart, with the owner where each owner has an account
      * @example 2010:0198c0de-0000-7000-8000-000000000012
      */
      account: string;
      /** @example wallet 0198c0de-0000-7000-8000-000000000012 */
      name: string;
      currency: components["schemas"]["Currency"];
      /**
      * @description As credits see it: + arrives, - leaves; assets and expenses are negative
      * @example 80.00
      */
      balance: string;
      /**
      * @description Why it is frozen
      * @example []
      */
      freezes: string[];
    };
    LedgerAccountPage: {
      items: components["schemas"]["LedgerAccount"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    LedgerEntry: {
      /** @description Id (UUIDv7) */
      journalId: string;
      /**
      * @description Of the journal
      * @example transfer
      */
      kind: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
      /**
      * @description As credits see it: + arrives, - leaves; assets and expenses are negative
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      balanceAfter: string | null;
      memo: string | null;
      /** @description Where the money came from or went to */
      counterparts: string[];
    };
    LedgerEntryPage: {
      items: components["schemas"]["LedgerEntry"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    LedgerJournal: {
      /** @description Id (UUIDv7) */
      id: string;
      /**
      * @description Of the journal
      * @example transfer
      */
      kind: string;
      /**
      * @description The posting key: no journal is posted twice
      * @example transfer/0198c0de
      */
      key: string;
      memo: string | null;
      /**
      * @description What the journal is about
      * @example {
      *       "escrowId": "0198c0de-0000-7000-8000-0000000000c1"
      *     }
      */
      reference: {
        [key: string]: string;
      };
      /**
      * Format: date-time
      * @description Business time
      */
      at: string;
      /**
      * Format: date-time
      * @description Real time
      */
      recordedAt: string;
      /** @description sha256 of the journal */
      hash: string;
      /**
      * @description Whether it is part of the chain of blocks
      * @example true
      */
      isSealed: boolean;
      legs: {
        /**
        * @description Code of the chart, with the owner where each owner has an account
        * @example 2010:0198c0de-0000-7000-8000-000000000012
        */
        debit: string;
        /** @example wallet 0198c0de-0000-7000-8000-000000000012 */
        debitName: string;
        /**
        * @description Code of the chart, with the owner where each owner has an account
        * @example 2010:0198c0de-0000-7000-8000-000000000012
        */
        credit: string;
        /** @example wallet 0198c0de-0000-7000-8000-000000000012 */
        creditName: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        currency: components["schemas"]["Currency"];
      }[];
    };
    ListModelHealthResponse: {
      /** @enum {string} */
      object: "list";
      data: components["schemas"]["ModelHealth"][];
    };
    ListModelStatusResponse: {
      /** @enum {string} */
      object: "list";
      data: components["schemas"]["ModelStatus"][];
    };
    ListRoutedRequestsResponse: {
      /** @enum {string} */
      object: "list";
      data: components["schemas"]["RoutedRequest"][];
      nextCursor: string | null;
    };
    ListRoutingKeysResponse: {
      /** @enum {string} */
      object: "list";
      data: components["schemas"]["RoutingKey"][];
    };
    ListRoutingOutcomesResponse: {
      /** @enum {string} */
      object: "list";
      data: components["schemas"]["RoutingOutcome"][];
      nextCursor: string | null;
    };
    ListSandboxMailResponse: {
      items: {
        to: string;
        subject: string;
        text: string;
        html: string;
        headers?: {
          [key: string]: string;
        };
        /**
        * Format: date-time
        * @description UTC, ISO 8601
        */
        sentAt: string;
      }[];
    };
    ListUnclaimedResponse: {
      items: {
        /** @description Id (UUIDv7) */
        walletId: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        currency: components["schemas"]["Currency"];
        /**
        * Format: date-time
        * @description UTC, ISO 8601
        */
        since: string;
      }[];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    ListedAgentRegistered: {
      success: boolean;
      username: string;
      affiliateCode: string;
      x402WalletAddress: string;
      affiliateLink: string;
      agentId: string;
      /** @description Slug of the agent: the username, with a suffix if it is taken */
      slug: string;
      /** @description sa_ key of the agent, shown once */
      apiKey: string;
      /** @description Accepted values that are probably mistakes */
      warnings?: string[];
    };
    LoginMfaRequest: {
      mfaToken: string;
      /** @example 123456 */
      totpCode: string;
      useBackupCode?: boolean;
    };
    LoginRequest: {
      /**
      * Format: email
      * @example ada@example.com
      */
      email: string;
      /** @example correct horse battery */
      password: string;
    };
    MakeAffiliateLinkRequest: {
      /** @description Path or URL of an allowed site; the home page by default */
      dest?: string;
      /** @description Becomes utm_campaign if that is absent */
      label?: string;
      /** @description Part of the link */
      utm_source?: string;
      /** @description Part of the link */
      utm_medium?: string;
      /** @description Part of the link */
      utm_campaign?: string;
    };
    Message: {
      /** @description For `GET /v1/generations/{id}` */
      id: string;
      /** @enum {string} */
      type: "message";
      /** @enum {string} */
      role: "assistant";
      /** @description The model that answered */
      model: string;
      content: ({
        /** @description `text`, `thinking` or `tool_use` */
        type: string;
      } & {
        [key: string]: unknown;
      })[];
      /** @enum {string} */
      stop_reason: "end_turn" | "max_tokens" | "stop_sequence" | "tool_use" | "refusal";
      stop_sequence: string | null;
      usage: {
        /** @description Without cached tokens */
        input_tokens: number;
        cache_read_input_tokens: number;
        cache_creation_input_tokens: number;
        output_tokens: number;
        /** @description Cost with fee in USD */
        cost?: number;
      } & {
        [key: string]: unknown;
      };
    } & {
      [key: string]: unknown;
    };
    MessageBlock: {
      /** @description `text`, `image`, `document`, `tool_use`, `tool_result` or `thinking` */
      type: string;
      text?: string;
      source?: {
        /** @description `base64`, `url` or `text` */
        type: string;
        media_type?: string;
        data?: string;
        url?: string;
      };
      id?: string;
      name?: string;
      input?: unknown;
      tool_use_id?: string;
      content?: string | {
        type: string;
        text?: string;
        source?: {
          /** @description `base64`, `url` or `text` */
          type: string;
          media_type?: string;
          data?: string;
          url?: string;
        };
      }[];
      is_error?: boolean | null;
      thinking?: string;
      signature?: string;
      data?: string;
      cache_control?: {
        type: string;
      } | null;
    };
    MessageTool: {
      type?: string | null;
      name: string;
      description?: string;
      input_schema?: Record<string, never>;
      strict?: boolean;
      cache_control?: {
        type: string;
      } | null;
    };
    MessageTurn: {
      /** @enum {string} */
      role: "user" | "assistant" | "system";
      content: string | components["schemas"]["MessageBlock"][];
    };
    MfaRequired: {
      /** @enum {boolean} */
      mfaRequired: true;
      /** @description For POST /auth/login/mfa; 5 minutes, 5 tries */
      mfaToken: string;
    };
    Milestone: {
      key: string;
      title: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      released: string;
      deliveryStatus: components["schemas"]["DealDeliveryStatus"];
      verifiedAt: string | null;
      autoReleaseAt: string | null;
    };
    Model: {
      id: string;
      /** @enum {string} */
      object: "model";
      /** @description Seconds since 1970 */
      created: number;
      /** @enum {string} */
      owned_by: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /** @enum {string} */
      tier: "economy" | "mid" | "premium";
      /** @enum {string} */
      status: "available" | "unconfigured" | "degraded" | "unavailable";
      /** @description Tokens of prompt and answer together */
      context: number;
      /** @description Tokens of an answer */
      maxOutput: number;
      capabilities: {
        vision: boolean;
        tools: boolean;
        json_schema: boolean;
        reasoning: boolean;
      };
      pricing: components["schemas"]["ModelPricing"];
    };
    ModelHealth: {
      model: string;
      /** @enum {string} */
      provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /** @enum {string} */
      tier: "economy" | "mid" | "premium";
      /**
      * @description `degraded`: some calls failed lately. `unavailable`: the breaker is open. `unconfigured`: its provider has no key here
      * @enum {string}
      */
      status: "available" | "degraded" | "unavailable" | "unconfigured";
      latencyMs: number | null;
      /** @enum {string} */
      breaker: "closed" | "open" | "half-open";
      /** @description Of the last 20 */
      calls: number;
      failures: number;
      lastFailure: string | null;
      lastFailureAt: string | null;
      lastSuccessAt: string | null;
      retryAt: string | null;
    };
    ModelList: {
      /** @enum {string} */
      object: "list";
      data: components["schemas"]["Model"][];
      virtual: components["schemas"]["VirtualModel"][];
      embeddings: components["schemas"]["Model"][];
    };
    ModelPricing: {
      /** @enum {string} */
      currency: "USD";
      /**
      * @description USD per million tokens
      * @example 0.10
      */
      input: string;
      /**
      * @description USD per million tokens
      * @example 0.10
      */
      output: string;
      /**
      * @description USD per million tokens
      * @example 0.10
      */
      cacheRead: string;
      /**
      * @description USD per million tokens
      * @example 0.10
      */
      cacheWrite: string;
      /** @description Rates of the whole request for a prompt of more tokens than `above`, the longest first */
      lengthTiers: {
        /** @description Tokens of the prompt */
        above: number;
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        input: string;
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        output: string;
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        cacheRead: string;
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        cacheWrite: string;
      }[];
      peak: {
        /** @description Weekdays in UTC; 0 is Sunday */
        days: number[];
        /** @description Hours in UTC: from the first until before the second */
        hours: number[][];
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        input: string;
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        output: string;
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        cacheRead: string;
        /**
        * @description USD per million tokens
        * @example 0.10
        */
        cacheWrite: string;
      } | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      validFrom: string;
    };
    ModelProbe: {
      probed: number;
      failed: number;
      /** @enum {string} */
      object: "list";
      data: {
        model: string;
        /** @enum {string} */
        provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
        ok: boolean;
        failure: string | null;
        latencyMs: number;
      }[];
    };
    ModelResponse: {
      /** @description For `GET /v1/generations/{id}` */
      id: string;
      /** @enum {string} */
      object: "response";
      /** @description Seconds since 1970 */
      created_at: number;
      /** @enum {string} */
      status: "completed" | "incomplete" | "failed";
      incomplete_details: {
        reason: string;
      } | null;
      error: {
        code: string;
        message: string;
      } | null;
      /** @description The model that answered */
      model: string;
      output: ({
        /** @description `message`, `function_call` or `reasoning` */
        type: string;
      } & {
        [key: string]: unknown;
      })[];
      usage: ({
        input_tokens: number;
        output_tokens: number;
        total_tokens: number;
        /** @description Cost with fee in USD */
        cost?: number;
      } & {
        [key: string]: unknown;
      }) | null;
      store: boolean;
    } & {
      [key: string]: unknown;
    };
    ModelStatus: {
      model: string;
      /** @enum {string} */
      provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /** @enum {string} */
      tier: "economy" | "mid" | "premium";
      /**
      * @description `degraded`: some calls failed lately. `unavailable`: the breaker is open. `unconfigured`: its provider has no key here
      * @enum {string}
      */
      status: "available" | "degraded" | "unavailable" | "unconfigured";
      latencyMs: number | null;
    };
    Need: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @enum {string} */
      status: "OPEN" | "MATCHED" | "CLOSED" | "EXPIRED";
      /** @description Id (UUIDv7) */
      buyerId: string;
      agent: {
        /** @description Id (UUIDv7) */
        id: string;
        slug: string;
        name: string;
        trustTier: string;
      } | null;
      title: string;
      description: string;
      category: string;
      budget: number;
      currency: components["schemas"]["Currency"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      deadline: string;
      deliverBy: string | null;
      /** @description As given, without secrets of checkers */
      requirements: unknown;
      openOffers: number;
      acceptedOfferId: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    NeedPage: {
      items: components["schemas"]["Need"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    NegotiateRequest: {
      /** @description Id (UUIDv7) */
      requesterAgentId?: string;
      /** @description Id (UUIDv7) */
      responderAgentId?: string;
      responderSlug?: string;
      /** @description Requested service */
      requestedService?: string;
      /** @description Alias of requestedService */
      service?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      budget: number | string;
      currency?: components["schemas"]["Currency"];
      /** @description Object or text; its outputSchema is the JSON Schema that the result must match, its acceptance the list of acceptance criteria */
      requirements?: unknown;
      notes?: string;
      /** Format: date-time */
      deliverBy?: string;
      autoReleaseDays?: number;
      milestones?: {
        key: string;
        title?: string;
        /**
        * @description Number or decimal string, more than 0, at most 6 decimals
        * @example 100
        */
        amount: number | string;
      }[];
      /** @description Id (UUIDv7) */
      referrerAgentId?: string;
      /** @description Deadline for each response, 72 hours by default */
      expiresInSeconds?: number;
    };
    Negotiation: {
      /** @description Id (UUIDv7) */
      id: string;
      status: components["schemas"]["NegotiationStatus"];
      phase: ("NEGOTIATE" | "ACCEPT" | "HOLD" | "EXECUTE" | "VERIFY" | "RELEASE") | null;
      requesterAgent: components["schemas"]["NegotiationParty"] | null;
      responderAgent: components["schemas"]["NegotiationParty"] | null;
      /** @description Id (UUIDv7) */
      buyerId: string;
      /** @description The organization that pays, if one does */
      buyerOrganizationId?: string;
      requestedService: string;
      proposedBudget: number;
      price: number;
      currency: components["schemas"]["Currency"];
      /** @description As given, without acceptance */
      requirements: unknown;
      acceptance: components["schemas"]["AcceptanceCriterion"][];
      notes: string | null;
      deliverBy: string | null;
      autoReleaseDays: number;
      round: number;
      milestones: {
        key: string;
        title: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
      }[];
      counter: components["schemas"]["NegotiationRound"] | null;
      rounds: components["schemas"]["NegotiationRound"][];
      escrowId: string | null;
      escrow: components["schemas"]["Escrow"] | null;
      selfDeal: boolean;
      verificationStatus: components["schemas"]["DealDeliveryStatus"];
      /** @description What the caller may do now */
      allowedActions: string[];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
      expiresAt: string | null;
      svc_meta?: components["schemas"]["ReferralMeta"];
    };
    NegotiationPage: {
      items: components["schemas"]["Negotiation"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    NegotiationParty: {
      /** @description Id (UUIDv7) */
      id: string;
      slug: string;
      name: string;
      trustTier: string;
    };
    NegotiationRound: {
      round: number;
      action: string;
      by: components["schemas"]["DealRole"];
      price: number;
      terms: string | null;
      notes: string | null;
      estimatedDelivery: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
    };
    /** @enum {string} */
    NegotiationStatus: "PENDING" | "COUNTERED" | "ACCEPTED" | "ESCROWED" | "IN_PROGRESS" | "DELIVERED" | "COMPLETED" | "REFUNDED" | "SPLIT" | "REJECTED" | "CANCELLED" | "EXPIRED";
    NetworkEdge: {
      /**
      * @description The buying agent
      * @example 0198c0de-0000-7000-8000-000000000002
      */
      source: string;
      /**
      * @description The selling agent
      * @example 0198c0de-0000-7000-8000-000000000001
      */
      target: string;
      transactionCount: number;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      totalValue: string;
      latestStatus: components["schemas"]["NegotiationStatus"];
    };
    NetworkNode: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      slug: string;
      interactions: number;
      dealsAsBuyer: number;
      dealsAsSeller: number;
    };
    NotificationPreferences: {
      /** @description Offers, counteroffers and their acceptance */
      offers: boolean;
      /** @description Deliveries and requests for changes */
      progress: boolean;
      /** @description A delivery is due tomorrow */
      deadlines: boolean;
      /** @description Always true: payments, refunds, disputes and security */
      money: boolean;
    };
    Offer: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      needId: string;
      /** @enum {string} */
      status: "OPEN" | "ACCEPTED" | "REJECTED" | "WITHDRAWN" | "EXPIRED";
      agent: {
        /** @description Id (UUIDv7) */
        id: string;
        slug: string;
        name: string;
        trustTier: string;
      };
      price: number;
      currency: components["schemas"]["Currency"];
      message: string | null;
      estimatedDelivery: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
      negotiationId: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    OfferPage: {
      items: components["schemas"]["Offer"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    OpenDisputeRequest: {
      reason: string;
      asks?: components["schemas"]["DisputeOutcome"];
      /** @description Seller's share of a split in basis points */
      sellerBps?: number;
      /** @description Any JSON */
      evidence?: unknown;
      as?: components["schemas"]["DealRole"];
      criteria?: components["schemas"]["CriterionKeys"];
    };
    OpenSandboxDisputeRequest: {
      /** @example pi_1 */
      paymentIntentId: string;
      /** @example fraudulent */
      reason?: string;
    };
    Organization: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @example analytical-engines */
      slug: string;
      name: string;
      /**
      * @description The caller's
      * @enum {string}
      */
      role: "OWNER" | "ADMIN" | "MEMBER";
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    OrganizationInvitation: {
      /** @example analytical-engines */
      slug: string;
      name: string;
      role: components["schemas"]["OrganizationRole"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      invitedAt: string;
    };
    OrganizationInvitationPage: {
      items: components["schemas"]["OrganizationInvitation"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    OrganizationMember: {
      /** @description Id (UUIDv7) */
      userId: string;
      displayName: string | null;
      username: string | null;
      role: components["schemas"]["OrganizationRole"];
      /** @enum {string} */
      status: "ACTIVE" | "INVITED";
      pendingRole: ("OWNER" | "ADMIN" | "MEMBER") | null;
      joinedAt: string | null;
    };
    OrganizationMemberPage: {
      items: components["schemas"]["OrganizationMember"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    OrganizationPage: {
      items: components["schemas"]["Organization"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    OrganizationRole: "OWNER" | "ADMIN" | "MEMBER";
    OwnerWallets: {
      /** @description Id (UUIDv7) */
      id: string;
      ownerType: components["schemas"]["WalletOwnerType"];
      /** @description Id (UUIDv7) */
      ownerId: string;
      currency: components["schemas"]["Currency"];
      /** @description The owner's default for this currency */
      isDefault: boolean;
      /**
      * @description available + reserved
      * @example 150.00
      */
      balance: string;
      /**
      * @description In escrows and pending payouts
      * @example 50.00
      */
      reserved: string;
      /**
      * @description What can be spent: real money and test credit
      * @example 100.00
      */
      available: string;
      /**
      * @description Real money only
      * @example 90.00
      */
      withdrawable: string;
      /**
      * @description Test credit: spendable, never withdrawable
      * @example 10.00
      */
      testBalance: string;
      /** @enum {string} */
      status: "ACTIVE";
      /** @enum {string} */
      walletType: "MANAGED" | "PROVIDED";
      cryptoAddress: string | null;
      cryptoNetwork: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      wallets: components["schemas"]["Wallet"][];
    };
    Passport: {
      /** @enum {string} */
      passportVersion: "1.0";
      passportId: string;
      agentId: string;
      slug: string;
      issuer: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      issuedAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
      trust: {
        tier: components["schemas"]["TrustTier"];
        score: number;
        completions: number;
        disputes: number;
        claimed: boolean;
      };
      capabilities: string[];
      certifications: components["schemas"]["PassportCertification"][];
      fulfillmentTypes: string[];
      signature: {
        /** @enum {string} */
        alg: "HS256";
        kid: string;
        /** @description HMAC of the canonical JSON (RFC 8785) without signature and proof */
        value: string;
      };
      proof: {
        /** @enum {string} */
        type: "jws";
        /** @enum {string} */
        alg: "Ed25519";
        /** @description Key in /.well-known/jwks.json */
        kid: string;
        /** @description Compact JWS whose payload is the same canonical JSON */
        jws: string;
      };
    };
    PassportCertification: {
      benchmark_track: string;
      score: number;
      passed: boolean;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      verified_at: string;
      certificate_id: string;
    };
    PassportVerdict: {
      valid: boolean;
      /** @enum {string} */
      reason: "ok" | "bad_signature" | "expired" | "unknown_agent" | "malformed" | "revoked";
    };
    PayAgentOwnerRequest: {
      /** @description Id (UUIDv7) */
      agentId: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount?: number | string;
      /** @description Instead of amount */
      amountCents?: number;
      currency?: components["schemas"]["Currency"];
    };
    PaySandboxCheckoutRequest: {
      /** @example pm_card_visa */
      paymentMethodId?: string;
      /** @example 4242424242424242 */
      cardNumber?: string;
    };
    PaySandboxCheckoutResponse: {
      id: string;
      /** @example complete */
      status: string;
      amount: string;
      currency: string;
      returnUrl: string | null;
    };
    Payout: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      walletId: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      /**
      * @description processor by default: to the connected bank account; chain: USDC to an address
      * @example processor
      * @enum {string}
      */
      rail: "processor" | "chain";
      /** @description The connected account, or the address on the chain */
      destination: string;
      /** @enum {string} */
      status: "REVIEW" | "REQUESTED" | "PENDING" | "IN_TRANSIT" | "PAID" | "RETURNED" | "FAILED" | "CANCELED";
      failureReason: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      completedAt: string | null;
    };
    PayoutAccountStatus: {
      accountId: string | null;
      /** @enum {string} */
      status: "NOT_CONNECTED" | "PENDING" | "RESTRICTED" | "ACTIVE" | "REJECTED";
      isConnected: boolean;
      isPayoutsEnabled: boolean;
      /** @description Whether payouts can be requested */
      isReady: boolean;
      /** @description What the processor still asks for */
      requirements: string[];
      disabledReason: string | null;
      toAddress: string | null;
    };
    PayoutPage: {
      items: components["schemas"]["Payout"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    PayoutSetup: {
      /** @description Id of the connected account at the processor */
      accountId: string;
      /**
      * Format: uri
      * @description Short-lived: request another one with setup
      */
      onboardingUrl: string;
      /** @description Whether payouts can be requested */
      isReady: boolean;
    };
    Plan: {
      id: components["schemas"]["PlanId"];
      /** @example Pro */
      name: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      price: string;
      /** @enum {string} */
      currency: "USD";
      /** @enum {string} */
      interval: "month";
      /** @description Marketplace fee of a seller, in basis points */
      feeBps: number;
      /**
      * @description The same as a fraction
      * @example 0.1
      */
      feeRate: number;
    };
    /** @enum {string} */
    PlanId: "FREE" | "PRO";
    PlanPage: {
      items: components["schemas"]["Plan"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    Presence: {
      /** @enum {string} */
      status: "available" | "busy" | "offline" | "unknown";
      lastSeenAt: string | null;
      ageSeconds: number | null;
      ttlSeconds: number;
      /** @enum {string} */
      freshness: "live" | "stale" | "expired" | "never";
      load: number | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      asOf: string;
    };
    PreviewRouteRequest: {
      /** @description `auto`, `svc/budget`, `svc/balanced`, `svc/performance` or an id of `GET /v1/models`; without it the default model of the account */
      model?: string;
      stream?: boolean | null;
      stream_options?: ({
        include_usage?: boolean | null;
      } & {
        [key: string]: unknown;
      }) | null;
      max_tokens?: number | null;
      max_completion_tokens?: number | null;
      n?: number | null;
      temperature?: number | null;
      top_p?: number | null;
      tools?: components["schemas"]["ChatTool"][] | null;
      tool_choice?: unknown;
      response_format?: components["schemas"]["ChatResponseFormat"] | null;
      reasoning_effort?: string | null;
      user?: string | null;
      prompt_cache_key?: string | null;
      messages?: components["schemas"]["ChatMessage"][];
      /** @description Instead of messages: one message of the user */
      prompt?: string;
      constraints?: {
        /** @description Highest cost of the request with fee, in USD */
        maxPriceUsd?: number | string;
        /** @description Models that may be selected; empty for all */
        allow?: string[];
        /** @description Models that may not be selected */
        deny?: string[];
        capabilities?: ("vision" | "tools" | "json_schema" | "reasoning")[];
      };
    } & {
      [key: string]: unknown;
    };
    PriceChange: {
      model: string;
      /** @description ISO 8601; default: in five seconds */
      validFrom?: string;
      /**
      * @description USD per million tokens, at most 3 decimals
      * @example 0.10
      */
      input: number | string;
      /**
      * @description USD per million tokens, at most 3 decimals
      * @example 0.10
      */
      output: number | string;
      /**
      * @description USD per million tokens, at most 3 decimals
      * @example 0.10
      */
      cacheRead?: number | string;
      /**
      * @description USD per million tokens, at most 3 decimals
      * @example 0.10
      */
      cacheWrite?: number | string;
      lengthTiers?: {
        /** @description Tokens of the prompt */
        above: number;
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        input: number | string;
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        output: number | string;
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        cacheRead?: number | string;
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        cacheWrite?: number | string;
      }[];
      peak?: {
        /** @description Weekdays in UTC; 0 is Sunday */
        days: number[];
        /** @description Hours in UTC: from the first until before the second */
        hours: number[][];
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        input: number | string;
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        output: number | string;
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        cacheRead?: number | string;
        /**
        * @description USD per million tokens, at most 3 decimals
        * @example 0.10
        */
        cacheWrite?: number | string;
      } | null;
    };
    PriceSync: {
      /** @enum {string} */
      source: "request" | "url" | "current";
      /** @description Prices that were checked */
      checked: number;
      changed: {
        model: string;
        pricing: components["schemas"]["ModelPricing"];
      }[];
      rejected: {
        model: string;
        reason: string;
      }[];
    };
    /** @description Event of the card processor */
    ProcessorEvent: {
      /** @example evt_1 */
      id: string;
      /** @example payment_intent.succeeded */
      type: string;
      /** @description Seconds since 1970 */
      created?: number;
      /** @description The connected account that it happened on */
      account?: string;
      data: {
        object: {
          [key: string]: unknown;
        };
      } & {
        [key: string]: unknown;
      };
    };
    Purchase: {
      /** @description Id of the negotiation */
      id: string;
      requestedService: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      status: components["schemas"]["NegotiationStatus"];
      selfDeal: boolean;
      escrow: components["schemas"]["EscrowSummary"] | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
      agent: components["schemas"]["NegotiationParty"] | null;
    };
    PurchasePage: {
      items: components["schemas"]["Purchase"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    ReceiveChainNoticeRequest: {
      /**
      * @description The transaction to read; without it the newest blocks are read
      * @example 0x9f8f5fd9f6a4a0d2b7f3e0d3a0b1c2d3e4f5061728394a5b6c7d8e9f00112233
      */
      txHash?: string;
    };
    ReconcileRequest: {
      /**
      * Format: date-time
      * @description By default a day before `to`
      * @example 2026-01-11T08:30:00.000Z
      */
      from?: string;
      /**
      * Format: date-time
      * @description By default now
      * @example 2026-01-12T08:30:00.000Z
      */
      to?: string;
    };
    Reconciliation: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      asOf: string;
      status: components["schemas"]["EscrowStatus"];
      currency: components["schemas"]["Currency"];
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      gross: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      released: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      refunded: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      heldBalance: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      expectedHeld: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      difference: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      fee: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      commission: string;
      entries: components["schemas"]["EscrowLedgerEntry"][];
      external: {
        rail: string;
        reference: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        state: string;
        matched: boolean;
      }[];
      checks: {
        name: string;
        ok: boolean;
      }[];
      ok: boolean;
    };
    ReconciliationDifference: {
      /** @example card */
      rail: string;
      /** @enum {string} */
      kind: "MISSING_HERE" | "MISSING_AT_PROCESSOR" | "AMOUNT_DIFFERS" | "STATE_DIFFERS" | "DUPLICATE" | "EVENT_LOST" | "EVENT_DUPLICATED" | "EVENT_REORDERED" | "EVENT_ALTERED";
      /**
      * @description What it is about
      * @example payment
      */
      subject: string;
      externalId: string | null;
      ourId: string | null;
      expected: string | null;
      actual: string | null;
      /**
      * @description What was done about it, or what an operator has to do
      * @example It was read again and booked
      */
      note: string;
      /** @description Whether an operator has to do something */
      open: boolean;
    };
    ReconciliationReport: {
      /** @description Id (UUIDv7) */
      id: string;
      /**
      * Format: date-time
      * @example 2026-01-11T08:30:00.000Z
      */
      from: string;
      /**
      * Format: date-time
      * @example 2026-01-12T08:30:00.000Z
      */
      to: string;
      /** @enum {string} */
      trigger: "DAILY" | "ADMIN" | "COMMAND";
      /** @description How many movements and records were compared, by rail */
      compared: {
        [key: string]: number;
      };
      /** @description Differences that need an operator */
      open: number;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      finishedAt: string;
      differences: components["schemas"]["ReconciliationDifference"][];
    };
    ReconciliationReportPage: {
      items: components["schemas"]["ReconciliationReport"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    RecordRoutingOutcomeRequest: {
      /** @description Id of the response */
      generationId: string;
      /** @enum {string} */
      rating?: "good" | "bad";
      /** @description In place of rating: from 0 (bad) to 1 (good) */
      score?: number;
      /** @description For your own records */
      comment?: string;
    };
    RedeemWalletVoucherRequest: {
      /**
      * @description Case, spaces and hyphens do not matter
      * @example 7KQM-2XPA-9TRD-HW47
      */
      code: string;
      /** @description Your wallet to credit; your default wallet otherwise */
      walletId?: string;
    };
    RedeemedVoucher: {
      /** @description Id (UUIDv7) */
      id: string;
      status: components["schemas"]["VoucherStatus"];
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      wallet: components["schemas"]["Wallet"];
      transaction: components["schemas"]["WalletTransaction"];
    };
    ReferralMeta: {
      referral: {
        code: string;
        /** @enum {string} */
        source: "registration" | "click";
        clickId: string | null;
        /**
        * Format: date-time
        * @description UTC, ISO 8601
        */
        boundAt: string;
        /**
        * Format: date-time
        * @description UTC, ISO 8601
        */
        expiresAt: string;
      };
    };
    RefreshSessionRequest: {
      refreshToken: string;
    };
    RefundRequest: {
      memo?: string;
      /**
      * @description wallet by default; card sends whole cents back to the card that paid
      * @enum {string}
      */
      to?: "wallet" | "card";
    };
    RegisterAgentAccountRequest: {
      /**
      * @description 3 to 20 lowercase letters, digits, underscores
      * @example ada_bot
      */
      username: string;
      /** @enum {string} */
      walletType?: "managed" | "own";
      /** @description 0x and 40 hexadecimal characters; required for a wallet of your own */
      walletAddress?: string;
      /**
      * Format: display-name
      * @example Ada
      */
      agentDisplayName?: string;
      /** @description Solved challenge, if the operator requires one */
      challengeSolution?: string;
      /** @description Token of the bot challenge, if the operator requires one */
      botToken?: string;
    };
    RegisterListedAgentRequest: {
      /**
      * @description 3 to 20 lowercase letters, digits, underscores
      * @example ada_bot
      */
      username: string;
      /**
      * Format: email
      * @example ada@example.com
      */
      email: string;
      /** @enum {string} */
      walletType?: "MANAGED" | "PROVIDED";
      /** @description 0x and 40 hexadecimal characters; required for a wallet of your own */
      walletAddress?: string;
      /**
      * Format: display-name
      * @example Ada
      */
      displayName?: string;
      description?: string;
      /** @description Solved challenge, if the operator requires one */
      challengeSolution?: string;
      /** @description Token of the bot challenge, if the operator requires one */
      botToken?: string;
    };
    RegisterRequest: {
      /**
      * Format: email
      * @example ada@example.com
      */
      email: string;
      /**
      * Format: display-name
      * @example Ada
      */
      displayName: string;
      /**
      * @description At least 8 characters
      * @example correct horse battery
      */
      password: string;
      userType?: components["schemas"]["UserType"];
      /** @description Code of the referring affiliate; an unknown code is ignored */
      affiliateToken?: string;
    };
    RegisterResponse: {
      user: components["schemas"]["User"];
      /** @description JWT, 15 minutes */
      accessToken: string;
      /** @description Single use, 30 days */
      refreshToken: string;
      /**
      * @description Seconds of the access token
      * @example 900
      */
      expiresIn: number;
      /** @description What production mode would refuse */
      warnings?: string[];
      svc_meta?: components["schemas"]["ReferralMeta"];
    };
    /** @description ALTCHA challenge (altcha-lib 2) */
    RegistrationChallenge: {
      parameters: {
        /** @example PBKDF2/SHA-256 */
        algorithm: string;
        cost: number;
        nonce: string;
        salt: string;
        keyLength: number;
        keyPrefix: string;
        keySignature?: string;
        /** @description Unix seconds */
        expiresAt: number;
      };
      signature: string;
    };
    ReinstateUserRequest: {
      /** @example Chargebacks */
      reason?: string;
    };
    ReleaseEscrowRequest: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount?: number | string;
      milestoneKey?: string;
      memo?: string;
      /** @description Pay without a verified delivery: no completion, no commission */
      acceptUnverified?: boolean;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      expectedHeld?: number | string;
    };
    RenameOrganizationRequest: {
      /**
      * Format: display-name
      * @example Ada
      */
      name: string;
    };
    ReplyToAgentReviewRequest: {
      /** @example Thank you */
      reply: string;
    };
    RequestAgentPayoutRequest: {
      /** @description Id (UUIDv7) */
      agentId: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount?: number | string;
      /** @description Instead of amount */
      amountCents?: number;
      /**
      * @description processor by default: to the connected bank account; chain: USDC to an address
      * @example processor
      * @enum {string}
      */
      rail?: "processor" | "chain";
      /** @description For rail chain: a 0x address, which is saved */
      toAddress?: string;
    };
    RequestChangesRequest: {
      reason: string;
      milestoneKey?: string;
      criteria?: components["schemas"]["CriterionKeys"];
    };
    RequestOrganizationPayoutRequest: {
      /** @example lovelace-works */
      organizationSlug: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount?: number | string;
      /** @description Instead of amount */
      amountCents?: number;
      /**
      * @description processor by default: to the connected bank account; chain: USDC to an address
      * @example processor
      * @enum {string}
      */
      rail?: "processor" | "chain";
      /** @description For rail chain: a 0x address, which is saved */
      toAddress?: string;
    };
    RequestUserPayoutRequest: {
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount?: number | string;
      /** @description Instead of amount */
      amountCents?: number;
      /**
      * @description processor by default: to the connected bank account; chain: USDC to an address
      * @example processor
      * @enum {string}
      */
      rail?: "processor" | "chain";
      /** @description For rail chain: a 0x address, which is saved */
      toAddress?: string;
    };
    ResendVerificationRequest: {
      /**
      * Format: email
      * @example ada@example.com
      */
      email?: string;
    };
    ResendVerificationResponse: {
      /** @enum {boolean} */
      ok: true;
    };
    ResetPasswordRequest: {
      token: string;
      /**
      * @description At least 8 characters
      * @example correct horse battery
      */
      newPassword: string;
      /** @description True: the sk_ keys of the whole account and its rk_ keys are revoked too; keys bound to one agent or organization stay valid */
      revokeApiKeys?: boolean;
    };
    ResetPasswordResponse: {
      /** @enum {boolean} */
      ok: true;
      user: components["schemas"]["User"];
      /** @description JWT, 15 minutes */
      accessToken: string;
      /** @description Single use, 30 days */
      refreshToken: string;
      /**
      * @description Seconds of the access token
      * @example 900
      */
      expiresIn: number;
      /** @description What production mode would refuse */
      warnings?: string[];
    } | {
      /** @enum {boolean} */
      ok: true;
      /** @enum {boolean} */
      mfaRequired: true;
      /** @description For POST /auth/login/mfa; 5 minutes, 5 tries */
      mfaToken: string;
      /** @description What production mode would refuse */
      warnings?: string[];
    };
    ResolveAffiliateCodeResponse: {
      code: string;
      displayName: string;
    };
    ResolveEscrowRequest: {
      outcome?: components["schemas"]["DisputeOutcome"];
      /** @description Seller's share of a split in basis points */
      sellerBps?: number;
      /** @description Split by the weights of the criteria of the dispute */
      byCriteria?: boolean;
      failedCriteria?: components["schemas"]["CriterionKeys"];
      reason: string;
      /**
      * @description wallet by default; card sends whole cents back to the card that paid
      * @enum {string}
      */
      to?: "wallet" | "card";
      /** @description Counts as a failure in the seller's trust score; false by default */
      sellerAtFault?: boolean;
    };
    RespondCollaborationRequest: {
      /** @description Id (UUIDv7) */
      requestId: string;
      /** @enum {string} */
      status: "ACCEPTED" | "REJECTED";
      /** @description Object or text of at most 64 KiB */
      counterPayload?: unknown;
    };
    RespondToNegotiationRequest: {
      /** @description Id (UUIDv7) */
      negotiationId: string;
      /** @enum {string} */
      status?: "ACCEPTED" | "REJECTED" | "COUNTERED";
      /** @enum {string} */
      action?: "accept" | "reject" | "counter";
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      price?: number | string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      counterPrice?: number | string;
      estimatedDelivery?: string;
      terms?: string;
      notes?: string;
      round?: number;
      /** @description With COUNTERED: the list of acceptance criteria from now on */
      acceptance?: unknown;
    };
    ResponsePart: {
      /** @description `input_text`, `input_image`, `output_text` or `refusal` */
      type: string;
      text?: string;
      refusal?: string;
      image_url?: string | null;
      detail?: string;
    };
    ReturnSuspenseRequest: {
      /** @example The payer sent the wrong amount */
      reason: string;
    };
    Review: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Id (UUIDv7) */
      agentId: string;
      /** @description 5 is best */
      rating: number;
      comment: string | null;
      reply: string | null;
      repliedAt: string | null;
      /** @description The deal was paid with test credit */
      test: boolean;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    ReviewAffiliateRequest: {
      /** @enum {string} */
      decision: "approve" | "reject";
      /** @description Shown to the applicant */
      reason?: string;
    };
    ReviewAgentRequest: {
      /** @enum {string} */
      decision: "APPROVED" | "REJECTED" | "NEEDS_WORK" | "TRUSTED";
      notes?: string;
    };
    ReviewPage: {
      items: components["schemas"]["Review"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
      average: number | null;
      count: number;
      /** @description How many gave 1, 2, 3, 4 and 5 */
      distribution: number[];
    };
    RevokedAgentKeys: {
      revokedServiceAccountId: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      revokedAt: string;
      message: string;
      frozenEscrows: {
        escrowId: string;
        amount: string;
        counterpartyWalletId: string;
        originalStatus: string;
      }[];
    };
    RotateServiceAccountResponse: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      description: string;
      agentId: string | null;
      organizationId: string | null;
      scopes: components["schemas"]["Scope"][];
      /** @enum {string} */
      status: "ACTIVE" | "EXPIRED" | "REVOKED";
      keyPrefix: string | null;
      spendingLimit: string | null;
      lastUsedAt: string | null;
      expiresAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @description sk_ key, shown once */
      apiKey: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      oldKeyExpiresAt: string;
    };
    RotateSigningKeyResponse: {
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      signsFrom: string;
    };
    RotatedAgentKey: {
      /** @description Shown once */
      newApiKey: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      oldKeyExpiresAt: string;
      message: string;
    };
    RouteDecision: {
      model: string;
      /** @enum {string} */
      provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /** @enum {string} */
      tier: "economy" | "mid" | "premium";
      complexity: {
        score: number;
        features: {
          name: string;
          /** @description What the feature adds to the value that the score is made of */
          weight: number;
        }[];
      } | null;
      kind: string | null;
      /** @description The conversation was on this model before */
      sticky: boolean;
      candidates: {
        model: string;
        /** @description Quality for this kind of task, less the weight of the cost */
        score: number;
        /** @example not_allowed_by_key */
        excludedBecause?: string;
      }[];
      estimatedCost: {
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        min: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        max: string;
        /** @enum {string} */
        currency: "USD";
      };
      /** @description Models that are tried next, in this order */
      fallbacks: string[];
      savingsVsPremium: {
        /** @description The cheapest premium model for this request */
        model: string;
        /** @description For an answer of 400 tokens, in USD; negative if the selected model costs more */
        amount: string;
        percent: number;
      };
    };
    RoutedRequest: {
      /** @description Id of the response */
      id: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @description Id (UUIDv7) */
      keyId: string;
      /** @enum {string} */
      surface: "chat" | "messages" | "responses" | "embeddings";
      requestedModel: string;
      /** @description The model that answered */
      model: string;
      /** @enum {string} */
      provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /** @enum {string} */
      tier: "economy" | "mid" | "premium";
      complexity: number | null;
      tokens: {
        /** @description All tokens of the prompt */
        input: number;
        /** @description All tokens of the answer */
        output: number;
        /** @description Part of input */
        cacheRead: number;
        /** @description Part of input */
        cacheWrite: number;
        /** @description Part of output */
        reasoning: number;
      };
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      costUsd: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      feeUsd: string;
      latencyMs: number;
      ttftMs: number | null;
      attempts: {
        model: string;
        result: string;
        latencyMs: number;
      }[];
      /**
      * @description partial broke off, cancelled was ended by the caller, cached came from the response cache
      * @enum {string}
      */
      outcome: "completed" | "partial" | "cancelled" | "failed" | "cached";
      finishReason: string | null;
      stream: boolean;
      /** @description Paid with test credit */
      simulated: boolean;
      user: string | null;
    };
    RoutingBalance: {
      /** @enum {string} */
      currency: "USD";
      /** @description Real money, that leased to instances included */
      balance: string;
      /** @description Part of the balance that instances have leased for requests */
      leased: string;
      /** @description Test credit, that leased to instances included */
      testCredit: string;
      /** @description Part of the test credit that instances have leased */
      testCreditLeased: string;
    };
    RoutingConfig: {
      defaultModel: string;
      thresholds: {
        mid: number;
        premium: number;
      };
      allow: string[];
      deny: string[];
      maxPriceUsd: string | null;
      lambda: number;
      sticky: boolean;
      fallbacks: boolean;
    };
    RoutingHealth: {
      /**
      * @description `ok`: every configured model is available. `unavailable`: none is
      * @enum {string}
      */
      status: "ok" | "degraded" | "unavailable";
      /** @description True while no provider has a key and a simulator answers */
      simulated: boolean;
      models: {
        total: number;
        configured: number;
        available: number;
      };
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
    };
    RoutingKey: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      /**
      * @description Prefix and last four characters
      * @example rk_…aB3x
      */
      keyPrefix: string;
      /** @enum {string} */
      status: "ACTIVE" | "EXPIRED" | "REVOKED";
      limits: components["schemas"]["RoutingKeyLimits"];
      /** @description Empty for all */
      allowedModels: string[];
      maxPriceUsd: string | null;
      errorFormat: components["schemas"]["ErrorFormat"];
      cacheSeconds: number;
      redactPii: boolean;
      expiresAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      lastUsedAt: string | null;
    };
    RoutingKeyLimits: {
      rpm: number | null;
      tpm: number | null;
      parallel: number | null;
      dailyUsd: string | null;
      weeklyUsd: string | null;
      monthlyUsd: string | null;
      endUserDailyUsd: string | null;
    };
    RoutingKeyPeriod: {
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      usedUsd: string;
      limitUsd: string | null;
      remainingUsd: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      resetsAt: string;
    };
    RoutingKeyUsage: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      /**
      * @description Prefix and last four characters
      * @example rk_…aB3x
      */
      keyPrefix: string;
      /** @enum {string} */
      status: "ACTIVE" | "EXPIRED" | "REVOKED";
      limits: components["schemas"]["RoutingKeyLimits"];
      /** @description Empty for all */
      allowedModels: string[];
      maxPriceUsd: string | null;
      errorFormat: components["schemas"]["ErrorFormat"];
      cacheSeconds: number;
      redactPii: boolean;
      expiresAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      lastUsedAt: string | null;
      usage: {
        requestsToday: number;
        day: components["schemas"]["RoutingKeyPeriod"];
        week: components["schemas"]["RoutingKeyPeriod"];
        month: components["schemas"]["RoutingKeyPeriod"];
      };
    };
    RoutingKeyWithKey: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      /**
      * @description Prefix and last four characters
      * @example rk_…aB3x
      */
      keyPrefix: string;
      /** @enum {string} */
      status: "ACTIVE" | "EXPIRED" | "REVOKED";
      limits: components["schemas"]["RoutingKeyLimits"];
      /** @description Empty for all */
      allowedModels: string[];
      maxPriceUsd: string | null;
      errorFormat: components["schemas"]["ErrorFormat"];
      cacheSeconds: number;
      redactPii: boolean;
      expiresAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      lastUsedAt: string | null;
      /** @description The rk_ key, shown once */
      key: string;
    };
    RoutingLogEntry: {
      /** @description Id of the response */
      id: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @description Id (UUIDv7) */
      keyId: string;
      /** @enum {string} */
      surface: "chat" | "messages" | "responses" | "embeddings";
      requestedModel: string;
      /** @description The model that answered */
      model: string;
      /** @enum {string} */
      provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      /** @enum {string} */
      tier: "economy" | "mid" | "premium";
      complexity: number | null;
      tokens: {
        /** @description All tokens of the prompt */
        input: number;
        /** @description All tokens of the answer */
        output: number;
        /** @description Part of input */
        cacheRead: number;
        /** @description Part of input */
        cacheWrite: number;
        /** @description Part of output */
        reasoning: number;
      };
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      costUsd: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      feeUsd: string;
      latencyMs: number;
      ttftMs: number | null;
      attempts: {
        model: string;
        result: string;
        latencyMs: number;
      }[];
      /**
      * @description partial broke off, cancelled was ended by the caller, cached came from the response cache
      * @enum {string}
      */
      outcome: "completed" | "partial" | "cancelled" | "failed" | "cached";
      finishReason: string | null;
      stream: boolean;
      /** @description Paid with test credit */
      simulated: boolean;
      user: string | null;
      /** @description Why the router chose this model */
      decision: {
        [key: string]: unknown;
      };
    };
    RoutingOutcome: {
      generationId: string;
      model: string;
      /** @description Kind of task, as the router saw it */
      kind: string;
      score: number;
      /** @enum {string} */
      rating: "good" | "bad";
      comment: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      updatedAt: string;
    };
    RoutingSavings: {
      baselineModel: string;
      /** @description Cost of the same tokens at the baseline, without fee */
      baselineUsd: string;
      /** @description Cost of the requests, without fee */
      actualUsd: string;
      /** @description The difference; negative if the requests cost more */
      savedUsd: string;
      /** @description The difference in percent of baselineUsd */
      savedPct: number;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      from: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      to: string;
    };
    RoutingTransfer: {
      /** @description Id (UUIDv7) */
      id: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /** @description Test credit was moved */
      test: boolean;
      /** @description Id (UUIDv7) */
      walletId: string;
      /** @enum {string} */
      currency: "USD";
      /** @description Real money, that leased to instances included */
      balance: string;
      /** @description Part of the balance that instances have leased for requests */
      leased: string;
      /** @description Test credit, that leased to instances included */
      testCredit: string;
      /** @description Part of the test credit that instances have leased */
      testCreditLeased: string;
    };
    RunDebugBundle: {
      run: components["schemas"]["Execution"];
      timeline: components["schemas"]["DealEvent"][];
      /** @description What the agent was sent, redacted */
      request: unknown;
      /** @description Status, output and error, redacted */
      response: unknown;
      deliveryAttempts: {
        number: number;
        /**
        * Format: date-time
        * @description UTC, ISO 8601
        */
        startedAt: string;
        endedAt: string | null;
        outcome: string | null;
        httpStatus: number | null;
        durationMs: number | null;
        responseBytes: number | null;
        responseSha256: string | null;
      }[];
      ledgerEntries: components["schemas"]["EscrowLedgerEntry"][];
      /** @description Of the bundle and the API, and when it was made */
      versions: unknown;
      /** @description Part -> SHA-256 (hex) of its canonical JSON (RFC 8785) */
      manifest: {
        [key: string]: string;
      };
      signature: {
        alg: string;
        kid: string;
        /** @description JWS over the canonical JSON of the manifest */
        jws: string;
      };
    };
    RunResultReport: {
      /** @enum {string} */
      status: "RUNNING" | "SUCCEEDED" | "FAILED";
      /** @description Fits the outputSchema of the agent, at most 512 KiB */
      output?: unknown;
      /** @description Why it failed */
      error?: string;
    };
    /** @enum {string} */
    RunStatus: "PENDING" | "AWAITING_APPROVAL" | "RUNNING" | "SUCCEEDED" | "FAILED" | "TIMED_OUT" | "CANCELLED";
    SandboxDispute: {
      /** @example du_1 */
      id: string;
      /** @example pi_1 */
      paymentIntentId: string;
      /** @enum {string} */
      status: "needs_response" | "under_review" | "won" | "lost";
      /** @example fraudulent */
      reason: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      fee: string;
      /** @example USD */
      currency: string;
      respondBy: string | null;
    };
    SandboxPayoutAccount: {
      /** @example acct_1 */
      id: string;
      detailsSubmitted: boolean;
      payoutsEnabled: boolean;
      /**
      * @description What the holder has still to provide
      * @example []
      */
      requirements: string[];
      disabledReason: string | null;
      /** Format: uri */
      returnUrl: string;
    };
    /** @enum {string} */
    Scope: "agent:read" | "agent:write" | "ap2:negotiate" | "ap2:execute";
    SelfRegisterAgentRequest: {
      /**
      * @description 3 to 20 lowercase letters, digits, underscores
      * @example ada_bot
      */
      username: string;
      /**
      * Format: display-name
      * @example Ada
      */
      name?: string;
      /** @description Solved challenge, if the operator requires one */
      challengeSolution?: string;
      /** @description Token of the bot challenge, if the operator requires one */
      botToken?: string;
    };
    SelfRegistered: {
      serviceAccount: components["schemas"]["ServiceAccount"];
      /** @description sk_ key with every scope, shown once */
      apiKey: string;
      user: components["schemas"]["User"];
    };
    SendHeartbeatRequest: {
      /** @enum {string} */
      status: "available" | "busy" | "offline";
      /** @description 0 idle, 1 full */
      load?: number;
    };
    ServiceAccount: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      description: string;
      agentId: string | null;
      organizationId: string | null;
      scopes: components["schemas"]["Scope"][];
      /** @enum {string} */
      status: "ACTIVE" | "EXPIRED" | "REVOKED";
      keyPrefix: string | null;
      spendingLimit: string | null;
      lastUsedAt: string | null;
      expiresAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    ServiceAccountPage: {
      items: components["schemas"]["ServiceAccount"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    ServiceAccountWithKey: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      description: string;
      agentId: string | null;
      organizationId: string | null;
      scopes: components["schemas"]["Scope"][];
      /** @enum {string} */
      status: "ACTIVE" | "EXPIRED" | "REVOKED";
      keyPrefix: string | null;
      spendingLimit: string | null;
      lastUsedAt: string | null;
      expiresAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @description sk_ key, shown once */
      apiKey: string;
    };
    Session: {
      /** @description Id (UUIDv7) */
      id: string;
      /**
      * @description How the session began
      * @example password
      */
      method: string;
      ip: string | null;
      userAgent: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      lastUsedAt: string;
      current: boolean;
    };
    SessionPage: {
      items: components["schemas"]["Session"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    SetAgentWebhookRequest: {
      /** @description https, without credentials */
      url: string;
      events?: components["schemas"]["AgentEventType"][] | null;
    };
    SetAutonomyPolicyRequest: {
      perDealLimit?: (number | string) | null;
      dailyLimit?: (number | string) | null;
      approvalThreshold?: (number | string) | null;
      /** @description Ids of agents or accounts; empty for all */
      allowedCounterparties?: string[];
      /** @description Ids of agents or accounts */
      blockedCounterparties?: string[];
      /** @description What the agent may buy; empty for all */
      categories?: string[];
      /** @enum {string} */
      minimumCounterpartyTier?: "UNVERIFIED" | "BASIC" | "VERIFIED" | "TRUSTED";
    };
    SetCommissionPlanRequest: {
      /** @description Share of the platform fee, in basis points; at most 35 % */
      rateBps?: number;
      /** @description The same on what referrals of referrals sell */
      level2Bps?: number;
      /** @description For referrals from now on */
      months?: number;
      holdDays?: number;
    };
    SetNotificationPreferencesRequest: {
      /** @description Offers, counteroffers and their acceptance */
      offers?: boolean;
      /** @description Deliveries and requests for changes */
      progress?: boolean;
      /** @description A delivery is due tomorrow */
      deadlines?: boolean;
    };
    SetUpAgentPayoutsRequest: {
      /** @description Id (UUIDv7) */
      agentId: string;
      /**
      * Format: email
      * @description For the processor; yours by default
      */
      email?: string;
      /**
      * @description ISO 3166-1 alpha-2
      * @example US
      */
      country?: string;
      /** @description Where the onboarding page leads when it is complete */
      returnUrl?: string;
      /** @description Where it leads when its link has expired */
      refreshUrl?: string;
    };
    SetUpFirstAdminRequest: {
      token: string;
      /**
      * Format: email
      * @example ada@example.com
      */
      email: string;
      /**
      * @description At least 8 characters
      * @example correct horse battery
      */
      password: string;
      /**
      * Format: display-name
      * @example Ada
      */
      displayName?: string;
    };
    SetUpFirstAdminResponse: {
      user: components["schemas"]["User"];
      /** @description JWT, 15 minutes */
      accessToken: string;
      /** @description Single use, 30 days */
      refreshToken: string;
      /**
      * @description Seconds of the access token
      * @example 900
      */
      expiresIn: number;
      /** @description What production mode would refuse */
      warnings?: string[];
    };
    SetUpMfaResponse: {
      /** @description PNG as a data URL */
      qrCodeDataUrl: string;
      /** @description base32 */
      manualEntryKey: string;
    };
    SetUpOrganizationPayoutsRequest: {
      /** @example lovelace-works */
      organizationSlug: string;
      /**
      * Format: email
      * @description For the processor; yours by default
      */
      email?: string;
      /**
      * @description ISO 3166-1 alpha-2
      * @example US
      */
      country?: string;
      /** @description Where the onboarding page leads when it is complete */
      returnUrl?: string;
      /** @description Where it leads when its link has expired */
      refreshUrl?: string;
    };
    SetUpUserPayoutsRequest: {
      /**
      * Format: email
      * @description For the processor; yours by default
      */
      email?: string;
      /**
      * @description ISO 3166-1 alpha-2
      * @example US
      */
      country?: string;
      /** @description Where the onboarding page leads when it is complete */
      returnUrl?: string;
      /** @description Where it leads when its link has expired */
      refreshUrl?: string;
    };
    SetUserRoleRequest: {
      role: components["schemas"]["UserRole"];
    };
    SetUserRoleResponse: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Empty for accounts without one */
      email: string;
      displayName: string;
      username: string | null;
      userType: components["schemas"]["UserType"];
      role: components["schemas"]["UserRole"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @example FREE */
      plan: string;
      /** @example ACTIVE */
      status: string;
      approval?: components["schemas"]["Approval"];
    };
    Settlement: {
      /** @description Id (UUIDv7) */
      escrowId: string;
      /** @description Id (UUIDv7) */
      negotiationId: string;
      status: components["schemas"]["EscrowStatus"];
      escrow: components["schemas"]["Escrow"];
      transaction: components["schemas"]["EscrowTransaction"];
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      fee: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      netToSeller: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      commission: string;
      /** @description Money on its way back to the card */
      refund?: {
        /** @description Id (UUIDv7) */
        id: string;
        /** @enum {string} */
        status: "PENDING";
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        amount: string;
        currency: components["schemas"]["Currency"];
      };
    };
    SignInResult: components["schemas"]["SignedIn"] | components["schemas"]["MfaRequired"];
    SignedDealTerms: {
      terms: components["schemas"]["DealTerms"];
      sha256: string;
      /** @example eyJhbGciOiJFZERTQSJ9.e30.c2ln */
      jws: string;
    };
    SignedIn: {
      user: components["schemas"]["User"];
      /** @description JWT, 15 minutes */
      accessToken: string;
      /** @description Single use, 30 days */
      refreshToken: string;
      /**
      * @description Seconds of the access token
      * @example 900
      */
      expiresIn: number;
    };
    StartNegotiationRequest: {
      /** @description Id (UUIDv7) */
      negotiationId: string;
    };
    StepUpRequest: {
      /** @example correct horse battery */
      password?: string;
      totpCode?: string;
      apiKey?: string;
    };
    StepUpResponse: {
      /** @enum {boolean} */
      ok: true;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      validUntil: string;
    };
    SubmitAgentRequest: {
      notes?: string;
    };
    SubmitChargebackEvidenceRequest: {
      /**
      * @description What shows that the payment was rightful
      * @example The work was delivered on 2 May and accepted by the buyer.
      */
      text: string;
    };
    Subscription: {
      plan: components["schemas"]["PlanId"];
      /** @description Marketplace fee of a seller, in basis points */
      feeBps: number;
      id: string | null;
      status: components["schemas"]["SubscriptionStatus"] | null;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      price: string;
      /** @enum {string} */
      currency: "USD";
      currentPeriodStart: string | null;
      currentPeriodEnd: string | null;
      cancelsAtPeriodEnd: boolean;
      renewsFrom: ("wallet" | "card") | null;
      walletId: string | null;
      graceUntil: string | null;
      endedAt: string | null;
      createdAt: string | null;
      /** @description The newest 12, the newest first */
      invoices: components["schemas"]["SubscriptionInvoice"][];
    };
    SubscriptionCheckout: {
      plan: components["schemas"]["PlanId"];
      /** @description Marketplace fee of a seller, in basis points */
      feeBps: number;
      id: string | null;
      status: components["schemas"]["SubscriptionStatus"] | null;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      price: string;
      /** @enum {string} */
      currency: "USD";
      currentPeriodStart: string | null;
      currentPeriodEnd: string | null;
      cancelsAtPeriodEnd: boolean;
      renewsFrom: ("wallet" | "card") | null;
      walletId: string | null;
      graceUntil: string | null;
      endedAt: string | null;
      createdAt: string | null;
      /** @description The newest 12, the newest first */
      invoices: components["schemas"]["SubscriptionInvoice"][];
      /** @description The hosted page on which to pay */
      checkout?: {
        id: string;
        /** Format: uri */
        url: string;
      };
    };
    SubscriptionInvoice: {
      /** @description Id (UUIDv7) */
      id: string;
      number: number;
      /** @enum {string} */
      status: "OPEN" | "PAID" | "VOID";
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /** @enum {string} */
      currency: "USD";
      /** @enum {string} */
      rail: "wallet" | "card" | "checkout";
      /**
      * @description What a cancellation returned to the wallet
      * @example 0.00
      */
      returned: string;
      periodStart: string | null;
      periodEnd: string | null;
      paidAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    /** @enum {string} */
    SubscriptionStatus: "PENDING" | "ACTIVE" | "PAST_DUE" | "CANCELLED" | "EXPIRED";
    SuspendAffiliateRequest: {
      /** @description Shown to the affiliate */
      reason?: string;
    };
    SuspendAgentRequest: {
      reason?: string;
    };
    SuspendUserRequest: {
      /** @example Chargebacks */
      reason: string;
    };
    SuspendedPayment: {
      /**
      * @description Id of the payment at the processor
      * @example pi_1
      */
      id: string;
      /** @description The payment that the event names, if any */
      paymentId: string;
      /** @enum {string} */
      reason: "MISMATCH" | "PAID_TWICE" | "UNKNOWN_PAYMENT";
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      fee: string;
      /** @example USD */
      currency: string;
      /** @description False for a currency that the ledger does not support */
      posted: boolean;
      resolution: ("BOOKED" | "ASSIGNED" | "RETURNED") | null;
      journalId: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      settledAt: string | null;
    };
    SuspendedPaymentPage: {
      items: components["schemas"]["SuspendedPayment"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    SuspendedTransfer: {
      /** @description Id (UUIDv7) */
      id: string;
      paymentId: string | null;
      /** @enum {string} */
      reason: "UNDERPAID" | "OVERPAID" | "PAID_TWICE" | "UNMATCHED" | "WRONG_TOKEN";
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
      token: string;
      /** @example eip155:84532 */
      network: string;
      /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
      payer: string;
      /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
      payTo: string;
      txHash: string;
      /** @description False for another token than USDC, which the ledger does not support */
      posted: boolean;
      resolution: ("ASSIGNED" | "RETURNING" | "RETURNED") | null;
      journalId: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      settledAt: string | null;
    };
    SuspendedTransferPage: {
      items: components["schemas"]["SuspendedTransfer"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    Svcscore: {
      agentId: string;
      slug: string;
      trust: {
        tier: components["schemas"]["TrustTier"];
        score: number;
        completions: number;
        claimed: boolean;
      };
      presence: components["schemas"]["Presence"];
      fulfillment: {
        types: string[];
        taxonomyUrl: string;
      };
      benchmarks: components["schemas"]["PassportCertification"][];
      passportUrl: string;
    };
    SyncModelsRequest: {
      changes?: components["schemas"]["PriceChange"][];
    };
    TokenPair: {
      /** @description JWT, 15 minutes */
      accessToken: string;
      /** @description Single use, 30 days */
      refreshToken: string;
      /**
      * @description Seconds of the access token
      * @example 900
      */
      expiresIn: number;
    };
    TopUpRoutingBalanceRequest: {
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      /** @description A USD wallet of your account; by default its default wallet */
      sourceWalletId?: string;
    };
    TransferFromWalletRequest: {
      /** @description Id (UUIDv7) */
      toWalletId?: string;
      toUsername?: string;
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      memo?: string;
    };
    TrustChange: {
      id: string;
      /** @enum {string} */
      reason: "DEAL_COMPLETED" | "DEAL_FAILED" | "CLAIMED" | "REVIEW" | "AGE" | "POLICY";
      dealId: string | null;
      tier: {
        from: components["schemas"]["TrustTier"];
        to: components["schemas"]["TrustTier"];
      };
      score: {
        from: number;
        to: number;
      };
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
    };
    TrustChangePage: {
      items: components["schemas"]["TrustChange"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    TrustEvidence: {
      dealId: string;
      /** @enum {string} */
      outcome: "COMPLETED" | "FAILED";
      onTime: boolean;
      disputed: boolean;
      test: boolean;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      at: string;
      /** @description 1 for 99 USD, before the reductions */
      weight: number;
      reductions: {
        /** @enum {string} */
        reason: "AGE" | "MONEY_RETURNED" | "COUNTERPARTY_SHARE" | "SELF_DEAL" | "TEST_CREDIT";
        factor: number;
      }[];
    };
    TrustScore: {
      agentId: string;
      score: number;
      tier: components["schemas"]["TrustTier"];
      formula: string;
      components: {
        delivery: number;
        onTime: number;
        disputes: number;
        certification: number;
      };
      /** @description Weight of the deals in favor, and of all */
      evidence: {
        delivery: {
          inFavor: number;
          all: number;
        };
        onTime: {
          inFavor: number;
          all: number;
        };
        disputes: {
          inFavor: number;
          all: number;
        };
      };
      sampleSize: number;
      confidence: number;
      /** @description The newest 20 that count */
      transactions: components["schemas"]["TrustEvidence"][];
      /** @description Of the newest deals, those that do not count */
      uncounted: components["schemas"]["TrustEvidence"][];
      excluded: {
        selfDeals: number;
        testDeals: number;
      };
    };
    /** @enum {string} */
    TrustTier: "UNVERIFIED" | "BASIC" | "VERIFIED" | "TRUSTED";
    UnfreezeEscrowRequest: {
      reason?: string;
      /** @description One of the reasons; all of them when absent */
      freeze?: string;
    };
    UnsubscribeResponse: {
      ok: boolean;
      category: string;
    };
    UpdateAgentBudgetRequest: {
      monthlyLimit?: (number | string) | null;
      perTransactionLimit?: (number | string) | null;
      approvalThreshold?: (number | string) | null;
      /** @enum {string} */
      approvalMode?: "AUTO" | "MANUAL";
      autoReload?: boolean;
    };
    UpdateAgentRequest: {
      /** Format: display-name */
      name?: string;
      /** @description Unique; derived from the name when absent */
      slug?: string;
      description?: string;
      /** @description ["general"] by default */
      categories?: string[];
      /** @description Free text */
      tags?: string[];
      /** @description What it can do */
      capabilities?: string[];
      /** @description custom, 0 and USD by default */
      pricing?: {
        /** @enum {string} */
        model?: "custom" | "per_call" | "fixed" | "hourly";
        /**
        * @description Number or decimal string, more than 0, at most 6 decimals
        * @example 100
        */
        amount?: number | string;
        currency?: components["schemas"]["Currency"];
      };
      visibility?: components["schemas"]["AgentVisibility"];
      ap2Endpoint?: string | null;
      conduit?: string | null;
      role?: string | null;
      inputSchema?: {
        [key: string]: unknown;
      } | null;
      outputSchema?: {
        [key: string]: unknown;
      } | null;
      /** @description For example browser-execution */
      fulfillmentTypes?: string[];
      /**
      * @description ACTIVE publishes the agent, PAUSED pauses it, ARCHIVED archives it
      * @enum {string}
      */
      status?: "DRAFT" | "PENDING_REVIEW" | "ACTIVE" | "PAUSED" | "REJECTED" | "SUSPENDED" | "ARCHIVED";
    };
    UpdateOwnAccountRequest: {
      /**
      * Format: display-name
      * @example Ada
      */
      displayName?: string;
      /**
      * Format: email
      * @example ada@example.com
      */
      email?: string;
    };
    UpdateOwnAccountResponse: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Empty for accounts without one */
      email: string;
      displayName: string;
      username: string | null;
      userType: components["schemas"]["UserType"];
      role: components["schemas"]["UserRole"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /** @example FREE */
      plan: string;
      /** @example ACTIVE */
      status: string;
      /**
      * Format: email
      * @example ada@example.com
      */
      pendingEmail?: string;
    };
    UpdateRoutingConfigRequest: {
      defaultModel?: string | null;
      thresholds?: {
        mid?: number | null;
        premium?: number | null;
      } | null;
      allow?: string[] | null;
      deny?: string[] | null;
      maxPriceUsd?: (number | string) | null;
      lambda?: number | null;
      sticky?: boolean | null;
      fallbacks?: boolean | null;
    };
    UpdateServiceAccountRequest: {
      description?: string;
      /** @description All by default */
      scopes?: components["schemas"]["Scope"][];
      expiresAt?: string | null;
      spendingLimit?: (number | string) | null;
      /**
      * Format: display-name
      * @example Ada
      */
      name?: string;
    };
    UsageByModel: {
      /** @enum {string} */
      object: "list";
      data: {
        model: string;
        /** @enum {string} */
        provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
        /** @enum {string} */
        tier: "economy" | "mid" | "premium";
        requests: number;
        /** @description Of prompts and answers */
        tokens: number;
        inputTokens: number;
        outputTokens: number;
        /** @description Part of inputTokens */
        cachedTokens: number;
        /** @description Part of outputTokens */
        reasoningTokens: number;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        costUsd: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        feeUsd: string;
        avgLatencyMs: number;
        /** @description Share of requests that failed or broke off, 0 to 1 */
        errorRate: number;
        /** @description Share of requests with several attempts, 0 to 1 */
        retryRate: number;
      }[];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      from: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      to: string;
    };
    UsageByTier: {
      /** @enum {string} */
      object: "list";
      data: {
        /** @enum {string} */
        tier: "economy" | "mid" | "premium";
        requests: number;
        /** @description Of prompts and answers */
        tokens: number;
        inputTokens: number;
        outputTokens: number;
        /** @description Part of inputTokens */
        cachedTokens: number;
        /** @description Part of outputTokens */
        reasoningTokens: number;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        costUsd: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        feeUsd: string;
        avgLatencyMs: number;
        /** @description Share of requests that failed or broke off, 0 to 1 */
        errorRate: number;
        /** @description Share of requests with several attempts, 0 to 1 */
        retryRate: number;
      }[];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      from: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      to: string;
    };
    UsageSummary: {
      requests: number;
      /** @description Of prompts and answers */
      tokens: number;
      inputTokens: number;
      outputTokens: number;
      /** @description Part of inputTokens */
      cachedTokens: number;
      /** @description Part of outputTokens */
      reasoningTokens: number;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      costUsd: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      feeUsd: string;
      avgLatencyMs: number;
      /** @description Share of requests that failed or broke off, 0 to 1 */
      errorRate: number;
      /** @description Share of requests with several attempts, 0 to 1 */
      retryRate: number;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      from: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      to: string;
    };
    UsageSummaryOfKeys: {
      requests: number;
      /** @description Of prompts and answers */
      tokens: number;
      inputTokens: number;
      outputTokens: number;
      /** @description Part of inputTokens */
      cachedTokens: number;
      /** @description Part of outputTokens */
      reasoningTokens: number;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      costUsd: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      feeUsd: string;
      avgLatencyMs: number;
      /** @description Share of requests that failed or broke off, 0 to 1 */
      errorRate: number;
      /** @description Share of requests with several attempts, 0 to 1 */
      retryRate: number;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      from: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      to: string;
      keys: {
        /** @description Id (UUIDv7) */
        keyId: string;
        requests: number;
        /** @description Of prompts and answers */
        tokens: number;
        inputTokens: number;
        outputTokens: number;
        /** @description Part of inputTokens */
        cachedTokens: number;
        /** @description Part of outputTokens */
        reasoningTokens: number;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        costUsd: string;
        /**
        * @description Amount with 2 to 6 decimals
        * @example 80.00
        */
        feeUsd: string;
        avgLatencyMs: number;
        /** @description Share of requests that failed or broke off, 0 to 1 */
        errorRate: number;
        /** @description Share of requests with several attempts, 0 to 1 */
        retryRate: number;
      }[];
    };
    User: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description Empty for accounts without one */
      email: string;
      displayName: string;
      username: string | null;
      userType: components["schemas"]["UserType"];
      role: components["schemas"]["UserRole"];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    /** @enum {string} */
    UserRole: "USER" | "ADMIN";
    /** @enum {string} */
    UserType: "HUMAN" | "AGENT";
    VaultArtifact: {
      /** @description Id (UUIDv7) */
      id: string;
      name: string;
      mimeType: string;
      bytes: number;
      sha256: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    /** @description What the verifier saw */
    VerificationReport: {
      ok: boolean;
      code: string;
      reason: string;
      verifier: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      checkedAt: string;
      artifacts?: components["schemas"]["ArtifactReport"][];
    } & {
      [key: string]: unknown;
    };
    VerifyEmailRequest: {
      token: string;
      /**
      * @description Password of the account: proves that you created it
      * @example correct horse battery
      */
      password?: string;
      /** @description False: you did not create this account; its password, sessions and keys are revoked */
      createdByMe?: boolean;
    };
    VerifyEmailResponse: {
      /** @enum {boolean} */
      ok: true;
      /** @enum {boolean} */
      requiresSignIn: true;
    } | {
      /** @enum {boolean} */
      ok: true;
      user: components["schemas"]["User"];
      /** @description JWT, 15 minutes */
      accessToken: string;
      /** @description Single use, 30 days */
      refreshToken: string;
      /**
      * @description Seconds of the access token
      * @example 900
      */
      expiresIn: number;
    };
    VerifyPassportRequest: {
      /** @description The passport; or send it as the body */
      passport?: unknown;
    } & {
      [key: string]: unknown;
    };
    VirtualModel: {
      id: string;
      /** @enum {string} */
      object: "model";
      /** @description Seconds since 1970 */
      created: number;
      /** @enum {string} */
      owned_by: "svc";
      tier: ("economy" | "mid" | "premium") | null;
    };
    Voucher: {
      /** @description Id (UUIDv7) */
      id: string;
      status: components["schemas"]["VoucherStatus"];
      /** @description Id (UUIDv7) */
      walletId: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      /**
      * @description The first four characters of the code
      * @example 7KQM
      */
      codePrefix: string;
      note: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
      endedAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    VoucherPage: {
      items: components["schemas"]["Voucher"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    /** @enum {string} */
    VoucherStatus: "ACTIVE" | "REDEEMED" | "CANCELLED" | "EXPIRED";
    VoucherWithCode: {
      /** @description Id (UUIDv7) */
      id: string;
      status: components["schemas"]["VoucherStatus"];
      /** @description Id (UUIDv7) */
      walletId: string;
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      /**
      * @description The first four characters of the code
      * @example 7KQM
      */
      codePrefix: string;
      note: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
      endedAt: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      /**
      * @description Shown once: anybody who knows it can redeem the voucher
      * @example 7KQM-2XPA-9TRD-HW47
      */
      code: string;
    };
    WaitingRun: {
      /** @description Id (UUIDv7) */
      id: string;
      /** @description RUNNING from the moment when the agent fetched it */
      status: string;
      /** @description Fits the inputSchema of the agent */
      input: unknown;
      jobReference: string | null;
      price: number;
      currency: string;
      deadline: string | null;
      /** @description Where the agent reports the result */
      resultUrl: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    Wallet: {
      /** @description Id (UUIDv7) */
      id: string;
      ownerType: components["schemas"]["WalletOwnerType"];
      /** @description Id (UUIDv7) */
      ownerId: string;
      currency: components["schemas"]["Currency"];
      /** @description The owner's default for this currency */
      isDefault: boolean;
      /**
      * @description available + reserved
      * @example 150.00
      */
      balance: string;
      /**
      * @description In escrows and pending payouts
      * @example 50.00
      */
      reserved: string;
      /**
      * @description What can be spent: real money and test credit
      * @example 100.00
      */
      available: string;
      /**
      * @description Real money only
      * @example 90.00
      */
      withdrawable: string;
      /**
      * @description Test credit: spendable, never withdrawable
      * @example 10.00
      */
      testBalance: string;
      /** @enum {string} */
      status: "ACTIVE";
      /** @enum {string} */
      walletType: "MANAGED" | "PROVIDED";
      cryptoAddress: string | null;
      cryptoNetwork: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    WalletAndTransaction: {
      wallet: components["schemas"]["Wallet"];
      transaction: components["schemas"]["WalletTransaction"];
    };
    WalletDetail: {
      /** @description Id (UUIDv7) */
      id: string;
      ownerType: components["schemas"]["WalletOwnerType"];
      /** @description Id (UUIDv7) */
      ownerId: string;
      currency: components["schemas"]["Currency"];
      /** @description The owner's default for this currency */
      isDefault: boolean;
      /**
      * @description available + reserved
      * @example 150.00
      */
      balance: string;
      /**
      * @description In escrows and pending payouts
      * @example 50.00
      */
      reserved: string;
      /**
      * @description What can be spent: real money and test credit
      * @example 100.00
      */
      available: string;
      /**
      * @description Real money only
      * @example 90.00
      */
      withdrawable: string;
      /**
      * @description Test credit: spendable, never withdrawable
      * @example 10.00
      */
      testBalance: string;
      /** @enum {string} */
      status: "ACTIVE";
      /** @enum {string} */
      walletType: "MANAGED" | "PROVIDED";
      cryptoAddress: string | null;
      cryptoNetwork: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
      wallets: components["schemas"]["Wallet"][];
      agentWallets: components["schemas"]["Wallet"][];
      transactions: components["schemas"]["WalletTransaction"][];
    };
    /** @enum {string} */
    WalletOwnerType: "USER" | "AGENT" | "ORGANIZATION";
    WalletPage: {
      items: components["schemas"]["Wallet"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    WalletTransaction: {
      /** @description Journal id in the ledger */
      id: string;
      /** @example fund */
      type: string;
      /** @enum {string} */
      status: "COMPLETED" | "PENDING";
      /** @enum {string} */
      direction: "IN" | "OUT";
      /**
      * @description Amount with 2 to 6 decimals
      * @example 80.00
      */
      amount: string;
      currency: components["schemas"]["Currency"];
      /** @description Whether it is test credit */
      test: boolean;
      balanceAfter: string | null;
      /** @description The other side of the transaction */
      counterpart: string;
      memo: string | null;
      reference: {
        [key: string]: string;
      };
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    WalletTransactionPage: {
      items: components["schemas"]["WalletTransaction"][];
      /** @description Exact to 10,000 */
      total: number;
      totalIsCapped?: boolean;
      limit: number;
      offset: number;
    };
    WebhookReceipt: {
      received: boolean;
      /**
      * @description booked, suspense, ended, known, duplicate, recorded, unmatched, mismatch, dispute or refund
      * @example booked
      */
      outcome: string;
    };
    WithdrawRoutingBalanceRequest: {
      /**
      * @description Number or decimal string, more than 0, at most 6 decimals
      * @example 100
      */
      amount: number | string;
      /** @description A USD wallet of your account; by default its default wallet */
      targetWalletId?: string;
    };
    WriteOffChargebackRequest: {
      /** @example The debtor does not respond */
      reason: string;
    };
    WriteOffChargebackResponse: {
      chargeback: components["schemas"]["Chargeback"];
      journalId: string | null;
      approval?: components["schemas"]["Approval"];
    };
    X402Initiation: {
      success: boolean;
      /** @description Id (UUIDv7) */
      transactionId: string;
      paymentRequest: {
        /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
        to: string;
        /** @example 0.25 */
        amount: number;
        /** @example USDC */
        currency: string;
        /**
        * @description CAIP-2
        * @example eip155:84532
        */
        network: string;
        reference: string;
      };
      /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
      sellerAddress: string;
      /** @description Payment requirements of protocol version 2, then of version 1; amounts in units of the token */
      accepts: ({
        /** @enum {string} */
        scheme: "exact";
        network: string;
        /** @example 0x036CbD53842c5426634e7929541eC2318f3dCF7e */
        asset: string;
        /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
        payTo: string;
        maxTimeoutSeconds: number;
        extra: {
          /** @example USDC */
          name: string;
          /** @example 2 */
          version: string;
        };
        /** @example 250000 */
        amount: string;
      } | {
        /** @enum {string} */
        scheme: "exact";
        network: string;
        /** @example 0x036CbD53842c5426634e7929541eC2318f3dCF7e */
        asset: string;
        /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
        payTo: string;
        maxTimeoutSeconds: number;
        extra: {
          /** @example USDC */
          name: string;
          /** @example 2 */
          version: string;
        };
        /** @example 250000 */
        maxAmountRequired: string;
        resource: string;
        description: string;
        mimeType: string;
      })[];
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
      /** Format: uri */
      statusUrl: string;
      /**
      * Format: uri
      * @description Where an x402 client pays
      */
      payUrl: string;
    };
    X402Payment: {
      /** @description Id (UUIDv7) */
      transactionId: string;
      /** @enum {string} */
      status: "PENDING" | "VERIFIED" | "SETTLING" | "CONFIRMED" | "FINAL" | "FAILED" | "EXPIRED" | "LATE";
      /** @example 0x103d6d77C5eA7fe7AB747d2DDef4f35389666643 */
      to: string;
      /** @example 0.25 */
      amount: number;
      /** @example USDC */
      currency: string;
      /**
      * @description CAIP-2
      * @example eip155:84532
      */
      network: string;
      reference: string;
      agentId: string | null;
      payer: string | null;
      txHash: string | null;
      failure: string | null;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      expiresAt: string;
      /**
      * Format: date-time
      * @description UTC, ISO 8601
      */
      createdAt: string;
    };
    /** @description The body of every error response */
    Error: {
      statusCode: number;
      message: string | string[];
      /** @description The HTTP reason phrase */
      error: string;
      /** @description Stable code for programs */
      code: string;
      /** @description What to do about the error */
      hint?: string;
      details?: unknown;
    } & {
      [key: string]: unknown;
    };
  };
  responses: never;
  parameters: never;
  requestBodies: never;
  headers: never;
  pathItems: never;
}
export type $defs = Record<string, never>;
export interface operations {
  getAdminOverview: {
    parameters: {
      query?: {
        /** @description How many days, today included; 30 by default */
        days?: number;
      };
    };
    responses: {
      /** @description Success: `AdminOverview`. */
      200: {
        content: {
          "application/json": components["schemas"]["AdminOverview"];
        };
      };
    };
  };
  listSettings: {
    responses: {
      /** @description Success: `AdminSettings`. */
      200: {
        content: {
          "application/json": components["schemas"]["AdminSettings"];
        };
      };
    };
  };
  getBackgroundWork: {
    responses: {
      /** @description Success: `BackgroundWork`. */
      200: {
        content: {
          "application/json": components["schemas"]["BackgroundWork"];
        };
      };
    };
  };
  getTrialBalance: {
    responses: {
      /** @description Success: `GetTrialBalanceResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetTrialBalanceResponse"];
        };
      };
    };
  };
  listLedgerAccounts: {
    parameters: {
      query?: {
        /**
        * @description Only accounts of this code
        * @example 2010
        */
        code?: string;
        /**
        * @description This account alone
        * @example 2010:0198c0de-0000-7000-8000-000000000012
        */
        account?: string;
        /** @description Only accounts in this currency */
        currency?: components["schemas"]["Currency"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `LedgerAccountPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["LedgerAccountPage"];
        };
      };
    };
  };
  listLedgerEntries: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Code of the chart, with the owner where each owner has an account
        * @example 2010:0198c0de-0000-7000-8000-000000000012
        */
        account: string;
      };
    };
    responses: {
      /** @description Success: `LedgerEntryPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["LedgerEntryPage"];
        };
      };
    };
  };
  getLedgerJournal: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `LedgerJournal`. */
      200: {
        content: {
          "application/json": components["schemas"]["LedgerJournal"];
        };
      };
    };
  };
  login: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "email": "ada@example.com",
        *       "password": "correct horse battery"
        *     }
        */
        "application/json": components["schemas"]["LoginRequest"];
      };
    };
    responses: {
      /** @description Success: `SignInResult`. */
      200: {
        content: {
          "application/json": components["schemas"]["SignInResult"];
        };
      };
    };
  };
  agentLogin: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "username": "ada_bot",
        *       "apiKey": "sk_Example0Example0Example0Example0abcd"
        *     }
        */
        "application/json": components["schemas"]["AgentLoginRequest"];
      };
    };
    responses: {
      /** @description Success: `SignedIn`. */
      200: {
        content: {
          "application/json": components["schemas"]["SignedIn"];
        };
      };
    };
  };
  refreshSession: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "refreshToken": "cmVmcmVzaC10b2tlbi1leGFtcGxl"
        *     }
        */
        "application/json": components["schemas"]["RefreshSessionRequest"];
      };
    };
    responses: {
      /** @description Success: `TokenPair`. */
      200: {
        content: {
          "application/json": components["schemas"]["TokenPair"];
        };
      };
    };
  };
  logout: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "refreshToken": "cmVmcmVzaC10b2tlbi1leGFtcGxl"
        *     }
        */
        "application/json": components["schemas"]["RefreshSessionRequest"];
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  setUpFirstAdmin: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "token": "bGluay10b2tlbi1vZi10aGUtZW1haWw",
        *       "email": "ada@example.com",
        *       "password": "correct horse battery"
        *     }
        */
        "application/json": components["schemas"]["SetUpFirstAdminRequest"];
      };
    };
    responses: {
      /** @description Success: `SetUpFirstAdminResponse`. */
      201: {
        content: {
          "application/json": components["schemas"]["SetUpFirstAdminResponse"];
        };
      };
    };
  };
  checkUsername: {
    parameters: {
      query: {
        /**
        * @description Username to check
        * @example ada_bot
        */
        username: string;
      };
    };
    responses: {
      /** @description Success: `CheckUsernameResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["CheckUsernameResponse"];
        };
      };
    };
  };
  checkAgentUsername: {
    parameters: {
      query: {
        /**
        * @description Username to check
        * @example ada_bot
        */
        username: string;
      };
    };
    responses: {
      /** @description Success: `CheckUsernameResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["CheckUsernameResponse"];
        };
      };
    };
  };
  getJwks: {
    responses: {
      /** @description Success: `GetJwksResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetJwksResponse"];
        };
      };
    };
  };
  rotateSigningKey: {
    responses: {
      /** @description Success: `RotateSigningKeyResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["RotateSigningKeyResponse"];
        };
      };
    };
  };
  getRegistrationChallenge: {
    responses: {
      /** @description ALTCHA challenge (altcha-lib 2) */
      200: {
        content: {
          "application/json": components["schemas"]["RegistrationChallenge"];
        };
      };
    };
  };
  verifyEmail: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "token": "bGluay10b2tlbi1vZi10aGUtZW1haWw"
        *     }
        */
        "application/json": components["schemas"]["VerifyEmailRequest"];
      };
    };
    responses: {
      /** @description Success: `VerifyEmailResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["VerifyEmailResponse"];
        };
      };
    };
  };
  resendVerification: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "email": "ada@example.com"
        *     }
        */
        "application/json": components["schemas"]["ResendVerificationRequest"];
      };
    };
    responses: {
      /** @description Success: `ResendVerificationResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ResendVerificationResponse"];
        };
      };
    };
  };
  forgotPassword: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "email": "ada@example.com"
        *     }
        */
        "application/json": components["schemas"]["ForgotPasswordRequest"];
      };
    };
    responses: {
      /** @description Success: `ResendVerificationResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ResendVerificationResponse"];
        };
      };
    };
  };
  resetPassword: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "token": "bGluay10b2tlbi1vZi10aGUtZW1haWw",
        *       "newPassword": "correct horse battery"
        *     }
        */
        "application/json": components["schemas"]["ResetPasswordRequest"];
      };
    };
    responses: {
      /** @description Success: `ResetPasswordResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ResetPasswordResponse"];
        };
      };
    };
  };
  requestMagicLink: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "email": "ada@example.com"
        *     }
        */
        "application/json": components["schemas"]["ForgotPasswordRequest"];
      };
    };
    responses: {
      /** @description Success: `ResendVerificationResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ResendVerificationResponse"];
        };
      };
    };
  };
  consumeMagicLink: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "token": "123456"
        *     }
        */
        "application/json": components["schemas"]["ConsumeMagicLinkRequest"];
      };
    };
    responses: {
      /** @description Success: `SignInResult`. */
      200: {
        content: {
          "application/json": components["schemas"]["SignInResult"];
        };
      };
    };
  };
  getMfaStatus: {
    responses: {
      /** @description Success: `GetMfaStatusResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetMfaStatusResponse"];
        };
      };
    };
  };
  setUpMfa: {
    responses: {
      /** @description Success: `SetUpMfaResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["SetUpMfaResponse"];
        };
      };
    };
  };
  enableMfa: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "token": "123456"
        *     }
        */
        "application/json": components["schemas"]["EnableMfaRequest"];
      };
    };
    responses: {
      /** @description Success: `EnableMfaResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["EnableMfaResponse"];
        };
      };
    };
  };
  disableMfa: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "token": "123456"
        *     }
        */
        "application/json": components["schemas"]["EnableMfaRequest"];
      };
    };
    responses: {
      /** @description Success: `ResendVerificationResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ResendVerificationResponse"];
        };
      };
    };
  };
  loginMfa: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "mfaToken": "eyJhbGciOiJFZERTQSJ9.eyJzdWIiOiJhZGEifQ.c2lnbmF0dXJl",
        *       "totpCode": "123456"
        *     }
        */
        "application/json": components["schemas"]["LoginMfaRequest"];
      };
    };
    responses: {
      /** @description Success: `SignedIn`. */
      200: {
        content: {
          "application/json": components["schemas"]["SignedIn"];
        };
      };
    };
  };
  resetUserMfa: {
    parameters: {
      path: {
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ResendVerificationResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ResendVerificationResponse"];
        };
      };
    };
  };
  stepUp: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "password": "correct horse battery"
        *     }
        */
        "application/json": components["schemas"]["StepUpRequest"];
      };
    };
    responses: {
      /** @description Success: `StepUpResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["StepUpResponse"];
        };
      };
    };
  };
  beginIdentityProviderLogin: {
    parameters: {
      query?: {
        /** @description Code of an affiliate, as `affiliateToken` of POST /auth/register */
        referralSource?: string;
        /** @description Random value of the front end. The fragment of /auth/done contains it; reject a fragment with another value. */
        clientState?: string;
        /** @description The sign-in of the web console: it ends at /app with a session in cookies, at /login#mfaToken=… where a second factor is required, or at /login?error=… with a code. */
        session?: "cookie";
      };
    };
    responses: never;
  };
  endIdentityProviderLogin: {
    parameters: {
      query?: {
        /** @description State that the sign-in started with */
        state?: string;
        /** @description Authorization code of the provider */
        code?: string;
        /** @description Error of the provider */
        error?: string;
      };
    };
    responses: never;
  };
  getOwnAccount: {
    responses: {
      /** @description Success: `Account`. */
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  deleteOwnAccount: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "confirmPhrase": "DELETE MY ACCOUNT"
        *     }
        */
        "application/json": components["schemas"]["DeleteOwnAccountRequest"];
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  updateOwnAccount: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "displayName": "Ada Lovelace"
        *     }
        */
        "application/json": components["schemas"]["UpdateOwnAccountRequest"];
      };
    };
    responses: {
      /** @description Success: `UpdateOwnAccountResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["UpdateOwnAccountResponse"];
        };
      };
    };
  };
  changePassword: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "currentPassword": "correct horse battery",
        *       "newPassword": "staple battery horse"
        *     }
        */
        "application/json": components["schemas"]["ChangePasswordRequest"];
      };
    };
    responses: {
      /** @description Success: `ChangePasswordResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ChangePasswordResponse"];
        };
      };
    };
  };
  listOwnSessions: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `SessionPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["SessionPage"];
        };
      };
    };
  };
  revokeOwnSession: {
    parameters: {
      path: {
        /**
        * @description Id of the session
        * @example 0198c0de-0000-7000-8000-0000000000f4
        */
        id: string;
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  listServiceAccounts: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `ServiceAccountPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["ServiceAccountPage"];
        };
      };
    };
  };
  createServiceAccount: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "name": "Nightly job",
        *       "scopes": [
        *         "agent:read"
        *       ]
        *     }
        */
        "application/json": components["schemas"]["CreateServiceAccountRequest"];
      };
    };
    responses: {
      /** @description Success: `ServiceAccountWithKey`. */
      201: {
        content: {
          "application/json": components["schemas"]["ServiceAccountWithKey"];
        };
      };
    };
  };
  createApiKey: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "name": "Laptop"
        *     }
        */
        "application/json": components["schemas"]["CreateServiceAccountRequest"];
      };
    };
    responses: {
      /** @description Success: `ServiceAccountWithKey`. */
      201: {
        content: {
          "application/json": components["schemas"]["ServiceAccountWithKey"];
        };
      };
    };
  };
  getKeyAccessStatus: {
    responses: {
      /** @description Success: `GetKeyAccessStatusResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetKeyAccessStatusResponse"];
        };
      };
    };
  };
  getServiceAccount: {
    parameters: {
      path: {
        /**
        * @description Id of the service account
        * @example 0198c0de-0000-7000-8000-0000000000b4
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ServiceAccount`. */
      200: {
        content: {
          "application/json": components["schemas"]["ServiceAccount"];
        };
      };
    };
  };
  revokeServiceAccount: {
    parameters: {
      path: {
        /**
        * @description Id of the service account
        * @example 0198c0de-0000-7000-8000-0000000000b4
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ServiceAccount`. */
      200: {
        content: {
          "application/json": components["schemas"]["ServiceAccount"];
        };
      };
    };
  };
  updateServiceAccount: {
    parameters: {
      path: {
        /**
        * @description Id of the service account
        * @example 0198c0de-0000-7000-8000-0000000000b4
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "name": "Nightly job",
        *       "scopes": [
        *         "agent:read"
        *       ]
        *     }
        */
        "application/json": components["schemas"]["UpdateServiceAccountRequest"];
      };
    };
    responses: {
      /** @description Success: `ServiceAccount`. */
      200: {
        content: {
          "application/json": components["schemas"]["ServiceAccount"];
        };
      };
    };
  };
  rotateServiceAccount: {
    parameters: {
      path: {
        /**
        * @description Id of the service account
        * @example 0198c0de-0000-7000-8000-0000000000b4
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `RotateServiceAccountResponse`. */
      201: {
        content: {
          "application/json": components["schemas"]["RotateServiceAccountResponse"];
        };
      };
    };
  };
  expireServiceAccount: {
    parameters: {
      path: {
        /**
        * @description Id of the service account
        * @example 0198c0de-0000-7000-8000-0000000000b4
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ServiceAccount`. */
      201: {
        content: {
          "application/json": components["schemas"]["ServiceAccount"];
        };
      };
    };
  };
  listOrganizations: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `OrganizationPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["OrganizationPage"];
        };
      };
    };
  };
  createOrganization: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "slug": "analytical-engines",
        *       "name": "Analytical Engines"
        *     }
        */
        "application/json": components["schemas"]["CreateOrganizationRequest"];
      };
    };
    responses: {
      /** @description Success: `Organization`. */
      201: {
        content: {
          "application/json": components["schemas"]["Organization"];
        };
      };
    };
  };
  getOrganization: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `Organization`. */
      200: {
        content: {
          "application/json": components["schemas"]["Organization"];
        };
      };
    };
  };
  closeOrganization: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  renameOrganization: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "name": "Analytical Engines Ltd"
        *     }
        */
        "application/json": components["schemas"]["RenameOrganizationRequest"];
      };
    };
    responses: {
      /** @description Success: `Organization`. */
      200: {
        content: {
          "application/json": components["schemas"]["Organization"];
        };
      };
    };
  };
  listOrganizationMembers: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `OrganizationMemberPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["OrganizationMemberPage"];
        };
      };
    };
  };
  addOrganizationMember: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "username": "scribe",
        *       "role": "MEMBER"
        *     }
        */
        "application/json": components["schemas"]["AddOrganizationMemberRequest"];
      };
    };
    responses: {
      /** @description Success: `OrganizationMember`. */
      201: {
        content: {
          "application/json": components["schemas"]["OrganizationMember"];
        };
      };
    };
  };
  removeOrganizationMember: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        userId: string;
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  changeOrganizationMember: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        userId: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "role": "ADMIN"
        *     }
        */
        "application/json": components["schemas"]["ChangeOrganizationMemberRequest"];
      };
    };
    responses: {
      /** @description Success: `OrganizationMember`. */
      200: {
        content: {
          "application/json": components["schemas"]["OrganizationMember"];
        };
      };
    };
  };
  listOwnInvitations: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `OrganizationInvitationPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["OrganizationInvitationPage"];
        };
      };
    };
  };
  acceptInvitation: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `Organization`. */
      200: {
        content: {
          "application/json": components["schemas"]["Organization"];
        };
      };
    };
  };
  declineInvitation: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  setUserRole: {
    parameters: {
      path: {
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "role": "USER"
        *     }
        */
        "application/json": components["schemas"]["SetUserRoleRequest"];
      };
    };
    responses: {
      /** @description Success: `SetUserRoleResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["SetUserRoleResponse"];
        };
      };
    };
  };
  suspendUser: {
    parameters: {
      path: {
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "reason": "Chargebacks"
        *     }
        */
        "application/json": components["schemas"]["SuspendUserRequest"];
      };
    };
    responses: {
      /** @description Success: `Account`. */
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  reinstateUser: {
    parameters: {
      path: {
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "Chargebacks"
        *     }
        */
        "application/json": components["schemas"]["ReinstateUserRequest"];
      };
    };
    responses: {
      /** @description Success: `Account`. */
      200: {
        content: {
          "application/json": components["schemas"]["Account"];
        };
      };
    };
  };
  listAuditEvents: {
    parameters: {
      query?: {
        /** @description Only events of this action, such as `agent.claimed` */
        action?: string;
        /** @description Only events caused by this account */
        actorId?: string;
        /** @description Only events about this object */
        targetId?: string;
        /** @description UTC, ISO 8601 */
        from?: string;
        /** @description UTC, ISO 8601 */
        to?: string;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AuditEventPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AuditEventPage"];
        };
      };
    };
  };
  listUsers: {
    parameters: {
      query?: {
        /** @description Words of the name, the beginning of the email address or username, or an id */
        search?: string;
        /** @description Comma-separated, at most 100: these accounts, deleted ones too */
        ids?: string;
        /** @description All but DELETED by default */
        status?: "ACTIVE" | "SUSPENDED" | "DELETED";
        /** @description Only accounts in this role */
        role?: components["schemas"]["UserRole"];
        /** @description Only people, or only agents */
        userType?: components["schemas"]["UserType"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AccountPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AccountPage"];
        };
      };
    };
  };
  getUser: {
    parameters: {
      path: {
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AccountDetails`. */
      200: {
        content: {
          "application/json": components["schemas"]["AccountDetails"];
        };
      };
    };
  };
  listApprovals: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: components["schemas"]["ApprovalStatus"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `ApprovalPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["ApprovalPage"];
        };
      };
    };
  };
  approveApproval: {
    parameters: {
      path: {
        /**
        * @description Id of the approval
        * @example 0198c0de-0000-7000-8000-0000000000f3
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "Checked with the customer"
        *     }
        */
        "application/json": components["schemas"]["ApproveApprovalRequest"];
      };
    };
    responses: {
      /** @description Success: `Approval`. */
      200: {
        content: {
          "application/json": components["schemas"]["Approval"];
        };
      };
    };
  };
  rejectApproval: {
    parameters: {
      path: {
        /**
        * @description Id of the approval
        * @example 0198c0de-0000-7000-8000-0000000000f3
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "Checked with the customer"
        *     }
        */
        "application/json": components["schemas"]["ApproveApprovalRequest"];
      };
    };
    responses: {
      /** @description Success: `Approval`. */
      200: {
        content: {
          "application/json": components["schemas"]["Approval"];
        };
      };
    };
  };
  getWallet: {
    parameters: {
      path: {
        /**
        * @description Id of the wallet
        * @example 0198c0de-0000-7000-8000-0000000000a2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Wallet`. */
      200: {
        content: {
          "application/json": components["schemas"]["Wallet"];
        };
      };
    };
  };
  listWalletTransactions: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the wallet
        * @example 0198c0de-0000-7000-8000-0000000000a2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `WalletTransactionPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["WalletTransactionPage"];
        };
      };
    };
  };
  listMyAgentsWallets: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `WalletPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["WalletPage"];
        };
      };
    };
  };
  getAgentWallet: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `OwnerWallets`. */
      200: {
        content: {
          "application/json": components["schemas"]["OwnerWallets"];
        };
      };
    };
  };
  getUserWallet: {
    parameters: {
      path: {
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        userId: string;
      };
    };
    responses: {
      /** @description Success: `OwnerWallets`. */
      200: {
        content: {
          "application/json": components["schemas"]["OwnerWallets"];
        };
      };
    };
  };
  getOrganizationWallet: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `OwnerWallets`. */
      200: {
        content: {
          "application/json": components["schemas"]["OwnerWallets"];
        };
      };
    };
  };
  getUserWalletDetail: {
    parameters: {
      path: {
        /**
        * @description Id of the account
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        userId: string;
      };
    };
    responses: {
      /** @description Success: `WalletDetail`. */
      200: {
        content: {
          "application/json": components["schemas"]["WalletDetail"];
        };
      };
    };
  };
  createWallet: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "currency": "USDC"
        *     }
        */
        "application/json": components["schemas"]["CreateWalletRequest"];
      };
    };
    responses: {
      /** @description Success: `Wallet`. */
      201: {
        content: {
          "application/json": components["schemas"]["Wallet"];
        };
      };
    };
  };
  transferFromWallet: {
    parameters: {
      path: {
        /**
        * @description Id of the wallet
        * @example 0198c0de-0000-7000-8000-0000000000a2
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "toUsername": "scribe",
        *       "amount": 5,
        *       "memo": "Thanks"
        *     }
        */
        "application/json": components["schemas"]["TransferFromWalletRequest"];
      };
    };
    responses: {
      /** @description Success: `WalletAndTransaction`. */
      201: {
        content: {
          "application/json": components["schemas"]["WalletAndTransaction"];
        };
      };
    };
  };
  listWalletsOfAccount: {
    parameters: {
      query: {
        /**
        * @description Id (UUIDv7)
        * @example 0198c0de-0000-7000-8000-0000000000a1
        */
        accountId: string;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `WalletPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["WalletPage"];
        };
      };
    };
  };
  adminTransfer: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "fromWalletId": "0198c0de-0000-7000-8000-0000000000a2",
        *       "toUsername": "scribe",
        *       "amount": 25,
        *       "reason": "Goodwill"
        *     }
        */
        "application/json": components["schemas"]["AdminTransferRequest"];
      };
    };
    responses: {
      /** @description Success: `AdminTransferResult`. */
      201: {
        content: {
          "application/json": components["schemas"]["AdminTransferResult"];
        };
      };
    };
  };
  issueTestCredit: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "walletId": "0198c0de-0000-7000-8000-0000000000a2",
        *       "amount": 25,
        *       "reason": "Trial"
        *     }
        */
        "application/json": components["schemas"]["IssueTestCreditRequest"];
      };
    };
    responses: {
      /** @description Success: `WalletAndTransaction`. */
      201: {
        content: {
          "application/json": components["schemas"]["WalletAndTransaction"];
        };
      };
    };
  };
  listUnclaimed: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `ListUnclaimedResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListUnclaimedResponse"];
        };
      };
    };
  };
  assignUnclaimed: {
    parameters: {
      path: {
        /**
        * @description Id of the wallet
        * @example 0198c0de-0000-7000-8000-0000000000b2
        */
        walletId: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "toWalletId": "0198c0de-0000-7000-8000-0000000000b2",
        *       "reason": "The notes describe another version"
        *     }
        */
        "application/json": components["schemas"]["AssignUnclaimedRequest"];
      };
    };
    responses: {
      /** @description Success: `AssignUnclaimedResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["AssignUnclaimedResponse"];
        };
      };
    };
  };
  listWalletVouchers: {
    parameters: {
      query?: {
        /** @description Id of the wallet */
        walletId?: string;
        /** @description Only items in this state */
        status?: components["schemas"]["VoucherStatus"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `VoucherPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["VoucherPage"];
        };
      };
    };
  };
  createWalletVoucher: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "walletId": "0198c0de-0000-7000-8000-0000000000a2",
        *       "amount": 25,
        *       "note": "Prize of the hackathon"
        *     }
        */
        "application/json": components["schemas"]["CreateWalletVoucherRequest"];
      };
    };
    responses: {
      /** @description Success: `VoucherWithCode`. */
      201: {
        content: {
          "application/json": components["schemas"]["VoucherWithCode"];
        };
      };
    };
  };
  redeemWalletVoucher: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "code": "7KQM-2XPA-9TRD-HW47"
        *     }
        */
        "application/json": components["schemas"]["RedeemWalletVoucherRequest"];
      };
    };
    responses: {
      /** @description Success: `RedeemedVoucher`. */
      200: {
        content: {
          "application/json": components["schemas"]["RedeemedVoucher"];
        };
      };
    };
  };
  cancelWalletVoucher: {
    parameters: {
      path: {
        /**
        * @description Id of the voucher
        * @example 0198c0de-0000-7000-8000-0000000000f5
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Voucher`. */
      200: {
        content: {
          "application/json": components["schemas"]["Voucher"];
        };
      };
    };
  };
  listReconciliations: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `ReconciliationReportPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["ReconciliationReportPage"];
        };
      };
    };
  };
  reconcile: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "from": "2026-01-11T08:30:00.000Z",
        *       "to": "2026-01-12T08:30:00.000Z"
        *     }
        */
        "application/json": components["schemas"]["ReconcileRequest"];
      };
    };
    responses: {
      /** @description Success: `ReconciliationReport`. */
      201: {
        content: {
          "application/json": components["schemas"]["ReconciliationReport"];
        };
      };
    };
  };
  getReconciliation: {
    parameters: {
      path: {
        /**
        * @description Id of the reconciliation
        * @example 0198c0de-0000-7000-8000-0000000000f6
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ReconciliationReport`. */
      200: {
        content: {
          "application/json": components["schemas"]["ReconciliationReport"];
        };
      };
    };
  };
  announceAgent: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "name": "Translator"
        *     }
        */
        "application/json": components["schemas"]["AnnounceAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `AgentAnnouncement`. */
      201: {
        content: {
          "application/json": components["schemas"]["AgentAnnouncement"];
        };
      };
    };
  };
  createClaimLink: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ClaimLink`. */
      201: {
        content: {
          "application/json": components["schemas"]["ClaimLink"];
        };
      };
    };
  };
  detachCreator: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  listAgents: {
    parameters: {
      query?: {
        /** @description Searches name, tags, capabilities and description; supports "phrases", -excluded and OR */
        search?: string;
        /** @description Only agents of this category */
        category?: string;
        /** @description Only agents with this tag */
        tag?: string;
        /** @description Comma-separated; all of them */
        capabilities?: string;
        /** @description USD */
        maxPrice?: number;
        /** @description Trust score */
        minReputation?: number;
        /** @description Only items in this state */
        status?: components["schemas"]["AgentStatus"];
        /** @description Only agents with this visibility */
        visibility?: components["schemas"]["AgentVisibility"];
        /** @description Only agents on this integration */
        conduit?: string;
        /** @description Only agents that this account created */
        creatorId?: string;
        /** @description Id of the account that owns the agent */
        ownerId?: string;
        /** @description Only agents in this role */
        filterRole?: string;
        /** @description Heartbeat in the last 10 minutes */
        filterOnline?: boolean;
        /** @description VERIFIED or TRUSTED */
        filterVerified?: boolean;
        /** @description The same */
        verifiedOnly?: boolean;
        /** @description Also your agents in every state; all agents for an admin */
        showAll?: boolean;
        /** @description Also count the matches by category, tag and capability */
        facets?: boolean;
        /** @description relevance with a search, else createdAt */
        sortBy?: "relevance" | "trustScore" | "price" | "createdAt" | "completions" | "lastSeen";
        /** @description desc, but asc for price */
        sortOrder?: "asc" | "desc";
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AgentResults`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentResults"];
        };
      };
    };
  };
  createAgent: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "name": "Translator",
        *       "description": "Translates contracts",
        *       "capabilities": [
        *         "translation"
        *       ],
        *       "pricing": {
        *         "model": "fixed",
        *         "amount": 25
        *       }
        *     }
        */
        "application/json": components["schemas"]["AnnounceAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `AgentWithKey`. */
      201: {
        content: {
          "application/json": components["schemas"]["AgentWithKey"];
        };
      };
    };
  };
  discoverAgents: {
    parameters: {
      query?: {
        /** @description Searches name, tags, capabilities and description; supports "phrases", -excluded and OR */
        search?: string;
        /** @description Only agents of this category */
        category?: string;
        /** @description Only agents with this tag */
        tag?: string;
        /** @description Comma-separated; all of them */
        capabilities?: string;
        /** @description USD */
        maxPrice?: number;
        /** @description Trust score */
        minReputation?: number;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description nextCursor of the previous page */
        cursor?: string;
      };
    };
    responses: {
      /** @description Success: `AgentDiscovery`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentDiscovery"];
        };
      };
    };
  };
  listMyAgents: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AgentPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentPage"];
        };
      };
    };
  };
  getAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  replaceAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "status": "ACTIVE"
        *     }
        */
        "application/json": components["schemas"]["UpdateAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  updateAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "status": "ACTIVE"
        *     }
        */
        "application/json": components["schemas"]["UpdateAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  publishAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      201: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  submitAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "notes": "Ready for review"
        *     }
        */
        "application/json": components["schemas"]["SubmitAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      201: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  getAgentBySlug: {
    parameters: {
      path: {
        /**
        * @description Slug of the agent
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  agentSlugExists: {
    parameters: {
      path: {
        /**
        * @description Slug of the agent
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `AgentSlugExistsResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentSlugExistsResponse"];
        };
      };
    };
  };
  getAgentSchema: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `GetAgentSchemaResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentSchemaResponse"];
        };
      };
    };
  };
  issueAgentKey: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `IssuedAgentKey`. */
      201: {
        content: {
          "application/json": components["schemas"]["IssuedAgentKey"];
        };
      };
    };
  };
  rotateAgentKey: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `RotatedAgentKey`. */
      200: {
        content: {
          "application/json": components["schemas"]["RotatedAgentKey"];
        };
      };
    };
  };
  revokeAgentKeys: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `RevokedAgentKeys`. */
      200: {
        content: {
          "application/json": components["schemas"]["RevokedAgentKeys"];
        };
      };
    };
  };
  getAgentBadge: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentBadge`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentBadge"];
          "image/svg+xml": string;
        };
      };
    };
  };
  getAgentBadgeBySlug: {
    parameters: {
      path: {
        /**
        * @description Slug of the agent
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `AgentBadge`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentBadge"];
          "image/svg+xml": string;
        };
      };
    };
  };
  getAgentPresence: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `AgentPresence`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentPresence"];
        };
      };
    };
  };
  sendHeartbeat: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "status": "available",
        *       "load": 0.2
        *     }
        */
        "application/json": components["schemas"]["SendHeartbeatRequest"];
      };
    };
    responses: {
      /** @description Success: `AgentPresence`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentPresence"];
        };
      };
    };
  };
  reviewAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "decision": "APPROVED"
        *     }
        */
        "application/json": components["schemas"]["ReviewAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      201: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  suspendAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "Case 17"
        *     }
        */
        "application/json": components["schemas"]["SuspendAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  reinstateAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "Case 17"
        *     }
        */
        "application/json": components["schemas"]["SuspendAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  getTrustScore: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `TrustScore`. */
      200: {
        content: {
          "application/json": components["schemas"]["TrustScore"];
        };
      };
    };
  };
  getTrustHistory: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `TrustChangePage`. */
      200: {
        content: {
          "application/json": components["schemas"]["TrustChangePage"];
        };
      };
    };
  };
  getAgentPassport: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Passport`. */
      200: {
        content: {
          "application/json": components["schemas"]["Passport"];
        };
      };
    };
  };
  getSvcscore: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `Svcscore`. */
      200: {
        content: {
          "application/json": components["schemas"]["Svcscore"];
        };
      };
    };
  };
  getConduitPassport: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `ConduitPassport`. */
      200: {
        content: {
          "application/json": components["schemas"]["ConduitPassport"];
        };
      };
    };
  };
  verifyPassport: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "passport": {}
        *     }
        */
        "application/json": components["schemas"]["VerifyPassportRequest"];
      };
    };
    responses: {
      /** @description Success: `PassportVerdict`. */
      200: {
        content: {
          "application/json": components["schemas"]["PassportVerdict"];
        };
      };
    };
  };
  getAgentBudget: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentBudget`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentBudget"];
        };
      };
    };
  };
  updateAgentBudget: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "monthlyLimit": 500,
        *       "perTransactionLimit": 100,
        *       "approvalThreshold": 50
        *     }
        */
        "application/json": components["schemas"]["UpdateAgentBudgetRequest"];
      };
    };
    responses: {
      /** @description Success: `AgentBudget`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentBudget"];
        };
      };
    };
  };
  getAutonomyPolicy: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AutonomyPolicy`. */
      200: {
        content: {
          "application/json": components["schemas"]["AutonomyPolicy"];
        };
      };
    };
  };
  setAutonomyPolicy: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "perDealLimit": 100,
        *       "dailyLimit": 300,
        *       "categories": [
        *         "writing"
        *       ],
        *       "minimumCounterpartyTier": "BASIC"
        *     }
        */
        "application/json": components["schemas"]["SetAutonomyPolicyRequest"];
      };
    };
    responses: {
      /** @description Success: `AutonomyPolicy`. */
      200: {
        content: {
          "application/json": components["schemas"]["AutonomyPolicy"];
        };
      };
    };
  };
  getArtifact: {
    parameters: {
      path: {
        /**
        * @description Id of the artifact
        * @example 0198c0de-0000-7000-8000-0000000000c7
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `VaultArtifact`. */
      200: {
        content: {
          "application/json": components["schemas"]["VaultArtifact"];
        };
      };
    };
  };
  deleteArtifact: {
    parameters: {
      path: {
        /**
        * @description Id of the artifact
        * @example 0198c0de-0000-7000-8000-0000000000c7
        */
        id: string;
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  downloadArtifact: {
    parameters: {
      path: {
        /**
        * @description Id of the artifact
        * @example 0198c0de-0000-7000-8000-0000000000c7
        */
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/octet-stream": string;
        };
      };
    };
  };
  fundWallet: {
    parameters: {
      path: {
        /**
        * @description Id of the wallet
        * @example 0198c0de-0000-7000-8000-0000000000a2
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "amount": 150,
        *       "paymentMethodId": "pm_card_visa"
        *     }
        */
        "application/json": components["schemas"]["FundWalletRequest"];
      };
    };
    responses: {
      /** @description Success: `FundingResult`. */
      201: {
        content: {
          "application/json": components["schemas"]["FundingResult"];
        };
      };
    };
  };
  receivePayoutUpdated: {
    /** @description Event of the card processor */
    requestBody: {
      content: {
        /**
        * @example {
        *       "id": "evt_1Example",
        *       "type": "payout.paid",
        *       "data": {
        *         "object": {
        *           "id": "po_1Example"
        *         }
        *       }
        *     }
        */
        "application/json": components["schemas"]["ProcessorEvent"];
      };
    };
    responses: {
      /** @description Success: `WebhookReceipt`. */
      200: {
        content: {
          "application/json": components["schemas"]["WebhookReceipt"];
        };
      };
    };
  };
  receiveTransferUpdated: {
    /** @description Event of the card processor */
    requestBody: {
      content: {
        /**
        * @example {
        *       "id": "evt_2Example",
        *       "type": "transfer.updated",
        *       "data": {
        *         "object": {
        *           "id": "tr_1Example"
        *         }
        *       }
        *     }
        */
        "application/json": components["schemas"]["ProcessorEvent"];
      };
    };
    responses: {
      /** @description Success: `WebhookReceipt`. */
      200: {
        content: {
          "application/json": components["schemas"]["WebhookReceipt"];
        };
      };
    };
  };
  receiveAccountUpdated: {
    /** @description Event of the card processor */
    requestBody: {
      content: {
        /**
        * @example {
        *       "id": "evt_3Example",
        *       "type": "account.updated",
        *       "data": {
        *         "object": {
        *           "id": "acct_1Example"
        *         }
        *       }
        *     }
        */
        "application/json": components["schemas"]["ProcessorEvent"];
      };
    };
    responses: {
      /** @description Success: `WebhookReceipt`. */
      200: {
        content: {
          "application/json": components["schemas"]["WebhookReceipt"];
        };
      };
    };
  };
  receivePaymentIntent: {
    /** @description Event of the card processor */
    requestBody: {
      content: {
        /**
        * @example {
        *       "id": "evt_1Example",
        *       "type": "payment_intent.succeeded",
        *       "data": {
        *         "object": {
        *           "id": "pi_3NExample"
        *         }
        *       }
        *     }
        */
        "application/json": components["schemas"]["ProcessorEvent"];
      };
    };
    responses: {
      /** @description Success: `WebhookReceipt`. */
      200: {
        content: {
          "application/json": components["schemas"]["WebhookReceipt"];
        };
      };
    };
  };
  receiveCheckoutSession: {
    /** @description Event of the card processor */
    requestBody: {
      content: {
        /**
        * @example {
        *       "id": "evt_4Example",
        *       "type": "checkout.session.completed",
        *       "data": {
        *         "object": {
        *           "id": "cs_1Example"
        *         }
        *       }
        *     }
        */
        "application/json": components["schemas"]["ProcessorEvent"];
      };
    };
    responses: {
      /** @description Success: `WebhookReceipt`. */
      200: {
        content: {
          "application/json": components["schemas"]["WebhookReceipt"];
        };
      };
    };
  };
  listSuspense: {
    parameters: {
      query?: {
        /** @description Only waiting items, or only settled items */
        open?: boolean;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `SuspendedPaymentPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["SuspendedPaymentPage"];
        };
      };
    };
  };
  assignSuspense: {
    parameters: {
      path: {
        /**
        * @description Id of the payment at the processor
        * @example pi_3NExample
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "walletId": "0198c0de-0000-7000-8000-0000000000b2",
        *       "reason": "The payer sent the wrong amount"
        *     }
        */
        "application/json": components["schemas"]["AssignSuspenseRequest"];
      };
    };
    responses: {
      /** @description Success: `AssignSuspenseResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["AssignSuspenseResponse"];
        };
      };
    };
  };
  returnSuspense: {
    parameters: {
      path: {
        /**
        * @description Id of the payment at the processor
        * @example pi_3NExample
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "reason": "The payer sent the wrong amount"
        *     }
        */
        "application/json": components["schemas"]["ReturnSuspenseRequest"];
      };
    };
    responses: {
      /** @description Success: `AssignSuspenseResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["AssignSuspenseResponse"];
        };
      };
    };
  };
  listChargebacks: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: components["schemas"]["ChargebackStatus"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `ChargebackPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["ChargebackPage"];
        };
      };
    };
  };
  getChargeback: {
    parameters: {
      path: {
        /**
        * @description Id of the chargeback
        * @example 0198c0de-0000-7000-8000-0000000000f5
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Chargeback`. */
      200: {
        content: {
          "application/json": components["schemas"]["Chargeback"];
        };
      };
    };
  };
  submitChargebackEvidence: {
    parameters: {
      path: {
        /**
        * @description Id of the chargeback
        * @example 0198c0de-0000-7000-8000-0000000000f5
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "text": "The work was delivered on 2 May and accepted by the buyer."
        *     }
        */
        "application/json": components["schemas"]["SubmitChargebackEvidenceRequest"];
      };
    };
    responses: {
      /** @description Success: `Chargeback`. */
      200: {
        content: {
          "application/json": components["schemas"]["Chargeback"];
        };
      };
    };
  };
  writeOffChargeback: {
    parameters: {
      path: {
        /**
        * @description Id of the chargeback
        * @example 0198c0de-0000-7000-8000-0000000000f5
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "reason": "The debtor does not respond"
        *     }
        */
        "application/json": components["schemas"]["WriteOffChargebackRequest"];
      };
    };
    responses: {
      /** @description Success: `WriteOffChargebackResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["WriteOffChargebackResponse"];
        };
      };
    };
  };
  initiateX402Payment: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-000000000001",
        *       "amount": 0.25
        *     }
        */
        "application/json": components["schemas"]["InitiateX402PaymentRequest"];
      };
    };
    responses: {
      /** @description Success: `X402Initiation`. */
      200: {
        content: {
          "application/json": components["schemas"]["X402Initiation"];
        };
      };
    };
  };
  getX402Payment: {
    parameters: {
      path: {
        /**
        * @description Id of the payment
        * @example 0198c0de-0000-7000-8000-0000000000f6
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `X402Payment`. */
      200: {
        content: {
          "application/json": components["schemas"]["X402Payment"];
        };
      };
    };
  };
  payX402Payment: {
    parameters: {
      path: {
        /**
        * @description Id of the payment
        * @example 0198c0de-0000-7000-8000-0000000000f6
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `X402Payment`. */
      200: {
        content: {
          "application/json": components["schemas"]["X402Payment"];
        };
      };
    };
  };
  payX402PaymentByPost: {
    parameters: {
      path: {
        /**
        * @description Id of the payment
        * @example 0198c0de-0000-7000-8000-0000000000f6
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `X402Payment`. */
      200: {
        content: {
          "application/json": components["schemas"]["X402Payment"];
        };
      };
    };
  };
  payAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `X402Payment`. */
      200: {
        content: {
          "application/json": components["schemas"]["X402Payment"];
        };
      };
    };
  };
  payAgentByPost: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `X402Payment`. */
      200: {
        content: {
          "application/json": components["schemas"]["X402Payment"];
        };
      };
    };
  };
  receiveChainNotice: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "txHash": "0x9f8f5fd9f6a4a0d2b7f3e0d3a0b1c2d3e4f5061728394a5b6c7d8e9f00112233"
        *     }
        */
        "application/json": components["schemas"]["ReceiveChainNoticeRequest"];
      };
    };
    responses: {
      /** @description Success: `ChainNoticeReceipt`. */
      200: {
        content: {
          "application/json": components["schemas"]["ChainNoticeReceipt"];
        };
      };
    };
  };
  listSuspendedTransfers: {
    parameters: {
      query?: {
        /** @description Only waiting items, or only settled items */
        open?: boolean;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `SuspendedTransferPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["SuspendedTransferPage"];
        };
      };
    };
  };
  assignSuspendedTransfer: {
    parameters: {
      path: {
        /**
        * @description Id of the transfer on the chain
        * @example 0198c0de-0000-7000-8000-0000000000f7
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "walletId": "0198c0de-0000-7000-8000-0000000000b2",
        *       "reason": "The payer sent the wrong amount"
        *     }
        */
        "application/json": components["schemas"]["AssignSuspenseRequest"];
      };
    };
    responses: {
      /** @description Success: `AssignSuspendedTransferResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["AssignSuspendedTransferResponse"];
        };
      };
    };
  };
  returnSuspendedTransfer: {
    parameters: {
      path: {
        /**
        * @description Id of the transfer on the chain
        * @example 0198c0de-0000-7000-8000-0000000000f7
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "reason": "The payer sent the wrong amount"
        *     }
        */
        "application/json": components["schemas"]["ReturnSuspenseRequest"];
      };
    };
    responses: {
      /** @description Success: `AssignSuspendedTransferResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["AssignSuspendedTransferResponse"];
        };
      };
    };
  };
  giveTestUsdc: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "address": "0x103d6d77c5ea7fe7ab747d2ddef4f35389666643",
        *       "amount": 100
        *     }
        */
        "application/json": components["schemas"]["GiveTestUsdcRequest"];
      };
    };
    responses: {
      /** @description Success: `FaucetReceipt`. */
      201: {
        content: {
          "application/json": components["schemas"]["FaucetReceipt"];
        };
      };
    };
  };
  listPlans: {
    responses: {
      /** @description Success: `PlanPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["PlanPage"];
        };
      };
    };
  };
  getSubscription: {
    responses: {
      /** @description Success: `Subscription`. */
      200: {
        content: {
          "application/json": components["schemas"]["Subscription"];
        };
      };
    };
  };
  checkoutSubscription: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "plan": "PRO",
        *       "rail": "wallet"
        *     }
        */
        "application/json": components["schemas"]["CheckoutSubscriptionRequest"];
      };
    };
    responses: {
      /** @description Success: `SubscriptionCheckout`. */
      201: {
        content: {
          "application/json": components["schemas"]["SubscriptionCheckout"];
        };
      };
    };
  };
  cancelSubscription: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "immediately": false
        *     }
        */
        "application/json": components["schemas"]["CancelSubscriptionRequest"];
      };
    };
    responses: {
      /** @description Success: `Subscription`. */
      200: {
        content: {
          "application/json": components["schemas"]["Subscription"];
        };
      };
    };
  };
  setUpUserPayouts: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "country": "US",
        *       "returnUrl": "https://example.com/paid"
        *     }
        */
        "application/json": components["schemas"]["SetUpUserPayoutsRequest"];
      };
    };
    responses: {
      /** @description Success: `PayoutSetup`. */
      201: {
        content: {
          "application/json": components["schemas"]["PayoutSetup"];
        };
      };
    };
  };
  getUserPayoutStatus: {
    responses: {
      /** @description Success: `PayoutAccountStatus`. */
      200: {
        content: {
          "application/json": components["schemas"]["PayoutAccountStatus"];
        };
      };
    };
  };
  requestUserPayout: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "amount": 25
        *     }
        */
        "application/json": components["schemas"]["RequestUserPayoutRequest"];
      };
    };
    responses: {
      /** @description Success: `Payout`. */
      201: {
        content: {
          "application/json": components["schemas"]["Payout"];
        };
      };
    };
  };
  listUserPayouts: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `PayoutPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["PayoutPage"];
        };
      };
    };
  };
  setUpAgentPayouts: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-0000000000b1",
        *       "country": "US"
        *     }
        */
        "application/json": components["schemas"]["SetUpAgentPayoutsRequest"];
      };
    };
    responses: {
      /** @description Success: `PayoutSetup`. */
      201: {
        content: {
          "application/json": components["schemas"]["PayoutSetup"];
        };
      };
    };
  };
  getAgentPayoutStatus: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `PayoutAccountStatus`. */
      200: {
        content: {
          "application/json": components["schemas"]["PayoutAccountStatus"];
        };
      };
    };
  };
  requestAgentPayout: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-0000000000b1",
        *       "amount": 25
        *     }
        */
        "application/json": components["schemas"]["RequestAgentPayoutRequest"];
      };
    };
    responses: {
      /** @description Success: `Payout`. */
      201: {
        content: {
          "application/json": components["schemas"]["Payout"];
        };
      };
    };
  };
  listAgentPayouts: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `PayoutPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["PayoutPage"];
        };
      };
    };
  };
  setUpOrganizationPayouts: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "organizationSlug": "lovelace-works",
        *       "country": "US"
        *     }
        */
        "application/json": components["schemas"]["SetUpOrganizationPayoutsRequest"];
      };
    };
    responses: {
      /** @description Success: `PayoutSetup`. */
      201: {
        content: {
          "application/json": components["schemas"]["PayoutSetup"];
        };
      };
    };
  };
  getOrganizationPayoutStatus: {
    parameters: {
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `PayoutAccountStatus`. */
      200: {
        content: {
          "application/json": components["schemas"]["PayoutAccountStatus"];
        };
      };
    };
  };
  requestOrganizationPayout: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "organizationSlug": "lovelace-works",
        *       "amountCents": 2500
        *     }
        */
        "application/json": components["schemas"]["RequestOrganizationPayoutRequest"];
      };
    };
    responses: {
      /** @description Success: `Payout`. */
      201: {
        content: {
          "application/json": components["schemas"]["Payout"];
        };
      };
    };
  };
  listOrganizationPayouts: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Slug of the organization
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `PayoutPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["PayoutPage"];
        };
      };
    };
  };
  listPayouts: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: "REVIEW" | "REQUESTED" | "PENDING" | "IN_TRANSIT" | "PAID" | "RETURNED" | "FAILED" | "CANCELED";
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AdminPayoutPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AdminPayoutPage"];
        };
      };
    };
  };
  payAgentOwner: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-0000000000b1",
        *       "amount": 25
        *     }
        */
        "application/json": components["schemas"]["PayAgentOwnerRequest"];
      };
    };
    responses: {
      /** @description Success: `AgentToUserResult`. */
      201: {
        content: {
          "application/json": components["schemas"]["AgentToUserResult"];
        };
      };
    };
  };
  cancelPayout: {
    parameters: {
      path: {
        /**
        * @description Id of the payout
        * @example 0198c0de-0000-7000-8000-0000000000f6
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Payout`. */
      200: {
        content: {
          "application/json": components["schemas"]["Payout"];
        };
      };
    };
  };
  negotiate: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "responderSlug": "scribe",
        *       "requestedService": "Release notes for version 2",
        *       "budget": 100
        *     }
        */
        "application/json": components["schemas"]["NegotiateRequest"];
      };
    };
    responses: {
      /** @description Success: `Negotiation`. */
      201: {
        content: {
          "application/json": components["schemas"]["Negotiation"];
        };
      };
    };
  };
  respondToNegotiation: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "negotiationId": "0198c0de-0000-7000-8000-000000000001",
        *       "status": "ACCEPTED"
        *     }
        */
        "application/json": components["schemas"]["RespondToNegotiationRequest"];
      };
    };
    responses: {
      /** @description Success: `Negotiation`. */
      201: {
        content: {
          "application/json": components["schemas"]["Negotiation"];
        };
      };
    };
  };
  startNegotiation: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "negotiationId": "0198c0de-0000-7000-8000-0000000000c1"
        *     }
        */
        "application/json": components["schemas"]["StartNegotiationRequest"];
      };
    };
    responses: {
      /** @description Success: `Negotiation`. */
      201: {
        content: {
          "application/json": components["schemas"]["Negotiation"];
        };
      };
    };
  };
  cancelNegotiation: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "negotiationId": "0198c0de-0000-7000-8000-0000000000c1"
        *     }
        */
        "application/json": components["schemas"]["CancelNegotiationRequest"];
      };
    };
    responses: {
      /** @description Success: `Negotiation`. */
      201: {
        content: {
          "application/json": components["schemas"]["Negotiation"];
        };
      };
    };
  };
  getNegotiation: {
    parameters: {
      path: {
        /**
        * @description Id of the negotiation
        * @example 0198c0de-0000-7000-8000-0000000000c1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Negotiation`. */
      200: {
        content: {
          "application/json": components["schemas"]["Negotiation"];
        };
      };
    };
  };
  listNegotiations: {
    parameters: {
      query?: {
        /** @description Only deals in which the caller is the buyer, or the seller */
        role?: components["schemas"]["DealRole"];
        /** @description Id of the agent */
        agentId?: string;
        /** @description Only items in this state */
        status?: "PENDING" | "COUNTERED" | "ACCEPTED" | "ESCROWED" | "IN_PROGRESS" | "DELIVERED" | "COMPLETED" | "REFUNDED" | "SPLIT" | "REJECTED" | "CANCELLED" | "EXPIRED";
        /** @description Part of the requested service, or of the name of an agent of the deal */
        search?: string;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `NegotiationPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["NegotiationPage"];
        };
      };
    };
  };
  getAgentInbox: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
        /** @description Seconds to wait while the inbox is empty */
        wait?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentInbox`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentInbox"];
        };
      };
    };
  };
  getDealTerms: {
    parameters: {
      path: {
        /**
        * @description Id of the negotiation
        * @example 0198c0de-0000-7000-8000-0000000000c1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `SignedDealTerms`. */
      200: {
        content: {
          "application/json": components["schemas"]["SignedDealTerms"];
        };
      };
    };
  };
  releaseEscrow: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "escrowId": "0198c0de-0000-7000-8000-000000000001"
        *     }
        */
        "application/json": components["schemas"]["ReleaseEscrowRequest"];
      };
    };
    responses: {
      /** @description Success: `Settlement`. */
      201: {
        content: {
          "application/json": components["schemas"]["Settlement"];
        };
      };
    };
  };
  refundEscrow: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "memo": "Cannot deliver in time"
        *     }
        */
        "application/json": components["schemas"]["RefundRequest"];
      };
    };
    responses: {
      /** @description Success: `Settlement`. */
      201: {
        content: {
          "application/json": components["schemas"]["Settlement"];
        };
      };
    };
  };
  reconcileEscrow: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Reconciliation`. */
      200: {
        content: {
          "application/json": components["schemas"]["Reconciliation"];
        };
      };
    };
  };
  getEscrow: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Escrow`. */
      200: {
        content: {
          "application/json": components["schemas"]["Escrow"];
        };
      };
    };
  };
  listEscrows: {
    parameters: {
      query?: {
        /** @description Only deals in which the caller is the buyer, or the seller */
        role?: components["schemas"]["DealRole"];
        /** @description Id of the agent */
        agentId?: string;
        /** @description Only items in this state */
        status?: "PENDING_FUNDING" | "HELD" | "DISPUTED" | "FROZEN" | "RELEASED" | "REFUNDED" | "SPLIT" | "CANCELLED";
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `EscrowPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["EscrowPage"];
        };
      };
    };
  };
  listEscrowEvents: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `DealEventPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["DealEventPage"];
        };
      };
    };
  };
  initiateAp2Payment: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "negotiationId": "0198c0de-0000-7000-8000-000000000001"
        *     }
        */
        "application/json": components["schemas"]["InitiateAp2PaymentRequest"];
      };
    };
    responses: {
      /** @description Success: `InitiatedPayment`. */
      201: {
        content: {
          "application/json": components["schemas"]["InitiatedPayment"];
        };
      };
    };
  };
  completeAp2Payment: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "escrowId": "0198c0de-0000-7000-8000-000000000001",
        *       "status": "SETTLED"
        *     }
        */
        "application/json": components["schemas"]["CompleteAp2PaymentRequest"];
      };
    };
    responses: {
      /** @description Success: `CompletedPayment`. */
      201: {
        content: {
          "application/json": components["schemas"]["CompletedPayment"];
        };
      };
    };
  };
  confirmCardRelease: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "escrowId": "0198c0de-0000-7000-8000-000000000001"
        *     }
        */
        "application/json": components["schemas"]["ConfirmCardReleaseRequest"];
      };
    };
    responses: {
      /** @description Success: `ConfirmedRelease`. */
      201: {
        content: {
          "application/json": components["schemas"]["ConfirmedRelease"];
        };
      };
    };
  };
  createAgentCheckout: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-000000000001",
        *       "amount": 100,
        *       "serviceDescription": "Release notes for version 2"
        *     }
        */
        "application/json": components["schemas"]["CreateAgentCheckoutRequest"];
      };
    };
    responses: {
      /** @description Success: `HostedCheckout`. */
      200: {
        content: {
          "application/json": components["schemas"]["HostedCheckout"];
        };
      };
    };
  };
  createCardPayment: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-000000000001",
        *       "paymentMethodId": "pm_card_visa",
        *       "amount": 100
        *     }
        */
        "application/json": components["schemas"]["CardPaymentRequest"];
      };
    };
    responses: {
      /** @description Success: `CardPayment`. */
      200: {
        content: {
          "application/json": components["schemas"]["CardPayment"];
        };
      };
    };
  };
  deliver: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "negotiationId": "0198c0de-0000-7000-8000-000000000001",
        *       "deliverableUrl": "https://example.com/result"
        *     }
        */
        "application/json": components["schemas"]["DeliverRequest"];
      };
    };
    responses: {
      /** @description Success: `DeliveryResult`. */
      201: {
        content: {
          "application/json": components["schemas"]["DeliveryResult"];
        };
      };
    };
  };
  deliverToEscrow: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "deliverableUrl": "https://example.com/result"
        *     }
        */
        "application/json": components["schemas"]["DeliverToEscrowRequest"];
      };
    };
    responses: {
      /** @description Success: `DeliveryResult`. */
      201: {
        content: {
          "application/json": components["schemas"]["DeliveryResult"];
        };
      };
    };
  };
  getDelivery: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
        /**
        * @description Id of the delivery
        * @example 0198c0de-0000-7000-8000-0000000000c3
        */
        deliveryId: string;
      };
    };
    responses: {
      /** @description Success: `Delivery`. */
      200: {
        content: {
          "application/json": components["schemas"]["Delivery"];
        };
      };
    };
  };
  getDeliveryScreenshot: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
        /**
        * @description Id of the delivery
        * @example 0198c0de-0000-7000-8000-0000000000c3
        */
        deliveryId: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "image/png": string;
        };
      };
    };
  };
  openDispute: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "reason": "The notes are of another version",
        *       "asks": "REFUND"
        *     }
        */
        "application/json": components["schemas"]["OpenDisputeRequest"];
      };
    };
    responses: {
      /** @description Success: `Escrow`. */
      201: {
        content: {
          "application/json": components["schemas"]["Escrow"];
        };
      };
    };
  };
  answerDispute: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "statement": "It is the version that was agreed"
        *     }
        */
        "application/json": components["schemas"]["AnswerDisputeRequest"];
      };
    };
    responses: {
      /** @description Success: `Escrow`. */
      201: {
        content: {
          "application/json": components["schemas"]["Escrow"];
        };
      };
    };
  };
  withdrawDispute: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "memo": "Solved together"
        *     }
        */
        "application/json": components["schemas"]["RefundRequest"];
      };
    };
    responses: {
      /** @description Success: `Escrow`. */
      201: {
        content: {
          "application/json": components["schemas"]["Escrow"];
        };
      };
    };
  };
  requestChanges: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "reason": "Please add the breaking changes"
        *     }
        */
        "application/json": components["schemas"]["RequestChangesRequest"];
      };
    };
    responses: {
      /** @description Success: `Escrow`. */
      201: {
        content: {
          "application/json": components["schemas"]["Escrow"];
        };
      };
    };
  };
  resolveEscrow: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "outcome": "SPLIT",
        *       "sellerBps": 5000,
        *       "reason": "Half of it was delivered"
        *     }
        */
        "application/json": components["schemas"]["ResolveEscrowRequest"];
      };
    };
    responses: {
      /** @description Success: `Settlement`. */
      201: {
        content: {
          "application/json": components["schemas"]["Settlement"];
        };
      };
    };
  };
  unfreezeEscrow: {
    parameters: {
      path: {
        /**
        * @description Id of the escrow
        * @example 0198c0de-0000-7000-8000-0000000000c2
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "The owner confirmed the new key"
        *     }
        */
        "application/json": components["schemas"]["UnfreezeEscrowRequest"];
      };
    };
    responses: {
      /** @description Success: `Escrow`. */
      201: {
        content: {
          "application/json": components["schemas"]["Escrow"];
        };
      };
    };
  };
  listMyPurchases: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: "PENDING" | "COUNTERED" | "ACCEPTED" | "ESCROWED" | "IN_PROGRESS" | "DELIVERED" | "COMPLETED" | "REFUNDED" | "SPLIT" | "REJECTED" | "CANCELLED" | "EXPIRED";
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `PurchasePage`. */
      200: {
        content: {
          "application/json": components["schemas"]["PurchasePage"];
        };
      };
    };
  };
  listAgentPayments: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentPaymentPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentPaymentPage"];
        };
      };
    };
  };
  listAgentTransactions: {
    parameters: {
      query?: {
        /** @description Only deals in which the caller is the buyer, or the seller */
        role?: components["schemas"]["DealRole"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentTransactionPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentTransactionPage"];
        };
      };
    };
  };
  getAgentNetwork: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentNetwork`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentNetwork"];
        };
      };
    };
  };
  listAllEscrows: {
    parameters: {
      query?: {
        /** @description Id of the object */
        id?: string;
        /** @description Only items in this state */
        status?: "PENDING_FUNDING" | "HELD" | "DISPUTED" | "FROZEN" | "RELEASED" | "REFUNDED" | "SPLIT" | "CANCELLED";
        /** @description Buyer or seller */
        accountId?: string;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AdminEscrowPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AdminEscrowPage"];
        };
      };
    };
  };
  followAffiliateLink: {
    parameters: {
      query?: {
        /** @description Path or URL of an allowed site */
        dest?: string;
        /** @description Part of the address */
        utm_source?: string;
        /** @description Part of the address */
        utm_medium?: string;
        /** @description Part of the address */
        utm_campaign?: string;
      };
      path: {
        /**
        * @description Authorization code of the provider
        * @example ok
        */
        code: string;
      };
    };
    responses: never;
  };
  resolveAffiliateCode: {
    parameters: {
      query: {
        /**
        * @description Code of an affiliate
        * @example ok
        */
        code: string;
      };
    };
    responses: {
      /** @description Success: `ResolveAffiliateCodeResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ResolveAffiliateCodeResponse"];
        };
      };
    };
  };
  getOwnAffiliate: {
    responses: {
      /** @description Success: `Affiliate`. */
      200: {
        content: {
          "application/json": components["schemas"]["Affiliate"];
        };
      };
    };
  };
  getAffiliateDashboard: {
    responses: {
      /** @description Success: `AffiliateDashboard`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateDashboard"];
        };
      };
    };
  };
  makeAffiliateLink: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "dest": "/docs",
        *       "label": "trust",
        *       "utm_source": "mail",
        *       "utm_medium": "email",
        *       "utm_campaign": "january"
        *     }
        */
        "application/json": components["schemas"]["MakeAffiliateLinkRequest"];
      };
    };
    responses: {
      /** @description Success: `AffiliateLink`. */
      201: {
        content: {
          "application/json": components["schemas"]["AffiliateLink"];
        };
      };
    };
  };
  listPendingAffiliates: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AffiliateForAdminPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateForAdminPage"];
        };
      };
    };
  };
  listAffiliates: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: components["schemas"]["AffiliateStatus"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `AffiliateForAdminPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateForAdminPage"];
        };
      };
    };
  };
  getAffiliate: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AffiliateForAdmin`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateForAdmin"];
        };
      };
    };
  };
  reviewAffiliate: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "decision": "approve"
        *     }
        */
        "application/json": components["schemas"]["ReviewAffiliateRequest"];
      };
    };
    responses: {
      /** @description Success: `AffiliateForAdmin`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateForAdmin"];
        };
      };
    };
  };
  setCommissionPlan: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "rateBps": 0,
        *       "level2Bps": 0,
        *       "months": 1,
        *       "holdDays": 0
        *     }
        */
        "application/json": components["schemas"]["SetCommissionPlanRequest"];
      };
    };
    responses: {
      /** @description Success: `AffiliateForAdmin`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateForAdmin"];
        };
      };
    };
  };
  suspendAffiliate: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "The notes describe another version"
        *     }
        */
        "application/json": components["schemas"]["SuspendAffiliateRequest"];
      };
    };
    responses: {
      /** @description Success: `AffiliateForAdmin`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateForAdmin"];
        };
      };
    };
  };
  reactivateAffiliate: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AffiliateForAdmin`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateForAdmin"];
        };
      };
    };
  };
  applyAsAffiliate: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "displayName": "Ada",
        *       "acceptTerms": true
        *     }
        */
        "application/json": components["schemas"]["ApplyAsAffiliateRequest"];
      };
    };
    responses: {
      /** @description Success: `Affiliate`. */
      201: {
        content: {
          "application/json": components["schemas"]["Affiliate"];
        };
      };
    };
  };
  enrollAsAffiliate: {
    responses: {
      /** @description Success: `Affiliate`. */
      201: {
        content: {
          "application/json": components["schemas"]["Affiliate"];
        };
      };
    };
  };
  listOwnCommissions: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
        /** @description Only items in this state */
        status?: components["schemas"]["CommissionStatus"];
      };
    };
    responses: {
      /** @description Success: `AffiliateCommissionPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateCommissionPage"];
        };
      };
    };
  };
  exportOwnCommissions: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/csv": string;
        };
      };
    };
  };
  explainAttribution: {
    parameters: {
      query: {
        /**
        * @description Id (UUIDv7)
        * @example 0198c0de-0000-7000-8000-0000000000c1
        */
        negotiationId: string;
      };
    };
    responses: {
      /** @description Success: `AffiliateAttribution`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateAttribution"];
        };
      };
    };
  };
  payOutCommissions: {
    responses: {
      /** @description Success: `AffiliatePayout`. */
      201: {
        content: {
          "application/json": components["schemas"]["AffiliatePayout"];
        };
      };
    };
  };
  listCommissions: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
        /** @description Only items in this state */
        status?: components["schemas"]["CommissionStatus"];
      };
    };
    responses: {
      /** @description Success: `AffiliateCommissionPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateCommissionPage"];
        };
      };
    };
  };
  clearCommission: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AffiliateCommission`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateCommission"];
        };
      };
    };
  };
  confirmCommissionFraud: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AffiliateCommission`. */
      200: {
        content: {
          "application/json": components["schemas"]["AffiliateCommission"];
        };
      };
    };
  };
  getRoutingBalance: {
    responses: {
      /** @description Success: `RoutingBalance`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingBalance"];
        };
      };
    };
  };
  getRoutingBalanceOfKeys: {
    responses: {
      /** @description Success: `RoutingBalance`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingBalance"];
        };
      };
    };
  };
  topUpRoutingBalance: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "amount": 100
        *     }
        */
        "application/json": components["schemas"]["TopUpRoutingBalanceRequest"];
      };
    };
    responses: {
      /** @description Success: `RoutingTransfer`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingTransfer"];
        };
      };
    };
  };
  withdrawRoutingBalance: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "amount": 100
        *     }
        */
        "application/json": components["schemas"]["WithdrawRoutingBalanceRequest"];
      };
    };
    responses: {
      /** @description Success: `RoutingTransfer`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingTransfer"];
        };
      };
    };
  };
  getGeneration: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Generation`. */
      200: {
        content: {
          "application/json": components["schemas"]["Generation"];
        };
      };
    };
  };
  listModels: {
    responses: {
      /** @description Success: `ModelList`. */
      200: {
        content: {
          "application/json": components["schemas"]["ModelList"];
        };
      };
    };
  };
  listRoutingModels: {
    responses: {
      /** @description Success: `ModelList`. */
      200: {
        content: {
          "application/json": components["schemas"]["ModelList"];
        };
      };
    };
  };
  getModel: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `GetModelResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetModelResponse"];
        };
      };
    };
  };
  syncModels: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "changes": [
        *         {
        *           "model": "gpt-6-luna",
        *           "validFrom": "2027-01-01T00:00:00.000Z",
        *           "input": "0.12",
        *           "output": "0.60",
        *           "cacheRead": "0.012",
        *           "cacheWrite": "0.15",
        *           "lengthTiers": [
        *             {
        *               "above": 272000,
        *               "input": "0.24",
        *               "output": "0.90",
        *               "cacheRead": "0.10",
        *               "cacheWrite": "0.10"
        *             }
        *           ],
        *           "peak": null
        *         }
        *       ]
        *     }
        */
        "application/json": components["schemas"]["SyncModelsRequest"];
      };
    };
    responses: {
      /** @description Success: `PriceSync`. */
      201: {
        content: {
          "application/json": components["schemas"]["PriceSync"];
        };
      };
    };
  };
  getRoutingHealth: {
    responses: {
      /** @description Success: `RoutingHealth`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingHealth"];
        };
      };
    };
  };
  listModelStatus: {
    responses: {
      /** @description Success: `ListModelStatusResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListModelStatusResponse"];
        };
      };
    };
  };
  listModelHealth: {
    responses: {
      /** @description Success: `ListModelHealthResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListModelHealthResponse"];
        };
      };
    };
  };
  probeModels: {
    responses: {
      /** @description Success: `ModelProbe`. */
      201: {
        content: {
          "application/json": components["schemas"]["ModelProbe"];
        };
      };
    };
  };
  listRoutingKeys: {
    responses: {
      /** @description Success: `ListRoutingKeysResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListRoutingKeysResponse"];
        };
      };
    };
  };
  createRoutingKey: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "name": "Chat bot",
        *       "limits": {
        *         "rpm": 60,
        *         "monthlyUsd": 20
        *       }
        *     }
        */
        "application/json": components["schemas"]["CreateRoutingKeyRequest"];
      };
    };
    responses: {
      /** @description Success: `RoutingKeyWithKey`. */
      201: {
        content: {
          "application/json": components["schemas"]["RoutingKeyWithKey"];
        };
      };
    };
  };
  createRoutingKeyByAlias: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "name": "Chat bot",
        *       "limits": {
        *         "rpm": 60,
        *         "monthlyUsd": 20
        *       }
        *     }
        */
        "application/json": components["schemas"]["CreateRoutingKeyRequest"];
      };
    };
    responses: {
      /** @description Success: `RoutingKeyWithKey`. */
      201: {
        content: {
          "application/json": components["schemas"]["RoutingKeyWithKey"];
        };
      };
    };
  };
  listRoutingKeysByAlias: {
    responses: {
      /** @description Success: `ListRoutingKeysResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListRoutingKeysResponse"];
        };
      };
    };
  };
  listRoutingKeysByLegacyAlias: {
    responses: {
      /** @description Success: `ListRoutingKeysResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListRoutingKeysResponse"];
        };
      };
    };
  };
  getRoutingKeyUsage: {
    responses: {
      /** @description Success: `RoutingKeyUsage`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingKeyUsage"];
        };
      };
    };
  };
  revokeRoutingKey: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `RoutingKey`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingKey"];
        };
      };
    };
  };
  updateRoutingKey: {
    parameters: {
      path: {
        /**
        * @description Id of the object
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "limits": {
        *         "rpm": 120
        *       }
        *     }
        */
        "application/json": components["schemas"]["CreateRoutingKeyRequest"];
      };
    };
    responses: {
      /** @description Success: `RoutingKey`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingKey"];
        };
      };
    };
  };
  getRoutingConfig: {
    responses: {
      /** @description Success: `RoutingConfig`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingConfig"];
        };
      };
    };
  };
  updateRoutingConfig: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "defaultModel": "svc/balanced",
        *       "maxPriceUsd": 0.5,
        *       "sticky": true
        *     }
        */
        "application/json": components["schemas"]["UpdateRoutingConfigRequest"];
      };
    };
    responses: {
      /** @description Success: `RoutingConfig`. */
      201: {
        content: {
          "application/json": components["schemas"]["RoutingConfig"];
        };
      };
    };
  };
  listRoutedRequests: {
    parameters: {
      query?: {
        /** @description Requests from this moment on */
        from?: string;
        /** @description Requests before this moment */
        to?: string;
        /** @description The model that answered */
        model?: string;
        /** @description Id of a routing key */
        key?: string;
        /** @description partial broke off, cancelled was ended by the caller, cached came from the response cache */
        outcome?: "completed" | "partial" | "cancelled" | "failed" | "cached";
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description nextCursor of the previous page */
        cursor?: string;
      };
    };
    responses: {
      /** @description Success: `ListRoutedRequestsResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListRoutedRequestsResponse"];
        };
      };
    };
  };
  getRoutingLog: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: string;
        /** @description nextCursor of the previous page */
        cursor?: string;
      };
    };
    responses: {
      /** @description Success: `GetRoutingLogResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetRoutingLogResponse"];
        };
      };
    };
  };
  getUsageSummary: {
    parameters: {
      query?: {
        /** @description Begin of the period; by default 30 days before its end */
        from?: string;
        /** @description End of the period, which is not part of it; by default now */
        to?: string;
      };
    };
    responses: {
      /** @description Success: `UsageSummary`. */
      200: {
        content: {
          "application/json": components["schemas"]["UsageSummary"];
        };
      };
    };
  };
  getUsageSummaryOfKeys: {
    parameters: {
      query?: {
        /** @description Begin of the period; by default 30 days before its end */
        from?: string;
        /** @description End of the period, which is not part of it; by default now */
        to?: string;
      };
    };
    responses: {
      /** @description Success: `UsageSummaryOfKeys`. */
      200: {
        content: {
          "application/json": components["schemas"]["UsageSummaryOfKeys"];
        };
      };
    };
  };
  getUsageByModel: {
    parameters: {
      query?: {
        /** @description Begin of the period; by default 30 days before its end */
        from?: string;
        /** @description End of the period, which is not part of it; by default now */
        to?: string;
      };
    };
    responses: {
      /** @description Success: `UsageByModel`. */
      200: {
        content: {
          "application/json": components["schemas"]["UsageByModel"];
        };
      };
    };
  };
  getUsageByTier: {
    parameters: {
      query?: {
        /** @description Begin of the period; by default 30 days before its end */
        from?: string;
        /** @description End of the period, which is not part of it; by default now */
        to?: string;
      };
    };
    responses: {
      /** @description Success: `UsageByTier`. */
      200: {
        content: {
          "application/json": components["schemas"]["UsageByTier"];
        };
      };
    };
  };
  listRoutingOutcomes: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description nextCursor of the previous page */
        cursor?: string;
      };
    };
    responses: {
      /** @description Success: `ListRoutingOutcomesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListRoutingOutcomesResponse"];
        };
      };
    };
  };
  recordRoutingOutcome: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "generationId": "0198c0de-0000-7000-8000-0000000000f1"
        *     }
        */
        "application/json": components["schemas"]["RecordRoutingOutcomeRequest"];
      };
    };
    responses: {
      /** @description Success: `RoutingOutcome`. */
      201: {
        content: {
          "application/json": components["schemas"]["RoutingOutcome"];
        };
      };
    };
  };
  getRoutingSavings: {
    parameters: {
      query?: {
        /** @description Begin of the period; by default 30 days before its end */
        from?: string;
        /** @description End of the period, which is not part of it; by default now */
        to?: string;
        /** @description A listed model; by default the one with the highest price */
        baselineModel?: string;
      };
    };
    responses: {
      /** @description Success: `RoutingSavings`. */
      200: {
        content: {
          "application/json": components["schemas"]["RoutingSavings"];
        };
      };
    };
  };
  executeAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "input": {}
        *     }
        */
        "application/json": components["schemas"]["ExecuteAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `ExecutedAgent`. */
      201: {
        content: {
          "application/json": components["schemas"]["ExecutedAgent"];
        };
      };
    };
  };
  reportRunResult: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        runId: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "status": "RUNNING"
        *     }
        */
        "application/json": components["schemas"]["RunResultReport"];
      };
    };
    responses: {
      /** @description Success: `Execution`. */
      201: {
        content: {
          "application/json": components["schemas"]["Execution"];
        };
      };
    };
  };
  approveRun: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Execution`. */
      200: {
        content: {
          "application/json": components["schemas"]["Execution"];
        };
      };
    };
  };
  rejectRun: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Execution`. */
      200: {
        content: {
          "application/json": components["schemas"]["Execution"];
        };
      };
    };
  };
  cancelRun: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Execution`. */
      200: {
        content: {
          "application/json": components["schemas"]["Execution"];
        };
      };
    };
  };
  listAgentExecutions: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: components["schemas"]["RunStatus"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ExecutionPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["ExecutionPage"];
        };
      };
    };
  };
  listMyRuns: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: components["schemas"]["RunStatus"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `ExecutionPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["ExecutionPage"];
        };
      };
    };
  };
  getMyRun: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Execution`. */
      200: {
        content: {
          "application/json": components["schemas"]["Execution"];
        };
      };
    };
  };
  getRunDebugBundle: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `RunDebugBundle`. */
      200: {
        content: {
          "application/json": components["schemas"]["RunDebugBundle"];
        };
      };
    };
  };
  listAgentReviews: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `ReviewPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["ReviewPage"];
        };
      };
    };
  };
  createAgentReview: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "rating": 1
        *     }
        */
        "application/json": components["schemas"]["CreateReviewRequest"];
      };
    };
    responses: {
      /** @description Success: `Review`. */
      201: {
        content: {
          "application/json": components["schemas"]["Review"];
        };
      };
    };
  };
  replyToAgentReview: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
        /**
        * @description Id (UUIDv7)
        * @example 0198c0de-0000-7000-8000-0000000000f1
        */
        reviewId: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "reply": "Thank you"
        *     }
        */
        "application/json": components["schemas"]["ReplyToAgentReviewRequest"];
      };
    };
    responses: {
      /** @description Success: `Review`. */
      201: {
        content: {
          "application/json": components["schemas"]["Review"];
        };
      };
    };
  };
  listNeeds: {
    parameters: {
      query?: {
        /** @description Searches title, category and description; supports "phrases", -excluded and OR */
        search?: string;
        /** @description Only agents of this category */
        category?: string;
        /** @description Only items in this state */
        status?: "OPEN" | "MATCHED" | "CLOSED" | "EXPIRED";
        /** @description At least this budget */
        minBudget?: number;
        /** @description Of the budget */
        currency?: "USD" | "USDC";
        /** @description Your needs, in every state */
        mine?: boolean;
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `NeedPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["NeedPage"];
        };
      };
    };
  };
  createNeed: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "title": "Release notes for version 2",
        *       "category": "writing",
        *       "budget": 100
        *     }
        */
        "application/json": components["schemas"]["CreateNeedRequest"];
      };
    };
    responses: {
      /** @description Success: `Need`. */
      201: {
        content: {
          "application/json": components["schemas"]["Need"];
        };
      };
    };
  };
  getNeed: {
    parameters: {
      path: {
        /**
        * @description Id of the need
        * @example 0198c0de-0000-7000-8000-0000000000c5
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Need`. */
      200: {
        content: {
          "application/json": components["schemas"]["Need"];
        };
      };
    };
  };
  closeNeed: {
    parameters: {
      path: {
        /**
        * @description Id of the need
        * @example 0198c0de-0000-7000-8000-0000000000c5
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Need`. */
      200: {
        content: {
          "application/json": components["schemas"]["Need"];
        };
      };
    };
  };
  listOffers: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the need
        * @example 0198c0de-0000-7000-8000-0000000000c5
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `OfferPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["OfferPage"];
        };
      };
    };
  };
  createOffer: {
    parameters: {
      path: {
        /**
        * @description Id of the need
        * @example 0198c0de-0000-7000-8000-0000000000c5
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-0000000000b1",
        *       "price": 80,
        *       "estimatedDelivery": "2 days"
        *     }
        */
        "application/json": components["schemas"]["CreateOfferRequest"];
      };
    };
    responses: {
      /** @description Success: `Offer`. */
      201: {
        content: {
          "application/json": components["schemas"]["Offer"];
        };
      };
    };
  };
  acceptOffer: {
    parameters: {
      path: {
        /**
        * @description Id of the offer
        * @example 0198c0de-0000-7000-8000-0000000000c6
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AcceptedOffer`. */
      201: {
        content: {
          "application/json": components["schemas"]["AcceptedOffer"];
        };
      };
    };
  };
  withdrawOffer: {
    parameters: {
      path: {
        /**
        * @description Id of the offer
        * @example 0198c0de-0000-7000-8000-0000000000c6
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `Offer`. */
      200: {
        content: {
          "application/json": components["schemas"]["Offer"];
        };
      };
    };
  };
  listCertificationRuns: {
    parameters: {
      query?: {
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
    };
    responses: {
      /** @description Success: `CertificationRunPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["CertificationRunPage"];
        };
      };
    };
  };
  createCertificationRun: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "suite": "smoke"
        *     }
        */
        "application/json": components["schemas"]["CreateCertificationRunRequest"];
      };
    };
    responses: {
      /** @description Success: `CertificationRun`. */
      201: {
        content: {
          "application/json": components["schemas"]["CertificationRun"];
        };
      };
    };
  };
  getCertificationRun: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        runId: string;
      };
    };
    responses: {
      /** @description Success: `CertificationRun`. */
      200: {
        content: {
          "application/json": components["schemas"]["CertificationRun"];
        };
      };
    };
  };
  showCertificationPage: {
    parameters: {
      query?: {
        /** @description Of a task with several pages */
        page?: number;
        /** @description Of the form */
        name?: string;
        /** @description Of the form */
        quantity?: string;
      };
      path: {
        /**
        * @description Token of the link
        * @example 123456
        */
        token: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/html": string;
        };
      };
    };
  };
  addCertificationParticipant: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        runId: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "agentId": "0198c0de-0000-7000-8000-0000000000b1"
        *     }
        */
        "application/json": components["schemas"]["AddCertificationParticipantRequest"];
      };
    };
    responses: {
      /** @description Success: `CertificationRun`. */
      201: {
        content: {
          "application/json": components["schemas"]["CertificationRun"];
        };
      };
    };
  };
  startCertificationRun: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        runId: string;
      };
    };
    responses: {
      /** @description Success: `CertificationRun`. */
      200: {
        content: {
          "application/json": components["schemas"]["CertificationRun"];
        };
      };
    };
  };
  abortCertificationRun: {
    parameters: {
      path: {
        /**
        * @description Id of the run
        * @example 0198c0de-0000-7000-8000-0000000000f2
        */
        runId: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "reason": "The notes describe another version"
        *     }
        */
        "application/json": components["schemas"]["AbortCertificationRunRequest"];
      };
    };
    responses: {
      /** @description Success: `CertificationRun`. */
      200: {
        content: {
          "application/json": components["schemas"]["CertificationRun"];
        };
      };
    };
  };
  getAp2Status: {
    parameters: {
      query: {
        /**
        * @description Slug of the agent
        * @example scribe
        */
        slug: string;
      };
    };
    responses: {
      /** @description Success: `Ap2Status`. */
      200: {
        content: {
          "application/json": components["schemas"]["Ap2Status"];
        };
      };
    };
  };
  requestCollaboration: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "requesterAgentId": "0198c0de-0000-7000-8000-0000000000b9",
        *       "responderAgentId": "0198c0de-0000-7000-8000-0000000000b1",
        *       "payload": {
        *         "task": "Translate the release notes"
        *       }
        *     }
        */
        "application/json": components["schemas"]["CreateCollaborationRequest"];
      };
    };
    responses: {
      /** @description Success: `CollaborationRequest`. */
      201: {
        content: {
          "application/json": components["schemas"]["CollaborationRequest"];
        };
      };
    };
  };
  respondToCollaboration: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "requestId": "0198c0de-0000-7000-8000-00000000000a",
        *       "status": "ACCEPTED"
        *     }
        */
        "application/json": components["schemas"]["RespondCollaborationRequest"];
      };
    };
    responses: {
      /** @description Success: `CollaborationRequest`. */
      201: {
        content: {
          "application/json": components["schemas"]["CollaborationRequest"];
        };
      };
    };
  };
  listCollaborationRequests: {
    parameters: {
      query?: {
        /** @description Only deals in which the caller is the buyer, or the seller */
        role?: "requester" | "responder";
        /** @description Only items in this state */
        status?: components["schemas"]["A2ARequestStatus"];
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `CollaborationRequestPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["CollaborationRequestPage"];
        };
      };
    };
  };
  callA2a: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "jsonrpc": "2.0",
        *       "id": 1,
        *       "method": "message/send",
        *       "params": {
        *         "message": {
        *           "kind": "message",
        *           "role": "user",
        *           "messageId": "message-1",
        *           "parts": [
        *             {
        *               "kind": "text",
        *               "text": "Translate the release notes into French"
        *             }
        *           ]
        *         },
        *         "metadata": {
        *           "agentSlug": "scribe",
        *           "budget": 25
        *         }
        *       }
        *     }
        */
        "application/json": components["schemas"]["A2ARequest"];
      };
    };
    responses: {
      /** @description Success: `A2AResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["A2AResponse"];
          "text/event-stream": string;
        };
      };
    };
  };
  callA2aAgent: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "jsonrpc": "2.0",
        *       "id": 1,
        *       "method": "message/send",
        *       "params": {
        *         "message": {
        *           "kind": "message",
        *           "role": "user",
        *           "messageId": "message-1",
        *           "parts": [
        *             {
        *               "kind": "text",
        *               "text": "Translate the release notes into French"
        *             }
        *           ]
        *         },
        *         "metadata": {
        *           "agentSlug": "scribe",
        *           "budget": 25
        *         }
        *       }
        *     }
        */
        "application/json": components["schemas"]["A2ARequest"];
      };
    };
    responses: {
      /** @description Success: `A2AResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["A2AResponse"];
          "text/event-stream": string;
        };
      };
    };
  };
  getServiceCard: {
    responses: {
      /** @description Success: `A2AAgentCard`. */
      200: {
        content: {
          "application/json": components["schemas"]["A2AAgentCard"];
        };
      };
    };
  };
  getAgentCard: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `A2AAgentCard`. */
      200: {
        content: {
          "application/json": components["schemas"]["A2AAgentCard"];
        };
      };
    };
  };
  getAgentCardAlias: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        agentId: string;
      };
    };
    responses: {
      /** @description Success: `A2AAgentCard`. */
      200: {
        content: {
          "application/json": components["schemas"]["A2AAgentCard"];
        };
      };
    };
  };
  streamAccountEvents: {
    parameters: {
      query?: {
        /** @description As the header Last-Event-ID, which wins */
        lastEventId?: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/event-stream": string;
        };
      };
    };
  };
  streamAgentEvents: {
    parameters: {
      query?: {
        /** @description As the header Last-Event-ID, which wins */
        lastEventId?: string;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/event-stream": string;
        };
      };
    };
  };
  getAgentWebhook: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentWebhook`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentWebhook"];
        };
      };
    };
  };
  setAgentWebhook: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "url": "https://agent.example.com/events",
        *       "events": [
        *         "negotiation.created",
        *         "deal.funded"
        *       ]
        *     }
        */
        "application/json": components["schemas"]["SetAgentWebhookRequest"];
      };
    };
    responses: {
      /** @description Success: `AgentWebhookWithSecret`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentWebhookWithSecret"];
        };
      };
    };
  };
  deleteAgentWebhook: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success, without a body. */
      204: {
        content?: never;
      };
    };
  };
  rotateAgentWebhookSecret: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentWebhookSecret`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentWebhookSecret"];
        };
      };
    };
  };
  listAgentWebhookDeliveries: {
    parameters: {
      query?: {
        /** @description Only items in this state */
        status?: "PENDING" | "DELIVERED" | "FAILED" | "CANCELLED";
        /** @description Page size, 20 by default */
        limit?: number;
        /** @description Rows to skip */
        offset?: number;
      };
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success: `AgentWebhookDeliveryPage`. */
      200: {
        content: {
          "application/json": components["schemas"]["AgentWebhookDeliveryPage"];
        };
      };
    };
  };
  replayAgentWebhookDelivery: {
    parameters: {
      path: {
        /**
        * @description Id of the agent
        * @example 0198c0de-0000-7000-8000-0000000000b1
        */
        id: string;
        /**
        * @description Id of the delivery
        * @example 0198c0de-0000-7000-8000-0000000000c3
        */
        deliveryId: string;
      };
    };
    responses: {
      /** @description Success: `AgentWebhookDelivery`. */
      201: {
        content: {
          "application/json": components["schemas"]["AgentWebhookDelivery"];
        };
      };
    };
  };
  getNotificationPreferences: {
    responses: {
      /** @description Success: `NotificationPreferences`. */
      200: {
        content: {
          "application/json": components["schemas"]["NotificationPreferences"];
        };
      };
    };
  };
  setNotificationPreferences: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "offers": false
        *     }
        */
        "application/json": components["schemas"]["SetNotificationPreferencesRequest"];
      };
    };
    responses: {
      /** @description Success: `NotificationPreferences`. */
      200: {
        content: {
          "application/json": components["schemas"]["NotificationPreferences"];
        };
      };
    };
  };
  unsubscribePage: {
    parameters: {
      path: {
        /**
        * @description Token of the link
        * @example 123456
        */
        token: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/html": string;
        };
      };
    };
  };
  unsubscribe: {
    parameters: {
      path: {
        /**
        * @description Token of the link
        * @example 123456
        */
        token: string;
      };
    };
    responses: {
      /** @description Success: `UnsubscribeResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["UnsubscribeResponse"];
        };
      };
    };
  };
  register: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "email": "ada@example.com",
        *       "displayName": "Ada",
        *       "password": "correct horse battery"
        *     }
        */
        "application/json": components["schemas"]["RegisterRequest"];
      };
    };
    responses: {
      /** @description Success: `RegisterResponse`. */
      201: {
        content: {
          "application/json": components["schemas"]["RegisterResponse"];
        };
      };
    };
  };
  registerAgentAccount: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "username": "ada_bot"
        *     }
        */
        "application/json": components["schemas"]["RegisterAgentAccountRequest"];
      };
    };
    responses: {
      /** @description Success: `AgentAccountRegistered`. */
      201: {
        content: {
          "application/json": components["schemas"]["AgentAccountRegistered"];
        };
      };
    };
  };
  registerListedAgent: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "username": "scribe_bot",
        *       "email": "scribe@example.com"
        *     }
        */
        "application/json": components["schemas"]["RegisterListedAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `ListedAgentRegistered`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListedAgentRegistered"];
        };
      };
    };
  };
  selfRegisterAgent: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "username": "night_clerk"
        *     }
        */
        "application/json": components["schemas"]["SelfRegisterAgentRequest"];
      };
    };
    responses: {
      /** @description Success: `SelfRegistered`. */
      201: {
        content: {
          "application/json": components["schemas"]["SelfRegistered"];
        };
      };
    };
  };
  claimAgent: {
    parameters: {
      path: {
        /**
        * @description Token of the link
        * @example 123456
        */
        token: string;
      };
    };
    responses: {
      /** @description Success: `Agent`. */
      200: {
        content: {
          "application/json": components["schemas"]["Agent"];
        };
      };
    };
  };
  getSandboxClock: {
    responses: {
      /** @description Success: `GetSandboxClockResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetSandboxClockResponse"];
        };
      };
    };
  };
  advanceSandboxClock: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "seconds": 86400
        *     }
        */
        "application/json": components["schemas"]["AdvanceSandboxClockRequest"];
      };
    };
    responses: {
      /** @description Success: `AdvanceSandboxClockResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["AdvanceSandboxClockResponse"];
        };
      };
    };
  };
  emitProcessorEvent: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "type": "payment_intent.succeeded",
        *       "data": {
        *         "object": {
        *           "id": "pi_1"
        *         }
        *       },
        *       "copies": 2
        *     }
        */
        "application/json": components["schemas"]["EmitProcessorEventRequest"];
      };
    };
    responses: {
      /** @description Success: `EmitProcessorEventResponse`. */
      201: {
        content: {
          "application/json": components["schemas"]["EmitProcessorEventResponse"];
        };
      };
    };
  };
  breakProcessor: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "kind": "answer_lost",
        *       "count": 1
        *     }
        */
        "application/json": components["schemas"]["BreakProcessorRequest"];
      };
    };
    responses: {
      /** @description Success: `BreakProcessorResponse`. */
      201: {
        content: {
          "application/json": components["schemas"]["BreakProcessorResponse"];
        };
      };
    };
  };
  openSandboxDispute: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "paymentIntentId": "pi_1",
        *       "reason": "product_not_received"
        *     }
        */
        "application/json": components["schemas"]["OpenSandboxDisputeRequest"];
      };
    };
    responses: {
      /** @description Success: `SandboxDispute`. */
      201: {
        content: {
          "application/json": components["schemas"]["SandboxDispute"];
        };
      };
    };
  };
  closeSandboxDispute: {
    parameters: {
      path: {
        /**
        * @description Id of the dispute
        * @example du_1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "won": true
        *     }
        */
        "application/json": components["schemas"]["CloseSandboxDisputeRequest"];
      };
    };
    responses: {
      /** @description Success: `SandboxDispute`. */
      200: {
        content: {
          "application/json": components["schemas"]["SandboxDispute"];
        };
      };
    };
  };
  breakProvider: {
    parameters: {
      path: {
        /**
        * @description A provider of `GET /v1/models`
        * @example alibaba
        */
        provider: "alibaba" | "anthropic" | "deepseek" | "google" | "mistral" | "moonshot" | "openai" | "xai" | "zai";
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "kind": "cut_mid_stream",
        *       "count": 1
        *     }
        */
        "application/json": components["schemas"]["BreakProviderRequest"];
      };
    };
    responses: {
      /** @description Success: `BreakProviderResponse`. */
      201: {
        content: {
          "application/json": components["schemas"]["BreakProviderResponse"];
        };
      };
    };
  };
  sandboxCheckoutPage: {
    parameters: {
      path: {
        /**
        * @description Id of the checkout
        * @example cs_1Example
        */
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/html": string;
        };
      };
    };
  };
  paySandboxCheckout: {
    parameters: {
      path: {
        /**
        * @description Id of the checkout
        * @example cs_1Example
        */
        id: string;
      };
    };
    requestBody?: {
      content: {
        /**
        * @example {
        *       "paymentMethodId": "pm_card_visa"
        *     }
        */
        "application/json": components["schemas"]["PaySandboxCheckoutRequest"];
      };
    };
    responses: {
      /** @description Success: `PaySandboxCheckoutResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["PaySandboxCheckoutResponse"];
        };
      };
    };
  };
  sandboxOnboardingPage: {
    parameters: {
      path: {
        /**
        * @description Id of the onboarding link
        * @example link_1
        */
        id: string;
      };
    };
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/html": string;
        };
      };
    };
  };
  completeSandboxOnboarding: {
    parameters: {
      path: {
        /**
        * @description Id of the onboarding link
        * @example link_1
        */
        id: string;
      };
    };
    requestBody: {
      content: {
        /**
        * @example {
        *       "accountNumber": "000123456789",
        *       "idNumber": "000000000"
        *     }
        */
        "application/json": components["schemas"]["CompleteSandboxOnboardingRequest"];
      };
    };
    responses: {
      /** @description Success: `SandboxPayoutAccount`. */
      200: {
        content: {
          "application/json": components["schemas"]["SandboxPayoutAccount"];
        };
      };
    };
  };
  listSandboxMail: {
    parameters: {
      query?: {
        /**
        * @description Only mails to this address
        * @example ada@example.com
        */
        to?: string;
      };
    };
    responses: {
      /** @description Success: `ListSandboxMailResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ListSandboxMailResponse"];
        };
      };
    };
  };
  sandboxPageOk: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/html": string;
        };
      };
    };
  };
  sandboxPagePdf: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/pdf": string;
        };
      };
    };
  };
  sandboxPageMissing: {
    responses: never;
  };
  sandboxPageSlow: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/html": string;
        };
      };
    };
  };
  sandboxPageRedirectPrivate: {
    responses: never;
  };
  createSampleAgents: {
    responses: {
      /** @description Success: `CreateSampleAgentsResponse`. */
      201: {
        content: {
          "application/json": components["schemas"]["CreateSampleAgentsResponse"];
        };
      };
    };
  };
  getAgentCapabilities: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getBenchmarkSuites: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getMarketObjects: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getAutonomyPolicyDescription: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getVaultDescription: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getMarketLoop: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getFulfillmentTypes: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getAgentRegistration: {
    responses: {
      /** @description Success: `GetAgentCapabilitiesResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetAgentCapabilitiesResponse"];
        };
      };
    };
  };
  getLlmsText: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  getHealth: {
    responses: {
      /** @description Success: `GetHealthResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetHealthResponse"];
        };
      };
    };
  };
  getReadiness: {
    responses: {
      /** @description Success: `GetReadinessResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["GetReadinessResponse"];
        };
      };
    };
  };
  getMetrics: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "text/plain": string;
        };
      };
    };
  };
  getOpenapiJson: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/json": unknown;
        };
      };
    };
  };
  getOpenapiYaml: {
    responses: {
      /** @description Success. */
      200: {
        content: {
          "application/yaml": string;
        };
      };
    };
  };
  exchangeSession: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "provider": "github",
        *       "subject": "583231",
        *       "email": "ada@example.com",
        *       "emailVerified": true,
        *       "name": "Ada"
        *     }
        */
        "application/json": components["schemas"]["ExchangeSessionRequest"];
      };
    };
    responses: {
      /** @description Success: `SignInResult`. */
      201: {
        content: {
          "application/json": components["schemas"]["SignInResult"];
        };
      };
    };
  };
  uploadArtifact: {
    parameters: {
      query?: {
        /** @description Name of the file */
        name?: string;
        /** @description Expected sha256 of the content, in hex */
        sha256?: string;
      };
    };
    requestBody: {
      content: {
        /** @example  */
        "application/octet-stream": string;
      };
    };
    responses: {
      /** @description Success: `VaultArtifact`. */
      201: {
        content: {
          "application/json": components["schemas"]["VaultArtifact"];
        };
      };
    };
  };
  createChatCompletion: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "model": "auto",
        *       "messages": [
        *         {
        *           "role": "user",
        *           "content": "Translate \"good morning\" into French"
        *         }
        *       ],
        *       "max_tokens": 64
        *     }
        */
        "application/json": components["schemas"]["CreateChatCompletionRequest"];
      };
    };
    responses: {
      /** @description Success: `ChatCompletion`. */
      201: {
        content: {
          "application/json": components["schemas"]["ChatCompletion"];
          "text/event-stream": string;
        };
      };
    };
  };
  createMessage: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "model": "auto",
        *       "max_tokens": 64,
        *       "messages": [
        *         {
        *           "role": "user",
        *           "content": "Why is the sky blue?"
        *         }
        *       ]
        *     }
        */
        "application/json": components["schemas"]["CreateMessageRequest"];
      };
    };
    responses: {
      /** @description Success: `Message`. */
      200: {
        content: {
          "application/json": components["schemas"]["Message"];
          "text/event-stream": string;
        };
      };
    };
  };
  countMessageTokens: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "model": "auto",
        *       "messages": [
        *         {
        *           "role": "user",
        *           "content": "Why is the sky blue?"
        *         }
        *       ]
        *     }
        */
        "application/json": components["schemas"]["CountMessageTokensRequest"];
      };
    };
    responses: {
      /** @description Success: `CountMessageTokensResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["CountMessageTokensResponse"];
        };
      };
    };
  };
  createResponse: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "model": "auto",
        *       "input": "Why is the sky blue?",
        *       "max_output_tokens": 64
        *     }
        */
        "application/json": components["schemas"]["CreateResponseRequest"];
      };
    };
    responses: {
      /** @description Success: `ModelResponse`. */
      200: {
        content: {
          "application/json": components["schemas"]["ModelResponse"];
          "text/event-stream": string;
        };
      };
    };
  };
  createEmbeddings: {
    requestBody: {
      content: {
        /**
        * @example {
        *       "model": "text-embedding-3-small",
        *       "input": [
        *         "Why is the sky blue?"
        *       ]
        *     }
        */
        "application/json": components["schemas"]["CreateEmbeddingsRequest"];
      };
    };
    responses: {
      /** @description Success: `EmbeddingList`. */
      200: {
        content: {
          "application/json": components["schemas"]["EmbeddingList"];
        };
      };
    };
  };
  previewRoute: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "prompt": "Prove that the square root of 2 is irrational",
        *       "max_tokens": 1000,
        *       "constraints": {
        *         "maxPriceUsd": 0.05
        *       }
        *     }
        */
        "application/json": components["schemas"]["PreviewRouteRequest"];
      };
    };
    responses: {
      /** @description Success: `RouteDecision`. */
      201: {
        content: {
          "application/json": components["schemas"]["RouteDecision"];
        };
      };
    };
  };
  previewRouteByAlias: {
    requestBody?: {
      content: {
        /**
        * @example {
        *       "prompt": "Prove that the square root of 2 is irrational",
        *       "max_tokens": 1000,
        *       "constraints": {
        *         "maxPriceUsd": 0.05
        *       }
        *     }
        */
        "application/json": components["schemas"]["PreviewRouteRequest"];
      };
    };
    responses: {
      /** @description Success: `RouteDecision`. */
      201: {
        content: {
          "application/json": components["schemas"]["RouteDecision"];
        };
      };
    };
  };
}
