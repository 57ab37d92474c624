import { createHash, randomBytes } from "node:crypto";
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { byRsa, type Signer, type SigningKey, signingKey, toJwt, toPublicJwk } from "./signing.ts";

/** Claims by name. */
export type TestClaims = Readonly<Record<string, unknown>>;

/** Changes that make the responses of the provider invalid. Without any change, all responses are valid. */
export interface Spoiled {
	readonly claims?: (claims: TestClaims) => TestClaims;
	readonly header?: (header: TestClaims) => TestClaims;
	/** Signs tokens instead of the published key. */
	readonly signer?: Signer;
	readonly token?: (token: string) => string;
	/** True if the token response contains only an access token. */
	readonly withoutIdToken?: boolean;
	/** Changes the claims of a logout token. */
	readonly signOut?: (claims: TestClaims) => TestClaims;
	/** Changes the response of the userinfo endpoint. */
	readonly userinfo?: (claims: TestClaims) => TestClaims;
}

interface Granted {
	readonly nonce: string | undefined;
	readonly challenge: string | undefined;
	readonly redirectUri: string | undefined;
}

/** Decision about a device sign-in: pending, approved or denied. */
export type DeviceDecision = "authorization_pending" | "slow_down" | "access_denied" | "expired_token" | "yes";

const defaultPerson: TestClaims = {
	sub: "subject-of-ann",
	sid: "session-of-ann",
	email: "ann@example.com",
	email_verified: true,
	tid: "ours",
	groups: ["operators", "staff"],
};

/**
 * An OpenID Connect provider whose responses a test controls. It serves HTTP on the loopback interface and approves each sign-in without
 * user interaction. Otherwise it follows the specification: an authorization code is valid once, and only with the PKCE verifier of the
 * browser that started the sign-in.
 */
export class OidcTestProvider {
	readonly clientId = "service";
	readonly clientSecret = "client secret 4711";
	person: TestClaims = defaultPerson;
	spoiled: Spoiled = {};
	/** Published signing keys. The provider signs with the first. */
	keys: readonly SigningKey[] = [signingKey("first")];
	deviceDecision: DeviceDecision = "yes";
	/** True if an authorization code can be redeemed more than once, which the specification forbids. */
	reusesCodes = false;
	/** Called and awaited before the token response is sent. */
	beforeTokens: (() => Promise<void>) | undefined;
	/** Called for every request instead of the normal processing, to simulate a failure. */
	failure: ((response: ServerResponse) => void) | undefined;
	/** Paths of all received requests. */
	readonly asked: string[] = [];
	readonly #server: Server;
	readonly #codes = new Map<string, Granted>();
	readonly #devices = new Set<string>();
	#port = 0;

	constructor() {
		this.#server = createServer((request, response) => {
			void this.#answer(request, response).catch(() => send(response, 500, { error: "server_error" }));
		});
	}

	get issuer(): string {
		return `http://127.0.0.1:${this.#port}`;
	}

	async start(): Promise<this> {
		await new Promise<void>((resolve) => this.#server.listen(this.#port, "127.0.0.1", resolve));
		this.#port = (this.#server.address() as AddressInfo).port;
		return this;
	}

	/** Stops the server. `start` starts it again at the same address. */
	async stop(): Promise<void> {
		if (!this.#server.listening) return;
		await new Promise((resolve) => {
			this.#server.close(resolve);
			this.#server.closeAllConnections();
		});
	}

	/** Follows a sign-in URL as a browser would. Returns the query of the redirect, without the question mark. */
	async signIn(url: string): Promise<string> {
		const response = await fetch(url, { redirect: "manual" });
		await response.body?.cancel();
		return new URL(response.headers.get("location") ?? "about:blank").search.slice(1);
	}

	/** Returns the signed logout token that the provider sends when the person with the claims `sub` and `sid` signs out. */
	toSignOut(): string {
		const { sub, sid } = this.person;
		const now = Math.floor(Date.now() / 1_000);
		const events = { "http://schemas.openid.net/event/backchannel-logout": {} };
		const usual = {
			iss: this.issuer,
			aud: this.clientId,
			iat: now,
			exp: now + 120,
			jti: randomBytes(16).toString("hex"),
			events,
			sub,
			sid,
		};
		return this.#sign({ typ: "logout+jwt" }, this.spoiled.signOut?.(usual) ?? usual);
	}

	async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const url = new URL(request.url ?? "/", this.issuer);
		this.asked.push(url.pathname);
		if (this.failure !== undefined) return this.failure(response);
		switch (url.pathname) {
			case "/.well-known/openid-configuration":
				return send(response, 200, this.#metadata());
			case "/keys":
				return send(response, 200, { keys: this.keys.map(toPublicJwk) });
			case "/authorize":
				return this.#authorize(url, response);
			case "/token":
				return this.#exchange(request, response);
			case "/device":
				return this.#beginDevice(response);
			case "/userinfo":
				return send(response, 200, this.spoiled.userinfo?.(this.person) ?? this.person);
			default:
				return send(response, 404, { error: "not_found" });
		}
	}

	#metadata(): object {
		const at = (path: string) => `${this.issuer}${path}`;
		return {
			issuer: this.issuer,
			authorization_endpoint: at("/authorize"),
			token_endpoint: at("/token"),
			device_authorization_endpoint: at("/device"),
			userinfo_endpoint: at("/userinfo"),
			end_session_endpoint: at("/end"),
			jwks_uri: at("/keys"),
			response_types_supported: ["code"],
			subject_types_supported: ["public"],
			// Some providers advertise these algorithms, but a client must accept neither HS256 nor none.
			id_token_signing_alg_values_supported: ["RS256", "HS256", "none"],
			code_challenge_methods_supported: ["S256"],
		};
	}

	#authorize({ searchParams }: URL, response: ServerResponse): void {
		const code = randomBytes(16).toString("hex");
		const get = (name: string) => searchParams.get(name) ?? undefined;
		const redirectUri = get("redirect_uri");
		this.#codes.set(code, { nonce: get("nonce"), challenge: get("code_challenge"), redirectUri });
		const back = new URL(redirectUri ?? "about:blank");
		back.searchParams.set("code", code);
		back.searchParams.set("state", get("state") ?? "");
		response.writeHead(302, { location: back.href }).end();
	}

	async #exchange(request: IncomingMessage, response: ServerResponse): Promise<void> {
		const form = new URLSearchParams(await readAll(request));
		if (!this.#isClient(request, form)) return send(response, 401, { error: "invalid_client" });
		const device = form.get("device_code");
		if (device !== null) return this.#exchangeDevice(device, response);
		const code = form.get("code") ?? "";
		const granted = this.#codes.get(code);
		if (!this.reusesCodes) this.#codes.delete(code);
		const challenge = createHash("sha256")
			.update(form.get("code_verifier") ?? "")
			.digest("base64url");
		const isRight = granted?.challenge === challenge && granted.redirectUri === form.get("redirect_uri");
		if (!isRight) return send(response, 400, { error: "invalid_grant" });
		await this.beforeTokens?.();
		this.#sendTokens(response, granted.nonce);
	}

	#beginDevice(response: ServerResponse): void {
		const device_code = randomBytes(16).toString("hex");
		this.#devices.add(device_code);
		send(response, 200, { device_code, user_code: "WDJB-MJHT", verification_uri: `${this.issuer}/enter`, expires_in: 600, interval: 1 });
	}

	#exchangeDevice(device: string, response: ServerResponse): void {
		if (!this.#devices.has(device)) return send(response, 400, { error: "invalid_grant" });
		if (this.deviceDecision !== "yes") return send(response, 400, { error: this.deviceDecision });
		if (!this.reusesCodes) this.#devices.delete(device);
		this.#sendTokens(response, undefined);
	}

	#sendTokens(response: ServerResponse, nonce: string | undefined): void {
		const { withoutIdToken = false } = this.spoiled;
		const answer = { access_token: randomBytes(16).toString("hex"), token_type: "Bearer", expires_in: 60 };
		send(response, 200, withoutIdToken ? answer : { ...answer, id_token: this.#toIdToken(nonce) });
	}

	#toIdToken(nonce: string | undefined): string {
		const { claims = same } = this.spoiled;
		const now = Math.floor(Date.now() / 1_000);
		const usual = { iss: this.issuer, aud: this.clientId, iat: now, exp: now + 300, ...(nonce !== undefined && { nonce }), ...this.person };
		return this.#sign({}, claims(usual));
	}

	#sign(more: TestClaims, claims: TestClaims): string {
		const { header = same, signer, token = (text: string) => text } = this.spoiled;
		const [key = signingKey("first")] = this.keys;
		return token(toJwt(header({ alg: "RS256", kid: key.kid, ...more }), claims, signer ?? byRsa(key)));
	}

	#isClient({ headers }: IncomingMessage, form: URLSearchParams): boolean {
		const posted = `${form.get("client_id")}:${form.get("client_secret")}`;
		const given = headers.authorization?.replace(/^Basic /, "");
		const [name = "", secret = ""] = given === undefined ? [] : Buffer.from(given, "base64").toString("utf8").split(":");
		const sent = given === undefined ? posted : `${name}:${new URLSearchParams(`v=${secret}`).get("v")}`;
		return sent === `${this.clientId}:${this.clientSecret}`;
	}
}

function same(claims: TestClaims): TestClaims {
	return claims;
}

function send(response: ServerResponse, status: number, body: object): void {
	response.writeHead(status, { "content-type": "application/json" }).end(JSON.stringify(body));
}

async function readAll(request: IncomingMessage): Promise<string> {
	const chunks: Buffer[] = [];
	for await (const chunk of request) chunks.push(chunk as Buffer);
	return Buffer.concat(chunks).toString("utf8");
}
