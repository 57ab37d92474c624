import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "../testing/http/guarded-service.test-support.ts";

type Headers = Readonly<Record<string, string>>;

/** The tests ask from this machine. */
const proxyMode = { mode: "proxy", trusted_proxies: ["127.0.0.1"] } as const;
const secret = "a secret of the site and its proxy";

const basic = (text: string) => ({ authorization: `Basic ${Buffer.from(text).toString("base64")}` });

async function ask(url: string, headers: Headers, body?: object) {
	const response = await fetch(`${url}/tokens`, { method: "POST", headers, ...(body && { body: JSON.stringify(body) }) });
	const { user, faultstring } = (await response.json()) as { user?: string; faultstring?: string };
	return { status: response.status, user, faultstring: faultstring ?? "" };
}

test("in proxy mode a trusted proxy names the user in any of its headers", () =>
	withGuardedService(
		async ({ urls, log }) => {
			for (const name of ["remote-user", "REMOTE_USER", "x-remote-user", "x-forwarded-user"]) {
				const { status, user } = await ask(urls.auth, { [name]: "maria", "x-forwarded-for": "198.51.100.1, 192.0.2.7" });
				assert.deepEqual([status, user], [201, "maria"], name);
			}
			assert.ok(log.some((line) => line.includes("token granted") && line.includes('"remote_address":"192.0.2.7"')));
			assert.equal((await ask(urls.auth, { "x-forwarded-user": "maria" }, { ttl: 0 })).status, 400);
			assert.equal((await ask(urls.auth, { "x-forwarded-user": "maria" }, { user: "root" })).status, 400);
		},
		{ auth: proxyMode },
	));

test("in proxy mode the name of basic credentials is taken where an option says so, when no header names anybody", () =>
	withGuardedService(
		async ({ urls, log }) => {
			assert.deepEqual(await ask(urls.auth, basic("ben:not his password")), { status: 201, user: "ben", faultstring: "" });
			assert.equal((await ask(urls.auth, { ...basic("ben:x"), "x-forwarded-user": "maria" })).user, "maria");
			assert.equal((await ask(urls.auth, {})).status, 401);
			assert.equal((await ask(urls.auth, { "x-forwarded-user": "" })).status, 401);
			assert.equal(log.filter((line) => line.includes("token refused: no usable credentials")).length, 2);
		},
		{ auth: { ...proxyMode, proxy_basic: true } },
	));

test("in proxy mode basic credentials name nobody", () =>
	withGuardedService(
		async ({ urls }) => {
			for (const text of ["root:root", "root:x", "root:"]) assert.equal((await ask(urls.auth, basic(text))).status, 401, text);
			assert.equal((await ask(urls.auth, { ...basic("root:root"), "x-forwarded-user": "maria" })).user, "maria");
		},
		{ auth: proxyMode },
	));

test("in proxy mode the API's listener makes nobody a user, whatever a header says", () =>
	withGuardedService(
		async ({ urls }) => {
			for (const path of ["", "/v1", "/auth", "/auth/v1"]) {
				const { status, faultstring } = await ask(urls.api + path, { "x-forwarded-user": "root" });
				assert.equal(status, 401, path);
				assert.match(faultstring, /Unauthorized.*authentication component/);
			}
			const { status } = await ask(urls.api, basic("root:root"));
			assert.equal(status, 401);
			assert.equal((await ask(urls.auth, { "x-forwarded-user": "root" })).status, 201);
		},
		{ auth: { ...proxyMode, proxy_basic: true } },
	));

test("where the API's listener is the only one, it takes the proxy's word", () =>
	withGuardedService(async ({ urls }) => assert.equal((await ask(urls.api, { "x-forwarded-user": "maria" })).user, "maria"), {
		auth: { ...proxyMode, listen: false },
	}));

test("with a secret between proxy and service nobody else on the proxy's machine is taken for it", () =>
	withGuardedService(
		async ({ urls, log }) => {
			for (const given of [undefined, "", secret.slice(1), `${secret}x`, secret.toUpperCase()]) {
				const headers = { "x-forwarded-user": "root", ...(given !== undefined && { "svc-proxy-secret": given }) };
				const { status, faultstring } = await ask(urls.auth, headers);
				assert.equal(status, 401, given);
				assert.match(faultstring, /trusted proxy/);
			}
			const proxied = { "x-forwarded-user": "maria", "svc-proxy-secret": secret, "x-forwarded-for": "192.0.2.7" };
			assert.equal((await ask(urls.auth, proxied)).user, "maria");
			assert.ok(log.some((line) => line.includes("token granted") && line.includes('"remote_address":"192.0.2.7"')));
			assert.ok(!log.join("").includes(secret));
		},
		{ auth: { ...proxyMode, proxy_secret: secret } },
	));

test("with a secret nobody else's word is taken for the address of a client either", () =>
	withGuardedService(
		async ({ urls }) => {
			const guess = async (address: string) => (await ask(urls.auth, { ...basic("ann:wrong"), "x-forwarded-for": address })).status;
			assert.deepEqual([await guess("192.0.2.1"), await guess("192.0.2.2"), await guess("192.0.2.3")], [401, 401, 429]);
		},
		{ auth: { failure_limit: 2, trusted_proxies: ["127.0.0.1"], proxy_secret: secret }, isTimeFrozen: true },
	));

test("a client that names another user beside the proxy is refused", () =>
	withGuardedService(
		async ({ urls }) => {
			for (const headers of [
				{ "x-forwarded-user": "maria", "remote-user": "root" },
				{ "x-forwarded-user": "maria", remote_user: "root" },
				{ "x-forwarded-user": "maria, root" },
			]) {
				const { status, faultstring } = await ask(urls.auth, headers);
				assert.equal(status, 401);
				assert.match(faultstring, /Unauthorized.*more than one user/);
			}
			assert.equal((await ask(urls.auth, { "x-forwarded-user": "maria", "remote-user": "maria" })).user, "maria");
		},
		{ auth: proxyMode },
	));

test("in proxy mode nobody else than a trusted proxy gets a token, whatever it sends", () =>
	withGuardedService(
		async ({ urls, log }) => {
			const before = log.length;
			for (const headers of [
				{ "x-forwarded-user": "root" },
				{ "remote-user": "root", "x-forwarded-for": "192.0.2.1" },
				{ "remote-user": "root", remote_addr: "192.0.2.1" },
				basic("root:root"),
			]) {
				const { status, faultstring } = await ask(urls.auth, headers);
				assert.equal(status, 401);
				assert.match(faultstring, /Unauthorized.*trusted proxy/);
			}
			const refusals = log.slice(before).filter((line) => line.includes("token refused: not a trusted proxy"));
			assert.equal(refusals.length, 4);
		},
		{ auth: { mode: "proxy", trusted_proxies: ["192.0.2.0/24"], proxy_basic: true } },
	));

test("in standalone mode the headers of a proxy name nobody", () =>
	withGuardedService(async ({ urls }) => {
		for (const name of ["remote-user", "REMOTE_USER", "x-remote-user", "x-forwarded-user"]) {
			assert.equal((await ask(urls.auth, { [name]: "root" })).status, 401, name);
			assert.equal((await ask(urls.auth, { [name]: "root", ...basic("ann:ann") })).user, "ann", name);
		}
	}));

test("who claims another address from somewhere else waits like everybody", () =>
	withGuardedService(
		async ({ urls }) => {
			const guess = async (address: string) => (await ask(urls.auth, { ...basic("ann:wrong"), "x-forwarded-for": address })).status;
			assert.deepEqual([await guess("192.0.2.1"), await guess("192.0.2.2"), await guess("192.0.2.3")], [401, 401, 429]);
		},
		{ auth: { failure_limit: 2 }, isTimeFrozen: true },
	));

test("behind a trusted proxy each client address waits for itself, and is told how long", () =>
	withGuardedService(
		async ({ urls }) => {
			const guess = async (address: string) => (await ask(urls.auth, { ...basic("ann:wrong"), "x-forwarded-for": address })).status;
			assert.deepEqual([await guess("192.0.2.1"), await guess("192.0.2.1"), await guess("192.0.2.1")], [401, 401, 429]);
			assert.equal(await guess("192.0.2.2"), 401);
			assert.equal(await guess("192.0.2.2, 192.0.2.1"), 429);
			const headers = { ...basic("ann:ann"), "x-forwarded-for": "192.0.2.1" };
			const response = await fetch(`${urls.auth}/tokens`, { method: "POST", headers });
			assert.equal(response.status, 429);
			assert.match(response.headers.get("retry-after") ?? "", /^[12]$/);
			assert.match(((await response.json()) as { faultstring: string }).faultstring, /too many failed sign-ins/);
		},
		{ auth: { failure_limit: 2, trusted_proxies: ["127.0.0.1"] }, isTimeFrozen: true },
	));

test.run();
