// test-suite: full
import * as assert from "node:assert/strict";
import { test } from "uvu";
import { memoryStorage } from "../../../plugins/storage-memory/index.ts";
import { defineAuthBackend, isSvcError } from "../../contract/index.ts";
import { sayLogout, toCookie, toToken, withProviderService } from "../../testing/auth/provider-service.test-support.ts";
import { withGuardedService } from "../../testing/http/guarded-service.test-support.ts";
import { silentLogger } from "../../testing/run-context.ts";
import { ProviderSignOn } from "./single-sign-on.ts";

const html = { accept: "text/html,application/xhtml+xml" };

test("whoever comes back from the provider is led to the place asked for, with a token that no address and no log holds", () =>
	withProviderService(async ({ openBrowser, urls, ask, log }) => {
		const browser = openBrowser();
		const query = await fetchQuery(await browser.begin("/history?status=failed"));
		const response = await browser.comeBack(query);
		assert.equal(response.status, 303);
		assert.equal(response.headers.get("location"), `${urls.api}/#/history?status=failed`);
		assert.equal(response.headers.get("cache-control"), "no-store");
		const token = toCookie(response, "auth-token").slice("auth-token=".length);
		assert.match(token, /^[0-9a-f]{32}$/);
		assert.match(response.headers.get("set-cookie") ?? "", /; HttpOnly; .*; Secure; SameSite=Lax$/);
		const { body } = await ask(token, "GET", "/v1/user");
		assert.equal(body["username"], "ann@example.com");
		// By the group that the provider names.
		assert.deepEqual((body["rbac"] as { roles: unknown }).roles, ["admin"]);
		const code = new URLSearchParams(query).get("code") ?? "";
		for (const secret of [token, code, "client secret 4711"]) assert.ok(!log.join("").includes(secret));
		assert.ok(log.join("").includes('"user":"ann@example.com"'));
	}));

test("what a browser keeps meanwhile no script reads, and no foreign page has made", () =>
	withProviderService(async ({ urls }) => {
		const begin = (headers: Record<string, string>) =>
			fetch(`${urls.api}/auth/v1/sso/request`, { method: "POST", headers: { "content-type": "application/json", ...headers }, body: "{}" });
		const own = await begin({ origin: urls.api });
		assert.match(own.headers.get("set-cookie") ?? "", /^svc-sign-in=[\w-]+; HttpOnly; Max-Age=600; Path=\/; Secure; SameSite=Lax$/);
		for (const headers of [{ origin: "https://evil.example" }, { origin: "null" }, { "sec-fetch-site": "cross-site" }]) {
			const foreign = await begin(headers);
			assert.equal(foreign.status, 403);
			assert.equal(foreign.headers.get("set-cookie"), null);
		}
	}));

test("a browser that did not begin, or comes a second time, is refused: also where the provider would say yes again", () =>
	withProviderService(async ({ openBrowser, provider }) => {
		provider.reusesCodes = true;
		const [ann, mallory] = [openBrowser(), openBrowser()];
		const query = await provider.signIn(await ann.begin());
		await mallory.begin();
		for (const response of [await mallory.comeBack(query), await openBrowser().comeBack(query)]) {
			assert.equal(response.status, 401);
			assert.equal(toCookie(response, "auth-token"), "");
		}
		const twice = `${query}&state=${new URLSearchParams(query).get("state")}`;
		assert.equal((await ann.comeBack(twice)).status, 401);
		assert.equal((await ann.comeBack(query)).status, 303);
		assert.equal((await ann.comeBack(query)).status, 401);
		const told = await ann.comeBack(query, html);
		assert.equal(told.status, 303);
		assert.match(told.headers.get("location") ?? "", /\/\?sign-in=refused$/);
		assert.equal(toCookie(told, "auth-token"), "");
	}));

test("no caller leads the browser to another site", () =>
	withProviderService(
		async ({ openBrowser }) => {
			for (const place of [
				"//evil.example",
				"https://evil.example/",
				"/\\evil.example",
				"@evil.example",
				"/a\r\nset-cookie: x=y",
				"javascript:alert(1)",
				"",
			]) {
				const location = (await openBrowser().signIn(place)).headers.get("location") ?? "";
				assert.ok(location.startsWith("https://svc.example.org/below/#/"), location);
			}
			const url = new URL(await openBrowser().begin());
			assert.equal(url.searchParams.get("redirect_uri"), "https://svc.example.org/below/auth/v1/sso/callback");
		},
		{ webui: { webui_base_url: "https://svc.example.org/below/" } },
	));

test("while the provider is away nobody new comes in, and tokens that are there go on", () =>
	withProviderService(async ({ openBrowser, provider, ask, urls }) => {
		const token = toCookie(await openBrowser().signIn(), "auth-token").slice("auth-token=".length);
		const late = openBrowser();
		const query = await provider.signIn(await late.begin());
		await provider.stop();
		const refused = await late.comeBack(query);
		assert.deepEqual([refused.status, toCookie(refused, "auth-token")], [503, ""]);
		assert.match((await late.comeBack(query, html)).headers.get("location") ?? "", /\/\?sign-in=unavailable$/);
		const device = await fetch(`${urls.api}/auth/v1/sso/device`, { method: "POST", body: "{}" });
		assert.equal(device.status, 503);
		assert.equal((await ask(token, "GET", "/v1/user")).status, 200);
		await provider.start();
		assert.equal((await late.comeBack(query)).status, 303);
	}));

test("a service starts while the provider is away, and says so to whoever signs in", () =>
	withProviderService(
		async ({ openBrowser }) => assert.rejects(openBrowser().begin(), /^Error: 503 the single sign-on provider is not available/),
		{ options: { issuer: "http://127.0.0.1:9/" } },
	));

test("a name belongs to whoever signed in by it first: of another backend, of another subject, and the system user's to nobody", () =>
	withProviderService(async ({ openBrowser, provider, signIn, log }) => {
		const signInAs = async (email: string, sub: string) => {
			provider.person = { ...provider.person, email, sub };
			return (await openBrowser().signIn()).status;
		};
		await signIn("olga");
		assert.equal(await signInAs("olga", "1"), 401);
		assert.equal(await signInAs("ann", "2"), 303);
		assert.equal(await signInAs("ann", "3"), 401);
		assert.equal(await signInAs("ann", "2"), 303);
		for (const name of ["svc", "SVC", "root"]) assert.equal(await signInAs(name, "4"), 401, name);
		assert.ok(log.some((line) => line.includes("the user name belongs to another identity")));
	}));

test("groups of somebody who is refused are not made roles of whoever has the name", () =>
	withProviderService(async ({ openBrowser, provider, signIn, ask }) => {
		const olga = await signIn("olga");
		provider.person = { ...provider.person, email: "olga" };
		assert.equal((await openBrowser().signIn()).status, 401);
		assert.deepEqual(((await ask(olga, "GET", "/v1/user")).body["rbac"] as { roles: unknown }).roles, []);
	}));

test("with link_existing_users a name that has no subject yet is taken over, and only such a one", () =>
	withProviderService(
		async ({ openBrowser, provider, signIn }) => {
			await signIn("olga");
			for (const [sub, status] of [
				["1", 303],
				["2", 401],
				["1", 303],
			] as const) {
				provider.person = { ...provider.person, email: "olga", sub };
				assert.equal((await openBrowser().signIn()).status, status);
			}
		},
		{ options: { link_existing_users: true } },
	));

test("roles by group are those of the last sign-in", () =>
	withProviderService(async ({ openBrowser, provider, ask }) => {
		const token = toCookie(await openBrowser().signIn(), "auth-token").slice("auth-token=".length);
		provider.person = { ...provider.person, groups: ["staff"] };
		await openBrowser().signIn();
		assert.deepEqual(((await ask(token, "GET", "/v1/user")).body["rbac"] as { roles: unknown }).roles, []);
	}));

test("clients learn what is offered, and where to sign out", () =>
	withProviderService(async ({ urls, provider }) => {
		const read = async (path: string) => (await fetch(`${urls.auth}${path}`)).json();
		assert.deepEqual(await read("/auth/v1/sso"), { enabled: true, label: "Example", devices: true });
		const { url } = (await read("/auth/v1/sso/sign-out")) as { url: string };
		const { origin, pathname, searchParams } = new URL(url);
		assert.deepEqual([origin, pathname], [provider.issuer, "/end"]);
		assert.equal(searchParams.get("post_logout_redirect_uri"), `${urls.api}/`);
		assert.equal(searchParams.get("client_id"), "service");
	}));

test("a session that ends at the provider ends what was given in it, streams too, and nothing else", () =>
	withProviderService(async ({ openBrowser, provider, ask, signIn, urls, log }) => {
		const usual = provider.person;
		const signInAs = async (person: object) => {
			provider.person = { ...usual, ...person };
			return toToken(await openBrowser().signIn());
		};
		const tokens = {
			ended: await signInAs({ sid: "one" }),
			other: await signInAs({ sid: "two" }),
			bob: await signInAs({ sub: "bob", email: "bob@example.com", sid: "three" }),
			olga: await signIn("olga"),
		};
		const { body: key } = await ask(tokens.ended, "POST", "/v1/apikeys", {});
		const stream = await fetch(`${urls.stream}/v1/stream`, { headers: { "x-auth-token": tokens.ended } });
		const statuses = async () => Promise.all(Object.values(tokens).map(async (token) => (await ask(token, "GET", "/v1/user")).status));
		assert.deepEqual(await statuses(), [200, 200, 200, 200]);
		provider.person = { ...usual, sid: "one" };
		const message = provider.toSignOut();
		const response = await sayLogout(urls.auth, message);
		assert.deepEqual([response.status, response.headers.get("cache-control"), await response.json()], [200, "no-store", {}]);
		assert.deepEqual(await statuses(), [401, 200, 200, 200]);
		assert.match(await stream.text(), /: the credential is no longer valid\n\n$/);
		// Keys are for machines, and nobody's session.
		assert.equal((await fetch(`${urls.api}/v1/user`, { headers: { "svc-api-key": String(key["key"]) } })).status, 200);
		// Who has no session is signed out everywhere.
		provider.person = { ...usual, sid: undefined };
		assert.equal((await sayLogout(urls.api, provider.toSignOut())).status, 200);
		assert.deepEqual(await statuses(), [401, 401, 200, 200]);
		assert.ok(log.some((line) => line.includes("signed out by the provider")));
		assert.ok(!log.join("").includes(message));
	}));

test("what was given without a session ends with any session of whoever has it", () =>
	withProviderService(async ({ openBrowser, provider, ask, urls }) => {
		const usual = provider.person;
		provider.person = { ...usual, sid: undefined };
		const token = toToken(await openBrowser().signIn());
		provider.person = { ...usual, sid: "of another browser" };
		assert.equal((await sayLogout(urls.api, provider.toSignOut())).status, 200);
		assert.equal((await ask(token, "GET", "/v1/user")).status, 401);
	}));

test("word of a sign-out counts once, and only from the provider", () =>
	withProviderService(async ({ openBrowser, provider, ask, urls }) => {
		provider.person = { ...provider.person, sid: undefined };
		const message = provider.toSignOut();
		assert.equal((await sayLogout(urls.auth, message)).status, 200);
		const token = toToken(await openBrowser().signIn());
		const again = await sayLogout(urls.auth, message);
		assert.equal(again.status, 400);
		assert.match(await again.text(), /logout_token: already used/);
		for (const text of ["x", "a.b.c", message.slice(0, -4), "", "a".repeat(15_000)]) {
			assert.equal((await sayLogout(urls.auth, text)).status, 400, text.slice(0, 20));
		}
		assert.equal((await sayLogout(urls.auth, "a".repeat(20_000))).status, 413);
		provider.spoiled = { signOut: (claims) => ({ ...claims, aud: "another-service" }) };
		assert.equal((await sayLogout(urls.auth, provider.toSignOut())).status, 400);
		provider.spoiled = {};
		const late = provider.toSignOut();
		provider.failure = (response) => response.destroy();
		assert.equal((await sayLogout(urls.auth, late)).status, 503);
		provider.failure = undefined;
		assert.equal((await ask(token, "GET", "/v1/user")).status, 200);
		// What could not be verified then may be said again.
		assert.equal((await sayLogout(urls.auth, late)).status, 200);
		assert.equal((await ask(token, "GET", "/v1/user")).status, 401);
	}));

test("a provider that signs out many at once loses none of it", async () => {
	let answer = () => {};
	const answered = new Promise<void>((resolve) => (answer = resolve));
	const ended: unknown[] = [];
	const verifySignOut = async (message: string) => {
		await answered;
		return { id: message, session: message };
	};
	const signOn = new ProviderSignOn({
		authBackend: { interactive: { label: "Example", verifySignOut } },
		options: { auth: { enable: true } },
		credentials: { endSignIns: async ({ session }: { readonly session: string }) => void ended.push(session) },
		storage: memoryStorage().create(),
		clock: { now: () => Date.now() * 1_000 },
	} as never);
	const sessions = Array.from({ length: 1_000 }, (_, index) => `session ${index}`);
	const said = sessions.map((message) =>
		signOn.endByProvider({ message, remoteAddress: "192.0.2.1", signal: new AbortController().signal }),
	);
	answer();
	await Promise.all(said);
	assert.deepEqual(ended.sort(), sessions.sort());
});

test("of messages that nobody verifies no more than some wait at one address, and none of another goes for them", async () => {
	const signOn = new ProviderSignOn({
		authBackend: { interactive: { label: "Example", verifySignOut: () => new Promise(() => {}) } },
		options: { auth: { enable: true } },
		logger: silentLogger,
	} as never);
	const leaving = new AbortController();
	const say = (remoteAddress: string) => signOn.endByProvider({ message: "x", remoteAddress, signal: leaving.signal });
	const other = say("198.51.100.7");
	const said = Array.from({ length: 2_100 }, () => say("192.0.2.1"));
	const refused = await Promise.race(said).catch((error: unknown) => error);
	assert.ok(isSvcError(refused, "SVC_TOO_MANY"));
	leaving.abort();
	const ends = await Promise.allSettled(said);
	const isRefused = (end: PromiseSettledResult<void>) => end.status === "rejected" && isSvcError(end.reason, "SVC_TOO_MANY");
	assert.equal(ends.filter(isRefused).length, 2_100 - 64 - 2_000 + 1);
	await assert.rejects(other, (error) => !isSvcError(error));
});

test("a sign-in that is finished while its session ends gives no token", () =>
	withProviderService(async ({ openBrowser, provider, urls, log }) => {
		const finish = async (sid: string | undefined) => {
			provider.person = { ...provider.person, sid };
			const browser = openBrowser();
			const query = await provider.signIn(await browser.begin());
			const said = provider.toSignOut();
			provider.beforeTokens = async () => {
				provider.beforeTokens = undefined;
				assert.equal((await sayLogout(urls.auth, said)).status, 200);
			};
			return browser.comeBack(query);
		};
		for (const sid of ["one", undefined]) {
			const response = await finish(sid);
			assert.deepEqual([response.status, toToken(response)], [401, ""]);
		}
		assert.ok(log.some((line) => line.includes("the provider has ended the session in the meantime")));
		// Somebody who signs in once more is in.
		assert.equal((await openBrowser().signIn()).status, 303);
	}));

test("where a proxy says who somebody is, there is no other sign-on", () =>
	withProviderService(
		async ({ urls }) => {
			assert.deepEqual(await (await fetch(`${urls.auth}/auth/v1/sso`)).json(), { enabled: false });
			assert.equal((await fetch(`${urls.auth}/auth/v1/sso/device`, { method: "POST", body: "{}" })).status, 404);
		},
		{ auth: { mode: "proxy", trusted_proxies: ["127.0.0.1"] } },
	));

/** A backend that believes everything. */
const trusting = defineAuthBackend("trusting", ({ url }: { readonly url: string }) => ({
	authenticate: async () => undefined,
	interactive: {
		label: "Trusting",
		begin: async () => ({ url, kept: "kept" }),
		complete: async () => ({ username: "ann" }),
	},
}));

test("whatever the backend believes, a browser must come back with the state that it was sent with, once, and to the web", () =>
	withGuardedService(
		async ({ urls }) => {
			const begun = await fetch(`${urls.api}/auth/v1/sso/request`, { method: "POST", body: "{}" });
			const kept = toCookie(begun, "svc-sign-in");
			const { state } = JSON.parse(Buffer.from(kept.slice("svc-sign-in=".length), "base64url").toString()) as { state: string };
			const comeBack = async (query: string, cookie = kept) =>
				(await fetch(`${urls.api}/auth/v1/sso/callback?${query}`, { redirect: "manual", headers: { cookie } })).status;
			for (const query of ["", "state=", "state=x", `state=${state}&state=${state}`, `state=${state}x`]) {
				assert.equal(await comeBack(query), 401, query);
			}
			for (const cookie of ["", "svc-sign-in=", "svc-sign-in=e30", `svc-sign-in=${"a".repeat(5_000)}`]) {
				assert.equal(await comeBack(`state=${state}`, cookie), 401, cookie);
			}
			assert.equal(await comeBack(`state=${state}`), 303);
			assert.equal(await comeBack(`state=${state}`), 401);
			assert.equal((await sayLogout(urls.api, "x")).status, 404);
		},
		{ auth: { backend: trusting({ url: "https://login.example.org/" }) } },
	));

test("an address that is code of the page goes to no browser", () =>
	withGuardedService(
		async ({ urls }) => {
			const begun = await fetch(`${urls.api}/auth/v1/sso/request`, { method: "POST", body: "{}" });
			assert.equal(begun.status, 503);
			assert.doesNotMatch(await begun.text(), /javascript/);
		},
		{ auth: { backend: trusting({ url: "javascript:alert(1)" }) } },
	));

async function fetchQuery(url: string): Promise<string> {
	const response = await fetch(url, { redirect: "manual" });
	return new URL(response.headers.get("location") ?? "").search.slice(1);
}

test.run();
