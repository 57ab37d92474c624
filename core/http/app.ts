import { isIP } from "node:net";
import { hostname } from "node:os";
import { H3, type H3Event, type HTTPError } from "h3";
import type { Options } from "../contract/index.ts";
import { AllowedMethods } from "./allowed-methods.ts";
import { findDeclarationProblem } from "./openapi/default-responses.ts";
import { findPermissionProblem } from "./permissions.ts";
import { wantsPage } from "./placeholder-page.ts";
import { type Reply, replyFault, toErrorReply } from "./replies.ts";
import { handleRoute, handleUnmatched, type Responder, replyNoRoute } from "./request-pipeline.ts";
import type { Component, Route } from "./route.ts";

const emptyReply: Reply = { status: 200, headers: {}, body: null };
const authPrefixes = ["", "/v1", "/auth", "/auth/v1"];
const apiPrefixes = ["", "/v1", "/api", "/api/v1"];
const streamPrefixes = ["", "/v1", "/stream", "/stream/v1"];

/**
 * Prefixes under which each listener answers the routes of each component. The output of one execution is a text on the API
 * and an event stream on the stream component, so there the stream's one needs its own prefix.
 */
const prefixes: Readonly<Record<Component, { readonly [C in Component]?: readonly string[] }>> = {
	auth: { auth: authPrefixes },
	api: { auth: authPrefixes, api: apiPrefixes, stream: ["/stream", "/stream/v1"] },
	stream: { stream: streamPrefixes },
};

/** Every path at which a listener answers a route. */
export function toPaths(listener: Component, route: Route): string[] {
	const list = [...(prefixes[listener][route.component] ?? [])];
	if (listener === "api" && route.isOnApi === true) list.push(...apiPrefixes);
	const paths = [route.path, ...(route.aliases ?? [])];
	return paths.flatMap((path) => list.map((prefix) => (path === "/" && prefix !== "" ? prefix : prefix + path)));
}

/**
 * The application of one listener. Throws for a route that does not say who may use it, and what it answers.
 *
 * @param base what stands in front of every path, such as `/automation`
 */
export function createApp(listener: Component, routes: readonly Route[], given: Responder, base = ""): H3 {
	const responder = { ...given, context: { ...given.context, listener } };
	const app = new H3({ silent: true, onError: (error, event) => handleUnmatched(event, toFault(error, responder), responder) });
	const allowed = new AllowedMethods(
		routes.map((route) => ({ method: route.method, paths: toPaths(listener, route).map((path) => base + path) })),
	);
	const refuse = (event: H3Event) => handleUnmatched(event, replyNoRoute(event, allowed), responder);
	const findForeignHost = createHostCheck(given.context.options);
	for (const route of routes) {
		const problem = findPermissionProblem(route, given.context.guard) ?? findDeclarationProblem(route);
		if (problem !== undefined) throw new Error(`route ${route.method} ${route.path} ${problem}`);
		const isRoot = route.component === "api" && route.path === "/";
		const isHealth = route.path.startsWith("/health/");
		const handler = (event: H3Event) => {
			const foreign = isHealth ? undefined : findForeignHost(event.req);
			if (foreign !== undefined) return handleUnmatched(event, foreign, responder);
			// The router gives HEAD to the routes of GET.
			if (event.req.method !== route.method) return refuse(event);
			const page = isRoot && wantsPage(event.req) ? findPage(event.url.pathname, base, responder) : undefined;
			return page === undefined ? handleRoute(event, route, responder) : handleUnmatched(event, page, responder);
		};
		for (const path of toPaths(listener, route)) app.on(route.method, base + path, handler);
	}
	app.options("/**", (event) => handleUnmatched(event, emptyReply, responder));
	app.all("/**", refuse);
	return app;
}

/** The page of the service, which has its one address: the root itself. */
function findPage(pathname: string, base: string, { page }: Responder): Reply | undefined {
	if (pathname === `${base}/`) return page();
	// What the page loads has addresses beside its own, which begin behind the last slash of it.
	const location = `${base.slice(base.lastIndexOf("/") + 1)}/`;
	return pathname === base ? { status: 308, headers: { location }, body: null } : undefined;
}

/** The router refuses addresses that cannot be decoded. Handlers answer their own errors, so anything else is a defect. */
function toFault(error: HTTPError, { context }: Responder): Reply {
	return error.status === 400 ? replyFault(400, "path: cannot be decoded") : toErrorReply(error.cause ?? error, context.logger, {});
}

const loopbackName = /^(?:.+\.)?localhost$/;

const refusal = replyFault(
	403,
	"header Host: is not a name of this service. While auth.enable is false, it answers under the names of its own addresses and of the loopback only; allow others by api.allowed_hosts",
);

/**
 * While authentication is off, every client that reaches the service is an administrator. A web page whose owner points the page's name at the
 * service's address ("DNS rebinding") would be such a client in every browser that shows it. So only requests for names that are known to
 * be the service's own are answered. An IP address cannot be pointed elsewhere.
 *
 * Returns a function that gives the refusal for a request under another name, and undefined for a request that may be answered.
 */
export function createHostCheck(options: Options): (request: Request) => Reply | undefined {
	if (options.auth.enable) return () => undefined;
	const own = toOwnNames(options);
	return ({ headers }) => {
		const host = headers.get("host");
		// Every browser sends one.
		if (host === null) return undefined;
		const name = toName(`http://${host}`);
		return name !== undefined && (isAddress(name) || loopbackName.test(name) || own.has(name)) ? undefined : refusal;
	};
}

function toOwnNames({ api, auth, stream, webui }: Options): ReadonlySet<string> {
	const listeners = [api.host, auth.host, stream.host, ...api.allowed_hosts, hostname()].map((host) => `http://${host}`);
	const origins = api.allow_origin.filter((origin) => origin !== "*");
	return new Set([...listeners, ...origins, auth.api_url, webui.webui_base_url].flatMap((address) => toName(address) ?? []));
}

/** Host of an address in lower case, without a dot at its end. */
function toName(address: string): string | undefined {
	return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, "") : undefined;
}

function isAddress(name: string): boolean {
	return isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
