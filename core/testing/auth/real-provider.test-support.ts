import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { Provider } from "oidc-provider";
import { type SigningKey, signingKey } from "./signing.ts";

/** Somebody whom the provider knows. */
export interface RealPerson {
	readonly email: string;
	readonly groups: readonly string[];
}

export interface RealProviderOptions {
	/** Where the page of the service is, with a slash at its end. Default: nowhere. */
	readonly page?: string;
	/** By what they type at the provider. */
	readonly people: Readonly<Record<string, RealPerson>>;
}

/** The provider `oidc-provider`, which asks whoever comes for a name, and takes any password. */
export class RealProvider {
	readonly clientId = "svc";
	readonly clientSecret = "a secret of the client, long enough";
	#handler: ReturnType<Provider["callback"]> = (_request, response) => response.writeHead(503).end();
	readonly #server: Server = createServer((request, response) => this.#handler(request, response));
	#issuer = "";

	get issuer(): string {
		return this.#issuer;
	}

	async start(): Promise<this> {
		await new Promise<void>((resolve) => this.#server.listen(0, "127.0.0.1", resolve));
		this.#issuer = `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
		return this;
	}

	/** Begin, or begin anew with other keys: it forgets who has signed in. */
	serve({ page = "http://127.0.0.1:9/", people }: RealProviderOptions, keys: readonly SigningKey[] = [signingKey("first")]): void {
		this.#handler = new Provider(this.#issuer, {
			clients: [
				{
					client_id: this.clientId,
					client_secret: this.clientSecret,
					redirect_uris: [`${page}auth/v1/sso/callback`],
					post_logout_redirect_uris: [page],
					backchannel_logout_uri: `${page}auth/v1/sso/back-channel-logout`,
					backchannel_logout_session_required: true,
					grant_types: ["authorization_code", "urn:ietf:params:oauth:grant-type:device_code"],
					response_types: ["code"],
				},
			],
			jwks: { keys: keys.map(({ kid, privateKey }) => ({ ...privateKey.export({ format: "jwk" }), kid, use: "sig", alg: "RS256" })) },
			features: { deviceFlow: { enabled: true }, devInteractions: { enabled: true }, backchannelLogout: { enabled: true } },
			// It reaches no address of the machine itself by default, and gives up on a slow one.
			fetch: (url: string, { method, headers, body }: RequestInit) =>
				fetch(url, {
					...(method !== undefined && { method }),
					...(headers !== undefined && { headers }),
					...(body !== undefined && { body }),
				}),
			pkce: { required: () => true },
			scopes: ["openid", "email", "profile", "groups"],
			claims: { openid: ["sub"], email: ["email", "email_verified"], groups: ["groups"] },
			cookies: { keys: ["a key for cookies"] },
			findAccount: (_context: unknown, id: string) => {
				const person = people[id];
				return person && { accountId: id, claims: () => ({ sub: id, email_verified: true, ...person }) };
			},
		}).callback();
	}

	async stop(): Promise<void> {
		await new Promise((resolve) => {
			this.#server.close(resolve);
			this.#server.closeAllConnections();
		});
	}
}
