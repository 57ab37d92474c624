import * as assert from "node:assert/strict";
import type { Check } from "./interactive-scope.ts";
import type { OidcTestProvider, Spoiled } from "./oidc-test-provider.ts";
import { byHmac, byNothing, byRsa, signingKey } from "./signing.ts";

/** Registers the tests of invalid tokens, grouped by defect. */
export function checkTokens(check: Check): void {
	const refuses = (statement: string, ...all: readonly ((provider: OidcTestProvider) => Spoiled)[]) =>
		check(statement, async ({ provider, signIn }) => {
			assert.equal((await signIn())?.username, "ann@example.com");
			for (const spoil of all) {
				provider.spoiled = spoil(provider);
				assert.equal(await signIn(), undefined);
			}
		});
	const claims = (changes: Readonly<Record<string, unknown>>) => (): Spoiled => ({ claims: (usual) => ({ ...usual, ...changes }) });
	const now = Math.floor(Date.now() / 1_000);
	const alg = (name: string, signer: Spoiled["signer"]): Spoiled => ({
		header: (header) => ({ ...header, alg: name }),
		...(signer !== undefined && { signer }),
	});
	const pem = () => signingKey("first").publicKey.export({ format: "pem", type: "spki" });

	refuses("a token of another issuer is refused", claims({ iss: "https://elsewhere.example" }), claims({ iss: undefined }));
	refuses(
		"a token for another audience is refused",
		claims({ aud: "another-service" }),
		claims({ aud: ["another-service"] }),
		claims({ aud: undefined }),
		claims({ aud: ["service", "another-service"], azp: "another-service" }),
	);
	refuses("a token of another sign-in is refused", claims({ nonce: "another" }), claims({ nonce: undefined }));
	refuses("an expired token is refused", claims({ exp: now - 3_600 }), claims({ exp: undefined }), claims({ nbf: now + 3_600 }));
	refuses(
		"an unsigned token is refused",
		() => alg("none", byNothing),
		() => alg("None", byNothing),
	);
	refuses(
		"a token signed with a secret in place of a key is refused",
		() => alg("HS256", byHmac(pem())),
		({ clientSecret }) => alg("HS256", byHmac(clientSecret)),
	);
	refuses(
		"a token signed with an unknown key is refused",
		() => ({ signer: byRsa(signingKey("stranger")) }),
		() => ({ header: (header) => ({ ...header, kid: "stranger" }), signer: byRsa(signingKey("stranger")) }),
		() => ({
			header: (header) => ({ ...header, kid: undefined, jwk: signingKey("stranger").publicKey.export({ format: "jwk" }) }),
			signer: byRsa(signingKey("stranger")),
		}),
	);
	refuses(
		"a modified token is refused",
		() => ({ token: changeSubject }),
		() => ({ token: (text) => text.slice(0, -10) }),
	);
	refuses("a response without an ID token is refused", () => ({ withoutIdToken: true }));
}

/** Returns a token with another subject and the unchanged signature. */
function changeSubject(token: string): string {
	const [header = "", payload = "", signature = ""] = token.split(".");
	const claims = JSON.parse(Buffer.from(payload, "base64url").toString("utf8")) as object;
	return [header, Buffer.from(JSON.stringify({ ...claims, email: "root@example.com" })).toString("base64url"), signature].join(".");
}
