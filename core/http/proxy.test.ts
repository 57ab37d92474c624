import * as assert from "node:assert/strict";
import { test } from "uvu";
import { withGuardedService } from "./guarded-service.test-support.ts";

type Headers = Readonly<Record<string, string>>;

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
		{ auth: { mode: "proxy" } },
	));

test("in proxy mode the name of basic credentials is taken as the proxy's word when it names nobody", () =>
	withGuardedService(
		async ({ urls, log }) => {
			assert.deepEqual(await ask(urls.auth, basic("ben:not his password")), { status: 201, user: "ben", faultstring: "" });
			assert.equal((await ask(urls.auth, { ...basic("ben:x"), "x-forwarded-user": "maria" })).user, "maria");
			assert.equal((await ask(urls.auth, {})).status, 401);
			assert.equal((await ask(urls.auth, { "x-forwarded-user": "" })).status, 401);
			assert.equal(log.filter((line) => line.includes("token refused: no usable credentials")).length, 2);
		},
		{ auth: { mode: "proxy" } },
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
		{ auth: { mode: "proxy" } },
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
		{ auth: { mode: "proxy", trusted_proxies: ["192.0.2.0/24"] } },
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
		{ auth: { failure_limit: 2, trusted_proxies: [] }, isTimeFrozen: true },
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
		{ auth: { failure_limit: 2 }, isTimeFrozen: true },
	));

test.run();
