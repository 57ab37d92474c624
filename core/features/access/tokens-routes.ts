import { type Credentials, type Options, SvcError } from "../../contract/index.ts";
import { toApiUrl } from "../../http/api-url.ts";
import { findToken } from "../../http/authenticate.ts";
import { defineBody } from "../../http/body.ts";
import { decodeHeader } from "../../http/decode-header.ts";
import { answerFault, answerJson, answerNothing, answerTooMany } from "../../http/openapi/responses.ts";
import { stringSchema } from "../../http/openapi/schema-builders.ts";
import type { QuerySchema } from "../../http/query.ts";
import { noStoreHeaders, replyJson, replyNoContent } from "../../http/replies.ts";
import { createRouteDeclarations, type RouteContext } from "../../http/route.ts";
import { mayPageReceiveCookie, toCookieRemoval, toTokenCookie } from "../../http/token-cookie.ts";
import type { AccessApi } from "./api.ts";
import type { IssuedToken } from "./credentials-exports.ts";
import { tokenSchema, validitySchema } from "./schemas.ts";

const { defineRoute } = createRouteDeclarations<Pick<AccessApi, "credentials">>();

interface TokenBody {
	readonly ttl?: number | null;
	readonly user?: string | null;
	readonly impersonate_user?: string | null;
	readonly nickname_origin?: string | null;
}

const optionalText = { type: ["string", "null"] };
const tokenBody = defineBody<TokenBody>({
	properties: {
		ttl: { type: ["integer", "null"], minimum: 1 },
		user: optionalText,
		impersonate_user: optionalText,
		nickname_origin: optionalText,
	},
});
const validateBody = defineBody<{ readonly token: string }>({ properties: { token: { type: "string" } }, required: ["token"] });

const remoteUserHeaders = ["remote-user", "remote_user", "x-remote-user", "x-forwarded-user"];

const signInHeaders = {
	"X-API-URL": { description: "Base address of the API.", schema: stringSchema },
	"Set-Cookie": { description: "Cookie with the token, for pages of the service.", schema: stringSchema, isOptional: true },
};

export const tokenRoutes = [
	defineRoute({
		method: "POST",
		path: "/tokens",
		component: "auth",
		summary: "Sign in",
		description:
			"With user name and password in `Authorization: Basic`, or behind a trusted proxy as the user that the proxy names. `ttl`: lifetime in seconds.",
		answers: {
			201: answerJson(tokenSchema, { description: "A token.", headers: signInHeaders }),
			401: answerFault("The credentials are wrong."),
			429: answerTooMany,
		},
		permission: "public",
		isSignIn: true,
		body: tokenBody,
		async handler(context) {
			const { options } = context;
			const { id, user, token, expiry, metadata, service } = await signIn(context);
			const cookie = mayPageReceiveCookie(context.request, options) ? toTokenCookie(token, expiry, context) : undefined;
			const headers = { ...noStoreHeaders, "x-api-url": toApiUrl(context), ...(cookie !== undefined && { "set-cookie": cookie }) };
			return replyJson({ id, user, token, expiry, metadata, service }, 201, headers);
		},
	}),
	defineRoute({
		method: "POST",
		path: "/tokens/validate",
		component: "auth",
		summary: "Check whether a token is valid",
		answers: { 200: answerJson(validitySchema) },
		permission: "token_validate",
		body: validateBody,
		async handler({ engine, body }) {
			return replyJson({ valid: await engine.credentials.validate(body.token) });
		},
	}),
	defineRoute({
		method: "DELETE",
		path: "/tokens/:token",
		component: "auth",
		summary: "Revoke a token",
		description:
			"Users may revoke their own tokens, administrators all tokens. `current`: the token of the request, even if it is in a cookie.",
		answers: { 204: answerNothing() },
		permission: "authenticated",
		async handler({ engine, path, principal, streams, options, request }) {
			const token = path["token"] === "current" ? (findToken(request) ?? "") : (path["token"] ?? "");
			await engine.credentials.revoke(token, principal);
			void streams.checkToken(token);
			const isKept = request.headers.get("cookie")?.includes(`auth-token=${token}`) || request.headers.get("x-auth-token") === token;
			return replyNoContent(isKept ? { "set-cookie": toCookieRemoval(options) } : {});
		},
	}),
];

async function signIn(context: RouteContext<Pick<AccessApi, "credentials">, QuerySchema, TokenBody>): Promise<IssuedToken> {
	const { engine, options, body, request, logger } = context;
	const { headers, signal } = request;
	const claim = { peerAddress: context.peerAddress(), proxySecret: headers.get("svc-proxy-secret") ?? undefined };
	const ttl = body.ttl ?? null;
	const remoteAddress = engine.credentials.toClientAddress(claim, headers.get("x-forwarded-for"));
	const { username, password } = readCredentials(headers, options.auth, () => {
		logger.warn("token refused: no usable credentials", { remote_address: remoteAddress });
	});
	assertOwnToken(body, username);
	if (options.auth.mode === "proxy") {
		assertForProxies(context);
		return engine.credentials.signInByProxy({ ...claim, username, remoteAddress }, { ttl });
	}
	return engine.credentials.signIn({ username, password }, { ttl, signal, remoteAddress });
}

/**
 * Throws `SVC_UNAUTHORIZED` if the request did not arrive at the listener of the authentication component. A proxy sets the user header
 * only for sign-ins, which it forwards to that component. At the API listener the client itself may have sent the header. The API listener
 * accepts sign-ins only if it is the only listener.
 */
function assertForProxies({ listener, options, logger }: RouteContext<Pick<AccessApi, "credentials">, QuerySchema, TokenBody>): void {
	if (listener === "auth" || !options.auth.listen) return;
	logger.warn("token refused: in proxy mode only the authentication component issues tokens", { listener });
	throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized - in proxy mode, request tokens from the authentication component (auth.port)");
}

/** Returns the user name and password in a request. Calls `onRefused` before it throws. */
function readCredentials(headers: Headers, { mode, proxy_basic }: Options["auth"], onRefused: () => void): Credentials {
	try {
		if (mode !== "proxy") return parseBasic(headers.get("authorization"));
		const remoteUser = parseRemoteUser(headers);
		if (remoteUser !== undefined) return { username: remoteUser, password: "" };
		if (!proxy_basic) throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized - the proxy does not name a user");
		return parseBasic(headers.get("authorization"));
	} catch (error) {
		onRefused();
		throw error;
	}
}

/**
 * Returns the user that a fronting proxy reports; undefined if there is none. Proxies set one of these headers and may forward the others
 * as the client sent them. Different values mean that the client tries to impersonate another user, so the sign-in is refused.
 */
function parseRemoteUser(headers: Headers): string | undefined {
	const names = new Set(remoteUserHeaders.flatMap((name) => decodeHeader(headers.get(name) ?? "") || []));
	const [name] = names;
	// A comma means that the request has the same header twice.
	if (names.size > 1 || name?.includes(",")) throw new SvcError("SVC_UNAUTHORIZED", "Unauthorized - the proxy names more than one user");
	return name;
}

/**
 * Returns name and password of HTTP basic authentication. Throws `SVC_INVALID` for a header that is not a scheme and a value, and
 * `SVC_UNAUTHORIZED` with the same message for every other defect.
 */
function parseBasic(header: string | null): Credentials {
	if (!header) throw refused();
	const words = header.trim().split(/ +/);
	if (words.length !== 2) throw new SvcError("SVC_INVALID", "authorization: must be a scheme and a value");
	const [scheme = "", value = ""] = words;
	if (scheme.toLowerCase() !== "basic" || !/^[A-Za-z0-9+/]+={0,2}$/.test(value)) throw refused();
	const text = Buffer.from(value, "base64").toString("utf8");
	const colon = text.indexOf(":");
	const password = text.slice(colon + 1);
	if (colon < 1 || password === "") throw refused();
	return { username: text.slice(0, colon), password };
}

function refused(): SvcError {
	return new SvcError("SVC_UNAUTHORIZED", "Unauthorized - invalid or missing credentials");
}

/** Throws `SVC_INVALID` if a token of another user is requested. Only service accounts may do that, and none exist yet. */
function assertOwnToken({ user, impersonate_user }: TokenBody, username: string): void {
	if ((user && user !== username) || impersonate_user) {
		throw new SvcError(
			"SVC_INVALID",
			`${impersonate_user ? "impersonate_user" : "user"}: only service accounts may request a token of another user`,
		);
	}
}
