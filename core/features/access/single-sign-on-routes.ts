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

const noProvider = answerFault("Single sign-on is not configured.");
const refused = answerFault("The sign-in was refused.");
const address = { ...stringSchema, format: "uri" };
const setsCookie = { "Set-Cookie": { description: "Cookie of the sign-in.", schema: stringSchema, isOptional: true } };

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
		summary: "Get the availability of single sign-on",
		description: "Clients call this before they offer single sign-on. `label` is the display name of the provider.",
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
		summary: "Start a sign-in with the provider",
		description:
			"For pages of the service: the browser opens `url` and keeps a cookie until it returns. `place` is the location in the page that it then opens.",
		answers: {
			200: answerJson(objectSchema({ url: address }), { description: "Address to open.", headers: setsCookie }),
			403: answerFault("The request comes from a page of another origin."),
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
		summary: "Complete a sign-in with the provider",
		description: "Sets the cookie with the token and redirects to the page. A refused browser is also redirected there, with the reason.",
		answers: {
			303: {
				...answerNothing("Redirect to the page."),
				headers: { Location: { description: "The page.", schema: address }, ...setsCookie },
			},
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
		summary: "Get the sign-out address of the provider",
		description: "`url` is null if the provider has no sign-out address. To revoke the token, use `DELETE /auth/v1/tokens/current`.",
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
		summary: "Receive a sign-out notification from the provider",
		description:
			"Called by the provider (OpenID Connect Back-Channel Logout). `logout_token` is signed by the provider and accepted once. Revokes the tokens of its session, or of all sessions of its user.",
		answers: {
			200: answerJson(objectSchema({}), { description: "The tokens are revoked." }),
			400: answerFault("The token was not issued by the provider, is for another service, is too old or was used before."),
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
		summary: "Start a sign-in with another device",
		description: "For programs without a browser: the user opens `verification_uri` on another device and enters `user_code`.",
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
		summary: "Get the outcome of a sign-in with another device",
		description:
			"202 until the user has decided. With `slow_down`, the client must increase its interval by five seconds. `ttl` as for a sign-in.",
		answers: {
			201: answerJson(tokenSchema, { description: "A token." }),
			202: answerJson(objectSchema({ slow_down: booleanSchema }), { description: "The user has not decided yet." }),
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
