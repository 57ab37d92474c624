import { SvcError } from "../../contract/index.ts";
import { defineBody } from "../body.ts";
import { replyJson } from "../respond.ts";
import { defineRoute, type RouteContext } from "../route.ts";

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

export const tokenRoutes = [
	defineRoute({
		method: "POST",
		path: "/tokens",
		component: "auth",
		permission: "public",
		body: tokenBody,
		async handler({ engine, options, body, request, apiUrl }) {
			const credentials = parseBasic(request.headers.get("authorization"));
			assertOwnToken(body, credentials.username);
			const remoteAddress = toRemoteAddress(request);
			const attempt = { ttl: body.ttl ?? null, signal: request.signal, ...(remoteAddress !== undefined && { remoteAddress }) };
			const { id, user, token, expiry, metadata, service } = await engine.credentials.signIn(credentials, attempt);
			const url = (options.auth.api_url || apiUrl()).replace(/\/+$/, "");
			return replyJson({ id, user, token, expiry, metadata, service }, 201, { "x-api-url": url });
		},
	}),
	defineRoute({
		method: "POST",
		path: "/tokens/validate",
		component: "auth",
		permission: "authenticated",
		body: validateBody,
		async handler({ engine, body }) {
			return replyJson({ valid: await engine.credentials.validate(body.token) });
		},
	}),
];

/** Where a sign-in comes from, for the log: what a proxy says, else the peer. */
function toRemoteAddress(request: RouteContext["request"]): string | undefined {
	const forwarded = request.headers.get("x-forwarded-for")?.split(",", 1)[0]?.trim();
	return forwarded !== undefined && /^[\w.:[\]-]{1,64}$/.test(forwarded) ? forwarded : request.ip;
}

/** Name and password of HTTP basic authentication. One message for everything that is wrong with them. */
function parseBasic(header: string | null): { readonly username: string; readonly password: string } {
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

/** Only service accounts may ask for a token of somebody else, and there are none yet. */
function assertOwnToken({ user, impersonate_user }: TokenBody, username: string): void {
	if ((user && user !== username) || impersonate_user) {
		throw new SvcError(
			"SVC_INVALID",
			`${impersonate_user ? "impersonate_user" : "user"}: only service accounts may ask for a token of another user`,
		);
	}
}
