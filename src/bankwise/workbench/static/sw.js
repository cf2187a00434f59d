/** A public build after its first load: what it is made of comes from the browser's own store. */
const STORE = "bankwise-@@version@@";
const FILES = ["./", "./index.html"];

addEventListener("install", (event) => {
  event.waitUntil(caches.open(STORE).then((store) => store.addAll(FILES)));
  self.skipWaiting();
});

addEventListener("activate", (event) => {
  const forget = (names) =>
    Promise.all(
      names.filter((n) => n.startsWith("bankwise-") && n !== STORE).map((n) => caches.delete(n)),
    );
  event.waitUntil(caches.keys().then(forget).then(() => self.clients.claim()));
});

addEventListener("fetch", (event) => {
  const stored = caches.open(STORE).then((store) => store.match(event.request, { ignoreSearch: true }));
  event.respondWith(stored.then((found) => found ?? fetch(event.request)));
});
