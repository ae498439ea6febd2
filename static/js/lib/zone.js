/** Stores the browser's time zone in a cookie, so that the server writes local times. */
export function storeZone() {
  const { timeZone } = Intl.DateTimeFormat().resolvedOptions();
  const cookie = `zone=${timeZone}`;
  if (!timeZone || document.cookie.split("; ").includes(cookie)) return;
  const isSecure = location.protocol === "https:" ? "; secure" : "";
  // biome-ignore lint/suspicious/noDocumentCookie: some browsers have no Cookie Store API.
  document.cookie = `${cookie}; path=/; max-age=31536000; samesite=lax${isSecure}`;
}
