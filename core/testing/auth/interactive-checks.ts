import * as assert from "node:assert/strict";
import { inspect } from "node:util";
import { type AuthBackend, type Identity, type InteractiveSignIn, isSvcError } from "../../contract/index.ts";
import type { Check } from "./interactive-scope.ts";
import { OidcTestProvider } from "./oidc-test-provider.ts";
import { checkSignOuts } from "./sign-out-checks.ts";
import { byRsa, signingKey } from "./signing.ts";
import { checkTokens } from "./token-checks.ts";

/** Settings with which a backend uses the OpenID Connect provider of the suite. */
export interface ProviderTerms {
	/** URL of the provider: `http:` on the loopback interface. */
	readonly issuer: string;
	readonly client_id: string;
	readonly client_secret: string;
}

/** A backend under test that uses the OpenID Connect provider of the suite. */
export interface InteractiveUnderTest {
	/** The started backend. The suite stops it. */
	readonly backend: AuthBackend;
	/** Called after each test, once the backend has stopped. */
	cleanUp?(): Promise<void>;
}

/**
 * Creates a backend for the suite's provider with these settings. Usernames are email addresses that the provider has verified, and groups
 * come from the claim `groups`. Only users whose claim `tid` is `ours` may sign in.
 */
export type CreateInteractive = (provider: ProviderTerms) => Promise<InteractiveUnderTest>;

type RegisterTest = (name: string, run: () => Promise<void>) => void;

const redirectUri = "http://127.0.0.1:9/auth/v1/sso/callback";
const signal = new AbortController().signal;

/** Registers the tests of provider sign-in: one test for each promise of the contract. */
export function checkInteractive({ test, name, create }: { test: RegisterTest; name: string; create: CreateInteractive }): void {
	const check: Check = (statement, run) =>
		test(`${name}: ${statement}`, async () => {
			const provider = await new OidcTestProvider().start();
			const terms = { issuer: provider.issuer, client_id: provider.clientId, client_secret: provider.clientSecret };
			const { backend, cleanUp } = await create(terms);
			try {
				const { interactive } = backend;
				assert.ok(interactive !== undefined, "the backend has no `interactive`");
				await run({ provider, interactive, signIn: () => signInBy(interactive, provider) });
			} finally {
				await backend.stop?.();
				await cleanUp?.();
				await provider.stop();
			}
		});
	checkSignIn(check);
	checkTokens(check);
	checkPersons(check);
	checkBrowsers(check);
	checkAway(check);
	checkDevices(check);
	checkSignOuts(check);
}

async function signInBy(interactive: InteractiveSignIn, provider: OidcTestProvider): Promise<Identity | undefined> {
	const state = "state-of-this-sign-in";
	const { url, kept } = await interactive.begin({ redirectUri, state }, { signal });
	return interactive.complete({ redirectUri, state, kept, query: await provider.signIn(url) }, { signal });
}

function checkSignIn(check: Check): void {
	check("an authenticated user has a name, groups and a subject", async ({ signIn }) => {
		const identity = await signIn();
		assert.equal(identity?.username, "ann@example.com");
		assert.deepEqual(identity?.groups, ["operators", "staff"]);
		assert.match(identity?.subject ?? "", /subject-of-ann/);
	});

	check("each sign-in has its own nonce and PKCE challenge, and its state fits into a cookie", async ({ interactive, provider }) => {
		const begun = [];
		for (const state of ["one", "two"]) begun.push({ state, ...(await interactive.begin({ redirectUri, state }, { signal })) });
		const [one, two] = begun.map(({ url }) => new URL(url).searchParams);
		for (const name of ["nonce", "code_challenge"]) {
			assert.ok((one?.get(name)?.length ?? 0) >= 22, name);
			assert.notEqual(one?.get(name), two?.get(name));
		}
		assert.equal(one?.get("code_challenge_method"), "S256");
		for (const { state, kept, url } of begun) {
			assert.equal(new URL(url).searchParams.get("state"), state);
			assert.equal(new URL(url).searchParams.get("redirect_uri"), redirectUri);
			assert.ok(url.startsWith(provider.issuer));
			assert.match(kept, /^[\w.~-]{1,1000}$/);
			assert.ok(!url.includes(provider.clientSecret) && !kept.includes(provider.clientSecret));
		}
	});

	check("concurrent sign-ins each get their own result", async ({ interactive, provider }) => {
		const states = Array.from({ length: 8 }, (_, index) => `state-${index}`);
		const begun = await Promise.all(states.map((state) => interactive.begin({ redirectUri, state }, { signal })));
		const queries: string[] = [];
		for (const [index, { url }] of begun.entries()) queries[index] = await provider.signIn(url);
		const answers = await Promise.all(
			begun.map(({ kept }, index) =>
				// Every second sign-in is completed with the value kept by another browser.
				interactive.complete(
					{ redirectUri, state: states[index] ?? "", query: queries[index] ?? "", kept: index % 2 === 0 ? kept : (begun[0]?.kept ?? "") },
					{ signal },
				),
			),
		);
		assert.deepEqual(
			answers.map((answer) => answer?.username),
			states.map((_, index) => (index % 2 === 0 ? "ann@example.com" : undefined)),
		);
	});

	check(
		"when the provider rotates its keys, new keys are accepted at once and withdrawn keys are refused",
		async ({ provider, signIn }) => {
			assert.equal((await signIn())?.username, "ann@example.com");
			provider.keys = [signingKey("second")];
			assert.equal((await signIn())?.username, "ann@example.com");
			provider.spoiled = { header: (header) => ({ ...header, kid: "first" }), signer: byRsa(signingKey("first")) };
			assert.equal(await signIn(), undefined);
		},
	);
}

function checkPersons(check: Check): void {
	check("a user of another tenant is refused", async ({ provider, signIn }) => {
		for (const tid of ["theirs", undefined, ["theirs"], { ours: true }, "OURS"]) {
			provider.person = { ...provider.person, tid };
			assert.equal(await signIn(), undefined, JSON.stringify(tid));
		}
	});

	check("an unverified email address is not accepted as a user name", async ({ provider, signIn }) => {
		const { person } = provider;
		for (const email_verified of [false, undefined, "true", 1]) {
			provider.person = { ...person, email_verified };
			assert.equal(await signIn(), undefined, JSON.stringify(email_verified));
		}
		provider.person = { ...person, email_verified: false };
		provider.spoiled = { userinfo: (claims) => ({ ...claims, email: "other@example.com", email_verified: true }) };
		assert.equal(await signIn(), undefined);
	});

	check("a user without a valid name is refused", async ({ provider, signIn }) => {
		const { person } = provider;
		for (const email of [undefined, "", " ", 7, ["ann@example.com"], "ann@example.com\nroot", "a".repeat(5_000)]) {
			provider.person = { ...person, email };
			assert.equal(await signIn(), undefined, JSON.stringify(email)?.slice(0, 40));
		}
	});

	check("user information about another subject is refused", async ({ provider, signIn }) => {
		const { groups: _groups, ...person } = provider.person;
		provider.person = person;
		provider.spoiled = { userinfo: (claims) => ({ ...claims, sub: "subject-of-bob", groups: ["admins"] }) };
		assert.ok(!(await signIn())?.groups?.includes("admins"));
	});

	check("groups that the provider no longer reports are removed", async ({ provider, signIn }) => {
		provider.person = { ...provider.person, groups: [] };
		assert.deepEqual((await signIn())?.groups, []);
		provider.person = { ...provider.person, groups: undefined };
		assert.deepEqual((await signIn())?.groups ?? "none", []);
	});
}

function checkBrowsers(check: Check): void {
	check("a code is valid once, and only for the browser that started the sign-in", async ({ interactive, provider }) => {
		const begin = (state: string) => interactive.begin({ redirectUri, state }, { signal });
		const [mine, theirs] = [await begin("mine"), await begin("theirs")];
		const query = await provider.signIn(mine.url);
		const other = await provider.signIn(theirs.url);
		const come = (kept: string, with_: string, state = "mine") =>
			interactive.complete({ redirectUri, state, kept, query: with_ }, { signal });
		assert.equal(await come(mine.kept, other), undefined);
		// Use a new code for each attempt: a provider may consume a code even if the verifier is missing.
		const tried = await provider.signIn((await begin("mine")).url);
		assert.equal(await come("", tried), undefined);
		assert.equal(await come(theirs.kept, await provider.signIn((await begin("mine")).url)), undefined);
		assert.equal((await come(mine.kept, query))?.username, "ann@example.com");
		assert.equal(await come(mine.kept, query), undefined);
	});

	check("a browser that returns with the state of another sign-in, or without state, is refused", async ({ interactive, provider }) => {
		const comeWith = async (change: (query: URLSearchParams) => void) => {
			const { url, kept } = await interactive.begin({ redirectUri, state: "mine" }, { signal });
			const query = new URLSearchParams(await provider.signIn(url));
			change(query);
			return interactive.complete({ redirectUri, state: "mine", kept, query: String(query) }, { signal });
		};
		assert.equal((await comeWith(() => {}))?.username, "ann@example.com");
		assert.equal(await comeWith((query) => query.set("state", "theirs")), undefined);
		assert.equal(await comeWith((query) => query.delete("state")), undefined);
	});

	check("a browser that returns without a valid code is refused", async ({ interactive, provider }) => {
		const { url, kept } = await interactive.begin({ redirectUri, state: "mine" }, { signal });
		await provider.signIn(url);
		for (const query of [
			"",
			"state=mine",
			"code=x&state=mine",
			"error=access_denied&state=mine",
			"code=a&code=b&state=mine",
			"code=x&state=mine&state=mine",
		]) {
			assert.equal(await interactive.complete({ redirectUri, state: "mine", kept, query }, { signal }), undefined, query);
		}
	});
}

function checkAway(check: Check): void {
	check(
		"while the provider is unavailable, every sign-in fails with SVC_UNAVAILABLE and reveals no secret",
		async ({ interactive, provider, signIn }) => {
			const isUnavailable = (error: unknown) =>
				isSvcError(error, "SVC_UNAVAILABLE") && !inspect(error, { depth: 9, showHidden: true }).includes(provider.clientSecret);
			const { url, kept } = await interactive.begin({ redirectUri, state: "mine" }, { signal });
			const query = await provider.signIn(url);
			provider.failure = (response) => response.writeHead(502, { "content-type": "text/html" }).end("<h1>Bad Gateway</h1>");
			await assert.rejects(interactive.complete({ redirectUri, state: "mine", kept, query }, { signal }), isUnavailable);
			provider.failure = (response) => response.destroy();
			await assert.rejects(interactive.complete({ redirectUri, state: "mine", kept, query }, { signal }), isUnavailable);
			provider.failure = undefined;
			assert.equal((await signIn())?.username, "ann@example.com");
		},
	);

	check(
		"a provider that was unavailable at the start is contacted again when it is available",
		async ({ interactive, provider, signIn }) => {
			provider.failure = (response) => response.writeHead(503).end();
			const begin = () => interactive.begin({ redirectUri, state: "mine" }, { signal });
			await assert.rejects(begin(), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
			provider.failure = undefined;
			assert.equal((await signIn())?.username, "ann@example.com");
		},
	);

	check("an aborted sign-in returns no result", async ({ interactive, signIn }) => {
		await assert.rejects(interactive.begin({ redirectUri, state: "mine" }, { signal: AbortSignal.abort() }));
		assert.equal((await signIn())?.username, "ann@example.com");
	});
}

function checkDevices(check: Check): void {
	check("a device sign-in, if supported, waits until the user has decided", async ({ interactive, provider }) => {
		const { beginDevice, pollDevice } = interactive;
		assert.equal(beginDevice === undefined, pollDevice === undefined, "beginDevice and pollDevice must both be implemented or neither");
		if (beginDevice === undefined || pollDevice === undefined) return;
		const begin = () => beginDevice.call(interactive, { signal });
		const poll = (code: string) => pollDevice.call(interactive, code, { signal });
		const { deviceCode, userCode, url, expiresIn, interval } = await begin();
		assert.ok(userCode !== "" && URL.canParse(url) && expiresIn > 0 && interval > 0);
		provider.deviceDecision = "authorization_pending";
		assert.deepEqual(await poll(deviceCode), { pending: true, slowDown: false });
		provider.deviceDecision = "slow_down";
		assert.deepEqual(await poll(deviceCode), { pending: true, slowDown: true });
		provider.deviceDecision = "yes";
		const answer = await poll(deviceCode);
		assert.equal(answer !== undefined && "username" in answer && answer.username, "ann@example.com");
		assert.equal(await poll(deviceCode), undefined);
		for (const decision of ["access_denied", "expired_token"] as const) {
			provider.deviceDecision = decision;
			assert.equal(await poll((await begin()).deviceCode), undefined);
		}
		assert.equal(await poll("of-nobody"), undefined);
		provider.deviceDecision = "yes";
		provider.spoiled = { signer: byRsa(signingKey("stranger")) };
		assert.equal(await poll((await begin()).deviceCode), undefined);
	});
}
