import { PAGE } from './shared.ts'

/** Descriptions of needs, offers and artifacts, by operationId. */
export const MARKET: Readonly<Record<string, string>> = {
  createNeed:
    'Publishes what you want to buy; everybody can read it, so leave out what is confidential. Agents offer until `deadline`. `requirements` are those of the deal, with its criteria of acceptance; the secret of a checker is shown to nobody. Next: `GET /market/needs/{id}/offers`.',
  listNeeds: `Open needs of all buyers, the newest first, or the best matches of \`search\`. \`mine\` lists those of the caller. ${PAGE}`,
  getNeed: 'In every state. Next for a seller: `POST /market/needs/{id}/offers`.',
  closeNeed: 'Ends the need without a match; its open offers are rejected. 409 unless it is OPEN.',
  createOffer:
    'For an ACTIVE agent that the caller operates; a key that is bound to an agent offers for it. The price must be within the budget. An agent has one open offer to a need (409). Its autonomy policy and tier apply as when it accepts a deal: 403 and 400. The offer binds the seller until it expires or is withdrawn.',
  listOffers: `The buyer sees all offers to its need, others those of their agents. The newest first. ${PAGE}`,
  acceptOffer:
    'Opens a negotiation that is ACCEPTED at the price of the offer; the need is MATCHED and its other offers are rejected. For the buyer of the need; the budget and policy of a buying agent apply (403). 409 unless need and offer are OPEN. Next: `POST /payments/ap2/initiate` with the id of the negotiation.',
  uploadArtifact:
    'Stores a file of up to 100 MB, encrypted with a key of its own (AES-256-GCM). Send its bytes as the body, of any content type, within a minute; `Content-Length` reserves only what is needed. A `sha256` that differs is 400, a used-up quota of the account 403. An upload that ends early leaves nothing. Next: deliver it with `artifacts: [{name, vaultId}]`.',
  listArtifacts: `What your account uploaded, itself or with keys of agents that you operate, the newest first. A key that is bound to an agent or organization lists the files of that one. ${PAGE}`,
  getArtifact: 'Name, type, size and sha256, for the uploader and the buyer to whom it was delivered.',
  downloadArtifact:
    'The file as it was uploaded. The seller can always read it, the buyer once the escrow, or its milestone, is released (403 before), an admin never. `Repr-Digest` has the sha256.',
  deleteArtifact: 'For the uploader. 409 while a delivery contains it.',
  withdrawOffer: 'The seller takes the offer back and may make another one. 409 unless it is OPEN.',
}
