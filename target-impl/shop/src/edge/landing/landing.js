"use strict";
// The landing page's behaviour: countdown, puzzle, waiting room, hold and checkout.

const event = document.body.dataset.event;
const provider = document.body.dataset.provider;
const at = (path) => `/v1/events/${encodeURIComponent(event)}${path}`;
const find = (id) => document.getElementById(id);
const show = (id, visible) => { find(id).hidden = !visible; };
const sleep = (ms) => new Promise((done) => setTimeout(done, ms));

// The server's clock minus ours.
let skew = 0;
let opens = Number(document.body.dataset.opens);
let token = null;
let hold = null;

function remembered(name, prefix) {
  let value = localStorage.getItem(name);
  if (!value) {
    value = `${prefix}-${crypto.randomUUID()}`;
    localStorage.setItem(name, value);
  }
  return value;
}
const account = remembered("onsale-account", "guest");
const device = remembered("onsale-device", "browser");

async function call(method, path, body, headers = {}) {
  const options = { method, headers: { accept: "application/json", "x-device": device, ...headers }, credentials: "same-origin" };
  if (body !== undefined) {
    options.body = JSON.stringify(body);
    options.headers["content-type"] = "application/json";
  }
  const response = await fetch(path, options);
  const text = await response.text();
  const data = text ? JSON.parse(text) : null;
  if (!response.ok) {
    throw Object.assign(new Error(data?.detail || data?.title || response.statusText), { problem: data });
  }
  return data;
}

function complain(error) {
  find("problem").textContent = error ? error.message : "";
  show("problem", Boolean(error));
}

const clock = (ms) => {
  const seconds = Math.max(0, Math.ceil(ms / 1000));
  const part = (value) => String(value).padStart(2, "0");
  return `${part(Math.floor(seconds / 3600))}:${part(Math.floor(seconds / 60) % 60)}:${part(seconds % 60)}`;
};

function tick() {
  const now = Date.now() + skew;
  find("countdown").textContent = now < opens ? `Doors open in ${clock(opens - now)}` : "The sale is open";
  if (hold) {
    const left = hold.expires_at_ms - now;
    find("hold-timer").textContent = clock(left);
    if (left <= 0) {
      hold = null;
      show("hold", false);
      complain(new Error("Your reservation has ended."));
    }
  }
}

async function refresh() {
  const view = await call("GET", at(""));
  skew = view.server_time_ms - Date.now();
  opens = view.sale_opens_at_ms;
  find("state").textContent = view.state;
  find("state").dataset.state = view.state;
}

const bytes = (hex) => Uint8Array.from(hex.match(/../g) || [], (pair) => parseInt(pair, 16));
const hex = (buffer) => Array.from(new Uint8Array(buffer), (byte) => byte.toString(16).padStart(2, "0")).join("");
const sha256 = (data) => crypto.subtle.digest("SHA-256", data);

async function solveFirst(puzzle) {
  const text = new TextEncoder();
  for (let number = 0; number <= puzzle.maxnumber; number += 1) {
    if (hex(await sha256(text.encode(puzzle.salt + number))) === puzzle.challenge) {
      const { algorithm, challenge, salt, signature } = puzzle;
      return { algorithm, challenge, number, salt, signature };
    }
  }
  throw new Error("The puzzle has no solution.");
}

async function solveSecond(puzzle) {
  const { salt, nonce, cost, keyPrefix, keyLength } = puzzle.parameters;
  const head = [...bytes(salt), ...bytes(nonce)];
  for (let counter = 0; counter <= 0xffffffff; counter += 1) {
    const input = new Uint8Array(head.length + 4);
    input.set(head);
    new DataView(input.buffer).setUint32(head.length, counter);
    let key = await sha256(input);
    for (let round = 1; round < cost; round += 1) {
      key = await sha256(key);
    }
    const derivedKey = hex(key.slice(0, keyLength));
    if (derivedKey.startsWith(keyPrefix)) {
      return { challenge: puzzle, solution: { counter, derivedKey } };
    }
  }
  throw new Error("The puzzle has no solution.");
}

async function solve() {
  const puzzle = await call("GET", at("/challenge"));
  if (!puzzle) {
    return undefined;
  }
  const solved = await (puzzle.parameters ? solveSecond(puzzle) : solveFirst(puzzle));
  return btoa(JSON.stringify(solved));
}

function place(view) {
  show("queue", view.inWaitingRoom);
  find("position").textContent = view.position || "drawn at the opening";
  find("ahead").textContent = view.ahead;
  find("wait").textContent = view.waitTimeKnown ? `About ${Math.max(1, view.waitTime)} min` : "";
  show("standby", view.standby);
  if (!view.inWaitingRoom) {
    token = view.token || null;
    show("shop", true);
  }
}

async function wait() {
  for (;;) {
    const view = await call("GET", at("/queue"));
    place(view);
    if (!view.inWaitingRoom) {
      return;
    }
    await sleep(view.refreshIntervalSeconds * 1000);
  }
}

async function join() {
  complain(null);
  find("join").disabled = true;
  show("solving", true);
  try {
    const puzzle = await solve();
    await call("POST", at("/queue"), puzzle ? { account, puzzle } : { account });
    show("solving", false);
    show("door", false);
    await wait();
  } catch (error) {
    complain(error);
    show("queue", false);
    show("door", true);
  } finally {
    show("solving", false);
    find("join").disabled = false;
  }
}

async function reserve(submitted) {
  submitted.preventDefault();
  complain(null);
  const items = [{ sku: find("sku").value, qty: Number(find("quantity").value) }];
  const headers = { "idempotency-key": crypto.randomUUID() };
  if (token) {
    headers.authorization = `Bearer ${token}`;
  }
  try {
    hold = await call("POST", at("/holds"), { items }, headers);
    show("hold", true);
    tick();
  } catch (error) {
    complain(error);
    if (["token-expired", "token-missing"].includes(error.problem?.code)) {
      show("shop", false);
      show("door", true);
    }
  }
}

async function pay(order) {
  const { intent, client_secret: secret } = order.payment;
  const body = new URLSearchParams({ client_secret: secret, payment_method: find("instrument").value });
  await fetch(`${provider}/v1/payment_intents/${intent}/confirm`, { method: "POST", body });
}

async function follow(id) {
  for (;;) {
    const order = await call("GET", `/v1/orders/${encodeURIComponent(id)}`);
    find("order").textContent = `Order ${order.order_id}: ${order.status.replaceAll("_", " ")}`;
    show("order", true);
    if (order.status !== "pending_payment" && order.status !== "refunding") {
      return;
    }
    await sleep(1000);
  }
}

async function checkout(submitted) {
  submitted.preventDefault();
  complain(null);
  try {
    const order = await call("POST", "/v1/orders", { hold_id: hold.hold_id, instrument: find("instrument").value });
    hold = null;
    show("hold", false);
    if (order.payment && provider) {
      await pay(order).catch(() => complain(new Error("The payment provider cannot be reached; try again later.")));
    }
    await follow(order.order_id);
  } catch (error) {
    complain(error);
  }
}

async function giveBack() {
  try {
    await call("DELETE", `/v1/holds/${encodeURIComponent(hold.hold_id)}`);
  } catch (error) {
    complain(error);
  }
  hold = null;
  show("hold", false);
}

find("join").addEventListener("click", join);
find("shop").addEventListener("submit", reserve);
find("checkout").addEventListener("submit", checkout);
find("release").addEventListener("click", giveBack);
setInterval(tick, 250);
setInterval(() => refresh().catch(() => {}), 5000);
tick();
refresh().catch(complain);
// Who is in the queue already, stays there.
wait().then(() => show("door", false)).catch(() => {});
