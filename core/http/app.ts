import { isIP } from "node:net";
import { hostname } from "node:os";
import { H3, type H3Event, type HTTPError } from "h3";
import type { Options } from "../contract/index.ts";
import { createAllowedMethods } from "./allowed-methods.ts";
import { findDeclarationProblem } from "./openapi/default-responses.ts";
import { wantsHtml } from "./placeholder-page.ts";
import { type Reply, replyFault, toErrorReply } from "./replies.ts";
import { handleRoute, handleUnmatched, type PipelineDependencies, replyNoRoute } from "./request-pipeline.ts";
import type { Component, Route } from "./route.ts";
import { findPermissionProblem } from "./route-permission.ts";

const emptyReply: Reply = { status: 200, headers: {}, body: null };
const authPrefixes = ["", "/v1", "/auth", "/auth/v1"];
const apiPrefixes = ["", "/v1", "/api", "/api/v1"];
const streamPrefixes = ["", "/v1", "/stream", "/stream/v1"];

/**
 * Path prefixes, by listener and by the component that a route belongs to. The output of an execution is plain text on the API and an event
 * stream on the stream component, under the same path. So on the API listener the stream component has a prefix of its own.
 */
const prefixes: Readonly<Record<Component, { readonly [C in Component]?: readonly string[] }>> = {
	auth: { auth: authPrefixes },
	api: { auth: authPrefixes, api: apiPrefixes, stream: ["/stream", "/stream/v1"] },
	stream: { stream: streamPrefixes },
};

/** Returns every path at which a listener answers a route. */
export function toPaths(listener: Component, route: Route): string[] {
	const pathPrefixes = [...(prefixes[listener][route.component] ?? [])];
	if (listener === "api" && route.isOnApi === true) pathPrefixes.push(...apiPrefixes);
	const paths = [route.path, ...(route.aliases ?? [])];
	return paths.flatMap((path) => pathPrefixes.map((prefix) => (path === "/" && prefix !== "" ? prefix : prefix + path)));
}

/**
 * Creates the application of one listener. Throws an `Error` for a route that does not declare its permission or its answers.
 *
 * @param base prefix of every path, such as `/automation`
 */
export function createApp(listener: Component, routes: readonly Route[], sharedDependencies: PipelineDependencies, base = ""): H3 {
	const dependencies = { ...sharedDependencies, context: { ...sharedDependencies.context, listener } };
	const app = new H3({ silent: true, onError: (error, event) => handleUnmatched(event, toFault(error, dependencies), dependencies) });
	const allowedMethods = createAllowedMethods(
		routes.map((route) => ({ method: route.method, paths: toPaths(listener, route).map((path) => base + path) })),
	);
	const replyToUnmatched = (event: H3Event) => handleUnmatched(event, replyNoRoute(event, allowedMethods), dependencies);
	const findHostRefusal = createHostCheck(sharedDependencies.context.options);
	for (const route of routes) {
		const problem = findPermissionProblem(route, sharedDependencies.context.guard) ?? findDeclarationProblem(route);
		if (problem !== undefined) throw new Error(`route ${route.method} ${route.path} ${problem}`);
		const isRoot = route.component === "api" && route.path === "/";
		const isDocs = route.component === "api" && route.path === "/docs";
		const isHealth = route.path.startsWith("/health/");
		const handler = (event: H3Event) => {
			const hostRefusal = isHealth ? undefined : findHostRefusal(event.req);
			if (hostRefusal !== undefined) return handleUnmatched(event, hostRefusal, dependencies);
			const home = isDocs ? findDocumentation(event, base, dependencies) : undefined;
			if (home !== undefined) return home.then((reply) => handleUnmatched(event, reply, dependencies));
			// The router passes HEAD requests to GET routes.
			if (event.req.method !== route.method) return replyToUnmatched(event);
			const page = isRoot && wantsHtml(event.req) ? findPage(event.url.pathname, base, dependencies) : undefined;
			return page === undefined ? handleRoute(event, route, dependencies) : handleUnmatched(event, page, dependencies);
		};
		for (const path of toPaths(listener, route)) app.on(route.method, base + path, handler);
		if (isDocs && dependencies.documentation !== undefined) app.on("HEAD", `${base}/docs`, handler);
	}
	app.options("/**", (event) => handleUnmatched(event, emptyReply, dependencies));
	app.all("/**", replyToUnmatched);
	return app;
}

/**
 * Returns the page of the service for the root with a slash, and a redirect to it for the root without one. Otherwise returns
 * undefined.
 */
function findPage(pathname: string, base: string, { page }: PipelineDependencies): Reply | undefined {
	if (pathname === `${base}/`) return page();
	// Browsers resolve the page's relative addresses from the last slash of its own address, so the root without one is redirected.
	const location = `${base.slice(base.lastIndexOf("/") + 1)}/`;
	return pathname === base ? { status: 308, headers: { location }, body: null } : undefined;
}

/**
 * Returns the home page of the documentation site for `/docs/`, and a redirect to it for `/docs`. Otherwise returns undefined. The router
 * does not distinguish the two paths. The API description remains at `/v1/docs`.
 */
function findDocumentation({ url, req }: H3Event, base: string, { documentation }: PipelineDependencies): Promise<Reply> | undefined {
	if (documentation === undefined || (req.method !== "GET" && req.method !== "HEAD")) return undefined;
	if (url.pathname === `${base}/docs/`) return documentation(req);
	return url.pathname === `${base}/docs` ? Promise.resolve({ status: 307, headers: { location: "docs/" }, body: null }) : undefined;
}

/** Returns the reply for an error outside of routes: 400 for an address that the router cannot decode. Every other error is a defect. */
function toFault(error: HTTPError, { context }: PipelineDependencies): Reply {
	return error.status === 400 ? replyFault(400, "path: cannot be decoded") : toErrorReply(error.cause ?? error, context.logger, {});
}

const loopbackName = /^(?:.+\.)?localhost$/;

const refusal = replyFault(
	403,
	"header Host: not a name of this service. While auth.enable is false, only its own addresses and the loopback names are allowed; add other names to api.allowed_hosts",
);

/**
 * Protects a service without authentication against DNS rebinding. While authentication is off, every client that reaches the service is an
 * administrator. The owner of a web page could point the page's host name at the service's address. Every browser that shows the page would
 * then be such a client. So only requests under the service's own host names are answered. An IP address is always allowed, because it
 * cannot be pointed elsewhere.
 *
 * Returns a function that returns the refusal (403) for a request under a foreign host name, and undefined for a request that may be
 * answered.
 */
export function createHostCheck(options: Options): (request: Request) => Reply | undefined {
	if (options.auth.enable) return () => undefined;
	const own = toOwnNames(options);
	return ({ headers }) => {
		const host = headers.get("host");
		// Browsers always send the header, so a request without it does not come from a web page.
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

/** Returns the host name of an address in lower case, without a trailing dot. Returns undefined if the address is invalid. */
function toName(address: string): string | undefined {
	return URL.canParse(address) ? new URL(address).hostname.replace(/\.$/, "") : undefined;
}

function isAddress(name: string): boolean {
	return isIP(name.replace(/^\[(.*)\]$/, "$1")) !== 0;
}
