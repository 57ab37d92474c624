import { createHash, createHmac, createPublicKey, type JsonWebKey, type KeyObject, randomBytes, verify } from "node:crypto";
import {
	type AuthBackend,
	type DeviceAuthorizationPending,
	type Identity,
	type InteractiveSignIn,
	isSvcError,
	type SignOutStatement,
	SvcError,
} from "../../contract/index.ts";
import type { ProviderTerms } from "../auth/interactive-checks.ts";
import type { Broken } from "./refusals.test-support.ts";

/** What is looked at before somebody is let in. */
export type SignOnCheck =
	| "issuer"
	| "audience"
	| "nonce"
	| "expiry"
	| "none"
	| "hmac"
	| "signature"
	| "headerKey"
	| "tenant"
	| "email"
	| "fresh keys"
	| "challenge"
	| "outage"
	| "abort"
	| "pending"
	| "groups"
	| "once"
	| "state"
	| "session"
	| "sign-out issuer"
	| "sign-out event"
	| "sign-out nonce"
	| "sign-out id"
	| "sign-out name"
	| "sign-out age"
	| "sign-out outage";

const eventName = "http://schemas.openid.net/event/backchannel-logout";

type Claims = Readonly<Record<string, unknown>>;
type Jwk = JsonWebKey & { readonly kid?: string };

/** A small backend that asks a provider of OpenID Connect, and keeps all promises but for what it is told not to look at. */
export function createSignOn(provider: ProviderTerms, skipped: ReadonlySet<SignOnCheck> = new Set()): AuthBackend {
	const signOn = new SignOn(provider, (check) => !skipped.has(check));
	return { takesPasswords: false, interactive: signOn, authenticate: async () => undefined };
}

class SignOn implements InteractiveSignIn {
	readonly label = "Test";
	readonly #terms: ProviderTerms;
	readonly #looksAt: (check: SignOnCheck) => boolean;
	readonly #known = new Map<string, Identity | undefined>();
	#keys: readonly Jwk[] | undefined;

	constructor(terms: ProviderTerms, looksAt: (check: SignOnCheck) => boolean) {
		this.#terms = terms;
		this.#looksAt = looksAt;
	}

	async begin(
		{ redirectUri, state }: { readonly redirectUri: string; readonly state: string },
		{ signal }: { readonly signal: AbortSignal },
	): Promise<{ url: string; kept: string }> {
		if (this.#looksAt("abort")) signal.throwIfAborted();
		await this.#get("/.well-known/openid-configuration");
		const [nonce, verifier] = [randomBytes(32).toString("base64url"), randomBytes(32).toString("base64url")];
		const code_challenge = createHash("sha256").update(verifier).digest("base64url");
		const url = new URL("/authorize", this.#terms.issuer);
		const client_id = this.#terms.client_id;
		const always = { response_type: "code", client_id, redirect_uri: redirectUri, state, nonce, code_challenge };
		const method = this.#looksAt("challenge") ? { code_challenge_method: "S256" } : {};
		for (const [name, value] of Object.entries({ ...always, ...method })) url.searchParams.set(name, value);
		return { url: url.href, kept: `${nonce}.${verifier}` };
	}

	async complete({ redirectUri, state, kept, query }: Parameters<InteractiveSignIn["complete"]>[0]): Promise<Identity | undefined> {
		const returned = new URLSearchParams(query);
		const [[code, ...codes], [given, ...states]] = [returned.getAll("code"), returned.getAll("state")];
		const isOurs = given === state && states.length === 0;
		if (code === undefined || codes.length > 0 || (!isOurs && this.#looksAt("state"))) return undefined;
		if (!this.#looksAt("once") && this.#known.get(code) !== undefined) return this.#known.get(code);
		const [nonce = "", code_verifier = ""] = kept.split(".");
		const answer = await this.#exchange({ grant_type: "authorization_code", code, redirect_uri: redirectUri, code_verifier });
		const identity = answer instanceof Object && "id_token" in answer ? await this.#verify(String(answer.id_token), nonce) : undefined;
		this.#known.set(code, identity);
		return identity;
	}

	async beginDevice() {
		const answer = (await this.#get("/device")) as { device_code: string; user_code: string; verification_uri: string };
		return { deviceCode: answer.device_code, userCode: answer.user_code, url: answer.verification_uri, expiresIn: 600, interval: 1 };
	}

	async pollDevice(device_code: string): Promise<Identity | DeviceAuthorizationPending | undefined> {
		const answer = await this.#exchange({ device_code });
		if (answer === "authorization_pending" || answer === "slow_down") {
			return this.#looksAt("pending") ? { pending: true, slowDown: answer === "slow_down" } : undefined;
		}
		return answer instanceof Object && "id_token" in answer ? this.#verify(String(answer.id_token), undefined) : undefined;
	}

	async #verify(token: string, nonce: string | undefined): Promise<Identity | undefined> {
		const [header, claims] = token.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Claims);
		if (header === undefined || claims === undefined || !(await this.#isSigned(token, header))) return undefined;
		const { issuer, client_id } = this.#terms;
		const { iss, aud, azp, exp, nbf, tid, email, email_verified, groups, sub, sid } = claims;
		const now = Date.now() / 1_000;
		const isOurs = Array.isArray(aud) ? aud.includes(client_id) && azp === client_id : aud === client_id;
		const isNow = typeof exp === "number" && exp > now - 30 && (nbf === undefined || Number(nbf) < now + 30);
		const rules: readonly (readonly [SignOnCheck, boolean])[] = [
			["issuer", iss === issuer],
			["audience", isOurs],
			["nonce", claims["nonce"] === nonce],
			["expiry", isNow],
			["tenant", tid === "ours"],
			["email", email_verified === true],
		];
		if (rules.some(([check, isKept]) => !isKept && this.#looksAt(check))) return undefined;
		if (typeof email !== "string" || email.length > 256 || !/^[\w.@-]+$/.test(email)) return undefined;
		const known = Array.isArray(groups) ? (groups as string[]) : [];
		const session = this.#looksAt("session") ? { session: String(sid) } : {};
		return { username: email, subject: String(sub), ...session, ...((known.length > 0 || this.#looksAt("groups")) && { groups: known }) };
	}

	async verifySignOut(message: string): Promise<SignOutStatement | undefined> {
		try {
			const [header, claims] = message.split(".", 2).map((part) => JSON.parse(Buffer.from(part, "base64url").toString("utf8")) as Claims);
			if (header === undefined || claims === undefined || !(await this.#isSigned(message, header))) return undefined;
			return this.#toEnded(claims);
		} catch (error) {
			if (isSvcError(error) && this.#looksAt("sign-out outage")) throw error;
			return undefined;
		}
	}

	#toEnded({ iss, aud, iat, exp = iat, jti, nonce, sub, sid, events }: Claims): SignOutStatement | undefined {
		const { issuer, client_id } = this.#terms;
		const now = Date.now() / 1_000;
		const told: unknown = typeof events === "object" ? (events as Claims)[eventName] : undefined;
		const isName = (value: unknown) => value === undefined || (typeof value === "string" && value !== "");
		const rules: readonly (readonly [SignOnCheck, boolean])[] = [
			["sign-out issuer", iss === issuer && aud === client_id],
			["sign-out event", typeof told === "object" && told !== null],
			["sign-out nonce", nonce === undefined],
			["sign-out id", typeof jti === "string" && jti !== ""],
			["sign-out name", isName(sub) && isName(sid) && (sub ?? sid) !== undefined],
			["sign-out age", Math.abs(Number(iat) - now) < 600 && Number(exp) > now - 600],
		];
		if (rules.some(([check, isKept]) => !isKept && this.#looksAt(check))) return undefined;
		return {
			id: String(jti),
			...(sub !== undefined && { subject: String(sub) }),
			...(sid !== undefined && { session: String(sid) }),
		};
	}

	async #isSigned(token: string, { alg, kid, jwk }: Claims): Promise<boolean> {
		if (!this.#looksAt("signature")) return true;
		if (String(alg).toLowerCase() === "none") return !this.#looksAt("none");
		const [text, signature] = [token.slice(0, token.lastIndexOf(".")), Buffer.from(token.slice(token.lastIndexOf(".") + 1), "base64url")];
		const own = (await this.#readKeys()).find((each) => kid === undefined || each.kid === kid);
		const chosen = !this.#looksAt("headerKey") && jwk !== undefined ? (jwk as Jwk) : own;
		if (chosen === undefined) return false;
		const key: KeyObject = createPublicKey({ key: chosen, format: "jwk" });
		if (alg === "RS256") return verify("sha256", Buffer.from(text), key, signature);
		if (alg !== "HS256" || this.#looksAt("hmac")) return false;
		return createHmac("sha256", key.export({ format: "pem", type: "spki" }))
			.update(text)
			.digest()
			.equals(signature);
	}

	async #readKeys(): Promise<readonly Jwk[]> {
		if (this.#keys !== undefined && !this.#looksAt("fresh keys")) return this.#keys;
		this.#keys = ((await this.#get("/keys")) as { keys: readonly Jwk[] }).keys;
		return this.#keys;
	}

	/** What the token endpoint answers, or the word for its refusal; undefined for no. */
	async #exchange(form: Readonly<Record<string, string>>): Promise<object | string | undefined> {
		const { client_id, client_secret } = this.#terms;
		try {
			const body = new URLSearchParams({ ...form, client_id, client_secret });
			const response = await fetch(new URL("/token", this.#terms.issuer), { method: "POST", body });
			const answer = (await response.json()) as { readonly error?: string };
			return answer.error ?? answer;
		} catch {
			if (!this.#looksAt("outage")) return undefined;
			throw new SvcError("SVC_UNAVAILABLE", "the provider cannot be asked");
		}
	}

	async #get(path: string): Promise<unknown> {
		try {
			return await (await fetch(new URL(path, this.#terms.issuer))).json();
		} catch {
			throw new SvcError("SVC_UNAVAILABLE", "the provider cannot be asked");
		}
	}
}

/** Backends that do not look at one thing. */
export const brokenSignOns: readonly (Pick<Broken<AuthBackend>, "name" | "refusedBy"> & { readonly skipped: SignOnCheck })[] = [
	{ name: "the issuer does not count", skipped: "issuer", refusedBy: "a token of another issuer is refused" },
	{ name: "the audience does not count", skipped: "audience", refusedBy: "a token for another audience is refused" },
	{ name: "the nonce does not count", skipped: "nonce", refusedBy: "a token of another sign-in is refused" },
	{ name: "tokens never grow old", skipped: "expiry", refusedBy: "an expired token is refused" },
	{ name: "alg: none is taken", skipped: "none", refusedBy: "an unsigned token is refused" },
	{ name: "a public key is taken for a secret", skipped: "hmac", refusedBy: "a token signed with a secret in place of a key is refused" },
	{ name: "signatures do not count", skipped: "signature", refusedBy: "a modified token is refused" },
	{ name: "tokens may bring their own key", skipped: "headerKey", refusedBy: "a token signed with an unknown key is refused" },
	{ name: "every tenant comes in", skipped: "tenant", refusedBy: "a user of another tenant is refused" },
	{ name: "any mail address is a name", skipped: "email", refusedBy: "an unverified email address is not accepted as a user name" },
	{
		name: "keys are read once",
		skipped: "fresh keys",
		refusedBy: "when the provider rotates its keys, new keys are accepted at once and withdrawn keys are refused",
	},
	{
		name: "the PKCE challenge is the verifier itself",
		skipped: "challenge",
		refusedBy: "each sign-in has its own nonce and PKCE challenge, and its state fits into a cookie",
	},
	{
		name: 'an outage is answered as "no"',
		skipped: "outage",
		refusedBy: "while the provider is unavailable, every sign-in fails with SVC_UNAVAILABLE and reveals no secret",
	},
	{ name: "an abort is ignored", skipped: "abort", refusedBy: "an aborted sign-in returns no result" },
	{ name: "waiting is a no", skipped: "pending", refusedBy: "a device sign-in, if supported, waits until the user has decided" },
	{ name: "groups that are gone are not told", skipped: "groups", refusedBy: "groups that the provider no longer reports are removed" },
	{ name: "a code is good again", skipped: "once", refusedBy: "a code is valid once, and only for the browser that started the sign-in" },
	{
		name: "any state will do",
		skipped: "state",
		refusedBy: "a browser that returns with the state of another sign-in, or without state, is refused",
	},
	{
		name: "sessions are not told",
		skipped: "session",
		refusedBy: "a sign-out notification identifies the session as its sign-in did",
	},
	{
		name: "anybody may say that somebody has signed out",
		skipped: "sign-out issuer",
		refusedBy: "a logout token from another issuer or for another service is refused",
	},
	{
		name: "any token is word of a sign-out",
		skipped: "sign-out event",
		refusedBy: "a token that is not a logout token is refused, regardless of its signature",
	},
	{
		name: "a token of a sign-in is word of a sign-out",
		skipped: "sign-out nonce",
		refusedBy: "a token that is not a logout token is refused, regardless of its signature",
	},
	{
		name: "word of a sign-out has no name of its own",
		skipped: "sign-out id",
		refusedBy: "a token that is not a logout token is refused, regardless of its signature",
	},
	{
		name: "word of a sign-out names nobody",
		skipped: "sign-out name",
		refusedBy: "a token that is not a logout token is refused, regardless of its signature",
	},
	{ name: "word of a sign-out never grows old", skipped: "sign-out age", refusedBy: "an old logout token is refused" },
	{
		name: "word of a sign-out is lost in an outage",
		skipped: "sign-out outage",
		refusedBy: "while the provider is unavailable, a logout token cannot be verified",
	},
];
