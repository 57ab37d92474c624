import { isSvcError, type Options } from "../../contract/index.ts";
import { defineBody } from "../../http/body.ts";
import { answerFault, answerJson, answerNothing, answerTooMany } from "../../http/openapi/responses.ts";
import { booleanSchema, integerSchema, nullable, objectSchema, stringSchema } from "../../http/openapi/schema-builders.ts";
import { assertNotCrossOrigin } from "../../http/origin-check.ts";
import { wantsHtml } from "../../http/placeholder-page.ts";
import { noStoreHeaders, replyJson } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { toTokenCookie } from "../../http/token-cookie.ts";
import type { AccessApi } from "./api.ts";
import { tokenSchema } from "./schemas.ts";

type RouteServices = Pick<AccessApi, "singleSignOn" | "credentials">;

const { defineRoute } = createRouteDeclarations<RouteServices>();

const noProvider = answerFault("There is no single sign-on.");
const refused = answerFault("The sign-in is refused.");
const address = { ...stringSchema, format: "uri" };
const setsCookie = { "Set-Cookie": { description: "For the browser.", schema: stringSchema, isOptional: true } };

const requestBody = defineBody<{ readonly place?: string }>({ properties: { place: { type: "string", maxLength: 4_000 } } });
const deviceBody = defineBody<Record<never, never>>({ properties: {} });
const pollBody = defineBody<{ readonly device_code: string; readonly ttl?: number | null }>({
	properties: { device_code: { type: "string", minLength: 1, maxLength: 2_000 }, ttl: { type: ["integer", "null"], minimum: 1 } },
	required: ["device_code"],
});

const logoutBody = defineBody<{ readonly logout_token: string }>({
	properties: { logout_token: { type: "string", minLength: 1, maxLength: 16_384 } },
	required: ["logout_token"],
	isForm: true,
});

const deviceSchema = objectSchema(
	{
		device_code: stringSchema,
		user_code: stringSchema,
		verification_uri: address,
		verification_uri_complete: address,
		expires_in: integerSchema,
		interval: integerSchema,
	},
	["verification_uri_complete"],
);

export const singleSignOnRoutes = [
	defineRoute({
		method: "GET",
		path: "/sso",
		component: "auth",
		summary: "Tell whether there is single sign-on",
		description: "For clients that ask before they offer it. `label` is what the provider is called.",
		answers: {
			200: answerJson(objectSchema({ enabled: booleanSchema, label: stringSchema, devices: booleanSchema }, ["label", "devices"]), {
				example: { enabled: false },
			}),
			500: undefined,
		},
		permission: "public",
		handler: ({ engine: { singleSignOn } }) => replyJson({ enabled: singleSignOn.offer !== undefined, ...singleSignOn.offer }),
	}),
	defineRoute({
		method: "POST",
		path: "/sso/request",
		component: "auth",
		summary: "Begin to sign in with the provider",
		description:
			"For pages of the service: the browser goes to `url`, and keeps a cookie until it is back. `place` is where in the page it then is.",
		answers: {
			200: answerJson(objectSchema({ url: address }), { description: "Where to go.", headers: setsCookie }),
			403: answerFault("A page of another origin asks."),
			404: noProvider,
			500: undefined,
		},
		permission: "public",
		body: requestBody,
		async handler(context) {
			const { engine, options, body, request } = context;
			assertNotCrossOrigin(request, options);
			const begin = { redirectUri: toRedirectUri(context), place: body.place ?? "/", signal: request.signal };
			const { url, kept } = await engine.singleSignOn.begin(begin);
			return replyJson({ url }, 200, { "set-cookie": toKeptCookie(kept, options), "cache-control": "no-store" });
		},
	}),
	defineRoute({
		method: "GET",
		path: "/sso/callback",
		component: "auth",
		summary: "Come back from the provider",
		description: "Sets the cookie with the token and leads to the page; a browser that is refused is led there too, and told so.",
		answers: {
			303: { ...answerNothing("To the page."), headers: { Location: { description: "The page.", schema: address }, ...setsCookie } },
			401: refused,
			404: noProvider,
			429: answerTooMany,
		},
		permission: "public",
		// Audited although it is a GET, because it issues a token.
		isAudited: true,
		handler: (context) => comeBack(context),
	}),
	defineRoute({
		method: "GET",
		path: "/sso/sign-out",
		component: "auth",
		summary: "Tell where to sign out of the provider",
		description: "`url` is null where there is no such place. It ends no token: `DELETE /auth/v1/tokens/current` does.",
		answers: { 200: answerJson(objectSchema({ url: nullable(address) })), 404: noProvider, 500: undefined },
		permission: "public",
		async handler(context) {
			const { engine, request } = context;
			const url = await engine.singleSignOn.signOutUrl({ returnUri: `${toPageUrl(context)}/`, signal: request.signal });
			return replyJson({ url: url ?? null });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/sso/back-channel-logout",
		component: "auth",
		summary: "Hear from the provider that somebody has signed out",
		description:
			"For the provider itself, by OpenID Connect Back-Channel Logout: `logout_token` is signed by it, and counts once. The tokens of that session, or of all sessions of whoever it names, end.",
		answers: {
			200: answerJson(objectSchema({}), { description: "They have ended." }),
			400: answerFault("It is not the provider's, not for this service, too old, or has come before."),
			404: noProvider,
			429: answerTooMany,
		},
		permission: "public",
		body: logoutBody,
		async handler(context) {
			const { engine, body, request, streams } = context;
			const said = { message: body.logout_token, remoteAddress: toRemoteAddress(context), signal: request.signal };
			await engine.singleSignOn.endByProvider(said);
			void streams.checkAll();
			return replyJson({}, 200, { "cache-control": "no-store" });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/sso/device",
		component: "auth",
		summary: "Begin to sign in with another device",
		description: "For programs without a browser: somebody opens `verification_uri` elsewhere and enters `user_code`.",
		answers: { 200: answerJson(deviceSchema), 404: noProvider, 429: answerTooMany, 500: undefined },
		permission: "public",
		body: deviceBody,
		async handler(context) {
			const { engine, request } = context;
			const begun = await engine.singleSignOn.beginDevice({ remoteAddress: toRemoteAddress(context), signal: request.signal });
			return replyJson({
				device_code: begun.deviceCode,
				user_code: begun.userCode,
				verification_uri: begun.url,
				...(begun.completeUrl !== undefined && { verification_uri_complete: begun.completeUrl }),
				expires_in: begun.expiresIn,
				interval: begun.interval,
			});
		},
	}),
	defineRoute({
		method: "POST",
		path: "/sso/device/token",
		component: "auth",
		summary: "Ask whether the other device has signed in",
		description:
			"202 until somebody has decided; with `slow_down` the next request is to come five seconds later than those before. `ttl` as for a sign-in.",
		answers: {
			201: answerJson(tokenSchema, { description: "A token." }),
			202: answerJson(objectSchema({ slow_down: booleanSchema }), { description: "Not yet." }),
			401: refused,
			404: noProvider,
			429: answerTooMany,
		},
		permission: "public",
		body: pollBody,
		async handler(context) {
			const { engine, body, request } = context;
			const poll = { deviceCode: body.device_code, ttl: body.ttl ?? null, remoteAddress: toRemoteAddress(context), signal: request.signal };
			const answer = await engine.singleSignOn.pollDevice(poll);
			if ("pending" in answer) return replyJson({ slow_down: answer.slowDown }, 202);
			const { id, user, token, expiry, metadata, service } = answer;
			return replyJson({ id, user, token, expiry, metadata, service }, 201, noStoreHeaders);
		},
	}),
];

async function comeBack(context: RouteContext<RouteServices>) {
	const { engine, options, request } = context;
	const page = toPageUrl(context);
	const kept = findKeptCookie(request.headers);
	const query = new URL(request.url).search.slice(1);
	try {
		const returned = { redirectUri: toRedirectUri(context), query, kept, remoteAddress: toRemoteAddress(context), signal: request.signal };
		const { issued, place } = await engine.singleSignOn.complete(returned);
		// The address comes from the configuration and the path follows a #, so that a caller cannot redirect the browser to another host.
		return leadTo(`${page}/#${place}`, toTokenCookie(issued.token, issued.expiry, context) ?? "");
	} catch (error) {
		const isKnown = isSvcError(error) && ["SVC_UNAUTHORIZED", "SVC_UNAVAILABLE", "SVC_TOO_MANY", "SVC_INVALID"].includes(error.code);
		if (!isKnown || !options.webui.enable || !wantsHtml(request)) throw error;
		const word = error.code === "SVC_UNAUTHORIZED" || error.code === "SVC_INVALID" ? "refused" : "unavailable";
		return leadTo(`${page}/?sign-in=${word}`, toKeptCookie("", options));
	}
}

function leadTo(location: string, cookie: string) {
	// The callback address contains a code of the provider, so it must not be sent as referrer or stored in a cache.
	return {
		status: 303,
		headers: { location, "set-cookie": cookie, "cache-control": "no-store", "referrer-policy": "no-referrer" },
		body: null,
	};
}

/** Returns the address of the web page without a final slash. Uses only the configuration: a request could contain a forged address. */
function toPageUrl({ options, apiUrl }: { readonly options: Options; readonly apiUrl: () => string }): string {
	return (options.webui.webui_base_url || apiUrl()).replace(/\/+$/, "");
}

function toRedirectUri(context: RouteContext<RouteServices>): string {
	return `${toPageUrl(context)}/auth/v1/sso/callback`;
}

function toRemoteAddress(context: Pick<RouteContext<RouteServices>, "engine" | "request" | "peerAddress">): string | undefined {
	const { engine, request } = context;
	const claim = { peerAddress: context.peerAddress(), proxySecret: request.headers.get("svc-proxy-secret") ?? undefined };
	return engine.credentials.toClientAddress(claim, request.headers.get("x-forwarded-for"));
}

/** Seconds that a user has to sign in at the provider. */
const maxSignInSeconds = 600;

/**
 * Returns the cookie that identifies the browser when the provider redirects it back. That request comes from another site, so `Lax` is the
 * strictest `SameSite` value that works. Returns the cookie that deletes it if `kept` is empty.
 */
function toKeptCookie(kept: string, { api }: Options): string {
	const scope = `Path=/${api.auth_cookie_secure ? "; Secure" : ""}; SameSite=Lax`;
	return `svc-sign-in=${kept}; HttpOnly; Max-Age=${kept === "" ? 0 : maxSignInSeconds}; ${scope}`;
}

function findKeptCookie(headers: Headers): string | undefined {
	return /(?:^|;)\s*svc-sign-in=([\w-]+)/.exec(headers.get("cookie") ?? "")?.[1];
}
