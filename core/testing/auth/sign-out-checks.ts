import * as assert from "node:assert/strict";
import { type InteractiveSignIn, isSvcError, type SignOutStatement } from "../../contract/index.ts";
import type { Check } from "./interactive-scope.ts";
import type { OidcTestProvider, Spoiled } from "./oidc-test-provider.ts";
import { byHmac, byNothing, byRsa, signingKey } from "./signing.ts";

const signal = new AbortController().signal;
const event = "http://schemas.openid.net/event/backchannel-logout";

/**
 * Registers the tests of sign-outs that the provider announces (back-channel logout). They pass without a check if the backend does not
 * support it.
 */
export function checkSignOuts(check: Check): void {
	check("a sign-out notification identifies the session as its sign-in did", async ({ interactive, provider, signIn }) => {
		if (interactive.verifySignOut === undefined) return;
		const { subject, session } = (await signIn()) ?? {};
		assert.ok(session !== undefined && session !== "", "the identity has no session");
		const said = await verify(interactive, provider.toSignOut());
		assert.deepEqual([said?.subject, said?.session], [subject, session]);
		assert.notEqual((await verify(interactive, provider.toSignOut()))?.id, said?.id);
		for (const [missing, left] of [
			["sid", [subject, undefined]],
			["sub", [undefined, session]],
		] as const) {
			provider.spoiled = { signOut: ({ [missing]: _, ...claims }) => claims };
			const { subject: one, session: other } = (await verify(interactive, provider.toSignOut())) ?? {};
			assert.deepEqual([one, other], left);
		}
	});

	check("a logout token from another issuer or for another service is refused", async ({ interactive, provider }) => {
		if (interactive.verifySignOut === undefined) return;
		await assertRefused(interactive, provider, [
			...claimsOf({ iss: "https://elsewhere.example" }, { iss: undefined }, { aud: "another-service" }, { aud: undefined }),
			alg("none", byNothing),
			alg("HS256", byHmac(signingKey("first").publicKey.export({ format: "pem", type: "spki" }))),
			alg("HS256", byHmac(provider.clientSecret)),
			{ signer: byRsa(signingKey("stranger")) },
			{ header: (header) => ({ ...header, kid: "stranger" }), signer: byRsa(signingKey("stranger")) },
			{ token: changeSession },
			{ token: (text) => text.slice(0, -10) },
			{ token: () => "" },
			{ token: () => "x.y.z" },
		]);
	});

	check("a token that is not a logout token is refused, regardless of its signature", async ({ interactive, provider }) => {
		if (interactive.verifySignOut === undefined) return;
		const changes = [
			{ events: undefined },
			{ events: {} },
			{ events: { [event]: "yes" } },
			{ events: [event] },
			{ events: event },
			...[{ nonce: "as of a sign-in" }, { jti: undefined }, { jti: "" }, { jti: 7 }],
			...[{ sub: undefined, sid: undefined }, { sub: "", sid: undefined }, { sub: 7 }, { sid: ["a"] }],
		];
		await assertRefused(interactive, provider, claimsOf(...changes));
	});

	checkMoment(check);
}

/** Registers the tests of logout tokens that are too old, signed with a withdrawn key, or cannot be verified at the moment. */
function checkMoment(check: Check): void {
	check("an old logout token is refused", async ({ interactive, provider }) => {
		if (interactive.verifySignOut === undefined) return;
		const now = Math.floor(Date.now() / 1_000);
		const old = claimsOf({ exp: now - 3_600 }, { iat: now - 86_400, exp: undefined }, { iat: undefined }, { iat: now + 3_600 });
		await assertRefused(interactive, provider, old);
	});

	check("a logout token signed with a withdrawn key is refused", async ({ interactive, provider }) => {
		if (interactive.verifySignOut === undefined) return;
		assert.ok((await verify(interactive, provider.toSignOut())) !== undefined);
		provider.keys = [signingKey("second")];
		assert.ok((await verify(interactive, provider.toSignOut())) !== undefined);
		provider.spoiled = { header: (header) => ({ ...header, kid: "first" }), signer: byRsa(signingKey("first")) };
		assert.equal(await verify(interactive, provider.toSignOut()), undefined);
	});

	check("while the provider is unavailable, a logout token cannot be verified", async ({ interactive, provider }) => {
		if (interactive.verifySignOut === undefined) return;
		const message = provider.toSignOut();
		provider.failure = (response) => response.writeHead(503).end();
		await assert.rejects(verify(interactive, message), (error) => isSvcError(error, "SVC_UNAVAILABLE"));
		provider.failure = undefined;
		assert.ok((await verify(interactive, message)) !== undefined);
	});
}

async function verify(interactive: InteractiveSignIn, message: string): Promise<SignOutStatement | undefined> {
	return interactive.verifySignOut?.(message, { signal });
}

async function assertRefused(interactive: InteractiveSignIn, provider: OidcTestProvider, all: readonly Spoiled[]): Promise<void> {
	for (const [index, spoiled] of all.entries()) {
		provider.spoiled = spoiled;
		assert.equal(await verify(interactive, provider.toSignOut()), undefined, `the ${index + 1}. message`);
	}
	provider.spoiled = {};
	assert.ok((await verify(interactive, provider.toSignOut())) !== undefined);
}

function claimsOf(...all: readonly Readonly<Record<string, unknown>>[]): readonly Spoiled[] {
	return all.map((changes) => ({ signOut: (claims) => ({ ...claims, ...changes }) }));
}

function alg(name: string, signer: NonNullable<Spoiled["signer"]>): Spoiled {
	return { header: (header) => ({ ...header, alg: name }), signer };
}

/** Returns a token with another session id and the unchanged signature. */
function changeSession(token: string): string {
	const [header = "", payload = "", signature = ""] = token.split(".");
	const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as object;
	return [header, Buffer.from(JSON.stringify({ ...claims, sid: "session-of-bob" })).toString("base64url"), signature].join(".");
}
