/** Registers the service worker, which shows a page of its own without a connection. */

/** It keeps that page in the language of this one. */
export function registerServiceWorker() {
  // There is none in a private window of some browsers, nor without https.
  if (!("serviceWorker" in navigator)) return;
  const url = `/service-worker.js?language=${document.documentElement.lang}`;
  const register = () => navigator.serviceWorker.register(url, { scope: "/" }).catch(() => {});
  // After everything that the page itself needs.
  if (document.readyState === "complete") register();
  else window.addEventListener("load", register, { once: true });
}
