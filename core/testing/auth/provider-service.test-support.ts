import { openidConnect } from "../../../plugins-auth/openid-connect/index.ts";
import type { OpenidConnectOptions } from "../../../plugins-auth/openid-connect/options.ts";
import { type AuthBackend, type AuthBackendPlugin, defineAuthBackend } from "../../contract/index.ts";
import { type GuardedOptions, type GuardedService, withGuardedService } from "../http/guarded-service.test-support.ts";
import { OidcTestProvider } from "./oidc-test-provider.ts";

/** A backend that asks a provider, and takes everybody whose password is their name, as `withGuardedService` signs in. */
export const withPasswords = defineAuthBackend("with-passwords", (options: OpenidConnectOptions): AuthBackend => {
	const { interactive, ...backend } = toParts(openidConnect(options).create());
	return {
		...backend,
		...(interactive !== undefined && { interactive }),
		authenticate: async ({ username, password }) => (username === password ? { username } : undefined),
	};
});

function toParts(backend: AuthBackend): Pick<AuthBackend, "check" | "start" | "stop" | "interactive"> {
	const { interactive } = backend;
	return {
		check: (context) => backend.check?.(context) ?? Promise.resolve(),
		start: (context) => backend.start?.(context) ?? Promise.resolve(),
		stop: () => backend.stop?.() ?? Promise.resolve(),
		...(interactive !== undefined && { interactive }),
	};
}

/** Somebody's browser, as far as signing in goes. */
export interface TestBrowser {
	/** Come back from the provider with this query; nothing is followed. */
	comeBack(query: string, headers?: Readonly<Record<string, string>>): Promise<Response>;
	/** What it has kept, as a header. */
	cookie(): string;
	/** Where to go to sign in. */
	begin(place?: string): Promise<string>;
	/** All of it. */
	signIn(place?: string): Promise<Response>;
}

export interface ProviderService extends GuardedService {
	readonly provider: OidcTestProvider;
	openBrowser(origin?: string): TestBrowser;
}

/** Options for the provider of tests: the mail address is the name. */
export function toProviderOptions(provider: OidcTestProvider): OpenidConnectOptions {
	return {
		issuer: provider.issuer,
		client_id: provider.clientId,
		client_secret: provider.clientSecret,
		label: "Example",
		username_claim: "email",
		groups_claim: "groups",
	};
}

/** Run with a service (`withGuardedService`) and a provider, whose group `operators` may do everything. */
export async function withProviderService(
	run: (service: ProviderService) => Promise<void>,
	{
		options = {},
		wrap = (backend) => backend,
		...given
	}: GuardedOptions & {
		readonly options?: Partial<OpenidConnectOptions>;
		/** Stands before the backend. */
		readonly wrap?: (backend: AuthBackendPlugin) => AuthBackendPlugin;
	} = {},
): Promise<void> {
	const provider = await new OidcTestProvider().start();
	const backend = wrap(withPasswords({ ...toProviderOptions(provider), ...options }));
	try {
		await withGuardedService(
			(service) => run({ ...service, provider, openBrowser: (origin = service.urls.api) => openBrowser(origin, provider) }),
			{ ...given, auth: { backend, ...given.auth }, rbac: { mappings: [{ group: "operators", roles: ["admin"] }], ...given.rbac } },
		);
	} finally {
		await provider.stop();
	}
}

export function openBrowser(origin: string, provider: OidcTestProvider): TestBrowser {
	let cookie = "";
	const begin: TestBrowser["begin"] = async (place = "/") => {
		const response = await fetch(`${origin}/auth/v1/sso/request`, {
			method: "POST",
			headers: { "content-type": "application/json", origin },
			body: JSON.stringify({ place }),
		});
		const answer = (await response.json()) as { readonly url?: string; readonly faultstring?: string };
		if (answer.url === undefined) throw new Error(`${response.status} ${answer.faultstring}`);
		cookie = toCookie(response, "svc-sign-in");
		return answer.url;
	};
	const comeBack: TestBrowser["comeBack"] = (query, headers = {}) =>
		fetch(`${origin}/auth/v1/sso/callback?${query}`, { redirect: "manual", headers: { cookie, ...headers } });
	return { cookie: () => cookie, begin, comeBack, signIn: async (place) => comeBack(await provider.signIn(await begin(place))) };
}

/** A cookie that an answer sets, as a request has it; empty where it sets none. */
export function toCookie(response: Response, name: string): string {
	const set = response.headers.getSetCookie().find((each) => each.startsWith(`${name}=`));
	return set?.split(";", 1)[0] ?? "";
}

/** The token that an answer gives to a browser; empty where it gives none. */
export function toToken(response: Response): string {
	return toCookie(response, "auth-token").slice("auth-token=".length);
}

/** As a provider says to a service that somebody has signed out. */
export function sayLogout(origin: string, message: string): Promise<Response> {
	const body = new URLSearchParams({ logout_token: message });
	return fetch(`${origin}/auth/v1/sso/back-channel-logout`, { method: "POST", body });
}
