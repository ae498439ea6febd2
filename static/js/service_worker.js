/**
 * The service worker: shows a page of its own where a page cannot be fetched for want of a connection,
 * and calls the player.
 *
 * It keeps that page with its style, script and icon, and nothing else: every page comes from the
 * network or not at all, so no table is an old one. The site writes `globalThis.offline` above this
 * script. A change of anything that it keeps changes the script, and so replaces the worker.
 */

/**
 * @typedef {object} Offline
 * @property {string} version
 * @property {string} page
 * @property {Record<string, string>} files the addresses in that page, and those of all pages
 * @property {string} icon of a call
 * @typedef {{title: string, body: string, url: string}} Call
 * @typedef {Event & {waitUntil: (work: Promise<unknown>) => void}} WorkEvent
 * @typedef {WorkEvent & {request: Request, preloadResponse?: Promise<Response|undefined>,
 *   respondWith: (answer: Promise<Response>) => void}} FetchEvent
 * @typedef {WorkEvent & {data?: {json: () => Call}}} PushEvent
 * @typedef {WorkEvent & {notification: Notification}} NotificationEvent
 * @typedef {{url: string, focus: () => Promise<unknown>}} Page
 * @typedef {object} Scope the parts of ServiceWorkerGlobalScope that are used here
 * @property {Offline} offline
 * @property {ServiceWorkerRegistration} registration
 * @property {{claim: () => Promise<void>, matchAll: (options: object) => Promise<Page[]>,
 *   openWindow: (url: string) => Promise<unknown>}} clients
 * @property {() => Promise<void>} skipWaiting
 */

const scope = /** @type {Scope} */ (/** @type {unknown} */ (globalThis));
const { offline } = scope;
const STORE = `offline-${offline.version}`;

async function keep() {
  const store = await caches.open(STORE);
  // Without cookies: the page is the same for everybody.
  await store.add(new Request(offline.page, { credentials: "omit", cache: "no-store" }));
  for (const [own, shared] of Object.entries(offline.files)) {
    // The browser has just fetched most of them for a page.
    const answer = await fetch(shared);
    if (!answer.ok) throw new Error(`${shared}: ${answer.status}`);
    await store.put(own, answer);
  }
  await scope.skipWaiting();
}

async function takeOver() {
  for (const name of await caches.keys()) if (name !== STORE) await caches.delete(name);
  // The browser asks for a page while it starts the worker, not after that.
  await scope.registration.navigationPreload?.enable();
  await scope.clients.claim();
}

/** @param {string} address */
async function find(address) {
  const store = await caches.open(STORE);
  return store.match(address, { ignoreVary: true });
}

/** @param {FetchEvent} event */
async function fetchPage(event) {
  try {
    return (await event.preloadResponse) ?? (await fetch(event.request));
  } catch {
    return (await find(offline.page)) ?? Response.error();
  }
}

/** A file of the offline page. @param {Request} request @param {string} address */
async function fetchFile(request, address) {
  return (await find(address)) ?? fetch(request);
}

/** @param {PushEvent} event */
async function showCall(event) {
  const call = event.data?.json();
  if (!call) return;
  const { title, body, url } = call;
  // With a tag of its table, so that a later call replaces an earlier one, and is heard like it.
  /** @type {NotificationOptions & {renotify: boolean}} */
  const options = { body, icon: offline.icon, tag: url, renotify: true, data: url };
  await scope.registration.showNotification(title, options);
}

/** Shows the page of the table, or opens one. @param {Notification} notification */
async function follow({ data: url }) {
  const pages = await scope.clients.matchAll({ type: "window", includeUncontrolled: true });
  const page = pages.find((one) => new URL(one.url).pathname === url);
  await (page ? page.focus() : scope.clients.openWindow(url));
}

addEventListener("install", (event) => /** @type {WorkEvent} */ (event).waitUntil(keep()));
addEventListener("activate", (event) => /** @type {WorkEvent} */ (event).waitUntil(takeOver()));
addEventListener("fetch", (event) => {
  const fetched = /** @type {FetchEvent} */ (event);
  const { request } = fetched;
  const { pathname, search } = new URL(request.url);
  // A form goes its own way: nobody knows whether the site has received it.
  if (request.mode === "navigate") {
    if (request.method === "GET") fetched.respondWith(fetchPage(fetched));
  } else if (Object.hasOwn(offline.files, pathname + search))
    fetched.respondWith(fetchFile(request, pathname + search));
});
addEventListener("push", (event) => {
  const pushed = /** @type {PushEvent} */ (event);
  pushed.waitUntil(showCall(pushed));
});
addEventListener("notificationclick", (event) => {
  const clicked = /** @type {NotificationEvent} */ (event);
  clicked.notification.close();
  clicked.waitUntil(follow(clicked.notification));
});
