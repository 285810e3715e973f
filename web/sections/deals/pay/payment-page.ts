/** The hosted pages that this browser has left for, by deal: the API names each of them once. */
const nameOf = (dealId: string): string => `svc.paymentPage.${dealId}`

/** Goes to the hosted page on which a deal is paid. */
export function goToPaymentPage(dealId: string, url: string): void {
  localStorage.setItem(nameOf(dealId), url)
  location.assign(url)
}

/** The page on which a deal can still be paid; null where another browser has left for it. */
export const paymentPageOf = (dealId: string): string | null => localStorage.getItem(nameOf(dealId))

/** For a deal that is paid, or whose payment has ended. */
export const clearPaymentPage = (dealId: string): void => localStorage.removeItem(nameOf(dealId))
