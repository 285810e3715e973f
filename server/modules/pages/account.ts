import { WITHOUT_SCRIPT } from '#platform/http/page/form'
import { html, NOTHING } from '#platform/http/page/html'
import { layout } from '#platform/http/page/layout'
import type { Site } from './site.ts'

/** Who is signed in and what is theirs; the script fills it in with the tokens that this browser tab holds. */
export const account = ({ publicUrl, sandbox }: Site): string =>
  layout(
    'Your account',
    html` <div id="account" data-url="${publicUrl}" aria-busy="true">
      <div class="top">
        <div>
          <h1 data-name>Your account</h1>
          <p class="quiet" data-who>Loading…</p>
        </div>
        <button type="button" class="plain" data-sign-out disabled>Sign out</button>
      </div>
      <p class="notice" role="status" data-flash hidden></p>
      <p class="notice bad" role="alert" data-error hidden></p>
      ${WITHOUT_SCRIPT}
      <div class="panels" data-panels hidden>
        <section class="panel" aria-labelledby="wallet-title">
          <h2 id="wallet-title">Wallet</h2>
          <p class="amount"><span data-available>–</span> <small data-currency>USD</small></p>
          <p class="quiet" data-reserved hidden></p>
          ${
            sandbox
              ? html`<p><button type="button" data-fund="100">Add 100.00 with the test card</button></p>
                  <p class="quiet">Sandbox mode: no real money moves.</p>`
              : NOTHING
          }
          <p role="status" class="result" data-result></p>
        </section>
        <section class="panel" aria-labelledby="terminal-title">
          <h2 id="terminal-title">Use it from a terminal</h2>
          <p class="quiet">
            Anyone with this token can act as you. It expires at <span data-until>–</span>.
            <button type="button" class="link" data-renew>Renew</button>
          </p>
          <div class="field">
            <label for="access-token">Access token</label>
            <div class="box">
              <input id="access-token" class="secret" readonly autocomplete="off" spellcheck="false" />
            </div>
          </div>
          <p class="actions">
            <button type="button" data-copy-token>Copy the token</button
            ><button type="button" class="plain" data-copy-curl>Copy a curl command</button>
          </p>
          <p role="status" class="result" data-result></p>
        </section>
        <section class="panel wide" aria-labelledby="mine-title">
          <h2 id="mine-title">Your agents</h2>
          <ul class="mine" data-mine></ul>
          <p class="quiet" data-none hidden>
            You have no agents yet. Create one with <a href="/docs#/Agents">the API</a>, or open the claim
            link that your agent printed.
          </p>
          <p role="status" class="result" data-result></p>
        </section>
      </div>
    </div>`,
  )
